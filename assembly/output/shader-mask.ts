// Computes the samples of a quad that remain after its shader: pixels that are not discarded, samples in the sample
// mask output, and samples that alpha-to-coverage keeps. Scalar twin: shader-mask.scalar.ts.

import { Draw, Entry, Packer, PACKER_BLOCK, PACKER_QUADS, REGISTER_BYTES, sizeOf, Tile, VECTOR_BYTES } from '../layout';
import { intsOfWhole } from '../simd/channels';
import { madd, splatFrom } from '../simd/lanes';
import { nibblesOf } from '../simd/texels';
import { clamp01 } from '../surface/numbers';
import { quadMask, samplesOfPixels } from '../tile/layers';
import { coverageRegister, shaderMaskScalar } from './shader-mask.scalar';

/**
 * For four samples: the alphas from which on one more sample is covered, and the bits of these samples in order; then
 * ½.
 */
const STEPS: usize = memory.data<u32>([0x3e000000, 0x3ec00000, 0x3f200000, 0x3f600000, 1, 8, 2, 4, 0x3f000000]);

/** How many lanes of a block are killed. */
const KILLED_NONE = 0;
const KILLED_SOME = 1;
const KILLED_ALL = 2;

/** The samples that remain of quad `i` of the warp. Bits of layers that the tile lacks may be set. */
export function shaderMask(tile: Tile, draw: Draw, i: usize): u64 {
  if (ASC_FEATURE_SIMD) return shaderMaskSimd(tile, draw, i);
  else return shaderMaskScalar(tile, draw, i);
}

/** Whether only discarded pixels lose samples. */
export function onlyDiscards(draw: Draw): bool {
  return draw.sampleMaskOutRegister < 0 && coverageRegister(draw) < 0;
}

/**
 * Removes the discarded pixels' samples from the masks of all entries. A block that keeps some samples becomes quads;
 * one that keeps none is left as it is. Returns the samples that some entry keeps.
 */
export function removeDiscarded(tile: Tile, packer: Packer): u64 {
  const begin = tile.warp.killed;
  const end = begin + packer.count * VECTOR_BYTES;
  if (packer.kind == PACKER_BLOCK) {
    const killed = killedOf(begin, end);
    if (killed == KILLED_NONE) return u64.MAX_VALUE;
    if (killed == KILLED_ALL) return 0;
    packer.kind = PACKER_QUADS;
  }
  const count = tile.samples;
  let samples: u64 = 0;
  let entry = packer.entries;
  for (let killed = begin; killed < end; killed += VECTOR_BYTES) {
    const mask = changetype<Entry>(entry).mask & samplesOfPixels(keptPixels(killed), count);
    changetype<Entry>(entry).mask = mask;
    samples |= mask;
    entry += sizeOf<Entry>();
  }
  return samples;
}

/** KILLED_* of the lanes from `at` to `end`. */
function killedOf(at: usize, end: usize): i32 {
  let some = i32x4.splat(0);
  let all = i32x4.splat(-1);
  for (; at < end; at += VECTOR_BYTES) {
    const killed = v128.load(at);
    some = v128.or(some, killed);
    all = v128.and(all, killed);
  }
  if (!v128.any_true(some)) return KILLED_NONE;
  return i32x4.all_true(all) ? KILLED_ALL : KILLED_SOME;
}

/** The pixels of a quad that are not discarded. */
function keptPixels(killed: usize): i32 {
  return ~i32x4.bitmask(v128.load(killed)) & 15;
}

function shaderMaskSimd(tile: Tile, draw: Draw, i: usize): u64 {
  const kept = keptPixels(tile.warp.killed + (i << 4));
  const count = tile.samples;
  const maskRegister = draw.sampleMaskOutRegister;
  const alphaRegister = coverageRegister(draw);
  if (!kept || (maskRegister < 0 && alphaRegister < 0)) return samplesOfPixels(kept, count);
  const registers = tile.registers + (i << 4);
  let bits = i32x4.splat(-1);
  if (maskRegister >= 0) bits = v128.load(registers + maskRegister * REGISTER_BYTES);
  if (alphaRegister >= 0) {
    bits = v128.and(bits, alphaSamples(v128.load(registers + alphaRegister * REGISTER_BYTES), count));
  }
  return samplesOfPixels(kept, count) & samplesOf(bits, count);
}

/** The samples whose bits are set in the words of four pixels. */
function samplesOf(bits: v128, count: i32): u64 {
  if (count == 1) return i32x4.bitmask(i32x4.shl(bits, 31));
  if (count == 4) return nibblesOf(bits);
  // With two samples, the last two of four stored samples repeat the first two.
  if (count == 2) return (nibblesOf(bits) & 0x3333) * 5;
  return (
    quadMask(i32x4.extract_lane(bits, 0), 0)
    | quadMask(i32x4.extract_lane(bits, 1), 1)
    | quadMask(i32x4.extract_lane(bits, 2), 2)
    | quadMask(i32x4.extract_lane(bits, 3), 3)
  );
}

/**
 * Alpha to coverage (WebGPU §10.3.7): covers alpha · `count` samples, rounded to nearest, always in the same order, so
 * that more alpha never covers fewer samples. With four samples the order is 0, 3, 1, 2, so that the first two are
 * opposite; the standard positions of 8 and 16 samples are in a suitable order already.
 */
function alphaSamples(alpha: v128, count: i32): v128 {
  // With one sample, it is the first of four.
  if (count == 4 || count == 1) {
    return v128.or(v128.or(fromStep(alpha, 0), fromStep(alpha, 1)), v128.or(fromStep(alpha, 2), fromStep(alpha, 3)));
  }
  const samples = intsOfWhole(f32x4.floor(madd(clamp01(alpha), f32x4.splat(<f32>count), splatFrom(STEPS, 8))));
  // 2^samples − 1.
  const power = i32x4.shl(i32x4.add(samples, i32x4.splat(127)), 23);
  return i32x4.sub(intsOfWhole(power), i32x4.splat(1));
}

function fromStep(alpha: v128, step: i32): v128 {
  return v128.and(f32x4.ge(alpha, splatFrom(STEPS, step)), splatFrom(STEPS, 4 + step));
}
