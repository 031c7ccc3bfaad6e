// Inputs for tests of arithmetic, the same in every run.

/** xorshift32: numbers 0 … 2^32 − 1. */
export function randomWords(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** mulberry32: numbers 0 … 2^32 − 1. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

const edges = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  -2,
  Infinity,
  -Infinity,
  NaN,
  2 ** -149,
  -(2 ** -149),
  2 ** -126,
  2 ** -126 - 2 ** -149,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  Math.PI,
  -Math.PI,
  Math.PI / 2,
  Math.PI / 4,
  8192,
  8193,
  2 ** 24,
  2 ** 31,
  2 ** 32,
  -(2 ** 31),
  65504,
  65520,
  2 ** -14,
  2 ** -24,
  2 ** -25,
  0.70710677,
  0.70710678,
  1.4142135,
  88.72284,
  89.5,
  -103.9,
  127.99999,
  128,
  -149.5,
  0.625,
  1 + 2 ** -23,
  1 - 2 ** -24,
];

/** Edge cases, a stride through all bit patterns (all exponents, both signs), and random values of moderate size. */
export function interestingFloats(count: number): Float32Array {
  const floats = new Float32Array(count);
  const bits = new Uint32Array(floats.buffer);
  const random = randomWords(12345);
  // An odd stride near 2^32 ÷ golden ratio reaches all exponents early.
  let pattern = 0;
  for (let i = 0; i < count; i++) {
    if (i < edges.length) floats[i] = edges[i];
    else if (i % 2) bits[i] = pattern = (pattern + 0x9e3779b1) >>> 0;
    else floats[i] = (random() / 2 ** 31 - 1) * 2 ** ((random() % 12) - 4);
  }
  return floats;
}
