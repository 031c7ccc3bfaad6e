// Framebuffer fetch with streamed textures: layered surfaces that occlude, touch and intersect each other are
// bit-identical to those with resident textures, in whichever order pages are loaded and evicted.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blendFunction } from '../../src/blends';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import {
  SHARING_COUNTERS,
  immediateSource,
  counted,
  open,
  pages,
  picture,
  SETTINGS,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

/** Of the first rounds of this seed, some evict pages. */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 1);

const WORKERS: Readonly<Record<string, CreateOptions>> = {
  ...SETTINGS,
  'one worker': { threads: 1 },
  'three workers, a chunk for each draw': { threads: 3, chunkEveryDraw: true },
};
const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;
const SIZE = 100;

const READS = '@color(0) below: vec4f';
/** Fragment shaders. `color` is the value read at the fragment's position. */
const PROGRAMS = {
  opaque: '@fragment fn fs(corner: Corner) -> @location(0) vec4f { return colorAt(corner); }',
  over: `@fragment fn fs(corner: Corner, ${READS}) -> @location(0) vec4f {
    let color = colorAt(corner);
    return vec4f(color.xyz * color.w, color.w) + below * (1 - color.w);
  }`,
  luminosity: `${blendFunction({ mode: 'luminosity' })}
    @fragment fn fs(corner: Corner, ${READS}) -> @location(0) vec4f {
      let color = colorAt(corner);
      return blend(vec4f(color.xyz * color.w, color.w), below);
    }`,
  // The contents of the attachment decide where the texture is read.
  fetch: `@fragment fn fs(${READS}) -> @location(0) vec4f {
    return textureLoad(map, vec2u(below.xy * vec2f(199, 149)), u32(below.z * 2.5));
  }`,
  // A loop whose end depends on the value read: on zeros it never ends.
  loop: `@fragment fn fs(${READS}) -> @location(0) vec4f {
    var color = below;
    for (var left = 0.2 + below.x; left > 0;) {
      color = textureLoad(map, vec2u(fract(color.yz * 7) * vec2f(199, 149)), 0);
      left -= select(0.0, 0.3 + color.x, dot(color, vec4f(1)) > 0);
    }
    return color;
  }`,
  discards: `@fragment fn fs(corner: Corner, ${READS}) -> @location(0) vec4f {
    let color = colorAt(corner);
    if (color.x > below.y) { discard; }
    return mix(below, color, 0.7);
  }`,
  staged: `struct Links { @link(0) color: vec4f, @link(1) at: vec2f }
    @fragment fn surface(corner: Corner) -> Links { return Links(colorAt(corner), corner.uv); }
    @fragment fn shine(
      @link(0) color: vec4f, @link(1) at: vec2f, ${READS}, @builtin(sample_depth) depth: f32
    ) -> @location(0) vec4f {
      return mix(textureSampleLevel(map, linear, at + below.xy, 1), color, depth);
    }`,
  // Results that are sent to some samples.
  sends: `@fragment fn fs(corner: Corner, ${READS}) {
    let color = colorAt(corner);
    dispatchSamples(u32(color.x * 15.9), mix(below, color, 0.5));
    if (color.y > 0.5) { dispatchSamples(u32(color.z * 15.9), below.yzxw); }
  }`,
  // Gives the same result in any order.
  most: `@fragment fn fs(corner: Corner, ${READS}) -> @location(0) vec4f { return max(below, colorAt(corner)); }`,
  least: `@fragment fn fs(corner: Corner, ${READS}) -> @location(0) vec4f {
    let color = colorAt(corner);
    if (color.x > 0.8) { discard; }
    return min(below, color);
  }`,
} as const;
type Program = keyof typeof PROGRAMS;
const ANY_ORDER = ['most', 'least'] as const satisfies readonly Program[];

/** Every fourth triangle is coplanar with the others of this kind; the rest intersect each other. */
const code = (program: Program): string => `enable fragment_stages;
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) id: u32 }
  fn random(n: u32) -> f32 {
    var hash = (n + 1) * 0x9e3779b1;
    hash = (hash ^ (hash >> 15)) * 0x2c1b3c6d;
    return f32((hash ^ (hash >> 12)) & 0xffff) / 65536;
  }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
    let at = vec2f(random(2 * i), random(2 * i + 1)) * 2.6 - 1.3;
    return Corner(vec4f(at, select(random(i + 999), 0.5, (i / 3) % 4 == 0), 1), at * 0.5 + 0.5, i / 3);
  }
  fn colorAt(corner: Corner) -> vec4f {
    return textureSample(map, linear, corner.uv * 1.2 + f32(corner.id) * vec2f(0.31, 0.17));
  }
  ${PROGRAMS[program]}`;

interface Draw {
  readonly program: Program;
  readonly triangles: number;
  readonly first: number;
}
interface Scene {
  readonly samples: number;
  readonly interlock: 'ordered' | 'unordered';
  readonly draws: readonly Draw[];
}

class Painter {
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  private readonly layout: GPUBindGroupLayout;

