// Draws what surfaces are, with one sample at the centre of each pixel: the nearest surface counts, never a mixture.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { DEPTH_FORMAT, ID_FORMAT, MOTION_FORMAT, NORMAL_FORMAT } from './pipelines';
import { submitAndReadAll } from './readback';
import { encodeScene, type PictureOptions } from './render';
import type { GpuScene } from './upload';

const { GPUTextureUsage } = globals;

/** Pixels in rows from the top. */
export interface SurfaceSamples {
  /** Normal in world space and distance along the view direction, four numbers per pixel. */
  normals: Float32Array<ArrayBuffer>;
  /** Object and material, from 1; 0 and 0 in the background. */
  ids: Uint32Array<ArrayBuffer>;
}

type Size = Pick<PictureOptions, 'width' | 'height' | 'drawn'>;

/** Draws a scene that was uploaded to show its surfaces. */
export async function drawSurfaces(device: GPUDevice, scene: GpuScene, size: Size): Promise<SurfaceSamples> {
  const [normals, ids] = await drawTo(device, scene, size, [
    { format: NORMAL_FORMAT, texelBytes: 16 },
    { format: ID_FORMAT, texelBytes: 8 },
  ]);
  return { normals: new Float32Array(normals.buffer), ids: new Uint32Array(ids.buffer) };
}

/**
 * Draws a scene that was uploaded to show its motion. Returns four numbers per pixel: the way to the place in the next
 * frame in pixels to the right and down, and 1 where there is a surface.
 */
export async function drawMotion(device: GPUDevice, scene: GpuScene, size: Size): Promise<Float32Array<ArrayBuffer>> {
  const [motion] = await drawTo(device, scene, size, [{ format: MOTION_FORMAT, texelBytes: 16 }]);
  return new Float32Array(motion.buffer);
}

async function drawTo(
  device: GPUDevice,
  scene: GpuScene,
  { width, height, drawn }: Size,
  targets: readonly { format: GPUTextureFormat; texelBytes: number }[]
): Promise<Uint8Array<ArrayBuffer>[]> {
  const make = (label: string, format: GPUTextureFormat, usage = 0): GPUTexture =>
    device.createTexture({ label, size: [width, height], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | usage });
  const textures = targets.map(({ format }) => make('surfaces', format, GPUTextureUsage.COPY_SRC));
  const depth = make('depth', DEPTH_FORMAT);
  const encoder = device.createCommandEncoder({ label: 'surfaces' });
  encodeScene(
    encoder,
    scene,
    {
      label: 'surfaces',
      colorAttachments: textures.map((texture) => ({ view: texture.createView(), loadOp: 'clear', storeOp: 'store' })),
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    },
    undefined
  );
  const texels = await submitAndReadAll(
    device,
    encoder,
    targets.map(({ texelBytes }, i) => ({ texture: textures[i], texelBytes }))
  );
  drawn?.();
  for (const texture of [...textures, depth]) texture.destroy();
  return texels;
}
