// Premultiplied over on four linear bytes: source + destination · (1 − alpha) in all channels; the usual state for
// particles. The results equal those of fixed.ts. Here 16-bit lanes hold every other byte of a texel, so nothing has to
// be transposed: a pixel's summands are one dword for its even bytes and one for its odd bytes (simd/texels.ts).

import { Draw, OutputScratch } from '../layout';
import { madd, splatFrom } from '../simd/lanes';
import { blendOverBytes, coarseWeights, evenBytes, fineWeights, summands, twoWords } from '../simd/texels';
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
      summands(this.summand(c0), this.summand(c2)),
      summands(this.summand(c1), this.summand(c3))
    );
  }


  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    if (index == 0) return coarseWeights(this.weight(c3));
    if (index == 1) return fineWeights(this.weight(c3));
    return index == 2 ? summands(this.summand(c0), this.summand(c2)) : summands(this.summand(c1), this.summand(c3));
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
    const weight = f32x4.sub(splatFrom(OVER, OVER_ONE), alpha);
    return twoWords(madd(weight, splatFrom(OVER, OVER_WEIGHT), splatFrom(OVER, OVER_INTEGER)));
  }
  /** The summand, in the low bits. */
  @inline private summand(x: v128): v128 {
    return madd(x, splatFrom(OVER, OVER_SUMMAND), splatFrom(OVER, OVER_ROUND));
  }
}
