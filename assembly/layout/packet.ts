// PACKET: a shaded vertex on its way from the vertex side to setup; an array of structures, `Setup.stride` bytes each.
//
//   screen (16 bytes)              varyings, in the draw's order, padded to four
//   X, Y (24.8), depth, 1/w        a0 a1 a2 a3 | a4 …
//
// What only clipping reads lies in arrays of its own, so that a mesh's packets stay small: clip-space positions (x, y, z, w) and outcodes
// (u16). Packets, positions and outcodes have EXTRA_VERTICES more behind those of the batch, for the vertices that clipping, points and lines make. X and Y, of
// which most triangles of a mesh need no more to be culled, stand once more in an array of pairs: a first-level cache holds a stretch of it.
//
// SETUP: what setup needs of a draw, made once a draw (geometryBegin), so that no triangle looks it up again.

import { pastFields } from './record';

@unmanaged
export class Packet {
  x: i32;
  y: i32;
  /** Viewport depth, without bias. */
  z: f32;
  /** 1/w. */
  w: f32;
  get varyings(): usize { return pastFields(this); }
}
