// Colour of 8×8 blocks by state (layout/context.ts): clear blocks lie nowhere, blocks of one colour a pixel lie a texel a pixel, until
// someone asks for their samples. The same code in both builds.

import {
  COLOR_CLEAR, COLOR_PIXELS, COLOR_SAMPLES, CTX_CLEAR_TEXELS, CTX_COLOR_BLOCKS, CTX_COLORS, CTX_SAMPLES,
} from '../layout/context';
import { TILE_BLOCKS } from '../layout/limits';
import { BLOCK_PIXELS } from '../layout/tile';
import { clearTexel, PLANE_COLOR, repeat } from './tile';

/** Bytes of the longest texel. */
const TEXEL_BYTES = 16;

/** Address of the states of a target's blocks, a byte each. */
// @ts-ignore: decorator
@inline
export function colorStates(context: usize, index: i32): usize {
  return context + CTX_COLOR_BLOCKS + <usize>(index * TILE_BLOCKS);
}

/** All blocks of a target are clear. */
export function clearColors(context: usize, attachment: usize, index: i32, bytes: i32): void {
  const texel = context + CTX_CLEAR_TEXELS + <usize>(index * TEXEL_BYTES);
  clearTexel(attachment, PLANE_COLOR, texel, true);
  repeat(texel, bytes, TEXEL_BYTES);
  memory.fill(colorStates(context, index), <u8>COLOR_CLEAR, TILE_BLOCKS);
}

/** All blocks of a target are in the plane, a texel a sample. */
export function noteSamples(context: usize, index: i32): void {
  memory.fill(colorStates(context, index), <u8>COLOR_SAMPLES, TILE_BLOCKS);
}

/** Puts a block of `bytes` a texel into the plane, a texel a sample, if it is not there. */
// @ts-ignore: decorator
@inline
export function spreadColor(context: usize, index: i32, block: i32, bytes: i32): void {
  if (load<u8>(colorStates(context, index) + <usize>block) != COLOR_SAMPLES) spread(context, index, block, bytes);
}

/** Puts all blocks of a target into the plane. */
export function spreadColors(context: usize, index: i32, bytes: i32): void {
  for (let block = 0; block < TILE_BLOCKS; block++) spreadColor(context, index, block, bytes);
}

/** Four samples: makes a clear block one texel a pixel. */
// @ts-ignore: decorator
@inline
export function fillPixels(context: usize, index: i32, block: i32, bytes: i32): void {
  if (load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) fillBlock(context, index, block, bytes);
}

function fillBlock(context: usize, index: i32, block: i32, bytes: i32): void {
  const length = <usize>(BLOCK_PIXELS * bytes);
  fill(context, index, load<usize>(context + CTX_COLORS + (<usize>index << 2)) + <usize>(block * 4) * length, length);
  store<u8>(colorStates(context, index) + <usize>block, COLOR_PIXELS);
}

function spread(context: usize, index: i32, block: i32, bytes: i32): void {
  const state = colorStates(context, index) + <usize>block;
  const length = <usize>(BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES) * bytes);
  const at = load<usize>(context + CTX_COLORS + (<usize>index << 2)) + <usize>block * length;
  if (load<u8>(state) == COLOR_CLEAR) fill(context, index, at, length);
  else expand(at, bytes);
  store<u8>(state, COLOR_SAMPLES);
}

function fill(context: usize, index: i32, at: usize, length: usize): void {
  const texel = context + CTX_CLEAR_TEXELS + <usize>(index * TEXEL_BYTES);
  const low = load<u64>(texel);
  const high = load<u64>(texel, 8);
  for (const end = at + length; at < end; at += 16) {
    store<u64>(at, low);
    store<u64>(at, high, 8);
  }
}

/** 64 texels become four each, in place: from the last, whose place no other needs. */
function expand(at: usize, bytes: i32): void {
  for (let pixel = BLOCK_PIXELS - 1; pixel >= 0; pixel--) {
    repeatTexel(at + <usize>(pixel * 4 * bytes), at + <usize>(pixel * bytes), bytes);
  }
}

/** Four copies, at `to`, of the texel at `texel`, which may be the first of them. */
// @ts-ignore: decorator
@inline
function repeatTexel(to: usize, texel: usize, bytes: i32): void {
  switch (bytes) {
    case 1:
      store<u32>(to, <u32>load<u8>(texel) * 0x01010101);
      return;
    case 2:
      store<u64>(to, <u64>load<u16>(texel) * 0x0001000100010001);
      return;
    case 4: {
      const pair = <u64>load<u32>(texel) * 0x0000000100000001;
      store<u64>(to, pair);
      store<u64>(to, pair, 8);
      return;
    }
    case 8:
      repeatWords(to, load<u64>(texel), load<u64>(texel), 32);
      return;
    default:
      repeatWords(to, load<u64>(texel), load<u64>(texel, 8), 64);
  }
}

// @ts-ignore: decorator
@inline
function repeatWords(to: usize, first: u64, second: u64, length: usize): void {
  for (let offset: usize = 0; offset < length; offset += 16) {
    store<u64>(to + offset, first);
    store<u64>(to + offset, second, 8);
  }
}
