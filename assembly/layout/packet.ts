// PACKET: a shaded vertex on its way from the vertex side to setup; an array of structures, `Setup.stride` bytes each.
//
//   varyings, in the draw's order   up to a multiple of 16 bytes   screen
//   a0 a1 a2 …                                                     depth, 1/w
//
// Varyings are read four at a time: what a last group has beyond them means nothing. Depth stands last, so that no
// group reaches into the next packet, and another line of the cache.
//
// What triangles need before they are known to be seen lies in arrays of its own, so that a cache holds a stretch of
// it: CORNERs; likewise what only clipping reads: clip-space positions (x, y, z, w) and outcodes (u16). All have
// EXTRA_VERTICES more behind those of the batch, for the vertices that clipping, points and lines make.

/** Its last bytes: Setup.varyingsOf. */
@unmanaged
export class Packet {
  /** Viewport depth, without bias. */
  z: f32;
  /** 1/w. */
  w: f32;
}

/** Where a vertex lies on the screen, 24.8. */
@unmanaged
export class Corner {
  x: i32;
  y: i32;
}
