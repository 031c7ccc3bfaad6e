// Finds the sample sets of quads with vectors. This path is for shaders that read a single target of four bytes per
// texel at up to four samples, with nothing else that distinguishes samples; most shaders with framebuffer fetch are of
// this kind. The first sets are found while the target is loaded (destination.ts), the others when they are queued. The
// general path, which is also that of the scalar build, is fragment/sets/sets.ts.

import { Destinations, Entry, entryHead, Plane, SetRoom, Tile } from '../layout';
import { listMask, listTexel } from '../surface/lists';

/** The target's plane if this path applies, else 0. */
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
 * Adds the samples `left` of an entry's quad to the packer, one set after the other, as entries of single pixels.
 * `lane` is the lane of the quad's first pixel in the warp. The plane must have no pixels with two texels or a list.
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
    store<u8>(room.secondFrom + count, first & 3);
    store<u8>(room.lanes + count, lane + pixel);
    rest &= ~like;
  }
  out.count = count;
}

/** The samples of a divided pixel (quad·4 + pixel) of such a plane that hold the same value as `sample`. */
// @ts-ignore: decorator
@inline
export function likeWords(plane: Plane, pixel: i32, sample: i32): i32 {
  if (plane.secondTexels && (plane.pairsOfQuad(pixel >> 2) >> (pixel & 3)) & 1) {
    const second = <i32>load<u16>(plane.maskAt(pixel));
    return (second >> sample) & 1 ? second : ~second;
  }
  if (plane.secondTexels && (plane.listedOfQuad(pixel >> 2) >> (pixel & 3)) & 1) return listMask(plane, pixel, sample);
  const at = plane.samples + (pixel << 4);
  return i32x4.bitmask(i32x4.eq(v128.load(at), v128.load32_splat(at + (sample << 2))));
}

/**
 * Restricts an entry with `divided` pixels to the first set of each pixel and writes the texels of these sets to
 * `texels`. Returns the remaining samples.
 */
export function keepFirstSets(plane: Plane, entry: Entry, divided: i32, texels: usize): i32 {
  const quad = entry.quad;
  const mask = <i32>entry.mask;
  const one = plane.pixels + (quad << 4);
  const four = plane.samples + (quad << 6);
  const pairs = plane.secondTexels ? plane.pairsOfQuad(quad) : 0;
  const lists = plane.secondTexels ? plane.listedOfQuad(quad) : 0;
  let first = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = (mask >> (pixel << 2)) & 15;
    let texel = one + (pixel << 2);
    let equal = 15;
    if ((divided >> pixel) & 1) {
      // For pixels that are not covered, the first sample is used.
      const sample = ctz(samples | 16) & 3;
      equal = likeWords(plane, (quad << 2) + pixel, sample);
      if ((lists >> pixel) & 1) texel = listTexel(plane, (quad << 2) + pixel, sample);
      else if (!((pairs >> pixel) & 1)) texel = four + (pixel << 4) + (sample << 2);
      else if ((load<u16>(plane.maskAt((quad << 2) + pixel)) >> sample) & 1) texel = plane.second((quad << 2) + pixel);
    }
    store<u32>(texels + (pixel << 2), load<u32>(texel));
    first |= (equal & samples) << (pixel << 2);
  }
  entry.mask = first;
  return mask & ~first;
}
