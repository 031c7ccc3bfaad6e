// Shaders that run several times for a pixel, once per sample set, and write to buffers and textures. Every run sees
// the writes of the previous one, and all engines give the same bits.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { openBuiltWith } from '../images/open';
import { GPUMapMode, GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';
import { firstDifference } from '../support/first-difference';

const SCENES = rounds(12);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 43);
/** Four tiles, three of which are partial. */
const SIZE = 66;
const PIXELS = SIZE * SIZE;
const LOG = 32;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const TEXTURE = { COPY_SRC: 1, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
const FEATURES = [
  'fragment-stages',
  'multisample-storage-textures',
  'extended-sample-counts',
  'multisample-32bit',
  'subgroups',
];
const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'compiled, by two': { engine: 'jit', threads: 2 },
  'interpreted, by one': { engine: 'interpreter', threads: 1 },
  'at every tile': { engine: 'interpreter', threads: 2, distribution: 'any', alwaysShareTiles: true },
};

/** The effects of a run with `value`: a number that differs from set to set. */
const EFFECTS = {
  own: 'own[pixel] = own[pixel] * 3 + value + 1;',
  ownTwice: 'own[pixel] += value; if ((value & 1) == 0) { own[pixel] = own[pixel] ^ 5; }',
  last: 'own[pixel] = value;',
  any: 'let slot = (pixel * 7) % 13; own[slot] = own[slot] * 5 + value;',
  used: `let number = atomicAdd(&counts[pixel], 1u); log[pixel * ${LOG} + (number & ${LOG - 1})] = value + 1;`,
  usedByAll: `let ticket = atomicAdd(&counts[0], value + 1); log[ticket % ${PIXELS * LOG}] = pixel;`,
  exchanged: 'log[pixel] += atomicExchange(&counts[pixel], value + 1);',
  loop: 'for (var i = 0u; i < 2 + (value & 1); i++) { own[pixel] = own[pixel] * 3 + i; }',
  image: 'textureStore(image, at, textureLoad(image, at) * 3 + value + 1);',
  surface: 'textureStoreSamples(surface, at, 3u, textureLoadSample(surface, at, 0u).value * 3 + value + 1);',
  lanes: 'own[pixel] = own[pixel] * 3 + subgroupAdd(value);',
} as const;
type Effect = keyof typeof EFFECTS;
type Way = 'fetch' | 'sample index' | 'split' | 'varying' | 'stage' | 'stage that fetches' | 'stage before';
interface Scene {
  readonly samples: number;
  readonly way: Way;
  readonly early: boolean;
  readonly discards: boolean;
  readonly effects: readonly Effect[];
  /** Vertices in pixels. */
  readonly triangles: readonly (readonly number[])[];
}

const ROUNDS = Array.from({ length: 130 }, (_, i) => `hash = (hash ^ (hash >> 5)) * 2654435769u + ${i}u;`).join('\n');
const WAYS: Readonly<Record<Way, { readonly inputs: string; readonly value: string; readonly work?: string }>> = {
  fetch: { inputs: '@color(0) below: u32', value: 'below % 7' },
  'sample index': { inputs: '@builtin(sample_index) index: u32', value: 'index' },
  split: { inputs: '@builtin(sample_index) index: u32', value: 'index + (hash & 1)', work: ROUNDS },
  varying: {
    inputs: '@location(0) @interpolate(linear, sample) along: f32',
    value: 'u32(along * 16) % 7',
    work: ROUNDS,
  },
  stage: { inputs: '@builtin(sample_index) index: u32, @link(0) linked: u32', value: 'index + (linked & 1)' },
  'stage that fetches': { inputs: '@color(0) below: u32, @link(0) linked: u32', value: '(below + linked) % 7' },
  // The effects are in the stage before the one that runs for sample sets.
  'stage before': { inputs: '@color(0) below: u32, @link(0) linked: u32', value: '(below + linked) % 7' },
};

