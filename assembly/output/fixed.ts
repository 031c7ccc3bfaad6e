// Fixed-point blending of four linear bytes, for all states that are linear in the destination (factors.ts). Summand
// and weight have 14 fraction bits, and the result is rounded once, within 0.52/255 of the exact value. The weights and
// summands of a pixel are its TERMS (simd/texels.ts), one v128.

import { Draw, Factor, OutputScratch } from '../layout';
import { interleaveHigh, interleaveLow, splatFrom } from '../simd/lanes';
import { blendBytes } from '../simd/texels';
import { clamp01 } from '../surface/numbers';

/** Scale of summands, in units of 1/256: 255/256 · 2^14; and of weights. */
const SUMMAND_SCALE: f32 = 16320;
const WEIGHT_SCALE: f32 = 16384;
/** 1.5·2^23: adding it to a small float leaves the nearest integer in the low bits, ties to even. */
const INTEGER: f32 = 12582912;
/** Half a byte step, as a summand. */
const ROUND = 32;
/** As data (see over.ts): the scales, INTEGER, INTEGER + ROUND, and 0xffff. */
const TERMS: usize = memory.data<u32>([0x467f0000, 0x46800000, 0x4b400000, 0x4b400020, 0xffff]);
const TERMS_SUMMAND = 0;
const TERMS_WEIGHT = 1;
const TERMS_INTEGER = 2;
const TERMS_ROUND = 3;
const TERMS_LOW = 4;

/** F: where factors come from (factors.ts). */
@unmanaged export class Fixed<F> {

  @inline get replaces(): bool {
    return false;
  }


  @inline get isCheap(): bool {
    return true;
  }


  @inline get skips(): bool {
    return false;
  }
  prepare(scratch: OutputScratch, draw: Draw): void {
    changetype<F>(0).prepare(scratch, draw);
  }


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


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    const even = interleaveLow(t0, t2);
    const odd = interleaveLow(t1, t3);
    const evenHigh = interleaveHigh(t0, t2);
    const oddHigh = interleaveHigh(t1, t3);
    return blendBytes(
      v128.load(at),
      interleaveLow(even, odd),
      interleaveHigh(even, odd),
      interleaveLow(evenHigh, oddHigh),
      interleaveHigh(evenHigh, oddHigh)
    );
  }
  /** Each channel's summands in the upper halves of the lanes, weights in the lower halves. */
  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    if (index == 0) changetype<F>(0).keep(scratch.source, c0, c1, c2, c3);
    const value = index == 0 ? c0 : index == 1 ? c1 : index == 2 ? c2 : c3;
    return this.channel(scratch, index, value, c3);
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    const terms = interleaveLow(interleaveLow(t0, t2), interleaveLow(t1, t3));
    return blendBytes(v128.load(at), terms, terms, terms, terms);
  }


  @inline private channel(scratch: OutputScratch, channel: i32, value: v128, alpha: v128): v128 {
    const source = scratch.target.sourceFactor(channel);
    const destination = scratch.target.destinationFactor(channel);
    const summand = f32x4.mul(value, changetype<F>(0).of(scratch, source, channel, alpha));
    const weight = changetype<F>(0).of(scratch, destination, channel, alpha);
    return v128.or(
      i32x4.shl(this.scaled(summand, source, TERMS_SUMMAND, TERMS_ROUND), 16),
      v128.and(this.scaled(weight, destination, TERMS_WEIGHT, TERMS_INTEGER), splatFrom(TERMS, TERMS_LOW))
    );
  }


  @inline private scaled(x: v128, factor: Factor, scale: i32, integer: i32): v128 {
    const sign = v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('sign'));
    return f32x4.add(v128.xor(f32x4.mul(x, splatFrom(TERMS, scale)), sign), splatFrom(TERMS, integer));
  }

  bits(scratch: OutputScratch, at: usize): void {
    for (let channel = 0; channel < 4; channel++) {
      const source = scratch.target.sourceFactor(channel);
      const destination = scratch.target.destinationFactor(channel);
      const value = load<f32>(scratch.source + (channel << 4));
      const term = value * changetype<F>(0).bits(scratch, source, channel);
      const summand = this.scaledBits(term, source, SUMMAND_SCALE) + ROUND;
      const weight = this.scaledBits(changetype<F>(0).bits(scratch, destination, channel), destination, WEIGHT_SCALE);
      const byte = (load<u8>(at + channel) * weight + 256 * summand) >> 14;
      store<u8>(scratch.texels + channel, byte < 0 ? 0 : byte > 255 ? 255 : byte);
    }
  }
  /** x·scale as the nearest integer, ties to even. */
  private scaledBits(x: f32, factor: Factor, scale: f32): i32 {
    return reinterpret<i32>(x * (factor.sign ? -scale : scale) + INTEGER) - reinterpret<i32>(INTEGER);
  }
}
