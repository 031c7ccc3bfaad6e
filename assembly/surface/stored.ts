// Stored tiles (layout/surface/surface.ts): locates their bytes and reads the sample of a single pixel. encode.ts
// writes whole tiles, decode.ts reads them.

import {
  bitsOf,
  BLOCK_PIXELS,
  countBytes,
  DEPTH_PLANE_BYTES,
  DEPTHS,
  PAGE_SHIFT,
  PAGE_SIZE,
  Pool,
  Reads,
  someOf,
  spreadBits,
  Subsets,
  sumOf,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_SUBSET,
  SURFACE_UNIFORM,
  SurfaceTile,
  TILE_BLOCKS,
  up16,
} from '../layout';
import { pixelAt, sampleX, sampleY } from '../simd/positions';
import { planeDepth, storedPlane } from './depth-planes';
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
 * not compared: in a block in state SURFACE_FULL or SURFACE_PLANE, all pixels count.
 */
export function multiValuePixels(surface: Surface, x: i32, y: i32): u64 {
  if (!surface.encodes || !surface.holds(x, y)) return 0;
  const tile = surface.tile(surface.tileOf(x, y));
  const block = pixelAt(x, y) >> 6;
  const state = blockState(tile, block);
  if (state != SURFACE_SUBSET) return isOne(state) ? 0 : u64.MAX_VALUE;
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
  if (state == SURFACE_CLEAR || state == SURFACE_UNIFORM) return 0;
  const end = block + 1 < TILE_BLOCKS ? blockOffset(surface, tile, block + 1) : tile.length;
  return end - blockOffset(surface, tile, block);
}

/** Address of the first `bytes` bytes of the value of a block in state SURFACE_UNIFORM. */
export function valueAt(surface: Surface, tile: SurfaceTile, block: i32, bytes: u32): usize {
  return tile.state == SURFACE_UNIFORM ? tile.value : bytesAt(tile, blockOffset(surface, tile, block), bytes);
}

/** Whether a block in this state holds one value per pixel. */
// @ts-ignore: decorator
@inline
function isOne(state: i32): bool {
  return state <= SURFACE_1SPP || state == SURFACE_UNIFORM;
}

