// Stored tiles (layout/surface/surface.ts): locates their bytes and reads the sample of a single pixel. encode.ts
// writes whole tiles, decode.ts reads them.

import {
  BLOCK_PIXELS,
  numberBytes,
  PAGE_SHIFT,
  PAGE_SIZE,
  Pool,
  Reads,
  Subsets,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_SUBSET,
  SurfaceTile,
  TILE_BLOCKS,
  up16,
} from '../layout';
import { pixelAt } from '../simd/positions';
import { givePage, takePage } from './pool';

/**
 * u64: bytes of pages that were read and written. The testing build counts them at each access, to verify the published
 * counters, which derive them from the operations on tiles, blocks and texels.
 */
const TOUCHED: usize = memory.data(8, 8);

export function touchedBytes(): usize {
  return TOUCHED;
}

function touch(bytes: u32): void {
  if (isDefined(TESTING)) store<u64>(TOUCHED, load<u64>(TOUCHED) + bytes);
}

/** Address of a range of a tile that lies within one page, to read or to write. */
export function bytesAt(tile: SurfaceTile, offset: u32, bytes: u32): usize {
  touch(bytes);
  return byteAt(tile, offset);
}

/** Address of a byte of a tile. */
function byteAt(tile: SurfaceTile, offset: u32): usize {
  return load<u32>(tile.pages + ((offset >> PAGE_SHIFT) << 2)) + (offset & (PAGE_SIZE - 1));
}

/** Copies `length` bytes from `at` into the tile if `puts`, else from the tile to `at`. */
export function moveBytes(tile: SurfaceTile, offset: u32, at: usize, length: u32, puts: bool): void {
  while (length) {
    const part = min<u32>(length, PAGE_SIZE - (offset & (PAGE_SIZE - 1)));
    const byte = bytesAt(tile, offset, part);
    memory.copy(puts ? byte : at, puts ? at : byte, part);
    offset += part;
    at += part;
    length -= part;
  }
}

/** The SURFACE_* state of a block. */
export function blockState(tile: SurfaceTile, block: i32): i32 {
  const state = tile.state;
  return state == SURFACE_SUBSET ? load<u8>(tile.blockStates + block) : state;
}

/**
 * Pixels of the block that begins at (x, y) that are stored with more than one value (one bit per pixel). Texels are
 * not compared: in a block in state SURFACE_FULL, all pixels count.
 */
export function multiValuePixels(surface: Surface, x: i32, y: i32): u64 {
  if (!surface.encodes || !surface.holds(x, y)) return 0;
  const tile = surface.tile(surface.tileOf(x, y));
  const block = pixelAt(x, y) >> 6;
  const state = blockState(tile, block);
  if (state != SURFACE_SUBSET) return state == SURFACE_FULL ? u64.MAX_VALUE : 0;
  return changetype<Subsets>(byteAt(tile, blockOffset(surface, tile, block))).divided;
}

/** Offset of the block's bytes within its tile. */
export function blockOffset(surface: Surface, tile: SurfaceTile, block: i32): u32 {
  const state = tile.state;
  if (state == SURFACE_SUBSET) return load<u16>(tile.blockOffsets + (block << 1)) << 4;
  const texels = state == SURFACE_FULL ? surface.samples : 1;
  return block * BLOCK_PIXELS * texels * surface.texelBytes;
}

/** Bytes that a block takes in its tile. */
export function blockBytes(surface: Surface, tile: SurfaceTile, block: i32): u32 {
  const state = tile.state;
  if (state == SURFACE_CLEAR) return 0;
  const end = block + 1 < TILE_BLOCKS ? blockOffset(surface, tile, block + 1) : tile.length;
  return end - blockOffset(surface, tile, block);
}

/** Bytes of a SUBSETS record for texels of `bytes` bytes, `pixels` divided pixels and `count` additional values. */
export function subsetBytes(bytes: i32, pixels: i32, count: i32): i32 {
  return (
    changetype<usize>(changetype<Subsets>(0).texels)
    + up16(BLOCK_PIXELS * bytes)
    + numberBytes(pixels, count)
    + up16(count << 1)
    + up16(count * bytes)
  );
}

/**
 * Adjusts the tile's page list to `length` bytes. Returns false when the pool runs out of pages; the tile then keeps
 * the pages that it had.
 */
export function holdPages(surface: Surface, tile: SurfaceTile, length: u32): bool {
  const pool = surface.pool;
  const held = tile.pageCount;
  const needed = (length + PAGE_SIZE - 1) >> PAGE_SHIFT;
  if (needed == held) return true;
  for (let i = held; i < needed; i++) {
    const page = takePage(pool);
    if (!page) {
      giveFrom(pool, tile, held, i);
      pool.missed = surface;
      return false;
    }
    store<u32>(tile.pages + (i << 2), page);
  }
  giveFrom(pool, tile, needed, held);
  tile.pageCount = needed;
  atomic.add<i32>(changetype<usize>(surface) + offsetof<Surface>('pagesHeld'), needed - held);
  return true;
}

/** Returns the pages from `first` up to `end` (exclusive) to the pool. */
function giveFrom(pool: Pool, tile: SurfaceTile, first: u32, end: u32): void {
  for (let i = first; i < end; i++) givePage(pool, load<usize>(tile.pages + (i << 2)));
}

/** Bytes that reading one texel takes from the head of a SUBSETS record. */
const HEAD_BYTES = 12;

