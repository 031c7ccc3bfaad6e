// Gathers quads of one triangle block by block, for draw calls with shading rates. A deferred block is searched for all
// ids of a triangle. If the draw call is shaded in order, quads are collected as they arrive, until the next triangle.

import { GATHER_BLOCKS, RATE_COARSE, STATUS_DONE, Tile, Triangle, WARP_QUADS } from '../layout';
import { quadX, quadY } from '../simd/positions';
import { isLayered, quadSamples, sampleOffset, samplesOf, wholeQuad } from '../tile/layers';
import { packAtRates } from './coarse-pack';
import { areasOf } from './inputs/coarse-shapes';
import { clearPixels, pixelsOfQuads, pixelsWith, samplesWith, takeQuad } from './ids';
import { hasBlockMasks, packFine, packMask, packMaskAt } from './rates/pack-masks';
import { ratesOf } from './rates/rates';
import { packDeferred } from './slots';

/** Packs a block in which a triangle covers all samples, at `rates` (a result of ratesOf). Returns STATUS_*. */
export function packWhole(tile: Tile, triangle: Triangle, block: i32, rates: u32): i32 {
  if (ASC_FEATURE_SIMD)
    if (hasBlockMasks(tile, triangle.draw)) return packMaskAt(tile, triangle, block, u64.MAX_VALUE, rates);
  const masks = tile.coarse.own;
  const whole = wholeQuad(tile);
  for (let quad = 0; quad < WARP_QUADS; quad++) store<u64>(masks + (quad << 3), whole);
  return packAtRates(tile, triangle, block, 0xffff, masks, rates);
}

/** Packs some quads after looking up their rates. Returns STATUS_*. */
function packRates(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize): i32 {
  return packAtRates(tile, triangle, block, quads, masks, ratesOf(tile, triangle, block, areasOf(quads)));
}

