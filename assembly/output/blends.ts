// Blends: how a source changes a texel. A blend is a class that serves, together with a codec, as a type argument of
// the placements (quads.ts, bits.ts); it has no instances. This file has the blends without factors; over.ts, fixed.ts,
// common.ts and float.ts have the others. The members of a blend:
//
//   replaces           the previous texel does not matter
//   isCheap            worth specialized code for whole blocks, and for samples without testing their coverage
//   skips              a source of all zeros leaves the destination unchanged
//   prepare            called once per warp
//   source             transforms a channel of the source first
//   four               blends four adjacent texels, each with its own source
//   term, samples      `term` computes up to four vectors from the sources of four pixels; `samples` blends four texels
//                      with the terms of one pixel, splatted to all lanes
//   each               blends four adjacent texels, each with its own terms
//   bits               scalar twin: one texel, with the source at OutputScratch.source (planar, first lane); the result
//                      goes to OutputScratch.texels
//
// `four`, `samples` and `each` return texels in the form of surface/sizes.ts: those of more than four bytes are at
// OutputScratch.texels.

import { BLEND_MIN, Draw, OutputScratch } from '../layout';

/** Replaces the texel by the source. */
@unmanaged export class Replace<C> {

  @inline get replaces(): bool {
    return true;
  }


  @inline get isCheap(): bool {
    return false;
  }


  @inline get skips(): bool {
    return false;
  }
  prepare(scratch: OutputScratch, draw: Draw): void {}


  @inline source(x: v128): v128 {
    return x;
  }


  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return changetype<C>(0).encode(scratch.texels, c0, c1, c2, c3);
  }
  /** Used only for blocks with one source for all pixels, so the four texels are equal. */
  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? changetype<C>(0).encode(scratch.texels, c0, c1, c2, c3) : c0;
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return t0;
  }


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return t0;
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<C>(0).storeBits(scratch.texels, scratch.source, 16);
  }
}

/** Minimum and maximum of four bytes. They can be taken after encoding, which preserves the order. */
@unmanaged export class Extremes<C> {

  @inline get replaces(): bool {
    return false;
  }


  @inline get isCheap(): bool {
    return true;
  }


  @inline get skips(): bool {
    return false;
  }
  /** Stores all ones in the bytes that use the minimum. */
  prepare(scratch: OutputScratch, draw: Draw): void {
    const target = scratch.target;
    const minima = (target.colorOp == BLEND_MIN ? 0xffffff : 0) | (target.alphaOp == BLEND_MIN ? 0xff000000 : 0);
    for (let i: usize = 0; i < 16; i += 4) store<u32>(scratch.constant + i, minima);
  }


  @inline source(x: v128): v128 {
    return x;
  }


  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return this.choose(scratch, v128.load(at), changetype<C>(0).encode(at, c0, c1, c2, c3));
  }


  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? changetype<C>(0).encode(0, c0, c1, c2, c3) : c0;
  }


  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.choose(scratch, v128.load(at), t0);
  }


  @inline each(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.samples(scratch, at, t0, t1, t2, t3);
  }


  @inline private choose(scratch: OutputScratch, a: v128, b: v128): v128 {
    return v128.bitselect(i8x16.min_u(a, b), i8x16.max_u(a, b), v128.load(scratch.constant));
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<C>(0).storeBits(scratch.texels, scratch.source, 16);
    for (let i: usize = 0; i < 4; i++) {
      const a = load<u8>(at + i);
      const b = load<u8>(scratch.texels + i);
      store<u8>(scratch.texels + i, a < b == (load<u8>(scratch.constant + i) != 0) ? a : b);
    }
  }
}
