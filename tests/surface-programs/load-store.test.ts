// The load/store unit of storage textures, from WGSL to the statistics: counters, effects of thresholds, stores without
// memory, and shaders that write beyond their own tile, with one worker and with more.
import { afterEach, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { emptyPass, open, samplesOf, SIZE, surface, USAGE, VERTEX, VERTICES, vertices } from './kit';

const ALL = [-1, -1, 3, -1, -1, 3];
let device: StatisticsDevice | undefined;
afterEach(() => {
  device?.destroy();
});

/** Draws a triangle over everything, whose shader is `body` with `at`, `mask` and the texture `t`. */
async function run(texture: GPUTexture, body: string, size = SIZE): Promise<void> {
  const code = `enable multisample_storage_textures;
    @group(0) @binding(0) var t: texture_storage_multisampled_2d<${texture.format}, read_write>;
    ${VERTEX}
    @fragment fn fs(c: Corner, @builtin(sample_mask) mask: u32) { let at = vec2i(c.position.xy); ${body} }`;
  const module = device!.createShaderModule({ code });
  const pipeline = device!.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [VERTICES] },
    fragment: { module, targets: [] },
    multisample: { count: 4 },
  });
  const encoder = device!.createCommandEncoder();
  const pass = encoder.beginRenderPass({ ...emptyPass('stores'), size: [size, size] } as GPURenderPassDescriptor);
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device!.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: texture.createView() }],
    })
  );
  pass.setVertexBuffer(0, vertices(device!, [{ corners: ALL, color: [1, 1, 1, 1] }]));
  pass.draw(3);
  pass.end();
  device!.queue.submit([encoder.finish()]);
  await device!.queue.onSubmittedWorkDone();
}

const ENGINES: [string, CreateOptions][] = [
  ['interpreter', { engine: 'interpreter', threads: 0 }],
  ['jit, two workers', { engine: 'jit', threads: 2 }],
  ['without encoding', { threads: 0, surfaceEncoding: false }],
];

describe.each(ENGINES)('%s', (_, options) => {
  test('stored texels are counted and read back', async () => {
    device = await open(options);
    const texture = surface(device, 'rgba8unorm');
    await run(
      texture,
      'textureStoreSamples(t, at, mask, vec4f(f32(at.x & 1), 0, 0, '
        + '1)); textureStoreSamples(t, at, 5u, vec4f(0, 1, 0, 1));'
    );
    const bytes = await samplesOf(device, texture);
    const texel = (x: number, y: number, s: number): number[] => [
      ...bytes.subarray((y * SIZE * 4 + s * SIZE + x) * 4, (y * SIZE * 4 + s * SIZE + x) * 4 + 4),
    ];
    for (const [x, y] of [
      [0, 0],
      [63, 64],
      [79, 79],
      [64, 5],
    ] as const)
      expect([0, 1, 2, 3].map((s) => texel(x, y, s))).toEqual(
        [0, 1, 2, 3].map((s) => (s & 1 ? [255 * (x & 1), 0, 0, 255] : [0, 255, 0, 255]))
      );
    const { stores, cache } = device.statistics().loadStoreUnit;
    expect(stores).toBe(2 * SIZE * SIZE);
    expect([cache.misses, cache.writeBacks]).toEqual([4, 4]);
  });

  test('a shader that writes all over the surface corrupts nothing', async () => {
    device = await open(options);
    const texture = surface(device, 'rgba8unorm');
    // Each pixel writes a sample of its mirror image, which belongs to another tile.
    await run(
      texture,
      `textureStoreSamples(t, vec2i(${SIZE - 1}) - at, 2u, vec4f(f32(at.x) / 255, f32(at.y) / 255, 0, 1)); `
        + 'textureStoreSamples(t, at, 1u, vec4f(1));'
    );
    const bytes = await samplesOf(device, texture);
    let wrong = 0;
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++) {
        const at = (s: number): number => (y * SIZE * 4 + s * SIZE + x) * 4;
        if (
          bytes[at(0)] !== 255
          || bytes[at(1)] !== SIZE - 1 - x
          || bytes[at(1) + 1] !== SIZE - 1 - y
          || bytes[at(2)] !== 0
          || bytes[at(3)] !== 0
        )
          wrong++;
      }
    expect(wrong).toBe(0);
  });
});

