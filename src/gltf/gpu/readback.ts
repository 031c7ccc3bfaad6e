// Reads textures back.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';

const { GPUBufferUsage, GPUMapMode } = globals;

/** Submits the encoder's commands and reads a texture in contiguous rows. */
export async function submitAndRead(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  texture: GPUTexture,
  texelBytes = 4
): Promise<Uint8Array<ArrayBuffer>> {
  const [texels] = await submitAndReadAll(device, encoder, [{ texture, texelBytes }]);
  return texels;
}

/** Submits the encoder's commands and reads textures, each in contiguous rows. */
export async function submitAndReadAll(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  textures: readonly { texture: GPUTexture; texelBytes: number }[]
): Promise<Uint8Array<ArrayBuffer>[]> {
  const copies = textures.map(({ texture, texelBytes }) => {
    const { width, height } = texture;
    const rowBytes = width * texelBytes;
    const bytesPerRow = Math.ceil(rowBytes / 256) * 256; // Copies need rows of a multiple of 256 bytes.
    const staging = device.createBuffer({
      label: 'readback',
      size: bytesPerRow * height,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    encoder.copyTextureToBuffer({ texture }, { buffer: staging, bytesPerRow }, [width, height]);
    return { staging, rowBytes, bytesPerRow, height };
  });
  device.queue.submit([encoder.finish()]);
  return Promise.all(
    copies.map(async ({ staging, rowBytes, bytesPerRow, height }) => {
      await staging.mapAsync(GPUMapMode.READ);
      const mapped = new Uint8Array(staging.getMappedRange());
      const texels = new Uint8Array(rowBytes * height);
      for (let y = 0; y < height; y++)
        texels.set(mapped.subarray(y * bytesPerRow, y * bytesPerRow + rowBytes), y * rowBytes);
      staging.unmap();
      staging.destroy();
      return texels;
    })
  );
}
