// Measures how similar two pictures look: the mean structural similarity of their luma (Wang, Bovik, Sheikh,
// Simoncelli: Image quality assessment, 2004), with the authors' constants and window, an 11×11 Gaussian of 1.5 pixels.
const TAPS = 11;
const SIGMA = 1.5;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

const weights = Array.from({ length: TAPS }, (_, i) => Math.exp(-((i - (TAPS >> 1)) ** 2) / (2 * SIGMA ** 2)));
const whole = weights.reduce((sum, weight) => sum + weight);
const WINDOW = weights.map((weight) => weight / whole);

/** Four bytes per pixel: red, green, blue, and one that is ignored. */
const lumaOf = (bytes) =>
  Float64Array.from(
    { length: bytes.length / 4 },
    (_, i) => 0.299 * bytes[4 * i] + 0.587 * bytes[4 * i + 1] + 0.114 * bytes[4 * i + 2]
  );

/** Weighted means of the windows that fit the picture, row by row. */
function means(values, width, height) {
  const across = width - TAPS + 1;
  const down = height - TAPS + 1;
  const rows = new Float64Array(across * height);
  const result = new Float64Array(across * down);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < across; x++)
      for (let k = 0; k < TAPS; k++) rows[y * across + x] += WINDOW[k] * values[y * width + x + k];
  for (let at = 0; at < result.length; at++)
    for (let k = 0; k < TAPS; k++) result[at] += WINDOW[k] * rows[at + k * across];
  return result;
}

/**
 * Compares pictures with 4 bytes per pixel and at least 11×11 pixels. Returns 1 for equal pictures, and less the more
 * they differ.
 */
export function ssimOf(one, other, { width, height }) {
  const x = lumaOf(one);
  const y = lumaOf(other);
  const mean = (values) => means(values, width, height);
  const product = (a, b) => a.map((value, i) => value * b[i]);
  const mx = mean(x);
  const my = mean(y);
  const xx = mean(product(x, x));
  const yy = mean(product(y, y));
  const xy = mean(product(x, y));
  let sum = 0;
  for (let i = 0; i < mx.length; i++) {
    const both = mx[i] * my[i];
    const squares = mx[i] ** 2 + my[i] ** 2;
    sum += ((2 * both + C1) * (2 * (xy[i] - both) + C2)) / ((squares + C1) * (xx[i] + yy[i] - squares + C2));
  }
  return sum / mx.length;
}
