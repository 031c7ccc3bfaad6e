// A render pass of one tile for tests of the raster kernels.
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R32UINT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_R16SNORM,
  FORMAT_R16UNORM,
  FORMAT_R8SNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG16SNORM,
  FORMAT_RG16UNORM,
  FORMAT_RG8SNORM,
  FORMAT_RGBA16SNORM,
  FORMAT_RGBA16UNORM,
  FORMAT_RGBA8SNORM,
  FORMAT_STENCIL8,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { BIN_BLOCK_CAPACITY, TILE_FLAG_LAST } from '../../assembly/layout/pass/pass-codes';
import { STATUS_YIELD } from '../../assembly/layout/status';
import { POOL_WARPS } from '../../assembly/layout/warp/warp-codes';
import {
  Attachment as AttachmentRecord,
  Bin,
  BinBlock,
  Pass,
  Statistics,
  Triangle,
  Warp,
  WarpPool,
} from '../../build/layout';
import { TestPool, TestSurface } from '../surface/kit';
import { type PixelKernel, pixelIndex } from './kit';

interface Attachment {
  format: number;
  clear?: readonly number[];
  integer?: boolean;
  load?: boolean;
  store?: boolean;
  resolve?: boolean;
}
interface PassShape {
  width: number;
  height: number;
  samples: 1 | 2 | 4 | 8 | 16;
  encodes?: boolean;
  colors?: readonly Attachment[];
  depth?: Attachment;
  stencil?: Attachment;
}

const BYTES: Record<number, number> = {
  [FORMAT_RGBA8UNORM]: 4,
  [FORMAT_RGBA8UNORM_SRGB]: 4,
  [FORMAT_BGRA8UNORM]: 4,
  [FORMAT_BGRA8UNORM_SRGB]: 4,
  [FORMAT_R32UINT]: 4,
  [FORMAT_R8UNORM]: 1,
  [FORMAT_RG8UNORM]: 2,
  [FORMAT_RGBA16FLOAT]: 8,
  [FORMAT_RGBA32FLOAT]: 16,
  [FORMAT_R32FLOAT]: 4,
  [FORMAT_RGB10A2UNORM]: 4,
  [FORMAT_R16FLOAT]: 2,
  [FORMAT_RG16FLOAT]: 4,
  [FORMAT_DEPTH32FLOAT]: 4,
  [FORMAT_DEPTH24PLUS]: 4,
  [FORMAT_DEPTH16UNORM]: 2,
  [FORMAT_STENCIL8]: 1,
  [FORMAT_R16UNORM]: 2,
  [FORMAT_R16SNORM]: 2,
  [FORMAT_RG16UNORM]: 4,
  [FORMAT_RG16SNORM]: 4,
  [FORMAT_RGBA16UNORM]: 8,
  [FORMAT_RGBA16SNORM]: 8,
  [FORMAT_R8SNORM]: 1,
  [FORMAT_RG8SNORM]: 2,
  [FORMAT_RGBA8SNORM]: 4,
  [FORMAT_RG11B10UFLOAT]: 4,
};

/** A pass with its own surfaces. */
export class TestPass {
  readonly address: number;
  readonly context: number;
  readonly tilesX: number;
  readonly tiles: number;
  private readonly bins: number;
  private readonly statistics: number;
  /**
   * Multisampled surfaces in memory, by attachment. The bytes at Attachment.address are the samples in order: loaded
   * before the first run, read back on demand.
   */
  private readonly surfaces = new Map<number, TestSurface>();
  private readonly pool: TestPool;
  private readonly unread = new Set<number>();