/** Bytes of a SUBSETS record for texels of `bytes` bytes, `pixels` divided pixels and `count` additional values. */
export function subsetBytes(bytes: i32, pixels: i32, count: i32): i32 {
  return (
    changetype<usize>(changetype<Subsets>(0).texels)
    + up16(BLOCK_PIXELS * bytes)
    + countBytes(pixels, count)
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

/** Reads the plane of a block in state SURFACE_PLANE for depthAt. */
function readPlane(reads: Reads, tile: SurfaceTile, block: i32): void {
  moveBytes(tile, blockOffset(reads.surface, tile, block), reads.plane, DEPTH_PLANE_BYTES, false);
  reads.moved += DEPTH_PLANE_BYTES;
}

/** Depth of a sample in the plane that was read last. */
function depthAt(reads: Reads, x: i32, y: i32, sample: i32): f32 {
  const samples = reads.surface.samples;
  const sx = <f32>sampleX(samples, sample) * 0.0625;
  const sy = <f32>sampleY(samples, sample) * 0.0625;
  return planeDepth(storedPlane(reads.plane), <f32>x + sx, <f32>y + sy, 0);
}

/** Address of the depth of a sample, as depthAt. It is valid until DEPTHS more have been asked for. */
export function depthAddress(reads: Reads, x: i32, y: i32, sample: i32): usize {
  const at = reads.depths + ((reads.next++ & (DEPTHS - 1)) << 2);
  store<f32>(at, depthAt(reads, x, y, sample));
  return at;
}

/** As copySamples, for a block in state SURFACE_PLANE. */
export function copyDepths(reads: Reads, tile: SurfaceTile, x: i32, y: i32, to: usize): void {
  const samples = reads.surface.samples;
  readPlane(reads, tile, pixelAt(x, y) >> 6);
  for (let i = 0; i < max(samples, 4); i++) store<f32>(to + (i << 2), depthAt(reads, x, y, i & (samples - 1)));
}

/**
 * Copies all samples of a pixel of a block in state SURFACE_FULL to `to`, where two samples are repeated.
 */
export function copySamples(reads: Reads, tile: SurfaceTile, pixel: i32, to: usize): void {
  const surface = reads.surface;
  const samples = surface.samples;
  const offset = blockOffset(surface, tile, pixel >> 6);
  const part = min(samples, 4) * surface.texelBytes;
  for (let first = 0; first < samples; first += 4) {
    moveBytes(tile, offset + fullTexel(samples, pixel & 63, first) * surface.texelBytes, to, part, false);
    to += part;
  }
  if (samples == 2) memory.copy(to, to - part, part);
  reads.moved += samples * surface.texelBytes;
}

/** Address of a texel that copySamples has read. */
export function fullAddress(surface: Surface, tile: SurfaceTile, pixel: i32, sample: i32): usize {
  const texel = fullTexel(surface.samples, pixel & 63, sample);
  return byteAt(tile, blockOffset(surface, tile, pixel >> 6) + texel * surface.texelBytes);
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
// @ts-ignore: decorator
@inline
export function sampleAddress(reads: Reads, x: i32, y: i32, sample: i32): usize {
  const surface = reads.surface;
  if (!surface.holds(x, y) || <u32>sample >= <u32>surface.samples) return 0;
  if (surface.uniform) {
    reads.texels += 1;
    reads.values = 1;
    return surface.clear;
  }
  return storedTexel(reads, surface.tile(surface.tileOf(x, y)), x, y, sample);
}

/** As sampleAddress, for a sample of a tile. It may be outside the surface. */
export function storedTexel(reads: Reads, tile: SurfaceTile, x: i32, y: i32, sample: i32): usize {
  const surface = reads.surface;
  reads.texels += 1;
  const pixel = pixelAt(x, y);
  const block = pixel >> 6;
  const inBlock = pixel & 63;
  const state = blockState(tile, block);
  reads.values = state == SURFACE_FULL || state == SURFACE_PLANE ? 0 : 1;
  if (state == SURFACE_PLANE) {
    readPlane(reads, tile, block);
    return depthAddress(reads, x, y, sample);
  }
  if (state == SURFACE_CLEAR) return tile.clear;
  if (tile.state == SURFACE_UNIFORM) return tile.value;
  const bytes = surface.texelBytes;
  reads.moved += bytes;
  let offset = blockOffset(surface, tile, block);
  if (state == SURFACE_1SPP) offset += inBlock * bytes;
  else if (state == SURFACE_FULL) offset += fullTexel(surface.samples, inBlock, sample) * bytes;
  else if (state == SURFACE_SUBSET) offset += subsetsTexel(reads, tile, offset, inBlock, sample);
  return bytesAt(tile, offset, bytes);
}

/**
 * The same for one sample of each of a quad's four pixels, which are all within the surface. (x, y) is the first
 * pixel. The four addresses (u32) go to `out`, and those of pixels that are stored with one value to `ones`, where the
 * others get 0. Addresses in `ones` that are not 0 are known already.
 */
export function quadAddresses(reads: Reads, x: i32, y: i32, sample: i32, out: usize, ones: usize): void {
  const surface = reads.surface;
  const tile = surface.tile(surface.tileOf(x, y));
  const pixel = pixelAt(x, y);
  const state = surface.uniform ? SURFACE_CLEAR : blockState(tile, pixel >> 6);
  reads.texels += 4;
  if (isOne(state)) {
    placeOnes(reads, tile, pixel, state, ones);
    store<u64>(out, load<u64>(ones));
    store<u64>(out, load<u64>(ones, 8), 8);
    return;
  }
  const offset = blockOffset(surface, tile, pixel >> 6);
  const bytes = surface.texelBytes;
  const inBlock = pixel & 63;
  if (state == SURFACE_PLANE) {
    readPlane(reads, tile, pixel >> 6);
    for (let i = 0; i < 4; i++) store<u32>(out + (i << 2), depthAddress(reads, x + (i & 1), y + (i >> 1), sample));
    store<u64>(ones, 0);
    store<u64>(ones, 0, 8);
    return;
  }
  if (state == SURFACE_FULL) {
    reads.moved += bytes << 2;
    for (let i = 0; i < 4; i++) {
      const texel = fullTexel(surface.samples, inBlock + i, sample);
      store<u32>(out + (i << 2), bytesAt(tile, offset + texel * bytes, bytes));
    }
    store<u64>(ones, 0);
    store<u64>(ones, 0, 8);
    return;
  }
  for (let i = 0; i < 4; i++) {
    const known = load<u32>(ones + (i << 2));
    if (known) {
      store<u32>(out + (i << 2), known);
      continue;
    }
    reads.moved += bytes;
    const texel = bytesAt(tile, offset + subsetsTexel(reads, tile, offset, inBlock + i, sample), bytes);
    store<u32>(out + (i << 2), texel);
    store<u32>(ones + (i << 2), reads.values == 1 ? texel : 0);
  }
}

/**
 * If the block of a quad is stored with one value for each pixel, stores the addresses of the quad's texels to `ones`
 * and counts the bytes. Otherwise returns false, without effect.
 */
export function quadOfOnes(reads: Reads, x: i32, y: i32, ones: usize): bool {
  const surface = reads.surface;
  const tile = surface.tile(surface.tileOf(x, y));
  const pixel = pixelAt(x, y);
  const state = surface.uniform ? SURFACE_CLEAR : blockState(tile, pixel >> 6);
  if (!isOne(state)) return false;
  placeOnes(reads, tile, pixel, state, ones);
  return true;
}

/** Stores the addresses of a quad's texels, in a block of which isOne holds. */
// @ts-ignore: decorator
@inline
function placeOnes(reads: Reads, tile: SurfaceTile, pixel: i32, state: i32, ones: usize): void {
  const surface = reads.surface;
  const bytes = surface.texelBytes;
  if (state != SURFACE_1SPP) {
    let value = surface.uniform ? surface.clear : tile.clear;
    if (state == SURFACE_UNIFORM) {
      value = valueAt(surface, tile, pixel >> 6, bytes);
      if (tile.state != SURFACE_UNIFORM) reads.moved += bytes;
    }
    const both = <u64>value * 0x0000000100000001;
    store<u64>(ones, both);
    store<u64>(ones, both, 8);
    return;
  }
  const first = blockOffset(surface, tile, pixel >> 6) + (pixel & 63) * bytes;
  for (let i = 0; i < 4; i++) store<u32>(ones + (i << 2), bytesAt(tile, first + i * bytes, bytes));
  reads.moved += bytes << 2;
}

/**
 * The SUBSETS record of a block, for statistics. Only its head is sure to be contiguous: what follows may be in
 * another page.
 */
export function subsetsOf(surface: Surface, tile: SurfaceTile, block: i32): Subsets {
  return changetype<Subsets>(byteAt(tile, blockOffset(surface, tile, block)));
}

/**
 * Offset of a sample's texel from the start of the SUBSETS record at `offset` in the tile. Notes the number of the
 * pixel's values and the samples that hold this one.
 */
function subsetsTexel(reads: Reads, tile: SurfaceTile, offset: u32, pixel: i32, sample: i32): u32 {
  const bytes = reads.surface.texelBytes;
  const record = changetype<Subsets>(bytesAt(tile, offset, HEAD_BYTES));
  reads.moved += HEAD_BYTES;
  const divided = record.divided;
  const texels = <u32>changetype<Subsets>(0).texels;
  const bit = (<u64>1) << pixel;
  let others = 0;
  reads.values = 1;
  if (divided & bit) {
    const counts = texels + up16(BLOCK_PIXELS * bytes);
    const masks = counts + countBytes(<u32>popcnt(divided), record.count);
    const lane = pixel & 3;
    let start = <u32>popcnt(divided & (bit - 1));
    let further = spreadBits((<i32>(divided >> (<u64>(pixel & 60)))) & 15);
    if (masks != counts) {
      start = 0;
      for (let at = offset + counts, left = pixel >> 2; ; left--, at += 2) {
        further = load<u16>(bytesAt(tile, at, 2));
        reads.moved += 2;
        if (!left) break;
        start += sumOf(further);
      }
    } else {
      start -= popcnt(bitsOf(further) & ((1 << lane) - 1));
    }
    reads.values = 1 + ((further >> (lane << 2)) & 15);
    while ((further >> (lane << 2)) & 15) {
      const some = someOf(further);
      const number = start + popcnt(bitsOf(some) & ((1 << lane) - 1));
      const mask = <i32>load<u16>(bytesAt(tile, offset + masks + (number << 1), 2));
      reads.moved += 2;
      if ((mask >> sample) & 1) {
        reads.mask = mask;
        return masks + up16(record.count << 1) + number * bytes;
      }
      others |= mask;
      start += popcnt(some);
      further -= some;
    }
  }
  // No mask contains the sample, so it holds the pixel's first value.
  reads.mask = ~others;
  return texels + pixel * bytes;
}
