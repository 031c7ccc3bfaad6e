// Output to any format of texel-four.ts, four texels at a time: the pixels of a quad, or the samples of a pixel, of a layer, where they may differ.
// Blending is in float; what a state asks for is decided once a warp (factors.ts). rgba8.ts and blend-bytes.ts have the commonest cases.
// Scalar twin: general.ts.

import {
  BLEND_MAX, BLEND_MIN, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, bytesOfLayer, Draw, Entry, Packer, PACKER_BLOCK,
  PACKER_PIXELS, PACKER_SAME, Target, Tile,
} from '../layout';
import { max, min, splatFrom } from '../simd/lanes';
import { channelCount, formatKind, KIND_UINT, KIND_UNORM, texelBytes } from '../surface/texel';
import { clamp01, loadFour, storeFour } from '../surface/texel-four';
import { putFour, putSamples } from '../surface/texel-put';
import { copyTexel } from '../surface/texel-same';
import { beginBlock, endBlock, pixelPlane } from '../tile/colors';
import { allSamples, ofLayer } from '../tile/layers';
import { repeat } from '../tile/rows';
import {
  ALPHA_DESTINATION, ALPHA_SOURCE, COLOR_DESTINATION, COLOR_SOURCE, factorFor, prepareFactor, prepareOperands,
  sharesFactors,
} from './factors';
import { sourceRegister } from './source';
import { pixelTexel, planePixels, replacesPixels, sampleLayers, samplesOf, writtenBits } from './texels';

/** Writes a warp's colour to target `index`. */
export function writeFour(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const all = writtenBits(target, context.output.written);
  const kind = formatKind(target.format);
  const packing = packer.kind;
  if (kind < KIND_UINT && target.blend) {
    prepareBlend(context, packer.draw, target, kind == KIND_UNORM);
    blendQuads(context, packer, target, plane, index, kind == KIND_UNORM);
  } else if (packing == PACKER_PIXELS) {
    writePixels(context, packer, target, plane, index, all);
  } else if (packing == PACKER_SAME || (packing == PACKER_BLOCK && all)) {
    writeBlock(context, packer, target, index, packing == PACKER_SAME);
  } else {
    writeQuads(context, packer, target, plane, index, all);
  }
}

/** A whole block, opaque: a texel a pixel, whatever the samples; `same`: one for all pixels. */
function writeBlock(context: Tile, packer: Packer, target: Target, index: i32, same: bool): void {
  const format = target.format;
  const integer = formatKind(format) >= KIND_UINT;
  const bytes = texelBytes(format);
  const block = packer.entry(0).quad >> 4;
  const r0 = sourceRegister(context, target, 0, integer);
  const r1 = sourceRegister(context, target, 1, integer);
  const r2 = sourceRegister(context, target, 2, integer);
  const r3 = sourceRegister(context, target, 3, integer);
  const begin = beginBlock(context, index, block, bytes);
  let at = begin;
  const end: usize = same ? 16 : 256;
  for (let offset: usize = 0; offset < end; offset += 16) {
    storeFour(format, at, r0 + offset, r1 + offset, r2 + offset, r3 + offset);
    at += <usize>bytes << 2;
  }
  if (same) repeat(begin, bytes << 2, bytes << 6);
  endBlock(context, index, block, bytes);
}

function writeQuads(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, all: bool): void {
  const format = target.format;
  const integer = formatKind(format) >= KIND_UINT;
  const bytes = texelBytes(format);
  const layers = sampleLayers(context);
  const replaces = replacesPixels(context, all);
  const pixelTexels = pixelPlane(context, index);
  const written = v128.load(context.output.written);
  const texels = context.output.texels;
  const end = <usize>packer.count << 4;
  const r0 = sourceRegister(context, target, 0, integer);
  const r1 = sourceRegister(context, target, 1, integer);
  const r2 = sourceRegister(context, target, 2, integer);
  const r3 = sourceRegister(context, target, 3, integer);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    storeFour(format, texels, r0 + offset, r1 + offset, r2 + offset, r3 + offset);
    const pixels = planePixels(context, index, quad, mask, layers, replaces, bytes);
    if (pixels) putFour(bytes, pixelTexels + <usize>(quad * 4 * bytes), texels, pixels, written);
    let at = plane + <usize>(quad * 16 * bytes);
    for (let layer = 0; layer < layers; layer++) {
      putQuad(bytes, at, texels, ofLayer(mask, layer) & ~samplesOf(pixels), written);
      at += bytesOfLayer(bytes);
    }
  }
}

