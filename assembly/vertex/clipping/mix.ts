// Interpolates a vertex between two others, for clipping. This is so rare that both builds share one scalar
// implementation.
import { POSITION_BYTES, Setup } from '../../layout';
import { distancesOf, positionOf } from './vertices';

// Weighted mean of two f32 in memory. It is computed in f64 as a sum of two products: if the values differ by many
// orders of magnitude, a difference of them would lose the smaller one.
function mixed(first: usize, second: usize, firstPart: f64, secondPart: f64): f32 {
  return <f32>(<f64>load<f32>(first) * firstPart + <f64>load<f32>(second) * secondPart);
}

/**
 * Makes vertex `made` between two others; all three are vertex numbers. `toFirst` and `toSecond` are its distances from
 * them, in any unit. Position, clip distances and perspective varyings are interpolated in clip space, linear varyings
 * in screen space. Flat varyings have no meaning here.
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
  // In screen space, each weight is scaled by its vertex's w. With w = 0, there is no screen position.
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
