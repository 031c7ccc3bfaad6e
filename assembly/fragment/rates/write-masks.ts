// Writes the results of a coarse warp whose entries have block masks (pack-masks.ts). The results are encoded once per
// coarse pixel; then each texel is copied to the pixels of its mask.

import {
  BLOCK_PIXELS,
  CoarsePacker,
  DEFERRED_PACKERS,
  PACKER_PIXELS,
  PACKER_TEXELS,
  Plane,
  SOURCE_PATTERN_SHIFT,
  Tile,
} from '../../layout';
import { writeTarget } from '../../output/output';
import { pickBytes } from '../../simd/lanes';
import { lanesOf } from '../../simd/texels';
import { fillPixels } from '../../surface/plane';
import { loadRest } from '../../tile/attachments';
import { orderOf, patternOf } from '../inputs/coarse-shapes';

/** Writes the results of the tile's warp. Returns the number of pixels that received one. */
export function writeMasks(tile: Tile, coarse: CoarsePacker): u32 {
  const packer = coarse.packer;
  const draw = packer.draw;
  const texels = tile.coarse.registers;
  const out = tile.packer(DEFERRED_PACKERS);
  out.draw = draw;
  out.kind = PACKER_TEXELS;
  out.texels = texels;
  out.count = tile.warp.quadCount << 2;
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) {
    const plane = tile.plane(i);
    const target = draw.target(i);
    if (!plane.samples || !target.slot) continue;
    if (plane.unloaded) loadRest(tile);
    writeTarget(tile, out, target, i);
    if (packer.kind == PACKER_PIXELS) putPixels(coarse, plane, texels);
    else putQuads(coarse, plane, texels);
  }
  out.count = 0;
  let pixels: u32 = 0;
  for (let at = coarse.masks, end = at + (packer.count << 3); at < end; at += 8) pixels += <u32>popcnt(load<u64>(at));
  return pixels;
}

/** Copies the texel of each single coarse pixel to its pixels. */
function putPixels(coarse: CoarsePacker, plane: Plane, texels: usize): void {
  const packer = coarse.packer;
  const pixels = plane.pixels;
  const states = plane.states;
  for (let i = 0; i < packer.count; i++) {
    const block = packer.entry(i).pixel >> 6;
    if (load<u8>(states + block)) fillPixels(plane, block);
    const texel = v128.load32_splat(texels + (i << 2));
    const at = pixels + block * (4 * BLOCK_PIXELS);
    let rest = coarse.mask(i);
    do {
      const shift = ctz(rest) & 60;
      putQuad(at + ((<usize>shift) << 2), texel, (<i32>(rest >> shift)) & 15);
      rest &= ~((<u64>15) << shift);
    } while (rest);
  }
}

/** Copies the texels of each coarse quad to its pixels. */
function putQuads(coarse: CoarsePacker, plane: Plane, texels: usize): void {
  const packer = coarse.packer;
  const rate = coarse.rate;
  const pixels = plane.pixels;
  const states = plane.states;
  for (let i = 0; i < packer.count; i++) {
    const block = packer.entry(i).quad >> 4;
    if (load<u8>(states + block)) fillPixels(plane, block);
    const four = v128.load(texels + (i << 4));
    const at = pixels + block * (4 * BLOCK_PIXELS);
    let rest = coarse.mask(i);
    do {
      const shift = ctz(rest) & 60;
      const order = v128.load(orderOf(patternOf(rate, <i32>(shift >> 2)) << SOURCE_PATTERN_SHIFT));
      putQuad(at + ((<usize>shift) << 2), pickBytes(four, order), (<i32>(rest >> shift)) & 15);
      rest &= ~((<u64>15) << shift);
    } while (rest);
  }
}

/** Replaces the texels of some pixels of a quad. */
// @ts-ignore: decorator
@inline
function putQuad(at: usize, texels: v128, pixels: i32): void {
  v128.store(at, v128.bitselect(texels, v128.load(at), lanesOf(pixels)));
}