  constructor(private readonly device: StatisticsDevice) {
    this.layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} },
        { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
      ],
    });
  }

  draw(map: GPUTexture, { samples, interlock, draws }: Scene): Promise<Uint8Array> {
    const { device, layout } = this;
    const filter = 'linear';
    const address = 'repeat';
    const sampler = device.createSampler({
      minFilter: filter,
      magFilter: filter,
      mipmapFilter: filter,
      addressModeU: address,
      addressModeV: address,
    });
    const group = device.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: map.createView() },
        { binding: 1, resource: sampler },
      ],
    });
    return picture(
      device,
      SIZE,
      (pass) => {
        pass.setBindGroup(0, group);
        for (const { program, triangles, first } of draws) {
          pass.setPipeline(this.pipeline(program, samples, interlock));
          pass.draw(3 * triangles, 1, 3 * first);
        }
      },
      samples
    );
  }

  private pipeline(program: Program, count: number, interlock: Scene['interlock']): GPURenderPipeline {
    const key = `${program} ${count} ${interlock}`;
    let pipeline = this.pipelines.get(key);
    if (pipeline) return pipeline;
    const { device, layout } = this;
    const module = device.createShaderModule({ code: code(program) });
    const stages = [
      { entryPoint: 'surface', rate: 'pixel' },
      { entryPoint: 'shine', rate: 'sample' },
    ];
    pipeline = device.createRenderPipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      vertex: { module },
      multisample: { count },
      fragment: {
        module,
        targets: [{ format: 'rgba8unorm' }],
        ...(program === 'staged' ? { stages } : {}),
        ...(program === 'opaque' ? {} : { interlock }),
      } as GPUFragmentState,
      depthStencil: { format: 'depth24plus', depthWriteEnabled: program === 'opaque', depthCompare: 'less-equal' },
    });
    this.pipelines.set(key, pipeline);
    return pipeline;
  }
}

const drawOf = (programs: readonly Program[]): fc.Arbitrary<Draw> =>
  fc.record({
    program: fc.constantFrom(...programs),
    triangles: fc.integer({ min: 1, max: 8 }),
    first: fc.nat({ max: 100 }),
  });
const samples = fc.constantFrom(1, 4);

describe.each(Object.entries(WORKERS))('with %s', (_, options) => {
  let opened: Open;
  let painter: Painter;
  let all: GPUTexture;
  beforeAll(async () => {
    opened = await open(options);
    painter = new Painter(opened.device);
    all = whole(opened.device, TEXELS);
  });
  afterAll(() => opened.device.destroy());

  test('framebuffer fetch in order does not depend on residency', async () => {
    const programs = Object.keys(PROGRAMS) as Program[];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          samples,
          interlock: fc.constant('ordered' as const),
          draws: fc.array(drawOf(programs), { minLength: 2, maxLength: 6 }),
        }),
        pages(60),
        async (scene, from) => {
          const expected = await painter.draw(all, scene);
          const found = await streaming(opened, TEXELS, PAGE, from, async (map) => [
            await painter.draw(map, scene),
            await painter.draw(map, scene),
          ]);
          for (const one of found) expect(Buffer.compare(one, expected)).toBe(0);
        }
      ),
      { numRuns: rounds(4), seed: SEED }
    );
    const { counters, streams } = opened.device.statistics();
    expect(counters['tilesReplayed']).toBeGreaterThan(0);
    expect(streams.pagesEvicted).toBeGreaterThan(0);
  }, 120_000);

  test('discarded warps are not counted', async () => {
    const { device } = opened;
    const draws = [0, 7, 14].map((first): Draw => ({ program: 'over', triangles: 7, first }));
    const scene: Scene = {
      samples: 4,
      interlock: 'ordered',
      draws: [...draws, { program: 'staged', triangles: 4, first: 50 }],
    };
    const map = streamed(device, TEXELS, { pageSize: PAGE, loadPage: immediateSource(TEXELS, PAGE) });
    const expected = await counted(device, () => painter.draw(all, scene));
    const found = await counted(device, () => painter.draw(map, scene));
    const ofPixels = Object.entries(expected).filter(([name]) => name.startsWith('fragment '));
    // Each warp belongs to one stage, whichever part of a shader it executed.
    expect(ofPixels.reduce((sum, [, warps]) => sum + warps, 0)).toBe(expected['fragmentWarps']);
    expect(found['tilesReplayed']).toBeGreaterThan(0);
    const of = Object.fromEntries(SHARING_COUNTERS.map((name) => [name, 0]));
    expect({ ...found, ...of, tilesReplayed: 0, chunksPrefetched: 0 }).toEqual({ ...expected, ...of });
    map.destroy();
  });

  test('framebuffer fetch in any order, where the result is the same', async () => {
    const scenes = fc
      .constantFrom(...ANY_ORDER)
      .chain((program) => fc.record({ samples, draws: fc.array(drawOf([program]), { minLength: 1, maxLength: 4 }) }));
    await fc.assert(
      fc.asyncProperty(scenes, pages(60), async (of, from) => {
        const expected = await painter.draw(all, { ...of, interlock: 'ordered' });
        for (const interlock of ['ordered', 'unordered'] as const) {
          const found = await streaming(opened, TEXELS, PAGE, from, (map) => painter.draw(map, { ...of, interlock }));
          expect(Buffer.compare(found, expected)).toBe(0);
        }
      }),
      { numRuns: rounds(2) }
    );
  }, 120_000);
});
