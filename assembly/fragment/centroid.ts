// Where a pixel's centroid lies.

import { CTX_SAMPLES, ENTRY_MASK } from '../layout/context';

/** Sample at whose position a pixel's centroid lies, -1 for the centre: the first covered one of a pixel that is covered in part. */
export function centroidSample(context: usize, entry: usize, pixel: i32): i32 {
  if (load<i32>(context + CTX_SAMPLES) == 1) return -1;
  const covered = (load<i32>(entry + ENTRY_MASK) >> (pixel << 2)) & 15;
  return covered == 0 || covered == 15 ? -1 : ctz(covered);
}
