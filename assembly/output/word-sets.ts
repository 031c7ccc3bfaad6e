// Sets of the pixels of quads, by vectors, where a program reads one target of four bytes a texel at up to four
// samples, and nothing else tells samples apart: what most programs that blend do. First sets are found while the
// target is loaded (destination.ts), further ones when they are put to wait. The general way, and the scalar build's:
// fragment/sets.ts.

import { Destinations, Entry, entryHead, Plane, SetRoom, Tile } from '../layout';

/** The target's plane where this way can be gone, else 0. */
export function wordPlane(tile: Tile, destinations: Destinations): Plane {
  if (ASC_FEATURE_SIMD) {
    if (tile.layers == 1 && destinations && destinations.depthRegister < 0 && destinations.stencilRegister < 0) {
      const targets = destinations.targets;
      const plane = tile.plane(ctz(targets));
      if (!(targets & (targets - 1)) && plane.texelBytes == 4) return plane;
    }
  }
  return changetype<Plane>(0);
}

/**
 * The samples `left` of the quad of an entry, a set after the other as entries of single pixels; `lane`: of the first
 * part, that of the quad's first pixel. Of planes whose pixels have no two texels.
 */
export function putWordSets(plane: Plane, room: SetRoom, entry: Entry, left: i32, lane: i32): void {
  const out = room.packer;
  const triangle = entry.triangle;
  const pixels = entry.quad << 2;
  const samples = plane.samples + (entry.quad << 6);
  let count = out.count;
  for (let rest = left; rest; count++) {
    const first = <i32>ctz(rest);
    const pixel = first >> 2;
    const shift = first & 12;
    const texels = v128.load(samples + (pixel << 4));
    const like = i32x4.bitmask(i32x4.eq(texels, v128.load32_splat(samples + (first << 2)))) << shift;
    out.entry(count).put(entryHead(triangle, pixels + pixel, -1), (rest & like) >> shift);
    store<u8>(room.furtherFrom + count, first & 3);
    store<u8>(room.lanes + count, lane + pixel);
    rest &= ~like;
  }
  out.count = count;
}

/** The samples of a divided pixel (quad·4 + pixel) of such a plane that hold what `sample` holds. */
// @ts-ignore: decorator
@inline
export function likeWords(plane: Plane, pixel: i32, sample: i32): i32 {
  if (plane.further && plane.pairsOfQuad(pixel >> 2) >> (pixel & 3) & 1) {
    const second = <i32>load<u16>(plane.maskAt(pixel));
    return second >> sample & 1 ? second : ~second;
  }
  const at = plane.samples + (pixel << 4);
  return i32x4.bitmask(i32x4.eq(v128.load(at), v128.load32_splat(at + (sample << 2))));
}

/**
 * Leaves an entry of which some pixels (`divided`) have several texels the first set of each, and puts the texels that
 * stand for them to `texels`; returns the samples that are left.
 */
export function leaveFirstWords(plane: Plane, entry: Entry, divided: i32, texels: usize): i32 {
  const quad = entry.quad;
  const mask = <i32>entry.mask;
  const one = plane.pixels + (quad << 4);
  const four = plane.samples + (quad << 6);
  const pairs = plane.further ? plane.pairsOfQuad(quad) : 0;
  let first = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = mask >> (pixel << 2) & 15;
    let texel = one + (pixel << 2);
    let equal = 15;
    if (divided >> pixel & 1) {
      // Of pixels that are not covered, the first.
      const sample = ctz(samples | 16) & 3;
      equal = likeWords(plane, (quad << 2) + pixel, sample);
      if (!(pairs >> pixel & 1)) texel = four + (pixel << 4) + (sample << 2);
      else if (load<u16>(plane.maskAt((quad << 2) + pixel)) >> sample & 1) texel = plane.second((quad << 2) + pixel);
    }
    store<u32>(texels + (pixel << 2), load<u32>(texel));
    first |= (equal & samples) << (pixel << 2);
  }
  entry.mask = first;
  return mask & ~first;
}
