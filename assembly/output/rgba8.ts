// Output to rgba8unorm and bgra8unorm, with and without sRGB, without blending or with minima and maxima, which are those of the bytes:
// encoding keeps the order. Texels stay in registers from the program's colours to the plane. Channels are taken in the order of the
// texel's bytes. Scalar twin: general.ts.

import {
  BLEND_MIN, bytesOfLayer, Entry, FORMAT_BGRA8UNORM_SRGB, FORMAT_RGBA8UNORM_SRGB, Packer, PACKER_BLOCK, PACKER_PIXELS,
  PACKER_SAME, Target, Tile,
} from '../layout';
import { splat0 } from '../simd/lanes';
import { lanesOf, splat1, splat2, splat3 } from '../simd/texels';
import { packTexels } from '../surface/texel-four';
import { beginBlock, endBlock, pixelPlane } from '../tile/colors';
import { ofLayer } from '../tile/layers';
import { putPixels } from './four';
import { sourceRegister } from './source';
import { byteChannel, planePixels, replacesPixels, sampleLayers, samplesOf, writtenBits } from './texels';
import { putPixelWords, putQuadWords } from './words';

/** Writes a warp's colour to target `index`. */
export function writeRgba8(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const format = target.format;
  const all = writtenBits(target, context.output.written);
  const packing = packer.kind;
  const srgb = format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM_SRGB;
  if (target.blend) {
    writeExtremes(context, packer, target, plane, index, srgb);
  } else if (packing == PACKER_PIXELS) {
    writePixels(context, packer, target, plane, index, srgb, all);
  } else if (packing == PACKER_SAME) {
    writeSame(context, packer, target, index, srgb);
  } else if (packing == PACKER_BLOCK && all) {
    if (srgb) writeBlock(context, packer, target, index, true);
    else writeBlock(context, packer, target, index, false);
  } else {
    writeQuads(context, packer, target, plane, index, srgb, all);
  }
}

/** Whether a target's blend state takes minima or maxima of all channels. */
export function takesExtremes(target: Target): bool {
  return target.colorOp >= BLEND_MIN && target.alphaOp >= BLEND_MIN;
}

/** Register of byte `index`. */
// @ts-ignore: decorator
@inline
function byteRegister(context: Tile, target: Target, index: i32): usize {
  return sourceRegister(context, target, byteChannel(target.format, index), false);
}

/** A whole block, opaque: a texel a pixel, whatever the samples. */
// @ts-ignore: decorator
@inline
function writeBlock(context: Tile, packer: Packer, target: Target, index: i32, srgb: bool): void {
  const block = packer.entry(0).quad >> 4;
  const at = beginBlock(context, index, block, 4);
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (let offset: usize = 0; offset < 256; offset += 16) {
    v128.store(at + offset, packTexels(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), srgb));
  }
  endBlock(context, index, block, 4);
}

/** The same with one texel for all pixels. */
function writeSame(context: Tile, packer: Packer, target: Target, index: i32, srgb: bool): void {
  const block = packer.entry(0).quad >> 4;
  const texels = packTexels(
    v128.load(byteRegister(context, target, 0)), v128.load(byteRegister(context, target, 1)), v128.load(byteRegister(context, target, 2)), v128.load(byteRegister(context, target, 3)), srgb);
  let at = beginBlock(context, index, block, 4);
  for (const end = at + 256; at < end; at += 16) v128.store(at, texels);
  endBlock(context, index, block, 4);
}

function writeQuads(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, srgb: bool, all: bool): void {
  const layers = sampleLayers(context);
  const replaces = replacesPixels(context, all);
  const pixelTexels = pixelPlane(context, index);
  const written = v128.load(context.output.written);
  const end = <usize>packer.count << 4;
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const texels = packTexels(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), srgb);
    if (layers && replaces) {
      putQuadWords(context, changetype<Entry>(packer.entries + offset), texels, plane, index, layers);
      continue;
    }
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    const pixels = planePixels(context, index, quad, mask, layers, replaces, 4);
    if (pixels) {
      putTexels(pixelTexels + (<usize>quad << 4), texels, pixels, written);
      if (pixels == 15) continue;
    }
    let samples = plane + (<usize>quad << 6);
    for (let layer = 0; layer < layers; layer++) {
      putSamplesOf(samples, texels, ofLayer(mask, layer) & ~samplesOf(pixels), written, all);
      samples += bytesOfLayer(4);
    }
  }
}

