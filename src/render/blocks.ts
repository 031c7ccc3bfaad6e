// Compressed textures: their blocks are kept as they came, and decoded where they are written, so that they are sampled
// as any texels are. That takes memory, four to eight times what blocks of 4×4 take and up to 36 times those of ASTC
// 12×12, and gives sampling the speed that uncompressed textures have: a block is decoded once, and not by each of the
// four or eight taps of a sample.
import { BLOCK_SCRATCH } from '../../assembly/layout/block-codes';
import { unreachable } from '../base/assert';
import type { Kernel } from '../kernels';
import type { Allocator } from '../memory';
import { copyTexels, readTexels, writeTexels, type LinearLayout, type Plane, type TexelOrigin } from '../surface';
import type { FormatInfo } from '../surface/formats';
import { overwritten, settle } from './discarded';
import type { TextureCopyView } from './types';
import type { Texture } from './views';

type Three = readonly [number, number, number];

export class Blocks {
  /** Address of the decoders' scratch; 0 as long as there is no compressed texture. */
  private scratch = 0;
  private readonly untouched = new Map<string, Uint8Array | null>();

  constructor(
    private readonly allocator: Allocator, private readonly memory: WebAssembly.Memory, private readonly kernel: Kernel
  ) {}

  /** The texel of blocks of zeros, the same for all of their texels; null: zeros. */
  texelOfZeros(format: FormatInfo): Uint8Array | null {
    const { block, bytes, name } = format;
    if (!block) return null;
    const known = this.untouched.get(name);
    if (known !== undefined) return known;
    this.scratch ||= this.allocator.allocate(BLOCK_SCRATCH, 'room for decoding compressed textures');
    // The decoders use less than half of it.
    const from = this.scratch + BLOCK_SCRATCH / 2, to = from + 16;
    new Uint8Array(this.memory.buffer, from, 32).fill(0);
    this.kernel.exports.decodeBlocks(block.code, from, to, 0, 1 | 1 << 16, this.scratch);
    const texel = new Uint8Array(this.memory.buffer, to, bytes).slice(), result = texel.some(Boolean) ? texel : null;
    this.untouched.set(name, result);
    return result;
  }

  /** `source`: device memory, or a staged copy; rows are rows of blocks. */
  write(target: TextureCopyView, source: Uint8Array, from: LinearLayout, size: Three): void {
    const { origin, box } = this.place(target, size);
    this.begin(target, size);
    writeTexels(this.bytes(), origin, source, from, box);
    this.decode(target, size);
  }

  read(source: TextureCopyView, address: number, to: LinearLayout, size: Three): void {
    const { origin, box } = this.place(source, size);
    readTexels(this.bytes(), origin, address, to, box);
  }

  copy(source: TextureCopyView, target: TextureCopyView, size: Three): void {
    const { origin, box } = this.place(source, size);
    this.begin(target, size);
    copyTexels(this.bytes(), origin, this.place(target, size).origin, box);
    this.decode(target, size);
  }

  /** A part of a texture in blocks. */
  private place(view: TextureCopyView, [width, height, layers]: Three): {
    readonly origin: TexelOrigin; readonly box: { width: number; rows: number; layers: number };
  } {
    const { plane, block } = partsOf(view), [x, y, z] = view.origin;
    return {
      origin: { plane, level: plane.levels[view.mipLevel]!, x: x / block.width, y: y / block.height, z },
      box: { width: Math.ceil(width / block.width), rows: Math.ceil(height / block.height), layers },
    };
  }

  /** What is written in part must be there. */
  private begin({ texture, mipLevel, origin: [x, y, z] }: TextureCopyView, [width, height, layers]: Three): void {
    const store = texture as Texture, level = store.memory.planes[0]!.levels[mipLevel]!;
    if (x === 0 && y === 0 && width >= level.width && height >= level.height) overwritten(store, mipLevel, z, layers);
    else settle(this.memory, store, mipLevel, 1, z, layers);
  }

  private decode(target: TextureCopyView, [width, height, layers]: Three): void {
    const { plane: blocks, block, texels } = partsOf(target), [x, y, z] = target.origin;
    const from = blocks.levels[target.mipLevel]!, to = texels.levels[target.mipLevel]!;
    const { exports } = this.kernel;
    // Blocks may reach beyond the edge.
    const columns = Math.min(width, to.width - x), bottom = Math.min(y + height, to.height);
    for (let layer = z; layer < z + layers; layer++) {
      for (let row = y; row < bottom; row += block.height) {
        const source = blocks.address + from.offset + layer * from.layerBytes + row / block.height * from.rowBytes
          + x / block.width * block.bytes;
        const target = texels.address + to.offset + layer * to.layerBytes + row * to.rowBytes + x * texels.texelBytes;
        const rows = Math.min(block.height, bottom - row);
        exports.decodeBlocks(block.code, source, target, to.rowBytes, columns | rows << 16, this.scratch);
      }
    }
  }

  private bytes(): Uint8Array { return new Uint8Array(this.memory.buffer); }
}

function partsOf({ texture }: TextureCopyView): {
  readonly plane: Plane; readonly texels: Plane; readonly block: NonNullable<FormatInfo['block']>;
} {
  const { memory, shape: { format: { block } } } = texture as Texture, [texels] = memory.planes;
  if (!block || !memory.blocks || !texels) return unreachable('render: blocks of a texture that is not compressed');
  return { plane: memory.blocks, texels, block };
}
