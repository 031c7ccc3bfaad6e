// Scalar twin of rgba8.ts: a texel at a time.

import {
  CTX_REGISTERS, CTX_SAMPLES, CTX_TEXELS, ENTRY_MASK, ENTRY_QUAD, ENTRY_SHIFT, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES,
} from '../layout/context';
import { DRAW_BLEND_CONSTANT, TARGET_BLEND, TARGET_FORMAT, TARGET_REGISTERS } from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import { spreadColor } from '../surface/color-blocks';
import { linearToSrgb, srgbToLinear } from '../surface/srgb';
import { quantise, saturate } from '../surface/texel';
import { blendTexel } from './blend';
import { byteChannel, isSrgb, writtenBytes } from './texels';

export function writeRgba8Scalar(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const format = load<i32>(target + TARGET_FORMAT);
  const samples = load<i32>(context + CTX_SAMPLES);
  const bytes = writtenBytes(target);
  for (let channel: usize = 0; channel < 4; channel++) {
    store<f32>(context + CTX_TEXELS + 32 + (channel << 2), saturate(load<f32>(draw + DRAW_BLEND_CONSTANT + (channel << 2))));
  }
  const count = load<i32>(packer + PACKER_COUNT);
  for (let i: usize = 0; i < <usize>count; i++) {
    const entry = packer + PACKER_ENTRIES + (i << ENTRY_SHIFT);
    const registers = load<usize>(context + CTX_REGISTERS) + (i << 4);
    spreadColor(context, index, load<i32>(entry + ENTRY_QUAD) >> 4, 4);
    const texels = plane + (<usize>(load<i32>(entry + ENTRY_QUAD) * 4 * samples) << 2);
    for (let rest = load<i32>(entry + ENTRY_MASK); rest; rest &= rest - 1) {
      const bit = ctz(rest);
      const at = texels + (<usize>bit << 2);
      const stored = load<u32>(at);
      loadSource(context, target, registers + (<usize>(samples == 1 ? bit : bit >> 2) << 2));
      const texel = encode(context, target, stored, format);
      store<u32>(at, (stored & ~bytes) | (texel & bytes));
    }
  }
}

/** Clamped source channels (r, g, b, a) to the scratch. */
function loadSource(context: usize, target: usize, registers: usize): void {
  for (let channel: usize = 0; channel < 4; channel++) {
    const register = load<i32>(target + TARGET_REGISTERS + (channel << 2));
    const missing: f32 = channel == 3 ? 1 : 0;
    store<f32>(context + CTX_TEXELS + (channel << 2),
      register >= 0 ? saturate(load<f32>(registers + <usize>register * REGISTER_BYTES)) : missing);
  }
}

/** The texel that the source, blended where the target asks for it, is written as. */
function encode(context: usize, target: usize, stored: u32, format: i32): u32 {
  const source = context + CTX_TEXELS;
  const destination = source + 16;
  const srgb = isSrgb(format);
  let words = source;
  if (load<i32>(target + TARGET_BLEND)) {
    for (let index = 0; index < 4; index++) {
      const byte = (stored >> (8 * index)) & 255;
      const value: f32 = srgb && index < 3 ? srgbToLinear(byte) : <f32>byte * <f32>(1.0 / 255);
      store<f32>(destination + (<usize>byteChannel(format, index) << 2), value);
    }
    blendTexel(target, source, destination, source + 32);
    words = destination;
  }
  let texel: u32 = 0;
  for (let index = 0; index < 4; index++) {
    const value = saturate(load<f32>(words + (<usize>byteChannel(format, index) << 2)));
    texel |= quantise(srgb && index < 3 ? linearToSrgb(value) : value, 255) << (8 * index);
  }
  return texel;
}
