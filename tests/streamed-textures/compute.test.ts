// Dispatches that read streamed textures give bit-identical results to those with resident textures, whatever their
// shaders write before and after a read, and in whichever order pages are loaded and evicted.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import {
  immediateSource,
  budgetOf,
  counted,
  delayedSource,
  open,
  pageOf,
  pages,
  SETTINGS,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 2, levels: 8 };
const PAGE = 16;

/** What each invocation does with `id`. `sums` has 256 words, `image` has 64 × 64 texels. */
const BODIES = {
  // The value read selects the word to increment: an effect after the read that it depends on.
  histogram: `let c = textureLoad(map, vec2i(vec2u(id * 7u % 200u, id * 3u % 150u)), i32(id % 2u), 0);
    atomicAdd(&sums[u32(c.x * 255) % 256u], 1u);`,
  // An effect before the read, which must not happen twice.
  before: `atomicAdd(&sums[id % 256u], 3u);
    let c = textureSampleLevel(map, linear, vec2f(f32(id % 61u) / 61, f32(id % 47u) / 47), 1, f32(id % 5u) * 0.7);
    atomicAdd(&sums[(id + 1u) % 256u], u32(c.y * 255));`,
  // The first read decides where the second one reads; it also decides where the result is written.
  dependent: `let a = textureLoad(map, vec2i(vec2u(id % 200u, id / 200u % 150u)), 0, 0);
    let b = textureLoad(map, vec2i(a.xy * vec2f(199, 149)), 1, 0);
    textureStore(image, vec2u(id % 64u, id / 64u % 64u), b);
    atomicMax(&sums[id % 256u], u32(b.z * 255));`,
  // A loop whose end depends on the value read: on zeros it never ends.
  loop: `var left = 1 + i32(id % 9u);
    while (left > 0) {
      let c = textureLoad(map, vec2i(left * 17, i32(id % 150u)), 0, 0);
      left -= select(0, 1 + i32(c.x * 2), c.w + c.x + c.y + c.z > 0);
      atomicAdd(&sums[u32(left + 40) % 256u], 1u);
    }`,
  // Through workgroup memory, across barriers.
  shared: `shared_words[local] = u32(textureLoad(map, vec2i(vec2u(id % 200u, 77u)), 0, 0).x * 255);
    workgroupBarrier();
    let other = shared_words[(local + 5u) % 32u];
    let c = textureLoad(map, vec2i(vec2u(other % 200u, other % 150u)), 1, 0);
    workgroupBarrier();
    atomicAdd(&sums[other % 256u], u32(c.x * 255));`,
  // All invocations read the same texel.
  uniform: 'atomicAdd(&sums[id % 256u], u32(textureLoad(map, vec2i(100, 101), 1, 0).y * 255));',
} as const;
type Body = keyof typeof BODIES;

/** Whatever a body does not use is named in unreachable code, so that all pipelines have the same layout. */
const code = (body: Body): string => `
  @group(0) @binding(0) var map: texture_2d_array<f32>;
  @group(0) @binding(1) var linear: sampler;
  @group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, 256>;
  @group(0) @binding(3) var image: texture_storage_2d<rgba8unorm, write>;
  var<workgroup> shared_words: array<u32, 32>;
  @compute @workgroup_size(32) fn main(
    @builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) local: u32
  ) {
    let id = at.x;
    if (false) { textureStore(image, vec2u(), vec4f(f32(shared_words[0]))); }
    if (false) { atomicAdd(&sums[0], u32(textureSampleLevel(map, linear, vec2f(), 0, 0).x)); }
    ${BODIES[body]}
  }`;