const isStaged = (way: Way): boolean => way.startsWith('stage');
function codeOf({ way, early, discards, effects }: Scene): string {
  const { inputs, value, work = '' } = WAYS[way];
  const written = effects.map((effect) => `{ ${EFFECTS[effect]} }`).join('\n');
  const isBefore = way === 'stage before';
  return `enable fragment_stages; enable multisample_storage_textures; enable subgroups;
    diagnostic(off, subgroup_uniformity);
    @group(0) @binding(0) var<storage, read_write> truth: array<atomic<u32>>;
    @group(0) @binding(1) var<storage, read_write> own: array<u32>;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
    @group(0) @binding(3) var<storage, read_write> log: array<u32>;
    @group(0) @binding(4) var image: texture_storage_2d<r32uint, read_write>;
    @group(0) @binding(5) var surface: texture_storage_multisampled_2d<r32uint, read_write>;
    @group(1) @binding(0) var<storage> corners: array<vec2f>;
    struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(linear, sample) along: f32 }
    @vertex fn vertex(@builtin(vertex_index) i: u32) -> Corner {
      let at = corners[i];
      return Corner(vec4f(at / ${SIZE / 2} - 1, 0.5, 1), at.x);
    }
    @fragment fn pixel(@builtin(position) position: vec4f) -> @link(0) u32 {
      ${discards && isStaged(way) ? 'if ((u32(position.x) & 7) == 3) { discard; }' : ''}
      let value = u32(position.x) + u32(position.y);
      ${isBefore ? `let at = vec2u(position.xy); let pixel = at.y * ${SIZE} + at.x; ${written}` : ''}
      return value;
    }
    ${early ? '@early_depth_test' : ''}
    @fragment fn main(@builtin(position) position: vec4f, ${inputs}) -> @location(0) u32 {
      let at = vec2u(position.xy);
      let pixel = at.y * ${SIZE} + at.x;
      var hash = pixel;
      ${work}
      ${discards && !isStaged(way) ? 'if ((at.x & 7) == 3) { discard; }' : ''}
      let value = ${value};
      ${isBefore ? '' : `${early ? '' : 'atomicAdd(&truth[pixel], 1u);'} ${written}`}
      return value * 5 + hash % 3 + 1;
    }`;
}

class Runner {
  private readonly layouts: readonly GPUBindGroupLayout[];

  constructor(readonly device: GPUDevice) {
    const image = { access: 'read-write', format: 'r32uint' } as const;
    const FRAGMENT = 2;
    this.layouts = [
      device.createBindGroupLayout({
        entries: [
          ...[0, 1, 2, 3].map((binding) => ({ binding, visibility: FRAGMENT, buffer: { type: 'storage' } as const })),
          { binding: 4, visibility: FRAGMENT, storageTexture: image },
          { binding: 5, visibility: FRAGMENT, storageTexture: { ...image, ...{ multisampled: true } } },
        ],
      }),
      device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { type: 'read-only-storage' } }],
      }),
    ];
  }

  /** Returns all that the shader has written, by resource, and the target. */
  async run(scene: Scene): Promise<readonly Uint32Array[]> {
    const { device } = this;
    const { samples, way, triangles } = scene;
    device.pushErrorScope('validation');
    const buffer = (words: number): GPUBuffer =>
      device.createBuffer({ size: words * 4, usage: BUFFER.STORAGE | BUFFER.COPY_SRC | BUFFER.COPY_DST });
    const texture = (usage: number, sampleCount: number): GPUTexture =>
      device.createTexture({ size: [SIZE, SIZE], format: 'r32uint', usage, sampleCount });
    const buffers = [PIXELS, PIXELS, PIXELS, PIXELS * LOG].map(buffer);
    const copies = [buffer(PIXELS), buffer(PIXELS), buffer(PIXELS)];
    const image = texture(TEXTURE.STORAGE | TEXTURE.SAMPLED, 1);
    const surface = texture(TEXTURE.STORAGE | TEXTURE.SAMPLED, samples);
    const target = texture(TEXTURE.ATTACHMENT | TEXTURE.SAMPLED, samples);
    const corners = buffer(triangles.length * 6);
    device.queue.writeBuffer(corners, 0, Float32Array.from(triangles.flat()));
    const module = device.createShaderModule({ code: codeOf(scene) });
    const pipeline = device.createRenderPipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [...this.layouts] }),
      vertex: { module },
      multisample: { count: samples },
      fragment: {
        module,
        targets: [{ format: 'r32uint' }],
        ...(isStaged(way)
          ? {
              stages: [
                { entryPoint: 'pixel', rate: 'pixel' },
                { entryPoint: 'main', rate: 'sample' },
              ],
            }
          : { entryPoint: 'main' }),
      },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    const group = (index: number, resources: readonly GPUBindingResource[]): void =>
      pass.setBindGroup(
        index,
        device.createBindGroup({
          layout: this.layouts[index]!,
          entries: resources.map((resource, binding) => ({ binding, resource })),
        })
      );
    pass.setPipeline(pipeline);
    group(0, [...buffers.map((made) => ({ buffer: made })), image.createView(), surface.createView()]);
    group(1, [{ buffer: corners }]);
    pass.draw(triangles.length * 3);
    pass.end();
    this.copy(encoder, 'texture_2d', image, copies[0]!);
    this.copy(encoder, 'texture_multisampled_2d', surface, copies[1]!);
    this.copy(encoder, 'texture_multisampled_2d', target, copies[2]!);
    const written = [...buffers, ...copies];
    const read = written.map(({ size }) => device.createBuffer({ size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST }));
    written.forEach((from, i) => encoder.copyBufferToBuffer(from, 0, read[i]!, 0, from.size));
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    const words = await Promise.all(
      read.map(async (from) => {
        await from.mapAsync(GPUMapMode.READ);
        return new Uint32Array(from.getMappedRange().slice(0));
      })
    );
    for (const made of [...written, ...read, image, surface, target, corners]) made.destroy();
    return words;
  }

  /** Copies texels to a buffer; for a multisampled texture those of sample 1. */
  private copy(encoder: GPUCommandEncoder, type: string, from: GPUTexture, buffer: GPUBuffer): void {
    const { device } = this;
    const sample = from.sampleCount > 1 ? 1 : 0;
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var source: ${type}<u32>;
      @group(0) @binding(1) var<storage, read_write> words: array<u32>;
      @compute @workgroup_size(${SIZE}) fn main(@builtin(global_invocation_id) id: vec3u) {
        words[id.y * ${SIZE} + id.x] = textureLoad(source, id.xy, ${sample}).x;
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: from.createView() },
          { binding: 1, resource: { buffer } },
        ],
      })
    );
    pass.dispatchWorkgroups(1, SIZE);
    pass.end();
  }
}

