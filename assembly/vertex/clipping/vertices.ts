// The vertices of a batch by number: addresses of their positions and outcodes (for packets and corners, see Setup).
// The first extra vertices (Setup.extra) are for corners that clipping makes, those from EXTRA_CORNERS on for points
// and lines.
import { CUT_VERTICES, DISTANCE_BYTES, MAX_DISTANCES, OUTCODE_BYTES, POSITION_BYTES, Setup } from '../../layout';

/** Number of planes of the clip volume. */
export const VOLUME_PLANES = 7;
const EXTRA_CORNERS = (VOLUME_PLANES + MAX_DISTANCES) * CUT_VERTICES;

/** Address of x, y, z, w in clip space. */
export function positionOf(setup: Setup, vertex: u32): usize {
  return setup.positions + vertex * POSITION_BYTES;
}

/** Address of a vertex's clip distances. */
export function distancesOf(setup: Setup, vertex: u32): usize {
  return setup.distances + vertex * DISTANCE_BYTES;
}

/** OUTCODE_* bits of a vertex. */
export function outcodeOf(setup: Setup, vertex: u32): i32 {
  return load<u16>(setup.outcodeList + vertex * OUTCODE_BYTES);
}

/** Number of the i-th vertex that clipping makes for one primitive. */
export function cutVertex(setup: Setup, i: i32): u32 {
  return setup.extra + i;
}

/** Number of the i-th corner of a point or line. */
export function cornerVertex(setup: Setup, i: i32): u32 {
  return setup.extra + EXTRA_CORNERS + i;
}
