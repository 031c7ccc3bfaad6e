// What a target writes of a texel, where its sources lie, and where the texels of a quad are. The same code in both builds.

import {
  COLOR_CLEAR, COLOR_STORED, FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_RG11B10UFLOAT, FORMAT_RGB10A2UINT,
  FORMAT_RGB10A2UNORM, FORMAT_RGB9E5UFLOAT, Target, Tile,
} from '../layout';
import { channelCount, texelBytes } from '../surface/texel';
import { colorStates, expandPixel, fillBlock, pixelPlane, severalPixels, spreadBlock } from '../tile/colors';
import { anyLayer } from '../tile/layers';
import { repeat } from '../tile/rows';

/** Pixels of a block in the sample planes from which on blending puts all there, at up to four samples and with layers. */
const BLENDED_APART = 1;
const BLENDED_APART_LAYERS = 16;

/** Channel (0 red … 3 alpha) that byte `index` of a texel of four bytes holds, and the other way round. */
export function byteChannel(format: i32, index: i32): i32 {
  return (format == FORMAT_BGRA8UNORM || format == FORMAT_BGRA8UNORM_SRGB) && index < 3 ? 2 - index : index;
}

/** Stores at `to` the bits of a texel that the target writes, repeated to 16 bytes. Returns whether they are all bits. */
export function writtenBits(target: Target, to: usize): bool {
  const channels = target.writeMask;
  if ((channels & 15) == 15) {
    store<i64>(to, -1);
    store<i64>(to, -1, 8);
    return true;
  }
  const format = target.format;
  const bytes = texelBytes(format);
  const count = channelCount(format);
  memory.fill(to, 0, 16);
  if (format == FORMAT_RGB10A2UNORM || format == FORMAT_RGB10A2UINT) {
    store<u32>(to, ones(channels, 0, 10) | ones(channels, 1, 10) << 10 | ones(channels, 2, 10) << 20 | ones(channels, 3, 2) << 30);
  } else if (format == FORMAT_RG11B10UFLOAT) {
    store<u32>(to, ones(channels, 0, 11) | ones(channels, 1, 11) << 11 | ones(channels, 2, 10) << 22);
  } else if (format == FORMAT_RGB9E5UFLOAT) {
    // Its channels share an exponent: all or none.
    store<i32>(to, -1);
  } else {
    const size = bytes / count;
    for (let channel = 0; channel < count; channel++) {
      if (channels & (1 << channel)) memory.fill(to + <usize>(byteChannel(format, channel) * size), 0xff, size);
    }
  }
  repeat(to, bytes, 16);
  return (load<u64>(to) & load<u64>(to, 8)) == 0xffffffffffffffff;
}

/** `bits` ones if the channel is written. */
function ones(channels: u32, channel: u32, bits: u32): u32 {
  return channels & (1 << channel) ? (1 << bits) - 1 : 0;
}

/** Layers of samples that a target has beside its pixel plane: 0 at one sample. */
// @ts-ignore: decorator
@inline
export function sampleLayers(context: Tile): i32 {
  return context.layerSamples == 1 ? 0 : context.layers;
}

/** Pixels of a quad that a mask covers in all samples (bits 0 … 3) and in any (bits 16 … 19). */
// @ts-ignore: decorator
@inline
export function coverOf(mask: u64, layers: i32): i32 {
  const every = layers == 1 ? <i32>mask : everyLayer(mask, layers);
  const any = layers == 1 ? <i32>mask : anyLayer(mask);
  const pairs = every & (every >> 1);
  const some = any | (any >> 1);
  const bits = <u32>(pairs & (pairs >> 2) & 0x1111) | (<u32>((some | (some >> 2)) & 0x1111) << 16);
  return <i32>(bits | (bits >> 3) | (bits >> 6) | (bits >> 9)) & 0xf000f;
}

/** The pixels of a quad that a mask of four samples each covers, if it covers all samples of each; else -1. */
// @ts-ignore: decorator
@inline
export function wholePixels(mask: i32): i32 {
  const pairs = mask & (mask >> 1);
  const full = pairs & (pairs >> 2) & 0x1111;
  return full * 15 == mask ? (full | (full >> 3) | (full >> 6) | (full >> 9)) & 15 : -1;
}

/** The samples that are in the mask in all layers, 2 or 4. */
// @ts-ignore: decorator
@inline
function everyLayer(mask: u64, layers: i32): i32 {
  const half = layers == 4 ? mask & (mask >> 32) : mask;
  return <i32>(half & (half >> 16)) & 0xffff;
}

