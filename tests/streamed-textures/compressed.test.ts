// Streamed textures in compressed formats, whose pages are delivered as blocks.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TextureStream } from '../../src/index';
import { formatInfo } from '../../src/surface';
import { open, picture, turn, USAGE, type Open } from './kit';

const FEATURES = [
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-etc2',
  'texture-compression-astc',
] as GPUFeatureName[];
const FORMATS: GPUTextureFormat[] = [
  'bc1-rgba-unorm-srgb',
  'bc4-r-snorm',
  'bc5-rg-unorm',
  'bc6h-rgb-ufloat',
  'bc7-rgba-unorm',
  'etc2-rgb8unorm',
  'eac-r11unorm',
  'astc-4x4-unorm',
  'astc-6x5-unorm-srgb',
  'astc-8x8-unorm',
  'astc-12x12-unorm',
];
const PAGE = 16;
/** A multiple of all block sizes. */
const SIZE = [240, 120] as const;
const LEVELS = 4;
const PIXELS = 96;

let opened: Open;
beforeAll(async () => {
  opened = await open({ threads: 2 }, FEATURES);
});
afterAll(() => opened.device.destroy());

type Vectors = Record<string, [string, string][]>;
const vectors = JSON.parse(readFileSync(new URL('../blocks/vectors.json', import.meta.url), 'utf8')) as Vectors;

/** The blocks of a level and layer: random ones, or for ASTC valid ones in an order that tells places apart. */
function blocksOf(format: GPUTextureFormat, level: number, layer: number) {
  const { width, height, bytes } = formatInfo(format)!.block!;
  const columns = Math.ceil(Math.max(1, SIZE[0] >> level) / width);
  const rows = Math.ceil(Math.max(1, SIZE[1] >> level) / height);
  const blocks = new Uint8Array(columns * rows * bytes);
  const valid = vectors[format] ?? vectors[`${format.replace('-srgb', '')}-srgb`] ?? vectors['astc-6x5-unorm'];
  let state = level * 31 + layer * 7 + 1;
  for (let at = 0; at < blocks.length; at += bytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    if (format.startsWith('astc')) blocks.set(Buffer.from(valid![(state >>> 8) % valid!.length]![0], 'hex'), at);
    else for (let i = 0; i < bytes; i++) blocks[at + i] = Math.imul(state, 2 * i + 3) >>> 21;
  }
  return { columns, rows, blocks };
}

/** The part of a level's blocks that a page needs. */
function pageOf(format: GPUTextureFormat, level: number, x: number, y: number, layer: number): Uint8Array {
  const { width, height, bytes } = formatInfo(format)!.block!;
  const all = blocksOf(format, level, layer);
  const right = Math.min(SIZE[0] >> level, (x + 1) * PAGE);
  const bottom = Math.min(SIZE[1] >> level, (y + 1) * PAGE);
  const first = Math.floor((x * PAGE) / width);
  const end = Math.ceil(right / width);
  const lines: Uint8Array[] = [];
  for (let row = Math.floor((y * PAGE) / height); row < Math.ceil(bottom / height); row++)
    lines.push(all.blocks.subarray((row * all.columns + first) * bytes, (row * all.columns + end) * bytes));
  return Buffer.concat(lines);
}

interface Shape {
  readonly format: GPUTextureFormat;
  readonly layers: number;
}

function whole({ format, layers }: Shape): GPUTexture {
  const { device } = opened;
  const { width, height, bytes } = formatInfo(format)!.block!;
  const texture = device.createTexture({
    format,
    size: [...SIZE, layers],
    mipLevelCount: LEVELS,
    usage: USAGE.COPY_DST | USAGE.SAMPLED,
  });
  for (let mipLevel = 0; mipLevel < LEVELS; mipLevel++)
    for (let layer = 0; layer < layers; layer++) {
      const { columns, rows, blocks } = blocksOf(format, mipLevel, layer);
      device.queue.writeTexture(
        { texture, mipLevel, origin: [0, 0, layer] },
        blocks,
        { bytesPerRow: columns * bytes, rowsPerImage: rows },
        [columns * width, rows * height, 1]
      );
    }
  return texture;
}

function streamed({ format, layers }: Shape, stream: Partial<TextureStream> = {}): GPUTexture {
  return opened.device.createTexture({
    label: 'map',
    format,
    size: [...SIZE, layers],
    mipLevelCount: LEVELS,
    usage: USAGE.SAMPLED,
    stream: {
      pageSize: PAGE,
      loadPage: async (level, x, y, layer) => {
        await turn();
        return pageOf(format, level, x, y, layer);
      },
      ...stream,
    },
  } as GPUTextureDescriptor);
}

/** Shows all levels, filtered and not, and moves through the layers. */
function draw(map: GPUTexture, { layers }: Shape): Promise<Uint8Array> {
  const { device } = opened;
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_2d_array<f32>;
    @group(0) @binding(1) var linear: sampler;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let uv = p.xy / ${PIXELS};
      let layer = u32(p.x / 8) % ${layers};
      let level = f32(u32(p.y) % 16) / 5;
      let size = textureDimensions(map, u32(level));
      let one = textureLoad(map, vec2u(uv * vec2f(size)), layer, u32(level));
      return fract(abs(textureSampleLevel(map, linear, uv, layer, level) * 0.5 + one * 0.5));
    }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: false, depthCompare: 'always' },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView({ dimension: '2d-array' }) },
      {
        binding: 1,
        resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' }),
      },
    ],
  });
  return picture(device, PIXELS, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
  });
}

test.each(FORMATS.map((format, i) => ({ format, layers: 1 + (i % 2) })))(
  'a streamed texture of $format gives the same picture as a whole one',
  async (shape) => {
    const all = whole(shape);
    const map = streamed(shape);
    const expected = await draw(all, shape);
    expect(new Set(expected).size).toBeGreaterThan(20);
    expect(Buffer.compare(await draw(map, shape), expected)).toBe(0);
    expect(opened.errors).toEqual([]);
    for (const texture of [all, map]) texture.destroy();
  }
);

test.each([
  ['bc1-rgba-unorm', 'loadPage returned 120 bytes, but 4×4 blocks of bc1-rgba-unorm are 128 bytes'],
  ['astc-6x5-unorm', 'loadPage returned 120 bytes, but 3×4 blocks of astc-6x5-unorm are 192 bytes'],
] as const)('a page of %s with a wrong number of blocks is named', async (format, message) => {
  const shape = { format, layers: 1 };
  const map = streamed(shape, {
    loadPage: (level, x, y, layer) =>
      level === 0 && x === 0 && y === 0 ? new Uint8Array(120) : pageOf(format, level, x, y, layer),
  });
  await draw(map, shape);
  expect(opened.errors.splice(0)).toEqual([
    expect.stringContaining(`[Texture "map"]: page (0, 0) of level 0 could not be loaded: ${message}`),
  ]);
  map.destroy();
});

test('a budget too small for all pages evicts decoded pages', async () => {
  const shape = { format: 'bc7-rgba-unorm', layers: 1 } as const;
  const map = streamed(shape, { budget: 40 * (PAGE * PAGE * 4 + 32) });
  const before = opened.device.statistics().streams.pagesEvicted;
  const all = whole(shape);
  expect(Buffer.compare(await draw(map, shape), await draw(all, shape))).toBe(0);
  expect(opened.device.statistics().streams.pagesEvicted).toBeGreaterThan(before);
  for (const texture of [all, map]) texture.destroy();
});
