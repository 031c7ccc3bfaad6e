// What comparing samples and its scalar twin have in common.

/** A block has more further values than the limit, or looks as if it had. */
export const TOO_MANY = -1;

/** Where a sample lies. */
export function sampleAt(bytes: i32, at: usize, stride: usize, sample: i32): usize {
  return at + (sample >> 2) * stride + (sample & 3) * bytes;
}