/** One texel a pixel to the samples of `mask`, those of a layer. */
// @ts-ignore: decorator
@inline
function putSamplesOf(samples: usize, texels: v128, mask: i32, written: v128, all: bool): void {
  if (mask == 0xffff && all) {
    v128.store(samples, splat0(texels));
    v128.store(samples, splat1(texels), 16);
    v128.store(samples, splat2(texels), 32);
    v128.store(samples, splat3(texels), 48);
  } else if (mask) {
    putTexels(samples, splat0(texels), mask & 15, written);
    putTexels(samples + 16, splat1(texels), (mask >> 4) & 15, written);
    putTexels(samples + 32, splat2(texels), (mask >> 8) & 15, written);
    putTexels(samples + 48, splat3(texels), (mask >> 12) & 15, written);
  }
}

/** Minima and maxima; pixels that lie in the sample planes are taken one at a time. */
function writeExtremes(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, srgb: bool): void {
  const layers = sampleLayers(context);
  const pixelTexels = pixelPlane(context, index);
  const written = v128.load(context.output.written);
  const color = target.colorOp == BLEND_MIN ? 0xffffff : 0;
  const minima = i32x4.splat(color | (target.alphaOp == BLEND_MIN ? 0xff000000 : 0));
  const end = <usize>packer.count << 4;
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    const texels = packTexels(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), srgb);
    const pixels = planePixels(context, index, quad, mask, layers, false, 4);
    if (pixels) {
      putExtremes(pixelTexels + (<usize>quad << 4), texels, pixels, minima, written);
      continue;
    }
    let samples = plane + (<usize>quad << 6);
    for (let layer = 0; layer < layers; layer++) {
      const rest = ofLayer(mask, layer);
      putExtremes(samples, splat0(texels), rest & 15, minima, written);
      putExtremes(samples + 16, splat1(texels), (rest >> 4) & 15, minima, written);
      putExtremes(samples + 32, splat2(texels), (rest >> 8) & 15, minima, written);
      putExtremes(samples + 48, splat3(texels), (rest >> 12) & 15, minima, written);
      samples += bytesOfLayer(4);
    }
  }
}

/** Minima in the bytes of `minima`, maxima in the others. */
// @ts-ignore: decorator
@inline
function putExtremes(at: usize, texels: v128, bits: i32, minima: v128, written: v128): void {
  const stored = v128.load(at);
  putTexels(at, v128.bitselect(i8x16.min_u(texels, stored), i8x16.max_u(texels, stored), minima), bits, written);
}

/** Writes the texels whose bit is set, in the bits that are written. */
// @ts-ignore: decorator
@inline
function putTexels(at: usize, texels: v128, bits: i32, written: v128): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), v128.and(lanesOf(bits), written)));
}

/** Single pixels, opaque. */
function writePixels(context: Tile, packer: Packer, target: Target, plane: usize, index: i32, srgb: bool, all: bool): void {
  const r0 = byteRegister(context, target, 0);
  const r1 = byteRegister(context, target, 1);
  const r2 = byteRegister(context, target, 2);
  const r3 = byteRegister(context, target, 3);
  const count = <usize>packer.count;
  const words = sampleLayers(context) != 0 && replacesPixels(context, all);
  for (let i: usize = 0; i < count; i += 4) {
    const offset = i << 2;
    v128.store(context.output.texels, packTexels(v128.load(r0 + offset), v128.load(r1 + offset), v128.load(r2 + offset), v128.load(r3 + offset), srgb));
    if (words) putPixelWords(context, packer.entries + (i << 4), count - i < 4 ? <i32>(count - i) : 4, plane, index);
    else putPixels(context, packer.entries + (i << 4), count - i < 4 ? <i32>(count - i) : 4, plane, index, 4, all);
  }
}
