// SETUP: what setup needs of a draw, made once a draw (geometryBegin), so that no triangle looks it up again.
//
//   fields │ masks of varyings │ four triangles side by side │ coverage of layers │ sample positions

import { Draw } from './draw';
import { MAX_VARYINGS } from './limits';
import { Corner, Packet } from './packet';
import { Pass } from './pass';
import { CORNER_BYTES, LIVE_BYTES, LIVE_LAYERS_SHIFT, PLANE_TERMS_SHIFT, STRETCH_TRIANGLES } from './setup-codes';

/** What the planes of a triangle's varyings are made of: its vertices in clockwise order, the one that gives flat varyings. */
@unmanaged
export class PlaneTerms {
  a: Packet;
  b: Packet;
  c: Packet;
  flat: Packet;
  /** ddx = d1·x1 + d2·x2, with d the differences of a value to b and c; ddy likewise. */
  x1: f32;
  x2: f32;
  y1: f32;
  y2: f32;
}
export const PLANE_TERMS_BYTES: usize = offsetof<PlaneTerms>();

/** A triangle that is set up alone: vertices in clockwise order on the screen, 24.8; box in pixels, as in Triangle. */
@unmanaged
export class SetupOne {
  /** Twice the area. */
  area: i64;
  /** Triangle.cover, or 0. */
  cover: u64;
  aX: i32;
  aY: i32;
  bX: i32;
  bY: i32;
  cX: i32;
  cY: i32;
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** 1: it was counter-clockwise. */
  turned: i32;
}
export const SETUP_ONE_BYTES: usize = (offsetof<SetupOne>() + 15) & ~15;

/** A triangle of at most 4×4 pixels, clockwise: its box's corner less the first vertex and the other vertices less it, 24.8; pixels that count, 1 … 4. */
@unmanaged
export class SmallTriangle {
  left: i32;
  top: i32;
  bX: i32;
  bY: i32;
  cX: i32;
  cY: i32;
  width: i32;
  height: i32;
}
export const SMALL_TRIANGLE_BYTES: usize = offsetof<SmallTriangle>();

/** Four triangles that are looked at together. */
@unmanaged
export class SetupLanes {
  /** Of each lane: the corner of its box less the first vertex, 24.8, and the number of pixels. */
  get left(): usize { return changetype<usize>(this) + SETUP_LANES_LEFT; }
  get top(): usize { return changetype<usize>(this) + SETUP_LANES_TOP; }
  get width(): usize { return changetype<usize>(this) + SETUP_LANES_WIDTH; }
  get height(): usize { return changetype<usize>(this) + SETUP_LANES_HEIGHT; }
  /** Samples of small triangles (Triangle.cover), 0 of others: the lower and the upper halves. */
  get cover(): usize { return changetype<usize>(this) + SETUP_LANES_COVER; }
  get coverHigh(): usize { return changetype<usize>(this) + SETUP_LANES_COVER_HIGH; }
}
export const SETUP_LANES_LEFT: usize = offsetof<SetupLanes>();
export const SETUP_LANES_TOP: usize = SETUP_LANES_LEFT + 16;
export const SETUP_LANES_WIDTH: usize = SETUP_LANES_TOP + 16;
export const SETUP_LANES_HEIGHT: usize = SETUP_LANES_WIDTH + 16;
export const SETUP_LANES_COVER: usize = SETUP_LANES_HEIGHT + 16;
export const SETUP_LANES_COVER_HIGH: usize = SETUP_LANES_COVER + 16;
export const SETUP_LANES_BYTES: usize = SETUP_LANES_COVER_HIGH + 16;

