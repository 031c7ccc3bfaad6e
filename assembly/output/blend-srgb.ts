// Blending on rgba8unorm-srgb and bgra8unorm-srgb in linear light, for the commonest states: sums whose factors come from the source's
// alpha alone. Texels stay in registers; four.ts has all other states. Channels are taken in the order of the texel's bytes. Scalar twin:
// blend.ts, in float.

import {
  BLEND_ADD, bytesOfLayer, Entry, FORMAT_BGRA8UNORM_SRGB, FORMAT_RGBA8UNORM_SRGB, Packer, Target, Tile,
} from '../layout';
import { splat0 } from '../simd/lanes';
import { lanesOf, splat1, splat2, splat3 } from '../simd/texels';
import { alphaChannel, clamp01, packTexels, srgbChannel } from '../surface/texel-four';
import { pixelPlane } from '../tile/colors';
import { ofLayer } from '../tile/layers';
import { linearAlpha, linearColor } from './blend';
import { fromAlpha } from './blend-bytes';
import {
  ALPHA_DESTINATION, ALPHA_SOURCE, alphaFactorFor, COLOR_DESTINATION, COLOR_SOURCE, prepareFactor,
} from './factors';
import { sourceRegister } from './source';
import { byteChannel, planePixels, sampleLayers, writtenBits } from './texels';

/** Whether a target is blended here. */
export function blendsSrgb(target: Target): bool {
  const format = target.format;
  return (format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM_SRGB)
    && target.colorOp == BLEND_ADD && target.alphaOp == BLEND_ADD
    && fromAlpha(linearColor(target)) && fromAlpha(linearAlpha(target));
}

/** Blends a warp's colour into target `index`. */
export function blendSrgbWarp(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  writtenBits(target, context.output.written);
  const color = linearColor(target);
  const alpha = linearAlpha(target);
  prepareFactor(context, COLOR_SOURCE, color & 15);
  prepareFactor(context, COLOR_DESTINATION, color >> 4);
  prepareFactor(context, ALPHA_SOURCE, alpha & 15);
  prepareFactor(context, ALPHA_DESTINATION, alpha >> 4);
  const layers = sampleLayers(context);
  const pixelTexels = pixelPlane(context, index);
  const format = target.format;
  const written = v128.load(context.output.written);
  const end = <usize>packer.count << 4;
  const r0 = sourceRegister(context, target, byteChannel(format, 0), false);
  const r1 = sourceRegister(context, target, 1, false);
  const r2 = sourceRegister(context, target, byteChannel(format, 2), false);
  const r3 = sourceRegister(context, target, 3, false);
  for (let offset: usize = 0; offset < end; offset += 16) {
    const mask = changetype<Entry>(packer.entries + offset).mask;
    if (!mask) continue;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    const c0 = clamp01(v128.load(r0 + offset));
    const c1 = clamp01(v128.load(r1 + offset));
    const c2 = clamp01(v128.load(r2 + offset));
    const c3 = clamp01(v128.load(r3 + offset));
    const pixels = planePixels(context, index, quad, mask, layers, false, 4);
    if (pixels) {
      const at = pixelTexels + (<usize>quad << 4);
      putTexels(at, blendTexels(context, v128.load(at), c0, c1, c2, c3), pixels, written);
      continue;
    }
    for (let layer = 0; layer < layers; layer++) {
      const rest = ofLayer(mask, layer);
      if (rest) blendSamples(context, plane + <usize>layer * bytesOfLayer(4) + (<usize>quad << 6), rest, written, c0, c1, c2, c3);
    }
  }
}

/** The samples of a quad, of a layer, a pixel at a time. */
function blendSamples(context: Tile, at: usize, mask: i32, written: v128, c0: v128, c1: v128, c2: v128, c3: v128): void {
  if (mask & 0xf) putTexels(at, blendTexels(context, v128.load(at), splat0(c0), splat0(c1), splat0(c2), splat0(c3)), mask & 15, written);
  if (mask & 0xf0) putTexels(at + 16, blendTexels(context, v128.load(at, 16), splat1(c0), splat1(c1), splat1(c2), splat1(c3)), (mask >> 4) & 15, written);
  if (mask & 0xf00) putTexels(at + 32, blendTexels(context, v128.load(at, 32), splat2(c0), splat2(c1), splat2(c2), splat2(c3)), (mask >> 8) & 15, written);
  if (mask & 0xf000) putTexels(at + 48, blendTexels(context, v128.load(at, 48), splat3(c0), splat3(c1), splat3(c2), splat3(c3)), (mask >> 12) & 15, written);
}

/** Blends four colours within 0 … 1 with four texels. */
function blendTexels(context: Tile, texels: v128, c0: v128, c1: v128, c2: v128, c3: v128): v128 {
  const source = alphaFactorFor(context, COLOR_SOURCE, c3);
  const destination = alphaFactorFor(context, COLOR_DESTINATION, c3);
  return packTexels(
    f32x4.add(f32x4.mul(c0, source), f32x4.mul(srgbChannel(texels, 0), destination)),
    f32x4.add(f32x4.mul(c1, source), f32x4.mul(srgbChannel(texels, 8), destination)),
    f32x4.add(f32x4.mul(c2, source), f32x4.mul(srgbChannel(texels, 16), destination)),
    f32x4.add(f32x4.mul(c3, alphaFactorFor(context, ALPHA_SOURCE, c3)), f32x4.mul(alphaChannel(texels), alphaFactorFor(context, ALPHA_DESTINATION, c3))),
    true);
}

/** Writes the texels whose bit is set, in the bits that are written. */
// @ts-ignore: decorator
@inline
function putTexels(at: usize, texels: v128, bits: i32, written: v128): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), v128.and(lanesOf(bits), written)));
}
