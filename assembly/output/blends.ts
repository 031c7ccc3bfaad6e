// What a source does to a texel: a blend is a class, and a type argument of the placements (quads.ts, bits.ts),
// beside the codec; there are no objects of it. This file has those that need no factors; over.ts, fixed.ts and
// float.ts have the others. The members of a blend:
//
//   replaces           what was there does not matter
//   isCheap            worth a body for blocks, and one that blends samples without asking which are covered
//   skips              a source of nothing leaves all as it is
//   prepare            once a warp
//   source             what becomes of a channel of the source before the rest
//   four               four texels side by side, each with a source of its own
//   term, samples      what the sources of four pixels come to, up to four vectors; four texels with that of one pixel,
//                      in all lanes
//   bits               scalar twin: one texel, with the source at OutputScratch.source (planar, first lane); the result
//                      goes to OutputScratch.texels
//
// `four` and `samples` return their texels as sizes have them (surface/sizes.ts): longer than four bytes, they are at
// OutputScratch.texels.

import { BLEND_MIN, Draw, OutputScratch } from '../layout';

/** The source as it is. */
@unmanaged export class Replace<C> {
  @inline get replaces(): bool { return true; }
  @inline get isCheap(): bool { return false; }
  @inline get skips(): bool { return false; }
  prepare(scratch: OutputScratch, draw: Draw): void {}
  @inline source(x: v128): v128 { return x; }
  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return changetype<C>(0).encode(scratch.texels, c0, c1, c2, c3);
  }
  /** Asked of blocks with one source for all: four texels that are alike. */
  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? changetype<C>(0).encode(scratch.texels, c0, c1, c2, c3) : c0;
  }
  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 { return t0; }
  bits(scratch: OutputScratch, at: usize): void { changetype<C>(0).storeBits(scratch.texels, scratch.source, 16); }
}

/** Minima and maxima of four bytes, which are those of the numbers: encoding keeps the order. */
@unmanaged export class Extremes<C> {
  @inline get replaces(): bool { return false; }
  @inline get isCheap(): bool { return true; }
  @inline get skips(): bool { return false; }
  /** All ones where the minimum is taken. */
  prepare(scratch: OutputScratch, draw: Draw): void {
    const target = scratch.target;
    const minima = (target.colorOp == BLEND_MIN ? 0xffffff : 0) | (target.alphaOp == BLEND_MIN ? 0xff000000 : 0);
    for (let i: usize = 0; i < 16; i += 4) store<u32>(scratch.constant + i, minima);
  }
  @inline source(x: v128): v128 { return x; }
  @inline four(scratch: OutputScratch, at: usize, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return this.choose(scratch, v128.load(at), changetype<C>(0).encode(at, c0, c1, c2, c3));
  }
  @inline term(scratch: OutputScratch, index: i32, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
    return index == 0 ? changetype<C>(0).encode(0, c0, c1, c2, c3) : c0;
  }
  @inline samples(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
    return this.choose(scratch, v128.load(at), t0);
  }
  @inline private choose(scratch: OutputScratch, a: v128, b: v128): v128 {
    return v128.bitselect(i8x16.min_u(a, b), i8x16.max_u(a, b), v128.load(scratch.constant));
  }
  bits(scratch: OutputScratch, at: usize): void {
    changetype<C>(0).storeBits(scratch.texels, scratch.source, 16);
    for (let i: usize = 0; i < 4; i++) {
      const a = load<u8>(at + i);
      const b = load<u8>(scratch.texels + i);
      store<u8>(scratch.texels + i, (a < b) == (load<u8>(scratch.constant + i) != 0) ? a : b);
    }
  }
}
