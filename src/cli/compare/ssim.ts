// Structural similarity of two pictures (Wang et al. 2004), with square windows of 8×8 pixels.

const WINDOW = 8;
const C1 = 2.55 * 2.55;
const C2 = 7.65 * 7.65;

/**
 * Mean over all windows and the channels red, green and blue. Pictures are RGBA with 8 bits per channel.
 * @returns 1 for equal pictures; NaN if a side is shorter than a window
 */
export function ssim(a: Uint8Array, b: Uint8Array, width: number, height: number): number {
  let sum = 0;
  let count = 0;
  for (let channel = 0; channel < 3; channel++) {
    for (let y = 0; y + WINDOW <= height; y += 2) {
      for (let x = 0; x + WINDOW <= width; x += 2) {
        sum += windowSimilarity(a, b, width, x, y, channel);
        count++;
      }
    }
  }
  return sum / count;
}

function windowSimilarity(a: Uint8Array, b: Uint8Array, width: number, x: number, y: number, channel: number): number {
  let [meanA, meanB, squareA, squareB, product] = [0, 0, 0, 0, 0];
  for (let j = y; j < y + WINDOW; j++) {
    for (let i = x; i < x + WINDOW; i++) {
      const at = (j * width + i) * 4 + channel;
      meanA += a[at];
      meanB += b[at];
      squareA += a[at] * a[at];
      squareB += b[at] * b[at];
      product += a[at] * b[at];
    }
  }
  const n = WINDOW * WINDOW;
  meanA /= n;
  meanB /= n;
  const varianceA = squareA / n - meanA * meanA;
  const varianceB = squareB / n - meanB * meanB;
  const covariance = product / n - meanA * meanB;
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2))
    / ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
  );
}
