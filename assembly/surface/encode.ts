// Tiles from contexts to memory: finds what each block's samples hold, takes the pages for it, and writes. First all is
// found, then the pages are taken, so that a tile for which there are none keeps what it held; then blocks are written
// over what the tile's own pages had.

import {
  BLOCK_PIXELS, bytesOfLayer, LAYER_WORDS, PAGE_SIZE, Stage, STATUS_DONE, STATUS_NEEDS_MEMORY, Subsets, Surface,
  SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL, SURFACE_SUBSET, SurfaceTile, TILE_BLOCKS, TILE_PIXELS,
} from '../layout';
import { layersOf } from '../simd/positions';
import { analyse, equalSamples, equalWords, mixedWords } from './compare';
import { addTo } from './pool';
import { sampleAt, TOO_MANY } from './samples';
import { byteAt, fullTexel, holdPages, putBytes, subsetBytes, tileAt } from './stored';
import { copyTexel, copyWords, repeatWords, sameTexel } from './texel-same';

/**
 * Pixels of a block that may hold more than one depth before it is stored as full, unseen: sloping ones have as many as
 * samples.
 */
const MIXED_DEPTHS = 16;

/** Bits of all pixels of a block. */
export const ALL_PIXELS: u64 = 0xffffffffffffffff;

/**
 * Stores a tile from its STAGE (layout/surface.ts). STATUS_DONE, or STATUS_NEEDS_MEMORY: then the tile holds what it
 * held, and the stage what it held too.
 */
export function storeTile(surface: Surface, index: i32, stage: Stage): i32 {
  const tile = changetype<SurfaceTile>(tileAt(surface, index));
  const length = surface.encodes ? find(surface, stage) : findFull(surface, stage);
  if (!holdPages(surface, tile, length)) return STATUS_NEEDS_MEMORY;
  memory.copy(tile.clear, stage.plane.clear, 16);
  tile.state = stateOfTile(stage);
  tile.length = length;
  noteMoved(surface, length);
  if (length) writeBlocks(surface, tile, stage);
  return STATUS_DONE;
}

/**
 * Makes a tile clear: it holds nothing but the value at `texel` (16 bytes). For surfaces that are encoded, or were
 * never stored.
 */
export function clearTile(surface: Surface, index: i32, texel: usize): void {
  const tile = changetype<SurfaceTile>(tileAt(surface, index));
  holdPages(surface, tile, 0);
  memory.copy(tile.clear, texel, 16);
  tile.state = SURFACE_CLEAR;
  tile.length = 0;
}

/** Without encoding: the value in the stage, a texel a sample. As storeTile. */
export function fillTile(surface: Surface, index: i32, stage: Stage): i32 {
  const tile = changetype<SurfaceTile>(tileAt(surface, index));
  const length = findFull(surface, stage);
  if (!holdPages(surface, tile, length)) return STATUS_NEEDS_MEMORY;
  const clear = stage.plane.clear;
  memory.copy(tile.clear, clear, 16);
  tile.state = SURFACE_FULL;
  tile.length = length;
  noteMoved(surface, length);
  for (let offset: u32 = 0; offset < length; offset += PAGE_SIZE) {
    repeatWords(byteAt(tile, offset), load<u64>(clear), load<u64>(clear, 8), PAGE_SIZE);
  }
  return STATUS_DONE;
}

/** Counts `length` bytes that a load or a store of a tile moved. */
export function noteMoved(surface: Surface, length: u32): void {
  addTo<u64>(changetype<usize>(surface) + offsetof<Surface>('moved'), length);
  addTo<u64>(
    changetype<usize>(surface) + offsetof<Surface>('movedFull'), TILE_PIXELS * surface.samples * surface.texelBytes
  );
}

/** The state that all blocks have, or SURFACE_SUBSET. */
function stateOfTile(stage: Stage): i32 {
  const first = load<u8>(stage.foundStates);
  for (let block = 1; block < TILE_BLOCKS; block++) {
    if (load<u8>(stage.foundStates + block) != first) return SURFACE_SUBSET;
  }
  return first;
}

/** Without encoding: all blocks are to be stored a texel a sample. Returns their bytes. */
function findFull(surface: Surface, stage: Stage): u32 {
  const bytes = BLOCK_PIXELS * surface.samples * surface.texelBytes;
  memory.fill(stage.foundStates, <u8>SURFACE_FULL, TILE_BLOCKS);
  for (let block = 0; block < TILE_BLOCKS; block++) store<i32>(stage.foundBytes + (block << 2), bytes);
  return bytes * TILE_BLOCKS;
}

