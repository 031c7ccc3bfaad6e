// Pictures of textures in any format, and how similar they are.
import { readback, TEXTURE } from '../scenes/kit.mjs';

const CODE = `
@group(0) @binding(0) var source: texture_2d<f32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4 - 1, 0, 1);
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureLoad(source, vec2u(p.xy), 0); }`;

/** Returns a texture's values from 0 to 1 as bytes: RGBA, row by row. */
export async function pictureOf(device, texture) {
  const { width, height } = texture;
  const format = 'rgba8unorm';
  const color = device.createTexture({ size: [width, height], format, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC });
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: texture.createView() }],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const pixels = await readback(device, color);
  color.destroy();
  return pixels;
}

const WITHIN = 8;

/** Returns the share of pixels whose red, green and blue are close to each other. */
export function likeness(a, b) {
  let near = 0;
  for (let i = 0; i < a.length; i += 4) if ([0, 1, 2].every((c) => Math.abs(a[i + c] - b[i + c]) <= WITHIN)) near++;
  return (near * 4) / a.length;
}

/** Whether all pixels are the same. */
export const isBlank = (pixels) => pixels.every((value, i) => value === pixels[i & 3]);
