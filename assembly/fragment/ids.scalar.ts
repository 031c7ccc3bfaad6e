// Scalar twin of ids.ts.

export function matchIdsScalar(ids: usize, id: u32): i32 {
  let mask = 0;
  for (let i = 0; i < 16; i++) mask |= <i32>(load<u32>(ids + (<usize>i << 2)) == id) << i;
  return mask;
}