/** Finds the state with the fewest bytes for each block; returns their bytes. */
function find(surface: Surface, stage: Stage): u32 {
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  let total = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) total += findBlock(stage, block, bytes, samples);
  return total;
}

function findBlock(stage: Stage, block: i32, bytes: i32, samples: i32): i32 {
  if (stage.plane.isClear(block)) return note(stage, block, SURFACE_CLEAR, 0);
  const perSample = load<u64>(stage.plane.bits(block));
  const found = stage.foundPerSample + (block << 3);
  store<u64>(found, 0);
  let count = 0;
  if (perSample) {
    // More further values than that take more than a texel a sample, in however few pixels they are.
    const limit = (BLOCK_PIXELS * (samples - 1) * bytes - changetype<usize>(changetype<Subsets>(0).texels))
      / (bytes + 2);
    if (bytes == 4 && !stage.plane.pixels) {
      if (mixedWords(stage.plane.sample(block << 6), layersOf(samples), MIXED_DEPTHS, found) < 0)
        return note(stage, block, SURFACE_FULL, BLOCK_PIXELS * samples * 4);
    } else {
      store<u64>(found, perSample);
    }
    count = analyse(bytes, stage.plane.sample(block << 6), layersOf(samples), (1 << samples) - 1, limit, found);
  }
  if (count == 0) {
    return isClear(stage, block, bytes, perSample)
      ? note(stage, block, SURFACE_CLEAR, 0)
      : note(stage, block, SURFACE_1SPP, BLOCK_PIXELS * bytes);
  }
  const full = BLOCK_PIXELS * samples * bytes;
  const subsets = count == TOO_MANY ? full : subsetBytes(bytes, <i32>popcnt<u64>(load<u64>(found)), count);
  if (subsets >= full) return note(stage, block, SURFACE_FULL, full);
  store<i32>(stage.foundCounts + (block << 2), count);
  return note(stage, block, SURFACE_SUBSET, subsets);
}

function note(stage: Stage, block: i32, state: i32, bytes: i32): i32 {
  store<u8>(stage.foundStates + block, state);
  store<i32>(stage.foundBytes + (block << 2), bytes);
  return bytes;
}

/**
 * Whether a block of one value a pixel holds the clear value everywhere: most that do not show it at their first pixel.
 */
function isClear(stage: Stage, block: i32, bytes: i32, perSample: u64): bool {
  const clear = stage.plane.clear;
  const samples = stage.plane.sample(block << 6);
  const pixels = stage.plane.texel(block << 6);
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    if (!sameTexel(bytes, perSample >> pixel & 1 ? samples + pixel * 4 * bytes : pixels + pixel * bytes, clear))
      return false;
  }
  return true;
}

function writeBlocks(surface: Surface, tile: SurfaceTile, stage: Stage): void {
  memory.copy(tile.blockStates, stage.foundStates, TILE_BLOCKS);
  if (tile.state == SURFACE_1SPP && isOnePixel(stage)) {
    putBytes(tile, 0, stage.plane.pixels, TILE_PIXELS * surface.texelBytes);
    return;
  }
  let offset: u32 = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    store<u16>(tile.blockOffsets + (block << 1), offset >> 4);
    const length = load<u32>(stage.foundBytes + (block << 2));
    if (length) writeBlock(surface, tile, stage, block, offset, length);
    offset += length;
  }
}

/** Whether all pixels of the tile lie in the plane of pixels. */
function isOnePixel(stage: Stage): bool {
  const perSample = stage.plane.perSample;
  let any: u64 = 0;
  for (let block: usize = 0; block < <usize>TILE_BLOCKS; block++) any |= load<u64>(perSample + (block << 3));
  return any == 0;
}

function writeBlock(surface: Surface, tile: SurfaceTile, stage: Stage, block: i32, offset: u32, length: u32): void {
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  const perSample = load<u64>(stage.plane.bits(block));
  const state = load<u8>(stage.foundStates + block);
  if (state == SURFACE_1SPP && !perSample) {
    putBytes(tile, offset, stage.plane.texel(block << 6), length);
    return;
  }
  if (state == SURFACE_FULL && perSample == ALL_PIXELS && samples > 2) {
    const part = 4 * BLOCK_PIXELS * bytes;
    for (let layer = 0; layer < layersOf(samples); layer++) {
      putBytes(tile, offset + layer * part, stage.plane.sample(block << 6) + layer * bytesOfLayer(bytes), part);
    }
    return;
  }
  // Tried: gathering in the page itself where the block lies in one (no faster).
  if (state == SURFACE_1SPP) gatherFirsts(stage, block, bytes, perSample, stage.block);
  else if (state == SURFACE_FULL) gatherAll(stage, block, bytes, samples, perSample);
  else gatherSubsets(stage, block, bytes, samples, perSample);
  putBytes(tile, offset, stage.block, length);
}

