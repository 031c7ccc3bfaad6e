// Tiles as memory holds them (layout/surface.ts): where their bytes lie, and the sample of one pixel without the
// others. encode.ts writes them, decode.ts reads whole ones.

import {
  BLOCK_PIXELS, PAGE_SHIFT, PAGE_SIZE, Pool, Subsets, Surface, SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL,
  SURFACE_SUBSET, SurfaceTile, TILE_SHIFT, up16,
} from '../layout';
import { addTo, givePage, takePage } from './pool';
import { sameTexel } from './texel-same';

export function tileAt(surface: Surface, index: i32): usize {
  return surface.tilesAddress + index * surface.tileStride;
}

/** Address of a byte of a tile. */
export function byteAt(tile: SurfaceTile, offset: u32): usize {
  return load<u32>(tile.pages + ((offset >> PAGE_SHIFT) << 2)) + (offset & (PAGE_SIZE - 1));
}

/** Copies bytes into a tile. */
export function putBytes(tile: SurfaceTile, offset: u32, from: usize, length: u32): void {
  while (length) {
    const room = <u32>PAGE_SIZE - (offset & (PAGE_SIZE - 1));
    const part = length < room ? length : room;
    memory.copy(byteAt(tile, offset), from, part);
    offset += part;
    from += part;
    length -= part;
  }
}

/** Copies bytes of a tile. */
export function getBytes(tile: SurfaceTile, offset: u32, to: usize, length: u32): void {
  while (length) {
    const room = <u32>PAGE_SIZE - (offset & (PAGE_SIZE - 1));
    const part = length < room ? length : room;
    memory.copy(to, byteAt(tile, offset), part);
    offset += part;
    to += part;
    length -= part;
  }
}

/** SURFACE_* of a block. */
export function blockState(tile: SurfaceTile, block: i32): i32 {
  const state = tile.state;
  return state == SURFACE_SUBSET ? load<u8>(tile.blockStates + block) : state;
}

/** Where the block's bytes begin in its tile. */
export function blockOffset(surface: Surface, tile: SurfaceTile, block: i32): u32 {
  const state = tile.state;
  if (state == SURFACE_SUBSET) return load<u16>(tile.blockOffsets + (block << 1)) << 4;
  const texels = state == SURFACE_FULL ? surface.samples : 1;
  return block * BLOCK_PIXELS * texels * surface.texelBytes;
}

/** Bytes of a SUBSETS record. */
export function subsetBytes(bytes: i32, pixels: i32, count: i32): i32 {
  return changetype<usize>(changetype<Subsets>(0).texels) + up16(BLOCK_PIXELS * bytes) + up16((pixels + 1) << 1)
    + up16(count << 1) + up16(count * bytes);
}

/** Makes the tile hold pages for `length` bytes. False when there are none to be had: then it holds what it held. */
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
  addTo<i32>(changetype<usize>(surface) + offsetof<Surface>('pagesHeld'), needed - held);
  return true;
}

/** Gives the pages from `first` up to `end` back. */
function giveFrom(pool: Pool, tile: SurfaceTile, first: u32, end: u32): void {
  for (let i = first; i < end; i++) givePage(pool, load<usize>(tile.pages + (i << 2)));
}

function isOutside(surface: Surface, x: i32, y: i32, sample: i32): bool {
  return <u32>x >= <u32>surface.width || <u32>y >= surface.height || <u32>sample >= <u32>surface.samples;
}

function tileOf(surface: Surface, x: i32, y: i32): usize {
  return tileAt(surface, (y >> TILE_SHIFT) * surface.tilesX + (x >> TILE_SHIFT));
}

export function blockOf(x: i32, y: i32): i32 {
  return (y >> 3 & 7) * 8 + (x >> 3 & 7);
}

/** quad·4 + pixel. */
export function pixelOf(x: i32, y: i32): i32 {
  return ((y >> 1 & 3) * 4 + (x >> 1 & 3)) * 4 + (y & 1) * 2 + (x & 1);
}

/** From the start of a block in state SURFACE_FULL: texels to a sample of a pixel. */
export function fullTexel(samples: i32, pixel: i32, sample: i32): i32 {
  return samples == 2 ? (pixel << 1) + sample : ((sample >> 2) * BLOCK_PIXELS << 2) + (pixel << 2) + (sample & 3);
}

/** Address of the texel that a sample holds, to be read at once; 0 outside the surface. */
export function sampleAddress(surface: Surface, x: i32, y: i32, sample: i32): usize {
  if (isOutside(surface, x, y, sample)) return 0;
  return storedTexel(surface, changetype<SurfaceTile>(tileOf(surface, x, y)), blockOf(x, y), pixelOf(x, y), sample);
}

