// Stores tiles from tile contexts to memory. All blocks are classified first, then the pages are taken, and only then
// blocks are written over the tile's own pages. A tile for which pages run out therefore keeps its contents.

import {
  BLOCK_PIXELS,
  bytesOfLayer,
  DEPTH_PLANE_BYTES,
  PAGE_SIZE,
  Plane,
  spreadBits,
  Staging,
  STATUS_DONE,
  STATUS_NEEDS_MEMORY,
  Subsets,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_SUBSET,
  SURFACE_UNIFORM,
  SurfaceTile,
  TILE_BLOCKS,
  TILE_PIXELS,
  VECTOR_BYTES,
} from '../layout';
import { classifyWords } from './classify';
import { analyse, looksFull, mixedWords, samplesWith } from './compare';
import { keepsLists, spreadLists, storeLists } from './lists';
import { joinPairs, spreadPairs } from './plane';
import { sampleAt, TOO_MANY } from './compare.scalar';
import {
  blockBytes,
  blockOffset,
  bytesAt,
  fullTexel,
  holdPages,
  moveBytes,
  countMovedBytes,
  subsetBytes,
} from './stored';
import { copyRepeated, copyTexel, copyWords, repeats, repeatWords, sameTexel } from './texel-same';

/**
 * A block in which more pixels than this hold several depths is stored as SURFACE_FULL without further analysis: a
 * sloped surface has as many depths as samples.
 */
const MIXED_DEPTHS = 16;

/** A mask of all pixels of a block. */
export const ALL_PIXELS: u64 = 0xffffffffffffffff;

/**
 * Stores a tile from its STAGING (layout/surface/surface.ts). Returns STATUS_DONE, or STATUS_NEEDS_MEMORY if the pool
 * has too few pages; tile and staging then keep their contents.
 */
export function storeTile(surface: Surface, index: i32, staging: Staging): i32 {
  const tile = surface.tile(index);
  let length = surface.encodes ? find(staging, surface) : findFull(surface, staging);
  const state = stateOfTile(staging);
  if (state == SURFACE_UNIFORM) length = 0;
  if (!holdPages(surface, tile, length)) return STATUS_NEEDS_MEMORY;
  surface.uniform = 0;
  memory.copy(tile.clear, staging.plane.clear, 16);
  tile.state = state;
  tile.length = length;
  countMovedBytes(surface, length, TILE_BLOCKS);
  if (length) writeBlocks(surface, tile, staging);
  else if (state == SURFACE_UNIFORM) copyRepeated(staging.plane.texelBytes, tile.value, valueOf(staging.plane, 0));
  return STATUS_DONE;
}

/**
 * Makes a tile clear: all samples hold the texel at `texel` (repeated to 16 bytes), and the tile's pages are returned.
 * The surface must be encoded or must never have been stored.
 */
export function clearTile(surface: Surface, index: i32, texel: usize): void {
  const tile = surface.tile(index);
  surface.uniform = 0;
  holdPages(surface, tile, 0);
  memory.copy(tile.clear, texel, 16);
  tile.state = SURFACE_CLEAR;
  tile.length = 0;
}

/** Fills a tile without encoding: each sample holds the staging's clear value. Returns as storeTile. */
export function fillTile(surface: Surface, index: i32, staging: Staging): i32 {
  const tile = surface.tile(index);
  const length = findFull(surface, staging);
  if (!holdPages(surface, tile, length)) return STATUS_NEEDS_MEMORY;
  surface.uniform = 0;
  const clear = staging.plane.clear;
  memory.copy(tile.clear, clear, 16);
  tile.state = SURFACE_FULL;
  tile.length = length;
  countMovedBytes(surface, length, TILE_BLOCKS);
  for (let offset: u32 = 0; offset < length; offset += PAGE_SIZE) {
    repeatWords(bytesAt(tile, offset, PAGE_SIZE), load<u64>(clear), load<u64>(clear, 8), PAGE_SIZE);
  }
  return STATUS_DONE;
}

