// Memory of a streamed texture (layout/texture-stream.ts): entries for all of its pages, and those pages that are
// there. Which are loaded, and when they go, is for src/schedule/page-loads.ts to say.
import { PageEntry, TextureStream } from '../../build/layout';
import type { Allocator } from '../memory';
import type { LevelLayout, Plane, PlaneShape, TexturePlanes } from './texture-store';

/** A page, by its level, its column and row among the level's pages, and its array layer, or slice of a volume. */
export interface PagePlace {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

export interface PageTableParts { readonly allocator: Allocator; readonly memory: WebAssembly.Memory }
/** `pageSize`: texels on a side, a power of two. `waits`: nothing stands for pages that are not there. */
export interface PageTableShape extends PlaneShape { readonly pageSize: number; readonly waits: boolean }

/** Layers of a level, or slices of a volume's. */
export const layersOf = (
  { dimension, depthOrArrayLayers: all }: Pick<PlaneShape, 'dimension' | 'depthOrArrayLayers'>, level: number
): number => (dimension === '3d' ? Math.max(1, all >> level) : all);

/** log2 of a power of two. */
const shiftOf = (power: number): number => 31 - Math.clz32(power);

export class PageTable implements TexturePlanes {
  /** Vector loads may read this far beyond the last texel of a page. */
  static readonly SLACK_BYTES = 32;
  readonly planes: readonly [Plane];
  /** Of the entries; pages come and go. */
  readonly bytes: number;
  /** How many pages the texture has. */
  readonly count: number;
  /** Address of the STREAM record. */
  readonly record: number;
  private readonly pages = new Map<number, number>();
  private alive = true;

  /** Throws OutOfMemoryError. */
  constructor(private readonly parts: PageTableParts, readonly shape: PageTableShape, private readonly label: string) {
    const { pageSize, mipLevelCount, format } = shape, levels: LevelLayout[] = [];
    const first = Math.ceil(TextureStream.bytes / 64) * 64;
    let offset = first;
    for (let level = 0; level < mipLevelCount; level++) {
      const width = Math.max(1, shape.width >> level), height = Math.max(1, shape.height >> level);
      const rowBytes = Math.ceil(width / pageSize) * PageEntry.bytes;
      const layerBytes = rowBytes * Math.ceil(height / pageSize), layers = layersOf(shape, level);
      levels.push({ offset, width, height, layers, rowBytes, layerBytes });
      offset += layerBytes * layers;
    }
    this.bytes = offset;
    this.count = (offset - first) / PageEntry.bytes;
    this.record = parts.allocator.allocate(offset, label);
    this.planes = [{ texelBytes: format.bytes, levels, bytes: offset, address: this.record, surface: null }];
    this.put(TextureStream.pageShift, shiftOf(pageSize));
    this.put(TextureStream.texelShift, shiftOf(format.bytes));
    this.put(TextureStream.waits, shape.waits ? 1 : 0);
  }

  plane(): Plane { return this.planes[0]; }

  /** What pages read from now on have as `usedAt`. */
  set now(pass: number) { this.put(TextureStream.now, pass); }

  /** Texels of a page: less than a square at the right and lower edge. */
  sizeOf({ level, x, y }: PagePlace): readonly [number, number] {
    const { width, height } = this.planes[0].levels[level]!, { pageSize } = this.shape;
    return [Math.min(pageSize, width - x * pageSize), Math.min(pageSize, height - y * pageSize)];
  }

  /** What a page takes, in rows of whole pages. */
  bytesOf(place: PagePlace): number {
    return this.sizeOf(place)[1] * this.shape.pageSize * this.shape.format.bytes + PageTable.SLACK_BYTES;
  }

  /** What all pages take, at the most. */
  get mostBytes(): number {
    const { pageSize, format } = this.shape;
    return this.count * (pageSize * pageSize * format.bytes + PageTable.SLACK_BYTES);
  }

  /** Columns and rows of pages in a level. */
  extentOf(level: number): readonly [number, number] {
    const { width, height } = this.planes[0].levels[level]!, { pageSize } = this.shape;
    return [Math.ceil(width / pageSize), Math.ceil(height / pageSize)];
  }

  /** Address of a page's entry. */
  entryOf({ level, x, y, layer }: PagePlace): number {
    const { offset, rowBytes, layerBytes } = this.planes[0].levels[level]!;
    return this.record + offset + layer * layerBytes + y * rowBytes + x * PageEntry.bytes;
  }

  /** Whether an entry is one of this texture's. */
  has(entry: number): boolean { return entry >= this.record && entry < this.record + this.bytes; }

  placeOf(entry: number): PagePlace {
    const { levels } = this.planes[0], from = entry - this.record;
    let level = levels.length - 1;
    while (level > 0 && levels[level]!.offset > from) level--;
    const { offset, rowBytes, layerBytes } = levels[level]!, at = from - offset, inLayer = at % layerBytes;
    return {
      level, layer: Math.floor(at / layerBytes), y: Math.floor(inLayer / rowBytes),
      x: (inLayer % rowBytes) / PageEntry.bytes,
    };
  }

  /** Puts a page's texels, rows without gaps, where kernels find them: also while they run. Throws OutOfMemoryError. */
  install(entry: number, texels: Uint8Array): void {
    const { memory, allocator } = this.parts, place = this.placeOf(entry), [width, height] = this.sizeOf(place);
    const { pageSize, format } = this.shape, rowBytes = width * format.bytes, strideBytes = pageSize * format.bytes;
    const address = allocator.allocate(this.bytesOf(place), `a page of ${this.label}`);
    const bytes = new Uint8Array(memory.buffer);
    if (rowBytes === strideBytes) bytes.set(texels, address);
    else
      for (let row = 0; row < height; row++)
        bytes.set(texels.subarray(row * rowBytes, (row + 1) * rowBytes), address + row * strideBytes);
    this.pages.set(entry, address);
    const words = new Int32Array(memory.buffer);
    // As if it had been read: it is not the first to go.
    words[(entry + PageEntry.used) >>> 2] = words[(this.record + TextureStream.now) >>> 2]!;
    // Behind the texels, for those who do not wait.
    Atomics.store(words, (entry + PageEntry.page) >>> 2, address);
  }

  /** Only while no kernel reads the texture. */
  evict(entry: number): void {
    const { memory, allocator } = this.parts;
    new Int32Array(memory.buffer)[(entry + PageEntry.page) >>> 2] = 0;
    allocator.free(this.pages.get(entry)!);
    this.pages.delete(entry);
  }

  usedAt(entry: number): number {
    return new Uint32Array(this.parts.memory.buffer)[(entry + PageEntry.used) >>> 2]!;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const address of this.pages.values()) this.parts.allocator.free(address);
    this.pages.clear();
    this.parts.allocator.free(this.record);
  }

  private put(field: number, value: number): void {
    new Uint32Array(this.parts.memory.buffer)[(this.record + field) >>> 2] = value;
  }
}
