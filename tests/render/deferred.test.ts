// Deferred shading: counts invocations of layers that cover the target to find out which fragments are shaded once at
// the end of the tile, and which immediately.
import { expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { SIZE, TEXTURE } from '../images/scenes/kit';

const LAYERS = 5;
const body = {
  opaque: 'return vec4f(f32(n) / 8, 0, 0, 1);',
  discarding: 'if (n > 90u) { discard; } return vec4f(f32(n) / 8, 0, 0, 1);',
};

/** Returns the number of fragment invocations of layers that cover the target, back to front. */
async function invocations(blend: GPUBlendState | undefined, writeMask: number, code: string): Promise<number> {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const module = device.createShaderModule({
    code: `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      return V(vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.9 - f32(n) * 0.1, 1), n);
    }
    @fragment fn fs(@location(0) @interpolate(flat) n: u32) -> @location(0) vec4f { ${code} }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm', writeMask, ...(blend ? { blend } : {}) }] },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
  });
  const color = device.createTexture({ size: [SIZE, SIZE], format: 'rgba8unorm', usage: TEXTURE.ATTACHMENT });
  const depth = device.createTexture({ size: [SIZE, SIZE], format: 'depth32float', usage: TEXTURE.ATTACHMENT });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  });
  pass.setPipeline(pipeline);
  pass.draw(3, LAYERS);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const { lanesShaded } = device.statistics().counters;
  device.destroy();
  return lanesShaded! / (SIZE * SIZE);
}

const component = (srcFactor: GPUBlendFactor, dstFactor: GPUBlendFactor): GPUBlendComponent => ({
  srcFactor,
  dstFactor,
  operation: 'add',
});

test('opaque layers are shaded once, whatever their number', async () => {
  expect(await invocations(undefined, 15, body.opaque)).toBe(1);
});
test('a blend state that only replaces is opaque', async () => {
  expect(await invocations({ color: component('one', 'zero'), alpha: component('one', 'zero') }, 15, body.opaque)).toBe(
    1
  );
});
test('layers that blend, write some channels or discard are all shaded', async () => {
  expect(await invocations({ color: component('one', 'one'), alpha: component('one', 'zero') }, 15, body.opaque)).toBe(
    LAYERS
  );
  expect(await invocations(undefined, 7, body.opaque)).toBe(LAYERS);
  expect(await invocations(undefined, 15, body.discarding)).toBe(LAYERS);
});
