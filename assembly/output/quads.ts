// Placements of output: write the results of a warp for any codec C (surface/codecs.ts) and blend B (blends.ts), four
// texels at a time. These are the pixels of a quad, or the samples of a pixel in one layer where they may differ.
// Scalar twin: bits.ts.
//
//   whole block      all samples of 16 quads: one texel per pixel, whatever the sample count; with one result for all
//                    pixels, one texel for all. Further values of pixels are blended, too
//   quads            one texel per pixel if the quad is in the pixel plane, and a second one where pixels have two;
//                    otherwise sample by sample
//   pixels           opaque results of single pixels
//   every sample     all samples of a quad, one after the other (quad-words.ts)
//
// A blend may need its block or quad prepared first (cover.ts). Opaque texels do not: they reduce pixels to one texel.

import {
  BLOCK_PIXELS,
  DRAW_FLAG_READS,
  Entry,
  OutputScratch,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_TEXELS,
  PACKER_UNIFORM_BLOCK,
  Plane,
  RATE_SET,
  sizeOf,
  Target,
  Tile,
} from '../layout';
import { splat0 } from '../simd/lanes';
import { fillPixels } from '../surface/plane';
import { beginBlock, endBlock } from '../tile/colors';
import { expandUniformBlock } from '../tile/entries';
import { loadRest } from '../tile/attachments';
import { Four, Layered, One, quadSamples } from '../tile/layers';
import { blendLists, blendQuads } from './blend-quads';
import { hasNoSamples } from './cover';
import { storeWords } from './factors';
import { Pixels, putQuad } from './pixels';
import { isEverySample, writeEverySample, writeSets, writeWords } from './quad-words';
import { beginTarget, Sources } from './sources';

/** Writes a warp's colours to target `index`. */
export function outputLanes<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const scratch = tile.output;
  const plane = tile.plane(index);
  const kind = packer.kind;
  const block = kind == PACKER_BLOCK || kind == PACKER_UNIFORM_BLOCK;
  const blend = changetype<B>(0);
  beginTarget(tile, target);
  if (blend.replaces && changetype<C>(0).bytes == 4)
    if (kind == PACKER_TEXELS) {
      writeTexels<C>(scratch, packer.texels, packer.count);
      return;
    }
  blend.prepare(scratch, packer.draw);
  const replaces = block && blend.replaces && target.writesAll != 0;
  if (plane.unloaded && !replaces) loadRest(tile);
  if (replaces || (block && !blend.replaces && blend.isCheap && hasNoSamples(plane, packer))) {
    writeBlock<C, B>(tile, packer, target, index);
    return;
  }
  if (kind == PACKER_UNIFORM_BLOCK) expandUniformBlock(tile, packer);
  if (!blend.replaces) blendQuads<C, B>(tile, packer, target, plane);
  else if (kind == PACKER_PIXELS) writePixels<C>(tile, packer, plane);
  else writeQuads<C>(tile, packer, target, plane);
}

/** Writes a whole block none of whose pixels is in the sample plane, or whose pixels will hold one texel each. */
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
  const lists: u64 = blend.replaces || size.bytes != 4 ? 0 : plane.listedOf(block);
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
      if (lists) {
        const packed = plane.packed(block);
        at = packed.values;
        for (const end = at + (packed.count << 2); at < end; at += 16) {
          const texels = blend.samples(scratch, at, t0, t1, t2, t3);
          size.merge(at, texels, scratch.texels, 15, written);
        }
      }
    }
  } else if (blend.replaces && changetype<C>(0).isFourBytes) putBytes<C>(scratch, at);
  else if (blend.replaces && size.bytes == 4) writeTexels<C>(scratch, at, BLOCK_PIXELS);
  else {
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
      if (lists) blendListsOfBlock<C, B>(scratch, plane, block);
    }
  }
  if (blend.replaces) endBlock(tile, index, block);
}

/**
 * Writes texels of four linear bytes to a block. The constants are loaded once: V8 would load them again for each quad,
 * and full-screen passes of simple shaders took 8 % longer.
 */
function putBytes<C>(scratch: OutputScratch, at: usize): void {
  const codec = changetype<C>(0);
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  const most = codec.most;
  const half = codec.half;
  const second = codec.second;
  const whole = codec.whole;
  const opaque = codec.opaque;
  const lowWords = codec.lowWords;
  for (let offset: usize = 0; offset < 256; offset += 16) {
    const red = v128.load(r0 + offset);
    const green = v128.load(r1 + offset);
    const blue = v128.load(r2 + offset);
    const low = codec.clampedPairBy(red, green, most, half, second, whole);
    const high = codec.isOpaque
      ? f32x4.add(codec.clampedByteBy(blue, most, half), opaque)
      : codec.clampedPairBy(blue, v128.load(r3 + offset), most, half, second, whole);
    v128.store(at + offset, codec.joinBy(low, high, lowWords));
  }
}

/** Writes opaque texels of four bytes for `count` lanes to adjacent places from `to` on. */
function writeTexels<C>(scratch: OutputScratch, to: usize, count: i32): void {
  const sources = changetype<Sources<C>>(0);
  const end = (<usize>count) << 2;
  let offset: usize = 0;
  for (const groups = end & ~15; offset < groups; offset += 16)
    v128.store(to + offset, sources.encode(scratch, offset));
  if (offset == end) return;
  v128.store(scratch.texels, sources.encode(scratch, offset));
  for (let from = scratch.texels; offset < end; offset += 4, from += 4) store<u32>(to + offset, load<u32>(from));
}

/** Blends the lists of a block with the results of a warp for all its pixels. */
function blendListsOfBlock<C, B>(scratch: OutputScratch, plane: Plane, block: i32): void {
  const blend = changetype<B>(0);
  let offset: usize = 0;
  let quad = block << 4;
  for (let rest = plane.listedOf(block); rest; rest >>= 4, offset += 16, quad++) {
    const lists = (<i32>rest) & 15;
    if (!lists) continue;
    const c0 = blend.source(v128.load(scratch.register(0) + offset));
    const c1 = blend.source(v128.load(scratch.register(1) + offset));
    const c2 = blend.source(v128.load(scratch.register(2) + offset));
    const c3 = blend.source(v128.load(scratch.register(3) + offset));
    storeWords(
      scratch.terms,
      blend.term(scratch, 0, c0, c1, c2, c3),
      blend.term(scratch, 1, c0, c1, c2, c3),
      blend.term(scratch, 2, c0, c1, c2, c3),
      blend.term(scratch, 3, c0, c1, c2, c3)
    );
    blendLists<C, B>(scratch, plane, quad, lists);
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
  const every = size.bytes == 4 && !joins && whole != 0 && tile.samples >= 4;
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
    if (size.bytes == 4)
      if (every && mask == 0x1111 && isEverySample(packer, plane.layers, offset)) {
        offset = writeEverySample<C>(packer, plane, scratch, offset);
        continue;
      }
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
