// Scalar twin of quads.ts: the same codecs and blends through their scalar members, one texel at a time.

import { DRAW_FLAG_READS, Packer, PACKER_PIXELS, PACKER_UNIFORM_BLOCK, Plane, Target, Tile } from '../layout';
import { loadRest } from '../tile/attachments';
import { expandUniformBlock } from '../tile/entries';
import { pixelMask } from '../tile/layers';
import { layOutQuad } from './cover';
import { Pixels } from './pixels';
import { beginTarget } from './sources';

/** Writes a warp's colours to target `index`. */
export function outputBits<C, B>(tile: Tile, packer: Packer, target: Target, index: i32): void {
  const scratch = tile.output;
  const plane = tile.plane(index);
  const single = packer.kind == PACKER_PIXELS;
  const lanes = single ? 1 : 4;
  const joins = !single && (packer.draw.flags & DRAW_FLAG_READS) != 0;
  if (plane.unloaded) loadRest(tile);
  beginTarget(tile, target);
  changetype<B>(0).prepare(scratch, packer.draw);
  if (packer.kind == PACKER_UNIFORM_BLOCK) expandUniformBlock(tile, packer);
  for (let i = 0; i < packer.count; i++) {
    const entry = packer.entry(i);
    if (!changetype<B>(0).replaces && entry.mask) layOutQuad(tile, plane, entry.quad, entry.mask);
    for (let lane = 0; lane < lanes; lane++) {
      const mask = single ? <i32>entry.mask : maskOf(tile, entry.mask, lane);
      if (!mask) continue;
      const pixel = single ? entry.pixel : (entry.quad << 2) + lane;
      loadSource<C>(tile, single ? i << 2 : (i << 4) + (lane << 2));
      if (changetype<B>(0).replaces) {
        changetype<C>(0).storeBits(scratch.terms, scratch.source, 16);
        changetype<Pixels<C>>(0).put(scratch, plane, pixel, mask, scratch.terms, joins);
      } else {
        blendPixel<C, B>(tile, plane, pixel, mask);
      }
    }
  }
}

/** Mask of the samples of one pixel of a quad. */
function maskOf(tile: Tile, mask: u64, pixel: i32): i32 {
  return tile.layerSamples == 1 ? (<i32>(mask >> (<u64>pixel))) & 1 : pixelMask(mask, pixel);
}

/** Loads the channels of the colour at byte offset `lane` of the registers. */
function loadSource<C>(tile: Tile, lane: usize): void {
  for (let i = 0; i < 4; i++) {
    const word = load<u32>(tile.output.register(i) + lane);
    store<u32>(tile.output.source + (i << 4), changetype<C>(0).clampBits(word));
  }
}

/** Blends the samples of `mask` of a pixel, or its single texel, or both of its two texels. */
function blendPixel<C, B>(tile: Tile, plane: Plane, pixel: i32, mask: i32): void {
  if (tile.layerSamples == 1 || !plane.isPerSample(pixel)) {
    blendTexel<C, B>(tile, plane.texel(pixel));
    return;
  }
  if ((plane.pairsOfQuad(pixel >> 2) >> (pixel & 3)) & 1) {
    blendTexel<C, B>(tile, plane.texel(pixel));
    blendTexel<C, B>(tile, plane.second(pixel));
    return;
  }
  for (let rest = mask; rest; rest &= rest - 1) {
    const sample = ctz(rest);
    const at = plane.sample(pixel) + (sample >> 2) * plane.layerBytes;
    blendTexel<C, B>(tile, at + (sample & 3) * changetype<C>(0).bytes);
  }
}

function blendTexel<C, B>(tile: Tile, at: usize): void {
  const scratch = tile.output;
  changetype<B>(0).bits(scratch, at);
  changetype<C>(0).size.mergeBits(at, scratch.texels, scratch.target.written);
}
