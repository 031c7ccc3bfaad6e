// Pictures with more than eight bits per channel: colours with 16, or linear light.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { LIGHT_FORMAT, memo } from './pipelines';
import { submitAndRead } from './readback';
import { drawPicture, type PictureOptions } from './render';
import type { GpuScene } from './upload';

const { GPUTextureUsage } = globals;

const CODES_FORMAT = 'rgba16uint';
const PIPELINES = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();

/** Removes the premultiplication by alpha, and encodes linear colours as sRGB. */
const ENCODE = `
@group(0) @binding(0) var picture: texture_2d<f32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i << 1, i) & vec2u(2)) * 2 - 1, 0, 1);
}
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4u {
  let color = textureLoad(picture, vec2i(at.xy), 0);
  let straight = clamp(color.rgb / max(color.a, 1e-6), vec3f(0), vec3f(1));
  let srgb = select(1.055 * pow(straight, vec3f(1 / 2.4)) - 0.055, straight * 12.92, straight <= vec3f(0.0031308));
  return vec4u(round(clamp(vec4f(srgb, color.a), vec4f(0), vec4f(1)) * 65535));
}`;

/** Draws a scene and returns its pixels: RGBA with 16 bits per channel, sRGB, with straight alpha. */
export async function renderDeep(
  device: GPUDevice,
  scene: GpuScene,
  options: PictureOptions
): Promise<Uint16Array<ArrayBuffer>> {
  const bytes = await drawPicture(device, scene, { ...options, format: LIGHT_FORMAT }, async (encoder, picture) => {
    const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
    const codes = device.createTexture({
      label: 'codes',
      size: [options.width, options.height],
      format: CODES_FORMAT,
      usage: RENDER_ATTACHMENT | COPY_SRC,
    });
    const pass = encoder.beginRenderPass({
      label: 'codes',
      colorAttachments: [{ view: codes.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    const pipeline = encodePipeline(device);
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: picture.createView() }],
      })
    );
    pass.draw(3);
    pass.end();
    const texels = await submitAndRead(device, encoder, codes, 8);
    codes.destroy();
    return texels;
  });
  return new Uint16Array(bytes.buffer);
}

/** Draws a scene that was uploaded for light, and returns half-precision floats: RGBA, premultiplied by alpha. */
export async function renderLight(
  device: GPUDevice,
  scene: GpuScene,
  options: PictureOptions
): Promise<Uint16Array<ArrayBuffer>> {
  const bytes = await drawPicture(device, scene, { ...options, format: LIGHT_FORMAT }, (encoder, picture) =>
    submitAndRead(device, encoder, picture, 8)
  );
  return new Uint16Array(bytes.buffer);
}

function encodePipeline(device: GPUDevice): GPURenderPipeline {
  let known = PIPELINES.get(device);
  if (!known) PIPELINES.set(device, (known = new Map()));
  return memo(known, 'codes', () => {
    const module = device.createShaderModule({ label: 'codes', code: ENCODE });
    return device.createRenderPipeline({
      label: 'codes',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: CODES_FORMAT }] },
    });
  });
}