/** Packs the ids of some quads (bit quad) of a block, triangle by triangle, and clears them. Returns STATUS_*. */
export function packTriangles<S>(tile: Tile, block: i32, quads: i32): i32 {
  if (ASC_FEATURE_SIMD) if (samplesOf<S>() == 1) return packSingles(tile, block, quads);
  const bytes = (4 * samplesOf<S>()) << 2;
  const base: usize = tile.ids + (block << 4) * bytes;
  const all = quadSamples<S>(tile);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const ids = base + quad * bytes;
    let left = all & ~samplesWith<S>(tile, ids, 0);
    while (left) {
      const bit = <i32>ctz(left);
      const triangle = changetype<Triangle>(load<u32>(ids + ((isLayered<S>() ? sampleOffset(bit) : bit) << 2)));
      let status: i32;
      if (triangle.draw.fragment.rate == RATE_COARSE) {
        const found = takeQuads<S>(tile, triangle, block, rest);
        left &= ~load<u64>(tile.coarse.own + (quad << 3));
        status = packRates(tile, triangle, block, found, tile.coarse.own);
      } else {
        const mask = takeQuad<S>(tile, ids, changetype<usize>(triangle));
        left &= ~mask;
        status = packDeferred<S>(tile, triangle, (block << 4) + quad, mask);
      }
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** packTriangles for one sample per pixel. */
function packSingles(tile: Tile, block: i32, quads: i32): i32 {
  const ids: usize = tile.ids + (block << 8);
  const all = pixelsOfQuads(quads) & ~pixelsWith(ids, 0, 0);
  let rest = all;
  let status: i32 = STATUS_DONE;
  while (rest && status == STATUS_DONE) {
    const first = <usize>ctz(rest);
    const id = load<u32>(ids + (first << 2));
    const triangle = changetype<Triangle>(id);
    const draw = triangle.draw;
    const own = rest & pixelsWith(ids, id, first >> 4);
    rest ^= own;
    if (draw.fragment.rate != RATE_COARSE) status = packFine(tile, triangle, block, own);
    else if (hasBlockMasks(tile, draw)) status = packMask(tile, triangle, block, own);
    else status = packRates(tile, triangle, block, putMasks(tile.coarse.own, own), tile.coarse.own);
  }
  clearPixels(ids, all ^ rest);
  return status;
}

/** Writes a block mask as masks of quads, except empty ones. Returns the quads that have any pixels. */
function putMasks(masks: usize, pixels: u64): i32 {
  let quads = 0;
  for (let rest = pixels; rest;) {
    const quad = <i32>(ctz(rest) >> 2);
    const shift = <u64>(quad << 2);
    store<u64>(masks + (quad << 3), (rest >> shift) & 15);
    rest &= ~((<u64>15) << shift);
    quads |= 1 << quad;
  }
  return quads;
}

/**
 * Moves a triangle's ids from those quads of `among` that its bounding box touches to masks at Coarse.own. Returns the
 * quads that had any.
 */
function takeQuads<S>(tile: Tile, triangle: Triangle, block: i32, among: i32): i32 {
  const bytes = (4 * samplesOf<S>()) << 2;
  const base: usize = tile.ids + (block << 4) * bytes;
  const masks = tile.coarse.own;
  let found = 0;
  for (let rest = among & quadsInBox(tile, triangle, block); rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = takeQuad<S>(tile, base + quad * bytes, changetype<usize>(triangle));
    if (!mask) continue;
    store<u64>(masks + (quad << 3), mask);
    found |= 1 << quad;
  }
  return found;
}

/** The quads of a block that a triangle's bounding box touches. */
function quadsInBox(tile: Tile, triangle: Triangle, block: i32): i32 {
  const x = tile.x + quadX(block << 4);
  const y = tile.y + quadY(block << 4);
  const left = max<i32>(0, (triangle.minX - x) >> 1);
  const right = min<i32>(3, (triangle.maxX - 1 - x) >> 1);
  const top = max<i32>(0, (triangle.minY - y) >> 1);
  const bottom = min<i32>(3, (triangle.maxY - 1 - y) >> 1);
  const columns = (2 << right) - (1 << left);
  const rows = (1 << ((bottom + 1) << 2)) - (1 << (top << 2));
  return (columns * 0x1111) & rows;
}

/**
 * Gathers a quad of a draw call that is shaded in order. A quad of another triangle packs everything gathered before; a
 * fifth block packs the block that it replaces. Returns STATUS_*.
 */
export function gatherQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const room = tile.coarse;
  const block = quad >> 4;
  if (room.gathered != triangle) {
    const status = flushGathered(tile);
    if (status != STATUS_DONE) return status;
    room.gathered = triangle;
  }
  // Adjacent blocks (2×2) have different places.
  const place = (block & 1) | (((block >> 3) & 1) << 1);
  const at = room.blocks + (place << 2);
  if (load<i32>(at) != block) {
    const status = flushPlace(tile, place);
    if (status != STATUS_DONE) return status;
    memory.fill(room.masksOf(place), 0, WARP_QUADS * 8);
    store<i32>(at, block);
  }
  store<u64>(room.masksOf(place) + ((quad & 15) << 3), mask);
  return STATUS_DONE;
}

/** Packs everything that was gathered. Returns STATUS_*. */
export function flushGathered(tile: Tile): i32 {
  const room = tile.coarse;
  if (!room || !room.gathered) return STATUS_DONE;
  for (let place = 0; place < GATHER_BLOCKS; place++) {
    const status = flushPlace(tile, place);
    if (status != STATUS_DONE) return status;
  }
  room.gathered = changetype<Triangle>(0);
  return STATUS_DONE;
}

function flushPlace(tile: Tile, place: i32): i32 {
  const room = tile.coarse;
  const at = room.blocks + (place << 2);
  const block = load<i32>(at);
  if (block < 0) return STATUS_DONE;
  store<i32>(at, -1);
  const masks = room.masksOf(place);
  let quads = 0;
  for (let quad = 0; quad < WARP_QUADS; quad++) quads |= i32(load<u64>(masks + (quad << 3)) != 0) << quad;
  return packRates(tile, room.gathered, block, quads, masks);
}
