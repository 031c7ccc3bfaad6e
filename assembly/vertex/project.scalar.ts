// From clip space to the screen: outcode, division, viewport, snapping to 24.8. Twin of project.ts.
import * as P from '../layout/packet';
import { outcodeOf, packetOf, positionOf } from './vertices';

/** Fills the screen part and the outcode of a vertex from its clip-space position. */
export function projectVertex(setup: usize, vertex: u32): void {
  const position = positionOf(setup, vertex);
  const packet = packetOf(setup, vertex);
  const x = load<f32>(position);
  const y = load<f32>(position, 4);
  const z = load<f32>(position, 8);
  const w = load<f32>(position, 12);
  let code = 0;
  if (x < -w) code |= P.OUTCODE_LEFT;
  if (x > w) code |= P.OUTCODE_RIGHT;
  if (y < -w) code |= P.OUTCODE_BOTTOM;
  if (y > w) code |= P.OUTCODE_TOP;
  if (z < 0) code |= P.OUTCODE_NEAR;
  if (z > w) code |= P.OUTCODE_FAR;
  if (!(w >= <f32>P.W_MINIMUM)) code |= P.OUTCODE_BEHIND;
  if (abs<f32>(x) > load<f32>(setup + P.SETUP_GUARD_X) * w || abs<f32>(y) > load<f32>(setup + P.SETUP_GUARD_Y) * w) code |= P.OUTCODE_GUARD;
  // x − x is NaN for infinities too.
  const wild = (x - x) + (y - y) + ((z - z) + (w - w));
  if (wild != wild) code |= P.OUTCODE_WILD;
  const rhw: f32 = <f32>1 / w;
  // Nearest, half to even.
  const screenX = nearest<f32>(x * rhw * load<f32>(setup + P.SETUP_SCALE_X) + load<f32>(setup + P.SETUP_OFFSET_X));
  const screenY = nearest<f32>(y * rhw * load<f32>(setup + P.SETUP_SCALE_Y) + load<f32>(setup + P.SETUP_OFFSET_Y));
  store<i32>(packet + P.PACKET_X, <i32>(screenX));
  store<i32>(packet + P.PACKET_Y, <i32>(screenY));
  store<f32>(packet + P.PACKET_Z, z * rhw * load<f32>(setup + P.SETUP_SCALE_Z) + load<f32>(setup + P.SETUP_OFFSET_Z));
  store<f32>(packet + P.PACKET_W, rhw);
  store<u16>(<usize>load<u32>(setup + P.SETUP_OUTCODE_LIST) + <usize>(vertex * P.OUTCODE_BYTES), code & load<i32>(setup + P.SETUP_OUTCODES));
}

/**
 * Writes quads of shaded vertices, from number `first` on. `position`: address of the register of x, with y, z, w behind it;
 * varyings: addresses of registers, four a group, as u32 at `sources`. Gives their outcodes, joined.
 */
export function packVerticesScalar(setup: usize, quads: i32, position: usize, sources: usize, first: u32): i32 {
  const varyings = <usize>load<u32>(setup + P.SETUP_GROUPS) << 2;
  const end = <usize>quads << 4;
  let joined = 0;
  for (let at: usize = 0; at < end; at += 4) {
    const vertex = first + (<u32>at >> 2);
    const packet = packetOf(setup, vertex);
    for (let i: usize = 0; i < 4; i++) store<u32>(positionOf(setup, vertex) + (i << 2), load<u32>(position + (i << 8) + at));
    for (let i: usize = 0; i < varyings; i++) store<u32>(packet + P.PACKET_VARYINGS + (i << 2), load<u32>(<usize>load<u32>(sources + (i << 2)) + at));
    projectVertex(setup, vertex);
    store<u64>(<usize>load<u32>(setup + P.SETUP_CORNERS) + <usize>(vertex * P.CORNER_BYTES), load<u64>(packet, P.PACKET_X));
    joined |= outcodeOf(setup, vertex);
  }
  return joined;
}