describe('bytes moved', () => {
  const COVERED = 'textureStoreSamples(t, at, 255u, vec4f(f32(at.x & 7) / 7, f32(at.y & 7) / 7, 0, 1));';
  const DIVIDED = 'if ((at.x & 8) == 0) { textureStoreSamples(t, at, 15u, vec4f(1, 0, 0, 1)); }';

  test('an overwritten surface moves once; a sample of each tile moves a block of each', async () => {
    device = await open({ threads: 0 });
    const side = 128;
    const texture = device.createTexture({
      label: 'bytes',
      size: [side, side],
      sampleCount: 8,
      format: 'rgba8unorm',
      usage: USAGE.STORAGE | USAGE.SAMPLED,
    });
    const read = (): { bytesMoved: number; unit: readonly number[] } => {
      const {
        surfaces,
        loadStoreUnit: { bytesRead, bytesWritten },
      } = device!.statistics();
      return {
        bytesMoved: surfaces.find(({ label }) => label.includes('"bytes"'))!.bytesMoved,
        unit: [bytesRead, bytesWritten],
      };
    };
    await run(texture, COVERED + DIVIDED, side);
    const before = read();
    await run(texture, COVERED, side);
    const overwritten = read();
    expect(overwritten.bytesMoved - before.bytesMoved).toBe(side * side * 4);
    expect(overwritten.unit.map((bytes, i) => bytes - before.unit[i]!)).toEqual([0, side * side * 4]);
    await run(
      texture,
      `if (all((at & vec2i(63)) == vec2i(20))) {
      if (textureLoadSample(t, at, 3u).value.x > 2) { textureStoreSamples(t, at, 1u, vec4f(0)); } }`,
      side
    );
    expect(read().bytesMoved - overwritten.bytesMoved).toBe(4 * 64 * 4);
  });

  test.each([0, 2])('textureLoad is counted, with %i workers', async (threads) => {
    device = await open({ threads });
    const texture = surface(device, 'rgba8unorm');
    await run(texture, DIVIDED);
    const read = (): { bytesMoved: number; bytesMovedUncompressed: number } =>
      device!.statistics().surfaces.find(({ label }) => label.includes('rgba8unorm'))!;
    const before = read();
    await samplesOf(device, texture);
    const after = read();
    expect(after.bytesMovedUncompressed - before.bytesMovedUncompressed).toBe(SIZE * SIZE * 4 * 4);
    // Half of its blocks of eight columns are cleared. The others hold one value, which is read once for each quad.
    expect(after.bytesMoved - before.bytesMoved).toBe((SIZE * SIZE * 4 * 4) / 2 / 4);
  });
});

test('a threshold merges similar values, and no sample is off by more than it', async () => {
  device = await open({ threads: 0 });
  const texture = device.createTexture({
    label: 'lossy',
    size: [SIZE, SIZE],
    sampleCount: 4,
    format: 'rgba32float',
    usage: USAGE.STORAGE | USAGE.SAMPLED,
    colorMergeThreshold: 0.01,
  } as GPUTextureDescriptor);
  await run(
    texture,
    'for (var s = 0u; s < 4u; s++) { textureStoreSamples(t, at, 1u << s, vec4f(1 + f32(s) * 0.004, 0, 0, 1)); }'
  );
  const bytes = await samplesOf(device, texture);
  const floats = new Float32Array(bytes.buffer);
  const held = [0, 1, 2, 3].map((s) => floats[(10 * SIZE * 4 + s * SIZE + 10) * 4]!);
  held.forEach((value, s) => {
    expect(Math.abs(value - (1 + s * 0.004))).toBeLessThanOrEqual(0.01 + 1e-6);
  });
  expect(new Set(held).size).toBeLessThan(4);
  expect(device.statistics().loadStoreUnit.mergedSimilar).toBeGreaterThan(0);
});

test('with overcommit, a store that finds no memory loses the device', async () => {
  device = await open({ threads: 0, memoryBudget: 96 << 20 });
  // The needs of every pass are allocated before the surface takes the rest.
  await run(surface(device, 'rgba32float'), 'textureStoreSamples(t, at, mask, vec4f(1));');
  const size = 1024;
  const texture = device.createTexture({
    label: 'large',
    size: [size, size],
    sampleCount: 4,
    format: 'rgba32float',
    usage: USAGE.STORAGE | USAGE.SAMPLED,
    overcommit: true,
  } as GPUTextureDescriptor);
  run(
    texture,
    'for (var s = 0u; s < 4u; s++) { textureStoreSamples(t, at, 1u << s, vec4f(f32(at.x), f32(at.y), f32(s), 1)); }',
    size
  ).catch(() => undefined);
  const { message } = await device.lost;
  expect(message).toContain('large');
  expect(message).toContain('overcommit');
});