/**
 * Stores the blocks of a tile that are set in `blocks` from its STAGING, in place. This works only if each block takes
 * as many bytes as before; the other blocks stay unchanged. Returns the total number of bytes, or -1 if the size of a
 * block changed; the tile then keeps its contents.
 */
export function replaceBlocks(surface: Surface, index: i32, staging: Staging, blocks: u64): i32 {
  const tile = surface.tile(index);
  // Neither a clear tile nor this has any bytes.
  if (tile.state == SURFACE_UNIFORM) return -1;
  let total = 0;
  for (let rest = blocks; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    const length = surface.encodes
      ? findBlock(staging, block, surface)
      : note(staging, block, SURFACE_FULL, BLOCK_PIXELS * surface.samples * surface.texelBytes);
    // Equal sizes imply equal states: a SUBSETS record is longer than one texel per pixel and shorter than one per
    // sample, and 16 bytes are shorter than both.
    if (length != blockBytes(surface, tile, block)) return -1;
    total += length;
  }
  countMovedBytes(surface, total, <i32>popcnt(blocks));
  for (let rest = blocks; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    const length = load<u32>(staging.foundBytes + (block << 2));
    if (length) writeBlock(surface, tile, staging, block, blockOffset(surface, tile, block), length);
  }
  return total;
}

/** The state that all blocks share, or SURFACE_SUBSET; SURFACE_UNIFORM only if they share the value, too. */
function stateOfTile(staging: Staging): i32 {
  const plane = staging.plane;
  const first = load<u8>(staging.foundStates);
  if (first == SURFACE_PLANE) return SURFACE_SUBSET;
  for (let block = 1; block < TILE_BLOCKS; block++) {
    if (load<u8>(staging.foundStates + block) != first) return SURFACE_SUBSET;
    if (first == SURFACE_UNIFORM && !sameTexel(plane.texelBytes, valueOf(plane, block), valueOf(plane, 0)))
      return SURFACE_SUBSET;
  }
  return first;
}

/** Address of the value of sample 0 of a block's first pixel. */
function valueOf(plane: Plane, block: i32): usize {
  return firstTexel(plane, block << 6, load<u64>(plane.bits(block)));
}

/** Marks all blocks as SURFACE_FULL, one texel per sample, for surfaces that are not encoded. Returns their bytes. */
function findFull(surface: Surface, staging: Staging): u32 {
  const bytes = BLOCK_PIXELS * surface.samples * surface.texelBytes;
  memory.fill(staging.foundStates, <u8>SURFACE_FULL, TILE_BLOCKS);
  for (let block = 0; block < TILE_BLOCKS; block++) store<i32>(staging.foundBytes + (block << 2), bytes);
  return bytes * TILE_BLOCKS;
}

/** Finds the smallest encoding for each block; returns the total number of bytes. */
function find(staging: Staging, surface: Surface): u32 {
  let total = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) total += findBlock(staging, block, surface);
  return total;
}