/** Triangles of a stretch that are left after culling by facing, and then by boxes and samples; in order, and four more. */
@unmanaged
export class SetupLive {
  /** Where their indices stand, and bit 0 where they are counter-clockwise on the screen. */
  get sources(): usize { return changetype<usize>(this) + SETUP_LIVE_SOURCES; }
  /** The first vertices, 24.8, and the others less them: clockwise once their boxes are looked at. */
  get aX(): usize { return changetype<usize>(this) + SETUP_LIVE_A_X; }
  get aY(): usize { return changetype<usize>(this) + SETUP_LIVE_A_Y; }
  get bX(): usize { return changetype<usize>(this) + SETUP_LIVE_B_X; }
  get bY(): usize { return changetype<usize>(this) + SETUP_LIVE_B_Y; }
  get cX(): usize { return changetype<usize>(this) + SETUP_LIVE_C_X; }
  get cY(): usize { return changetype<usize>(this) + SETUP_LIVE_C_Y; }
  /** Their samples, as SetupLanes.cover has them. */
  get covers(): usize { return changetype<usize>(this) + SETUP_LIVE_COVERS; }
  get coversHigh(): usize { return changetype<usize>(this) + SETUP_LIVE_COVERS_HIGH; }
  /** A PLANE_TERMS each. */
  get terms(): usize { return changetype<usize>(this) + SETUP_LIVE_TERMS; }
  /** Of more than four samples a pixel, 32 bytes each: those of each layer, and of any in SetupLive.covers. */
  get layers(): usize { return changetype<usize>(this) + SETUP_LIVE_LAYERS; }
}
export const SETUP_LIVE_SOURCES: usize = offsetof<SetupLive>();
export const SETUP_LIVE_A_X: usize = SETUP_LIVE_SOURCES + LIVE_BYTES;
export const SETUP_LIVE_A_Y: usize = SETUP_LIVE_A_X + LIVE_BYTES;
export const SETUP_LIVE_B_X: usize = SETUP_LIVE_A_Y + LIVE_BYTES;
export const SETUP_LIVE_B_Y: usize = SETUP_LIVE_B_X + LIVE_BYTES;
export const SETUP_LIVE_C_X: usize = SETUP_LIVE_B_Y + LIVE_BYTES;
export const SETUP_LIVE_C_Y: usize = SETUP_LIVE_C_X + LIVE_BYTES;
export const SETUP_LIVE_COVERS: usize = SETUP_LIVE_C_Y + LIVE_BYTES;
export const SETUP_LIVE_COVERS_HIGH: usize = SETUP_LIVE_COVERS + LIVE_BYTES;
export const SETUP_LIVE_TERMS: usize = SETUP_LIVE_COVERS_HIGH + LIVE_BYTES;
export const SETUP_LIVE_LAYERS: usize = SETUP_LIVE_TERMS + (LIVE_BYTES >> 2 << PLANE_TERMS_SHIFT);
export const SETUP_LIVE_BYTES: usize = SETUP_LIVE_LAYERS + (STRETCH_TRIANGLES << LIVE_LAYERS_SHIFT);

