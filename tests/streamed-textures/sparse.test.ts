// Streamed textures with so many pages that their page tables are sparse: pictures, and memory.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_TABLE_BYTES } from '../../assembly/layout/texture/texture-stream-codes';
import { budgetOf, open, picture, SETTINGS, sourceInTurns, streamed, whole, type Open, type Texels } from './kit';

const PAGE = 16;
const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 256, height: 128, layers: 66, levels: 6 };
const SIZE = 72;
expect((TEXELS.width / PAGE) * (TEXELS.height / PAGE) * TEXELS.layers * 8).toBeGreaterThan(PAGE_TABLE_BYTES);

/** How the map is read at `uv`, in `layer`. */
const READS = {
  trilinear: 'textureSampleLevel(map, linear, uv, layer, p.y / 16)',
  'one level': 'textureSampleLevel(map, linear, uv * 0.4, 7, 0)',
  nearest: 'textureSampleLevel(map, near, uv, layer, 0)',
  gather: 'textureGather(1, map, linear, uv, layer)',
  load: 'textureLoad(map, vec2u(fract(uv) * vec2f(256, 128)), layer, 0)',
};

function draw(device: GPUDevice, map: GPUTexture, read: string): Promise<Uint8Array> {
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_2d_array<f32>;
    @group(0) @binding(1) var linear: sampler;
    @group(0) @binding(2) var near: sampler;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let uv = p.xy / ${SIZE} * 1.3;
      let layer = u32(p.x / 6 + p.y) % ${TEXELS.layers};
      return ${read};
    }`,
  });
  const visibility = 2;
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility, texture: { viewDimension: '2d-array' } },
      { binding: 1, visibility, sampler: {} },
      { binding: 2, visibility, sampler: {} },
    ],
  });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: false, depthCompare: 'always' },
  });
  const repeat = { addressModeU: 'repeat', addressModeV: 'repeat' } as const;
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: map.createView({ dimension: '2d-array' }) },
      {
        binding: 1,
        resource: device.createSampler({ ...repeat, magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' }),
      },
      { binding: 2, resource: device.createSampler(repeat) },
    ],
  });
  return picture(device, SIZE, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
  });
}

const CHOSEN = ['the calling thread, interpreted', 'the scalar kernel', 'two workers, JIT'] as const;

describe.each(CHOSEN)('with %s', (name) => {
  let opened: Open;
  let all: GPUTexture;
  beforeAll(async () => {
    opened = await open(SETTINGS[name]!);
    all = whole(opened.device, TEXELS);
  });
  afterAll(() => opened.device.destroy());

  test.each(Object.entries(READS))('%s reads give the same picture as from a whole texture', async (_name, read) => {
    const { device, errors } = opened;
    const expected = await draw(device, all, read);
    expect(new Set(expected).size).toBeGreaterThan(50);
    // Two tables at once, and a budget that evicts pages from both.
    const maps = [0, 1].map(() =>
      streamed(device, TEXELS, {
        pageSize: PAGE,
        budget: budgetOf(TEXELS, PAGE, 500),
        maxConcurrentLoads: 64,
        loadPage: sourceInTurns(TEXELS, PAGE, [-1, 1, 0]),
      })
    );
    for (const map of [...maps, ...maps]) expect(Buffer.compare(await draw(device, map, read), expected)).toBe(0);
    expect(errors).toEqual([]);
    for (const map of maps) map.destroy();
  });
});

test('a texture of 65,536² texels with small pages takes less than 2 MB for 1,000 pages', async () => {
  const { device } = await open({ threads: 0 });
  const { bytesUsed } = device.statistics().memory;
  const size = { ...TEXELS, width: 65536, height: 65536, layers: 1, levels: 12 };
  const map = streamed(device, size, { pageSize: 32, loadPage: () => new Uint8Array(32 * 32 * 4) });
  for (let row = 0; row < 1000; row += 50)
    await (map as GPUTexture & { prefetch(region: object): Promise<unknown> }).prefetch({
      origin: [row * 32, row * 64],
      size: [50 * 32, 32],
    });
  const { memory, streams } = device.statistics();
  expect(streams.pagesLoaded).toBe(1001);
  expect(memory.bytesUsed - bytesUsed - streams.pageBytes).toBeLessThan(2e6);
  device.destroy();
});
