// Passes with little work run on the calling thread, because waking workers takes longer.
import { expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { openReady } from './open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const CODE = `
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
  }
  @fragment fn flat() -> @location(0) vec4f { return vec4f(0, 1, 0, 1); }
  @fragment fn dear(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var v = p.x * 0.01;
    ${'v = sin(v) * cos(v + p.y) + exp2(v);'.repeat(20)}
    return vec4f(fract(v), 1, 0, 1);
  }
  @fragment fn around(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var v = p.x;
    for (var i = 0u; i < u32(p.y); i++) { v = v * 0.5 + 1; }
    return vec4f(v * 0, 1, 0, 1);
  }`;

const tilesOf = (device: StatisticsDevice): number =>
  device.statistics().work.reduce((sum, { tiles }) => sum + tiles, 0);

/** Returns the number of tiles that workers rendered, and the green of the last pixel. */
async function drawn(options: CreateOptions, entryPoint: string, size: number, triangles = 1): Promise<number[]> {
  const device = await openReady({ engine: 'jit', alwaysUseWorkers: false, threads: 2, ...options });
  try {
    const module = device.createShaderModule({ code: CODE });
    const format = 'rgba8unorm';
    const pipeline = await device.createRenderPipelineAsync({
      layout: 'auto',
      vertex: { module },
      fragment: { module, entryPoint, targets: [{ format }] },
    });
    const texture = device.createTexture({
      size: [size, size],
      format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const bytesPerRow = 256 * Math.ceil(size / 64);
    const out = device.createBuffer({
      size: bytesPerRow * size,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    const draw = async (): Promise<number> => {
      const encoder = device.createCommandEncoder();
      const tiles = tilesOf(device);
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.draw(3, triangles);
      pass.end();
      encoder.copyTextureToBuffer({ texture }, { buffer: out, bytesPerRow }, [size, size]);
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      return tilesOf(device) - tiles;
    };
    // A shader is compiled after its first draw call.
    for (let frame = 0; frame < 40; frame++) {
      await draw();
      if (device.statistics().programs.stages.every(({ state }) => state === 'compiled')) break;
      await new Promise((turn) => setTimeout(turn, 5));
    }
    const tiles = await draw();
    await out.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(out.getMappedRange());
    return [tiles, bytes[bytesPerRow * (size - 1) + 4 * (size - 1) + 1]!];
  } finally {
    device.destroy();
  }
}

test.each([
  ['a flat colour of 128×128 pixels', {}, 'flat', 128, 1, 0],
  ['the same, where workers do all', { alwaysUseWorkers: true }, 'flat', 128, 1, 4],
  ['long programs', {}, 'dear', 128, 1, 4],
  ['long programs of one tile', {}, 'dear', 64, 1, 0],
  ['a loop', {}, 'around', 128, 1, 4],
  ['many vertices', {}, 'flat', 128, 30, 4],
  ['triangles that may cover each other', {}, 'flat', 128, 20, 4],
  ['many pixels', {}, 'flat', 320, 1, 25],
] as const)('%s', async (_, options, entryPoint, size, triangles, tiles) => {
  expect(await drawn(options, entryPoint, size, triangles)).toEqual([tiles, 255]);
});