/** One texel a pixel to the samples of `mask`, those of a layer, of the quad at `at`. */
function putQuad(bytes: i32, at: usize, from: usize, mask: i32, written: v128): void {
  for (let rest = mask; rest; rest >>= 4) {
    if (rest & 15) putSamples(bytes, at, from, rest & 15, written);
    at += <usize>bytes << 2;
    from += bytes;
  }
}

/** Single pixels, opaque: four are packed at once, each goes its own way. */
function writePixels(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, all: bool): void {
  const format = target.format;
  const integer = formatKind(format) >= KIND_UINT;
  const r0 = sourceRegister(context, target, 0, integer);
  const r1 = sourceRegister(context, target, 1, integer);
  const r2 = sourceRegister(context, target, 2, integer);
  const r3 = sourceRegister(context, target, 3, integer);
  const count = <usize>packer.count;
  for (let i: usize = 0; i < count; i += 4) {
    const offset = i << 2;
    storeFour(format, context.output.texels, r0 + offset, r1 + offset, r2 + offset, r3 + offset);
    putPixels(context, packer.entries + (i << 4), count - i < 4 ? <i32>(count - i) : 4, plane, index, texelBytes(format), all);
  }
}

/** Puts OutputScratch.texels to the pixels of `count` entries. `all`: all bits of a texel are written. */
export function putPixels(context: Tile, entry: usize, count: i32, plane: usize, index: i32, bytes: i32, all: bool): void {
  const every = allSamples(context);
  const replaces = replacesPixels(context, all);
  const written = v128.load(context.output.written);
  let texel = context.output.texels;
  for (let lane = 0; lane < count; lane++) {
    const mask = <i32>changetype<Entry>(entry).mask;
    if (mask) {
      const pixel = changetype<Entry>(entry).quad;
      const at = pixelTexel(context, index, pixel, mask == every, replaces, bytes);
      if (!at) putLayers(bytes, plane + <usize>(pixel * 4 * bytes), texel, mask, written);
      else if (all) copyTexel(bytes, at, texel);
      else putSamples(bytes, at, texel, 1, written);
    }
    entry += 16;
    texel += bytes;
  }
}

/** The texel at `from` to the samples of `mask`, a bit each, of the pixel at `at`. */
function putLayers(bytes: i32, at: usize, from: usize, mask: i32, written: v128): void {
  for (let rest = mask; rest; rest >>= 4) {
    if (rest & 15) putSamples(bytes, at, from, rest & 15, written);
    at += bytesOfLayer(bytes);
  }
}

/** Factors, operands and signs of a target's blend state. */
function prepareBlend(context: Tile, draw: Draw, target: Target, clamped: bool): void {
  prepareOperands(context, draw, 0, 2, clamped);
  prepareFactor(context, COLOR_SOURCE, target.colorSrc);
  prepareFactor(context, COLOR_DESTINATION, target.colorDst);
  prepareFactor(context, ALPHA_SOURCE, target.alphaSrc);
  prepareFactor(context, ALPHA_DESTINATION, target.alphaDst);
  const signs = context.output.signs;
  prepareSigns(signs, target.colorOp);
  prepareSigns(signs + 8, target.alphaOp);
}

function prepareSigns(signs: usize, operation: i32): void {
  store<u32>(signs, operation == BLEND_REVERSE_SUBTRACT ? 0x80000000 : 0);
  store<u32>(signs, operation == BLEND_SUBTRACT ? 0x80000000 : 0, 4);
}

function blendQuads(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, clamped: bool): void {
  const bytes = texelBytes(target.format);
  const layers = sampleLayers(context);
  const pixelTexels = pixelPlane(context, index);
  const written = v128.load(context.output.written);
  const texels = context.output.texels;
  const shared = sharesFactors(context);
  const end = <usize>packer.count << 4;
  const r0 = sourceRegister(context, target, 0, false);
  const r1 = sourceRegister(context, target, 1, false);
  const r2 = sourceRegister(context, target, 2, false);
  const r3 = sourceRegister(context, target, 3, false);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    const pixels = planePixels(context, index, quad, mask, layers, false, bytes);
    if (pixels) {
      const at = pixelTexels + <usize>(quad * 4 * bytes);
      blendFour(context, target, at, clamped, shared, v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset));
      putFour(bytes, at, texels, pixels, written);
      continue;
    }
    for (let layer = 0; layer < layers; layer++) {
      let at = plane + <usize>layer * bytesOfLayer(bytes) + <usize>(quad * 16 * bytes);
      let lane = offset;
      for (let rest = ofLayer(mask, layer); rest; rest >>= 4) {
        if (rest & 15) {
          blendFour(context, target, at, clamped, shared,
            v128.load32_splat(r0 + lane), v128.load32_splat(r1 + lane), v128.load32_splat(r2 + lane), v128.load32_splat(r3 + lane));
          putFour(bytes, at, texels, rest & 15, written);
        }
        lane += 4;
        at += <usize>bytes << 2;
      }
    }
  }
}

