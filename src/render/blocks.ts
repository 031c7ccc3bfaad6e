// Copies to, from and between compressed textures. Blocks are copied verbatim. Decoded texels of overwritten blocks
// become stale, and decoded-blocks.ts is notified.
import { unreachable } from '../base/assert';
import {
  BlockMemory,
  copyTexels,
  readTexels,
  writeTexels,
  type CopyBox,
  type LinearLayout,
  type TexelOrigin,
} from '../surface';
import type { DecodedBlocks } from './decoded-blocks';
import type { TextureCopyView, Three } from './types';
import type { Texture } from './resources/views';

export class Blocks {
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly decoded: DecodedBlocks
  ) {}

  /** `source`: device memory, or a staged copy. Its rows are rows of blocks. */
  write(target: TextureCopyView, source: Uint8Array, from: LinearLayout, size: Three): void {
    const { origin, box } = place(target, size);
    writeTexels(this.bytes(), origin, source, from, box);
    this.written(target, origin, box);
  }

  read(source: TextureCopyView, address: number, to: LinearLayout, size: Three): void {
    const { origin, box } = place(source, size);
    readTexels(this.bytes(), origin, address, to, box);
  }

  copy(source: TextureCopyView, target: TextureCopyView, size: Three): void {
    const from = place(source, size);
    const to = place(target, size);
    copyTexels(this.bytes(), from.origin, to.origin, from.box);
    this.written(target, to.origin, to.box);
  }

  private written({ texture, mipLevel }: TextureCopyView, { y, z }: TexelOrigin, { rows, layers }: CopyBox): void {
    this.decoded.written(texture as Texture, mipLevel, [z, layers], [y, rows]);
  }

  private bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }
}

/** A region of a texture, in blocks. */
function place(
  view: TextureCopyView,
  [width, height, layers]: Three
): { readonly origin: TexelOrigin; readonly box: CopyBox } {
  const { memory } = view.texture as Texture;
  const [x, y, z] = view.origin;
  if (!(memory instanceof BlockMemory)) return unreachable('render: blocks of a texture that is not compressed');
  const { blocks: plane, block } = memory;
  return {
    origin: { plane, level: plane.levels[view.mipLevel]!, x: x / block.width, y: y / block.height, z },
    box: { width: Math.ceil(width / block.width), rows: Math.ceil(height / block.height), layers },
  };
}
