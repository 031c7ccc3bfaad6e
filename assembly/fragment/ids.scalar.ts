// Scalar twin of ids.ts.

export function matchIdsScalar(ids: usize, id: u32): i32 {
  return match(ids, id, 16);
}

export function matchFourScalar(ids: usize, id: u32): i32 {
  return match(ids, id, 4);
}

function match(ids: usize, id: u32, count: i32): i32 {
  let mask = 0;
  for (let i = 0; i < count; i++) mask |= (<i32>(load<u32>(ids + (i << 2)) == id)) << i;
  return mask;
}

/** Returns bit i for each of `count` words that equals `id`, and sets these words to 0. */
export function takeScalar(ids: usize, id: u32, count: i32): i32 {
  let mask = 0;
  for (let i = 0; i < count; i++) {
    if (load<u32>(ids + (i << 2)) != id) continue;
    store<u32>(ids + (i << 2), 0);
    mask |= 1 << i;
  }
  return mask;
}
