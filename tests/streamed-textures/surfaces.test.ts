// Programmable blending in multisampled storage textures by shaders that read streamed textures. All samples are
// bit-identical to those with resident textures, in whichever order pages are loaded and evicted, and counters count
// committed work only.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MultisampleStorageTextureBindingLayout, StatisticsDevice, SurfaceStatistics } from '../../src/index';
import { emptyPass, samplesOf, SIZE, surface } from '../surface-programs/kit';
import {
  immediateSource,
  delayedSource,
  open,
  pages,
  SETTINGS,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;

/** What a fragment does at pixel `at`, whose triangle covers the samples in the mask `covered`. */
const BODIES = {
  // Once per distinct value among the pixel's samples.
  over: `let color = textureSample(map, linear, corner.uv);
    for (var left = covered; left != 0;) {
      let held = textureLoadSamples(surface, at, left);
      textureStoreSamples(surface, at, held.mask & left, color + held.value * (1 - color.w));
      left &= ~held.mask;
    }`,
  // The contents of the surface decide where the texture is read.
  held: `for (var left = covered; left != 0;) {
      let held = textureLoadSamples(surface, at, left);
      let color = textureLoad(map, vec2u(held.value.xy * vec2f(199, 149)), u32(held.value.z * 2.5));
      textureStoreSamples(surface, at, held.mask & left, color.yzwx);
      left &= ~held.mask;
    }`,
  // The value read decides which samples are stored, if any.
  some: `let color = textureSampleLevel(map, linear, corner.uv * 1.7, 0);
    let mask = covered & u32(color.x * 15.9);
    if (mask != 0) { textureStoreSamples(surface, at, mask, color); }`,
} as const;
/**
 * Stores to a pixel of another tile that no other invocation writes, and to pixels that are mostly outside of the
 * surface.
 */
const MIRROR = `
  textureStoreSamples(surface, vec2u(${SIZE - 1}) - at, covered, textureSampleLevel(map, linear, corner.uv, 0));
`;
const FAULTY = 'textureStoreSamples(surface, at + 70, covered, textureLoad(map, at, 0));';

const code = (body: string, format: string): string => `enable multisample_storage_textures;
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  @group(0) @binding(2) var surface: texture_storage_multisampled_2d<${format}, read_write>;
  struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  fn random(n: u32) -> f32 {
    var hash = (n + 1) * 0x9e3779b1;
    hash = (hash ^ (hash >> 15)) * 0x2c1b3c6d;
    return f32((hash ^ (hash >> 12)) & 0xffff) / 65536;
  }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
    let at = select(
      vec2f(random(2 * i), random(2 * i + 1)) * 2.6 - 1.3, vec2f(f32(i & 1), f32((i >> 1) & 1)) * 4 - 1, i < 3
    );
    return Corner(vec4f(at, 0.5, 1), at * 0.5 + 0.5);
  }
  @fragment fn fs(corner: Corner, @builtin(sample_mask) covered: u32) {
    let at = vec2u(corner.position.xy);
    ${body}
  }`;

interface Scene {
  readonly format: 'rgba8unorm' | 'rgba16float';
  /** Passes with a resident texture; the last pass uses the texture under test. */
  readonly passes: readonly (readonly Draw[])[];
}
interface Draw {
  readonly body: string;
  readonly triangles: number;
  readonly first: number;
}
type Told = Omit<SurfaceStatistics, 'label'>;

/** Returns all samples, and the statistics of the surface and of the shaders' accesses. */
async function draw(
  device: StatisticsDevice,
  all: GPUTexture,
  map: GPUTexture,
  { format, passes }: Scene
): Promise<{ readonly samples: Uint8Array; readonly told: Told; readonly accesses: Readonly<Record<string, number>> }> {
  const multisampled: MultisampleStorageTextureBindingLayout = { access: 'read-write', format, multisampled: true };
  const target = surface(device, format);
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
      { binding: 2, visibility: GPUShaderStage.FRAGMENT, storageTexture: multisampled },
    ],
  });
  const linear = device.createSampler({
    minFilter: 'linear',
    magFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  const before = device.statistics().loadStoreUnit;
  passes.forEach((draws, number) => {
    const texture = number + 1 < passes.length ? all : map;
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(emptyPass(`pass ${number}`));
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout,
        entries: [
          { binding: 0, resource: texture.createView() },
          { binding: 1, resource: linear },
          { binding: 2, resource: target.createView() },
        ],
      })
    );
    for (const { body, triangles, first } of draws) {
      const module = device.createShaderModule({ code: code(body, format) });
      pass.setPipeline(
        device.createRenderPipeline({
          layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
          vertex: { module },
          fragment: { module, targets: [] },
          multisample: { count: 4 },
        })
      );
      pass.draw(3 * triangles, 1, 3 * first);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  });
  await device.queue.onSubmittedWorkDone();
  const { loadStoreUnit: unit, surfaces } = device.statistics();
  const { label: _, ...told } = surfaces.at(-1)!;
  const accesses = {
    loads: unit.loads - before.loads,
    stores: unit.stores - before.stores,
    written: unit.bytesWritten - before.bytesWritten,
    read: unit.bytesRead - before.bytesRead,
  };
  const samples = await samplesOf(device, target);
  target.destroy();
  return { samples, told, accesses };
}

