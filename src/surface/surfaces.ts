// Multi-sample surfaces of a device: their records and tiles in device memory (layout/surface.ts), and what of the
// budget is theirs.
//
// What the bytes of a texel and 2, 4, 8, 16 samples make of a tile of 64×64 pixels; SIMD compares look at 16 bytes
// (assembly/surface/compare.ts). A state is kept for each tile and, in tiles of SURFACE_SUBSET, for each block of 64
// pixels; in blocks of SURFACE_SUBSET a bit for each pixel, and two bytes of mask for each further value.
// tests/surface/table.test.ts holds this table to what kernels store.
//
//   bytes | KiB of a full tile | samples a compare | compares a pixel | most further values of a block that is not full
//   1 | 8, 16, 32, 64 | 16 | 1, 1, 1, 1 | 8, 40, 120, 288
//   2 | 16, 32, 64, 128 | 8 | 1, 1, 1, 2 | 24, 72, 200, 456
//   4 | 32, 64, 128, 256 | 4 | 1, 1, 2, 4 | 36, 108, 276, 616
//   8 | 64, 128, 256, 512 | 2 | 2, 2, 4, 8 | 48, 140, 344, 752
//   16 | 128, 256, 512, 1024 | 1 | 4, 4, 8, 16 | 55, 162, 389, 844
import { TILE_SIZE } from '../../assembly/layout/limits';
import { STATUS_DONE } from '../../assembly/layout/status';
import {
  PAGE_SIZE, SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL, SURFACE_SUBSET,
} from '../../assembly/layout/surface-codes';
import { Pool, Surface as SurfaceRecord, SurfaceTile } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { FormatInfo } from './formats';
import { SurfacePool, type PoolParts } from './pool';

/**
 * By state: one value for all and nowhere stored; one value a pixel; sets of samples with a value each; a value a
 * sample.
 */
export interface StateCounts {
  readonly clear: number;
  readonly onePerPixel: number;
  readonly subset: number;
  readonly full: number;
}
/** A plane of a multi-sample texture: what it costs, and what it would if every sample had its texel. */
export interface SurfaceStatistics {
  readonly label: string;
  /** As in createTexture. */
  readonly format: string;
  readonly sampleCount: number;
  /** Memory for its content, in pages of 4096 bytes. */
  readonly bytesHeld: number;
  readonly bytesUncompressed: number;
  /**
   * Bytes of its memory that were read and written since it was created, by passes, by programs and by copies; and what
   * they would be if every sample lay there.
   */
  readonly bytesMoved: number;
  readonly bytesMovedUncompressed: number;
  readonly tiles: StateCounts;
  readonly pixels: StateCounts;
}

export interface SurfaceShape {
  /** As messages name it. */
  readonly label: string;
  /** Of the plane. */
  readonly format: FormatInfo;
  readonly texelBytes: number;
  readonly samples: number;
  readonly width: number;
  readonly height: number;
  /** Nothing is reserved for it. */
  readonly overcommit: boolean;
  /** Samples of a pixel that differ by no more, channel for channel, may be stored as one; 0: those that are equal. */
  readonly mergeThreshold: number;
}

const aligned = (bytes: number): number => (bytes + 63) & ~63;

export class Surfaces {
  readonly pool: SurfacePool;
  /** Kernels may run, in this thread's turns or in others: no slab is given back. */
  running = false;
  private readonly all = new Map<number, Surface>();
  private readonly copies = new Set<Surface>();
  /** A surface went since pages were last looked through. */
  private unsettled = false;

  /** `encodes`: surfaces are stored by content; else every sample of a stored tile has its texel. */
  constructor(readonly parts: PoolParts, readonly encodes: boolean) {
    this.pool = new SurfacePool(parts);
    parts.allocator.unreserved = () => this.unreserved();
  }

  /** All samples are zero. Throws OutOfMemoryError. */
  create(shape: SurfaceShape): Surface {
    const surface = new Surface(this, shape);
    this.all.set(surface.address, surface);
    return surface;
  }

  /** Another one of the same shape, which statistics do not tell of. Throws OutOfMemoryError. */
  createCopy({ shape }: Surface, label: string): Surface {
    const copy = this.create({ ...shape, label });
    this.copies.add(copy);
    return copy;
  }

