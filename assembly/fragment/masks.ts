// Coverage of a quad, bit pixel·samples + sample, seen pixel by pixel.

/** A bit for each pixel of a quad of which a sample is in `mask`: every fourth one of sixteen. */
export function coveredBits(mask: i32): i32 {
  const pairs = mask | (mask >> 1);
  return (pairs | (pairs >> 2)) & 0x1111;
}

/** The pixels of a quad of which a sample is in `mask`: four bits of sixteen. */
export function pixelsOf(mask: i32): i32 {
  const firsts = coveredBits(mask);
  return (firsts | (firsts >> 3) | (firsts >> 6) | (firsts >> 9)) & 15;
}
