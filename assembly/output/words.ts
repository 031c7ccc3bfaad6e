// Opaque texels of four bytes into pixels of several samples that hold one texel each as long as they can (CTX_ENCODES): of what a pixel is covered in
// part, its former texel goes to its samples in the same step. By itself, that step and the write of each sample's texel took teapots at four samples
// half as long again in output. SIMD only; others go by planePixels and pixelTexel (texels.ts), with the same texels.

import {
  COLOR_CLEAR, CTX_LAYERS, CTX_OUTPUT, ENTRY_MASK, ENTRY_PIXEL, ENTRY_QUAD, ENTRY_SHIFT, OUTPUT_TEXELS,
} from '../layout/context';
import { lanesOf } from '../simd/texels';
import { colorStates, fillBlock, layerBytes, pixelPlane, severalPixels } from '../surface/color-blocks';
import { allSamples, entryMask, ofLayer } from './layers';

/** One texel, at `texel`, to the samples of `mask` (a bit each) of a pixel (quad·4 + pixel). `every`: the mask of all of them. */
// @ts-ignore: decorator
@inline
function putWord(context: usize, index: i32, plane: usize, pixels: usize, pixel: i32, mask: i32, every: i32, layers: i32, texel: usize): void {
  const block = pixel >> 6;
  if (load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) fillBlock(context, index, block, 4);
  const bits = severalPixels(context, index) + (<usize>block << 3);
  const several = load<u64>(bits);
  const bit: u64 = (<u64>1) << <u64>(pixel & 63);
  const one = pixels + (<usize>pixel << 2);
  if (mask == every) {
    store<u32>(one, load<u32>(texel));
    if (several & bit) store<u64>(bits, several & ~bit);
    return;
  }
  const word = v128.load32_splat(texel);
  let at = plane + (<usize>pixel << 4);
  if (several & bit) {
    for (let rest = mask; rest; rest >>= 4) {
      v128.store(at, v128.bitselect(word, v128.load(at), lanesOf(rest & 15)));
      at += layerBytes(4);
    }
    return;
  }
  const former = v128.load32_splat(one);
  for (let layer = 0; layer < layers; layer++) {
    v128.store(at, v128.bitselect(word, former, lanesOf((mask >> (layer << 2)) & 15)));
    at += layerBytes(4);
  }
  store<u64>(bits, several | bit);
}

/** Puts OUTPUT_TEXELS to the pixels of `count` entries of a packer of pixels. */
export function putPixelWords(context: usize, entry: usize, count: i32, plane: usize, index: i32): void {
  const every = allSamples(context);
  const layers = load<i32>(context, CTX_LAYERS);
  const pixels = pixelPlane(context, index);
  let texel = context + CTX_OUTPUT + OUTPUT_TEXELS;
  for (const end = entry + (<usize>count << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    const mask = load<i32>(entry, ENTRY_MASK);
    if (mask) putWord(context, index, plane, pixels, load<i32>(entry, ENTRY_PIXEL), mask, every, layers, texel);
    texel += 4;
  }
}

/** Puts `texels`, one a pixel, to the quad of an entry. */
// @ts-ignore: decorator
@inline
export function putQuadWords(context: usize, entry: usize, texels: v128, plane: usize, index: i32, layers: i32): void {
  const mask = entryMask(context, entry);
  const quad = load<i32>(entry, ENTRY_QUAD);
  const nibble = severalPixels(context, index) + (<usize>quad >> 1);
  if (mask == ~(<u64>0) >> <u64>(64 - (layers << 4)) && load<u8>(colorStates(context, index) + <usize>(quad >> 4)) != COLOR_CLEAR) {
    v128.store(pixelPlane(context, index) + (<usize>quad << 4), texels);
    const several = <i32>load<u8>(nibble);
    if (several) store<u8>(nibble, several & ~(15 << ((quad & 1) << 2)));
    return;
  }
  if (mask) putPartWords(context, quad, mask, texels, plane, index, layers);
}

function putPartWords(context: usize, quad: i32, mask: u64, texels: v128, plane: usize, index: i32, layers: i32): void {
  const every = allSamples(context);
  const pixels = pixelPlane(context, index);
  v128.store(context, texels, CTX_OUTPUT + OUTPUT_TEXELS);
  for (let pixel = 0; pixel < 4; pixel++) {
    let covered = 0;
    for (let layer = 0; layer < layers; layer++) covered |= (ofLayer(mask, layer) >> (pixel << 2) & 15) << (layer << 2);
    if (covered) putWord(context, index, plane, pixels, (quad << 2) + pixel, covered, every, layers, context + CTX_OUTPUT + OUTPUT_TEXELS + (<usize>pixel << 2));
  }
}
