// SETUP: what setup needs of a draw, made once a draw (geometryBegin), so that no triangle looks it up again.
//
//   fields │ masks of varyings │ four triangles side by side │ coverage of layers │ sample positions

import { Draw } from './draw';
import { MAX_VARYINGS } from './limits';
import { Pass } from './pass';
import { LIVE_LAYERS_SHIFT, LIVE_PACKETS_BYTES, STRETCH_TRIANGLES } from './setup-codes';

/** Four triangles that are looked at together. */
@unmanaged
export class SetupLanes {
  get minX(): usize { return changetype<usize>(this) + SETUP_LANES_MIN_X; }
  get minY(): usize { return changetype<usize>(this) + SETUP_LANES_MIN_Y; }
  get width(): usize { return changetype<usize>(this) + SETUP_LANES_WIDTH; }
  get height(): usize { return changetype<usize>(this) + SETUP_LANES_HEIGHT; }
  /** The first vertices, and the others less them, 24.8. */
  get aX(): usize { return changetype<usize>(this) + SETUP_LANES_A_X; }
  get aY(): usize { return changetype<usize>(this) + SETUP_LANES_A_Y; }
  get bX(): usize { return changetype<usize>(this) + SETUP_LANES_B_X; }
  get bY(): usize { return changetype<usize>(this) + SETUP_LANES_B_Y; }
  get cX(): usize { return changetype<usize>(this) + SETUP_LANES_C_X; }
  get cY(): usize { return changetype<usize>(this) + SETUP_LANES_C_Y; }
  /** Samples of small triangles (Triangle.cover), 0 of others: the lower and the upper halves. */
  get cover(): usize { return changetype<usize>(this) + SETUP_LANES_COVER; }
  get coverHigh(): usize { return changetype<usize>(this) + SETUP_LANES_COVER_HIGH; }
}
export const SETUP_LANES_MIN_X: usize = offsetof<SetupLanes>();
export const SETUP_LANES_MIN_Y: usize = SETUP_LANES_MIN_X + 16;
export const SETUP_LANES_WIDTH: usize = SETUP_LANES_MIN_Y + 16;
export const SETUP_LANES_HEIGHT: usize = SETUP_LANES_WIDTH + 16;
export const SETUP_LANES_A_X: usize = SETUP_LANES_HEIGHT + 16;
export const SETUP_LANES_A_Y: usize = SETUP_LANES_A_X + 16;
export const SETUP_LANES_B_X: usize = SETUP_LANES_A_Y + 16;
export const SETUP_LANES_B_Y: usize = SETUP_LANES_B_X + 16;
export const SETUP_LANES_C_X: usize = SETUP_LANES_B_Y + 16;
export const SETUP_LANES_C_Y: usize = SETUP_LANES_C_X + 16;
export const SETUP_LANES_COVER: usize = SETUP_LANES_C_Y + 16;
export const SETUP_LANES_COVER_HIGH: usize = SETUP_LANES_COVER + 16;
export const SETUP_LANES_BYTES: usize = SETUP_LANES_COVER_HIGH + 16;

/** Triangles of a stretch that were not culled, in order, and four more. */
@unmanaged
export class SetupLive {
  get indices(): usize { return changetype<usize>(this) + SETUP_LIVE_INDICES; }
  /** their samples as SetupLanes.cover says; */
  get covers(): usize { return changetype<usize>(this) + SETUP_LIVE_COVERS; }
  get coversHigh(): usize { return changetype<usize>(this) + SETUP_LIVE_COVERS_HIGH; }
  /** packets of their vertices in clockwise order: of the first ones, and as many bytes after each other of the second and third ones; */
  get packets(): usize { return changetype<usize>(this) + SETUP_LIVE_PACKETS; }
  /** of more than four samples a pixel, 32 bytes each: those of each layer, and of any in SetupLive.covers. */
  get layers(): usize { return changetype<usize>(this) + SETUP_LIVE_LAYERS; }
}
export const SETUP_LIVE_INDICES: usize = offsetof<SetupLive>();
export const SETUP_LIVE_COVERS: usize = SETUP_LIVE_INDICES + LIVE_PACKETS_BYTES;
export const SETUP_LIVE_COVERS_HIGH: usize = SETUP_LIVE_COVERS + LIVE_PACKETS_BYTES;
export const SETUP_LIVE_PACKETS: usize = SETUP_LIVE_COVERS_HIGH + LIVE_PACKETS_BYTES;
export const SETUP_LIVE_LAYERS: usize = SETUP_LIVE_PACKETS + 3 * LIVE_PACKETS_BYTES;
export const SETUP_LIVE_BYTES: usize = SETUP_LIVE_LAYERS + (STRETCH_TRIANGLES << LIVE_LAYERS_SHIFT);

