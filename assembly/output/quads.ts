// Placements of output: write the results of a warp for any codec C (surface/codecs.ts) and blend B (blends.ts), four
// texels at a time. These are the pixels of a quad, or the samples of a pixel in one layer where they may differ.
// Scalar twin: bits.ts.
//
//   whole block      all samples of 16 quads: one texel per pixel, whatever the sample count; with one result for all
//                    pixels, one texel for all
//   quads            one texel per pixel if the quad is in the pixel plane, and a second one where pixels have two;
//                    otherwise sample by sample
//   pixels           opaque results of single pixels
//
// A blend may need its block or quad prepared first (cover.ts). Opaque texels do not: they reduce pixels to one texel.

import {
  DRAW_FLAG_READS,
  Entry,
  OutputScratch,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_UNIFORM_BLOCK,
  Plane,
  RATE_SET,
  sizeOf,
  Target,
  Tile,
  TILE_PIXELS,
} from '../layout';
import { anyTrue, splat0, transposeColumn0 } from '../simd/lanes';
import { lanesOf, splat1, splat2, splat3 } from '../simd/texels';
import { clamp01 } from '../surface/numbers';
import { fillPixels } from '../surface/plane';
import { beginBlock, endBlock } from '../tile/colors';
import { expandUniformBlock } from '../tile/entries';
import {
  Four,
  hasLayer,
  isLayered,
  Layered,
  ofLayer,
  One,
  quadSamples,
  samplesOf,
  samplesOfPixels,
} from '../tile/layers';
import { Cover, hasNoSamples, layOutQuad } from './cover';
import { storeWords } from './factors';
import { Pixels, putPixels, putQuad } from './pixels';
import { beginTarget } from './sources';

/** Writes a warp's colours to target `index`. */
export function outputLanes<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const scratch = tile.output;
  const plane = tile.plane(index);
  const kind = packer.kind;
  const block = kind == PACKER_BLOCK || kind == PACKER_UNIFORM_BLOCK;
  const blend = changetype<B>(0);
  beginTarget(tile, target);
  blend.prepare(scratch, packer.draw);
  if (block && (blend.replaces ? target.writesAll != 0 : blend.isCheap && hasNoSamples(plane, packer))) {
    writeBlock<C, B>(tile, packer, target, index);
    return;
  }
  if (kind == PACKER_UNIFORM_BLOCK) expandUniformBlock(tile, packer);
  if (!blend.replaces) blendQuads<C, B>(tile, packer, target, plane);
  else if (kind == PACKER_PIXELS) writePixels<C>(tile, packer, plane);
  else writeQuads<C>(tile, packer, target, plane);
}

/** Writes a whole block whose pixels hold one or two texels each, or will hold one. */
function writeBlock<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const plane = tile.plane(index);
  const block = packer.entry(0).quad >> 4;
  if (blend.replaces) beginBlock(tile, index, block);
  const written = v128.load(target.written);
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  // All bits of all pixels are written.
  const whole = blend.replaces || target.writesAll != 0;
  const pairs: u64 = blend.replaces ? 0 : plane.pairsOf(block);
  let at = plane.texel(block << 6);
  if (packer.kind == PACKER_UNIFORM_BLOCK) {
    const c0 = blend.source(v128.load(r0));
    const c1 = blend.source(v128.load(r1));
    const c2 = blend.source(v128.load(r2));
    const c3 = blend.source(v128.load(r3));
    const t0 = splat0(blend.term(scratch, 0, c0, c1, c2, c3));
    const t1 = splat0(blend.term(scratch, 1, c0, c1, c2, c3));
    const t2 = splat0(blend.term(scratch, 2, c0, c1, c2, c3));
    const t3 = splat0(blend.term(scratch, 3, c0, c1, c2, c3));
    for (let quad = 0; quad < 16; quad++) {
      const texels = blend.samples(scratch, at, t0, t1, t2, t3);
      if (whole) size.put(at, texels, scratch.texels);
      else size.merge(at, texels, scratch.texels, 15, written);
      at += 4 * size.bytes;
    }
    if (!blend.replaces) {
      at = plane.second(block << 6);
      for (let left = pairs; left; left >>= 4) {
        const texels = blend.samples(scratch, at, t0, t1, t2, t3);
        size.merge(at, texels, scratch.texels, (<i32>left) & 15, written);
        at += 4 * size.bytes;
      }
    }
  } else {
    for (let offset: usize = 0; offset < 256; offset += 16) {
      const texels = blend.four(
        scratch,
        at,
        blend.source(v128.load(r0 + offset)),
        blend.source(v128.load(r1 + offset)),
        blend.source(v128.load(r2 + offset)),
        blend.source(v128.load(r3 + offset))
      );
      if (whole) size.put(at, texels, scratch.texels);
      else size.merge(at, texels, scratch.texels, 15, written);
      at += 4 * size.bytes;
    }
    if (!blend.replaces) {
      at = plane.second(block << 6);
      let offset: usize = 0;
      for (let left = pairs; left; left >>= 4) {
        const texels = blend.four(
          scratch,
          at,
          blend.source(v128.load(r0 + offset)),
          blend.source(v128.load(r1 + offset)),
          blend.source(v128.load(r2 + offset)),
          blend.source(v128.load(r3 + offset))
        );
        size.merge(at, texels, scratch.texels, (<i32>left) & 15, written);
        at += 4 * size.bytes;
        offset += 16;
      }
    }
  }
  if (blend.replaces) endBlock(tile, index, block);
}