/** Blends four colours with the four texels at `at`; the results go to OutputScratch.texels. `shared`: the channels of colour have the same factors. */
function blendFour(context: Tile, target: Target, at: usize, clamped: bool, shared: bool, c0: v128, c1: v128, c2: v128, c3: v128): void {
  const output = context.output;
  const format = target.format;
  if (clamped) {
    c0 = clamp01(c0);
    c1 = clamp01(c1);
    c2 = clamp01(c2);
    c3 = clamp01(c3);
  }
  const operation = target.colorOp;
  const words = output.source;
  storeWords(words, c0, c1, c2, c3);
  loadFour(format, at, output.destination);
  v128.store(output.saturated, min(c3, f32x4.sub(f32x4.splat(1), v128.load(output.destination + 48))));
  const count = channelCount(format);
  const alpha = count > 2 ? blendChannel(context, target.alphaOp, ALPHA_SOURCE, 3, 0, c3) : c3;
  if (shared && operation < BLEND_MIN) {
    blendShared(context, c0, c1, c2, alpha);
  } else {
    c0 = blendColor(context, operation, 0, c0);
    if (count > 1) c1 = blendColor(context, operation, 1, c1);
    if (count > 2) c2 = blendColor(context, operation, 2, c2);
    storeWords(words, c0, c1, c2, alpha);
  }
  storeFour(format, output.texels, words, words + 16, words + 32, words + 48);
}

/** The channels of colour, whose factors are computed once; the results take the sources' place, as does `alpha`. */
// @ts-ignore: decorator
@inline
function blendShared(context: Tile, c0: v128, c1: v128, c2: v128, alpha: v128): void {
  const destinations = context.output.destination;
  const source = factorFor(context, COLOR_SOURCE, 0);
  const destination = factorFor(context, COLOR_DESTINATION, 0);
  c0 = weigh(context, COLOR_SOURCE, c0, source, v128.load(destinations), destination);
  c1 = weigh(context, COLOR_SOURCE, c1, source, v128.load(destinations, 16), destination);
  c2 = weigh(context, COLOR_SOURCE, c2, source, v128.load(destinations, 32), destination);
  storeWords(context.output.source, c0, c1, c2, alpha);
}

/** Source and destination times their factors, with the signs of record `index` and the next. */
// @ts-ignore: decorator
@inline
function weigh(context: Tile, index: i32, s: v128, source: v128, d: v128, destination: v128): v128 {
  const signs = context.output.signs;
  return f32x4.add(v128.xor(term(s, source), splatFrom(signs, index)), v128.xor(term(d, destination), splatFrom(signs, index + 1)));
}

// @ts-ignore: decorator
@inline
function storeWords(to: usize, c0: v128, c1: v128, c2: v128, c3: v128): void {
  v128.store(to, c0);
  v128.store(to, c1, 16);
  v128.store(to, c2, 32);
  v128.store(to, c3, 48);
}

// @ts-ignore: decorator
@inline
function blendColor(context: Tile, operation: i32, channel: i32, s: v128): v128 {
  return blendChannel(context, operation, COLOR_SOURCE, channel, channel, s);
}

/** One channel. `index`: of its source factor's record; `place`: among those that the record is for. */
// @ts-ignore: decorator
@inline
function blendChannel(context: Tile, operation: i32, index: i32, channel: i32, place: i32, s: v128): v128 {
  const d = v128.load(context.output.destination + (<usize>channel << 4));
  if (operation == BLEND_MIN) return min(s, d);
  if (operation == BLEND_MAX) return max(s, d);
  return weigh(context, index, s, factorFor(context, index, place), d, factorFor(context, index + 1, place));
}

/** A factor of zero takes infinities away too. */
// @ts-ignore: decorator
@inline
function term(value: v128, factor: v128): v128 {
  return v128.andnot(f32x4.mul(value, factor), f32x4.eq(factor, f32x4.splat(0)));
}
