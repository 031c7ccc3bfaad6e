// Subdivision of edges: levels and the coordinates that result from them (OpenGL 4.6 §11.2.2; fractional segments are
// placed as in Direct3D 11's tessellator). Coordinates are multiples of 2⁻²⁴. For a coordinate x in the first half of
// an edge, 1 − x is exact. So an edge has the same bits from both ends, and the three coordinates of a triangle always
// add up to 1.
import { SPACING_EQUAL, SPACING_EVEN } from '../layout';

/** One, in coordinate units. */
export const UNIT: i32 = 1 << 24;

/**
 * Clamps the level that a shader outputs to the bounds of its spacing, with `most` as the highest level. NaN gives the
 * lowest level. Equal spacing rounds up to an integer.
 */
export function clampLevel(spacing: i32, level: f32, most: i32): f32 {
  const low: f32 = spacing == SPACING_EVEN ? 2 : 1;
  const high = spacing == SPACING_EQUAL ? most : spacing == SPACING_EVEN ? most & ~1 : (most - 1) | 1;
  const clamped = level > low ? min<f32>(level, <f32>high) : low;
  return spacing == SPACING_EQUAL ? ceil<f32>(clamped) : clamped;
}

/** Number of segments of an edge with a level from clampLevel. */
export function segmentsOf(spacing: i32, level: f32): i32 {
  const whole = <i32>ceil<f32>(level);
  if (spacing == SPACING_EQUAL) return whole;
  return spacing == SPACING_EVEN ? whole + (whole & 1) : whole | 1;
}

function withoutHighestBit(n: i32): i32 {
  return n & ~(<i32>(0x80000000 >>> clz<i32>(n)));
}

// The point of the first half at which a fractional level has one more segment than the level two below.
function splitPoint(spacing: i32, segments: i32): i32 {
  const half = spacing == SPACING_EVEN ? segments / 2 - 1 : (segments - 1) / 2 - 1;
  return half > 0 ? (withoutHighestBit(half) << 1) + 1 : 0;
}

/**
 * Writes the coordinates along an edge, i32 from 0 to UNIT, and returns the number of segments. Between two consecutive
 * odd (or even) numbers of segments, points move from their positions with the first to those with the second.
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
