// The counters of the feature "statistics", on a draw whose numbers are known.
import { expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { TEXTURE } from '../images/scenes/kit';

test('a full-screen triangle over two tiles', async () => {
  const device = await openBuiltWith(['statistics']) as StatisticsDevice;
  const module = device.createShaderModule({ code: `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1); }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }` });
  const pipeline = device.createRenderPipeline({ layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } });
  const texture = device.createTexture({ size: [128, 64], format: 'rgba8unorm', usage: TEXTURE.ATTACHMENT });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const { counters, memory } = device.statistics();
  expect(counters).toMatchObject({ passes: 1, verticesUsed: 3, verticesShaded: 3, trianglesIn: 1, trianglesBinned: 1, trianglesClipped: 0, tilesRun: 2, chunks: 1, quadsShaded: 64 * 32, lanesShaded: 128 * 64, fragmentWarps: 128 });
  expect(memory.bytesUsed).toBeGreaterThanOrEqual(128 * 64 * 4);
  expect(memory.bytesReserved).toBeGreaterThanOrEqual(memory.bytesUsed);
  device.destroy();
});
