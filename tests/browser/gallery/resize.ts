import { cleared, contextOf, nextFrame, openDevice, type Page } from './kit';

const SHADER = `
@group(0) @binding(0) var<uniform> size: vec2f;
@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0, 1);
}
// A frame of one pixel around squares of eight.
@fragment fn fragment(@builtin(position) p: vec4f) -> @location(0) vec4f {
  if (any(p.xy < vec2f(1)) || any(p.xy > size - 1)) { return vec4f(1, 0, 0, 1); }
  let square = vec2u(p.xy) / 8;
  return select(vec4f(0, 0, 0.4, 1), vec4f(1, 1, 0.6, 1), (square.x + square.y) % 2 == 1);
}`;

/** A canvas as large as its element, whose size styles change. Returns the sizes of the textures that were drawn to. */
export async function resize(page: Page, sizes: readonly (readonly [string, string])[]): Promise<string[]> {
  const canvas = page.addCanvas(1, 1);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const size = device.createBuffer({ size: 8, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: size } }],
  });
  let changed = (): void => undefined;
  const observer = new ResizeObserver((entries) => {
    for (const {
      contentBoxSize: [box],
    } of entries) {
      canvas.width = Math.max(1, Math.min(box!.inlineSize, device.limits.maxTextureDimension2D));
      canvas.height = Math.max(1, Math.min(box!.blockSize, device.limits.maxTextureDimension2D));
    }
    changed();
  });
  const drawn: string[] = [];
  for (const [width, height] of sizes) {
    const observed = new Promise<void>((done) => {
      changed = done;
    });
    canvas.style.width = width;
    canvas.style.height = height;
    if (drawn.length === 0) observer.observe(canvas);
    await observed;
    await nextFrame();
    const texture = context.getCurrentTexture();
    drawn.push(`${texture.width}x${texture.height}`);
    device.queue.writeBuffer(size, 0, new Float32Array([texture.width, texture.height]));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [cleared(texture.createView(), [0, 1, 0, 1])] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  observer.disconnect();
  return drawn;
}
