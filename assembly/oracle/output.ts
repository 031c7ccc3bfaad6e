// Colour output of the oracle: every sample of every target is read, blended and written separately (WebGPU §23.2.12).

import { Draw, FORMAT_NONE, REGISTER_BYTES, Target, Tile, TILE_PIXELS } from '../layout';
import { clampWords, isInteger, loadTexel, storeTexel, texelBytes } from '../surface/formats';
import { blendTexel } from './blend';

/** Offsets at Tile.texels of four words each. */
const SOURCE: usize = 0;
const DESTINATION: usize = 16;
const CONSTANT: usize = 32;
const STORED: usize = 48;

/**
 * Writes the samples in `mask` (bit pixel·samples + sample) of a quad to all targets, from the output registers of a
 * warp of one quad.
 */
export function writeSamples(tile: Tile, draw: Draw, quad: i32, mask: u64): void {
  const samples = tile.samples;
  for (let index = 0; index < draw.targetCount; index++) {
    const target = draw.target(index);
    const plane: usize = tile.plane(index).samples;
    const format = target.format;
    if (!plane || format == FORMAT_NONE || !target.writeMask) continue;
    for (let bit = 0; bit < 4 * samples; bit++) {
      if (!((mask >> (<u64>bit)) & 1)) continue;
      const pixel = bit / samples;
      const texel = plane + sampleIndex(quad * 4 + pixel, bit % samples, samples) * texelBytes(format);
      writeSample(tile, draw, target, format, texel, pixel);
      // With two samples, each has a second copy.
      if (samples == 2) memory.copy(texel + 2 * texelBytes(format), texel, texelBytes(format));
    }
  }
}

/** Index of a sample's texel in a plane of a tile context (layout/surface/tile-order.ts). */
export function sampleIndex(pixel: i32, sample: i32, samples: i32): i32 {
  return samples == 1 ? pixel : (sample / 4) * TILE_PIXELS * 4 + pixel * 4 + (sample % 4);
}

function writeSample(tile: Tile, draw: Draw, target: Target, format: i32, texel: usize, pixel: i32): void {
  const integer = isInteger(format);
  const lane = tile.warp.registers + (pixel << 2);
  for (let channel: usize = 0; channel < 4; channel++) {
    const register = load<i32>(target.registers + (channel << 2));
    const missing: u32 = channel < 3 ? 0 : integer ? 1 : 0x3f800000;
    store<u32>(
      tile.texels + SOURCE + (channel << 2),
      register >= 0 ? load<u32>(lane + register * REGISTER_BYTES) : missing
    );
  }
  clampWords(format, tile.texels + SOURCE);
  loadTexel(format, texel, tile.texels + STORED);
  let result = tile.texels + SOURCE;
  if (!integer && target.blend) {
    memory.copy(tile.texels + CONSTANT, draw.blendConstant, 16);
    clampWords(format, tile.texels + CONSTANT);
    memory.copy(tile.texels + DESTINATION, tile.texels + STORED, 16);
    blendTexel(target, tile.texels + SOURCE, tile.texels + DESTINATION, tile.texels + CONSTANT);
    result = tile.texels + DESTINATION;
  }
  // Channels that are not written keep their words, which encode to the bits that they came from.
  const channels = target.writeMask;
  for (let channel: usize = 0; channel < 4; channel++) {
    if (!(channels & (1 << channel)))
      store<u32>(result + (channel << 2), load<u32>(tile.texels + STORED + (channel << 2)));
  }
  storeTexel(format, texel, result);
}
