// The depth comparison of a draw call, for the lanes of a vector and for one sample.

import { Tile } from '../layout';

/** The lanes where `z` passes against `stored`; `lessOnly` tells that the comparison is LESS. */
export function compareDepth(tile: Tile, z: v128, stored: v128, lessOnly: bool): v128 {
  if (lessOnly) return f32x4.lt(z, stored);
  return v128.or(
    v128.or(
      v128.and(f32x4.lt(z, stored), v128.load32_splat(changetype<usize>(tile), offsetof<Tile>('less'))),
      v128.and(f32x4.eq(z, stored), v128.load32_splat(changetype<usize>(tile), offsetof<Tile>('equal')))
    ),
    v128.and(f32x4.gt(z, stored), v128.load32_splat(changetype<usize>(tile), offsetof<Tile>('greater')))
  );
}

/** Whether the draw call's comparison is LESS. */
export function isLessOnly(tile: Tile): bool {
  return tile.less != 0 && !(tile.equal | tile.greater);
}

/** All ones if `z` passes against `stored`. */
export function compareDepthScalar(tile: Tile, z: f32, stored: f32): i32 {
  return (z < stored ? tile.less : 0) | (z == stored ? tile.equal : 0) | (z > stored ? tile.greater : 0);
}

/** Whether depth is compared or written; otherwise every sample passes. */
export function testsDepth(tile: Tile): bool {
  return tile.depthWrite != 0 || !(tile.less & tile.equal & tile.greater);
}
