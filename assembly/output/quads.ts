// Where the results of a warp go: the placements of output, for any codec C (surface/codecs.ts) and blend B (blends.ts), four texels at a time:
// the pixels of a quad, or the samples of a pixel, of a layer, where they may differ. Scalar twin: bits.ts.
//
//   whole block      all samples of 16 quads: a texel a pixel, whatever the samples; with one result for all pixels a texel for all
//   quads            one texel a pixel where the quad lies in the plane of pixels, else sample by sample
//   pixels           opaque results of single pixels
//
// A blend may find a block or a quad that has to be laid out first (cover.ts). Opaque texels need not: they make pixels of one texel again.

import { Entry, OutputScratch, Packer, PACKER_BLOCK, PACKER_PIXELS, PACKER_SAME, Plane, Target, Tile } from '../layout';
import { anyTrue } from '../simd/lanes';
import { beginBlock, endBlock } from '../tile/colors';
import { layOutSame } from '../tile/entries';
import { isLayered, Layered, ofLayer, One, pixelMask, quadSamples, samplesOf } from '../tile/layers';
import { Replace } from './blends';
import { Cover, isOnePixel, layOutQuad } from './cover';
import { putPixel } from './pixels';
import { sourceRegister } from './sources';

/** Writes a warp's colours to target `index`. */
export function outputLanes<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const scratch = tile.output;
  const plane = tile.plane(index);
  const kind = packer.kind;
  const block = kind == PACKER_BLOCK || kind == PACKER_SAME;
  const replaces = changetype<B>(0).replaces && target.writesAll != 0;
  scratch.target = target;
  changetype<B>(0).prepare(scratch, packer.draw);
  if (block && (replaces || isOnePixel(plane, packer))) {
    writeBlock<C, B>(tile, packer, target, index);
    return;
  }
  if (kind == PACKER_SAME) layOutSame(tile, packer);
  if (changetype<B>(0).replaces && kind == PACKER_PIXELS) writePixels<C>(tile, packer, target, plane);
  else if (tile.layerSamples == 1) blendQuads<C, B, One>(tile, packer, target, plane);
  else if (changetype<B>(0).replaces) writeQuads<C>(tile, packer, target, plane);
  else blendQuads<C, B, Layered>(tile, packer, target, plane);
}

/** A whole block, of which each pixel holds one texel, or is to hold one. */
function writeBlock<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const plane = tile.plane(index);
  const block = packer.entry(0).quad >> 4;
  const replaces = blend.replaces && target.writesAll != 0;
  if (replaces) beginBlock(tile, index, block, size.bytes);
  const written = v128.load(target.written);
  const r0 = sourceRegister<C>(tile, target, 0);
  const r1 = sourceRegister<C>(tile, target, 1);
  const r2 = sourceRegister<C>(tile, target, 2);
  const r3 = sourceRegister<C>(tile, target, 3);
  let at = plane.texel(block << 6);
  if (packer.kind == PACKER_SAME) {
    blend.terms(scratch, blend.source(v128.load(r0)), blend.source(v128.load(r1)),
      blend.source(v128.load(r2)), blend.source(v128.load(r3)));
    for (let quad = 0; quad < 16; quad++) {
      const texels = blend.samples(scratch, at, 0);
      if (replaces) size.put(at, texels, scratch.texels);
      else size.merge(at, texels, scratch.texels, 15, written);
      at += <usize>(4 * size.bytes);
    }
  } else {
    for (let offset: usize = 0; offset < 256; offset += 16) {
      const texels = blend.four(scratch, at, blend.source(v128.load(r0 + offset)), blend.source(v128.load(r1 + offset)),
        blend.source(v128.load(r2 + offset)), blend.source(v128.load(r3 + offset)));
      if (replaces) size.put(at, texels, scratch.texels);
      else size.merge(at, texels, scratch.texels, 15, written);
      at += <usize>(4 * size.bytes);
    }
  }
  if (replaces) endBlock(tile, index, block, size.bytes);
}

/** Opaque texels to quads of several samples. */
function writeQuads<C>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
  const size = changetype<C>(0).size;
  const terms = tile.output.terms;
  const whole = target.writesAll && tile.encodes ? quadSamples<Layered>(tile) : 0;
  const r0 = sourceRegister<C>(tile, target, 0);
  const r1 = sourceRegister<C>(tile, target, 1);
  const r2 = sourceRegister<C>(tile, target, 2);
  const r3 = sourceRegister<C>(tile, target, 3);
  const end = <usize>packer.count << 4;
  for (let offset: usize = 0; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const mask = entry.mask;
    if (!mask) continue;
    const quad = entry.quad;
    const texels = changetype<C>(0).encode(terms,
      v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset));
    if (mask == whole && !plane.isClear(quad >> 4)) {
      size.put(plane.texel(quad << 2), texels, terms);
      plane.joinSamples(quad);
      continue;
    }
    size.put(terms, texels, terms);
    for (let pixel = 0; pixel < 4; pixel++) {
      const samples = pixelMask(mask, pixel);
      if (samples) putPixel<C>(tile, plane, (quad << 2) + pixel, samples, terms + <usize>(pixel * size.bytes));
    }
  }
}

