// Warps filled across draw calls: draw calls with the same pipeline and bind groups are shaded together, whatever
// buffers and ranges they draw.
import { expect, test } from 'vitest';
import type { StatisticsDevice } from '../../../src/index';
import { openBuiltWith } from '../../images/open';
import { BUFFER, TEXTURE } from '../../images/scenes/kit';
import { GPUMapMode } from '../../support/flags';

const SIZE = 64;
const ROW_BYTES = 256;
const DRAWS = 64;

/**
 * Each draw call covers one pixel in every other column and row. `groupOf`: its bind group; the two groups add 0 and
 * 128 to blue.
 */
async function drawPixels(groupOf: (draw: number) => number): Promise<{ warps: number; pixels: Uint8Array }> {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const module = device.createShaderModule({
    code: `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec2f };
    @group(0) @binding(0) var<uniform> blue: vec4f;
    @vertex fn vs(@location(0) p: vec2f, @location(1) c: vec2f) -> V { return V(vec4f(p, 0, 1), c); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, blue.x, 1); }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 16,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x2' },
            { shaderLocation: 1, offset: 8, format: 'float32x2' },
          ],
        },
      ],
    },
  });
  const groups = [0, 128 / 255].map((value) => {
    const buffer = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
    device.queue.writeBuffer(buffer, 0, new Float32Array([value, 0, 0, 0]));
    return device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer } }],
    });
  });
  const vertices = new Float32Array(DRAWS * 12);
  for (let i = 0; i < DRAWS; i++)
    [
      [0, 0],
      [2, 0],
      [0, 2],
    ].forEach(([dx, dy], corner) => {
      // Half a pixel more than the center of pixel (2·(i mod 8), 2·(i div 8)).
      const [x, y] = [(i % 8) * 2 + dx! * 0.75, Math.floor(i / 8) * 2 + dy! * 0.75];
      vertices.set([(x / SIZE) * 2 - 1, 1 - (y / SIZE) * 2, i / 255, (255 - i) / 255], (i * 3 + corner) * 4);
    });
  const buffer = device.createBuffer({ size: vertices.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, vertices);
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const readback = device.createBuffer({ size: ROW_BYTES * SIZE, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  for (let i = 0; i < DRAWS; i++) {
    pass.setBindGroup(0, groups[groupOf(i)]!);
    pass.setVertexBuffer(0, buffer, i * 48);
    pass.draw(3);
  }
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer: readback, bytesPerRow: ROW_BYTES }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(readback.getMappedRange()).slice();
  const { fragmentWarps } = device.statistics().counters;
  device.destroy();
  return { warps: fragmentWarps, pixels };
}

test.each([
  ['one bind group', () => 0, 1],
  ['two bind groups by turns', (i: number) => i & 1, 2],
  ['two bind groups, one after the other', (i: number) => i >> 5, 2],
] as const)('64 draw calls of a pixel each, %s', async (_, groupOf, warps) => {
  const { warps: shaded, pixels } = await drawPixels(groupOf);
  for (let i = 0; i < DRAWS; i++) {
    const at = Math.floor(i / 8) * 2 * ROW_BYTES + (i % 8) * 8;
    expect([...pixels.subarray(at, at + 4)], `draw ${i}`).toEqual([i, 255 - i, groupOf(i) * 128, 255]);
  }
  // Alternating bind groups are set for each draw call: only consecutive draw calls are recognized as equal.
  if (warps === 2 && groupOf(1) === 1) expect(shaded).toBeGreaterThan(2);
  else expect(shaded).toBe(warps);
});
