// Opaque texels of four bytes into pixels of several samples that hold one texel each as long as they can (Tile.encodes): of what a pixel is covered in
// part, its former texel goes to its samples in the same step. By itself, that step and the write of each sample's texel took teapots at four samples
// half as long again in output. SIMD only; others go by planePixels and pixelTexel (texels.ts), with the same texels.

import { bytesOfLayer, COLOR_CLEAR, Entry, sizeOf, Tile } from '../layout';
import { lanesOf } from '../simd/texels';
import { colorStates, fillBlock, pixelPlane, severalPixels } from '../tile/colors';
import { allSamples, ofLayer } from '../tile/layers';

/** One texel, at `texel`, to the samples of `mask` (a bit each) of a pixel (quad·4 + pixel). `every`: the mask of all of them. */
// @ts-ignore: decorator
@inline
function putWord(context: Tile, index: i32, plane: usize, pixels: usize, pixel: i32, mask: i32, every: i32, layers: i32, texel: usize): void {
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
      at += bytesOfLayer(4);
    }
    return;
  }
  const former = v128.load32_splat(one);
  for (let layer = 0; layer < layers; layer++) {
    v128.store(at, v128.bitselect(word, former, lanesOf((mask >> (layer << 2)) & 15)));
    at += bytesOfLayer(4);
  }
  store<u64>(bits, several | bit);
}

/** Puts OutputScratch.texels to the pixels of `count` entries of a packer of pixels. */
export function putPixelWords(context: Tile, entry: usize, count: i32, plane: usize, index: i32): void {
  const every = allSamples(context);
  const layers = context.layers;
  const pixels = pixelPlane(context, index);
  let texel = context.output.texels;
  for (const end = entry + (<usize>count * sizeOf<Entry>()); entry < end; entry += sizeOf<Entry>()) {
    const mask = <i32>changetype<Entry>(entry).mask;
    if (mask) putWord(context, index, plane, pixels, changetype<Entry>(entry).quad, mask, every, layers, texel);
    texel += 4;
  }
}

/** Puts `texels`, one a pixel, to the quad of an entry. */
// @ts-ignore: decorator
@inline
export function putQuadWords(context: Tile, entry: Entry, texels: v128, plane: usize, index: i32, layers: i32): void {
  const mask = entry.mask;
  const quad = entry.quad;
  const nibble = severalPixels(context, index) + (<usize>quad >> 1);
  if (mask == ~(<u64>0) >> <u64>(64 - (layers << 4)) && load<u8>(colorStates(context, index) + <usize>(quad >> 4)) != COLOR_CLEAR) {
    v128.store(pixelPlane(context, index) + (<usize>quad << 4), texels);
    const several = <i32>load<u8>(nibble);
    if (several) store<u8>(nibble, several & ~(15 << ((quad & 1) << 2)));
    return;
  }
  if (mask) putPartWords(context, quad, mask, texels, plane, index, layers);
}

function putPartWords(context: Tile, quad: i32, mask: u64, texels: v128, plane: usize, index: i32, layers: i32): void {
  const every = allSamples(context);
  const pixels = pixelPlane(context, index);
  v128.store(context.output.texels, texels);
  for (let pixel = 0; pixel < 4; pixel++) {
    let covered = 0;
    for (let layer = 0; layer < layers; layer++) covered |= (ofLayer(mask, layer) >> (pixel << 2) & 15) << (layer << 2);
    if (covered) putWord(context, index, plane, pixels, (quad << 2) + pixel, covered, every, layers, context.output.texels + (<usize>pixel << 2));
  }
}
