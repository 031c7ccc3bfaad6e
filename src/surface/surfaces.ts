// Multisampled surfaces of a device: their records and tiles in device memory (layout/surface/surface.ts), and their
// share of the memory budget.
//
// The table shows, for the texel sizes and 2, 4, 8 and 16 samples, the numbers for a tile of 64×64 pixels. SIMD
// comparisons cover 16 bytes (assembly/surface/compare.ts). There is a state per tile and, in tiles of SURFACE_SUBSET,
// per block of 64 pixels. Blocks of SURFACE_SUBSET have a bit per pixel and two bytes of mask per additional value.
// tests/surface/table.test.ts compares this table with what the kernels store.
//
//   bytes per texel | KiB of a full tile | samples per comparison | comparisons per pixel | most additional values of a
//   block that is not full
//   1 | 8, 16, 32, 64 | 16 | 1, 1, 1, 1 | 8, 40, 128, 296
//   2 | 16, 32, 64, 128 | 8 | 1, 1, 1, 2 | 24, 80, 208, 464
//   4 | 32, 64, 128, 256 | 4 | 1, 1, 2, 4 | 36, 116, 288, 628
//   8 | 64, 128, 256, 512 | 2 | 2, 2, 4, 8 | 48, 146, 352, 760
//   16 | 128, 256, 512, 1024 | 1 | 4, 4, 8, 16 | 55, 167, 394, 849
import { TILE_SIZE } from '../../assembly/layout/limits';
import { STATUS_DONE } from '../../assembly/layout/status';
import {
  PAGE_SIZE,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_SUBSET,
} from '../../assembly/layout/surface/surface-codes';
import { Pool, Surface as SurfaceRecord, SurfaceTile } from '../../build/layout';
import { unreachable } from '../base/assert';
import { alignUp } from '../base/bits';
import type { FormatInfo } from './formats';
import { SurfacePool, type PoolParts } from './pool';

/**
 * Counts by encoding state: one value for all samples, stored nowhere; one value per pixel; values with sample masks;
 * one value per sample.
 */
export interface EncodingStateCounts {
  readonly clear: number;
  readonly onePerPixel: number;
  readonly subset: number;
  readonly full: number;
}
/** A plane of a multisampled texture: its cost, and what it would cost if every sample were stored. */
export interface SurfaceStatistics {
  readonly label: string;
  /** As passed to createTexture. */
  readonly format: string;
  readonly sampleCount: number;
  /** Memory for its content, in bytes; a multiple of the page size, 4096. */
  readonly bytesHeld: number;
  readonly bytesUncompressed: number;
  /**
   * Bytes of its memory that passes, shaders and copies have read and written since it was created; and the bytes that
   * they would have moved if every sample were stored.
   */
  readonly bytesMoved: number;
  readonly bytesMovedUncompressed: number;
  readonly tiles: EncodingStateCounts;
  readonly pixels: EncodingStateCounts;
}

interface SurfaceShape {
  /** Name in messages. */
  readonly label: string;
  /** Format of the plane. */
  readonly format: FormatInfo;
  readonly texelBytes: number;
  readonly samples: number;
  readonly width: number;
  readonly height: number;
  /** Whether no memory is reserved for it. */
  readonly overcommit: boolean;
  /** Samples of a pixel that differ by at most this in each channel may be stored as one; 0: only equal samples. */
  readonly mergeThreshold: number;
}

export class Surfaces {
  readonly pool: SurfacePool;
  /** Whether kernels may be running, in slices on this thread or on other threads, so no slab may be freed. */
  running = false;
  private readonly all = new Map<number, Surface>();
  private readonly copies = new Set<Surface>();
  /** Whether a surface was destroyed since idle pages were last looked for. */
  private unsettled = false;

  /** `encodes`: surfaces are stored compressed; otherwise every sample of a stored tile has its texel. */
  constructor(
    readonly parts: PoolParts,
    readonly encodes: boolean
  ) {
    this.pool = new SurfacePool(parts);
    parts.allocator.unreserved = () => this.unreserved();
    parts.allocator.trimPages = () => this.reclaim();
  }

