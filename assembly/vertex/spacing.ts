// Where an edge is divided: levels, and the coordinates that they give (OpenGL 4.6 §11.2.2; the placement of fractional
// segments as Direct3D 11's tessellator has it). Coordinates are whole units of 2⁻²⁴: of a coordinate x of the first
// half of an edge, 1 − x is exact, so that an edge has the same bits from both its ends, and the three coordinates of a
// triangle always add up to 1.
import { SPACING_EQUAL, SPACING_EVEN } from '../layout';

/** One, in units of coordinates. */
export const UNIT: i32 = 1 << 24;

/**
 * The level that a patch has, of one that a program gives: within the bounds of its spacing, `most` the highest; NaN is
 * the lowest. Of equal spacing it is whole.
 */
export function clampLevel(spacing: i32, level: f32, most: i32): f32 {
  const low: f32 = spacing == SPACING_EVEN ? 2 : 1;
  const high = spacing == SPACING_EQUAL ? most : spacing == SPACING_EVEN ? most & ~1 : (most - 1) | 1;
  const clamped = level > low ? min<f32>(level, <f32>high) : low;
  return spacing == SPACING_EQUAL ? ceil<f32>(clamped) : clamped;
}

/** Segments of an edge of a level that clampLevel gave. */
export function segmentsOf(spacing: i32, level: f32): i32 {
  const whole = <i32>ceil<f32>(level);
  if (spacing == SPACING_EQUAL) return whole;
  return spacing == SPACING_EVEN ? whole + (whole & 1) : whole | 1;
}

function withoutHighestBit(n: i32): i32 { return n & ~(<i32>(0x80000000 >>> clz<i32>(n))); }

// The point of the first half at which a fractional level has a segment more than the level two below.
function splitPoint(spacing: i32, segments: i32): i32 {
  const half = spacing == SPACING_EVEN ? segments / 2 - 1 : (segments - 1) / 2 - 1;
  return half > 0 ? (withoutHighestBit(half) << 1) + 1 : 0;
}

/**
 * Writes the coordinates along an edge, i32 from 0 to UNIT, and gives its segments. Between an odd (or even) number of
 * segments and the next, points go from where they are with the first to where they are with the second.
 */
export function placePoints(spacing: i32, level: f32, to: usize): i32 {
  const segments = segmentsOf(spacing, level);
  const whole = <f32>segments == level;
  const fraction = (<f64>level - <f64>(segments - 2)) / 2;
  const split = whole ? 0 : splitPoint(spacing, segments);
  store<i32>(to, 0);
  store<i32>(to + (segments << 2), UNIT);
  for (let i = 1; i << 1 <= segments; i++) {
    let x = <f64>i / <f64>segments;
    if (!whole) {
      const before = <f64>(i > split ? i - 1 : i) / <f64>(segments - 2);
      x = before + (x - before) * fraction;
    }
    const units = i << 1 == segments ? UNIT >> 1 : <i32>floor<f64>(x * <f64>UNIT + 0.5);
    store<i32>(to + (i << 2), units);
    store<i32>(to + ((segments - i) << 2), UNIT - units);
  }
  return segments;
}
