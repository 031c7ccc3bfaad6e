import { cleared, contextOf, nextFrame, openDevice, readNumbers, type Page } from './kit';

const SHADER = `
@group(0) @binding(0) var<storage, read_write> bins: array<atomic<u32>, 64>;
@group(0) @binding(1) var<storage, read_write> nodes: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 2>;
@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0, 1);
}
// Every pixel counts itself in the bin of its light; bright ones are put on a list as well.
@fragment fn count(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let away = p.xy - vec2f(80, 70);
  let light = 1 / (1 + dot(away, away) / 2000);
  let bin = u32(light * 63.999);
  atomicAdd(&bins[bin], 1);
  atomicMax(&counts[1], bin);
  if (bin > 59) {
    let node = atomicAdd(&counts[0], 1);
    if (node < arrayLength(&nodes)) { nodes[node] = vec2u(p.xy); }
  }
  return vec4f(vec3f(light, light * light, 0.3), 1);
}
@group(0) @binding(0) var<storage> totals: array<u32, 64>;
@fragment fn bars(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let total = totals[u32(p.x - 48) / 2];
  if (f32(total) / 12 < 160 - p.y) { discard; }
  return vec4f(1, 1, 1, 1);
}`;

/**
 * Fragments write a histogram and a list, which are then drawn over the picture. Returns bins, listed pixels and the
 * brightest bin.
 */
export async function histogram(page: Page): Promise<Record<string, unknown>> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const make = (entryPoint: string): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: 'whole' },
      fragment: { module, entryPoint, targets: [{ format }] },
    });
  const count = make('count');
  const bars = make('bars');
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [bins, nodes, counts] = [256, 8 * 4096, 8].map((size) => device.createBuffer({ size, usage })) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  const counting = device.createBindGroup({
    layout: count.getBindGroupLayout(0),
    entries: [bins, nodes, counts].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const showing = device.createBindGroup({
    layout: bars.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: bins } }],
  });
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const view = context.getCurrentTexture().createView();
  encoder.clearBuffer(bins);
  const first = encoder.beginRenderPass({ colorAttachments: [cleared(view, [0, 0, 0, 1])] });
  first.setPipeline(count);
  first.setBindGroup(0, counting);
  first.draw(3);
  first.end();
  const second = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'load', storeOp: 'store' }] });
  second.setPipeline(bars);
  second.setBindGroup(0, showing);
  second.setScissorRect(48, 60, 128, 100);
  second.draw(3);
  second.end();
  device.queue.submit([encoder.finish()]);
  const [all, [listed = 0, brightest], list] = (await Promise.all(
    [bins, counts, nodes].map((buffer) => readNumbers(device, buffer))
  )) as [Uint32Array, Uint32Array, Uint32Array];
  // The order in which fragments are listed is unspecified.
  const pixels = Array.from({ length: listed }, (_, i) => list[2 * i + 1]! * 240 + list[2 * i]!).sort((a, b) => a - b);
  return {
    bins: [...all],
    listed,
    brightest,
    distinct: new Set(pixels).size,
    first: pixels[0],
    last: pixels[listed - 1],
  };
}
