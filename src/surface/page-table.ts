// Memory of a streamed texture (layout/texture/texture-stream.ts): the entries of all its pages, and its resident
// pages. src/schedule/page-loads.ts decides which pages are loaded and evicted.
import { PageEntry, TextureStream } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { Allocator } from '../memory';
import type { DecodeRow } from './block-memory';
import { blocksOfPage, decodePageBlocks } from './page-blocks';
import type { LevelLayout, Plane, PlaneShape, TexturePlanes } from './texture-store';

/** A page: its level, its column and row among the level's pages, and its array layer or slice of a 3D texture. */
export interface PagePlace {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/** `decodeRow`: for compressed formats. */
interface PageTableParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly decodeRow: DecodeRow | null;
}
/** `pageSize`: side of a page in texels, a power of two. `waits`: no smaller level replaces non-resident pages. */
interface PageTableShape extends PlaneShape {
  readonly pageSize: number;
  readonly waits: boolean;
}

/** The layers of a level, or the slices of a 3D texture's level. */
export const layersOf = (
  { dimension, depthOrArrayLayers: all }: Pick<PlaneShape, 'dimension' | 'depthOrArrayLayers'>,
  level: number
): number => (dimension === '3d' ? Math.max(1, all >> level) : all);

/** log2 of a power of two. */
const shiftOf = (power: number): number => 31 - Math.clz32(power);

export class PageTable implements TexturePlanes {
  /** Vector loads may read this far beyond the last texel of a page. */
  static readonly SLACK_BYTES = 32;
  readonly planes: readonly [Plane];
  /** Bytes of the entries; pages are allocated separately. */
  readonly bytes: number;
  /** Total number of pages of the texture. */
  readonly count: number;
  /** Address of the STREAM record. */
  readonly record: number;
  private readonly pages = new Map<number, number>();
  private alive = true;

