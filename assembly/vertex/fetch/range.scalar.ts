// Scans index buffers, one index at a time. Scalar twin of range.ts.

function indexAt(address: usize, i: u32, bytes: i32): u32 {
  return bytes == 2 ? load<u16>(address + (i << 1)) : load<u32>(address + (i << 2));
}

export function indexBoundsScalar(address: usize, count: u32, bytes: i32, out: usize): void {
  let least = indexAt(address, 0, bytes);
  let most = least;
  for (let i: u32 = 1; i < count; i++) {
    const index = indexAt(address, i, bytes);
    least = min<u32>(least, index);
    most = max<u32>(most, index);
  }
  store<u32>(out, least);
  store<u32>(out, most, 4);
}

/**
 * Number of distinct values of `count` indices, all within `first` … `first` + `range` − 1. `bitmap` is scratch of
 * (range + 63) / 64 · 8 bytes.
 */
export function countDistinct(address: usize, count: u32, bytes: i32, first: u32, range: u32, bitmap: usize): u32 {
  const end = bitmap + (((range + 63) >> 6) << 3);
  memory.fill(bitmap, 0, end - bitmap);
  for (let i: u32 = 0; i < count; i++) {
    const bit = indexAt(address, i, bytes) - first;
    const at = bitmap + (bit >> 3);
    store<u8>(at, load<u8>(at) | ((<u32>1) << (bit & 7)));
  }
  let distinct: u64 = 0;
  for (let at = bitmap; at < end; at += 8) distinct += popcnt(load<u64>(at));
  return <u32>distinct;
}
