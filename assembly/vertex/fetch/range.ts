// Scans index buffers, once per version of their contents: the least and the greatest index, and the number of distinct
// ones. Scalar twin: range.scalar.ts. (Counting writes one bit at a time, so both builds share one implementation.)
import { highHalves } from '../../simd/lanes';
import { indexBoundsScalar } from './range.scalar';

export { countDistinct } from './range.scalar';

/**
 * Writes the least and the greatest of `count` > 0 indices of `bytes` (2 or 4) bytes at `address` to two u32 at `out`.
 */
export function indexBounds(address: usize, count: u32, bytes: i32, out: usize): void {
  if (ASC_FEATURE_SIMD) {
    if (bytes == 2) bounds<u16>(address, count, out);
    else bounds<u32>(address, count, out);
  } else indexBoundsScalar(address, count, bytes, out);
}

function bounds<I>(address: usize, count: u32, out: usize): void {
  const whole = (count * sizeof<I>()) & ~15;
  let low = i32x4.splat(-1);
  let high = i32x4.splat(0);
  for (const end = address + whole; address < end; address += 16) {
    const indices = v128.load(address);
    low = v128.min<I>(low, indices);
    high = v128.max<I>(high, indices);
  }
  let least: u32 = sizeof<I>() == 2 ? 0xffff : 0xffffffff;
  let most: u32 = 0;
  low = v128.min<I>(low, highHalves(low, low));
  high = v128.max<I>(high, highHalves(high, high));
  for (let i = count & (16 / sizeof<I>() - 1); i > 0; i--, address += sizeof<I>()) {
    const index = load<I>(address);
    least = min<u32>(least, index);
    most = max<u32>(most, index);
  }
  store<u64>(out, i64x2.extract_lane(low, 0));
  for (let at: usize = 0; at < 8; at += sizeof<I>()) least = min<u32>(least, load<I>(out + at));
  store<u64>(out, i64x2.extract_lane(high, 0));
  for (let at: usize = 0; at < 8; at += sizeof<I>()) most = max<u32>(most, load<I>(out + at));
  store<u32>(out, least);
  store<u32>(out, most, 4);
}
