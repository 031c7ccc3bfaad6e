// Passes whose fragment programs read streamed textures and write to buffers and storage textures: what they draw and
// what they write is what they do where all texels are there, bit for bit, in whichever order pages come, go, and come
// again.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import {
  atOnce, counted, open, pages, picture, SETTINGS, settling, streamed, streaming, whole, type Open, type Texels,
} from './kit';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16, SIZE = 150, WORDS = 256;

/** What a fragment does, at pixel `at`, number `id` of the picture's; `sums` has 256 words, `image` 64 × 64 texels. */
const BODIES = {
  // Where a word is counted up, by what was read.
  histogram: `color = textureLoad(map, vec2i(at * 7u % vec2u(200, 150)), 0);
    atomicAdd(&sums[u32(color.x * 255) % 256u], 1u);`,
  // An effect before a read.
  before: `atomicAdd(&sums[id % 256u], 3u);
    color = textureSampleLevel(map, linear, corner.uv * 1.3, corner.uv.x * 2);
    atomicMax(&sums[(id + 1u) % 256u], u32(color.y * 255));`,
  // What an effect gives decides what is read: tiles come in order.
  order: `let before = atomicAdd(&sums[id % 7u], 1u);
    color = textureLoad(map, vec2u(before * 37u % 200u, before * 11u % 150u), 0);
    atomicXor(&sums[before % 256u], u32(color.z * 255));`,
  // What the pixel's own texel holds, of several triangles one upon the other.
  image: `let old = textureLoad(image, at % 64u);
    color = textureSampleLevel(map, linear, vec2f(f32(old.x % 61u) / 61, corner.uv.y), 0);
    textureStore(image, at % 64u, vec4u(old.x * 3u + u32(color.x * 255), 0, 0, 0));`,
  // A loop whose end is what is read: on zeros it has none.
  loop: `var left = 1 + i32(id % 5u);
    while (left > 0) {
      color = textureLoad(map, vec2i(left * 17, i32(id % 150u)), 0);
      left -= select(0, 1 + i32(color.x * 2), color.w + color.x + color.y + color.z > 0);
      atomicAdd(&sums[u32(left + 40) % 256u], 1u);
    }`,
} as const;
type Body = keyof typeof BODIES;

const code = (body: Body): string => `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  @group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, ${WORDS}>;
  @group(0) @binding(3) var image: texture_storage_2d<r32uint, read_write>;
  struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
    let quad = f32(i / 3u);
    let corner = vec2f(f32((i % 3u) & 1u), f32((i % 3u) >> 1u));
    return Corner(vec4f(corner * 2.2 - 0.9 + quad * 0.05, 0.9 - quad * 0.1, 1), corner);
  }
  @fragment fn fs(corner: Corner) -> @location(0) vec4f {
    let at = vec2u(corner.position.xy);
    let id = at.y * ${SIZE}u + at.x;
    var color = vec4f();
    ${BODIES[body]}
    return color;
  }`;

/** The picture, and behind it what the buffer and the image hold. */
async function draw(
  device: StatisticsDevice, map: GPUTexture, body: Body, triangles: number
): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: code(body) }), format = 'rgba8unorm';
  const layout = device.createBindGroupLayout({ entries: [
    { binding: 0, visibility: 2, texture: {} }, { binding: 1, visibility: 2, sampler: {} },
    { binding: 2, visibility: 2, buffer: { type: 'storage' } },
    { binding: 3, visibility: 2, storageTexture: { format: 'r32uint', access: 'read-write' } },
  ] });
  const pipeline = device.createRenderPipeline({
    label: 'marks', layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }), vertex: { module },
    fragment: { module, targets: [{
      format, blend: { color: { srcFactor: 'one', dstFactor: 'src-alpha' }, alpha: {} },
    }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: false, depthCompare: 'always' },
  });
  const sums = device.createBuffer({ size: WORDS * 4, usage: 128 | 4 });
  const image = device.createTexture({ size: [64, 64], format: 'r32uint', usage: 8 | 1 });
  const group = device.createBindGroup({ layout, entries: [
    { binding: 0, resource: map.createView() },
    { binding: 1, resource: device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }) },
    { binding: 2, resource: { buffer: sums } }, { binding: 3, resource: image.createView() },
  ] });
  const drawn = await picture(device, SIZE, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3 * triangles);
    pass.draw(3);
  });
  const read = device.createBuffer({ size: WORDS * 4 + 64 * 256, usage: 9 }), encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(sums, 0, read, 0, WORDS * 4);
  encoder.copyTextureToBuffer({ texture: image }, { buffer: read, offset: WORDS * 4, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(1);
  const written = new Uint8Array(read.getMappedRange()).slice();
  for (const resource of [sums, image, read]) resource.destroy();
  return Buffer.concat([drawn, written]);
}

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => { opened = await open(options); });
  afterAll(() => opened.device.destroy());

  test.each(Object.keys(BODIES) as Body[])('what "%s" draws and writes does not depend on what is there', async (body) => {
    const { device } = opened, all = whole(device, TEXELS);
    await fc.assert(fc.asyncProperty(fc.record({
      triangles: fc.integer({ min: 1, max: 4 }), isBest: fc.boolean(), from: pages(),
    }), async ({ triangles, isBest, from }) => {
      const find = isBest ? settling : streaming, expected = await draw(device, all, body, triangles);
      const found = await find(opened, TEXELS, PAGE, from, (map) => draw(device, map, body, triangles));
      expect(Buffer.compare(found, expected)).toBe(0);
    }), { numRuns: body === 'loop' ? 2 : 5 });
    all.destroy();
  }, 120_000);
});

test('of a texture all of whose pages have come, what is drawn and written is the same', async () => {
  const texels: Texels = { ...TEXELS, width: 20, height: 20, levels: 2 };
  const { device, errors } = await open({ threads: 2 });
  const expected = await draw(device, whole(device, texels), 'histogram', 3);
  const map = streamed(device, texels, { pageSize: PAGE, loadPage: atOnce(texels, PAGE) });
  for (let frame = 0; frame < 3; frame++)
    expect(Buffer.compare(await draw(device, map, 'histogram', 3), expected)).toBe(0);
  expect(device.statistics().streams.pagesLoaded).toBe(5);
  expect(errors).toEqual([]);
  device.destroy();
});

test('what is thrown away is not counted', async () => {
  const { device, errors } = await open({ threads: 2, engine: 'interpreter' });
  const count = (map: GPUTexture): ReturnType<typeof counted> => counted(device, () => draw(device, map, 'before', 3));
  const expected = await count(whole(device, TEXELS));
  expect(expected['lanesShaded']).toBeGreaterThan(SIZE * SIZE);
  expect(expected['fragment fs']).toBe(expected['fragmentWarps']);
  const found = await count(streamed(device, TEXELS, { pageSize: PAGE, loadPage: atOnce(TEXELS, PAGE) }));
  expect(found['tilesAgain']).toBeGreaterThan(0);
  expect({ ...found, tilesAgain: 0 }).toEqual(expected);
  expect(errors).toEqual([]);
  device.destroy();
});
