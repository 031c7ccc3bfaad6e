// A vertex between two others, for clipping. Twin of mix.scalar.ts.
import { Setup } from '../layout';
import { madd } from '../simd/lanes';
import { positionOf } from './vertices';

/**
 * made = first + (second − first)·t, vertices by number: position and perspective varyings at `t`, linear varyings at
 * `screenT`. Flat ones have no meaning here.
 */
export function mixVertex(setup: Setup, first: u32, second: u32, t: f32, screenT: f32, made: u32): void {
  const ts = f32x4.splat(t);
  const screenTs = f32x4.splat(screenT);
  const position = v128.load(positionOf(setup, first));
  v128.store(positionOf(setup, made), madd(f32x4.sub(v128.load(positionOf(setup, second)), position), ts, position));
  const a = setup.varyingsOf(setup.packet(first));
  const b = setup.varyingsOf(setup.packet(second));
  const out = setup.varyingsOf(setup.packet(made));
  const bytes = <usize>setup.groups << 4;
  let masks = setup.masks;
  for (let at: usize = 0; at < bytes; at += 16, masks += 32) {
    const from = v128.load(a + at);
    const mixed = madd(f32x4.sub(v128.load(b + at), from), v128.bitselect(ts, screenTs, v128.load(masks)), from);
    v128.store(out + at, v128.bitselect(from, mixed, v128.load(masks, 16)));
  }
}