/** Four triangles whose records are written together. */
@unmanaged
export class SetupFour {
  /** Box, tile (−1 for more than one), spans of the vertices' box (24.8). */
  get minX(): usize { return changetype<usize>(this) + SETUP_FOUR_MIN_X; }
  get minY(): usize { return changetype<usize>(this) + SETUP_FOUR_MIN_Y; }
  get maxX(): usize { return changetype<usize>(this) + SETUP_FOUR_MAX_X; }
  get maxY(): usize { return changetype<usize>(this) + SETUP_FOUR_MAX_Y; }
  get tile(): usize { return changetype<usize>(this) + SETUP_FOUR_TILE; }
  get spanX(): usize { return changetype<usize>(this) + SETUP_FOUR_SPAN_X; }
  get spanY(): usize { return changetype<usize>(this) + SETUP_FOUR_SPAN_Y; }
  /** The records' addresses; where their edges and bounds go: to `unused` of small ones. */
  get triangles(): usize { return changetype<usize>(this) + SETUP_FOUR_TRIANGLES; }
  get edges(): usize { return changetype<usize>(this) + SETUP_FOUR_EDGES; }
  /** f64: what the differences of a value at b and c are multiplied by for ddx, and for ddy; four lanes each. */
  get x1F64(): usize { return changetype<usize>(this) + SETUP_FOUR_X1_F64; }
  get x2F64(): usize { return changetype<usize>(this) + SETUP_FOUR_X2_F64; }
  get y1F64(): usize { return changetype<usize>(this) + SETUP_FOUR_Y1_F64; }
  get y2F64(): usize { return changetype<usize>(this) + SETUP_FOUR_Y2_F64; }
  get unused(): usize { return changetype<usize>(this) + SETUP_FOUR_UNUSED; }
}
export const SETUP_FOUR_MIN_X: usize = offsetof<SetupFour>();
export const SETUP_FOUR_MIN_Y: usize = SETUP_FOUR_MIN_X + 16;
export const SETUP_FOUR_MAX_X: usize = SETUP_FOUR_MIN_Y + 16;
export const SETUP_FOUR_MAX_Y: usize = SETUP_FOUR_MAX_X + 16;
export const SETUP_FOUR_TILE: usize = SETUP_FOUR_MAX_Y + 16;
export const SETUP_FOUR_SPAN_X: usize = SETUP_FOUR_TILE + 16;
export const SETUP_FOUR_SPAN_Y: usize = SETUP_FOUR_SPAN_X + 16;
export const SETUP_FOUR_TRIANGLES: usize = SETUP_FOUR_SPAN_Y + 16;
export const SETUP_FOUR_EDGES: usize = SETUP_FOUR_TRIANGLES + 16;
export const SETUP_FOUR_X1_F64: usize = SETUP_FOUR_EDGES + 16;
export const SETUP_FOUR_X2_F64: usize = SETUP_FOUR_X1_F64 + 32;
export const SETUP_FOUR_Y1_F64: usize = SETUP_FOUR_X2_F64 + 32;
export const SETUP_FOUR_Y2_F64: usize = SETUP_FOUR_Y1_F64 + 32;
export const SETUP_FOUR_UNUSED: usize = SETUP_FOUR_Y2_F64 + 32;
export const SETUP_FOUR_BYTES: usize = SETUP_FOUR_UNUSED + 64;

/** Four samples of a layer within a pixel, in 1/256. */
@unmanaged
export class LayerPositions {
  get x(): usize { return changetype<usize>(this) + LAYER_POSITIONS_X; }
  get y(): usize { return changetype<usize>(this) + LAYER_POSITIONS_Y; }
}
export const LAYER_POSITIONS_X: usize = offsetof<LayerPositions>();
export const LAYER_POSITIONS_Y: usize = LAYER_POSITIONS_X + 16;
export const LAYER_POSITIONS_BYTES: usize = LAYER_POSITIONS_Y + 16;

