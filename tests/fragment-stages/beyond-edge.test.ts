// Helper invocations beyond the last column or row of a target. Framebuffer fetch gives them zero, not what an earlier
// pass has left in the memory of a tile. Derivatives of the fetched values reveal this.
import { describe, expect, test } from 'vitest';
import { open } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
} as const;
const VERTEX = `enable fragment_stages;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }`;

describe.each(Object.entries(engines))('%s', (_, options) => {
  test.each([
    [5, 4],
    [4, 5],
    [5, 5],
    [1, 1],
    [67, 3],
  ])('a target of %i×%i', async (width, height) => {
    const device = await open(options);
    const pipeline = (body: string): GPURenderPipeline => {
      const module = device.createShaderModule({ code: `${VERTEX}\n${body}` });
      return device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'r32float' }] },
      });
    };
    const fill = pipeline('@fragment fn fill(@color(0) below: f32) -> @location(0) f32 { return below + 1000.0; }');
    const differs = pipeline(`@fragment fn differs(@color(0) below: f32) -> @location(0) f32 {
      return abs(dpdx(below)) + 16.0 * abs(dpdy(below));
    }`);
    const texture = (w: number, h: number): GPUTexture =>
      device.createTexture({
        size: [w, h],
        format: 'r32float',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
    const encoder = device.createCommandEncoder();
    const draw = (target: GPUTexture, by: GPURenderPipeline, value: number): void => {
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [value, 0, 0, 0] },
        ],
      });
      pass.setPipeline(by);
      pass.draw(3);
      pass.end();
    };
    // Leaves large numbers everywhere in a tile.
    draw(texture(128, 64), fill, 7);
    const target = texture(width, height);
    const rowBytes = Math.ceil((width * 4) / 256) * 256;
    draw(target, differs, 3);
    const buffer = device.createBuffer({
      size: rowBytes * height,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: rowBytes }, [width, height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const found = new Float32Array(buffer.getMappedRange());
    const isBeyond = (at: number, size: number): boolean => at === size - 1 && size % 2 === 1;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        expect(found[(y * rowBytes) / 4 + x], `${x}, ${y}`).toBe(
          (isBeyond(x, width) ? 3 : 0) + (isBeyond(y, height) ? 48 : 0)
        );
    device.destroy();
  });
});
