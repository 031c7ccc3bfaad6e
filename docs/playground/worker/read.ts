// Reads textures.

/** Bytes of a row in a buffer are a multiple of this. */
const ALIGNMENT = 256;

/** Buffers for reading, by size: they are used again. */
export class Reader {
  readonly #device: GPUDevice;
  #buffer: GPUBuffer | null = null;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Records the copy of a texture with four bytes per texel. @returns what reads it after the commands have run */
  copy(encoder: GPUCommandEncoder, texture: GPUTexture): () => Promise<Uint8ClampedArray<ArrayBuffer>> {
    const { width, height } = texture;
    const bytesPerRow = Math.ceil((width * 4) / ALIGNMENT) * ALIGNMENT;
    const size = bytesPerRow * height;
    if (this.#buffer === null || this.#buffer.size !== size) {
      this.#buffer?.destroy();
      this.#buffer = this.#device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    }
    const buffer = this.#buffer;
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
    return async () => {
      await buffer.mapAsync(GPUMapMode.READ);
      const mapped = new Uint8Array(buffer.getMappedRange());
      const bytes = new Uint8ClampedArray(width * height * 4);
      for (let y = 0; y < height; y++)
        bytes.set(mapped.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
      buffer.unmap();
      return bytes;
    };
  }

  destroy(): void {
    this.#buffer?.destroy();
  }
}
