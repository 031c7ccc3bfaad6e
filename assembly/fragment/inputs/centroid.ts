// Centroid position of a pixel.

/**
 * Returns the sample at which the centroid of a pixel is placed, or -1 for the pixel centre. The centroid of a partly
 * covered pixel is its first covered sample. `covered` has one bit for each of `count` samples.
 */
export function centroidSample(covered: i32, count: i32): i32 {
  return count == 1 || covered == 0 || covered == (1 << count) - 1 ? -1 : ctz(covered);
}
