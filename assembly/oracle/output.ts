// Colour of the oracle: every sample of every target is read, blended and written by itself (WebGPU §23.2.12).

import { CTX_COLORS, CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_TEXELS } from '../layout/context';
import {
  DRAW_BLEND_CONSTANT, DRAW_TARGET_COUNT, DRAW_TARGETS, TARGET_BLEND, TARGET_BYTES, TARGET_FORMAT, TARGET_REGISTERS, TARGET_WRITE_MASK,
} from '../layout/draw';
import { FORMAT_NONE } from '../layout/formats';
import { REGISTER_BYTES } from '../layout/limits';
import { TILE_PIXELS } from '../layout/tile';
import { blendTexel } from '../output/blend';
import { formatKind, KIND_SNORM, KIND_UINT, KIND_UNORM, loadTexel, storeTexel, texelBytes } from '../surface/texel';

/** Four words each, at CTX_TEXELS. */
const SOURCE: usize = CTX_TEXELS;
const DESTINATION: usize = CTX_TEXELS + 16;
const CONSTANT: usize = CTX_TEXELS + 32;
const STORED: usize = CTX_TEXELS + 48;

/** Writes the samples in `mask` (bit pixel · samples + sample) of a quad to all targets, from the output registers of a warp of one quad. */
export function writeSamples(context: usize, draw: usize, quad: i32, mask: u64): void {
  const samples = load<i32>(context + CTX_SAMPLE_COUNT);
  for (let index = 0; index < load<i32>(draw + DRAW_TARGET_COUNT); index++) {
    const target = draw + DRAW_TARGETS + <usize>(index * TARGET_BYTES);
    const plane: usize = load<usize>(context + CTX_COLORS + (<usize>index << 2));
    const format = load<i32>(target + TARGET_FORMAT);
    if (!plane || format == FORMAT_NONE || !load<u32>(target + TARGET_WRITE_MASK)) continue;
    for (let bit = 0; bit < 4 * samples; bit++) {
      if (!((mask >> <u64>bit) & 1)) continue;
      const pixel = bit / samples;
      const texel = plane + <usize>(sampleIndex(quad * 4 + pixel, bit % samples, samples) * texelBytes(format));
      writeSample(context, draw, target, format, texel, pixel);
      // Of two samples there are two copies.
      if (samples == 2) memory.copy(texel + <usize>(2 * texelBytes(format)), texel, texelBytes(format));
    }
  }
}

/** Index of a sample's texel in a context plane (layout/tile.ts). */
export function sampleIndex(pixel: i32, sample: i32, samples: i32): i32 {
  return samples == 1 ? pixel : sample / 4 * TILE_PIXELS * 4 + pixel * 4 + sample % 4;
}

function writeSample(context: usize, draw: usize, target: usize, format: i32, texel: usize, pixel: i32): void {
  const kind = formatKind(format);
  const lane = load<usize>(context + CTX_REGISTERS) + (<usize>pixel << 2);
  for (let channel: usize = 0; channel < 4; channel++) {
    const register = load<i32>(target + TARGET_REGISTERS + (channel << 2));
    const missing: u32 = channel < 3 ? 0 : kind >= KIND_UINT ? 1 : 0x3f800000;
    store<u32>(context + SOURCE + (channel << 2), register >= 0 ? load<u32>(lane + <usize>register * REGISTER_BYTES) : missing);
  }
  clamp(context + SOURCE, kind);
  loadTexel(format, texel, context + STORED);
  let result = context + SOURCE;
  if (kind < KIND_UINT && load<i32>(target + TARGET_BLEND)) {
    memory.copy(context + CONSTANT, draw + DRAW_BLEND_CONSTANT, 16);
    clamp(context + CONSTANT, kind);
    memory.copy(context + DESTINATION, context + STORED, 16);
    blendTexel(target, context + SOURCE, context + DESTINATION, context + CONSTANT);
    result = context + DESTINATION;
  }
  // Channels that are not written keep their words, which encode to the bits they came from.
  const channels = load<u32>(target + TARGET_WRITE_MASK);
  for (let channel: usize = 0; channel < 4; channel++) {
    if (!(channels & (1 << <u32>channel))) store<u32>(result + (channel << 2), load<u32>(context + STORED + (channel << 2)));
  }
  storeTexel(format, texel, result);
}

/** Colours of normalised formats are clamped before they are blended; NaN is 0. */
function clamp(words: usize, kind: i32): void {
  if (kind != KIND_UNORM && kind != KIND_SNORM) return;
  const least: f32 = kind == KIND_UNORM ? 0 : -1;
  for (let offset: usize = 0; offset < 16; offset += 4) {
    const x = load<f32>(words + offset);
    store<f32>(words + offset, x != x ? 0 : !(x > least) ? least : x > 1 ? 1 : x);
  }
}
