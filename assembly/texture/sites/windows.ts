// Windows: three by three texels that a quad filters if it is aligned with the texture's axes, and pixels are about as
// large as texels, as in full-screen passes. Pixels of a column share the fraction in x, those of a row the fraction in
// y. A vector holds both coordinates of the window's first pixel, then those of its last one.
import { TextureLevel } from '../../layout';
import { anyTrue, edgesOfQuad, highHalves, leftOfRows, lowHalves, splatFrom } from '../../simd/lanes';
import { turnedTexel, turnNumbers } from '../addresses/axis';
import { MINUS_HALF, NUMBERS } from '../texels/constants';

/** Steps from the first column and row of texels to those of a window's pixels, in the order of edgesOfQuad. */
const NEXT: usize = memory.data<u32>([0, 0, 1, 1]);

/** Positions of the quad's edges in the level, in texels. */
// @ts-ignore: decorator
@inline export function edgePositions(record: TextureLevel, u: v128, v: v128, address: i32): v128 {
  const sizes = v128.load64_splat(changetype<usize>(record) + offsetof<TextureLevel>('width'));
  return turnedTexel(turnNumbers(edgesOfQuad(u, v), address), sizes, address, splatFrom(NUMBERS, MINUS_HALF), false);
}

/** Whether the quad reads a window inside the level; `i` has the whole numbers of edgePositions. */
// @ts-ignore: decorator
@inline export function isWindow(record: TextureLevel, u: v128, v: v128, i: v128): bool {
  const turned = v128.or(v128.xor(u, highHalves(u, u)), v128.xor(v, leftOfRows(v)));
  const column = i32x4.extract_lane(i, 0);
  const line = i32x4.extract_lane(i, 1);
  const steps = v128.xor(i, i32x4.add(lowHalves(i, i), v128.load(NEXT)));
  // The right and the lower pixels must be inside as well.
  const ends = column | (record.innerX - 1 - column) | line | (record.innerY - 1 - line);
  return ends >= 0 && !anyTrue(v128.or(turned, steps));
}
