// The vertices of a batch by number: where their packets, positions and outcodes lie. The first extra vertices (SETUP_EXTRA) are for the
// corners that clipping makes, those from EXTRA_CORNERS on for points and lines.
import { OUTCODE_BYTES, POSITION_BYTES, SETUP_EXTRA, SETUP_OUTCODE_LIST, SETUP_PACKETS, SETUP_POSITIONS, SETUP_STRIDE } from '../layout/packet';

const EXTRA_CORNERS = 14;

// @ts-ignore: decorator
@inline export function packetOf(setup: usize, vertex: u32): usize { return <usize>load<u32>(setup + SETUP_PACKETS) + <usize>(vertex * load<u32>(setup + SETUP_STRIDE)); }

/** Address of x, y, z, w in clip space. */
// @ts-ignore: decorator
@inline export function positionOf(setup: usize, vertex: u32): usize { return <usize>load<u32>(setup + SETUP_POSITIONS) + <usize>(vertex * POSITION_BYTES); }

/** OUTCODE_*. */
// @ts-ignore: decorator
@inline export function outcodeOf(setup: usize, vertex: u32): i32 { return load<u16>(<usize>load<u32>(setup + SETUP_OUTCODE_LIST) + <usize>(vertex * OUTCODE_BYTES)); }

/** Number of the i-th vertex that clipping makes of one primitive. */
// @ts-ignore: decorator
@inline export function cutVertex(setup: usize, i: i32): u32 { return load<u32>(setup + SETUP_EXTRA) + i; }

/** Number of the i-th corner of a point or line. */
// @ts-ignore: decorator
@inline export function cornerVertex(setup: usize, i: i32): u32 { return load<u32>(setup + SETUP_EXTRA) + EXTRA_CORNERS + i; }
