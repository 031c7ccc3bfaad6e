// Converts the coverage of a quad (bit pixel·samples + sample) to pixels.

/** One bit for each pixel of a quad that has a sample in `mask`: every fourth of sixteen bits. */
export function coveredBits(mask: i32): i32 {
  const pairs = mask | (mask >> 1);
  return (pairs | (pairs >> 2)) & 0x1111;
}

/** The pixels of a quad that have a sample in `mask`, as four bits. `mask` has sixteen bits. */
export function pixelsOf(mask: i32): i32 {
  const firsts = coveredBits(mask);
  return (firsts | (firsts >> 3) | (firsts >> 6) | (firsts >> 9)) & 15;
}
