// Float blending for the states that most draw calls use. No factor depends on the destination, so the factors of a
// quad are computed once, without storing four-channel operands in memory. The results equal those of float.ts, which
// supports all states.

import { BLEND_MIN, Draw, Factor, OutputScratch, Target } from '../layout';
import { madd, max, min, select, splatFrom } from '../simd/lanes';
import { FromOperands } from './factors';
import { FloatBlend } from './float';

/** As data; see over.ts. */
const ONE: usize = memory.data<f32>([1]);

/** C: codec. S: how a channel is blended, given the weights of source and destination for colour or alpha. */
@unmanaged export class CommonBlend<C, S> {

  @inline get replaces(): bool {
    return false;
  }


  @inline get isCheap(): bool {
    return false;
  }


  @inline get skips(): bool {
    return false;
  }
  prepare(scratch: OutputScratch, draw: Draw): void {
    changetype<FromOperands<C>>(0).prepare(scratch, draw);
    changetype<S>(0).prepare(scratch);
  }


  @inline source(x: v128): v128 {
    return changetype<C>(0).clamp(x);
  }


  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    const codec = changetype<C>(0);
    const state = changetype<S>(0);
    const channels = codec.channels;
    const target = scratch.target;
    state.keep(scratch, c3);
    const source = state.weight(scratch, target.factor(0), c3);
    const destination = state.weight(scratch, target.factor(1), c3);
    const r = state.sum(scratch, 0, c0, codec.load(at, 0), source, destination);
    const g = channels > 1 ? state.sum(scratch, 1, c1, codec.load(at, 1), source, destination) : c1;
    const b = channels > 2 ? state.sum(scratch, 2, c2, codec.load(at, 2), source, destination) : c2;
    const a =
      channels > 3
        ? state.sum(
            scratch,
            3,
            c3,
            codec.load(at, 3),
            state.weight(scratch, target.factor(2), c3),
            state.weight(scratch, target.factor(3), c3)
          )
        : c3;
    return codec.encode(scratch.texels, r, g, b, a);
  }


  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? c0 : index == 1 ? c1 : index == 2 ? c2 : c3;
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.four(scratch, at, t0, t1, t2, t3);
  }


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.four(scratch, at, t0, t1, t2, t3);
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<FloatBlend<C, FromOperands<C>>>(0).bits(scratch, at);
  }
}

/** value · factor; a factor of zero removes infinities too, as in renderers that omit the term. */
// @ts-ignore: decorator
@inline
function product(value: v128, factor: v128): v128 {
  return v128.and(f32x4.mul(value, factor), f32x4.ne(factor, f32x4.splat(0)));
}

/** Premultiplied over: source + destination · (1 − alpha) in all channels. */
@unmanaged export class PremultipliedOver {
  prepare(scratch: OutputScratch): void {}


  @inline keep(scratch: OutputScratch, alpha: v128): void {}


  @inline weight(scratch: OutputScratch, factor: Factor, alpha: v128): v128 {
    return f32x4.sub(splatFrom(ONE, 0), alpha);
  }


  @inline sum(scratch: OutputScratch, channel: i32, s: v128, d: v128, source: v128, destination: v128): v128 {
    return f32x4.add(s, product(d, destination));
  }
}

/** Sums and differences whose factors depend only on the source alpha. */
@unmanaged export class AlphaWeighted {
  prepare(scratch: OutputScratch): void {}
  /**
   * Stores alpha as an operand. Where the operand is one, its address avoids 0 · alpha, which is NaN for an infinity.
   */
  @inline keep(scratch: OutputScratch, alpha: v128): void {
    v128.store(scratch.source, alpha, 48);
  }


  @inline weight(scratch: OutputScratch, factor: Factor, alpha: v128): v128 {
    const operand = v128.load(changetype<usize>(scratch) + (factor.operand + factor.stride * 3));
    return madd(
      operand,
      v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('scale')),
      v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('bias'))
    );
  }


  @inline sum(scratch: OutputScratch, channel: i32, s: v128, d: v128, source: v128, destination: v128): v128 {
    const target = scratch.target;
    return f32x4.add(
      this.signed(product(s, source), target.sourceFactor(channel)),
      this.signed(product(d, destination), target.destinationFactor(channel))
    );
  }


  @inline private signed(x: v128, factor: Factor): v128 {
    return v128.xor(x, v128.load32_splat(changetype<usize>(factor), offsetof<Factor>('sign')));
  }
}

/** Minimum and maximum. */
@unmanaged export class MinOrMax {
  /** Stores all ones in the channels that use the minimum. */
  prepare(scratch: OutputScratch): void {
    const target: Target = scratch.target;
    const color: u64 = target.colorOp == BLEND_MIN ? -1 : 0;
    const alpha: u64 = target.alphaOp == BLEND_MIN ? -1 : 0;
    for (let i: usize = 0; i < 64; i += 8) store<u64>(scratch.constant + i, i < 48 ? color : alpha);
  }


  @inline keep(scratch: OutputScratch, alpha: v128): void {}


  @inline weight(scratch: OutputScratch, factor: Factor, alpha: v128): v128 {
    return alpha;
  }


  @inline sum(scratch: OutputScratch, channel: i32, s: v128, d: v128, source: v128, destination: v128): v128 {
    return select(v128.load(scratch.constant + (channel << 4)), min(s, d), max(s, d));
  }
}
