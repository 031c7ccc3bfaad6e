// Placement of blended quads (quads.ts), for any codec C (surface/codecs.ts) and blend B (blends.ts): at one sample per
// pixel, or layer by layer. A quad in which some pixel's samples may come to differ is laid out first (cover.ts).

import { bitsOf, Entry, OutputScratch, Packer, Plane, someOf, Target, Tile, TILE_PIXELS } from '../layout';
import { anyTrue, splat0 } from '../simd/lanes';
import { lanesOf, packLanes, splat1, splat2, splat3 } from '../simd/texels';
import { Four, hasLayer, isLayered, Layered, ofLayer } from '../tile/layers';
import { Cover, layOutQuad } from './cover';
import { storeWords } from './factors';

/** Blends quads with any number of samples. */
export function blendQuads<C, B>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
  const end = (<usize>packer.count) << 4;
  for (let offset: usize = 0; ;) {
    offset =
      tile.layerSamples == 1
        ? blendOne<C, B>(tile, packer, target, plane, offset)
        : changetype<B>(0).skips && tile.layers == 1
          ? blendLayers<C, B, Four>(tile, packer, target, plane, offset)
          : blendLayers<C, B, Layered>(tile, packer, target, plane, offset);
    if (offset >= end) return;
    const entry = changetype<Entry>(packer.entries + offset);
    layOutQuad(tile, plane, entry.quad, entry.mask);
  }
}

/**
 * Blends the entries from `offset` (bytes of a register) on, at one sample per pixel. It stops at an entry that must be
 * prepared first, because V8 would keep every vector in memory around a call in the loop. Returns where it stopped.
 */
function blendOne<C, B>(tile: Tile, packer: Packer, target: Target, plane: Plane, offset: usize): usize {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const written = v128.load(target.written);
  const states = plane.states;
  const texels = plane.pixels;
  const end = (<usize>packer.count) << 4;
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  for (; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const quad = entry.quad;
    if (load<u8>(states + (quad >> 4))) break;
    const at = texels + 4 * quad * size.bytes;
    const blended = blend.four(
      scratch,
      at,
      blend.source(v128.load(r0 + offset)),
      blend.source(v128.load(r1 + offset)),
      blend.source(v128.load(r2 + offset)),
      blend.source(v128.load(r3 + offset))
    );
    size.merge(at, blended, scratch.texels, <i32>entry.mask, written);
  }
  return offset;
}

/** As blendOne, at two or more samples per pixel. */
function blendLayers<C, B, S>(tile: Tile, packer: Packer, target: Target, plane: Plane, offset: usize): usize {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const whole = target.writesAll ? 0xffff : -1;
  const step = 4 * size.bytes;
  const samples = plane.samples;
  const perSample = plane.perSample;
  const end = (<usize>packer.count) << 4;
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  for (; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const mask = entry.mask;
    if (!mask) continue;
    const quad = entry.quad;
    const c0 = blend.source(v128.load(r0 + offset));
    const c1 = blend.source(v128.load(r1 + offset));
    const c2 = blend.source(v128.load(r2 + offset));
    const c3 = blend.source(v128.load(r3 + offset));
    if (blend.skips && !anyTrue(c3) && !anyTrue(v128.or(v128.or(c0, c1), c2))) continue;
    const divided = ((<i32>load<u8>(perSample + ((<usize>quad) >> 1))) >> ((quad & 1) << 2)) & 15;
    // The order of these tests avoids keeping another vector in memory, which would be noticeable.
    if (divided != 15 || (plane.secondTexels && plane.pairsOfQuad(quad) | plane.listedOfQuad(quad))) {
      const pairs = plane.secondTexels ? plane.pairsOfQuad(quad) : 0;
      const lists = plane.secondTexels ? plane.listedOfQuad(quad) : 0;
      const cover = Cover.of(mask, isLayered<S>() ? tile.layers : 1);
      // Planes that were loaded mix forms in most blocks with edges. Moving these blocks to the sample plane as a whole
      // took 15 % longer for grass at four samples.
      const mixes = size.bytes == 4 && plane.secondTexels != 0;
      if ((divided != (pairs | lists) && !mixes) || Cover.isPartial(cover) || plane.isClear(quad >> 4)) break;
      const t0 = blend.term(scratch, 0, c0, c1, c2, c3);
      const t1 = blend.term(scratch, 1, c0, c1, c2, c3);
      const t2 = blend.term(scratch, 2, c0, c1, c2, c3);
      const t3 = blend.term(scratch, 3, c0, c1, c2, c3);
      let at = plane.pixels + quad * step;
      let bits = cover & 15;
      for (let left = pairs; ; left = 0) {
        const blended = blend.each(scratch, at, t0, t1, t2, t3);
        size.merge(at, blended, scratch.texels, bits, v128.load(scratch.target.written));
        bits &= left;
        if (!bits) break;
        at = plane.secondTexels + quad * step;
      }
      const others = divided & ~pairs & cover;
      if (size.bytes == 4 && others) {
        storeWords(scratch.terms, t0, t1, t2, t3);
        if (lists & cover) blendLists<C, B>(scratch, plane, quad, cover & lists);
        if (others & ~lists) blendPlaces<C, B>(scratch, plane, quad, others & ~lists);
      }
      continue;
    }
    const t0 = blend.term(scratch, 0, c0, c1, c2, c3);
    const t1 = blend.term(scratch, 1, c0, c1, c2, c3);
    const t2 = blend.term(scratch, 2, c0, c1, c2, c3);
    const t3 = blend.term(scratch, 3, c0, c1, c2, c3);
    let at = samples + 4 * quad * step;
    let layer = 0;
    do {
      const part = ofLayer(mask, layer);
      if (blend.isCheap && part == whole) {
        changetype<Whole<C, B>>(0).blend(scratch, at, t0, t1, t2, t3);
      } else if (part) {
        scratch.mask = part;
        blendPart<C, B>(scratch, at, t0, t1, t2, t3);
      }
      at += TILE_PIXELS * step;
    } while (hasLayer<S>(tile, ++layer));
  }
  return offset;
}

