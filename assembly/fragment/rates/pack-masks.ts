// Packs the visible pixels of a triangle in one block by their shading rates, for deferred draw calls at one sample per
// pixel whose targets have texels of four bytes. A BLOCK MASK has a bit for each of the block's 64 pixels (quad·4 +
// pixel). Entries of the coarse packers have one each: the pixels that receive their results (write-masks.ts). Other
// draw calls have lists of quads instead (coarse-pack.ts). That takes three times as long for triangles of 100 pixels.
// Only builds with SIMD do this.

import {
  CoarsePacker,
  Draw,
  entryHead,
  PACKER_PIXELS,
  PACKER_QUADS,
  PROGRAM_FLAG_DERIVATIVES,
  STATUS_DONE,
  STATUS_TIMEOUT,
  Tile,
  Triangle,
  WARP_QUADS,
} from '../../layout';
import { One } from '../../tile/layers';
import { shadeCoarse } from '../coarse';
import { isOrdered, packerFor } from '../coarse-pack';
import { coarseQuadOf, lanePixels, toLowerLane, toRightLane } from '../inputs/coarse-shapes';
import { packDeferred } from '../slots';
import { ratesOf } from './rates';

/** The pixels of a block's first area, as a block mask. The other areas are 8, 32 and 40 bits after it. */
const AREA_PIXELS: u64 = 0x00ff00ff;

/** Whether a draw call's coarse pixels are packed with block masks. It is deferred, and may be shaded in order now. */
export function hasBlockMasks(tile: Tile, draw: Draw): bool {
  if (!ASC_FEATURE_SIMD || tile.layerSamples != 1 || draw.stages || tile.pass.counts || isOrdered(tile, draw))
    return false;
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const plane = tile.plane(i);
    if (plane.samples && draw.target(i).slot && plane.texelBytes != 4) return false;
  }
  return true;
}

/** Packs some pixels of a triangle in a block after looking up their rates. Returns STATUS_*. */
export function packMask(tile: Tile, triangle: Triangle, block: i32, pixels: u64): i32 {
  return packMaskAt(tile, triangle, block, pixels, ratesOf(tile, triangle, block, areasOf(pixels)));
}

/** packMask for rates that are known. */
export function packMaskAt(tile: Tile, triangle: Triangle, block: i32, pixels: u64, rates: u32): i32 {
  for (let rest = pixels; rest;) {
    const first = areaOf(<i32>ctz(rest));
    const rate = (rates >> (first << 3)) & 255;
    let alike: u64 = 0;
    for (let area: u32 = first; area < 4; area++)
      if (((rates >> (area << 3)) & 255) == rate) alike |= AREA_PIXELS << (((area & 1) << 3) | ((area >> 1) << 5));
    const status = rate
      ? packCoarse(tile, triangle, block, rest & alike, rate)
      : packFine(tile, triangle, block, rest & alike);
    if (status != STATUS_DONE) return status;
    rest &= ~alike;
  }
  return STATUS_DONE;
}

/** Packs some pixels of a triangle in a block at 1×1. Returns STATUS_*. */
export function packFine(tile: Tile, triangle: Triangle, block: i32, pixels: u64): i32 {
  for (let rest = pixels; rest;) {
    const shift = ctz(rest) & 60;
    const status = packDeferred<One>(tile, triangle, (block << 4) + <i32>(shift >> 2), (rest >> shift) & 15);
    if (status != STATUS_DONE) return status;
    rest &= ~((<u64>15) << shift);
  }
  return STATUS_DONE;
}

/** The area of a pixel of a block, and the areas (bit area) that have some of the given pixels. */
function areaOf(pixel: i32): u32 {
  return ((pixel >> 3) & 1) | ((pixel >> 4) & 2);
}
function areasOf(pixels: u64): i32 {
  return (
    i32((pixels & AREA_PIXELS) != 0)
    | (i32((pixels & (AREA_PIXELS << 8)) != 0) << 1)
    | (i32((pixels & (AREA_PIXELS << 32)) != 0) << 2)
    | (i32((pixels & (AREA_PIXELS << 40)) != 0) << 3)
  );
}

/** Packs pixels whose areas all have one coarser rate, one coarse quad after the other. Returns STATUS_*. */
function packCoarse(tile: Tile, triangle: Triangle, block: i32, pixels: u64, rate: i32): i32 {
  const draw = triangle.draw;
  const byQuads = (draw.fragment.program.flags & PROGRAM_FLAG_DERIVATIVES) != 0;
  const right = toRightLane(rate);
  const down = toLowerLane(rate);
  for (let rest = pixels; rest;) {
    const first = coarseQuadOf(rate, <i32>(ctz(rest) >> 2));
    const lane = lanePixels(rate) << (first << 2);
    const lane0 = rest & lane;
    const lane1 = rest & (lane << right);
    const lane2 = rest & (lane << down);
    const lane3 = rest & (lane << (right + down));
    const own = lane0 | lane1 | lane2 | lane3;
    rest ^= own;
    const wanted = i32(lane0 != 0) | (i32(lane1 != 0) << 1) | (i32(lane2 != 0) << 2) | (i32(lane3 != 0) << 3);
    if (byQuads || wanted == 15) {
      const coarse = roomFor(tile, draw, rate, PACKER_QUADS);
      if (!coarse) return STATUS_TIMEOUT;
      coarse.putMask(entryHead(triangle, (block << 4) + first, -1), wanted, own);
      continue;
    }
    const coarse = roomFor(tile, draw, rate, PACKER_PIXELS);
    if (!coarse) return STATUS_TIMEOUT;
    const index = (block << 6) + (first << 2);
    if (lane0) coarse.putMask(entryHead(triangle, index, -1), 1, lane0);
    if (lane1) coarse.putMask(entryHead(triangle, index + <i32>right, -1), 1, lane1);
    if (lane2) coarse.putMask(entryHead(triangle, index + <i32>down, -1), 1, lane2);
    if (lane3) coarse.putMask(entryHead(triangle, index + <i32>(right + down), -1), 1, lane3);
  }
  return STATUS_DONE;
}

/**
 * Finds a packer for a draw call at a rate, with room for a coarse quad (PACKER_QUADS) or for three coarse pixels
 * (PACKER_PIXELS). Returns 0 on timeout.
 */
// @ts-ignore: decorator
@inline
function roomFor(tile: Tile, draw: Draw, rate: i32, kind: i32): CoarsePacker {
  const last = tile.coarse.last(kind);
  if (last && last.packer.draw == draw && last.rate == rate && last.packer.kind == kind && !last.ordered)
    if (last.packer.count <= (kind == PACKER_QUADS ? WARP_QUADS - 1 : 4 * WARP_QUADS - 3)) return last;
  return makeRoom(tile, draw, rate, kind);
}

function makeRoom(tile: Tile, draw: Draw, rate: i32, kind: i32): CoarsePacker {
  const coarse = packerFor(tile, draw, rate, kind);
  if (!coarse) return coarse;
  coarse.hasMasks = 1;
  tile.coarse.setLast(kind, coarse);
  const most = kind == PACKER_QUADS ? WARP_QUADS - 1 : 4 * WARP_QUADS - 3;
  if (coarse.packer.count <= most || shadeCoarse(tile, coarse) == STATUS_DONE) return coarse;
  return changetype<CoarsePacker>(0);
}
