// PACKET: a shaded vertex on its way from the vertex side to setup. Packets are an array of structures, `Setup.stride`
// bytes each.
//
//   varyings, in the draw call's order   up to a multiple of 16 bytes   screen
//   a0 a1 a2 …                                                          depth, 1/w
//
// Varyings are read four at a time; what the last group reads beyond them is undefined. Depth comes last, so that no
// group reaches into the next packet and another cache line.
//
// Data that is needed before triangles are known to be visible is in separate arrays, so that more of it fits the
// cache: CORNERs, and for clipping only, clip-space positions (x, y, z, w) and outcodes (u16). All arrays have
// EXTRA_VERTICES more elements after those of the batch, for vertices that clipping, points and lines create.

/** The last bytes of a packet; Setup.varyingsOf gives its first. */
@unmanaged
export class Packet {
  /** Viewport depth, without bias. */
  z: f32;
  /** 1/w. */
  w: f32;
}

/** CORNER: screen position of a vertex, 24.8. */
@unmanaged
export class Corner {
  x: i32;
  y: i32;
}
