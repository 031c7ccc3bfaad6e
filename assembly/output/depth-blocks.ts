// Depth of 8×8 blocks as a whole: bounds by which a triangle passes or fails everywhere without looking at samples, and blocks whose
// depth is one plane or the clear value and lies nowhere (48 full-screen layers then move no depth at all). The same code in both builds:
// rounding is monotone, so the bounds are those of the samples' own depths and no sample is ever judged differently from depth.ts. (A
// triangle's own TRI_NEAR and TRI_FAR are wider than its depths by what rounding may add.)

import {
  CTX_DEPTH, CTX_DEPTH_16, CTX_DEPTH_BLOCKS, CTX_DEPTH_HIGH, CTX_DEPTH_LOW, CTX_EQUAL, CTX_GREATER, CTX_LAYERS, CTX_LESS, CTX_SAMPLE_COUNT, CTX_SAMPLES, CTX_TILE_X,
  CTX_TILE_Y, DEPTH_BLOCK_HIGH, DEPTH_BLOCK_LOW, DEPTH_BLOCK_SHIFT, DEPTH_BLOCK_SOURCE, DEPTH_BLOCK_WRITES, DEPTH_CLEAR, DEPTH_STORED,
} from '../layout/context';
import { TILE_BLOCKS } from '../layout/limits';
import { BLOCK_PIXELS } from '../layout/tile';
import { TRI_FAR, TRI_NEAR, TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY } from '../layout/triangle';
import { firstSample, lastSample } from '../simd/positions';
import { boundDepths, planeBlock } from './depth';
import { limitDepthScalar } from './depth.scalar';
import { LAYER_WORDS } from '../tile/layers';

/** Depths beyond this (and NaN) have no bounds. */
const FINITE: f32 = 1e30;

// @ts-ignore: decorator
@inline
function record(context: usize, block: i32): usize {
  return context + CTX_DEPTH_BLOCKS + (<usize>block << DEPTH_BLOCK_SHIFT);
}

/** All blocks of the tile: depth is the clear value, or (DEPTH_STORED) is in the plane and not known. */
export function beginDepthBlocks(context: usize, source: i32, clear: f32): void {
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const at = record(context, block);
    store<f32>(at, source == DEPTH_CLEAR ? clear : -Infinity, DEPTH_BLOCK_LOW);
    store<f32>(at, source == DEPTH_CLEAR ? clear : Infinity, DEPTH_BLOCK_HIGH);
    store<i32>(at, source, DEPTH_BLOCK_SOURCE);
    store<u32>(at, 0, DEPTH_BLOCK_WRITES);
  }
}

/** Puts a block's depths into the plane, if they are not there. */
// @ts-ignore: decorator
@inline
export function spreadDepth(context: usize, block: i32): void {
  if (load<usize>(record(context, block) + DEPTH_BLOCK_SOURCE) != DEPTH_STORED) spread(context, block);
}

function spread(context: usize, block: i32): void {
  const at = record(context, block);
  const source: usize = load<usize>(at + DEPTH_BLOCK_SOURCE);
  store<u32>(at, DEPTH_STORED, DEPTH_BLOCK_SOURCE);
  if (source != DEPTH_CLEAR) planeBlock(context, source, block);
  else for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) clearLayer(context, at, block, layer);
}

/** The clear value for all samples, in a layer, of a block. */
// @ts-ignore: decorator
@inline
function clearLayer(context: usize, at: usize, block: i32, layer: i32): void {
  const bytes = <usize>(BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES)) << 2;
  let to = load<usize>(context + CTX_DEPTH) + <usize>layer * LAYER_WORDS + <usize>block * bytes;
  const word: u64 = load<u32>(at, DEPTH_BLOCK_LOW);
  const pair = word | (word << 32);
  for (const end = to + bytes; to < end; to += 16) {
    store<u64>(to, pair);
    store<u64>(to, pair, 8);
  }
}

/** Puts all depths of the tile into the plane. */
export function spreadDepths(context: usize): void {
  for (let block = 0; block < TILE_BLOCKS; block++) spreadDepth(context, block);
}

