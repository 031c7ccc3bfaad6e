// Clip distances of shaded vertices, four at a time. Scalar twin: distances.scalar.ts.
import { DISTANCE_BYTES, OUTCODE_BYTES, OUTCODE_DISTANCE, REGISTER_BYTES, Setup } from '../../layout';
import { distancesOf } from './vertices';

/**
 * Stores the clip distances of quads of shaded vertices, from number `first` on, and sets OUTCODE_DISTANCE in the
 * outcodes of vertices that have a negative or NaN distance. `registers` is the address of the first distance's
 * register. Returns OUTCODE_DISTANCE if any vertex has one, else 0.
 */
export function packDistances(setup: Setup, quads: i32, registers: usize, first: u32): i32 {
  const count = setup.distanceCount;
  const end = (<usize>quads) << 4;
  let to = distancesOf(setup, first);
  let outcodes = setup.outcodeList + first * OUTCODE_BYTES;
  let joined = 0;
  for (let at: usize = 0; at < end; at += 16, to += 4 * DISTANCE_BYTES, outcodes += 4 * OUTCODE_BYTES) {
    let outside = i32x4.splat(0);
    for (let k = 0; k < count; k++) {
      const distances = v128.load(registers + k * REGISTER_BYTES + at);
      const place = to + (k << 2);
      v128.store32_lane(place, distances, 0);
      v128.store32_lane(place, distances, 1, DISTANCE_BYTES);
      v128.store32_lane(place, distances, 2, 2 * DISTANCE_BYTES);
      v128.store32_lane(place, distances, 3, 3 * DISTANCE_BYTES);
      outside = v128.or(outside, v128.not(f32x4.ge(distances, f32x4.splat(0))));
    }
    if (!v128.any_true(outside)) continue;
    const codes = v128.and(outside, i32x4.splat(OUTCODE_DISTANCE));
    v128.store64_lane(outcodes, v128.or(v128.load64_zero(outcodes), i16x8.narrow_i32x4_u(codes, codes)), 0);
    joined = OUTCODE_DISTANCE;
  }
  return joined;
}