@unmanaged class Sources<C> {
  /** Encodes the four results at byte offset `offset` of the registers, to OutputScratch.terms. */
  @inline encode(scratch: OutputScratch, offset: usize): v128 {
    return changetype<C>(0).encode(
      scratch.terms,
      v128.load(scratch.register(0) + offset),
      v128.load(scratch.register(1) + offset),
      v128.load(scratch.register(2) + offset),
      v128.load(scratch.register(3) + offset)
    );
  }
}

/** Writes opaque texels to quads. */
function writeQuads<C>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const terms = scratch.terms;
  const single = tile.layerSamples == 1;
  const whole = scratch.whole ? quadSamples<Layered>(tile) : 0;
  const joins = (packer.draw.flags & DRAW_FLAG_READS) != 0;
  const words = size.bytes == 4 && !single && whole == 0xffff && !plane.secondTexels;
  if (size.bytes == 4 && joins) {
    if (single) writeWords<C, One>(packer, plane, scratch);
    else if (words) writeWords<C, Four>(packer, plane, scratch);
    if (single || words) return;
  }
  const sets = words && packer.draw.fragment.rate == RATE_SET;
  const written = v128.load(target.written);
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  const end = (<usize>packer.count) << 4;
  for (let offset: usize = 0; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const mask = entry.mask;
    const quad = entry.quad;
    if (sets && offset + 16 < end && changetype<Entry>(packer.entries + offset + 16).quad == quad) {
      offset = writeSets<C>(packer, plane, scratch, offset);
      continue;
    }
    if (!mask) continue;
    const texels = changetype<C>(0).encode(
      terms,
      v128.load(r0 + offset),
      v128.load(r1 + offset),
      v128.load(r2 + offset),
      v128.load(r3 + offset)
    );
    const at = plane.pixels + 4 * quad * size.bytes;
    if (single || mask == whole) {
      if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
      if (single) {
        size.merge(at, texels, terms, <i32>mask, written);
      } else {
        size.put(at, texels, terms);
        plane.joinSamples(quad);
      }
      continue;
    }
    size.put(terms, texels, terms);
    putQuad<C>(scratch, plane, quad, mask, joins);
  }
}

/** Writes 4-byte texels at one or four samples, for a shader with framebuffer fetch. */
function writeWords<C, S>(packer: Packer, plane: Plane, scratch: OutputScratch): void {
  const end = (<usize>packer.count) << 4;
  for (let offset: usize = 0; ;) {
    offset = putEntries<C, S>(packer, plane, scratch, offset);
    if (offset >= end) return;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
    else offset = writeSets<C>(packer, plane, scratch, offset) + 16;
  }
}

/**
 * Writes the entries from `offset` (bytes of a register) on. It stops at an entry whose block is clear or, at four
 * samples, whose quad continues in the next entry, because V8 would keep every vector in memory around a call in the
 * loop. Returns where it stopped. Partly covered entries are unpredictable for branches, so they are listed and
 * processed last. Tried: skipping sets whose texels do not change (particles took 3 % longer), and a shortcut for fully
 * covered quads (no effect).
 */
