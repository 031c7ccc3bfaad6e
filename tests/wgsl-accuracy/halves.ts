// Half floats by search: the value of all 65536, and the nearest one to a number.

export function halfValueOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The nearest half float, ties to even; infinity from 65520 on. */
export function roundToHalf(x: number): number {
  if (Number.isNaN(x)) return 0x7e00;
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const size = Math.abs(x);
  if (size >= 65520) return sign | 0x7c00;
  let [low, high] = [0, 0x7bff];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (halfValueOf(middle) <= size) low = middle;
    else high = middle - 1;
  }
  const next = low === 0x7bff ? 65536 : halfValueOf(low + 1);
  const middle = (halfValueOf(low) + next) / 2;
  return sign | (size > middle || (size === middle && low % 2 === 1) ? low + 1 : low);
}
