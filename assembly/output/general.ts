// Output to any colour format, a texel at a time: the scalar twin of the other files here, and the path of formats that they lack.

import { bytesOfLayer, Entry, Packer, PACKER_PIXELS, REGISTER_BYTES, Target, Tile } from '../layout';
import {
  formatKind, KIND_SNORM, KIND_UINT, KIND_UNORM, loadTexel, saturate, storeTexel, texelBytes,
} from '../surface/texel';
import { pixelPlane } from '../tile/colors';
import { allSamples } from '../tile/layers';
import { blendTexel } from './blend';
import { pixelTexel, planePixels, replacesPixels, sampleLayers, writtenBits } from './texels';

// Four words each.
const SOURCE: usize = changetype<usize>(changetype<Tile>(0).texels);
const DESTINATION: usize = changetype<usize>(changetype<Tile>(0).texels) + 16;
const CONSTANT: usize = changetype<usize>(changetype<Tile>(0).texels) + 32;
const ENCODED: usize = changetype<usize>(changetype<Tile>(0).texels) + 48;

/** Writes a warp's colour to target `index`. */
export function writeGeneral(context: Tile, packer: Packer, target: Target, plane: usize, index: i32): void {
  const draw = packer.draw;
  const format = target.format;
  const kind = formatKind(format);
  const bytes = texelBytes(format);
  const all = writtenBits(target, context.output.written);
  const blends = kind < KIND_UINT && target.blend != 0;
  const replaces = replacesPixels(context, all && !blends);
  const layers = sampleLayers(context);
  const every = allSamples(context);
  memory.copy(changetype<usize>(context) + CONSTANT, draw.blendConstant, 16);
  clampWords(changetype<usize>(context) + CONSTANT, kind);
  const single = packer.kind == PACKER_PIXELS;
  const lanes = single ? 1 : 4;
  const count = <usize>packer.count;
  for (let i: usize = 0; i < count; i++) {
    const entry = packer.entry(i);
    const registers = context.registers + (single ? i << 2 : i << 4);
    const pixels = single ? 0 : planePixels(context, index, entry.quad, entry.mask, layers, replaces, bytes);
    for (let lane = 0; lane < lanes; lane++) {
      const mask = single ? <i32>entry.mask : pixelMask(context, entry, lane);
      if (!mask) continue;
      const pixel = single ? entry.quad : (entry.quad << 2) + lane;
      loadSource(changetype<usize>(context), target, registers + (<usize>lane << 2), kind);
      const texel = single ? pixelTexel(context, index, pixel, mask == every, replaces, bytes)
        : (pixels >> lane) & 1 ? pixelPlane(context, index) + <usize>(pixel * bytes) : 0;
      if (texel) writeTexel(context, target, texel, format, kind, all);
      else writeSamples(context, target, plane + <usize>(pixel * 4 * bytes), mask, format, kind, all);
    }
  }
}

/** Samples of a quad's pixel that an entry covers, a bit each. */
function pixelMask(context: Tile, entry: Entry, pixel: i32): i32 {
  const mask = entry.mask;
  if (context.layerSamples == 1) return <i32>(mask >> <u64>pixel) & 1;
  let samples = 0;
  for (let layer = 0; layer < 4; layer++) samples |= (<i32>(mask >> <u64>((layer << 4) + (pixel << 2))) & 15) << (layer << 2);
  return samples;
}

/** The samples of `mask` of the pixel at `at` in the first layer. */
function writeSamples(context: Tile, target: Target, at: usize, mask: i32, format: i32, kind: i32, all: bool): void {
  const bytes = texelBytes(format);
  for (let rest = mask; rest; rest &= rest - 1) {
    const sample = ctz(rest);
    writeTexel(context, target, at + <usize>(sample >> 2) * bytesOfLayer(bytes) + <usize>((sample & 3) * bytes), format, kind, all);
  }
}

/** Source words of one pixel, missing channels 0, 0, 0, 1. */
function loadSource(context: usize, target: Target, registers: usize, kind: i32): void {
  const source = context + SOURCE;
  for (let channel: usize = 0; channel < 4; channel++) {
    const register = load<i32>(target.registers + (channel << 2));
    const missing: u32 = channel < 3 ? 0 : kind >= KIND_UINT ? 1 : 0x3f800000;
    store<u32>(source + (channel << 2), register >= 0 ? load<u32>(registers + <usize>register * REGISTER_BYTES) : missing);
  }
  clampWords(source, kind);
}

/** `all`: all bits of the texel are written; else those of OutputScratch.written. */
function writeTexel(context: Tile, target: Target, address: usize, format: i32, kind: i32, all: bool): void {
  let words = changetype<usize>(context) + SOURCE;
  if (kind < KIND_UINT && target.blend) {
    words = changetype<usize>(context) + DESTINATION;
    loadTexel(format, address, words);
    blendTexel(target, changetype<usize>(context) + SOURCE, words, changetype<usize>(context) + CONSTANT);
  }
  if (all) {
    storeTexel(format, address, words);
    return;
  }
  const encoded = changetype<usize>(context) + ENCODED;
  storeTexel(format, encoded, words);
  const written = context.output.written;
  for (let i: usize = 0; i < <usize>texelBytes(format); i++) {
    const mask = load<u8>(written + i);
    store<u8>(address + i, (load<u8>(address + i) & ~mask) | (load<u8>(encoded + i) & mask));
  }
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
