// Half-precision floats (IEEE 754 binary16) as whole numbers.

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/** Rounds to the nearest half, ties to even. */
export function toHalf(value: number): number {
  FLOAT[0] = value;
  const bits = BITS[0];
  const sign = (bits >>> 16) & 0x8000;
  const rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return sign | 0x7e00; // NaN
  if (rest >= 0x477ff000) return sign | 0x7c00; // too large
  if (rest < 0x33000001) return sign; // too small
  const exponent = (rest >>> 23) - 112;
  const mantissa = exponent > 0 ? rest - 0x38000000 : (rest & 0x7fffff) | 0x800000;
  const shift = exponent > 0 ? 13 : 14 - exponent;
  const half = mantissa >>> shift;
  const lost = mantissa & ((1 << shift) - 1);
  const tie = 1 << (shift - 1);
  return sign | (half + (lost > tie || (lost === tie && (half & 1) === 1) ? 1 : 0));
}

let table: Float32Array | undefined;

/** The values of all halves. */
function valuesOfHalves(): Float32Array {
  if (table) return table;
  table = new Float32Array(0x10000);
  const target = new Uint32Array(table.buffer);
  for (let half = 0; half < 0x8000; half++) {
    const exponent = half >> 10;
    const mantissa = half & 0x3ff;
    if (exponent === 0) table[half] = mantissa / 0x1000000;
    else target[half] = (exponent === 31 ? 0x7f800000 : (exponent + 112) << 23) | (mantissa << 13);
    target[half | 0x8000] = target[half] | 0x80000000;
  }
  return table;
}

export function fromHalves(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const values = valuesOfHalves();
  const out = new Float32Array(halves.length);
  for (let i = 0; i < out.length; i++) out[i] = values[halves[i]];
  return out;
}