/** Address of the texel of a sample of a tile. */
export function storedTexel(surface: Surface, tile: SurfaceTile, block: i32, pixel: i32, sample: i32): usize {
  const state = blockState(tile, block);
  if (state == SURFACE_CLEAR) return tile.clear;
  const bytes = surface.texelBytes;
  const offset = blockOffset(surface, tile, block);
  if (state == SURFACE_1SPP) return byteAt(tile, offset + pixel * bytes);
  if (state == SURFACE_FULL) return byteAt(tile, offset + fullTexel(surface.samples, pixel, sample) * bytes);
  const number = furtherValue(tile, offset, bytes, pixel, 1 << sample);
  return number < 0
    ? byteAt(tile, offset + changetype<usize>(changetype<Subsets>(0).texels) + pixel * bytes)
    : byteAt(tile, valuesOf(tile, offset, bytes) + number * bytes);
}

function perSampleOf(tile: SurfaceTile, offset: u32): u64 {
  return changetype<Subsets>(byteAt(tile, offset)).divided;
}

/** Offsets of a SUBSETS record's parts. */
function numbersOf(offset: u32, bytes: i32): u32 {
  return offset + changetype<usize>(changetype<Subsets>(0).texels) + up16(BLOCK_PIXELS * bytes);
}

function masksOf(tile: SurfaceTile, offset: u32, bytes: i32): u32 {
  return numbersOf(offset, bytes) + up16((<u32>popcnt<u64>(perSampleOf(tile, offset)) + 1) << 1);
}

function valuesOf(tile: SurfaceTile, offset: u32, bytes: i32): u32 {
  return masksOf(tile, offset, bytes) + up16(changetype<Subsets>(byteAt(tile, offset)).count << 1);
}

/**
 * Number of the pixel's first further value, and of the first of the pixel behind it: low and high 16 bits; equal for a
 * pixel of one value.
 */
function furtherRange(tile: SurfaceTile, offset: u32, bytes: i32, pixel: i32): u32 {
  const perSample = perSampleOf(tile, offset);
  const bit = <u64>1 << pixel;
  if (!(perSample & bit)) return 0;
  const at = numbersOf(offset, bytes) + (<u32>popcnt<u64>(perSample & (bit - 1)) << 1);
  return load<u16>(byteAt(tile, at)) | load<u16>(byteAt(tile, at + 2)) << 16;
}

/** Number of the further value of a pixel whose mask has a bit of `samples`; -1: none has, it is the first value. */
function furtherValue(tile: SurfaceTile, offset: u32, bytes: i32, pixel: i32, samples: i32): i32 {
  const range = furtherRange(tile, offset, bytes, pixel);
  const masks = masksOf(tile, offset, bytes);
  for (let number = range & 0xffff; number < range >> 16; number++) {
    if (load<u16>(byteAt(tile, masks + (number << 1))) & samples) return number;
  }
  return -1;
}

/**
 * The texel of a sample, as memory holds it, copied to `out`; behind it, at `out` + 16, the mask of all samples of the
 * pixel with these bits, and the pixel's state, SURFACE_*. False outside the surface: nothing is written then.
 */
export function loadSample(surface: Surface, x: i32, y: i32, sample: i32, out: usize): bool {
  if (isOutside(surface, x, y, sample)) return false;
  const tile = changetype<SurfaceTile>(tileOf(surface, x, y));
  const block = blockOf(x, y);
  const pixel = pixelOf(x, y);
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  const texel = storedTexel(surface, tile, block, pixel, sample);
  memory.copy(out, texel, bytes);
  let state = blockState(tile, block);
  let mask = (1 << samples) - 1;
  if (state == SURFACE_SUBSET) {
    const offset = blockOffset(surface, tile, block);
    if (!(perSampleOf(tile, offset) >> pixel & 1)) state = SURFACE_1SPP;
    else mask = subsetMask(tile, offset, bytes, pixel, sample, mask);
  } else if (state == SURFACE_FULL) {
    mask = 0;
    for (let other = 0; other < samples; other++) {
      if (sameTexel(bytes, texel, storedTexel(surface, tile, block, pixel, other))) mask |= 1 << other;
    }
  }
  store<i32>(out, mask, 16);
  store<i32>(out, state, 20);
  return true;
}

/** Samples of a pixel of more than one value that hold what `sample` holds. */
function subsetMask(tile: SurfaceTile, offset: u32, bytes: i32, pixel: i32, sample: i32, all: i32): i32 {
  const number = furtherValue(tile, offset, bytes, pixel, 1 << sample);
  const masks = masksOf(tile, offset, bytes);
  if (number >= 0) return load<u16>(byteAt(tile, masks + (number << 1)));
  const range = furtherRange(tile, offset, bytes, pixel);
  let further = 0;
  for (let i = range & 0xffff; i < range >> 16; i++) further |= load<u16>(byteAt(tile, masks + (i << 1)));
  return all & ~further;
}