function putEntries<C, S>(packer: Packer, plane: Plane, scratch: OutputScratch, offset: usize): usize {
  const end = (<usize>packer.count) << 4;
  const states = plane.states;
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  const codec = changetype<C>(0);
  const none = i32x4.splat(0);
  const most = codec.isFourBytes ? codec.most : none;
  const half = codec.isFourBytes ? codec.half : none;
  const second = codec.isFourBytes ? codec.second : none;
  const whole = codec.isFourBytes ? codec.whole : none;
  const lowWords = codec.isFourBytes ? codec.lowWords : none;
  const words = scratch.words;
  const written = v128.load(scratch.target.written);
  let partial: usize = 0;
  for (; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const quad = entry.quad;
    if (load<u8>(states + (quad >> 4))) break;
    if (samplesOf<S>() != 1)
      if (offset + 16 < end && changetype<Entry>(packer.entries + offset + 16).quad == quad) break;
    const mask = <i32>entry.mask;
    if (!mask) continue;
    let texels: v128;
    if (codec.isFourBytes) {
      const red = codec.byteBy(clamp01(v128.load(r0 + offset)), most, half);
      const green = codec.byteBy(clamp01(v128.load(r1 + offset)), most, half);
      const low = codec.pairBy(red, green, second, whole);
      const blue = codec.byteBy(clamp01(v128.load(r2 + offset)), most, half);
      const high = codec.isOpaque
        ? f32x4.add(blue, codec.opaque)
        : codec.pairBy(blue, codec.byteBy(clamp01(v128.load(r3 + offset)), most, half), second, whole);
      texels = codec.joinBy(low, high, lowWords);
    } else
      texels = codec.encode(
        0,
        v128.load(r0 + offset),
        v128.load(r1 + offset),
        v128.load(r2 + offset),
        v128.load(r3 + offset)
      );
    if (samplesOf<S>() == 1) {
      codec.size.merge(plane.pixels + (quad << 4), texels, 0, mask, written);
      continue;
    }
    const rest = putPixels(plane, quad, mask, texels);
    store<u32>(words + partial, ((<u32>offset) << 4) | rest);
    v128.store(scratch.wordTexels + (partial << 2), texels);
    partial += (<usize>(rest != 0)) << 2;
  }
  for (let at: usize = 0; at < partial; at += 4) {
    const word = load<u32>(words + at);
    const entry = changetype<Entry>(packer.entries + (word >> 4));
    const mask = (<i32>entry.mask) & (<i32>samplesOfPixels(word & 15, 4));
    putWords(plane, entry.quad, mask, v128.load(scratch.wordTexels + (at << 2)));
  }
  return offset;
}

/**
 * Writes 4-byte texels of all consecutive entries of one quad from `offset` (bytes of a register) on, at four samples;
 * the entries are sets of the quad's samples. Returns the offset of the last one.
 */
function writeSets<C>(packer: Packer, plane: Plane, scratch: OutputScratch, offset: usize): usize {
  const end = (<usize>packer.count) << 4;
  const quad = changetype<Entry>(packer.entries + offset).quad;
  if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
  const divided = lanesOf(plane.perSampleOf(quad));
  const pixels = plane.pixels + (quad << 4);
  const samples = plane.samples + (quad << 6);
  const held = v128.load(pixels);
  let p0 = v128.bitselect(v128.load(samples), splat0(held), splat0(divided));
  let p1 = v128.bitselect(v128.load(samples, 16), splat1(held), splat1(divided));
  let p2 = v128.bitselect(v128.load(samples, 32), splat2(held), splat2(divided));
  let p3 = v128.bitselect(v128.load(samples, 48), splat3(held), splat3(divided));
  do {
    const mask = <i32>changetype<Entry>(packer.entries + offset).mask;
    const texels = changetype<Sources<C>>(0).encode(scratch, offset);
    p0 = v128.bitselect(splat0(texels), p0, lanesOf(mask & 15));
    p1 = v128.bitselect(splat1(texels), p1, lanesOf((mask >> 4) & 15));
    p2 = v128.bitselect(splat2(texels), p2, lanesOf((mask >> 8) & 15));
    p3 = v128.bitselect(splat3(texels), p3, lanesOf((mask >> 12) & 15));
    offset += 16;
  } while (offset < end && changetype<Entry>(packer.entries + offset).quad == quad);
  v128.store(samples, p0);
  v128.store(samples, p1, 16);
  v128.store(samples, p2, 32);
  v128.store(samples, p3, 48);
  // Pixels whose samples are equal hold one texel.
  const alike = alikeLanes(p0, p1, p2, p3);
  v128.store(pixels, v128.bitselect(transposeColumn0(p0, p1, p2, p3), held, alike));
  plane.divide(quad, ~i32x4.bitmask(alike) & 15);
  return offset - 16;
}