/** The values of sample 0, a texel a pixel. */
function gatherFirsts(stage: Stage, block: i32, bytes: i32, perSample: u64, to: usize): void {
  let from = stage.plane.sample(block << 6);
  let pixels = stage.plane.texel(block << 6);
  if (bytes == 4) {
    if (perSample != ALL_PIXELS) copyWords(to, pixels, BLOCK_PIXELS << 2);
    for (let rest = perSample; rest; rest &= rest - 1) {
      const pixel = <usize>ctz<u64>(rest);
      store<u32>(to + (pixel << 2), load<u32>(from + (pixel << 4)));
    }
    return;
  }
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    copyTexel(bytes, to, perSample >> pixel & 1 ? from : pixels);
    to += bytes;
    pixels += bytes;
    from += bytes << 2;
  }
}

/** A texel a sample, of blocks of which some pixels have but one, or of two samples. */
function gatherAll(stage: Stage, block: i32, bytes: i32, samples: i32, perSample: u64): void {
  const from = stage.plane.sample(block << 6);
  const pixels = stage.plane.texel(block << 6);
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    for (let sample = 0; sample < samples; sample++) {
      const texel = perSample >> pixel & 1
        ? from + (sample >> 2) * bytesOfLayer(bytes) + ((pixel << 2) + (sample & 3)) * bytes
        : pixels + pixel * bytes;
      copyTexel(bytes, stage.block + fullTexel(samples, pixel, sample) * bytes, texel);
    }
  }
}

/** A SUBSETS record. */
function gatherSubsets(stage: Stage, block: i32, bytes: i32, samples: i32, perSample: u64): void {
  const record = changetype<Subsets>(stage.block);
  const found = load<u64>(stage.foundPerSample + (block << 3));
  const all = (1 << samples) - 1;
  const stride = bytesOfLayer(bytes);
  record.divided = found;
  record.count = load<u32>(stage.foundCounts + (block << 2));
  gatherFirsts(stage, block, bytes, perSample, record.texels);
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4) {
      gatherWords(record, stage.plane.sample(block << 6), layersOf(samples), all);
      return;
    }
  }
  let numbers = record.numbers(bytes);
  let masks = record.masks(bytes);
  let value = record.values(bytes);
  let number = 0;
  for (let rest = found; rest; rest &= rest - 1) {
    const texels = stage.plane.sample(block << 6) + (<usize>ctz<u64>(rest) << 2) * bytes;
    store<u16>(numbers, number);
    numbers += 2;
    let left = all & ~equalSamples(bytes, texels, stride, layersOf(samples), 0);
    while (left) {
      const sample = ctz<i32>(left);
      const mask = left & equalSamples(bytes, texels, stride, layersOf(samples), sample);
      store<u16>(masks, mask);
      copyTexel(bytes, value, texels + (sample >> 2) * stride + (sample & 3) * bytes);
      masks += 2;
      value += bytes;
      left &= ~mask;
      number++;
    }
  }
  store<u16>(numbers, number);
}

/** The parts of a SUBSETS record, of four bytes a sample. */
function gatherWords(record: Subsets, samples: usize, layers: i32, all: i32): void {
  let numbers = record.numbers(4);
  let masks = record.masks(4);
  let values = record.values(4);
  const first = masks;
  for (let rest = record.divided; rest; rest &= rest - 1) {
    const texels = samples + (<usize>ctz<u64>(rest) << 4);
    store<u16>(numbers, (masks - first) >> 1);
    numbers += 2;
    let left = all & ~equalWords(texels, layers, texels);
    while (left) {
      const value = sampleAt(4, texels, LAYER_WORDS, ctz<i32>(left));
      const mask = left & equalWords(texels, layers, value);
      store<u16>(masks, mask);
      store<u32>(values, load<u32>(value));
      masks += 2;
      values += 4;
      left &= ~mask;
    }
  }
  store<u16>(numbers, (masks - first) >> 1);
}
