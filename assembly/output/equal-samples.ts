// Finds which samples of a pixel form a set (layout/tile/sample-sets.ts). Samples of a set hold the same bits in all
// that the shader reads of targets, depth and stencil, and the triangle must be the same at all of them. Both builds
// share this code.

import {
  DEPTH_CLEAR,
  Destinations,
  Draw,
  LAYER_WORDS,
  Plane,
  SampleSets,
  SETS_DEPTH,
  SETS_EVERY_SAMPLE,
  SETS_VARYINGS,
  STENCIL_STORED,
  Tile,
  TILE_PIXELS,
  TRI_FLAG_AFFINE,
  Triangle,
} from '../layout';
import { listMask } from '../surface/lists';
import { sameTexel } from '../surface/texel-same';
import { expandDepth } from '../tile/depth-blocks';
import { stencilOf } from '../tile/stencil-blocks';

/** All samples of a pixel. */
const ALL = 0xffff;

/** The DESTINATIONS of the part of the shader that runs per set; 0 if it reads none. */
export function destinationsOf(draw: Draw, sets: SampleSets): Destinations {
  const secondPart = sets.secondPart;
  return changetype<Destinations>(secondPart ? secondPart.destinations : draw.destinations);
}

/** Whether a triangle's samples differ no matter what the targets hold. */
export function alwaysDiffer(sets: SampleSets, triangle: Triangle): bool {
  const apart = sets.apart;
  if (apart & SETS_EVERY_SAMPLE) return true;
  if (apart & SETS_DEPTH && (triangle.zDx != 0 || triangle.zDy != 0)) return true;
  return (apart & SETS_VARYINGS) != 0 && slopes(triangle);
}

/** Whether a varying that is interpolated at samples has a slope. */
function slopes(triangle: Triangle): bool {
  const varyings = triangle.draw.varyings;
  const perspective = varyings.perspectiveSample;
  // A flat plane of a/w gives a constant value only if w is flat too.
  if (perspective && !(triangle.flags & TRI_FLAG_AFFINE)) return true;
  const first = varyings.perspective + varyings.perspectiveCentroid;
  const linear = varyings.linearFirst + varyings.linear + varyings.linearCentroid;
  return anySlopes(triangle, first, perspective) || anySlopes(triangle, linear, varyings.linearSample);
}

function anySlopes(triangle: Triangle, first: i32, count: i32): bool {
  const stride = triangle.draw.planeStride;
  let at = triangle.planes + (first << 2);
  for (const end = at + (count << 2); at < end; at += 4) {
    if (load<f32>(at + stride) != 0 || load<f32>(at + (stride << 1)) != 0) return true;
  }
  return false;
}

/** Whether all pixels of a quad hold one value each. */
export function isUniform(tile: Tile, destinations: Destinations, quad: i32): bool {
  if (!destinations) return true;
  const block = quad >> 4;
  if (destinations.depthRegister >= 0 && tile.depthBlock(block).source != DEPTH_CLEAR) return false;
  if (destinations.stencilRegister >= 0 && stencilOf(tile, block) == STENCIL_STORED) return false;
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const plane = tile.plane(ctz(rest));
    if (!plane.isClear(block) && plane.perSampleOf(quad)) return false;
  }
  return true;
}

/** The samples of a pixel (quad·4 + pixel) that hold the same values as `sample`. */
export function equalTo(tile: Tile, destinations: Destinations, pixel: i32, sample: i32): i32 {
  if (!destinations) return ALL;
  let equal = ALL;
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const plane = tile.plane(ctz(rest));
    if (!plane.isClear(pixel >> 6) && plane.isPerSample(pixel)) equal &= equalIn(plane, pixel, sample);
  }
  if (destinations.depthRegister >= 0) {
    expandDepth(tile, pixel >> 6);
    equal &= likeSample(4, tile.depth + (pixel << 4), LAYER_WORDS, tile.layers, sample);
  }
  if (destinations.stencilRegister >= 0 && stencilOf(tile, pixel >> 6) == STENCIL_STORED)
    equal &= likeSample(1, tile.stencil + (pixel << 2), TILE_PIXELS * 4, tile.layers, sample);
  return equal;
}

/**
 * The samples of a pixel that hold the same value as `sample` in one target, where the pixel is in the sample plane or
 * holds two texels.
 */
function equalIn(plane: Plane, pixel: i32, sample: i32): i32 {
  if ((plane.pairsOfQuad(pixel >> 2) >> (pixel & 3)) & 1) {
    const second = <i32>load<u16>(plane.maskAt(pixel));
    return (second >> sample) & 1 ? second : ~second;
  }
  if (plane.secondTexels && (plane.listedOfQuad(pixel >> 2) >> (pixel & 3)) & 1) return listMask(plane, pixel, sample);
  return likeSample(plane.texelBytes, plane.sample(pixel), plane.layerBytes, plane.layers, sample);
}

/** The samples of a pixel, whose first texel is at `first`, that hold the same texel as `sample`. */
function likeSample(bytes: i32, first: usize, layerBytes: usize, layers: i32, sample: i32): i32 {
  const at = first + (sample >> 2) * layerBytes + (sample & 3) * bytes;
  let equal = 0;
  for (let layer = 0; layer < layers; layer++) {
    const four = first + layer * layerBytes;
    const bits = bytes == 4 ? likeWord(four, load<u32>(at)) : likeTexel(bytes, four, at);
    equal |= bits << (layer << 2);
  }
  return equal;
}

/** Which of four 32-bit texels equal `word`. */
function likeWord(four: usize, word: u32): i32 {
  const first = i32(load<u32>(four) == word) | (i32(load<u32>(four, 4) == word) << 1);
  return first | (i32(load<u32>(four, 8) == word) << 2) | (i32(load<u32>(four, 12) == word) << 3);
}

function likeTexel(bytes: i32, four: usize, texel: usize): i32 {
  let equal = 0;
  for (let i = 0; i < 4; i++) equal |= i32(sameTexel(bytes, four + i * bytes, texel)) << i;
  return equal;
}