/** Returns the contents of the buffer and the image after two dispatches. */
async function run(device: StatisticsDevice, map: GPUTexture, body: Body, groups: number): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: code(body) });
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.COMPUTE, texture: { viewDimension: '2d-array' } },
      { binding: 1, visibility: GPUShaderStage.COMPUTE, sampler: {} },
      { binding: 2, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } },
      { binding: 3, visibility: GPUShaderStage.COMPUTE, storageTexture: { format: 'rgba8unorm' } },
    ],
  });
  const pipeline = device.createComputePipeline({
    label: 'sums',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module },
  });
  const sums = device.createBuffer({ size: 1024, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const read = device.createBuffer({ size: 17408, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const image = device.createTexture({
    size: [64, 64],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass({ label: 'sum' });
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: map.createView({ dimension: '2d-array' }) },
        {
          binding: 1,
          resource: device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }),
        },
        { binding: 2, resource: { buffer: sums } },
        { binding: 3, resource: image.createView() },
      ],
    })
  );
  pass.dispatchWorkgroups(groups);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(sums, 0, read, 0, 1024);
  encoder.copyTextureToBuffer({ texture: image }, { buffer: read, offset: 1024, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return new Uint8Array(read.getMappedRange()).slice();
}

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test.each(Object.keys(BODIES) as Body[])(
    'what "%s" writes does not depend on residency',
    async (body) => {
      const { device } = opened;
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            // Loops that never end on zeros keep the scalar kernel busy for long.
            groups: fc.integer({ min: 1, max: body === 'loop' ? 5 : 60 }),
            from: pages(),
          }),
          async ({ groups, from }) => {
            const all = whole(device, TEXELS);
            const expected = await run(device, all, body, groups);
            const found = await streaming(opened, TEXELS, PAGE, from, (map) => run(device, map, body, groups));
            expect(Buffer.compare(found, expected)).toBe(0);
            all.destroy();
          }
        ),
        { numRuns: rounds(2) }
      );
      expect(device.statistics().streams.waiting).toBe(0);
    },
    60_000
  );

  test('counters equal those of a resident texture', async () => {
    const { device } = opened;
    const count = (map: GPUTexture): ReturnType<typeof counted> =>
      counted(device, () => run(device, map, 'before', 40));
    const plain = await count(whole(device, TEXELS));
    const { parked } = device.statistics().streams;
    const map = streamed(device, TEXELS, { loadPage: delayedSource(TEXELS, PAGE, [1]), pageSize: PAGE });
    expect(await count(map)).toEqual(plain);
    expect(device.statistics().streams.parked).toBeGreaterThan(parked);
  }, 30_000);
});

describe('pages that are not delivered', () => {
  let opened: Open | null = null;
  afterEach(() => {
    opened?.device.destroy();
  });

  test('fail the dispatch, which keeps previous contents, and the device continues', async () => {
    opened = await open({ threads: 0 });
    const { device, errors } = opened;
    const before = device.statistics().memory.bytesUsed;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      loadPage: (level, x, y, layer) => {
        if (level === 0) throw new Error('the disk is gone');
        return pageOf(TEXELS, PAGE, level, x, y, layer);
      },
    });
    expect((await run(device, map, 'histogram', 9)).every((byte) => byte === 0)).toBe(true);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      new RegExp(
        /^dispatch 0 with pipeline "sums" in compute pass "sum" failed: \[Texture "map"\]: page \(\d+, /.source
          + /\d+\) of level 0, layer \d could not be loaded: the disk is gone/.source
      )
    );
    map.destroy();
    await device.queue.onSubmittedWorkDone();
    expect(device.statistics().streams).toMatchObject({ waiting: 0, pageBytes: 0 });
    const again = await run(device, whole(device, TEXELS), 'histogram', 9);
    expect(again.some((byte) => byte !== 0)).toBe(true);
    expect(device.statistics().memory.bytesUsed).toBeGreaterThanOrEqual(before);
  }, 30_000);

  test('are an error that states the required budget if one workgroup does not fit', async () => {
    opened = await open({ threads: 0 });
    const { device, errors } = opened;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      budget: budgetOf(TEXELS, PAGE, 1),
      loadPage: immediateSource(TEXELS, PAGE),
    });
    await run(device, map, 'dependent', 3);
    expect(errors[0]).toMatch(/one workgroup reads \d+ bytes of pages, but stream.budget has only \d+ bytes/);
  }, 30_000);
});
