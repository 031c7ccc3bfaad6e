// Clip distances of shaded vertices. Scalar twin of distances.ts.
import { OUTCODE_BYTES, OUTCODE_DISTANCE, REGISTER_BYTES, Setup } from '../../layout';
import { distancesOf } from './vertices';

/**
 * Stores the clip distances of quads of shaded vertices, from number `first` on, and sets OUTCODE_DISTANCE in the
 * outcodes of vertices that have a negative or NaN distance. `registers` is the address of the first distance's
 * register. Returns OUTCODE_DISTANCE if any vertex has one, else 0.
 */
export function packDistancesScalar(setup: Setup, quads: i32, registers: usize, first: u32): i32 {
  const count = setup.distanceCount;
  let joined = 0;
  for (let i = 0; i < quads << 2; i++) {
    const vertex = first + i;
    const to = distancesOf(setup, vertex);
    let code = 0;
    for (let k = 0; k < count; k++) {
      const distance = load<f32>(registers + k * REGISTER_BYTES + (i << 2));
      store<f32>(to + (k << 2), distance);
      if (!(distance >= 0)) code = OUTCODE_DISTANCE;
    }
    const outcode = setup.outcodeList + vertex * OUTCODE_BYTES;
    store<u16>(outcode, load<u16>(outcode) | code);
    joined |= code;
  }
  return joined;
}
