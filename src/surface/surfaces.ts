// Multi-sample surfaces of a device: their records and tiles in device memory (layout/surface.ts), and what of the budget is theirs.
import { TILE_SIZE } from '../../assembly/layout/limits';
import { STATUS_DONE } from '../../assembly/layout/status';
import * as S from '../../assembly/layout/surface';
import { unreachable } from '../base/assert';
import { SurfacePool, type PoolParts } from './pool';

export interface SurfaceShape {
  /** As messages name it. */
  readonly label: string;
  /** FORMAT_*, of the plane. */
  readonly format: number;
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
  private readonly all = new Map<number, Surface>();

  /** `encodes`: surfaces are stored by content; else every sample of a stored tile has its texel. `isBusy`: kernels may run. */
  constructor(readonly parts: PoolParts, readonly encodes: boolean, private readonly isBusy: () => boolean) {
    this.pool = new SurfacePool(parts);
    parts.allocator.unreserved = () => this.unreserved();
  }

  /** All samples are zero. Throws OutOfMemoryError. */
  create(shape: SurfaceShape): Surface {
    const surface = new Surface(this, shape);
    this.all.set(surface.address, surface);
    return surface;
  }

  /** Room for whatever a pass may store to these surfaces. Throws OutOfMemoryError when the engine refuses what was reserved. */
  provide(surfaces: readonly Surface[]): void {
    const missing = (some: readonly Surface[]): number => some.reduce((sum, surface) => sum + surface.mostPages - surface.pagesHeld, 0);
    const reserved = missing(surfaces.filter((surface) => !surface.shape.overcommit));
    if (reserved > 0) this.pool.provide(reserved, surfaces.find((surface) => !surface.shape.overcommit)!.shape.label);
    const all = missing(surfaces);
    if (all > reserved) this.pool.provideSome(all, surfaces.find((surface) => surface.shape.overcommit)!.shape.label);
  }

  /** Copies all of a surface to one of the same shape. Throws OutOfMemoryError. */
  copy(from: Surface, to: Surface): void {
    this.pool.provide(from.pagesHeld, to.shape.label);
    if (this.parts.exports.copySurface(from.address, to.address) !== STATUS_DONE) unreachable('surface: fewer pages than were provided');
  }

  /** After a pass, or when a surface went: pages that nothing accounts for go back to the allocator. */
  settle(): void {
    if (!this.isBusy() && this.parts.allocator.idlePages > 0) this.pool.trim();
  }

  /** Gives back what is only kept for the next pass; whether there was any. */
  reclaim(): boolean {
    return !this.isBusy() && this.pool.trim();
  }

  forget(surface: Surface): void {
    this.all.delete(surface.address);
    this.settle();
  }

  /** A sentence for the loss of the device, when a tile found no page. */
  get missed(): string {
    const found = this.all.get(this.pool.missed);
    const held = [...this.all.values()].reduce((sum, surface) => sum + surface.bytesHeld, 0);
    const { bytesBudget } = this.parts.allocator.statistics();
    return `${found?.shape.label ?? 'a multi-sample texture'} was created with overcommit, and its content needs more memory than there is: multi-sample textures hold ${held} bytes, the device may use ${bytesBudget} in all. Create it without overcommit, or the device with a larger memoryBudget`;
  }

  private unreserved(): number {
    let bytes = 0;
    for (const surface of this.all.values()) if (surface.shape.overcommit) bytes += surface.bytesHeld;
    return bytes;
  }
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
    this.mostPages = this.tiles * tilePages;
    this.reserved = shape.overcommit ? 0 : this.mostPages * S.PAGE_SIZE;
    const stride = S.SURFACE_TILE_PAGES + tilePages * 4;
    const pool = owner.pool.address;
    allocator.reserve(this.reserved, shape.label);
    try {
      this.address = allocator.allocate(aligned(S.SURFACE_RECORD_BYTES) + this.tiles * stride, shape.label);
    } catch (error) {
      allocator.release(this.reserved);
      throw error;
    }
    const view = new DataView(owner.parts.memory.buffer, this.address, S.SURFACE_RECORD_BYTES);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    put(S.SURFACE_FORMAT, shape.format);
    put(S.SURFACE_BYTES_TEXEL, shape.texelBytes);
    put(S.SURFACE_SAMPLES, shape.samples);
    put(S.SURFACE_WIDTH, shape.width);
    put(S.SURFACE_HEIGHT, shape.height);
    put(S.SURFACE_TILES_X, tilesX);
    put(S.SURFACE_TILES, this.tiles);
    put(S.SURFACE_TILES_ADDRESS, this.address + aligned(S.SURFACE_RECORD_BYTES));
    put(S.SURFACE_TILE_STRIDE, stride);
    put(S.SURFACE_POOL, pool);
    put(S.SURFACE_ENCODES, owner.encodes ? 1 : 0);
    view.setFloat32(S.SURFACE_THRESHOLD, shape.mergeThreshold, true);
  }

  get pagesHeld(): number { return new Uint32Array(this.owner.parts.memory.buffer)[(this.address + S.SURFACE_PAGES_HELD) >>> 2]!; }
  get bytesHeld(): number { return this.pagesHeld * S.PAGE_SIZE; }

  /** What it would hold if every sample had its texel. */
  get bytesUncompressed(): number { return this.mostPages * S.PAGE_SIZE; }

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
