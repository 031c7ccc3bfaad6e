// A scene to pixels: one render pass and the way back into memory. Works on any WebGPU device.
/// <reference types="@webgpu/types" />
import { globals, type StatisticsRenderPassDescriptor } from '../index';
import { LINEAR16, unpremultiply } from './colour';
import { COLOR_FORMAT, DEPTH_FORMAT } from './pipelines';
import type { SampleCount } from './sample-count';
import type { GpuScene } from './upload';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;

export interface PictureOptions {
  /** Pixels. */
  width: number;
  height: number;
  samples: SampleCount;
  /** sRGB and alpha, 0…255 each. */
  background: readonly [r: number, g: number, b: number, a: number];
}

/** Draws a scene and gives its pixels: RGBA rows from the top, sRGB, alpha not multiplied in. */
export async function renderPicture(device: GPUDevice, scene: GpuScene, options: PictureOptions): Promise<Uint8Array> {
  const targets = makeTargets(device, options);
  const encoder = device.createCommandEncoder({ label: 'picture' });
  encodeScene(encoder, scene, { label: 'picture', ...attachments(targets, options.background) });
  const pixels = await submitAndRead(device, encoder, targets.picture);
  for (const texture of Object.values(targets)) texture.destroy();
  unpremultiply(pixels);
  return pixels;
}

/**
 * Draws a scene and gives how many fragment invocations ran for each pixel, in rows from the top. The device has Rasterloom's feature
 * "statistics".
 */
export async function countInvocations(device: GPUDevice, scene: GpuScene, options: PictureOptions): Promise<Uint32Array> {
  const targets = makeTargets(device, options);
  const counts = device.createTexture({ label: 'invocations', size: [options.width, options.height], format: 'r32uint', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
  const encoder = device.createCommandEncoder({ label: 'invocations' });
  const pass: StatisticsRenderPassDescriptor = { label: 'invocations', ...attachments(targets, options.background), invocationCounts: counts.createView() };
  encodeScene(encoder, scene, pass);
  const bytes = await submitAndRead(device, encoder, counts);
  for (const texture of [...Object.values(targets), counts]) texture.destroy();
  return new Uint32Array(bytes.buffer);
}

interface Targets { readonly picture: GPUTexture; readonly color: GPUTexture; readonly depth: GPUTexture }

/** Without multisampling, `color` is the picture. */
function makeTargets(device: GPUDevice, { width, height, samples }: PictureOptions): Targets {
  const target = (label: string, format: GPUTextureFormat, sampleCount: number, usage = 0): GPUTexture =>
    device.createTexture({ label, size: [width, height], format, sampleCount, usage: GPUTextureUsage.RENDER_ATTACHMENT | usage });
  const picture = target('picture', COLOR_FORMAT, 1, GPUTextureUsage.COPY_SRC);
  return { picture, color: samples > 1 ? target('samples', COLOR_FORMAT, samples) : picture, depth: target('depth', DEPTH_FORMAT, samples) };
}

function attachments({ picture, color, depth }: Targets, background: PictureOptions['background']): GPURenderPassDescriptor {
  const resolved = color !== picture;
  return {
    colorAttachments: [{
      view: color.createView(),
      ...(resolved ? { resolveTarget: picture.createView() } : {}),
      loadOp: 'clear', storeOp: resolved ? 'discard' : 'store', clearValue: clearColor(background),
    }],
    depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
  };
}

function encodeScene(encoder: GPUCommandEncoder, scene: GpuScene, descriptor: GPURenderPassDescriptor): void {
  const pass = encoder.beginRenderPass(descriptor);
  pass.setBindGroup(0, scene.frameGroup);
  let pipeline: GPURenderPipeline | undefined;
  for (const draw of scene.draws) {
    if (draw.pipeline !== pipeline) pass.setPipeline((pipeline = draw.pipeline));
    pass.setBindGroup(1, draw.drawGroup);
    pass.setBindGroup(2, draw.materialGroup);
    pass.setVertexBuffer(0, draw.vertices);
    pass.setIndexBuffer(draw.indices, 'uint32');
    pass.drawIndexed(draw.indexCount);
  }
  pass.end();
}

/** Submits what is encoded and reads a texture of four bytes a texel, in rows without gaps. */
async function submitAndRead(device: GPUDevice, encoder: GPUCommandEncoder, texture: GPUTexture): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = texture;
  const bytesPerRow = Math.ceil((width * 4) / 256) * 256; // copies need rows of whole 256 bytes
  const staging = device.createBuffer({ label: 'readback', size: bytesPerRow * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  encoder.copyTextureToBuffer({ texture }, { buffer: staging, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const mapped = new Uint8Array(staging.getMappedRange());
  const texels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) texels.set(mapped.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  staging.unmap();
  staging.destroy();
  return texels;
}

/** The background as the target holds it: linear light, multiplied by alpha. */
function clearColor([r, g, b, a]: PictureOptions['background']): GPUColorDict {
  const alpha = a / 255;
  return { r: (LINEAR16[r] / 65535) * alpha, g: (LINEAR16[g] / 65535) * alpha, b: (LINEAR16[b] / 65535) * alpha, a: alpha };
}