function findBlock(staging: Staging, block: i32, surface: Surface): i32 {
  const plane = staging.plane;
  const samples = surface.samples;
  if ((staging.planeBlocks >> block) & 1) return note(staging, block, SURFACE_PLANE, DEPTH_PLANE_BYTES);
  if (plane.isClear(block)) return note(staging, block, SURFACE_CLEAR, 0);
  const bytes = plane.texelBytes;
  const full = BLOCK_PIXELS * samples * bytes;
  const found = staging.foundPerSample + (block << 3);
  if (plane.listedOf(block)) {
    if (keepsLists(plane, block)) {
      const packed = plane.packed(block);
      store<u64>(found, packed.divided);
      store<i32>(staging.foundCounts + (block << 2), packed.count);
      const pixels = <i32>popcnt(packed.divided);
      return note(staging, block, SURFACE_SUBSET, subsetBytes(bytes, pixels, packed.count));
    }
    spreadLists(plane, block);
  }
  const pairs = joinPairs(plane, block);
  const perSample = load<u64>(plane.bits(block));
  const at = plane.sample(block << 6);
  store<u64>(found, perSample & ~pairs);
  let count = <i32>popcnt(pairs);
  if (perSample != pairs) {
    // More additional values than this exceed one texel per sample, however few pixels have them.
    const limit = (full - BLOCK_PIXELS * bytes - changetype<usize>(changetype<Subsets>(0).texels)) / (bytes + 2);
    // Merged depths are few, even on a slope.
    const most = surface.threshold > 0 ? BLOCK_PIXELS : MIXED_DEPTHS;
    if (bytes == 4 && !plane.pixels && mixedWords(at, plane.layers, most, found) < 0)
      return note(staging, block, SURFACE_FULL, full);
    const all = (1 << samples) - 1;
    if (!pairs && perSample == ALL_PIXELS && looksFull(bytes, at, plane.layers, all, limit))
      return note(staging, block, SURFACE_FULL, full);
    const more = divide(plane, block, limit - count, all, found);
    count = more == TOO_MANY ? more : count + more;
  }
  store<u64>(found, isClassified(plane) ? load<u64>(plane.bits(block)) : load<u64>(found) | pairs);
  if (count == 0) {
    if (!holdsOne(plane, block)) return note(staging, block, SURFACE_1SPP, BLOCK_PIXELS * bytes);
    return sameTexel(bytes, valueOf(plane, block), plane.clear)
      ? note(staging, block, SURFACE_CLEAR, 0)
      : note(staging, block, SURFACE_UNIFORM, VECTOR_BYTES);
  }
  const subsets = count == TOO_MANY ? full : subsetBytes(bytes, <i32>popcnt(load<u64>(found)), count);
  if (subsets >= full) {
    spreadPairs(plane, block);
    return note(staging, block, SURFACE_FULL, full);
  }
  store<i32>(staging.foundCounts + (block << 2), count);
  return note(staging, block, SURFACE_SUBSET, subsets);
}

/** Returns what analyse() does, for the pixels of a block that lie only in the sample plane (bits at `found`). */
function divide(plane: Plane, block: i32, limit: i32, all: i32, found: usize): i32 {
  if (ASC_FEATURE_SIMD) if (isClassified(plane)) return classifyWords(plane, block, limit);
  return analyse(plane.texelBytes, plane.sample(block << 6), plane.layers, all, limit, found);
}

/** Whether pixels with one or two values move to the compact planes as soon as they are found (classify.ts). */
function isClassified(plane: Plane): bool {
  return ASC_FEATURE_SIMD && plane.texelBytes == 4 && plane.secondTexels != 0;
}

function note(staging: Staging, block: i32, state: i32, bytes: i32): i32 {
  store<u8>(staging.foundStates + block, state);
  store<i32>(staging.foundBytes + (block << 2), bytes);
  return bytes;
}

/** Whether all pixels of a block with one value per pixel hold the same. Most blocks that do not differ early. */
function holdsOne(plane: Plane, block: i32): bool {
  const bytes = plane.texelBytes;
  const perSample = load<u64>(plane.bits(block));
  const value = valueOf(plane, block);
  if (!perSample) return repeats(bytes, value, BLOCK_PIXELS * bytes);
  for (let pixel = block << 6; pixel < (block + 1) << 6; pixel++)
    if (!sameTexel(bytes, firstTexel(plane, pixel, perSample), value)) return false;
  return true;
}

/** Address of a pixel's sample 0; `perSample` is the mask of its block. */
function firstTexel(plane: Plane, pixel: i32, perSample: u64): usize {
  return (perSample >> (pixel & 63)) & 1 ? plane.sample(pixel) : plane.texel(pixel);
}