  /**
   * Creates a surface whose samples are all zero.
   * @throws OutOfMemoryError
   */
  create(shape: SurfaceShape): Surface {
    const surface = new Surface(this, shape);
    this.all.set(surface.address, surface);
    return surface;
  }

  /**
   * Creates another surface of the same shape, which statistics do not list.
   * @throws OutOfMemoryError
   */
  createCopy({ shape }: Surface, label: string): Surface {
    const copy = this.create({ ...shape, label });
    this.copies.add(copy);
    return copy;
  }

  /**
   * Provides pages for whatever a chunk of a pass may store to these surfaces, after everything else that it needs is
   * allocated.
   * @throws OutOfMemoryError if the engine refuses memory that was reserved
   */
  provide(surfaces: readonly Surface[]): void {
    const missing = (some: readonly Surface[]): number =>
      some.reduce((sum, surface) => sum + surface.maxPages - surface.pagesHeld, 0);
    const reserved = missing(surfaces.filter((surface) => !surface.shape.overcommit));
    if (reserved > 0) this.pool.provide(reserved, surfaces.find((surface) => !surface.shape.overcommit)!.shape.label);
    const all = missing(surfaces);
    if (all <= reserved) return;
    // Memory reserved for others stays theirs: pages that are left over from their last pass are freed first.
    const most = reserved + Math.floor(this.parts.allocator.uncommitted / PAGE_SIZE);
    if (this.pool.freePages > most) this.pool.trim();
    this.pool.provideSome(Math.min(all, most), surfaces.find((surface) => surface.shape.overcommit)!.shape.label);
  }

  /**
   * Copies all of a surface to one of the same shape.
   * @throws OutOfMemoryError
   */
  copy(from: Surface, to: Surface): void {
    this.pool.provide(from.pagesHeld, to.shape.label);
    if (this.parts.exports.copySurface(from.address, to.address) !== STATUS_DONE)
      unreachable('surface: fewer pages than were provided');
  }

  /**
   * Returns pages that nothing accounts for to the allocator when a surface was destroyed, as soon as no pass runs.
   * Pages that a pass has left over stay for the next one, until the allocator asks for them.
   */
  settle(): void {
    if (this.running || !this.unsettled) return;
    this.unsettled = false;
    if (this.parts.allocator.idlePages > 0) this.pool.trim();
  }

  /** Frees pages that are only kept for the next pass. Returns whether there were any. */
  reclaim(): boolean {
    return !this.running && this.pool.trim();
  }

  forget(surface: Surface): void {
    this.all.delete(surface.address);
    this.copies.delete(surface);
    this.unsettled = true;
    this.settle();
  }

  /** The message for the loss of the device when a tile found no free page. */
  get missed(): string {
    // A surface with reserved pages lacks one only if a surface without a reservation took it.
    const missed = this.all.get(this.pool.missed);
    const found =
      missed?.shape.overcommit === false ? [...this.all.values()].find(({ shape }) => shape.overcommit) : missed;
    const held = [...this.all.values()].reduce((sum, surface) => sum + surface.bytesHeld, 0);
    const { bytesBudget } = this.parts.allocator.statistics();
    return (
      `${found?.shape.label ?? 'a multisampled texture'} was created with overcommit, `
      + `and its contents do not fit in memory: multisampled textures use ${held} bytes, `
      + `and the device may use ${bytesBudget} bytes in total. Create it without overcommit, `
      + 'or the device with a larger memoryBudget'
    );
  }

  /**
   * Statistics of all surfaces, in the order of their creation. During a pass, they are a snapshot at some moment of
   * it.
   */
  statistics(): SurfaceStatistics[] {
    return [...this.all.values()].filter((surface) => !this.copies.has(surface)).map((surface) => surface.statistics());
  }

  private unreserved(): number {
    let bytes = 0;
    for (const surface of this.all.values()) if (surface.shape.overcommit) bytes += surface.bytesHeld;
    return bytes;
  }
}

/**
 * The largest f32 that is not greater than `x`.
 * @param x finite, not negative
 */
