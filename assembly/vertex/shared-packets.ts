// Packets of a shared range (shared-range.ts): the scalars of a vertex, one after the other, padded to a multiple of
// four. Scalar twin: shared-packets.scalar.ts.
import { REGISTER_BYTES } from '../layout';
import { storeColumns, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';

/** Stores the vertices of `quads` quads, whose scalars are the registers from `from` on. */
export function storePackets(to: usize, from: usize, scalars: i32, quads: i32): void {
  const stride = (<usize>((scalars + 3) & ~3)) << 2;
  for (let at: usize = 0; at < (<usize>quads) << 4; at += 16, to += stride << 2)
    for (let i = 0; i < scalars; i += 4) {
      const register = from + i * REGISTER_BYTES + at;
      const left = scalars - i;
      storeColumns(
        to + (i << 2),
        stride,
        v128.load(register),
        left > 1 ? v128.load(register, 256) : i32x4.splat(0),
        left > 2 ? v128.load(register, 512) : i32x4.splat(0),
        left > 3 ? v128.load(register, 768) : i32x4.splat(0)
      );
    }
}

/**
 * Loads the scalars of `count` triangles, whose indices (`I`) are at `list`, into registers, four triangles at a time.
 * Unused lanes of the last quad repeat the last triangle. `packets`: address that index 0 would have.
 */
export function gatherPackets<I>(registers: usize, list: usize, count: u32, packets: usize, scalars: i32): void {
  const stride = (<usize>((scalars + 3) & ~3)) << 2;
  const bytes: usize = 3 * sizeof<I>();
  const last = list + (count - 1) * bytes;
  for (let lane: u32 = 0; lane < count; lane += 4, list += 4 * bytes) {
    const second = min<usize>(list + bytes, last);
    const third = min<usize>(list + 2 * bytes, last);
    const fourth = min<usize>(list + 3 * bytes, last);
    let to = registers + (lane << 2);
    for (let corner: usize = 0; corner < bytes; corner += sizeof<I>()) {
      let a = packets + <usize>load<I>(list + corner) * stride;
      let b = packets + <usize>load<I>(second + corner) * stride;
      let c = packets + <usize>load<I>(third + corner) * stride;
      let d = packets + <usize>load<I>(fourth + corner) * stride;
      for (let left = scalars; left > 0; left -= 4) {
        const p = v128.load(a);
        const q = v128.load(b);
        const r = v128.load(c);
        const s = v128.load(d);
        v128.store(to, transposeColumn0(p, q, r, s));
        if (left > 1) v128.store(to, transposeColumn1(p, q, r, s), 256);
        if (left > 2) v128.store(to, transposeColumn2(p, q, r, s), 512);
        if (left > 3) v128.store(to, transposeColumn3(p, q, r, s), 768);
        to += min<i32>(left, 4) * REGISTER_BYTES;
        a += 16;
        b += 16;
        c += 16;
        d += 16;
      }
    }
  }
}
