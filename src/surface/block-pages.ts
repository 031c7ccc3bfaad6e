// Page tables of a compressed texture that is not kept decoded (layout/texture/block-texture.ts), one per worker.
// Workers fill their own tables while they run; the main thread changes the tables only between jobs.
import { alignUp } from '../base/bits';
import { BLOCK_PAGE_BYTES, BLOCK_PAGE_STEP } from '../../assembly/layout/texture/texture-stream-codes';
import { BlockCache, BlockLevel, BlockTexture, PageEntry, TextureStream } from '../../build/layout';
import type { Allocator } from '../memory';
import type { BlockMemory } from './block-memory';
import type { LevelLayout } from './texture-store';

/** log2 of the side, in texels, of the largest page for a texel size (a power of two). */
const pageShiftOf = (texelBytes: number): number => Math.min(6, (31 - Math.clz32(BLOCK_PAGE_BYTES / texelBytes)) >> 1);

/** Addresses of the workers' BLOCK CACHE records. */
export type WorkerCaches = readonly number[];

export class BlockPages {
  /** Address of the TEXTURE STREAM record. */
  readonly record: number;
  /** Address of the first worker's entries. */
  readonly table: number;
  /** Layout of the entries of each level, relative to `table`: rows of entries, and layers. */
  readonly levels: readonly LevelLayout[];
  private readonly tableBytes: number;
  private readonly pageShift: number;

  /**
   * @throws OutOfMemoryError
   */
  constructor(
    private readonly allocator: Allocator,
    private readonly device: WebAssembly.Memory,
    private readonly memory: BlockMemory,
    private readonly caches: WorkerCaches,
    label: string
  ) {
    const { texelBytes, levels } = memory.planes[0];
    const side = 1 << pageShiftOf(texelBytes);
    this.pageShift = pageShiftOf(texelBytes);
    let offset = 0;
    this.levels = levels.map(({ width, height, layers }) => {
      const rowBytes = Math.ceil(width / side) * PageEntry.bytes;
      const layerBytes = rowBytes * Math.ceil(height / side);
      const level = { offset, width, height, layers, rowBytes, layerBytes };
      offset += layerBytes * layers;
      return level;
    });
    this.tableBytes = alignUp(offset, 64);
    const blocks = alignUp(TextureStream.bytes, 64);
    const tables = blocks + alignUp(BlockTexture.bytes, 64);
    this.record = allocator.allocate(tables + caches.length * this.tableBytes, `pages of ${label}`);
    this.table = this.record + tables;
    this.write(this.record + blocks);
  }

  private write(blocks: number): void {
    const { memory, record, pageShift } = this;
    const u32 = new Uint32Array(this.device.buffer);
    const put = (address: number, value: number): void => {
      u32[address >>> 2] = value;
    };
    put(record + TextureStream.pageShift, pageShift);
    put(record + TextureStream.texelShift, 31 - Math.clz32(memory.planes[0].texelBytes));
    // There is no smaller level that could replace a page.
    put(record + TextureStream.waits, 1);
    put(record + TextureStream.tableBytes, this.tableBytes);
    put(record + TextureStream.blocks, blocks);
    put(blocks + BlockTexture.code, memory.block.code);
    put(blocks + BlockTexture.levelCount, this.levels.length);
    put(blocks + BlockTexture.table, this.table);
    this.levels.forEach((level, index) => {
      const at = blocks + BlockTexture.levels + index * BlockLevel.bytes;
      const from = memory.blocks.levels[index]!;
      put(at + BlockLevel.first, level.offset);
      put(at + BlockLevel.entryRowBytes, level.rowBytes);
      put(at + BlockLevel.entryLayerBytes, level.layerBytes);
      put(at + BlockLevel.blocks, memory.blocks.address + from.offset);
      put(at + BlockLevel.rowBytes, from.rowBytes);
      put(at + BlockLevel.layerBytes, from.layerBytes);
      put(at + BlockLevel.width, level.width);
      put(at + BlockLevel.height, level.height);
    });
  }

  /** Discards the decoded pages of rows of blocks in layers of a level. */
  written(level: number, [from, layers]: readonly [number, number], [row, rows]: readonly [number, number]): void {
    const { offset, rowBytes, layerBytes, height } = this.levels[level]!;
    const { block } = this.memory;
    const first = (row * block.height) >> this.pageShift;
    const end = ((Math.min(height, (row + rows) * block.height) - 1) >> this.pageShift) + 1;
    for (let layer = from; layer < from + layers; layer++) {
      const at = this.table + offset + layer * layerBytes;
      this.forget(at + first * rowBytes, at + end * rowBytes);
    }
  }

  /** Discards the pages of a range of entries, given by its addresses in the first worker's table, for all workers. */
  private forget(first: number, end: number): void {
    const u32 = new Uint32Array(this.device.buffer);
    this.caches.forEach((cache, worker) => {
      const pages = u32[(cache + BlockCache.pages) >>> 2]!;
      const step = worker * this.tableBytes;
      for (let entry = first + step; entry < end + step; entry += PageEntry.bytes) {
        const page = u32[(entry + PageEntry.page) >>> 2]!;
        if (page === 0) continue;
        u32[(entry + PageEntry.page) >>> 2] = 0;
        u32[(cache + BlockCache.owners) / 4 + (page - pages) / BLOCK_PAGE_STEP] = 0;
      }
    });
  }

  /** Must not be called while a worker runs. */
  destroy(): void {
    this.forget(this.table, this.table + this.tableBytes);
    this.allocator.free(this.record);
  }
}
