// Memory of a streamed texture (layout/texture/texture-stream.ts): the entries of its pages, and its resident pages.
// Entries are identified by their numbers. src/schedule/page-loads.ts decides which pages are loaded and evicted.
import { PAGE_CHUNK_SHIFT, PAGE_TABLE_BYTES, SPARSE_ENTRY } from '../../assembly/layout/texture/texture-stream-codes';
import { PageEntry, TextureStream } from '../../build/layout';
import { alignUp } from '../base/bits';
import { unreachable } from '../base/assert';
import type { Allocator } from '../memory';
import type { DecodeRow } from './block-memory';
import type { EntryNumbers } from './entry-numbers';
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
  readonly numbers: EntryNumbers;
}
/** A chunk of a sparse table's entries: its address, and how many of its pages are resident. */
interface Chunk {
  readonly address: number;
  pages: number;
}
const CHUNK_BYTES = 1 << PAGE_CHUNK_SHIFT;
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
  /** Total number of pages of the texture. */
  readonly count: number;
  /** Address of the STREAM record. */
  readonly record: number;
  private readonly pages = new Map<number, number>();
  /** Bytes of all entries, of which a sparse table holds a part; number of the first entry. */
  private readonly tableBytes: number;
  private readonly first: number;
  /** Sparse tables: address of the directory, and the chunks by the addresses of their slots there. */
  private readonly directory: number = 0;
  private readonly chunks = new Map<number, Chunk>();
  private readonly fixedBytes: number;
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
    let offset = 0;
    for (let level = 0; level < mipLevelCount; level++) {
      const width = Math.max(1, shape.width >> level);
      const height = Math.max(1, shape.height >> level);
      const rowBytes = Math.ceil(width / pageSize) * PageEntry.bytes;
      const layerBytes = rowBytes * Math.ceil(height / pageSize);
      const layers = layersOf(shape, level);
      levels.push({ offset, width, height, layers, rowBytes, layerBytes });
      offset += layerBytes * layers;
    }
    this.tableBytes = offset;
    this.count = offset / PageEntry.bytes;
    const recordBytes = alignUp(TextureStream.bytes, 64);
    const isSparse = offset > PAGE_TABLE_BYTES;
    const slots = isSparse ? Math.ceil(offset / CHUNK_BYTES) : 0;
    this.fixedBytes = recordBytes + (isSparse ? CHUNK_BYTES + slots * 4 : offset);
    this.record = parts.allocator.allocate(this.fixedBytes, label);
    this.first = this.record + recordBytes;
    if (isSparse) {
      this.directory = this.record + recordBytes + CHUNK_BYTES;
      this.first = this.takeNumbers(slots * CHUNK_BYTES);
      new Uint32Array(parts.memory.buffer, this.directory, slots).fill(this.noPages);
      this.put(TextureStream.directory, this.directory - ((this.first >>> PAGE_CHUNK_SHIFT) << 2));
    }
    this.planes = [{ texelBytes: format.bytes, levels, bytes: offset, address: this.first, surface: null }];
    this.put(TextureStream.pageShift, shiftOf(pageSize));
    this.put(TextureStream.texelShift, shiftOf(format.bytes));
    this.put(TextureStream.waits, shape.waits ? 1 : 0);
  }

  private takeNumbers(bytes: number): number {
    try {
      return this.parts.numbers.take(bytes, this.label) + SPARSE_ENTRY;
    } catch (error) {
      this.parts.allocator.free(this.record);
      throw error;
    }
  }

  /** Bytes of the entries that exist; pages are allocated separately. */
  get bytes(): number {
    return this.fixedBytes + this.chunks.size * CHUNK_BYTES;
  }

  /** Sparse tables: address of the chunk of zeros that stands for all chunks without resident pages. */
  private get noPages(): number {
    return this.directory - CHUNK_BYTES;
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
    this.forgetPages();
  }

  /** Makes kernels find pages anew and note that they were read. */
  private forgetPages(): void {
    this.put(
      TextureStream.version,
      new Uint32Array(this.parts.memory.buffer)[(this.record + TextureStream.version) >>> 2]! + 1
    );
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

  /** The number of a page's entry. */
  entryOf({ level, x, y, layer }: PagePlace): number {
    const { offset, rowBytes, layerBytes } = this.planes[0].levels[level]!;
    return this.first + offset + layer * layerBytes + y * rowBytes + x * PageEntry.bytes;
  }

  /** Whether an entry belongs to this texture. */
  has(entry: number): boolean {
    const { first, tableBytes } = this;
    return entry >= first && entry < first + tableBytes && (entry & SPARSE_ENTRY) === (first & SPARSE_ENTRY);
  }

  /** Sparse tables: address of the slot of an entry's chunk in the directory. */
  private slotOf(entry: number): number {
    return this.directory + Math.floor((entry - this.first) / CHUNK_BYTES) * 4;
  }

  /** Address of an entry in its chunk, which may be that of zeros. */
  private addressOf(entry: number): number {
    if (this.directory === 0) return entry;
    const chunk = new Uint32Array(this.parts.memory.buffer)[this.slotOf(entry) >>> 2]!;
    return chunk + ((entry - this.first) % CHUNK_BYTES);
  }

  placeOf(entry: number): PagePlace {
    const { levels } = this.planes[0];
    const from = entry - this.first;
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
      if (this.directory !== 0) this.addToChunk(this.slotOf(entry));
    } catch (error) {
      allocator.free(address);
      throw error;
    }
    this.pages.set(entry, address);
    const words = new Int32Array(memory.buffer);
    // Counts as a read, so that the page is not the first to be evicted.
    const at = this.addressOf(entry);
    words[(at + PageEntry.used) >>> 2] = words[(this.record + TextureStream.now) >>> 2]!;
    // Stored after the texels, because running kernels may read the entry at any time.
    Atomics.store(words, (at + PageEntry.page) >>> 2, address);
  }

  /** Counts a resident page for the chunk of a slot, and allocates the chunk if it is the first one. */
  private addToChunk(slot: number): void {
    const { allocator, memory } = this.parts;
    let chunk = this.chunks.get(slot);
    if (!chunk) {
      chunk = { address: allocator.allocate(CHUNK_BYTES, `page entries of ${this.label}`), pages: 0 };
      this.chunks.set(slot, chunk);
      Atomics.store(new Int32Array(memory.buffer), slot >>> 2, chunk.address);
    }
    chunk.pages++;
  }

  private removeFromChunk(slot: number): void {
    const chunk = this.chunks.get(slot)!;
    if (--chunk.pages > 0) return;
    new Int32Array(this.parts.memory.buffer)[slot >>> 2] = this.noPages;
    this.chunks.delete(slot);
    this.parts.allocator.free(chunk.address);
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
    new Int32Array(memory.buffer)[(this.addressOf(entry) + PageEntry.page) >>> 2] = 0;
    this.forgetPages();
    if (this.directory !== 0) this.removeFromChunk(this.slotOf(entry));
    allocator.free(this.pages.get(entry)!);
    this.pages.delete(entry);
  }

  usedAt(entry: number): number {
    return new Uint32Array(this.parts.memory.buffer)[(this.addressOf(entry) + PageEntry.used) >>> 2]!;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const address of this.pages.values()) this.parts.allocator.free(address);
    this.pages.clear();
    for (const { address } of this.chunks.values()) this.parts.allocator.free(address);
    this.chunks.clear();
    if (this.directory !== 0) this.parts.numbers.free(this.first - SPARSE_ENTRY);
    this.parts.allocator.free(this.record);
  }

  private put(field: number, value: number): void {
    new Uint32Array(this.parts.memory.buffer)[(this.record + field) >>> 2] = value;
  }
}
