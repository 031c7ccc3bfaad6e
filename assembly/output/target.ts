// Chooses the function that writes a target's colours when the pipeline is created. It combines a codec
// (surface/formats.ts) and a blend with the placements of quads.ts, or with the scalar ones of bits.ts. All state that
// the blend needs is prepared here too.

import {
  BLEND_ADD,
  BLEND_MIN,
  FACTOR_ONE,
  FACTOR_ONE_MINUS_SRC_ALPHA,
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  Packer,
  Target,
  Tile,
} from '../layout';
import { Bytes, OpaqueBytes } from '../surface/codecs';
import { isBlueFirst, visitBlended, visitRenderable, visitIntegers } from '../surface/formats';
import { Srgb, Unorm } from '../surface/numbers';
import { repeat } from '../tile/rows';
import { outputBits } from './bits';
import { Extremes, Replace } from './blends';
import { AlphaWeighted, CommonBlend, MinOrMax, PremultipliedOver } from './common';
import { areFromAlpha, FromOperands, LINEAR_NONE, linearForm, ofAlpha, prepareFactors } from './factors';
import { Fixed } from './fixed';
import { FloatBlend } from './float';
import { ByAlpha, Over } from './over';
import { outputLanes } from './quads';
import { prepareSources } from './sources';

/** Fills in the derived fields of a target. */
export function prepareTarget(target: Target): void {
  if (ASC_FEATURE_SIMD) prepare<v128>(target);
  else prepare<u32>(target);
}

/** Scalar twin of prepareTarget. */
export function prepareTargetScalar(target: Target): void {
  prepare<u32>(target);
}

/** E is v128, or u32 for the scalar twin. */
function prepare<E>(target: Target): void {
  const format = target.format;
  // rgba, or bgra with red and blue exchanged.
  store<u32>(target.channels, isBlueFirst(format) ? 0x03000102 : 0x03020100);
  target.slot = target.writeMask & 15 ? slotFor<E>(target) : 0;
  if (!target.slot) return;
  const at = changetype<usize>(target);
  if (!visitRenderable<Written>(format, at, 0, 0)) visitIntegers<Written>(format, at, 0, 0);
  target.writesAll = (load<u64>(target.written) & load<u64>(target.written, 8)) == 0xffffffffffffffff ? 1 : 0;
}

/** Stores the sources of the channels and the mask of the texel bits that are written. */
@unmanaged class Written {
  of<C>(at: usize, b: usize, c: usize): usize {
    const target = changetype<Target>(at);
    let channels = 0;
    for (let i = 0; i < 4; i++) channels |= ((target.writeMask >> target.channel(i)) & 1) << i;
    prepareSources(target, changetype<C>(0).isInteger);
    changetype<C>(0).maskBits(target.written, channels);
    repeat(target.written, changetype<C>(0).bytes, 16);
    return 1;
  }
}

function slotFor<E>(target: Target): u32 {
  const format = target.format;
  const integer = visitIntegers<Replacing<E>>(format, 0, 0, 0);
  if (integer) return integer;
  const linear = format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM;
  const srgb = format == FORMAT_RGBA8UNORM_SRGB || format == FORMAT_BGRA8UNORM_SRGB;
  if (!target.blend) {
    const opaque = target.register(3) < 0;
    if (linear && opaque) return slotOf<E, OpaqueBytes<Unorm>, Replace<OpaqueBytes<Unorm>>>();
    if (srgb && opaque) return slotOf<E, OpaqueBytes<Srgb>, Replace<OpaqueBytes<Srgb>>>();
    return visitRenderable<Replacing<E>>(format, 0, 0, 0);
  }
  const color = target.colorSrc | (target.colorDst << 4);
  const alpha = ofAlpha(target.alphaSrc) | (ofAlpha(target.alphaDst) << 4);
  if (target.colorOp >= BLEND_MIN && target.alphaOp >= BLEND_MIN) {
    if (linear) return slotOf<E, Bytes<Unorm>, Extremes<Bytes<Unorm>>>();
    if (srgb) return slotOf<E, Bytes<Srgb>, Extremes<Bytes<Srgb>>>();
  }
  if (linear) {
    const fixed = fixedSlot<E>(target);
    if (fixed) return fixed;
  }
  prepareFactors(target, color, target.alphaSrc | (target.alphaDst << 4));
  const common = commonSlot<E>(target, color, alpha);
  return common ? common : visitRenderable<Blending<E>>(format, 0, 0, 0);
}

/**
 * Float blending for the states that most draw calls use; 0 for others. `color` and `alpha` are encoded as in
 * prepareFactors.
 */
function commonSlot<E>(target: Target, color: i32, alpha: i32): u32 {
  const format = target.format;
  const extremes = target.colorOp >= BLEND_MIN;
  if (extremes != target.alphaOp >= BLEND_MIN) return 0;
  if (extremes) return visitBlended<Common<E, MinOrMax>>(format, 0, 0, 0);
  if (isOver(target, color, alpha)) return visitBlended<Common<E, PremultipliedOver>>(format, 0, 0, 0);
  return areFromAlpha(color) && areFromAlpha(alpha) ? visitBlended<Common<E, AlphaWeighted>>(format, 0, 0, 0) : 0;
}

/** Whether the state is premultiplied over. */
function isOver(target: Target, color: i32, alpha: i32): bool {
  const over = FACTOR_ONE | (FACTOR_ONE_MINUS_SRC_ALPHA << 4);
  return target.colorOp == BLEND_ADD && target.alphaOp == BLEND_ADD && color == over && alpha == over;
}

/** Blending of four linear bytes; 0 if the state has no linear form. */
function fixedSlot<E>(target: Target): u32 {
  const color = linearForm(target.colorOp, target.colorSrc, target.colorDst);
  const alpha = linearForm(target.alphaOp, ofAlpha(target.alphaSrc), ofAlpha(target.alphaDst));
  if (color == LINEAR_NONE || alpha == LINEAR_NONE) return 0;
  prepareFactors(target, color, alpha);
  if (isOver(target, color, alpha)) return slotOf<E, Bytes<Unorm>, Over>();
  const isSum = target.colorOp == BLEND_ADD && target.alphaOp == BLEND_ADD;
  return isSum && areFromAlpha(color) && areFromAlpha(alpha)
    ? slotOf<E, Bytes<Unorm>, ByAlpha>()
    : slotOf<E, Bytes<Unorm>, Fixed<FromOperands<Bytes<Unorm>>>>();
}


@unmanaged class Replacing<E> {
  of<C>(a: usize, b: usize, c: usize): usize {
    return slotOf<E, C, Replace<C>>();
  }
}
/**
 * Excludes four linear bytes, which have specialized blends, and 32-bit floats, which are rarely blended and use the
 * general blend.
 */
@unmanaged class Common<E, S> {
  of<C>(a: usize, b: usize, c: usize): usize {
    return changetype<C>(0).hasWholeWords || changetype<C>(0).isFourBytes ? 0 : slotOf<E, C, CommonBlend<C, S>>();
  }
}


@unmanaged class Blending<E> {
  of<C>(a: usize, b: usize, c: usize): usize {
    return slotOf<E, C, FloatBlend<C, FromOperands<C>>>();
  }
}

/** Function table slot for a codec and a blend. */
function slotOf<E, C, B>(): u32 {
  if (isVector<E>()) {
    return ((tile: Tile, packer: Packer, target: Target, index: i32): void => {
      outputLanes<C, B>(tile, packer, target, index);
    }).index;
  }
  return ((tile: Tile, packer: Packer, target: Target, index: i32): void => {
    outputBits<C, B>(tile, packer, target, index);
  }).index;
}