function roundDown(x: number): number {
  const bits = new Int32Array(1);
  const float = new Float32Array(bits.buffer);
  float[0] = x;
  if (float[0] > x) bits[0]! -= 1;
  return float[0];
}

/** For an encoded surface: blocks of 8×8 pixels outside its edges stay clear. */
function maxPages({ width, height, samples, texelBytes }: SurfaceShape): number {
  let pages = 0;
  for (let y = 0; y < height; y += TILE_SIZE)
    for (let x = 0; x < width; x += TILE_SIZE) {
      const blocks = Math.ceil(Math.min(width - x, TILE_SIZE) / 8) * Math.ceil(Math.min(height - y, TILE_SIZE) / 8);
      pages += Math.ceil((blocks * 64 * samples * texelBytes) / PAGE_SIZE);
    }
  return pages;
}

/** A plane of a multisampled texture. */
export class Surface {
  /** Address of the SURFACE record. */
  readonly address: number;
  readonly tiles: number;
  /** Pages that it takes when every sample has its texel. */
  readonly maxPages: number;
  private readonly reserved: number;

  constructor(
    private readonly owner: Surfaces,
    readonly shape: SurfaceShape
  ) {
    const { allocator } = owner.parts;
    const tilesX = Math.ceil(shape.width / TILE_SIZE);
    this.tiles = tilesX * Math.ceil(shape.height / TILE_SIZE);
    // A tile has 4096 pixels, a page has 4096 bytes.
    const tilePages = shape.samples * shape.texelBytes;
    this.maxPages = owner.encodes ? maxPages(shape) : this.tiles * tilePages;
    this.reserved = shape.overcommit ? 0 : this.maxPages * PAGE_SIZE;
    const stride = SurfaceTile.pages + tilePages * 4;
    const pool = owner.pool.address;
    allocator.reserve(this.reserved, shape.label);
    try {
      this.address = allocator.allocate(alignUp(SurfaceRecord.bytes, 64) + this.tiles * stride, shape.label);
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
    put(SurfaceRecord.tilesAddress, this.address + alignUp(SurfaceRecord.bytes, 64));
    put(SurfaceRecord.tileStride, stride);
    put(SurfaceRecord.pool, pool);
    put(SurfaceRecord.encodes, owner.encodes ? 1 : 0);
    put(SurfaceRecord.uniform, 1);
    view.setFloat32(SurfaceRecord.threshold, roundDown(shape.mergeThreshold), true);
  }

  get pagesHeld(): number {
    return new Uint32Array(this.owner.parts.memory.buffer)[(this.address + SurfaceRecord.pagesHeld) >>> 2]!;
  }
  get bytesHeld(): number {
    return this.pagesHeld * PAGE_SIZE;
  }

  /** Bytes that it would take if every sample had its texel. */
  get bytesUncompressed(): number {
    return this.tiles * this.shape.samples * this.shape.texelBytes * PAGE_SIZE;
  }

  statistics(): SurfaceStatistics {
    const { label, format, samples } = this.shape;
    const { exports, memory } = this.owner.parts;
    const counts = this.owner.pool.address + Pool.counts;
    exports.countStates(this.address, counts);
    const words = new Uint32Array(memory.buffer, counts, 8);
    const states = (at: number): EncodingStateCounts => ({
      clear: words[at + SURFACE_CLEAR]!,
      onePerPixel: words[at + SURFACE_1SPP]!,
      subset: words[at + SURFACE_SUBSET]!,
      full: words[at + SURFACE_FULL]!,
    });
    const record = new DataView(memory.buffer, this.address, SurfaceRecord.bytes);
    return {
      label,
      format: format.name,
      sampleCount: samples,
      bytesHeld: this.bytesHeld,
      bytesUncompressed: this.bytesUncompressed,
      bytesMoved: Number(record.getBigUint64(SurfaceRecord.moved, true)),
      bytesMovedUncompressed: Number(record.getBigUint64(SurfaceRecord.movedFull, true)),
      tiles: states(0),
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

  /** Sets every sample to zero and frees its pages. */
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
