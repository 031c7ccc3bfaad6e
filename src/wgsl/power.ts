// pow with a whole exponent: products in every engine and in const-expressions, so that all have the same bits. pow
// inherits its accuracy from exp2(y · log2(x)) (WGSL §15.7.4.1), and n − 1 roundings are closer. (Powers of negative
// numbers then have a value.)

/** Products that a whole exponent may take: with more, the function itself is faster. */
const MOST_PRODUCTS = 8;

/**
 * x^exponent from the exponent's highest bit down: square, and times x where the bit is set. `undefined` where the
 * function itself is to be called.
 */
export function powerByProducts<T>(exponent: number, x: T, multiply: (a: T, b: T) => T): T | undefined {
  const bits = Number.isInteger(exponent) && exponent >= 1 && exponent <= 256 ? exponent.toString(2) : '';
  const products = bits.length - 1 + bits.slice(1).replaceAll('0', '').length;
  if (bits === '' || products > MOST_PRODUCTS) return undefined;
  let power = x;
  for (const bit of bits.slice(1)) {
    power = multiply(power, power);
    if (bit === '1') power = multiply(power, x);
  }
  return power;
}