/** All samples, of a layer, of the pixels of a quad whose bit is set. */
// @ts-ignore: decorator
@inline
export function samplesOf(pixels: i32): i32 {
  return ((pixels | (pixels << 3) | (pixels << 6) | (pixels << 9)) & 0x1111) * 15;
}

/** Pixels of a quad that lie in the sample planes; `several`: severalPixels(). */
// @ts-ignore: decorator
@inline
export function severalOf(several: usize, quad: i32): i32 {
  return (<i32>load<u8>(several + (<usize>quad >> 1)) >> ((quad & 1) << 2)) & 15;
}

/** Whether whole texels replace what is there, so that a pixel that is covered in all samples is then one texel, whatever it was. */
// @ts-ignore: decorator
@inline
export function replacesPixels(context: Tile, all: bool): bool {
  return all && context.encodes != 0;
}

/**
 * Lays out the quad so that `mask`, 16 bits a layer (4 bits at one sample, `layers` being 0), can be written. Returns the pixels to be
 * written in the pixel plane; what `mask` has of the others is to be written sample by sample. `replaces`: replacesPixels(); if not, quads lie
 * one way: if any pixel is to be written in the pixel plane, all are.
 */
// @ts-ignore: decorator
@inline
export function planePixels(context: Tile, index: i32, quad: i32, mask: u64, layers: i32, replaces: bool, bytes: i32): i32 {
  const state = load<u8>(colorStates(context, index) + <usize>(quad >> 4));
  if (layers == 0) {
    if (state == COLOR_CLEAR) fillBlock(context, index, quad >> 4, bytes);
    return <i32>mask;
  }
  const several = severalOf(severalPixels(context, index), quad);
  if (!replaces && several == 15) return 0;
  const cover = coverOf(mask, layers);
  if (state == COLOR_STORED && isLaidOut(cover, several, replaces)) return cover & 15 & ~several;
  return layOut(context, index, quad, cover, replaces, bytes);
}

/** Whether a quad of a stored block, of which the pixels `several` lie in the sample planes, can be written as it is. */
// @ts-ignore: decorator
@inline
export function isLaidOut(cover: i32, several: i32, replaces: bool): bool {
  if (!replaces) return several == 15 || !(several | ((cover >> 16) & ~cover));
  return !((cover >> 16) & ~(cover | several) | (cover & several));
}

/**
 * planePixels where something is to be done. `cover`: coverOf(). What replaces is laid out pixel by pixel. Blending wants quads that lie one
 * way: those with two sorts of pixels took twice the time, and particles, nearly all edges, a third more at four samples. For them a block
 * of which a good part lies in the sample planes goes there as a whole. Who stores the tile finds the pixels of equal samples again.
 */
export function layOut(context: Tile, index: i32, quad: i32, cover: i32, replaces: bool, bytes: i32): i32 {
  const block = quad >> 4;
  if (load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) fillBlock(context, index, block, bytes);
  const at = severalPixels(context, index) + (<usize>block << 3);
  const shift = <u64>((quad & 15) << 2);
  const whole = cover & 15;
  let several = <i32>(load<u64>(at) >> shift) & 15;
  if (replaces) several &= ~whole;
  const wanted = replaces ? several | ((cover >> 16) & ~whole) : several | ((cover >> 16) & ~whole) ? 15 : 0;
  for (let rest = wanted & ~several; rest; rest &= rest - 1) expandPixel(context, index, (quad << 2) + <i32>ctz(rest), bytes);
  store<u64>(at, load<u64>(at) & ~((<u64>15) << shift) | (<u64>wanted << shift));
  if (!replaces && <i32>popcnt(load<u64>(at)) >= (context.layers == 1 ? BLENDED_APART : BLENDED_APART_LAYERS)) spreadBlock(context, index, block, bytes);
  return whole & ~(<i32>(load<u64>(at) >> shift) & 15);
}

/** Address of the texel of a pixel (quad · 4 + pixel) that is one for all samples; 0 if it is to be written sample by sample. `whole`: all samples are written. */
export function pixelTexel(context: Tile, index: i32, pixel: i32, whole: bool, replaces: bool, bytes: i32): usize {
  const block = pixel >> 6;
  if (load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) fillBlock(context, index, block, bytes);
  const at = severalPixels(context, index) + (<usize>block << 3);
  const several = load<u64>(at);
  const bit: u64 = (<u64>1) << <u64>(pixel & 63);
  if (several & bit) {
    if (!whole || !replaces) return 0;
    store<u64>(at, several & ~bit);
  } else if (!whole) {
    expandPixel(context, index, pixel, bytes);
    store<u64>(at, several | bit);
    return 0;
  }
  return pixelPlane(context, index) + <usize>(pixel * bytes);
}
