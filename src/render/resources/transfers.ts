// Writes and copies of buffers and textures, which change memory immediately.
import { copyTexels, readTexels, writeTexels, type Surfaces, type TexelOrigin } from '../../surface';
import type { Blocks } from '../blocks';
import type { BufferCopyView, BufferStore, TextureCopyView, TextureStore, Three } from '../types';
import { settle } from './discarded';
import { Words } from '../memory/words';
import type { IndexRanges } from './index-ranges';
import type { Texture } from './views';

interface TransferParts {
  readonly memory: WebAssembly.Memory;
  readonly surfaces: Surfaces;
  readonly blocks: Blocks;
  readonly ranges: IndexRanges;
}

export class Transfers {
  /** The memory's bytes. 3D engines write thousands of small buffers in a frame. */
  private readonly words: Words;

  constructor(private readonly parts: TransferParts) {
    this.words = new Words(parts.memory);
  }

  writeBuffer(buffer: BufferStore, offset: number, data: Uint8Array): void {
    this.bytes().set(data, buffer.address + offset);
    this.parts.ranges.written(buffer);
  }

  clearBuffer(buffer: BufferStore, offset: number, size: number): void {
    this.bytes().fill(0, buffer.address + offset, buffer.address + offset + size);
    this.parts.ranges.written(buffer);
  }

  copyBufferToBuffer(
    source: BufferStore,
    sourceOffset: number,
    target: BufferStore,
    targetOffset: number,
    size: number
  ): void {
    const from = source.address + sourceOffset;
    this.bytes().copyWithin(target.address + targetOffset, from, from + size);
    this.parts.ranges.written(target);
  }

  writeTexture(
    target: TextureCopyView,
    data: Uint8Array,
    bytesPerRow: number,
    rowsPerImage: number,
    size: Three
  ): void {
    const from = { offset: 0, rowBytes: bytesPerRow, imageBytes: bytesPerRow * rowsPerImage };
    if (target.texture.shape.format.block) return this.parts.blocks.write(target, data, from, size);
    const origin = this.originOf(target, size[2]);
    writeTexels(this.bytes(), origin, data, from, { width: size[0], rows: size[1], layers: size[2] });
  }

  copyTextureToBuffer(source: TextureCopyView, target: BufferCopyView, size: Three): void {
    const {
      bytesPerRow,
      rowsPerImage,
      buffer: { address },
    } = target;
    const to = { offset: target.offset, rowBytes: bytesPerRow, imageBytes: bytesPerRow * rowsPerImage };
    const box = { width: size[0], rows: size[1], layers: size[2] };
    if (source.texture.shape.format.block) this.parts.blocks.read(source, address, to, size);
    else readTexels(this.bytes(), this.originOf(source, size[2]), address, to, box);
    this.parts.ranges.written(target.buffer);
  }

  copyTextureToTexture(source: TextureCopyView, target: TextureCopyView, size: Three): void {
    if (source.texture.shape.format.block) return this.parts.blocks.copy(source, target, size);
    const aspects: GPUTextureAspect[] =
      source.aspect === 'all' && source.texture.shape.format.aspect === 'depth-stencil'
        ? ['depth-only', 'stencil-only']
        : [source.aspect];
    for (const aspect of aspects) {
      const from = (source.texture as Texture).memory.plane(aspect).surface;
      const to = (target.texture as Texture).memory.plane(aspect).surface;
      // Copied as a whole, because WebGPU allows nothing else for multisampled textures.
      if (from && to) this.parts.surfaces.copy(from, to);
      else
        copyTexels(
          this.bytes(),
          this.originOf({ ...source, aspect }, size[2]),
          this.originOf({ ...target, aspect }, size[2]),
          { width: size[0], rows: size[1], layers: size[2] }
        );
    }
  }

  texels(store: TextureStore): Uint8Array {
    const texture = store as Texture;
    const { memory } = this.parts;
    settle(memory, texture, 0, 1, 0, 1);
    const plane = texture.memory.plane('all');
    const { offset, layerBytes } = plane.levels[0]!;
    return new Uint8Array(memory.buffer, plane.address + offset, layerBytes);
  }

  private bytes(): Uint8Array {
    return this.words.now().u8;
  }

  private originOf(view: TextureCopyView, layers: number): TexelOrigin {
    const texture = view.texture as Texture;
    const plane = texture.memory.plane(view.aspect);
    const [x, y, z] = view.origin;
    settle(this.parts.memory, texture, view.mipLevel, 1, z, layers);
    return { plane, level: plane.levels[view.mipLevel]!, x, y, z };
  }
}