function writeBlocks(surface: Surface, tile: SurfaceTile, staging: Staging): void {
  memory.copy(tile.blockStates, staging.foundStates, TILE_BLOCKS);
  if (tile.state == SURFACE_1SPP && isOnePixel(staging)) {
    moveBytes(tile, 0, staging.plane.pixels, TILE_PIXELS * surface.texelBytes, true);
    return;
  }
  let offset: u32 = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    store<u16>(tile.blockOffsets + (block << 1), offset >> 4);
    const length = load<u32>(staging.foundBytes + (block << 2));
    if (length) writeBlock(surface, tile, staging, block, offset, length);
    offset += length;
  }
}

/** Whether all pixels of the tile are in the pixel plane. */
function isOnePixel(staging: Staging): bool {
  const perSample = staging.plane.perSample;
  let any: u64 = 0;
  for (let block: usize = 0; block < <usize>TILE_BLOCKS; block++) any |= load<u64>(perSample + (block << 3));
  return any == 0;
}

function writeBlock(surface: Surface, tile: SurfaceTile, staging: Staging, block: i32, offset: u32, length: u32): void {
  const plane = staging.plane;
  const samples = surface.samples;
  const perSample = load<u64>(plane.bits(block));
  const state = load<u8>(staging.foundStates + block);
  if (state == SURFACE_UNIFORM) {
    copyRepeated(plane.texelBytes, bytesAt(tile, offset, length), valueOf(plane, block));
    return;
  }
  if (state == SURFACE_PLANE) {
    moveBytes(tile, offset, staging.depthPlane(block), length, true);
    return;
  }
  if (state == SURFACE_1SPP && !perSample) {
    moveBytes(tile, offset, plane.texel(block << 6), length, true);
    return;
  }
  if (state == SURFACE_FULL && perSample == ALL_PIXELS && samples > 2) {
    const part = 4 * BLOCK_PIXELS * plane.texelBytes;
    for (let layer = 0; layer < plane.layers; layer++)
      moveBytes(tile, offset + layer * part, plane.sample(block << 6) + layer * plane.layerBytes, part, true);
    return;
  }
  // Tried: gathering directly into the page when the block is within one page (no faster).
  if (state == SURFACE_1SPP) gatherFirsts(plane, block, perSample, staging.block);
  else if (state == SURFACE_FULL) gatherAll(staging, block, samples, perSample);
  else gatherSubsets(staging, block, (1 << samples) - 1, perSample);
  moveBytes(tile, offset, staging.block, length, true);
}

/** Gathers sample 0 of each pixel, one texel per pixel. `samples`: pixels whose values are in the sample plane. */
function gatherFirsts(plane: Plane, block: i32, samples: u64, to: usize): void {
  const bytes = plane.texelBytes;
  const first = block << 6;
  if (samples != ALL_PIXELS) copyWords(to, plane.texel(first), BLOCK_PIXELS * bytes);
  if (bytes == 4) {
    const from = plane.sample(first);
    for (let left = samples; left; left &= left - 1) {
      const pixel = <usize>ctz(left);
      store<u32>(to + (pixel << 2), load<u32>(from + (pixel << 4)));
    }
  } else {
    for (let left = samples; left; left &= left - 1) {
      const pixel = <i32>ctz(left);
      copyTexel(bytes, to + pixel * bytes, plane.sample(first + pixel));
    }
  }
}

/** Gathers one texel per sample, for blocks with two samples or with some pixels of a single value. */
function gatherAll(staging: Staging, block: i32, samples: i32, perSample: u64): void {
  const plane = staging.plane;
  const bytes = plane.texelBytes;
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    const first = firstTexel(plane, (block << 6) + pixel, perSample);
    for (let sample = 0; sample < samples; sample++) {
      const texel = (perSample >> pixel) & 1 ? plane.sampleAt(first, sample) : first;
      copyTexel(bytes, staging.block + fullTexel(samples, pixel, sample) * bytes, texel);
    }
  }
}

