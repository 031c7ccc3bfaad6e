// Distances of 32-bit floats in units of the last place.

/** The number of a float in their order; both zeros have the same one. */
function orderOf(value: number): number {
  const words = new Int32Array(Float32Array.of(value).buffer);
  const bits = words[0]!;
  return bits < 0 ? -(bits & 0x7fff_ffff) : bits;
}

/**
 * Number of 32-bit floats from `a` to `b`: 0 if they are equal, 1 if they are neighbours. Both are rounded to 32 bits
 * before. Two NaNs have the distance 0, and NaN and a number an infinite one.
 */
export function ulps(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b) ? 0 : Infinity;
  return Math.abs(orderOf(a) - orderOf(b));
}

interface Distance {
  readonly distance: number;
  /** Where it is, such as `[3][0]` or `.colour[1]`. */
  readonly at: string;
}

/** Largest distance of the numbers in two values of the same shape: numbers, arrays and objects of them. */
export function ulpDistance(given: unknown, expected: unknown, at = ''): Distance {
  if (typeof given === 'number' && typeof expected === 'number') return { distance: ulps(given, expected), at };
  if (typeof given !== 'object' || typeof expected !== 'object' || given === null || expected === null)
    return { distance: given === expected ? 0 : Infinity, at };
  const isList = Array.isArray(expected) || ArrayBuffer.isView(expected);
  const keys = Object.keys(expected);
  if (Object.keys(given).length !== keys.length) return { distance: Infinity, at: `${at}, whose sizes differ` };
  let largest: Distance = { distance: 0, at };
  for (const key of keys) {
    const [a, b] = [given, expected].map((each) => (each as Record<string, unknown>)[key]);
    const one = ulpDistance(a, b, isList ? `${at}[${key}]` : `${at}.${key}`);
    if (one.distance > largest.distance) largest = one;
  }
  return largest;
}
