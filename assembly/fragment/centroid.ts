// Where a pixel's centroid lies.

/**
 * Sample at whose position the centroid of a pixel lies, -1 for the centre: the first covered one of a pixel that is
 * covered in part. `covered`: a bit each of `count` samples.
 */
export function centroidSample(covered: i32, count: i32): i32 {
  return count == 1 || covered == 0 || covered == (1 << count) - 1 ? -1 : ctz(covered);
}