const NAMES = ['truth', 'own', 'counts', 'log', 'image', 'surface', 'target'];
const coordinate = fc.integer({ min: -8, max: 8 * (SIZE + 2) }).map((eighths) => eighths / 8);
const triangle = fc.oneof(
  fc.array(coordinate, { minLength: 6, maxLength: 6 }),
  // A small one: several share a quad.
  fc
    .tuple(coordinate, coordinate, fc.array(fc.nat(40), { minLength: 6, maxLength: 6 }))
    .map(([x, y, by]) => by.map((eighths, i) => (i & 1 ? y : x) + eighths / 8))
);
const scenes: fc.Arbitrary<Scene> = fc.record({
  samples: fc.constantFrom(2, 4, 4, 8, 16),
  way: fc.constantFrom(...(Object.keys(WAYS) as Way[])),
  early: fc.boolean(),
  discards: fc.boolean(),
  effects: fc.uniqueArray(fc.constantFrom(...(Object.keys(EFFECTS) as Effect[])), { minLength: 1, maxLength: 3 }),
  triangles: fc.array(triangle, { minLength: 1, maxLength: 12 }),
});

describe('writes of a shader in each of its runs for a pixel', () => {
  let runners: readonly (readonly [string, Runner])[];
  beforeAll(async () => {
    runners = await Promise.all(
      Object.entries(engines).map(
        async ([name, options]) => [name, new Runner(await openBuiltWith(FEATURES, options))] as const
      )
    );
  });
  afterAll(() => runners.forEach(([, { device }]) => device.destroy()));

  async function expectSame(scene: Scene): Promise<readonly Uint32Array[]> {
    const [first, ...others] = await Promise.all(runners.map(([, runner]) => runner.run(scene)));
    others.forEach((words, k) =>
      words.forEach((found, i) => {
        const at = firstDifference(found, first![i]!);
        if (at < 0) return;
        const where = { engine: runners[k + 1]![0], resource: NAMES[i], at };
        expect({ ...where, word: found[at] }).toEqual({ ...where, word: first![i]![at] });
      })
    );
    return first!;
  }

  const OVER = [
    [0, 0, 66, 3, 20, 66],
    [3, 60, 50, 2, 66, 66],
    [30, 30, 36, 31, 33, 40],
    [31, 30, 37, 31, 32, 40],
  ];
  test.each((Object.keys(WAYS) as Way[]).filter((way) => way !== 'stage before'))('are not lost: %s', async (way) => {
    for (const early of [false, true]) {
      const counted = { samples: 4, way, early, discards: false, triangles: OVER };
      const [truth, own, counts, , image, surface] = await expectSame({ ...counted, effects: ['used'] });
      const runs = early ? counts! : truth!;
      expect(runs.some((count) => count > 4)).toBe(true);
      expect(counts).toEqual(runs);
      expect(own!.every((word) => word === 0)).toBe(true);
      expect([image, surface].every((words) => words!.every((word) => word === 0))).toBe(true);
    }
  });

  test('of a stage before leave the results of its sample sets', async () => {
    for (const effect of ['image', 'own', 'lanes'] as const) {
      const scene = { samples: 4, way: 'stage before', early: false, discards: false, triangles: OVER } as const;
      const words = await expectSame({ ...scene, effects: [effect] });
      expect(words[NAMES.indexOf('target')]!.some((word) => word > 0)).toBe(true);
    }
  });

  test('are the same on all engines in random scenes', { timeout: 60_000 + SCENES * 1000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        await expectSame(scene);
      }),
      { numRuns: SCENES, seed: SEED }
    );
  });
});
