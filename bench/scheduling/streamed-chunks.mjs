// A frame with more triangles than fit the arena, drawn in chunks. Each chunk reads pages of a streamed texture that
// load slowly. The frame consists of sheets of small triangles, one in front of another, each with a layer of the
// texture.
import { setTimeout as wait } from 'node:timers/promises';

const PAGE = 64;
const COLUMNS = 10;
const ROWS = 6;
const SHEETS = 5;
const SIDE = 160;
/** Bytes of triangles after which a chunk ends: about one sheet. */
export const ARENA_BYTES = 9 << 20;

const CODE = `
  @group(0) @binding(0) var map: texture_2d_array<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct Seen {
    @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) sheet: u32,
  }
  @vertex fn vertex(@builtin(vertex_index) i: u32, @builtin(instance_index) sheet: u32) -> Seen {
    let square = i / 6u;
    let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[i % 6u];
    let at = vec2f(f32(square % ${SIDE}u + (corner & 1u)), f32(square / ${SIDE}u + (corner >> 1u))) / ${SIDE};
    var wave = 0.0;
    for (var k = 0; k < 40; k++) { wave += sin(at.x * f32(k + 3)) * cos(at.y * f32(k) + wave); }
    return Seen(vec4f(at * 2 - 1, 0.9 - 0.1 * f32(sheet) + wave * 0.001, 1), at, sheet);
  }
  @fragment fn fragment(seen: Seen) -> @location(0) vec4f {
    return textureSampleLevel(map, linear, seen.uv, seen.sheet, 0);
  }`;

/** `frame(pageMs, outstanding)` draws with a texture without resident pages and returns the milliseconds. */
export async function streamedChunks(device) {
  const module = device.createShaderModule({ code: CODE });
  const format = 'rgba8unorm';
  const size = [COLUMNS * PAGE, ROWS * PAGE];
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
  });
  const color = device.createTexture({ format, size, usage }).createView();
  const depth = device.createTexture({ format: 'depth32float', size, usage }).createView();
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const pages = Array.from({ length: SHEETS }, (_, sheet) =>
    Uint8Array.from({ length: PAGE * PAGE * 4 }, (_, i) => (i * 7) ^ (sheet * 77))
  );
  return async (pageMs, maxConcurrentLoads) => {
    const map = device.createTexture({
      format,
      size: [...size, SHEETS],
      usage: GPUTextureUsage.TEXTURE_BINDING,
      stream: {
        pageSize: PAGE,
        maxConcurrentLoads,
        loadPage: async (level, x, y, sheet) => {
          await wait(pageMs);
          return pages[sheet];
        },
      },
    });
    const bound = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: map.createView({ dimension: '2d-array' }) },
        { binding: 1, resource: sampler },
      ],
    });
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color, loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.draw(6 * SIDE * SIDE, SHEETS);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const ms = performance.now() - began;
    map.destroy();
    return ms;
  };
}