  /**
   * Room for whatever a chunk of a pass may store to these surfaces, when all else that it needs is allocated. Throws
   * OutOfMemoryError when the engine refuses what was reserved.
   */
  provide(surfaces: readonly Surface[]): void {
    const missing = (some: readonly Surface[]): number => some.reduce((sum, surface) => sum + surface.mostPages
      - surface.pagesHeld, 0);
    const reserved = missing(surfaces.filter((surface) => !surface.shape.overcommit));
    if (reserved > 0) this.pool.provide(reserved, surfaces.find((surface) => !surface.shape.overcommit)!.shape.label);
    const all = missing(surfaces);
    if (all <= reserved) return;
    // What others have been promised stays theirs: pages that their last pass has left go back first.
    const most = reserved + Math.floor(this.parts.allocator.uncommitted / PAGE_SIZE);
    if (this.pool.freePages > most) this.pool.trim();
    this.pool.provideSome(Math.min(all, most), surfaces.find((surface) => surface.shape.overcommit)!.shape.label);
    this.unsettled = true;
  }

  /** Copies all of a surface to one of the same shape. Throws OutOfMemoryError. */
  copy(from: Surface, to: Surface): void {
    this.pool.provide(from.pagesHeld, to.shape.label);
    if (this.parts.exports.copySurface(from.address, to.address) !== STATUS_DONE)
      unreachable('surface: fewer pages than were provided');
  }

  /**
   * After a pass, or when a surface went: pages that nothing accounts for go back to the allocator. Not after every
   * pass: the next one wants them.
   */
  settle(): void {
    if (this.running || !this.unsettled) return;
    this.unsettled = false;
    if (this.parts.allocator.idlePages > 0) this.pool.trim();
  }

  /** Gives back what is only kept for the next pass; whether there was any. */
  reclaim(): boolean {
    return !this.running && this.pool.trim();
  }

  forget(surface: Surface): void {
    this.all.delete(surface.address);
    this.copies.delete(surface);
    this.unsettled = true;
    this.settle();
  }

  /** A sentence for the loss of the device, when a tile found no page. */
  get missed(): string {
    // A surface that was promised its pages finds none only where one without a promise took them.
    const missed = this.all.get(this.pool.missed);
    const found = missed?.shape.overcommit === false
      ? [...this.all.values()].find(({ shape }) => shape.overcommit)
      : missed;
    const held = [...this.all.values()].reduce((sum, surface) => sum + surface.bytesHeld, 0);
    const { bytesBudget } = this.parts.allocator.statistics();
    return `${found?.shape.label ?? 'a multi-sample texture'} was created with overcommit, and its content needs more memory than there is: multi-sample textures hold ${held} bytes, the device may use ${bytesBudget} in all. Create it without overcommit, or the device with a larger memoryBudget`;
  }

  /** Of all surfaces, in the order of their creation. While a pass is under way, of some moment of it. */
  statistics(): SurfaceStatistics[] {
    return [...this.all.values()].filter((surface) => !this.copies.has(surface)).map((surface) => surface.statistics());
  }

  private unreserved(): number {
    let bytes = 0;
    for (const surface of this.all.values()) if (surface.shape.overcommit) bytes += surface.bytesHeld;
    return bytes;
  }
}

/** The greatest f32 that is not more. @param x finite, not negative */
function roundDown(x: number): number {
  const bits = new Int32Array(1), float = new Float32Array(bits.buffer);
  float[0] = x;
  if (float[0] > x) bits[0]! -= 1;
  return float[0];
}

/** Of an encoded surface: blocks of 8×8 pixels beyond its edges stay clear. */
function mostPages({ width, height, samples, texelBytes }: SurfaceShape): number {
  let pages = 0;
  for (let y = 0; y < height; y += TILE_SIZE) for (let x = 0; x < width; x += TILE_SIZE) {
    const blocks = Math.ceil(Math.min(width - x, TILE_SIZE) / 8) * Math.ceil(Math.min(height - y, TILE_SIZE) / 8);
    pages += Math.ceil(blocks * 64 * samples * texelBytes / PAGE_SIZE);
  }
  return pages;
}

/** A plane of a multi-sample texture. */
export class Surface {
  /** Address of the SURFACE record. */
  readonly address: number;
  readonly tiles: number;
  /** Pages that it takes when every sample has its texel. */
  readonly mostPages: number;
  private readonly reserved: number;

