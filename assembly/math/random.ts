/** The next number of a schedule that tests ask for (xorshift32); never 0. */
export function xorshift32(seed: u32): u32 {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  return seed ^ seed << 5;
}
