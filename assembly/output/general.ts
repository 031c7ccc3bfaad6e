// Output to any colour format, a texel at a time: the path of formats without a kernel of their own. The same code in both builds.

import {
  CTX_REGISTERS, CTX_SAMPLES, CTX_TEXELS, ENTRY_MASK, ENTRY_QUAD, ENTRY_SHIFT, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES,
} from '../layout/context';
import { DRAW_BLEND_CONSTANT, TARGET_BLEND, TARGET_FORMAT, TARGET_REGISTERS, TARGET_WRITE_MASK } from '../layout/draw';
import { REGISTER_BYTES } from '../layout/limits';
import { spreadColor } from '../surface/color-blocks';
import { formatKind, KIND_SNORM, KIND_UINT, KIND_UNORM, loadTexel, saturate, storeTexel, texelBytes } from '../surface/texel';
import { blendTexel } from './blend';

/** Writes a warp's colour to target `index`. */
export function writeGeneral(context: usize, packer: usize, target: usize, plane: usize, index: i32): void {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  const format = load<i32>(target + TARGET_FORMAT);
  const kind = formatKind(format);
  const bytes = texelBytes(format);
  const samples = load<i32>(context + CTX_SAMPLES);
  const constant = context + CTX_TEXELS + 32;
  memory.copy(constant, draw + DRAW_BLEND_CONSTANT, 16);
  clampWords(constant, kind);
  const count = load<i32>(packer + PACKER_COUNT);
  for (let i: usize = 0; i < <usize>count; i++) {
    const entry = packer + PACKER_ENTRIES + (i << ENTRY_SHIFT);
    const registers = load<usize>(context + CTX_REGISTERS) + (i << 4);
    spreadColor(context, index, load<i32>(entry + ENTRY_QUAD) >> 4, bytes);
    const texels = plane + <usize>(load<i32>(entry + ENTRY_QUAD) * 4 * samples * bytes);
    for (let rest = load<i32>(entry + ENTRY_MASK); rest; rest &= rest - 1) {
      const bit = ctz(rest);
      loadSource(context, target, registers + (<usize>(samples == 1 ? bit : bit >> 2) << 2), kind);
      writeTexel(context, target, texels + <usize>(bit * bytes), format, kind);
    }
  }
}

/** Source words of one pixel, missing channels 0, 0, 0, 1. */
function loadSource(context: usize, target: usize, registers: usize, kind: i32): void {
  const source = context + CTX_TEXELS;
  for (let channel: usize = 0; channel < 4; channel++) {
    const register = load<i32>(target + TARGET_REGISTERS + (channel << 2));
    const missing: u32 = channel < 3 ? 0 : kind >= KIND_UINT ? 1 : 0x3f800000;
    store<u32>(source + (channel << 2), register >= 0 ? load<u32>(registers + <usize>register * REGISTER_BYTES) : missing);
  }
  clampWords(source, kind);
}

function writeTexel(context: usize, target: usize, address: usize, format: i32, kind: i32): void {
  const source = context + CTX_TEXELS;
  const destination = context + CTX_TEXELS + 16;
  const channels = load<i32>(target + TARGET_WRITE_MASK);
  const blends = kind < KIND_UINT && load<i32>(target + TARGET_BLEND) != 0;
  if (!blends && (channels & 15) == 15) {
    storeTexel(format, address, source);
    return;
  }
  loadTexel(format, address, destination);
  if (blends) blendTexel(target, source, destination, context + CTX_TEXELS + 32);
  else memory.copy(destination, source, 16);
  if ((channels & 15) != 15) {
    // Channels that are not written keep their words, which encode to the bits they came from.
    loadTexel(format, address, source);
    for (let channel: usize = 0; channel < 4; channel++) {
      if (!(channels & (1 << <i32>channel))) store<u32>(destination + (channel << 2), load<u32>(source + (channel << 2)));
    }
  }
  storeTexel(format, address, destination);
}

/** Colours of normalised formats are clamped before they are blended. */
function clampWords(words: usize, kind: i32): void {
  if (kind != KIND_UNORM && kind != KIND_SNORM) return;
  for (let offset: usize = 0; offset < 16; offset += 4) {
    const x = load<f32>(words + offset);
    if (kind == KIND_UNORM) store<f32>(words + offset, saturate(x));
    else store<f32>(words + offset, x < -1 ? -1 : x > 1 ? 1 : x == x ? x : 0);
  }
}
