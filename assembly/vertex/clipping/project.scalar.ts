// From clip space to the screen: outcode, division by w, viewport, snapping to 24.8 fixed point. Scalar twin of
// project.ts.
import {
  OUTCODE_BEHIND,
  OUTCODE_BOTTOM,
  OUTCODE_BYTES,
  OUTCODE_FAR,
  OUTCODE_GUARD,
  OUTCODE_LEFT,
  OUTCODE_NEAR,
  OUTCODE_RIGHT,
  OUTCODE_TOP,
  OUTCODE_NOT_FINITE,
  Setup,
  MIN_W,
} from '../../layout';
import { outcodeOf, positionOf } from './vertices';

/** Computes the screen position and the outcode of a vertex from its clip-space position. */
export function projectVertex(setup: Setup, vertex: u32): void {
  const position = positionOf(setup, vertex);
  const packet = setup.packet(vertex);
  const corner = setup.corner(vertex);
  const x = load<f32>(position);
  const y = load<f32>(position, 4);
  const z = load<f32>(position, 8);
  const w = load<f32>(position, 12);
  let code = 0;
  if (x < -w) code |= OUTCODE_LEFT;
  if (x > w) code |= OUTCODE_RIGHT;
  if (y < -w) code |= OUTCODE_BOTTOM;
  if (y > w) code |= OUTCODE_TOP;
  if (z < 0) code |= OUTCODE_NEAR;
  if (z > w) code |= OUTCODE_FAR;
  if (!(w >= <f32>MIN_W)) code |= OUTCODE_BEHIND;
  if (abs<f32>(x) > setup.guardX * w || abs<f32>(y) > setup.guardY * w) code |= OUTCODE_GUARD;
  // x − x is NaN for infinities too.
  const wild = x - x + (y - y) + (z - z + (w - w));
  if (wild != wild) code |= OUTCODE_NOT_FINITE;
  const rhw: f32 = <f32>1 / w;
  // Round to nearest, ties to even.
  const screenX = nearest<f32>(x * rhw * setup.scaleX + setup.offsetX);
  const screenY = nearest<f32>(y * rhw * setup.scaleY + setup.offsetY);
  corner.x = <i32>screenX;
  corner.y = <i32>screenY;
  packet.z = z * rhw * setup.scaleZ + setup.offsetZ;
  packet.w = rhw;
  store<u16>(setup.outcodeList + vertex * OUTCODE_BYTES, code & setup.outcodes);
}

/**
 * Writes quads of shaded vertices, from number `first` on. `position` is the address of the register of x, followed by
 * y, z and w. `sources` holds u32 addresses of the varyings' registers, as many as a packet has room for. Returns the
 * OR of the vertices' outcodes.
 */
export function packVerticesScalar(setup: Setup, quads: i32, position: usize, sources: usize, first: u32): i32 {
  const varyings = setup.varyingBytes >> 2;
  const end = (<usize>quads) << 4;
  let joined = 0;
  for (let at: usize = 0; at < end; at += 4) {
    const vertex = first + (at >> 2);
    const packet = setup.varyingsOf(setup.packet(vertex));
    for (let i: usize = 0; i < 4; i++)
      store<u32>(positionOf(setup, vertex) + (i << 2), load<u32>(position + (i << 8) + at));
    for (let i: usize = 0; i < varyings; i++)
      store<u32>(packet + (i << 2), load<u32>(load<u32>(sources + (i << 2)) + at));
    projectVertex(setup, vertex);
    joined |= outcodeOf(setup, vertex);
  }
  return joined;
}