/** Bounds of a triangle's depth over all samples of a block, to CTX_DEPTH_LOW and CTX_DEPTH_HIGH. */
function boundTriangle(context: usize, triangle: usize, block: i32): void {
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  if (load<f32>(triangle + TRI_Z_DX) == 0 && load<f32>(triangle + TRI_Z_DY) == 0 && abs<f32>(load<f32>(triangle + TRI_Z)) < FINITE) {
    const flat = limitDepthScalar(load<f32>(triangle + TRI_Z), triangle, depth16);
    store<f32>(context, flat, CTX_DEPTH_LOW);
    store<f32>(context, flat, CTX_DEPTH_HIGH);
    return;
  }
  // Samples lie from 0.5 to 7.5 at one sample, from 2/16 to 126/16 at four.
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const first = <f32>firstSample(count) * 0.0625;
  const last: f32 = 7 + <f32>lastSample(count) * 0.0625;
  const x = <f32>(load<i32>(context + CTX_TILE_X) + ((block & 7) << 3));
  const y = <f32>(load<i32>(context + CTX_TILE_Y) + ((block >> 3) << 3));
  const c = load<f32>(triangle + TRI_Z);
  const dx = load<f32>(triangle + TRI_Z_DX);
  const dy = load<f32>(triangle + TRI_Z_DY);
  const left = dx * (x + first - load<f32>(triangle + TRI_X0)) + c;
  const right = dx * (x + last - load<f32>(triangle + TRI_X0)) + c;
  const upper = dy * (y + first - load<f32>(triangle + TRI_Y0));
  const lower = dy * (y + last - load<f32>(triangle + TRI_Y0));
  const low = (left < right ? left : right) + (upper < lower ? upper : lower);
  const high = (left < right ? right : left) + (upper < lower ? lower : upper);
  const known = low > -FINITE && high < FINITE;
  store<f32>(context, known ? limitDepthScalar(low, triangle, depth16) : -Infinity, CTX_DEPTH_LOW);
  store<f32>(context, known ? limitDepthScalar(high, triangle, depth16) : Infinity, CTX_DEPTH_HIGH);
}

/** Whether a triangle passes the depth test at all samples of a block (1), at none (-1), or has to be asked sample by sample (0). */
export function depthSide(context: usize, triangle: usize, block: i32): i32 {
  boundTriangle(context, triangle, block);
  return sideOf(context, block, load<f32>(context, CTX_DEPTH_LOW), load<f32>(context, CTX_DEPTH_HIGH));
}

/**
 * depthSide of a triangle with edges by its own bounds: no plane is evaluated, and CTX_DEPTH_LOW and CTX_DEPTH_HIGH are not set. For depths
 * that are not rounded.
 */
// @ts-ignore: decorator
@inline
export function ownSide(context: usize, triangle: usize, block: i32): i32 {
  return sideOf(context, block, load<f32>(triangle + TRI_NEAR), load<f32>(triangle + TRI_FAR));
}

/** depthSide for depths of `low` to `high`; a NaN bounds nothing. */
// @ts-ignore: decorator
@inline
function sideOf(context: usize, block: i32, low: f32, high: f32): i32 {
  const at = record(context, block);
  const storedLow = load<f32>(at, DEPTH_BLOCK_LOW);
  const storedHigh = load<f32>(at, DEPTH_BLOCK_HIGH);
  // What may be true of some sample, and what passes.
  const less = low >= storedHigh ? 0 : -1;
  const equal = low > storedHigh || high < storedLow ? 0 : -1;
  const greater = high <= storedLow ? 0 : -1;
  const passLess = load<i32>(context, CTX_LESS);
  const passEqual = load<i32>(context, CTX_EQUAL);
  const passGreater = load<i32>(context, CTX_GREATER);
  if (!((less & ~passLess) | (equal & ~passEqual) | (greater & ~passGreater))) return 1;
  return (less & passLess) | (equal & passEqual) | (greater & passGreater) ? 0 : -1;
}

/** Whether one triangle's plane is the depth of all samples of a block. */
// @ts-ignore: decorator
@inline
export function isPlane(context: usize, block: i32): bool {
  return load<u32>(record(context, block) + DEPTH_BLOCK_SOURCE) > <u32>DEPTH_CLEAR;
}

/** Pixels written to a block, from which on its bounds are looked for in its depths: as many as it has. Twice as many, and a layer of two
 * triangles a block never hid anything. */
const BOUND_WRITES: u32 = BLOCK_PIXELS;
/** In DEPTH_BLOCK_WRITES: bounds have been found in the depths since the tile began; asking for them pays. */
const BOUNDED: u32 = 0x80000000;

// @ts-ignore: decorator
@inline
function noteWrites(at: usize, pixels: i32): void {
  store<u32>(at, load<u32>(at, DEPTH_BLOCK_WRITES) + pixels, DEPTH_BLOCK_WRITES);
}

/**
 * The hierarchical depth of blocks that small triangles fill: whether the bounds of a stored block say anything. They are found again
 * once enough was written for that to cost little. Twelve layers of triangles of 8 pixels, nearest first, take 30 % less time with it at
 * one sample and 54 % at four; teapots, which hide little, 3 % more.
 */
