// SETUP: what setup needs of a draw, made once a draw (geometryBegin), so that no triangle looks it up again.
//
//   fields │ masks of varyings │ four triangles side by side │ coverage of layers │ sample positions

import { Draw } from './draw';
import { MAX_VARYINGS } from './limits';
import { Pass } from './pass';
import { pastFields, sizeOf } from './record';
import { LIVE_LAYERS_SHIFT, LIVE_PACKETS_BYTES, STRETCH_TRIANGLES } from './setup-codes';

/** Four triangles that are looked at together. */
@unmanaged
export class SetupLanes {
  get minX(): usize { return changetype<usize>(this); }
  get minY(): usize { return this.minX + 16; }
  get width(): usize { return this.minY + 16; }
  get height(): usize { return this.width + 16; }
  /** The first vertices, and the others less them, 24.8. */
  get aX(): usize { return this.height + 16; }
  get aY(): usize { return this.aX + 16; }
  get bX(): usize { return this.aY + 16; }
  get bY(): usize { return this.bX + 16; }
  get cX(): usize { return this.bY + 16; }
  get cY(): usize { return this.cX + 16; }
  /** Samples of small triangles (Triangle.cover), 0 of others: the lower and the upper halves. */
  get cover(): usize { return this.cY + 16; }
  get coverHigh(): usize { return this.cover + 16; }
  get past(): usize { return this.coverHigh + 16; }
}

/** Triangles of a stretch that were not culled, in order, and four more. */
@unmanaged
export class SetupLive {
  get indices(): usize { return changetype<usize>(this); }
  /** their samples as SetupLanes.cover says; */
  get covers(): usize { return this.indices + LIVE_PACKETS_BYTES; }
  get coversHigh(): usize { return this.covers + LIVE_PACKETS_BYTES; }
  /** packets of their vertices in clockwise order: of the first ones, and as many bytes after each other of the second and third ones; */
  get packets(): usize { return this.coversHigh + LIVE_PACKETS_BYTES; }
  /** of more than four samples a pixel, 32 bytes each: those of each layer, and of any in SetupLive.covers. */
  get layers(): usize { return this.packets + 3 * LIVE_PACKETS_BYTES; }
  get past(): usize { return this.layers + (STRETCH_TRIANGLES << LIVE_LAYERS_SHIFT); }
}

/** Four triangles whose records are written together. */
@unmanaged
export class SetupFour {
  get a(): usize { return changetype<usize>(this); }
  get b(): usize { return this.a + 4 * 16; }
  get c(): usize { return this.b + 4 * 16; }
  /** box, tile (−1 for more than one), spans of the vertices' box (24.8), the record's flags; */
  get minX(): usize { return this.c + 4 * 16; }
  get minY(): usize { return this.minX + 16; }
  get maxX(): usize { return this.minY + 16; }
  get maxY(): usize { return this.maxX + 16; }
  get tile(): usize { return this.maxY + 16; }
  get spanX(): usize { return this.tile + 16; }
  get spanY(): usize { return this.spanX + 16; }
  get flags(): usize { return this.spanY + 16; }
  /** −1 where b and c have been exchanged; the records' addresses; */
  get turned(): usize { return this.flags + 16; }
  get triangles(): usize { return this.turned + 16; }
  /** f32: what the differences of a value at b and c are multiplied by for ddx, and for ddy; */
  get x1(): usize { return this.triangles + 16; }
  get x2(): usize { return this.x1 + 16; }
  get y1(): usize { return this.x2 + 16; }
  get y2(): usize { return this.y1 + 16; }
  /** i64: twice the area; f64: the same factors, four lanes each. */
  get area(): usize { return this.y2 + 16; }
  get x1F64(): usize { return this.area + 32; }
  get x2F64(): usize { return this.x1F64 + 32; }
  get y1F64(): usize { return this.x2F64 + 32; }
  get y2F64(): usize { return this.y1F64 + 32; }
  get past(): usize { return this.y2F64 + 32; }
}

/** Four samples of a layer within a pixel, in 1/256. */
@unmanaged
export class LayerPositions {
  get x(): usize { return changetype<usize>(this); }
  get y(): usize { return this.x + 16; }
  get past(): usize { return this.y + 16; }
}

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
  get masks(): usize { return pastFields(this); }
  /** Of four triangles that are looked at together, 32-bit lanes: the box's least pixel, and the number of pixels. */
  get lanes(): SetupLanes { return changetype<SetupLanes>(this.masks + (MAX_VARYINGS >> 2) * 32); }
  /** u64, one a layer: what coverLayers found. */
  get covers(): usize { return changetype<usize>(this.lanes) + sizeOf<SetupLanes>(); }
  /** For each layer the positions of its four samples within a pixel, in 1/256: i32x4 of x, i32x4 of y. */
  get layers(): usize { return this.covers + 4 * 8; }
  layer(index: usize): LayerPositions { return changetype<LayerPositions>(this.layers + index * sizeOf<LayerPositions>()); }
  get longest(): usize { return this.layers + 4 * sizeOf<LayerPositions>(); }
  /** Those that were not culled, in order, and four more: where their indices stand, and bit 0 where they are counter-clockwise on the screen; */
  get live(): SetupLive { return changetype<SetupLive>(this.longest + 16); }
  /** Four triangles whose records are written together, 32-bit lanes: screen positions, depth and 1/w of vertices in clockwise order; */
  get four(): SetupFour { return changetype<SetupFour>(changetype<usize>(this.live) + sizeOf<SetupLive>()); }
  get past(): usize { return (changetype<usize>(this.four) + sizeOf<SetupFour>() + 15) & ~15; }
}