const drawOf = fc.record({
  body: fc.constantFrom(...Object.values(BODIES)),
  triangles: fc.integer({ min: 1, max: 6 }),
  first: fc.nat({ max: 60 }),
});
const passOf = fc.array(drawOf, { minLength: 1, maxLength: 3 });
const format = fc.constantFrom('rgba8unorm', 'rgba16float');

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  let all: GPUTexture;
  beforeAll(async () => {
    opened = await open(options);
    all = whole(opened.device, TEXELS);
  });
  afterAll(() => opened.device.destroy());

  test('samples do not depend on residency', async () => {
    const { device } = opened;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ format, passes: fc.array(passOf, { minLength: 1, maxLength: 2 }) }),
        pages(),
        async (scene, from) => {
          const expected = await draw(device, all, all, scene);
          const found = await streaming(opened, TEXELS, PAGE, from, (map) => draw(device, all, map, scene));
          expect(Buffer.compare(found.samples, expected.samples)).toBe(0);
          expect({ ...found, samples: 0 }).toEqual({ ...expected, samples: 0 });
        }
      ),
      { numRuns: rounds(4) }
    );
    expect(device.statistics().streams.parked).toBeGreaterThan(0);
  }, 120_000);

  test('samples written in other tiles do not depend on residency', async () => {
    const { device } = opened;
    await fc.assert(
      fc.asyncProperty(format, pages(), async (of, from) => {
        const scene: Scene = {
          format: of,
          passes: [[{ body: BODIES.over, triangles: 9, first: 0 }], [{ body: MIRROR, triangles: 1, first: 0 }]],
        };
        const expected = await draw(device, all, all, scene);
        const found = await streaming(opened, TEXELS, PAGE, from, (map) => draw(device, all, map, scene));
        expect(Buffer.compare(found.samples, expected.samples)).toBe(0);
      }),
      { numRuns: 3 }
    );
  }, 60_000);

  test('invalid accesses are reported once', async () => {
    const { device, errors } = opened;
    const scene: Scene = { format: 'rgba8unorm', passes: [[{ body: FAULTY, triangles: 1, first: 0 }]] };
    const faults = async (map: GPUTexture): Promise<readonly [number, readonly string[]]> => {
      const before = device.statistics().counters['surfaceFaults']!;
      errors.length = 0;
      await draw(device, all, map, scene);
      return [device.statistics().counters['surfaceFaults']! - before, errors.splice(0)];
    };
    const map = streamed(device, TEXELS, { pageSize: PAGE, loadPage: immediateSource(TEXELS, PAGE) });
    const expected = await faults(all);
    expect(expected).toEqual([SIZE * SIZE - 100, [expect.stringContaining('pixel (80, 70) is outside')]]);
    expect(await faults(map)).toEqual(expected);
  });

  test('copies are not reported, and a failing page keeps the previous contents', async () => {
    const { device, errors } = opened;
    const seen = new Set<string>();
    const passes: Scene['passes'] = [
      [{ body: BODIES.over, triangles: 5, first: 0 }],
      [{ body: BODIES.some, triangles: 5, first: 7 }],
    ];
    const expected = await draw(device, all, all, { format: 'rgba8unorm', passes: passes.slice(0, 1) });
    const load = delayedSource(TEXELS, PAGE, [0]);
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      loadPage: async (...page) => {
        for (const { label } of device.statistics().surfaces) seen.add(label);
        if (page[0] === 0 && page[1] === 4 && page[2] === 4) throw new Error('the disk is gone');
        return load(...page);
      },
    });
    errors.length = 0;
    const found = await draw(device, all, map, { format: 'rgba8unorm', passes });
    expect(errors).toEqual([expect.stringContaining('page (4, 4) of level 0 could not be loaded: the disk is gone')]);
    expect(Buffer.compare(found.samples, expected.samples)).toBe(0);
    expect([...seen]).toEqual([expect.stringContaining('the rgba8unorm')]);
    errors.length = 0;
  });
});
