// A vertex between two others, for clipping: so few that one body, a number at a time, serves both builds.
import { POSITION_BYTES, Setup } from '../layout';
import { distancesOf, positionOf } from './vertices';

// The mean of two f32 in memory, by their parts. In f64, and by two parts: where values differ by many orders of
// magnitude, their difference would leave nothing of the smaller one.
function mixed(first: usize, second: usize, firstPart: f64, secondPart: f64): f32 {
  return <f32>(<f64>load<f32>(first) * firstPart + <f64>load<f32>(second) * secondPart);
}

/**
 * The vertex `made` between two others, by number, whose distances from it are `toFirst` and `toSecond`, in any unit:
 * position, clip distances and perspective varyings lie between theirs in clip space, linear varyings on the screen.
 * Flat ones have no meaning here.
 */
export function mixVertex(setup: Setup, first: u32, second: u32, toFirst: f64, toSecond: f64, made: u32): void {
  const perspective = setup.perspectiveCount;
  const flatFirst = setup.flatFirst;
  const varyings = setup.groups << 2;
  const firstPart = toSecond / (toFirst + toSecond);
  const secondPart = toFirst / (toFirst + toSecond);
  const at = positionOf(setup, made);
  for (let i: usize = 0; i < <usize>POSITION_BYTES; i += 4)
    store<f32>(at + i, mixed(positionOf(setup, first) + i, positionOf(setup, second) + i, firstPart, secondPart));
  for (let i = 0; i < setup.distanceCount; i++) {
    const offset = i << 2;
    const from = distancesOf(setup, first) + offset;
    const to = distancesOf(setup, second) + offset;
    store<f32>(distancesOf(setup, made) + offset, mixed(from, to, firstPart, secondPart));
  }
  // On the screen each part is as much larger as its vertex is farther away. At the eye there is no screen.
  const firstW = <f64>load<f32>(positionOf(setup, first), 12) * firstPart;
  const secondW = <f64>load<f32>(positionOf(setup, second), 12) * secondPart;
  const w = firstW + secondW;
  const a = setup.varyingsOf(setup.packet(first));
  const b = setup.varyingsOf(setup.packet(second));
  const out = setup.varyingsOf(setup.packet(made));
  for (let i = 0; i < varyings; i++) {
    const offset = i << 2;
    if (i >= flatFirst) store<u32>(out + offset, load<u32>(a + offset));
    else if (i < perspective || w == 0) store<f32>(out + offset, mixed(a + offset, b + offset, firstPart, secondPart));
    else store<f32>(out + offset, mixed(a + offset, b + offset, firstW / w, secondW / w));
  }
}
