// Scalar twin of shared-packets.ts.
import { REGISTER_BYTES } from '../layout';

/** Stores the vertices of `quads` quads, whose scalars are the registers from `from` on. */
export function storePacketsScalar(to: usize, from: usize, scalars: i32, quads: i32): void {
  const stride = (<usize>((scalars + 3) & ~3)) << 2;
  for (let lane: usize = 0; lane < (<usize>quads) << 2; lane++, to += stride)
    for (let i = 0; i < scalars; i++) store<u32>(to + (i << 2), load<u32>(from + i * REGISTER_BYTES + (lane << 2)));
}

/** Loads the scalars of `count` triangles, whose indices (`I`) are at `list`, into registers. */
export function gatherPacketsScalar<I>(registers: usize, list: usize, count: u32, packets: usize, scalars: i32): void {
  const stride = (<usize>((scalars + 3) & ~3)) << 2;
  // Unused lanes of the last quad repeat the last triangle.
  for (let lane: u32 = 0; lane < ((count + 3) & ~3); lane++) {
    const triangle = list + min<u32>(lane, count - 1) * 3 * sizeof<I>();
    let to = registers + (lane << 2);
    for (let corner: usize = 0; corner < 3 * sizeof<I>(); corner += sizeof<I>()) {
      const packet = packets + <usize>load<I>(triangle + corner) * stride;
      for (let i = 0; i < scalars; i++, to += REGISTER_BYTES) store<u32>(to, load<u32>(packet + (i << 2)));
    }
  }
}
