// Memory of a compressed texture: its blocks and, as long as a cache keeps it (render/decoded-blocks.ts), a decoded
// copy of the whole texture, which is sampled like any other texture. Writing blocks marks parts of the copy as
// outdated; they are decoded when a pass needs the copy.
import { clockMs } from '../base/clock';
import type { Allocator } from '../memory';
import type { FormatInfo } from './formats';
import { layOut, type Plane, type PlaneShape, type TexturePlanes } from './texture-store';

/**
 * Decodes a row of blocks at `from` to rows of texels at `to`. `extent` is the row's width in texels, plus the number
 * of its texel rows within the level × 2^16.
 */
export type DecodeRow = (code: number, from: number, to: number, rowBytes: number, extent: number) => void;

/** Block rows that are outdated in the decoded copy, per layer of a level: from `first` up to `end` (exclusive). */
interface Outdated {
  readonly first: Int32Array;
  readonly end: Int32Array;
}

export class BlockMemory implements TexturePlanes {
  /** The decoded copy; its address is 0 if there is none. */
  readonly planes: readonly [Plane];
  readonly blocks: Plane;
  readonly block: NonNullable<FormatInfo['block']>;
  /** Bytes of the blocks. */
  readonly bytes: number;
  private readonly outdated: readonly Outdated[];
  private isOutdated = false;
  private alive = true;

  /**
   * All blocks start zeroed. `forget` is called before the texture is destroyed.
   * @throws OutOfMemoryError
   */
  constructor(
    private readonly allocator: Allocator,
    readonly shape: PlaneShape,
    private readonly label: string,
    private readonly forget: () => void
  ) {
    const { format } = shape;
    this.block = format.block!;
    this.planes = [layOut(shape, format.bytes)];
    this.blocks = layOut(shape, this.block.bytes, this.block);
    this.blocks.address = allocator.allocate(this.blocks.bytes, label);
    this.bytes = this.blocks.bytes;
    this.outdated = this.blocks.levels.map(({ layers }) => ({
      first: new Int32Array(layers),
      end: new Int32Array(layers),
    }));
  }

  plane(): Plane {
    return this.planes[0];
  }

  get isDecoded(): boolean {
    return this.planes[0].address !== 0;
  }
  /** Bytes of the decoded copy, whether or not it exists. */
  get decodedBytes(): number {
    return this.planes[0].bytes;
  }

  /**
   * Allocates the decoded copy, which is entirely outdated at first.
   * @throws OutOfMemoryError
   */
  hold(): void {
    this.planes[0].address = this.allocator.allocate(this.decodedBytes, `decoded texels of ${this.label}`);
    this.isOutdated = true;
    this.outdated.forEach(({ first, end }, level) => {
      first.fill(0);
      end.fill(this.blocks.levels[level]!.height);
    });
  }

  /** Frees the decoded copy. */
  drop(): void {
    this.allocator.free(this.planes[0].address);
    this.planes[0].address = 0;
  }

  /** Marks rows of blocks as written in layers of a level. */
  written(level: number, [from, layers]: readonly [number, number], [row, rows]: readonly [number, number]): void {
    if (!this.isDecoded) return;
    const { first, end } = this.outdated[level]!;
    for (let layer = from; layer < from + layers; layer++) {
      const isClean = first[layer]! >= end[layer]!;
      first[layer] = isClean ? row : Math.min(first[layer]!, row);
      end[layer] = isClean ? row + rows : Math.max(end[layer]!, row + rows);
    }
    this.isOutdated = true;
  }

  /** Decodes outdated rows until `deadline`. Returns whether the decoded copy is up to date. */
  decode(decodeRow: DecodeRow, deadline: number): boolean {
    if (!this.isOutdated) return true;
    const levels = this.outdated.length;
    for (let level = 0; level < levels; level++) {
      const { first, end } = this.outdated[level]!;
      for (let layer = 0; layer < first.length; layer++)
        for (; first[layer]! < end[layer]!; first[layer]!++) {
          if (clockMs() >= deadline) return false;
          this.decodeAt(decodeRow, level, layer, first[layer]!);
        }
    }
    this.isOutdated = false;
    return true;
  }

  private decodeAt(decodeRow: DecodeRow, index: number, layer: number, row: number): void {
    const {
      blocks,
      planes: [texels],
      block,
    } = this;
    const from = blocks.levels[index]!;
    const to = texels.levels[index]!;
    const source = blocks.address + from.offset + layer * from.layerBytes + row * from.rowBytes;
    const y = row * block.height;
    const target = texels.address + to.offset + layer * to.layerBytes + y * to.rowBytes;
    decodeRow(block.code, source, target, to.rowBytes, to.width | (Math.min(block.height, to.height - y) << 16));
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.forget();
    if (this.isDecoded) this.drop();
    this.allocator.free(this.blocks.address);
  }
}
