// Full-screen draw calls that blend streamed texels: each pixel is blended once, even if only some quads of a block
// miss pages. The bits are those of resident textures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GPUBufferUsage } from '../support/flags';
import { firstDifference } from '../support/first-difference';
import {
  immediateSource,
  open,
  picture,
  SETTINGS,
  sourceInTurns,
  streamed,
  whole,
  type Open,
  type Texels,
} from './kit';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 1 };
/** The quads of a block read several pages. */
const PAGE = 16;
const SIZE = 96;

/** Fragment shaders: with their results alone, with discarded pixels, and with a branch around the read. */
const BODIES = {
  plain: 'return textureLoad(map, at * 3u % vec2u(200, 150), 0);',
  discards: 'let color = textureLoad(map, at * 3u % vec2u(200, 150), 0); if (color.x > 0.6) { discard; } return color;',
  branches:
    'var color = vec4f(0.25); '
    + 'if (at.x % 3u != 0u) { color = textureLoad(map, at.yx * 5u % vec2u(200, 150), 0); } return color;',
  writes:
    'let color = textureLoad(map, at * 3u % vec2u(200, 150), 0); '
    + `seen[at.x + ${SIZE}u * at.y] += 1u; return color;`,
} as const;
const OVER = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' } as const;
const ADDS = { srcFactor: 'one', dstFactor: 'one' } as const;

function draw(
  device: GPUDevice,
  map: GPUTexture,
  body: string,
  blend: GPUBlendComponent,
  count: number
): Promise<Uint8Array> {
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var map: texture_2d<f32>;
      @group(0) @binding(1) var<storage, read_write> seen: array<u32, ${SIZE * SIZE}>;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
      }
      fn shade(at: vec2u) -> vec4f { ${body} }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return shade(vec2u(p.xy)) * 0.5 + 0.1; }`,
  });
  const seen = device.createBuffer({ size: 4 * SIZE * SIZE, usage: GPUBufferUsage.STORAGE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm', blend: { color: blend, alpha: blend } }] },
    depthStencil: { format: 'depth24plus', depthCompare: 'always', depthWriteEnabled: false },
    multisample: { count },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView() },
      ...(body.includes('seen') ? [{ binding: 1, resource: seen }] : []),
    ],
  });
  return picture(
    device,
    SIZE,
    (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      for (let i = 0; i < 3; i++) pass.draw(3);
    },
    count
  );
}

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test.each(Object.entries(BODIES))('blends each pixel once: %s', async (_name, body) => {
    const { device, errors } = opened;
    const all = whole(device, TEXELS);
    for (const blend of [OVER, ADDS])
      for (const samples of [1, 4]) {
        const wanted = await draw(device, all, body, blend, samples);
        for (const loadPage of [immediateSource(TEXELS, PAGE), sourceInTurns(TEXELS, PAGE, [0, 3, 1])]) {
          const map = streamed(device, TEXELS, { pageSize: PAGE, maxConcurrentLoads: 5, loadPage });
          const found = await draw(device, map, body, blend, samples);
          map.destroy();
          expect(errors).toEqual([]);
          expect(firstDifference(wanted, found)).toBe(-1);
        }
      }
    all.destroy();
  });
});