@unmanaged
export class Setup {
  /** DRAW and PASS records. */
  draw: Draw;
  pass: Pass;
  /** Bytes of a packet, and of what it has before depth and 1/w. */
  stride: u32;
  varyingBytes: u32;
  /** Groups of four varyings. */
  groups: i32;
  /** f32: screen = ndc · scale + offset; x and y in 1/256 pixel, z in depth. */
  scaleX: f32;
  offsetX: f32;
  scaleY: f32;
  offsetY: f32;
  scaleZ: f32;
  offsetZ: f32;
  /** f32: the guard band in clip space, |x| ≤ guard · w. */
  guardX: f32;
  guardY: f32;
  /** Outcodes that count: without near and far when depth is unclipped. */
  outcodes: i32;
  /** Pixels: scissor ∩ viewport ∩ pass; i32, maximum exclusive. */
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** First and last position of a sample within a pixel, in 1/256. */
  sampleFirst: i32;
  sampleLast: i32;
  /** f32: depth per unit of constant bias; 0: by the exponent of the largest depth (float formats). */
  biasUnit: f32;
  /** 1: the draw has a depth bias. */
  biased: i32;
  perspectiveCount: i32;
  /** First flat varying. */
  flatFirst: i32;
  /** Addresses of the packets, their positions and their outcodes; the number of the first extra vertex. */
  packets: usize;
  positions: usize;
  outcodeList: usize;
  extra: u32;
  /** CORNERs. */
  corners: usize;
  /** Sides of the boxes of pixels of which four are covered at once. */
  tiny: i32;
  /** What the bits of four triangles, set where they are counter-clockwise on the screen, are xored with, and then which of them are culled. */
  cullFlip: i32;
  cullMask: i32;
  /** 255 less Setup.sampleLast. */
  sampleUp: i32;
  /** Samples of a pixel: Pass.samples. */
  samples: i32;
  /** A stretch of triangles: how many were culled, by cause; the longest sides of boxes, in pixels, by lane. */
  culledArea: i32;
  culledFace: i32;
  culledOutside: i32;
  culledBetween: i32;
  /** For each group of four varyings two v128 of lane masks: perspective, flat. */
  get masks(): usize { return changetype<usize>(this) + SETUP_MASKS; }
  get lanes(): SetupLanes { return changetype<SetupLanes>(changetype<usize>(this) + SETUP_LANES); }
  /** u64, one a layer: what coverLayers found. */
  get covers(): usize { return changetype<usize>(this) + SETUP_COVERS; }
  /** For each layer the positions of its four samples within a pixel, in 1/256: i32x4 of x, i32x4 of y. */
  get layers(): usize { return changetype<usize>(this) + SETUP_LAYERS; }
  layer(index: usize): LayerPositions { return changetype<LayerPositions>(changetype<usize>(this) + SETUP_LAYERS + index * LAYER_POSITIONS_BYTES); }
  get longest(): usize { return changetype<usize>(this) + SETUP_LONGEST; }
  get live(): SetupLive { return changetype<SetupLive>(changetype<usize>(this) + SETUP_LIVE); }
  get four(): SetupFour { return changetype<SetupFour>(changetype<usize>(this) + SETUP_FOUR); }
  get one(): SetupOne { return changetype<SetupOne>(changetype<usize>(this) + SETUP_ONE); }
  get small(): SmallTriangle { return changetype<SmallTriangle>(changetype<usize>(this) + SETUP_SMALL); }
  get terms(): PlaneTerms { return changetype<PlaneTerms>(changetype<usize>(this) + SETUP_TERMS); }
  /** A vertex by its number. */
  packet(vertex: u32): Packet { return changetype<Packet>(this.packets + <usize>(vertex * this.stride + this.varyingBytes)); }
  varyingsOf(packet: Packet): usize { return changetype<usize>(packet) - this.varyingBytes; }
  corner(vertex: u32): Corner { return changetype<Corner>(this.corners + <usize>(vertex * CORNER_BYTES)); }
}
export const SETUP_MASKS: usize = (offsetof<Setup>() + 15) & ~15;
export const SETUP_LANES: usize = SETUP_MASKS + ((MAX_VARYINGS >> 2) * 32);
export const SETUP_COVERS: usize = SETUP_LANES + SETUP_LANES_BYTES;
export const SETUP_LAYERS: usize = SETUP_COVERS + 4 * 8;
export const SETUP_LONGEST: usize = SETUP_LAYERS + 4 * LAYER_POSITIONS_BYTES;
export const SETUP_LIVE: usize = SETUP_LONGEST + 16;
export const SETUP_FOUR: usize = SETUP_LIVE + SETUP_LIVE_BYTES;
export const SETUP_ONE: usize = SETUP_FOUR + SETUP_FOUR_BYTES;
export const SETUP_TERMS: usize = SETUP_ONE + SETUP_ONE_BYTES;
export const SETUP_SMALL: usize = SETUP_TERMS + PLANE_TERMS_BYTES;
export const SETUP_BYTES: usize = (SETUP_SMALL + SMALL_TRIANGLE_BYTES + 15) & ~15;