/** Index of a sample's texel within a block in state SURFACE_FULL. */
export function fullTexel(samples: i32, pixel: i32, sample: i32): i32 {
  return samples == 2 ? (pixel << 1) + sample : (((sample >> 2) * BLOCK_PIXELS) << 2) + (pixel << 2) + (sample & 3);
}

/** Adds to the statistics: `length` bytes that a load or a store of `blocks` blocks moved. */
export function countMovedBytes(surface: Surface, length: u32, blocks: i32): void {
  addMoved(surface, length, blocks * BLOCK_PIXELS * surface.samples);
}

/** Adds the counted reads to the surface's statistics and resets the counts. */
export function noteReads(reads: Reads): void {
  addMoved(reads.surface, reads.moved, reads.texels);
  reads.moved = 0;
  reads.texels = 0;
}

function addMoved(surface: Surface, bytes: u32, texels: u32): void {
  atomic.add<u64>(changetype<usize>(surface) + offsetof<Surface>('moved'), bytes);
  atomic.add<u64>(changetype<usize>(surface) + offsetof<Surface>('movedFull'), <u64>texels * surface.texelBytes);
}

/**
 * Address of the texel of one sample of the surface in `reads`; 0 outside the surface. The read is counted, so the
 * caller reads the texel at once.
 */
export function sampleAddress(reads: Reads, x: i32, y: i32, sample: i32): usize {
  const surface = reads.surface;
  if (!surface.holds(x, y) || <u32>sample >= <u32>surface.samples) return 0;
  if (surface.uniform) {
    reads.texels += 1;
    return surface.clear;
  }
  return storedTexel(reads, surface.tile(surface.tileOf(x, y)), pixelAt(x, y), sample);
}

/** As sampleAddress, for a sample of a tile; `pixel` is block·64 + quad·4 + pixel. */
export function storedTexel(reads: Reads, tile: SurfaceTile, pixel: i32, sample: i32): usize {
  const surface = reads.surface;
  reads.texels += 1;
  const block = pixel >> 6;
  const inBlock = pixel & 63;
  const state = blockState(tile, block);
  if (state == SURFACE_CLEAR) return tile.clear;
  const bytes = surface.texelBytes;
  reads.moved += bytes;
  let offset = blockOffset(surface, tile, block);
  if (state == SURFACE_1SPP) offset += inBlock * bytes;
  else if (state == SURFACE_FULL) offset += fullTexel(surface.samples, inBlock, sample) * bytes;
  else offset += subsetsTexel(reads, tile, offset, inBlock, sample);
  return bytesAt(tile, offset, bytes);
}

/**
 * The same for one sample of each of a quad's four pixels, which are all within the surface. (x, y) is the first
 * pixel. The four addresses (u32) go to `out`.
 */
export function quadAddresses(reads: Reads, x: i32, y: i32, sample: i32, out: usize): void {
  const surface = reads.surface;
  const tile = surface.tile(surface.tileOf(x, y));
  const pixel = pixelAt(x, y);
  const state = blockState(tile, pixel >> 6);
  const offset = blockOffset(surface, tile, pixel >> 6);
  const bytes = surface.texelBytes;
  reads.texels += 4;
  if (state != SURFACE_CLEAR) reads.moved += bytes << 2;
  for (let i = 0; i < 4; i++) {
    const inBlock = (pixel & 63) + i;
    let at = tile.clear;
    if (state == SURFACE_1SPP) at = bytesAt(tile, offset + inBlock * bytes, bytes);
    else if (state == SURFACE_FULL)
      at = bytesAt(tile, offset + fullTexel(surface.samples, inBlock, sample) * bytes, bytes);
    else if (state == SURFACE_SUBSET)
      at = bytesAt(tile, offset + subsetsTexel(reads, tile, offset, inBlock, sample), bytes);
    store<u32>(out + (i << 2), at);
  }
}

/**
 * The SUBSETS record of a block, for statistics. Only its head is sure to be contiguous: what follows may be in
 * another page.
 */
export function subsetsOf(surface: Surface, tile: SurfaceTile, block: i32): Subsets {
  return changetype<Subsets>(byteAt(tile, blockOffset(surface, tile, block)));
}

/** Offset of a sample's texel from the start of the SUBSETS record at `offset` in the tile. */
function subsetsTexel(reads: Reads, tile: SurfaceTile, offset: u32, pixel: i32, sample: i32): u32 {
  const bytes = reads.surface.texelBytes;
  const record = changetype<Subsets>(bytesAt(tile, offset, HEAD_BYTES));
  reads.moved += HEAD_BYTES;
  const divided = record.divided;
  const texels = <u32>changetype<Subsets>(0).texels;
  const bit = (<u64>1) << pixel;
  if (divided & bit) {
    const numbers = texels + up16(BLOCK_PIXELS * bytes);
    const pixels = <u32>popcnt(divided);
    const masks = numbers + numberBytes(pixels, record.count);
    let number = <u32>popcnt(divided & (bit - 1));
    let end = number + 1;
    if (masks != numbers) {
      const at = offset + numbers + (number << 1);
      number = load<u16>(bytesAt(tile, at, 2));
      end = load<u16>(bytesAt(tile, at + 2, 2));
      reads.moved += 4;
    }
    for (; number < end; number++) {
      reads.moved += 2;
      if ((load<u16>(bytesAt(tile, offset + masks + (number << 1), 2)) >> sample) & 1)
        return masks + up16(record.count << 1) + number * bytes;
    }
  }
  // No mask contains the sample, so it holds the pixel's first value.
  return texels + pixel * bytes;
}
