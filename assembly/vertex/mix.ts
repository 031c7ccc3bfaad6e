// A vertex between two others, for clipping: so few that one body, a number at a time, serves both builds.
import { POSITION_BYTES, Setup } from '../layout';
import { distancesOf, positionOf } from './vertices';

/**
 * made = first + (second − first)·t, vertices by number: position, clip distances and perspective varyings at `t`,
 * linear varyings at `screenT`. Flat ones have no meaning here.
 */
export function mixVertex(setup: Setup, first: u32, second: u32, t: f32, screenT: f32, made: u32): void {
  const perspective = setup.perspectiveCount;
  const flatFirst = setup.flatFirst;
  const varyings = setup.groups << 2;
  for (let i: usize = 0; i < <usize>POSITION_BYTES; i += 4) {
    const from = load<f32>(positionOf(setup, first) + i);
    store<f32>(positionOf(setup, made) + i, from + (load<f32>(positionOf(setup, second) + i) - from) * t);
  }
  for (let i = 0; i < setup.distanceCount; i++) {
    const at = i << 2;
    const from = load<f32>(distancesOf(setup, first) + at);
    store<f32>(distancesOf(setup, made) + at, from + (load<f32>(distancesOf(setup, second) + at) - from) * t);
  }
  const a = setup.varyingsOf(setup.packet(first));
  const b = setup.varyingsOf(setup.packet(second));
  const out = setup.varyingsOf(setup.packet(made));
  for (let i = 0; i < varyings; i++) {
    const at = i << 2;
    const from = load<f32>(a + at);
    if (i >= flatFirst) store<u32>(out + at, load<u32>(a + at));
    else store<f32>(out + at, from + (load<f32>(b + at) - from) * (i < perspective ? t : screenT));
  }
}
