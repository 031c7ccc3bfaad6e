// Fills the register of @builtin(sample_mask), for both engines, before a warp runs. An entry's mask equals the
// rasterised coverage only for draw calls that are shaded in order and tested after the shader, or not at all.
// Otherwise the coverage is computed (covered.ts). Shaders with early tests (DRAW_FLAG_EARLY) get the entry's mask as
// it is.

import {
  Draw,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_EARLY,
  EARLY_NONE,
  Entry,
  Packer,
  PACKER_PIXELS,
  REGISTER_BYTES,
  sizeOf,
  Tile,
} from '../../layout';
import { earlyMode } from '../../tile/early';
import { lanesOfSamples, pixelSamples, wholeQuad } from '../../tile/layers';
import { coveredPixel, coveredQuad } from './covered';

/** Fills the register for the entries of a packer if the shader reads it. */
export function putSampleMasks(tile: Tile, packer: Packer): void {
  const register = packer.draw.sampleMaskInRegister;
  if (register < 0) return;
  const out = tile.registers + register * REGISTER_BYTES;
  if (packer.kind == PACKER_PIXELS) putPixels(tile, packer, out);
  else putQuads(tile, packer, out, mustFillMasks(tile, packer.draw));
}

/** Whether the entries' masks are the values that the draw call's shader must see. */
function mustFillMasks(tile: Tile, draw: Draw): bool {
  const flags = draw.flags;
  if (flags & DRAW_FLAG_EARLY) return true;
  // For shaders with sample sets, an entry only holds one set of each pixel's samples.
  return !(flags & DRAW_FLAG_DEFERRED) && !draw.sets && earlyMode(tile, draw) == EARLY_NONE;
}

function putQuads(tile: Tile, packer: Packer, out: usize, known: bool): void {
  const whole = wholeQuad(tile);
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    let mask = changetype<Entry>(entry).mask;
    if (!known && mask != whole) mask = coveredQuad(tile, changetype<Entry>(entry));
    putQuad(out, mask, tile.samples);
    out += 16;
  }
}

function putQuad(out: usize, mask: u64, count: i32): void {
  if (ASC_FEATURE_SIMD) {
    v128.store(out, lanesOfSamples(mask, count));
  } else {
    for (let pixel = 0; pixel < 4; pixel++) store<i32>(out + (pixel << 2), pixelSamples(mask, pixel, count));
  }
}

function putPixels(tile: Tile, packer: Packer, out: usize): void {
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    store<i32>(out, coveredPixel(tile, changetype<Entry>(entry)));
    out += 4;
  }
}