  constructor(private readonly owner: Surfaces, readonly shape: SurfaceShape) {
    const { allocator } = owner.parts;
    const tilesX = Math.ceil(shape.width / TILE_SIZE);
    this.tiles = tilesX * Math.ceil(shape.height / TILE_SIZE);
    // 4096 pixels a tile, 4096 bytes a page.
    const tilePages = shape.samples * shape.texelBytes;
    this.mostPages = owner.encodes ? mostPages(shape) : this.tiles * tilePages;
    this.reserved = shape.overcommit ? 0 : this.mostPages * PAGE_SIZE;
    const stride = SurfaceTile.pages + tilePages * 4;
    const pool = owner.pool.address;
    allocator.reserve(this.reserved, shape.label);
    try {
      this.address = allocator.allocate(aligned(SurfaceRecord.bytes) + this.tiles * stride, shape.label);
    } catch (error) {
      allocator.release(this.reserved);
      throw error;
    }
    const view = new DataView(owner.parts.memory.buffer, this.address, SurfaceRecord.bytes);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    put(SurfaceRecord.format, shape.format.id);
    put(SurfaceRecord.texelBytes, shape.texelBytes);
    put(SurfaceRecord.samples, shape.samples);
    put(SurfaceRecord.width, shape.width);
    put(SurfaceRecord.height, shape.height);
    put(SurfaceRecord.tilesX, tilesX);
    put(SurfaceRecord.tileCount, this.tiles);
    put(SurfaceRecord.tilesAddress, this.address + aligned(SurfaceRecord.bytes));
    put(SurfaceRecord.tileStride, stride);
    put(SurfaceRecord.pool, pool);
    put(SurfaceRecord.encodes, owner.encodes ? 1 : 0);
    put(SurfaceRecord.uniform, 1);
    view.setFloat32(SurfaceRecord.threshold, roundDown(shape.mergeThreshold), true);
  }

  get pagesHeld(): number {
    return new Uint32Array(this.owner.parts.memory.buffer)[(this.address + SurfaceRecord.pagesHeld) >>> 2]!;
  }
  get bytesHeld(): number { return this.pagesHeld * PAGE_SIZE; }

  /** What it would hold if every sample had its texel. */
  get bytesUncompressed(): number { return this.tiles * this.shape.samples * this.shape.texelBytes * PAGE_SIZE; }

  statistics(): SurfaceStatistics {
    const { label, format, samples } = this.shape;
    const { exports, memory } = this.owner.parts;
    const counts = this.owner.pool.address + Pool.counts;
    exports.countStates(this.address, counts);
    const words = new Uint32Array(memory.buffer, counts, 8);
    const states = (at: number): StateCounts => ({
      clear: words[at + SURFACE_CLEAR]!, onePerPixel: words[at + SURFACE_1SPP]!, subset: words[at + SURFACE_SUBSET]!,
      full: words[at + SURFACE_FULL]!,
    });
    const record = new DataView(memory.buffer, this.address, SurfaceRecord.bytes);
    return {
      label, format: format.name, sampleCount: samples, bytesHeld: this.bytesHeld,
      bytesUncompressed: this.bytesUncompressed, bytesMoved: Number(record.getBigUint64(SurfaceRecord.moved, true)),
      bytesMovedUncompressed: Number(record.getBigUint64(SurfaceRecord.movedFull, true)), tiles: states(0),
      pixels: states(4),
    };
  }

  /** The state of each pixel (0 clear, 1 one value, 2 subsets, 3 full), row by row. */
  states(): Uint8Array {
    const { width, height, label } = this.shape;
    const { allocator, exports, memory } = this.owner.parts;
    const row = allocator.allocate(width, label);
    const states = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      exports.surfaceStates(this.address, y, row);
      states.set(new Uint8Array(memory.buffer, row, width), y * width);
    }
    allocator.free(row);
    return states;
  }

  /** Every sample becomes zero; it holds no pages then. */
  clear(): void {
    this.owner.parts.exports.clearSurface(this.address);
  }

  destroy(): void {
    const { allocator } = this.owner.parts;
    this.clear();
    allocator.free(this.address);
    allocator.release(this.reserved);
    this.owner.forget(this);
  }
}