  /**
   * @throws OutOfMemoryError
   */
  constructor(
    private readonly parts: PageTableParts,
    readonly shape: PageTableShape,
    private readonly label: string
  ) {
    const { pageSize, mipLevelCount, format } = shape;
    const levels: LevelLayout[] = [];
    const first = Math.ceil(TextureStream.bytes / 64) * 64;
    let offset = first;
    for (let level = 0; level < mipLevelCount; level++) {
      const width = Math.max(1, shape.width >> level);
      const height = Math.max(1, shape.height >> level);
      const rowBytes = Math.ceil(width / pageSize) * PageEntry.bytes;
      const layerBytes = rowBytes * Math.ceil(height / pageSize);
      const layers = layersOf(shape, level);
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

  plane(): Plane {
    return this.planes[0];
  }

  /** The value of `usedAt` for pages that are read from now on. */
  get now(): number {
    return new Uint32Array(this.parts.memory.buffer)[(this.record + TextureStream.now) >>> 2]!;
  }
  set now(pass: number) {
    this.put(TextureStream.now, pass);
  }

  /** Texels of a page; less than a full square at the right and lower edges. */
  sizeOf({ level, x, y }: PagePlace): readonly [number, number] {
    const { width, height } = this.planes[0].levels[level]!;
    const { pageSize } = this.shape;
    return [Math.min(pageSize, width - x * pageSize), Math.min(pageSize, height - y * pageSize)];
  }

  /** What a source delivers for a page: its texels, or for compressed formats the blocks that they are in. */
  sourceOf(place: PagePlace): { readonly bytes: number; readonly what: string } {
    const [width, height] = this.sizeOf(place);
    const { name, block, bytes } = this.shape.format;
    if (!block) return { bytes: width * height * bytes, what: `${width}×${height} texels of ${name}` };
    const { columns, rows } = blocksOfPage(block, this.texelsOf(place));
    return { bytes: columns * rows * block.bytes, what: `${columns}×${rows} blocks of ${name}` };
  }

  private texelsOf(place: PagePlace): { left: number; top: number; width: number; height: number } {
    const [width, height] = this.sizeOf(place);
    const { pageSize } = this.shape;
    return { left: place.x * pageSize, top: place.y * pageSize, width, height };
  }

  /** Bytes that a page takes, in rows of the full page width. */
  bytesOf(place: PagePlace): number {
    return this.sizeOf(place)[1] * this.shape.pageSize * this.shape.format.bytes + PageTable.SLACK_BYTES;
  }

  /** Upper bound of the bytes of all pages together. */
  get maxBytes(): number {
    const { pageSize, format } = this.shape;
    return this.count * (pageSize * pageSize * format.bytes + PageTable.SLACK_BYTES);
  }

  /** Columns and rows of pages in a level. */
  extentOf(level: number): readonly [number, number] {
    const { width, height } = this.planes[0].levels[level]!;
    const { pageSize } = this.shape;
    return [Math.ceil(width / pageSize), Math.ceil(height / pageSize)];
  }

  /** Address of a page's entry. */
  entryOf({ level, x, y, layer }: PagePlace): number {
    const { offset, rowBytes, layerBytes } = this.planes[0].levels[level]!;
    return this.record + offset + layer * layerBytes + y * rowBytes + x * PageEntry.bytes;
  }

  /** Whether an entry belongs to this texture. */
  has(entry: number): boolean {
    return entry >= this.record && entry < this.record + this.bytes;
  }

  placeOf(entry: number): PagePlace {
    const { levels } = this.planes[0];
    const from = entry - this.record;
    let level = levels.length - 1;
    while (level > 0 && levels[level]!.offset > from) level--;
    const { offset, rowBytes, layerBytes } = levels[level]!;
    const at = from - offset;
    const inLayer = at % layerBytes;
    return {
      level,
      layer: Math.floor(at / layerBytes),
      y: Math.floor(inLayer / rowBytes),
      x: (inLayer % rowBytes) / PageEntry.bytes,
    };
  }

  /**
   * Makes a page resident. `source` is what `sourceOf` describes, in rows without gaps. Kernels may run meanwhile.
   * @throws OutOfMemoryError
   */
  install(entry: number, source: Uint8Array): void {
    const { memory, allocator } = this.parts;
    const place = this.placeOf(entry);
    const address = allocator.allocate(this.bytesOf(place), `a page of ${this.label}`);
    try {
      this.write(place, source, address);
    } catch (error) {
      allocator.free(address);
      throw error;
    }
    this.pages.set(entry, address);
    const words = new Int32Array(memory.buffer);
    // Counts as a read, so that the page is not the first to be evicted.
    words[(entry + PageEntry.used) >>> 2] = words[(this.record + TextureStream.now) >>> 2]!;
    // Stored after the texels, because running kernels may read the entry at any time.
    Atomics.store(words, (entry + PageEntry.page) >>> 2, address);
  }

  /** Writes a page's texels. */
  private write(place: PagePlace, source: Uint8Array, to: number): void {
    const { allocator, memory, decodeRow } = this.parts;
    const { pageSize, format } = this.shape;
    const strideBytes = pageSize * format.bytes;
    const texels = this.texelsOf(place);
    if (format.block) {
      if (!decodeRow) unreachable('surface: a compressed page table without a decoder');
      const parts = { allocator, memory, decodeRow };
      decodePageBlocks(parts, format.block, format.bytes, texels, source, { to, strideBytes });
      return;
    }
    const bytes = new Uint8Array(memory.buffer);
    const rowBytes = texels.width * format.bytes;
    if (rowBytes === strideBytes) bytes.set(source, to);
    else
      for (let row = 0; row < texels.height; row++)
        bytes.set(source.subarray(row * rowBytes, (row + 1) * rowBytes), to + row * strideBytes);
  }

  /** Evicts a page. Must not be called while a kernel reads the texture. */
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
