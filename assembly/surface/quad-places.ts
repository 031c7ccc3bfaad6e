// Tests whether four lanes address the pixels of a quad. Builds with SIMD only.

import { Surface } from '../layout';
import { allTrue, splat0 } from '../simd/lanes';

/** x and y offsets of a quad's pixels from its first. */
const OFFSETS: usize = memory.data<u32>([0, 1, 0, 1, 0, 0, 1, 1]);

/** Whether the lanes address a quad's pixels in order, all of them within the surface. */
// @ts-ignore: decorator
@inline
export function isQuad(surface: Surface, x: v128, y: v128): bool {
  const left = i32x4.extract_lane(x, 0);
  const top = i32x4.extract_lane(y, 0);
  if ((left | top) & 1 || !surface.holds(left, top) || !surface.holds(left + 1, top + 1)) return false;
  return allTrue(
    v128.and(
      i32x4.eq(x, i32x4.add(splat0(x), v128.load(OFFSETS))),
      i32x4.eq(y, i32x4.add(splat0(y), v128.load(OFFSETS, 16)))
    )
  );
}
