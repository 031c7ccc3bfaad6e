/** The next number of a pseudorandom sequence (xorshift32), for schedules in tests; never 0 for a nonzero seed. */
export function xorshift32(seed: u32): u32 {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  return seed ^ (seed << 5);
}