/** Builds a SUBSETS record; `all` is the mask of all samples. */
function gatherSubsets(staging: Staging, block: i32, all: i32, perSample: u64): void {
  const plane = staging.plane;
  const bytes = plane.texelBytes;
  const record = changetype<Subsets>(staging.block);
  record.divided = load<u64>(staging.foundPerSample + (block << 3));
  record.count = load<u32>(staging.foundCounts + (block << 2));
  if (plane.listedOf(block)) {
    copyWords(record.texels, plane.texel(block << 6), BLOCK_PIXELS << 2);
    storeLists(record, plane, block);
    return;
  }
  const pairs = plane.pairsOf(block);
  gatherFirsts(plane, block, isClassified(plane) ? 0 : perSample & ~pairs, record.texels);
  if (pairs == ALL_PIXELS) {
    copyWords(record.masks(bytes), plane.maskAt(block << 6), BLOCK_PIXELS << 1);
    copyWords(record.values(bytes), plane.second(block << 6), BLOCK_PIXELS * bytes);
  } else if (bytes == 4) {
    gatherFurther(4, record, plane, block, all);
  } else {
    gatherFurther(bytes, record, plane, block, all);
  }
}

/** The parts of a SUBSETS record after its texels. */
// @ts-ignore: decorator
@inline
function gatherFurther(bytes: i32, record: Subsets, plane: Plane, block: i32, all: i32): void {
  const pairs = plane.pairsOf(block);
  const classified = isClassified(plane);
  let counts = record.hasCounts ? record.counts(bytes) : 0;
  let masks = record.masks(bytes);
  let values = record.values(bytes);
  let quad = block << 4;
  // Tried: packing the two-value pixels of a quad together with a table (no faster).
  for (let rest = record.divided; rest || counts; quad++, rest >>= 4) {
    // Of each pixel, the samples whose value is not written yet.
    let left: u64 = 0;
    let count = spreadBits((<i32>rest) & 15);
    for (let bits = (<i32>rest) & 15; bits; bits &= bits - 1) {
      const pixel = (quad << 2) + ctz(bits);
      const isPair = ((pairs >> (<u64>(pixel & 63))) & 1) != 0;
      const texels = plane.sample(pixel);
      let others = isPair ? 0 : all & ~samplesLike(bytes, plane, pixel, texels);
      let mask: i32;
      if (isPair || classified) {
        mask = <i32>load<u16>(plane.maskAt(pixel));
        copyTexel(bytes, values, plane.second(pixel));
      } else {
        const value = sampleAt(bytes, texels, bytesOfLayer(bytes), ctz(others));
        mask = others & samplesLike(bytes, plane, pixel, value);
        copyTexel(bytes, values, value);
      }
      store<u16>(masks, mask);
      others &= ~mask;
      masks += 2;
      values += bytes;
      left |= (<u64>others) << u64((pixel & 3) << 4);
    }
    while (left) {
      for (let lanes = left; lanes;) {
        const shift = ctz(lanes) & 48;
        const others = (<i32>(left >> shift)) & 0xffff;
        lanes &= (<u64>-65536) << shift;
        const pixel = (quad << 2) + ((<i32>shift) >> 4);
        const value = sampleAt(bytes, plane.sample(pixel), bytesOfLayer(bytes), ctz(others));
        const mask = others & samplesLike(bytes, plane, pixel, value);
        store<u16>(masks, mask);
        copyTexel(bytes, values, value);
        masks += 2;
        values += bytes;
        left &= ~((<u64>mask) << shift);
        count += 1 << i32(shift >> 2);
      }
    }
    if (!counts) continue;
    store<u16>(counts, count);
    counts += 2;
    if ((quad & 15) == 15) return;
  }
}

/** The samples of a pixel in the sample plane that hold the texel at `texel`. */
// @ts-ignore: decorator
@inline
function samplesLike(bytes: i32, plane: Plane, pixel: i32, texel: usize): i32 {
  return samplesWith(bytes, plane.sample(pixel), bytesOfLayer(bytes), plane.layers, texel);
}
