// A frame whose fragments take numbers from a counter, and store under each number what they read from a streamed
// texture. The stored data reveals the order of pixels.
import { setTimeout as wait } from 'node:timers/promises';

const PAGE = 64;
const COLUMNS = 12;
const ROWS = 8;
const WIDTH = 768;
const HEIGHT = 512;
const LISTS = 64;

const CODE = `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, ${2 * LISTS}>;
  @group(0) @binding(3) var<storage, read_write> found: array<vec4f, ${WIDTH * HEIGHT}>;
  struct Seen { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> Seen {
    let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
    return Seen(vec4f(corner.x * 2 - 1, 1 - corner.y * 2, 0, 1), corner);
  }
  @fragment fn fragment(seen: Seen) -> @location(0) vec4f {
    let list = u32(seen.position.x) % ${LISTS}u;
    let number = atomicAdd(&counts[list], 1u);
    var color = textureSampleLevel(map, linear, seen.uv, 0);
    for (var i = 0; i < 24; i++) { color = fract(color * 1.7 + sin(color.yzwx)); }
    found[number * ${LISTS}u + list] = color;
    if (color.x > 0.5) { atomicAdd(&counts[${LISTS}u + list], 1u); }
    return color;
  }`;

/** `frame(pageMs, outstanding)` draws with a texture without resident pages and returns the milliseconds. */
export async function streamedWrites(device) {
  const module = device.createShaderModule({ code: CODE });
  const format = 'rgba8unorm';
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const color = device
    .createTexture({ format, size: [WIDTH, HEIGHT], usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const [counts, found] = [2 * LISTS * 4, WIDTH * HEIGHT * 16].map((size) =>
    device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST })
  );
  const page = Uint8Array.from({ length: PAGE * PAGE * 4 }, (_, i) => i * 7);
  return async (pageMs, maxConcurrentLoads) => {
    const map = device.createTexture({
      format,
      size: [COLUMNS * PAGE, ROWS * PAGE],
      usage: GPUTextureUsage.TEXTURE_BINDING,
      stream: {
        pageSize: PAGE,
        maxConcurrentLoads,
        loadPage: async () => {
          await wait(pageMs);
          return page;
        },
      },
    });
    const bound = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: map.createView() },
        { binding: 1, resource: sampler },
        { binding: 2, resource: { buffer: counts } },
        { binding: 3, resource: { buffer: found } },
      ],
    });
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(counts);
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: color, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const ms = performance.now() - began;
    map.destroy();
    return ms;
  };
}
