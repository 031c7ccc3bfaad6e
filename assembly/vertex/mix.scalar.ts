// A vertex between two others, for clipping. Twin of mix.ts.
import { PACKET_POSITION, PACKET_VARYINGS, SETUP_FLAT_FIRST, SETUP_GROUPS, SETUP_PERSPECTIVE_COUNT } from '../layout/packet';

/** out = a + (b − a)·t: position and perspective varyings at `t`, linear varyings at `screenT`. Flat ones have no meaning here. */
export function mixVertexScalar(setup: usize, a: usize, b: usize, t: f32, screenT: f32, out: usize): void {
  const perspective = load<i32>(setup + SETUP_PERSPECTIVE_COUNT);
  const flatFirst = load<i32>(setup + SETUP_FLAT_FIRST);
  const varyings = load<i32>(setup + SETUP_GROUPS) << 2;
  for (let i: usize = PACKET_POSITION; i < <usize>PACKET_VARYINGS; i += 4) {
    const from = load<f32>(a + i);
    store<f32>(out + i, from + (load<f32>(b + i) - from) * t);
  }
  for (let i = 0; i < varyings; i++) {
    const at = <usize>PACKET_VARYINGS + (<usize>i << 2);
    const from = load<f32>(a + at);
    if (i >= flatFirst) store<u32>(out + at, load<u32>(a + at));
    else store<f32>(out + at, from + (load<f32>(b + at) - from) * (i < perspective ? t : screenT));
  }
}