  constructor(
    readonly kernel: PixelKernel,
    readonly shape: PassShape
  ) {
    const k = kernel;
    this.pool = new TestPool(k);
    this.tilesX = Math.ceil(shape.width / 64);
    this.tiles = this.tilesX * Math.ceil(shape.height / 64);
    this.address = k.alloc(Pass.bytes);
    this.bins = k.alloc(this.tiles * Bin.bytes);
    this.statistics = k.alloc(Statistics.bytes);
    const set = (offset: number, value: number): void => k.i32(this.address + offset, value);
    set(Pass.width, shape.width);
    set(Pass.height, shape.height);
    set(Pass.tilesX, this.tilesX);
    set(Pass.samples, shape.samples);
    set(Pass.encodes, shape.encodes === false ? 0 : 1);
    set(Pass.colorCount, shape.colors?.length ?? 0);
    const lists = k.alloc(4);
    k.i32(lists, this.bins);
    set(Pass.lists, lists);
    set(Pass.listCount, 1);
    set(Pass.tileStates, k.alloc(this.tiles));
    set(Pass.statistics, this.statistics);
    shape.colors?.forEach((color, i) => this.attach(Pass.colors + i * AttachmentRecord.bytes, color));
    if (shape.depth) this.attach(Pass.depth, shape.depth);
    if (shape.stencil) this.attach(Pass.stencil, shape.stencil);
    this.context = k.alloc(k.call.tileContextBytes(this.address));
    k.call.tileContextInit(this.context, this.address, makePool(k));
  }

  private attach(offset: number, attachment: Attachment): void {
    const { kernel: k, shape } = this;
    const at = this.address + offset;
    const bytes = BYTES[attachment.format];
    k.i32(at + AttachmentRecord.format, attachment.format);
    // One byte more than a row needs would break alignment; a row of padding texels reveals writes beyond the edge.
    const rowBytes = (shape.width + 3) * bytes;
    k.i32(at + AttachmentRecord.rowBytes, rowBytes);
    k.i32(
      at + AttachmentRecord.address,
      k.alloc(shape.samples === 1 ? rowBytes * (shape.height + 1) : this.tiles * 4096 * shape.samples * bytes)
    );
    if (shape.samples > 1) {
      const surface = new TestSurface(this.pool, {
        format: attachment.format,
        bytes,
        samples: shape.samples,
        width: shape.width,
        height: shape.height,
        encodes: shape.encodes,
      });
      this.pool.provide(surface.maxPages);
      this.surfaces.set(offset, surface);
      k.i32(at + AttachmentRecord.surface, surface.address);
    }
    k.i32(at + AttachmentRecord.clear, attachment.load ? 0 : 1);
    k.i32(at + AttachmentRecord.store, attachment.store === false ? 0 : 1);
    attachment.clear?.forEach((value, i) => {
      if (attachment.integer) k.i32(at + AttachmentRecord.clearValue + 4 * i, value);
      else k.f32(at + AttachmentRecord.clearValue + 4 * i, value);
    });
    if (attachment.resolve) {
      k.i32(at + AttachmentRecord.resolveAddress, k.alloc(rowBytes * (shape.height + 1)));
      k.i32(at + AttachmentRecord.resolveRowBytes, rowBytes);
    }
  }

  /** Adds triangles, in order, to the lists of the tiles that their boxes touch. */
  bin(triangles: readonly number[]): void {
    const { kernel: k } = this;
    for (const triangle of triangles) {
      const box = [Triangle.minX, Triangle.minY, Triangle.maxX, Triangle.maxY].map((offset) =>
        k.readI32(triangle + offset)
      );
      for (let tile = 0; tile < this.tiles; tile++) {
        const x = (tile % this.tilesX) * 64;
        const y = Math.floor(tile / this.tilesX) * 64;
        if (box[0] < x + 64 && box[2] > x && box[1] < y + 64 && box[3] > y)
          this.append(this.bins + tile * Bin.bytes, triangle);
      }
    }
  }