/** Blends all samples of some pixels of a quad. The terms are in the scratch. */
function blendPlaces<C, B>(scratch: OutputScratch, plane: Plane, quad: i32, pixels: i32): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const written = v128.load(scratch.target.written);
  for (let rest = pixels; rest; rest &= rest - 1) {
    const pixel = ctz(rest);
    const term = scratch.terms + (pixel << 2);
    let at = plane.sample((quad << 2) + pixel);
    for (let layer = 0; layer < plane.layers; layer++) {
      const texels = blend.samples(
        scratch,
        at,
        v128.load32_splat(term),
        v128.load32_splat(term, 16),
        v128.load32_splat(term, 32),
        v128.load32_splat(term, 48)
      );
      size.merge(at, texels, scratch.texels, 15, written);
      at += plane.layerBytes;
    }
  }
}

/** Blends the further values of those of a quad's `pixels` that hold lists. The terms are in the scratch. */
export function blendLists<C, B>(scratch: OutputScratch, plane: Plane, quad: i32, pixels: i32): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const written = v128.load(scratch.target.written);
  const packed = plane.packed(quad >> 4);
  const terms = scratch.terms;
  let at = packed.values + (packed.startOf(quad & 15) << 2);
  for (let counts = packed.countsOf(quad & 15); counts;) {
    const some = someOf(counts);
    const bits = bitsOf(some);
    let t0 = v128.load(terms);
    let t1 = v128.load(terms, 16);
    let t2 = v128.load(terms, 32);
    let t3 = v128.load(terms, 48);
    let lanes = pixels;
    if (bits != 15) {
      t0 = packLanes(t0, bits);
      t1 = packLanes(t1, bits);
      t2 = packLanes(t2, bits);
      t3 = packLanes(t3, bits);
      lanes = i32x4.bitmask(packLanes(lanesOf(pixels), bits));
    }
    const texels = blend.each(scratch, at, t0, t1, t2, t3);
    size.merge(at, texels, scratch.texels, lanes, written);
    at += popcnt(bits) << 2;
    counts -= some;
  }
}

/** Blends all samples of a quad, in one layer, in all channels. `t0` … `t3` are the terms of the four pixels. */
@unmanaged class Whole<C, B> {

  @inline blend(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): void {
    const blend = changetype<B>(0);
    const size = changetype<C>(0).size;
    const step = 4 * size.bytes;
    const texels0 = blend.samples(scratch, at, splat0(t0), splat0(t1), splat0(t2), splat0(t3));
    size.put(at, texels0, scratch.texels);
    const texels1 = blend.samples(scratch, at + step, splat1(t0), splat1(t1), splat1(t2), splat1(t3));
    size.put(at + step, texels1, scratch.texels);
    const texels2 = blend.samples(scratch, at + 2 * step, splat2(t0), splat2(t1), splat2(t2), splat2(t3));
    size.put(at + 2 * step, texels2, scratch.texels);
    const texels3 = blend.samples(scratch, at + 3 * step, splat3(t0), splat3(t1), splat3(t2), splat3(t3));
    size.put(at + 3 * step, texels3, scratch.texels);
  }
}

/** Blends the samples of OutputScratch.mask. */
function blendPart<C, B>(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const step = 4 * size.bytes;
  const part = scratch.mask;
  const written = v128.load(scratch.target.written);
  if (!blend.isCheap) {
    blendPixels<C, B>(scratch, at, t0, t1, t2, t3);
    return;
  }
  const texels0 = blend.samples(scratch, at, splat0(t0), splat0(t1), splat0(t2), splat0(t3));
  size.merge(at, texels0, scratch.texels, part & 15, written);
  const texels1 = blend.samples(scratch, at + step, splat1(t0), splat1(t1), splat1(t2), splat1(t3));
  size.merge(at + step, texels1, scratch.texels, (part >> 4) & 15, written);
  const texels2 = blend.samples(scratch, at + 2 * step, splat2(t0), splat2(t1), splat2(t2), splat2(t3));
  size.merge(at + 2 * step, texels2, scratch.texels, (part >> 8) & 15, written);
  const texels3 = blend.samples(scratch, at + 3 * step, splat3(t0), splat3(t1), splat3(t2), splat3(t3));
  size.merge(at + 3 * step, texels3, scratch.texels, (part >> 12) & 15, written);
}

/** As blendPart, pixel by pixel in a loop, because four inlined bodies would be long. */
// @ts-ignore: decorator
@inline
function blendPixels<C, B>(scratch: OutputScratch, at: usize, t0: v128, t1: v128, t2: v128, t3: v128): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const written = v128.load(scratch.target.written);
  let term = scratch.terms;
  storeWords(term, t0, t1, t2, t3);
  for (let part = scratch.mask; part; part >>= 4) {
    if (part & 15) {
      const texels = blend.samples(
        scratch,
        at,
        v128.load32_splat(term),
        v128.load32_splat(term, 16),
        v128.load32_splat(term, 32),
        v128.load32_splat(term, 48)
      );
      size.merge(at, texels, scratch.texels, part & 15, written);
    }
    at += 4 * size.bytes;
    term += 4;
  }
}