/** Four triangles whose records are written together. */
@unmanaged
export class SetupFour {
  get a(): usize { return changetype<usize>(this) + SETUP_FOUR_A; }
  get b(): usize { return changetype<usize>(this) + SETUP_FOUR_B; }
  get c(): usize { return changetype<usize>(this) + SETUP_FOUR_C; }
  /** box, tile (−1 for several), spans of the vertices' box (24.8), the record's flags; */
  get minX(): usize { return changetype<usize>(this) + SETUP_FOUR_MIN_X; }
  get minY(): usize { return changetype<usize>(this) + SETUP_FOUR_MIN_Y; }
  get maxX(): usize { return changetype<usize>(this) + SETUP_FOUR_MAX_X; }
  get maxY(): usize { return changetype<usize>(this) + SETUP_FOUR_MAX_Y; }
  get tile(): usize { return changetype<usize>(this) + SETUP_FOUR_TILE; }
  get spanX(): usize { return changetype<usize>(this) + SETUP_FOUR_SPAN_X; }
  get spanY(): usize { return changetype<usize>(this) + SETUP_FOUR_SPAN_Y; }
  get flags(): usize { return changetype<usize>(this) + SETUP_FOUR_FLAGS; }
  /** −1 where b and c have changed places; the records' addresses; */
  get turned(): usize { return changetype<usize>(this) + SETUP_FOUR_TURNED; }
  get triangles(): usize { return changetype<usize>(this) + SETUP_FOUR_TRIANGLES; }
  /** f32: what the differences of a value at b and c are multiplied by for ddx, and for ddy; */
  get x1(): usize { return changetype<usize>(this) + SETUP_FOUR_X1; }
  get x2(): usize { return changetype<usize>(this) + SETUP_FOUR_X2; }
  get y1(): usize { return changetype<usize>(this) + SETUP_FOUR_Y1; }
  get y2(): usize { return changetype<usize>(this) + SETUP_FOUR_Y2; }
  /** i64: twice the area; f64: the same factors, four lanes each. */
  get area(): usize { return changetype<usize>(this) + SETUP_FOUR_AREA; }
  get x1F64(): usize { return changetype<usize>(this) + SETUP_FOUR_X1_F64; }
  get x2F64(): usize { return changetype<usize>(this) + SETUP_FOUR_X2_F64; }
  get y1F64(): usize { return changetype<usize>(this) + SETUP_FOUR_Y1_F64; }
  get y2F64(): usize { return changetype<usize>(this) + SETUP_FOUR_Y2_F64; }
}
export const SETUP_FOUR_A: usize = offsetof<SetupFour>();
export const SETUP_FOUR_B: usize = SETUP_FOUR_A + 4 * 16;
export const SETUP_FOUR_C: usize = SETUP_FOUR_B + 4 * 16;
export const SETUP_FOUR_MIN_X: usize = SETUP_FOUR_C + 4 * 16;
export const SETUP_FOUR_MIN_Y: usize = SETUP_FOUR_MIN_X + 16;
export const SETUP_FOUR_MAX_X: usize = SETUP_FOUR_MIN_Y + 16;
export const SETUP_FOUR_MAX_Y: usize = SETUP_FOUR_MAX_X + 16;
export const SETUP_FOUR_TILE: usize = SETUP_FOUR_MAX_Y + 16;
export const SETUP_FOUR_SPAN_X: usize = SETUP_FOUR_TILE + 16;
export const SETUP_FOUR_SPAN_Y: usize = SETUP_FOUR_SPAN_X + 16;
export const SETUP_FOUR_FLAGS: usize = SETUP_FOUR_SPAN_Y + 16;
export const SETUP_FOUR_TURNED: usize = SETUP_FOUR_FLAGS + 16;
export const SETUP_FOUR_TRIANGLES: usize = SETUP_FOUR_TURNED + 16;
export const SETUP_FOUR_X1: usize = SETUP_FOUR_TRIANGLES + 16;
export const SETUP_FOUR_X2: usize = SETUP_FOUR_X1 + 16;
export const SETUP_FOUR_Y1: usize = SETUP_FOUR_X2 + 16;
export const SETUP_FOUR_Y2: usize = SETUP_FOUR_Y1 + 16;
export const SETUP_FOUR_AREA: usize = SETUP_FOUR_Y2 + 16;
export const SETUP_FOUR_X1_F64: usize = SETUP_FOUR_AREA + 32;
export const SETUP_FOUR_X2_F64: usize = SETUP_FOUR_X1_F64 + 32;
export const SETUP_FOUR_Y1_F64: usize = SETUP_FOUR_X2_F64 + 32;
export const SETUP_FOUR_Y2_F64: usize = SETUP_FOUR_Y1_F64 + 32;
export const SETUP_FOUR_BYTES: usize = SETUP_FOUR_Y2_F64 + 32;

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
  /** Bytes of a packet's vertex. */
  stride: u32;
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
  /** Orientation that is culled: 1: E < 0 (counter-clockwise on the screen), 2: clockwise, 0: neither. */
  cullSide: i32;
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
  /** Address of the pairs of X and Y. */
  corners: usize;
  /** Sides of the boxes of pixels of which four are covered at once. */
  tiny: i32;
  /** As Setup.cullSide, four bits a side: what the bits of counter-clockwise triangles are xored with, and then which are culled. */
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
  /** Of four triangles that are looked at together, 32-bit lanes: the box's least pixel, and the number of pixels. */
  get lanes(): SetupLanes { return changetype<SetupLanes>(changetype<usize>(this) + SETUP_LANES); }
  /** u64, one a layer: what coverLayers found. */
  get covers(): usize { return changetype<usize>(this) + SETUP_COVERS; }
  /** For each layer the positions of its four samples within a pixel, in 1/256: i32x4 of x, i32x4 of y. */
  get layers(): usize { return changetype<usize>(this) + SETUP_LAYERS; }
  layer(index: usize): LayerPositions { return changetype<LayerPositions>(changetype<usize>(this) + SETUP_LAYERS + index * LAYER_POSITIONS_BYTES); }
  get longest(): usize { return changetype<usize>(this) + SETUP_LONGEST; }
  /** Those that were not culled, in order, and four more: where their indices stand, and bit 0 where they are counter-clockwise on the screen; */
  get live(): SetupLive { return changetype<SetupLive>(changetype<usize>(this) + SETUP_LIVE); }
  /** Four triangles whose records are written together, 32-bit lanes: screen positions, depth and 1/w of vertices in clockwise order; */
  get four(): SetupFour { return changetype<SetupFour>(changetype<usize>(this) + SETUP_FOUR); }
}
export const SETUP_MASKS: usize = (offsetof<Setup>() + 15) & ~15;
export const SETUP_LANES: usize = SETUP_MASKS + ((MAX_VARYINGS >> 2) * 32);
export const SETUP_COVERS: usize = SETUP_LANES + SETUP_LANES_BYTES;
export const SETUP_LAYERS: usize = SETUP_COVERS + 4 * 8;
export const SETUP_LONGEST: usize = SETUP_LAYERS + 4 * LAYER_POSITIONS_BYTES;
export const SETUP_LIVE: usize = SETUP_LONGEST + 16;
export const SETUP_FOUR: usize = SETUP_LIVE + SETUP_LIVE_BYTES;
export const SETUP_BYTES: usize = (SETUP_FOUR + SETUP_FOUR_BYTES + 15) & ~15;