/** Opaque texels to single pixels: four are encoded at once, each goes its own way. */
function writePixels<C>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
  const terms = tile.output.terms;
  const r0 = sourceRegister<C>(tile, target, 0);
  const r1 = sourceRegister<C>(tile, target, 1);
  const r2 = sourceRegister<C>(tile, target, 2);
  const r3 = sourceRegister<C>(tile, target, 3);
  const count = packer.count;
  for (let i = 0; i < count; i++) {
    if (!(i & 3)) {
      const offset = <usize>i << 2;
      changetype<Replace<C>>(0).terms(tile.output,
        v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset));
    }
    const entry = packer.entry(i);
    const mask = <i32>entry.mask;
    if (mask) putPixel<C>(tile, plane, entry.pixel, mask, terms + <usize>((i & 3) * changetype<C>(0).bytes));
  }
}

/** Quads of any samples. */
function blendQuads<C, B, S>(tile: Tile, packer: Packer, target: Target, plane: Plane): void {
  const end = <usize>packer.count << 4;
  for (let offset: usize = 0; ; ) {
    offset = blendRun<C, B, S>(tile, packer, target, plane, offset);
    if (offset >= end) return;
    const entry = changetype<Entry>(packer.entries + offset);
    layOutQuad(tile, plane, entry.quad, entry.mask);
  }
}

/**
 * Blends the entries from `offset` (bytes of a register) on, up to one that has to be laid out first: a call within the loop would have every
 * vector kept in memory. Returns where it stopped.
 */
function blendRun<C, B, S>(tile: Tile, packer: Packer, target: Target, plane: Plane, offset: usize): usize {
  const blend = changetype<B>(0);
  const size = changetype<C>(0).size;
  const scratch = tile.output;
  const written = v128.load(target.written);
  const layers = tile.layers;
  const whole = target.writesAll ? 0xffff : -1;
  const end = <usize>packer.count << 4;
  const r0 = sourceRegister<C>(tile, target, 0);
  const r1 = sourceRegister<C>(tile, target, 1);
  const r2 = sourceRegister<C>(tile, target, 2);
  const r3 = sourceRegister<C>(tile, target, 3);
  for (; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const mask = entry.mask;
    if (isLayered<S>() && !mask) continue;
    const quad = entry.quad;
    const c0 = blend.source(v128.load(r0 + offset));
    const c1 = blend.source(v128.load(r1 + offset));
    const c2 = blend.source(v128.load(r2 + offset));
    const c3 = blend.source(v128.load(r3 + offset));
    if (samplesOf<S>() == 1) {
      if (plane.isClear(quad >> 4)) break;
      const at = plane.texel(quad << 2);
      size.merge(at, blend.four(scratch, at, c0, c1, c2, c3), scratch.texels, <i32>mask, written);
      continue;
    }
    if (blend.skips && !anyTrue(c3) && !anyTrue(v128.or(v128.or(c0, c1), c2))) continue;
    const perSample = plane.perSampleOf(quad);
    if (perSample != 15) {
      const cover = Cover.of(mask, layers);
      if (perSample || Cover.isPartial(cover) || plane.isClear(quad >> 4)) break;
      const at = plane.texel(quad << 2);
      size.merge(at, blend.four(scratch, at, c0, c1, c2, c3), scratch.texels, cover & 15, written);
      continue;
    }
    blend.terms(scratch, c0, c1, c2, c3);
    let at = plane.sample(quad << 2);
    for (let layer = 0; layer < layers; layer++) {
      const part = ofLayer(mask, layer);
      if (part == whole) blendWhole<C, B>(scratch, at);
      else if (part) blendSamples<C, B>(scratch, at, part);
      at += plane.layerBytes;
    }
  }
  return offset;
}

/** All samples of a quad, of a layer, in all channels. */
function blendWhole<C, B>(scratch: OutputScratch, at: usize): void {
  for (let pixel = 0; pixel < 4; pixel++) {
    changetype<C>(0).size.put(at, changetype<B>(0).samples(scratch, at, pixel), scratch.texels);
    at += <usize>(4 * changetype<C>(0).bytes);
  }
}

/** The samples of `mask` of a quad, those of a layer. */
function blendSamples<C, B>(scratch: OutputScratch, at: usize, mask: i32): void {
  const written = v128.load(scratch.target.written);
  for (let pixel = 0; pixel < 4; pixel++) {
    const bits = mask >> (pixel << 2) & 15;
    if (bits) changetype<C>(0).size.merge(at, changetype<B>(0).samples(scratch, at, pixel), scratch.texels, bits, written);
    at += <usize>(4 * changetype<C>(0).bytes);
  }
}