// @ts-ignore: decorator
@inline
export function isBounded(context: usize, block: i32): bool {
  const writes = load<u32>(record(context, block) + DEPTH_BLOCK_WRITES);
  if ((writes & ~BOUNDED) >= BOUND_WRITES) findBounds(context, block);
  else if (!(writes & BOUNDED)) return false;
  return true;
}

function findBounds(context: usize, block: i32): void {
  const at = record(context, block);
  store<u32>(at, BOUNDED, DEPTH_BLOCK_WRITES);
  if (load<usize>(at + DEPTH_BLOCK_SOURCE) != DEPTH_STORED) return;
  const bytes = <usize>(BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES)) << 2;
  const layers = load<i32>(context, CTX_LAYERS);
  let low: f32 = Infinity;
  let high: f32 = -Infinity;
  for (let layer = 0; layer < layers; layer++) {
    boundDepths(load<usize>(context + CTX_DEPTH) + <usize>layer * LAYER_WORDS + <usize>block * bytes, bytes, at);
    low = min<f32>(low, load<f32>(at, DEPTH_BLOCK_LOW));
    high = max<f32>(high, load<f32>(at, DEPTH_BLOCK_HIGH));
  }
  store<f32>(at, low, DEPTH_BLOCK_LOW);
  store<f32>(at, high, DEPTH_BLOCK_HIGH);
}

/** In place of depthSide where its answer would help no one. */
// @ts-ignore: decorator
@inline
export function unbounded(context: usize): i32 {
  store<f32>(context, -Infinity, CTX_DEPTH_LOW);
  store<f32>(context, Infinity, CTX_DEPTH_HIGH);
  return 0;
}

/** After depthSide: the triangle's depth is that of all samples of the block. */
export function coverDepth(context: usize, triangle: usize, block: i32): void {
  const at = record(context, block);
  store<f32>(at, load<f32>(context, CTX_DEPTH_LOW), DEPTH_BLOCK_LOW);
  store<f32>(at, load<f32>(context, CTX_DEPTH_HIGH), DEPTH_BLOCK_HIGH);
  store<u32>(at, <u32>triangle, DEPTH_BLOCK_SOURCE);
}

/** After depthSide, when samples of `quads` quads of the block were tested and written one by one; `full`: all of the block were tested. */
export function widenDepth(context: usize, block: i32, quads: i32, full: bool): void {
  const at = record(context, block);
  noteWrites(at, quads << 2);
  const low = load<f32>(context, CTX_DEPTH_LOW);
  const high = load<f32>(context, CTX_DEPTH_HIGH);
  const less = load<i32>(context, CTX_LESS) != 0;
  const greater = load<i32>(context, CTX_GREATER) != 0;
  // What passes as less lowers the least, never the greatest. Where only the nearer one stays, none is farther than the triangle.
  if (less) lower(at, low);
  if (greater) raise(at, high);
  if (!full || less == greater) return;
  if (less && high < load<f32>(at, DEPTH_BLOCK_HIGH)) store<f32>(at, high, DEPTH_BLOCK_HIGH);
  if (greater && low > load<f32>(at, DEPTH_BLOCK_LOW)) store<f32>(at, low, DEPTH_BLOCK_LOW);
}

/** When one sample of the block was written with depth `z`, after a test. */
// @ts-ignore: decorator
@inline
export function widenDepthTo(context: usize, block: i32, z: f32): void {
  const at = record(context, block);
  noteWrites(at, 1);
  if (load<i32>(context, CTX_LESS)) lower(at, z);
  if (load<i32>(context, CTX_GREATER)) raise(at, z);
}

/** When about `pixels` pixels of the block were written with depths that are not bounded. */
// @ts-ignore: decorator
@inline
export function loosenDepth(context: usize, block: i32, pixels: i32): void {
  const at = record(context, block);
  noteWrites(at, pixels);
  if (load<i32>(context, CTX_LESS)) store<f32>(at, -Infinity, DEPTH_BLOCK_LOW);
  if (load<i32>(context, CTX_GREATER)) store<f32>(at, Infinity, DEPTH_BLOCK_HIGH);
}

// @ts-ignore: decorator
@inline
function lower(at: usize, low: f32): void {
  if (low < load<f32>(at, DEPTH_BLOCK_LOW)) store<f32>(at, low, DEPTH_BLOCK_LOW);
}

// @ts-ignore: decorator
@inline
function raise(at: usize, high: f32): void {
  if (high > load<f32>(at, DEPTH_BLOCK_HIGH)) store<f32>(at, high, DEPTH_BLOCK_HIGH);
}