  private append(bin: number, triangle: number): void {
    const { kernel: k } = this;
    let tail = k.readI32(bin + Bin.tail);
    if (!tail || k.readI32(tail + BinBlock.count) === BIN_BLOCK_CAPACITY) {
      const block = k.alloc(BinBlock.bytes);
      k.i32(tail ? tail + BinBlock.next : bin + Bin.head, block);
      k.i32(bin + Bin.tail, block);
      tail = block;
    }
    const count = k.readI32(tail + BinBlock.count);
    k.i32(tail + BinBlock.entries + 4 * count, triangle);
    k.i32(tail + BinBlock.count, count + 1);
  }

  /** Runs all tiles, and empties their lists; returns the first status that is not 0. */
  run(last = true): number {
    const { kernel: k } = this;
    for (const [offset, surface] of this.surfaces) {
      const at = this.address + offset;
      if (!surface.isStored && k.readI32(at + AttachmentRecord.clear) === 0)
        surface.write(k.readI32(at + AttachmentRecord.address));
    }
    for (let tile = 0; tile < this.tiles; tile++) {
      let status;
      do status = k.call.tileRun(this.context, this.address, tile, last ? TILE_FLAG_LAST : 0);
      while (status === STATUS_YIELD);
      if (status) return status;
    }
    for (const offset of this.surfaces.keys()) this.unread.add(offset);
    for (let bin = 0; bin < this.tiles; bin++) {
      k.i32(this.bins + bin * Bin.bytes + Bin.head, 0);
      k.i32(this.bins + bin * Bin.bytes + Bin.tail, 0);
    }
    return 0;
  }

  statistic(offset: number): number {
    return this.kernel.readI32(this.statistics + offset);
  }

  /** Address of a texel's sample in an attachment's surface; `offset`: Pass.depth, Pass.stencil or a color's. */
  texel(offset: number, x: number, y: number, sample = 0): number {
    this.refresh(offset);
    const at = this.address + offset;
    const bytes = BYTES[this.kernel.readI32(at + AttachmentRecord.format)];
    const surface = this.kernel.readI32(at + AttachmentRecord.address);
    if (this.shape.samples === 1) return surface + y * this.kernel.readI32(at + AttachmentRecord.rowBytes) + x * bytes;
    const tile = Math.floor(y / 64) * this.tilesX + Math.floor(x / 64);
    return surface + ((tile * 4096 + pixelIndex(x & 63, y & 63)) * this.shape.samples + sample) * bytes;
  }

  /** Address of a texel in color attachment 0's resolve target. */
  resolved(x: number, y: number): number {
    const at = this.address + Pass.colors;
    return (
      this.kernel.readI32(at + AttachmentRecord.resolveAddress)
      + y * this.kernel.readI32(at + AttachmentRecord.resolveRowBytes)
      + x * BYTES[this.kernel.readI32(at + AttachmentRecord.format)]
    );
  }

  /** Decodes what was stored since the last call. */
  private refresh(offset: number): void {
    if (this.unread.delete(offset))
      this.surfaces.get(offset)!.read(this.kernel.readI32(this.address + offset + AttachmentRecord.address));
  }

  /** All bytes of an attachment's surface. */
  surface(offset: number): Uint8Array {
    this.refresh(offset);
    const at = this.address + offset;
    const bytes = BYTES[this.kernel.readI32(at + AttachmentRecord.format)];
    const length =
      this.shape.samples === 1
        ? this.kernel.readI32(at + AttachmentRecord.rowBytes) * (this.shape.height + 1)
        : this.tiles * 4096 * this.shape.samples * bytes;
    return this.kernel.bytes(this.kernel.readI32(at + AttachmentRecord.address), length);
  }
}

/** A WARP POOL with a warp of 64 registers. */
function makePool(k: PixelKernel): number {
  const warpBytes = Math.ceil(Warp.bytes / 64) * 64 + 64 * REGISTER_BYTES;
  const bytes = WarpPool.warps + POOL_WARPS * warpBytes;
  const pool = k.alloc(bytes);
  k.i32(pool + WarpPool.warpBytes, warpBytes);
  return pool;
}
