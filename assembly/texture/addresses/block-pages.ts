// Page cache for compressed textures that are not stored decoded (layout/texture/block-texture.ts). A worker that reads
// a missing page decodes it from the blocks and replaces one that it has not used for long. Which page is replaced does
// not affect what is read.
import { blockBytes, decodeFrom } from '../../blocks/decode';
import { Sink } from '../../blocks/image';
import {
  BLOCK_CODES,
  MAX_BLOCK_PAGE_READS,
  BLOCK_PAGE_STEP,
  BlockCache,
  BlockLevel,
  BlockTexture,
  PageEntry,
  QuadRead,
  TextureStream,
} from '../../layout';

/** The number of pages considered for replacement; the least recently used of them is replaced. */
const WINDOW: u32 = 16;

/** Records a use of a page. */
// @ts-ignore: decorator
@inline export function noteLook(cache: BlockCache, entry: PageEntry): void {
  const clock = cache.clock + 1;
  cache.clock = clock;
  entry.used = clock;
}

/** How many uses ago a page was last used; the maximum for a free page. */
function ageOf(cache: BlockCache, index: u32): u32 {
  const owner = changetype<PageEntry>(load<usize>(cache.owners + (index << 2)));
  return owner ? cache.clock - owner.used : u32.MAX_VALUE;
}

/** Address of a page for `entry`: a free page, or that of another entry, which loses it. */
function takePage(cache: BlockCache, entry: PageEntry): usize {
  const count = cache.count;
  let at = cache.hand;
  let oldest: u32 = at;
  let age: u32 = 0;
  // Pages that were used a moment ago are kept, because texels of them have yet to be read.
  for (let looked: u32 = 0; looked < count && (looked < WINDOW || age <= <u32>MAX_BLOCK_PAGE_READS); looked++) {
    const other = ageOf(cache, at);
    if (other > age) {
      age = other;
      oldest = at;
    }
    if (++at == count) at = 0;
    if (age == u32.MAX_VALUE) break;
  }
  cache.hand = at;
  const slot = cache.owners + (oldest << 2);
  const owner = changetype<PageEntry>(load<usize>(slot));
  if (owner) owner.page = 0;
  store<usize>(slot, changetype<usize>(entry));
  return cache.pages + oldest * BLOCK_PAGE_STEP;
}

/** The level whose entries contain this offset in a worker's table. */
function levelAt(blocks: BlockTexture, offset: u32): BlockLevel {
  let index = blocks.levelCount - 1;
  while (index > 0 && offset < blocks.level(index).first) index--;
  return blocks.level(index);
}

/**
 * Decodes the blocks of a page, from texel (x, y) of the level on; `rows` is the address of the layer's first block.
 */
function decodeTexels(stream: TextureStream, level: BlockLevel, rows: usize, x: i32, y: i32, sink: Sink): void {
  const format = stream.blocks.code;
  const blockWidth = (format >> 8) & 255;
  const blockHeight = format >> 16;
  const texelShift = stream.texelShift;
  const page = sink.at;
  const step = blockBytes(format & BLOCK_CODES);
  const right = min<i32>(x + (1 << stream.pageShift), level.width);
  const bottom = min<i32>(y + (1 << stream.pageShift), level.height);
  for (let top = y; top < bottom;) {
    const row = top / blockHeight;
    const low = (row + 1) * blockHeight;
    const cut = top - row * blockHeight;
    const line = page + (top - y) * sink.rowBytes;
    sink.height = bottom - top;
    for (let left = x; left < right;) {
      const column = left / blockWidth;
      sink.at = line + ((left - x) << texelShift);
      sink.width = right - left;
      decodeFrom(format, rows + row * level.rowBytes + column * step, sink, left - column * blockWidth, cut);
      left = (column + 1) * blockWidth;
    }
    top = low;
  }
}

/** Decodes a page that the worker does not have. */
export function decodePage(stream: TextureStream, entry: PageEntry, read: QuadRead): void {
  const blocks = stream.blocks;
  const cache = read.decoded;
  const shift = stream.pageShift;
  let offset = <u32>(changetype<usize>(entry) - blocks.table) - read.worker * stream.tableBytes;
  const level = levelAt(blocks, offset);
  offset -= level.first;
  const layer = offset / level.entryLayerBytes;
  offset -= layer * level.entryLayerBytes;
  const row = offset / level.entryRowBytes;
  const column = (offset - row * level.entryRowBytes) / <u32>offsetof<PageEntry>();
  const page = takePage(cache, entry);
  const sink = changetype<Sink>(cache.scratch);
  sink.at = page;
  sink.rowBytes = (1 << shift) << stream.texelShift;
  decodeTexels(stream, level, level.blocks + layer * level.layerBytes, column << shift, row << shift, sink);
  entry.page = page;
}
