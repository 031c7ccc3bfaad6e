// Full-screen draw calls whose pixels all have one colour: tiles become clear blocks of it, unless something else was
// drawn, or the target must keep some of its bits.
import { expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { TEXTURE } from '../images/scenes/kit';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

const SIZES = [
  [64, 64],
  [100, 72],
  [150, 77],
] as const;

interface Case {
  readonly format?: GPUTextureFormat;
  readonly writeMask?: number;
  readonly blend?: GPUBlendState;
  /** Corners in clip space; by default, those of a triangle that covers everything. */
  readonly corners?: string;
  readonly colour?: string;
}

const EVERYTHING = 'vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3)';
const HALF = 'vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1)';

/** Draws the cases over the clear value 0.25 in one pass; returns the texels as hexadecimal words. */
async function drawn(
  simd: boolean,
  [width, height]: readonly [number, number],
  cases: readonly Case[]
): Promise<string[]> {
  const adapter = await create(forCreate({ threads: 0, simd })).requestAdapter();
  const device = await adapter!.requestDevice();
  const format = cases[0]!.format ?? 'rgba8unorm';
  const texture = device.createTexture({ size: [width, height], format, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      { view: texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.25, 0.25, 0.25, 0.25] },
    ],
  });
  for (const { writeMask = 15, blend, corners = EVERYTHING, colour = '0.5, 1, 0.125, 0.5' } of cases) {
    const module = device.createShaderModule({
      code: `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        var at = array(${corners});
        return vec4f(at[i], 0.5, 1);
      }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(${colour}); }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format, writeMask, ...(blend && { blend }) }] },
    });
    pass.setPipeline(pipeline);
    pass.draw(3);
  }
  pass.end();
  const bytes = format === 'rgba16float' ? 8 : 4;
  const bytesPerRow = Math.ceil((width * bytes) / 256) * 256;
  const buffer = device.createBuffer({
    size: bytesPerRow * height,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const all = Buffer.from(buffer.getMappedRange());
  const texels: string[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      texels.push(all.subarray(y * bytesPerRow + x * bytes, y * bytesPerRow + (x + 1) * bytes).toString('hex'));
  device.destroy();
  return texels;
}

test.each(SIZES)('one colour fills %d×%d pixels', async (...size) => {
  expect(new Set(await drawn(true, size, [{}]))).toEqual(new Set(['80ff2080']));
  expect(new Set(await drawn(true, size, [{ format: 'rgba16float' }]))).toEqual(new Set(['0038003c00300038']));
});

const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

test.each<[string, readonly Case[]]>([
  ['some channels', [{ writeMask: 5 }]],
  ['half of the target', [{ corners: HALF }]],
  ['blending', [{ blend: OVER }]],
  ['a smaller one over it', [{}, { corners: HALF, colour: '1, 0, 0, 1' }]],
  ['a blended one over it', [{}, { corners: HALF, colour: '1, 0, 0, 0.5', blend: OVER }]],
  ['it over a smaller one', [{ corners: HALF, colour: '1, 0, 0, 1' }, {}]],
  ['it over a blended one', [{ corners: HALF, colour: '1, 0, 0, 0.5', blend: OVER }, {}]],
])('other contents are kept: %s', async (_, cases) => {
  for (const size of SIZES) expect(await drawn(true, size, cases)).toEqual(await drawn(false, size, cases));
});