/**
 * Writes four 4-byte texels to the samples of `mask` of a quad, at four samples. Pixels whose samples are then equal
 * hold one texel.
 */
// @ts-ignore: decorator
@inline
function putWords(plane: Plane, quad: i32, mask: i32, texels: v128): void {
  const at = plane.perSample + ((<usize>quad) >> 1);
  const shift = (quad & 1) << 2;
  const byte = <i32>load<u8>(at);
  const divided = lanesOf((byte >> shift) & 15);
  const pixels = plane.pixels + (quad << 4);
  const samples = plane.samples + (quad << 6);
  const held = v128.load(pixels);
  const p0 = v128.bitselect(
    splat0(texels),
    v128.bitselect(v128.load(samples), splat0(held), splat0(divided)),
    lanesOf(mask & 15)
  );
  const p1 = v128.bitselect(
    splat1(texels),
    v128.bitselect(v128.load(samples, 16), splat1(held), splat1(divided)),
    lanesOf((mask >> 4) & 15)
  );
  const p2 = v128.bitselect(
    splat2(texels),
    v128.bitselect(v128.load(samples, 32), splat2(held), splat2(divided)),
    lanesOf((mask >> 8) & 15)
  );
  const p3 = v128.bitselect(
    splat3(texels),
    v128.bitselect(v128.load(samples, 48), splat3(held), splat3(divided)),
    lanesOf((mask >> 12) & 15)
  );
  v128.store(samples, p0);
  v128.store(samples, p1, 16);
  v128.store(samples, p2, 32);
  v128.store(samples, p3, 48);
  const alike = alikeLanes(p0, p1, p2, p3);
  v128.store(pixels, v128.bitselect(transposeColumn0(p0, p1, p2, p3), held, alike));
  store<u8>(at, (byte & ~(15 << shift)) | ((~i32x4.bitmask(alike) & 15) << shift));
}

/** All ones in the lanes of pixels whose four texels are equal. */
// @ts-ignore: decorator
@inline
function alikeLanes(p0: v128, p1: v128, p2: v128, p3: v128): v128 {
  const low = i16x8.narrow_i32x4_s(i32x4.eq(p0, splat0(p0)), i32x4.eq(p1, splat0(p1)));
  const high = i16x8.narrow_i32x4_s(i32x4.eq(p2, splat0(p2)), i32x4.eq(p3, splat0(p3)));
  return i32x4.eq(i8x16.narrow_i16x8_s(low, high), i32x4.splat(-1));
}

/** Writes opaque texels to single pixels. Four are encoded at once and written one by one. */
function writePixels<C>(tile: Tile, packer: Packer, plane: Plane): void {
  const scratch = tile.output;
  const terms = scratch.terms;
  const bytes = changetype<C>(0).bytes;
  const joins = (packer.draw.flags & DRAW_FLAG_READS) != 0;
  const end = (<usize>packer.count) << 2;
  let entry = packer.entry(0);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const texels = changetype<Sources<C>>(0).encode(scratch, offset);
    changetype<C>(0).size.put(terms, texels, terms);
    let texel = terms;
    for (const last = terms + min<usize>(4, (end - offset) >> 2) * bytes; texel < last; texel += bytes) {
      const mask = <i32>entry.mask;
      if (mask) changetype<Pixels<C>>(0).put(scratch, plane, entry.pixel, mask, texel, joins);
      entry = changetype<Entry>(changetype<usize>(entry) + sizeOf<Entry>());
    }
  }
}

/** Blends quads with any number of samples. */
function blendQuads<C, B>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
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

/** The same at two or more samples. */
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
    if (divided != 15 || (plane.secondTexels && plane.pairsOfQuad(quad))) {
      const pairs = plane.secondTexels ? plane.pairsOfQuad(quad) : 0;
      const cover = Cover.of(mask, isLayered<S>() ? tile.layers : 1);
      if (divided != pairs || Cover.isPartial(cover) || plane.isClear(quad >> 4)) break;
      let at = plane.pixels + quad * step;
      let bits = cover & 15;
      for (let left = pairs; ; left = 0) {
        const blended = blend.four(scratch, at, c0, c1, c2, c3);
        size.merge(at, blended, scratch.texels, bits, v128.load(scratch.target.written));
        bits &= left;
        if (!bits) break;
        at = plane.secondTexels + quad * step;
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

/** The same, pixel by pixel, in one body; four inlined bodies would be long. */
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
