import { cleared, contextOf, nextFrame, openDevice, type Page } from './kit';

const HALVE = `
@group(0) @binding(0) var larger: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
@vertex fn vertex(@builtin(vertex_index) i: u32) -> Corner {
  let uv = vec2f(f32(i & 1), f32(i >> 1)) * 2;
  return Corner(vec4f(uv.x * 2 - 1, 1 - uv.y * 2, 0, 1), uv);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f { return textureSample(larger, smooth_sampler, in.uv); }`;
// A floor that extends far, so that every level is read, below an upright picture.
const FLOOR = `
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
  let at = vec2f(f32(v & 1), f32(v >> 1));
  if (i == 1) { return Corner(vec4f(at * vec2f(0.8, 0.9) - vec2f(0.4, 0), 0, 1), vec2f(at.x, 1 - at.y)); }
  let depth = mix(1, 30, at.y);
  return Corner(vec4f((at.x * 2 - 1) * 12, -1, 0.5 * depth, depth), vec2f(at.x * 12, depth));
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f { return textureSample(picture, smooth_sampler, in.uv); }`;

/** Draws each level from the previous one. */
function makeLevels(device: GPUDevice, texture: GPUTexture): void {
  const module = device.createShaderModule({ code: HALVE });
  const encoder = device.createCommandEncoder();
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: texture.format }] },
  });
  const sampler = device.createSampler({ minFilter: 'linear' });
  for (let level = 1; level < texture.mipLevelCount; level++) {
    const view = (baseMipLevel: number): GPUTextureView => texture.createView({ baseMipLevel, mipLevelCount: 1 });
    const pass = encoder.beginRenderPass({ colorAttachments: [cleared(view(level), [0, 0, 0, 0])] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: view(level - 1) },
          { binding: 1, resource: sampler },
        ],
      })
    );
    pass.draw(3);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
}

/** A PNG is fetched, decoded, copied to a texture, and downsampled by draw calls. */
export async function imageImport(page: Page): Promise<readonly number[]> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const image = await createImageBitmap(await (await fetch(page.picture)).blob());
  const { width, height } = image;
  const texture = device.createTexture({
    size: [width, height],
    format: 'rgba8unorm-srgb',
    mipLevelCount: 32 - Math.clz32(Math.max(width, height)),
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  device.queue.copyExternalImageToTexture({ source: image }, { texture }, [width, height]);
  makeLevels(device, texture);
  const module = device.createShaderModule({ code: FLOOR });
  const viewFormat = `${format}-srgb` as GPUTextureFormat;
  context.configure({ device, format, viewFormats: [viewFormat] });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: viewFormat }] },
    primitive: { topology: 'triangle-strip' },
  });
  const sampler = device.createSampler({
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: texture.createView() },
      { binding: 1, resource: sampler },
    ],
  });
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [cleared(context.getCurrentTexture().createView({ format: viewFormat }), [0.2, 0.3, 0.6, 1])],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(4, 2);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return [width, height, texture.mipLevelCount];
}
