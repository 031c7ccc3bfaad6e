// pow with an integer exponent, as products. Every engine and const-expressions use the same products, so that all have
// the same bits. pow inherits its accuracy from exp2(y · log2(x)) (WGSL §15.7.4.1), and n − 1 roundings are more
// accurate. Powers of negative numbers then also have a value.

/** Maximum number of products; with more, the function itself is faster. */
const MAX_PRODUCTS = 8;

/**
 * x^exponent by binary exponentiation from the highest bit down. `undefined` if the function itself should be called.
 */
export function powerByProducts<T>(exponent: number, x: T, multiply: (a: T, b: T) => T): T | undefined {
  const bits = Number.isInteger(exponent) && exponent >= 1 && exponent <= 256 ? exponent.toString(2) : '';
  const products = bits.length - 1 + bits.slice(1).replaceAll('0', '').length;
  if (bits === '' || products > MAX_PRODUCTS) return undefined;
  let power = x;
  for (const bit of bits.slice(1)) {
    power = multiply(power, power);
    if (bit === '1') power = multiply(power, x);
  }
  return power;
}
