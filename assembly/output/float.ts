// Float blending (WebGPU §23.2.12): result = operation(source · factor, destination · factor). It supports any state on
// any float or normalized format.

import { BLEND_MAX, BLEND_MIN, Draw, Factor, OutputScratch } from '../layout';
import { max, min } from '../simd/lanes';

/** F: where factors come from (factors.ts). */
@unmanaged export class FloatBlend<C, F> {

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
    changetype<F>(0).prepare(scratch, draw);
  }


  @inline source(x: v128): v128 {
    return changetype<C>(0).clamp(x);
  }
  four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    const codec = changetype<C>(0);
    const channels = codec.channels;
    const d0 = codec.load(at, 0);
    const d1 = codec.load(at, 1);
    const d2 = codec.load(at, 2);
    const d3 = codec.load(at, 3);
    changetype<F>(0).keep(scratch.source, c0, c1, c2, c3);
    changetype<F>(0).keep(scratch.destination, d0, d1, d2, d3);
    v128.store(scratch.saturated, min(c3, f32x4.sub(f32x4.splat(1), d3)));
    const r = this.channel(scratch, 0, c0, d0, c3);
    const g = channels > 1 ? this.channel(scratch, 1, c1, d1, c3) : c1;
    const b = channels > 2 ? this.channel(scratch, 2, c2, d2, c3) : c2;
    const a = channels > 3 ? this.channel(scratch, 3, c3, d3, c3) : c3;
    return codec.encode(scratch.texels, r, g, b, a);
  }


  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? c0 : index == 1 ? c1 : index == 2 ? c2 : c3;
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.four(scratch, at, t0, t1, t2, t3);
  }

  each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.four(scratch, at, t0, t1, t2, t3);
  }


  @inline private channel(scratch: OutputScratch, channel: i32, s: v128, d: v128, alpha: v128): v128 {
    const target = scratch.target;
    const operation = channel < 3 ? target.colorOp : target.alphaOp;
    if (operation == BLEND_MIN) return min(s, d);
    if (operation == BLEND_MAX) return max(s, d);
    const source = target.sourceFactor(channel);
    const destination = target.destinationFactor(channel);
    return f32x4.add(
      this.product(s, changetype<F>(0).of(scratch, source, channel, alpha), source),
      this.product(d, changetype<F>(0).of(scratch, destination, channel, alpha), destination)
    );
  }
  /** A factor of zero removes infinities too, as in renderers that omit the term. */
  @inline private product(value: v128, factor: v128, record: Factor): v128 {
    const product = v128.andnot(f32x4.mul(value, factor), f32x4.eq(factor, f32x4.splat(0)));
    return v128.xor(product, v128.load32_splat(changetype<usize>(record), offsetof<Factor>('sign')));
  }

  bits(scratch: OutputScratch, at: usize): void {
    for (let channel = 0; channel < 4; channel++) {
      store<u32>(scratch.destination + (channel << 4), changetype<C>(0).loadBits(at, channel));
    }
    const alpha = load<f32>(scratch.source, 48);
    const rest = <f32>1 - load<f32>(scratch.destination, 48);
    store<f32>(scratch.saturated, rest < alpha ? rest : alpha);
    for (let channel = 0; channel < 4; channel++) {
      store<f32>(scratch.terms + (channel << 4), this.channelBits(scratch, channel));
    }
    changetype<C>(0).storeBits(scratch.texels, scratch.terms, 16);
  }
  private channelBits(scratch: OutputScratch, channel: i32): f32 {
    const target = scratch.target;
    const s = load<f32>(scratch.source + (channel << 4));
    const d = load<f32>(scratch.destination + (channel << 4));
    const operation = channel < 3 ? target.colorOp : target.alphaOp;
    if (operation == BLEND_MIN) return d < s ? d : s;
    if (operation == BLEND_MAX) return s < d ? d : s;
    const source = target.sourceFactor(channel);
    const destination = target.destinationFactor(channel);
    return (
      this.productBits(s, changetype<F>(0).bits(scratch, source, channel), source)
      + this.productBits(d, changetype<F>(0).bits(scratch, destination, channel), destination)
    );
  }
  private productBits(value: f32, factor: f32, record: Factor): f32 {
    const product: f32 = factor == 0 ? 0 : value * factor;
    return record.sign ? -product : product;
  }
}
