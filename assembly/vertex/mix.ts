// A vertex between two others, for clipping: so few that one body, a number at a time, serves both builds.
import { POSITION_BYTES, Setup } from '../layout';
import { distancesOf, positionOf } from './vertices';

// from + (to − from)·t of two f32 in memory. In f64: where w differs by many orders of magnitude, the difference in f32
// would leave nothing of the smaller one.
function mixed(from: usize, to: usize, t: f64): f32 {
  const start = <f64>load<f32>(from);
  return <f32>(start + (<f64>load<f32>(to) - start) * t);
}

/**
 * made = first + (second − first)·t, vertices by number: position, clip distances and perspective varyings at `t`,
 * linear varyings at `screenT`. Flat ones have no meaning here.
 */
export function mixVertex(setup: Setup, first: u32, second: u32, t: f64, screenT: f64, made: u32): void {
  const perspective = setup.perspectiveCount;
  const flatFirst = setup.flatFirst;
  const varyings = setup.groups << 2;
  for (let i: usize = 0; i < <usize>POSITION_BYTES; i += 4)
    store<f32>(positionOf(setup, made) + i, mixed(positionOf(setup, first) + i, positionOf(setup, second) + i, t));
  for (let i = 0; i < setup.distanceCount; i++) {
    const at = i << 2;
    const value = mixed(distancesOf(setup, first) + at, distancesOf(setup, second) + at, t);
    store<f32>(distancesOf(setup, made) + at, value);
  }
  const a = setup.varyingsOf(setup.packet(first));
  const b = setup.varyingsOf(setup.packet(second));
  const out = setup.varyingsOf(setup.packet(made));
  for (let i = 0; i < varyings; i++) {
    const at = i << 2;
    if (i >= flatFirst) store<u32>(out + at, load<u32>(a + at));
    else store<f32>(out + at, mixed(a + at, b + at, i < perspective ? t : screenT));
  }
}
