// What sample comparison and its scalar twin share.

/** The block has more additional values than the limit, or appears to have. */
export const TOO_MANY = -1;

/** Address of a sample of the pixel at `at`; `stride` is the distance between layers of four samples. */
export function sampleAt(bytes: i32, at: usize, stride: usize, sample: i32): usize {
  return at + (sample >> 2) * stride + (sample & 3) * bytes;
}
