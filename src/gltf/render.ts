// A scene to pixels: one render pass and the way back into memory. Works on any WebGPU device.
/// <reference types="@webgpu/types" />
import { globals } from '../index';
import { LINEAR16, unpremultiply } from './colour';
import { COLOR_FORMAT, DEPTH_FORMAT, type GpuScene } from './upload';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;

export interface PictureOptions {
  /** Pixels. */
  width: number;
  height: number;
  samples: 1 | 4;
  /** sRGB and alpha, 0…255 each. */
  background: readonly [r: number, g: number, b: number, a: number];
}

/** Draws a scene and gives its pixels: RGBA rows from the top, sRGB, alpha not multiplied in. */
export async function renderPicture(device: GPUDevice, scene: GpuScene, options: PictureOptions): Promise<Uint8Array> {
  const { width, height, samples } = options;
  const target = (label: string, format: GPUTextureFormat, sampleCount: number, usage = 0): GPUTexture =>
    device.createTexture({ label, size: [width, height], format, sampleCount, usage: GPUTextureUsage.RENDER_ATTACHMENT | usage });
  const picture = target('picture', COLOR_FORMAT, 1, GPUTextureUsage.COPY_SRC);
  const color = samples > 1 ? target('samples', COLOR_FORMAT, samples) : picture;
  const depth = target('depth', DEPTH_FORMAT, samples);
  const encoder = device.createCommandEncoder({ label: 'picture' });
  const pass = encoder.beginRenderPass({
    label: 'picture',
    colorAttachments: [{
      view: color.createView(),
      ...(samples > 1 ? { resolveTarget: picture.createView() } : {}),
      loadOp: 'clear', storeOp: samples > 1 ? 'discard' : 'store', clearValue: clearColor(options.background),
    }],
    depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
  });
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
  const bytesPerRow = Math.ceil((width * 4) / 256) * 256; // copies need rows of whole 256 bytes
  const staging = device.createBuffer({ label: 'readback', size: bytesPerRow * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: staging, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const mapped = new Uint8Array(staging.getMappedRange());
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) pixels.set(mapped.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  staging.unmap();
  for (const resource of [staging, picture, color, depth]) resource.destroy();
  unpremultiply(pixels);
  return pixels;
}

/** The background as the target holds it: linear light, multiplied by alpha. */
function clearColor([r, g, b, a]: PictureOptions['background']): GPUColorDict {
  const alpha = a / 255;
  return { r: (LINEAR16[r] / 65535) * alpha, g: (LINEAR16[g] / 65535) * alpha, b: (LINEAR16[b] / 65535) * alpha, a: alpha };
}
