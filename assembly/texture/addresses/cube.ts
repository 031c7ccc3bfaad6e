// Cube maps: faces (in the order +X −X +Y −Y +Z −Z), face coordinates, and the adjacent texel across an edge.
//
//   face   s     t     major      (WebGPU § 23.1.8, the table of Vulkan and D3D)
//   +X    −z    −y     x
//   −X     z    −y    −x
//   +Y     x     z     y
//   −Y     x    −z    −y
//   +Z     x    −y     z
//   −Z    −x    −y    −z
import { TextureLevel } from '../../layout';

/** The face of a direction; of equal components z wins over y, and y over x. NaN and zero give some valid face. */
export function cubeFace(x: f32, y: f32, z: f32): i32 {
  const ax = abs<f32>(x);
  const ay = abs<f32>(y);
  const az = abs<f32>(z);
  if (az >= ax && az >= ay) return z < 0 ? 5 : 4;
  if (ay >= ax) return y < 0 ? 3 : 2;
  return x < 0 ? 1 : 0;
}

export function faceS(face: i32, x: f32, y: f32, z: f32): f32 {
  return face == 0 ? -z : face == 1 ? z : face == 5 ? -x : x;
}

export function faceT(face: i32, x: f32, y: f32, z: f32): f32 {
  return face == 2 ? z : face == 3 ? -z : -y;
}

/** The component along the face's axis, positive on the face's own side. */
export function faceMajor(face: i32, x: f32, y: f32, z: f32): f32 {
  const major = face < 2 ? x : face < 4 ? y : z;
  return face & 1 ? -major : major;
}

/**
 * The texel (i, j) of a face of `size`² texels, where i or j may be −1 or `size`: that is the adjacent texel of the
 * neighbouring face. At a corner, where three faces meet and there is no fourth texel, the face's own corner texel is
 * used. Returns face, row and column packed in one number; see placeFace, placeRow and placeColumn.
 */
export function cubePlace(face: i32, size: i32, i: i32, j: i32): u64 {
  const outI = <u32>i >= <u32>size;
  const outJ = <u32>j >= <u32>size;
  if (outI && outJ) {
    i = max<i32>(0, min<i32>(i, size - 1));
    j = max<i32>(0, min<i32>(j, size - 1));
  } else if (outI || outJ) {
    // The texel's centre as a point in space, in half texels from the cube's centre, seen from its own face.
    const s = 2 * i + 1 - size;
    const t = 2 * j + 1 - size;
    const x = face == 0 ? size : face == 1 ? -size : face == 5 ? -s : s;
    const y = face == 2 ? size : face == 3 ? -size : -t;
    const z = face == 0 ? -s : face == 1 ? s : face == 2 ? t : face == 3 ? -t : face == 4 ? size : -size;
    const ax = abs<i32>(x);
    const ay = abs<i32>(y);
    const az = abs<i32>(z);
    face = az > ax && az > ay ? (z < 0 ? 5 : 4) : ay > ax ? (y < 0 ? 3 : 2) : x < 0 ? 1 : 0;
    const s2 = face == 0 ? -z : face == 1 ? z : face == 5 ? -x : x;
    const t2 = face == 2 ? z : face == 3 ? -z : -y;
    // Past the edge, the centre maps to the neighbour's outermost column or row.
    i = max<i32>(0, (s2 + size - 1) >> 1);
    j = max<i32>(0, (t2 + size - 1) >> 1);
  }
  return ((<u64>face) << 32) | ((<u64>j) << 16) | (<u64>i);
}
export function placeFace(place: u64): i32 {
  return <i32>(place >> 32);
}
export function placeRow(place: u64): i32 {
  return <i32>((place >> 16) & 0xffff);
}
export function placeColumn(place: u64): i32 {
  return <i32>(place & 0xffff);
}

/** Byte offset of the texel of cubePlace within its cube. */
export function cubeTexel(record: TextureLevel, texelBytes: i32, face: i32, size: i32, i: i32, j: i32): usize {
  const place = cubePlace(face, size, i, j);
  return placeFace(place) * record.layerBytes + placeRow(place) * record.rowBytes + placeColumn(place) * texelBytes;
}
