// The usual states on four linear bytes: sums whose factors depend only on the source alpha (ByAlpha), and among them
// premultiplied over, source + destination · (1 − alpha) in all channels (Over), the usual state for particles. The
// results equal those of fixed.ts. Here 16-bit lanes hold every other byte of a texel, so nothing has to be transposed:
// a pixel's summands are one dword for its even bytes and one for its odd bytes (simd/texels.ts).

import { Draw, Factor, OutputScratch } from '../layout';
import { madd, splatFrom } from '../simd/lanes';
import {
  blendHalves,
  blendOverBytes,
  coarseWeights,
  evenBytes,
  fineWeights,
  summands,
  twoWords,
  wordPairs,
} from '../simd/texels';
import { clamp01 } from '../surface/numbers';
import { FromAlpha } from './factors';
import { Fixed } from './fixed';

/**
 * Constants as data, because V8 would rebuild constants in code at every use: 1; the scales of weights and summands
 * (fixed.ts) · 2^-22; 2; 2 plus half a byte · 2^-22. Adding 2 to a small float leaves its nearest multiple of 2^-22,
 * ties to even, in the low bits; the exponent above them is shifted out.
 */
const OVER: usize = memory.data<u32>([0x3f800000, 0x3b800000, 0x3b7f0000, 0x40000000, 0x40000020]);
const OVER_ONE = 0;
const OVER_WEIGHT = 1;
const OVER_SUMMAND = 2;
const OVER_INTEGER = 3;
const OVER_ROUND = 4;

/** The weight of the destination as a whole number, in the low bits. */
// @ts-ignore: decorator
@inline
function weightOf(weight: v128): v128 {
  return madd(weight, splatFrom(OVER, OVER_WEIGHT), splatFrom(OVER, OVER_INTEGER));
}

/** The summand, in the low bits. */
// @ts-ignore: decorator
@inline
function summandOf(x: v128): v128 {
  return madd(x, splatFrom(OVER, OVER_SUMMAND), splatFrom(OVER, OVER_ROUND));
}

/** Premultiplied over. */
@unmanaged export class Over {

  @inline get replaces(): bool {
    return false;
  }


  @inline get isCheap(): bool {
    return true;
  }


  @inline get skips(): bool {
    return true;
  }
  prepare(scratch: OutputScratch, draw: Draw): void {}


  @inline source(x: v128): v128 {
    return clamp01(x);
  }


  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    const weight = this.weight(c3);
    return blendOverBytes(
      evenBytes(),
      v128.load(at),
      coarseWeights(weight),
      fineWeights(weight),
      summands(summandOf(c0), summandOf(c2)),
      summands(summandOf(c1), summandOf(c3))
    );
  }


  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    if (index == 0) return coarseWeights(this.weight(c3));
    if (index == 1) return fineWeights(this.weight(c3));
    return index == 2 ? summands(summandOf(c0), summandOf(c2)) : summands(summandOf(c1), summandOf(c3));
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return blendOverBytes(evenBytes(), v128.load(at), t0, t1, t2, t3);
  }


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.samples(scratch, at, t0, t1, t2, t3);
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<Fixed<FromAlpha>>(0).bits(scratch, at);
  }
  /** The weight of the destination, in both halves of each dword. */
  @inline private weight(alpha: v128): v128 {
    return twoWords(weightOf(f32x4.sub(splatFrom(OVER, OVER_ONE), alpha)));
  }
}

/** Sums whose factors depend only on the source alpha. */
@unmanaged export class ByAlpha {

  @inline get replaces(): bool {
    return false;
  }


  @inline get isCheap(): bool {
    return true;
  }


  @inline get skips(): bool {
    return false;
  }
  prepare(scratch: OutputScratch, draw: Draw): void {}


  @inline source(x: v128): v128 {
    return clamp01(x);
  }


  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return this.each(
      scratch,
      at,
      this.term(scratch, 0, c0, c1, c2, c3),
      this.term(scratch, 1, c0, c1, c2, c3),
      this.term(scratch, 2, c0, c1, c2, c3),
      this.term(scratch, 3, c0, c1, c2, c3)
    );
  }
  /** The weights of the even bytes and of the odd bytes, and their summands. */
  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    const target = scratch.target;
    if (index < 2) {
      const weight = weightOf(this.factor(scratch, target.destinationFactor(0), c3));
      if (index == 0) return twoWords(weight);
      return wordPairs(weight, weightOf(this.factor(scratch, target.destinationFactor(3), c3)));
    }
    const factor = this.factor(scratch, target.sourceFactor(0), c3);
    if (index == 2) return summands(summandOf(f32x4.mul(c0, factor)), summandOf(f32x4.mul(c2, factor)));
    const alpha = f32x4.mul(c3, this.factor(scratch, target.sourceFactor(3), c3));
    return summands(summandOf(f32x4.mul(c1, factor)), summandOf(alpha));
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return blendHalves(v128.load(at), t0, t1, t2, t3);
  }


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.samples(scratch, at, t0, t1, t2, t3);
  }


  @inline private factor(scratch: OutputScratch, factor: Factor, alpha: v128): v128 {
    return changetype<FromAlpha>(0).of(scratch, factor, 0, alpha);
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<Fixed<FromAlpha>>(0).bits(scratch, at);
  }
}
