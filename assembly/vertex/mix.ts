// A vertex between two others, for clipping. Twin of mix.scalar.ts.
import { PACKET_POSITION, PACKET_VARYINGS, SETUP_GROUPS, SETUP_MASKS } from '../layout/packet';
import { madd } from '../simd/lanes';

/** out = a + (b − a)·t: position and perspective varyings at `t`, linear varyings at `screenT`. Flat ones have no meaning here. */
export function mixVertex(setup: usize, a: usize, b: usize, t: f32, screenT: f32, out: usize): void {
  const ts = f32x4.splat(t);
  const screenTs = f32x4.splat(screenT);
  const position = v128.load(a, PACKET_POSITION);
  v128.store(out, madd(f32x4.sub(v128.load(b, PACKET_POSITION), position), ts, position), PACKET_POSITION);
  const bytes = <usize>load<i32>(setup + SETUP_GROUPS) << 4;
  let masks = setup + SETUP_MASKS;
  for (let at: usize = 0; at < bytes; at += 16, masks += 32) {
    const from = v128.load(a + at, PACKET_VARYINGS);
    const mixed = madd(f32x4.sub(v128.load(b + at, PACKET_VARYINGS), from), v128.bitselect(ts, screenTs, v128.load(masks)), from);
    v128.store(out + at, v128.bitselect(from, mixed, v128.load(masks, 16)), PACKET_VARYINGS);
  }
}
