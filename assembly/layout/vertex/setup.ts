// SETUP: what setup needs to know of a draw call. geometryBegin computes it once per draw call, so that no triangle has
// to look it up again.
//
//   fields │ masks of varyings │ four triangles side by side │ coverage of layers │ sample positions

import { Draw } from '../pass/draw';
import { MAX_VARYINGS } from '../limits';
import { Corner, Packet } from './packet';
import { Pass } from '../pass/pass';
import { LANES, LANES_SHIFT, pastFields, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { LIVE_BYTES, LIVE_LAYERS_SHIFT, PLANE_TERMS_SHIFT, STRETCH_TRIANGLES } from './setup-codes';
import { MAX_LAYERS } from '../surface/plane';
import { Triangle } from '../pass/triangle';

/** v128 for each group of four varyings at Setup.masks. */
const VARYING_MASKS = 2;
/** Bytes of a group of four varyings at Setup.masks. */
// @ts-ignore: decorator
@inline export const VARYING_MASKS_BYTES = VARYING_MASKS * VECTOR_BYTES;
/** Bytes of an f64 for each lane. */
// @ts-ignore: decorator
@inline const LANES_F64_BYTES = LANES * sizeof<f64>();

/**
 * Inputs of the planes of a triangle's varyings: its vertices in clockwise order, and the vertex that gives flat
 * varyings.
 */
@unmanaged
export class PlaneTerms {
  a: Packet;
  b: Packet;
  c: Packet;
  flat: Packet;
  /** ddx = d1·x1 + d2·x2, where d1 and d2 are the differences of the value at b and c to that at a; ddy likewise. */
  x1: f32;
  x2: f32;
  y1: f32;
  y2: f32;
}

/** A triangle that is set up alone: vertices in clockwise order on the screen; box in pixels, as in Triangle. */
@unmanaged
export class SetupOne {
  /** Twice the area, 24.8. */
  area: i64;
  /** Triangle.cover, or 0. */
  cover: u64;
  a: Corner;
  b: Corner;
  c: Corner;
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** Sides of the vertices' bounding box, 24.8. */
  spanX: i32;
  spanY: i32;
  /** 1: it was counter-clockwise. */
  turned: i32;
  /** As PlaneTerms.x1. */
  x1: f64;
  x2: f64;
  y1: f64;
  y2: f64;
  get past(): usize {
    return pastFields(this);
  }
}

/**
 * A clockwise triangle of at most 4×4 pixels. `left` and `top`: the box's corner minus the first vertex, 24.8. `bX` to
 * `cY`: the other vertices minus the first. `width` and `height`: pixels that count, 1 to 4.
 */
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

/** Four triangles that are processed together. */
@unmanaged
export class SetupLanes {
  /** For each lane: the box's corner minus the first vertex, 24.8, and the extent of the box in pixels. */
  get left(): usize {
    return changetype<usize>(this);
  }
  get top(): usize {
    return this.left + VECTOR_BYTES;
  }
  get width(): usize {
    return this.top + VECTOR_BYTES;
  }
  get height(): usize {
    return this.width + VECTOR_BYTES;
  }
  /** Coverage of small triangles (Triangle.cover), 0 for others: the low and the high halves. */
  get cover(): usize {
    return this.height + VECTOR_BYTES;
  }
  get coverHigh(): usize {
    return this.cover + VECTOR_BYTES;
  }
  get past(): usize {
    return this.coverHigh + VECTOR_BYTES;
  }
}

/**
 * The triangles of a stretch that are left after culling by facing, and later by boxes and samples, in order. Each
 * array has room for four more.
 */
@unmanaged
export class SetupLive {
  /** Addresses of their indices; bit 0 is set for triangles that are counter-clockwise on the screen. */
  get sources(): usize {
    return changetype<usize>(this);
  }
  /**
   * The first vertices, 24.8, and the other vertices minus the first. Clockwise from the time when boxes are computed.
   */
  get aX(): usize {
    return this.sources + LIVE_BYTES;
  }
  get aY(): usize {
    return this.aX + LIVE_BYTES;
  }
  get bX(): usize {
    return this.aY + LIVE_BYTES;
  }
  get bY(): usize {
    return this.bX + LIVE_BYTES;
  }
  get cX(): usize {
    return this.bY + LIVE_BYTES;
  }
  get cY(): usize {
    return this.cX + LIVE_BYTES;
  }
  /** Coverage of the triangles, as in SetupLanes.cover. */
  get covers(): usize {
    return this.cY + LIVE_BYTES;
  }
  get coversHigh(): usize {
    return this.covers + LIVE_BYTES;
  }
  /** A PLANE TERMS each. */
  get terms(): usize {
    return this.coversHigh + LIVE_BYTES;
  }
  /**
   * More than four samples per pixel: 32 bytes each with the coverage of each layer. SetupLive.covers then holds the
   * union.
   */
  get layers(): usize {
    return this.terms + ((LIVE_BYTES >> alignof<u32>()) << PLANE_TERMS_SHIFT);
  }
  /** The list from triangle `i` on, without its terms and layers. */
  from(i: u32): SetupLive {
    return changetype<SetupLive>(changetype<usize>(this) + (i << alignof<u32>()));
  }
  termsOf(i: u32): PlaneTerms {
    return changetype<PlaneTerms>(this.terms + (i << PLANE_TERMS_SHIFT));
  }
  layersOf(i: u32): usize {
    return this.layers + (i << LIVE_LAYERS_SHIFT);
  }
  get past(): usize {
    return this.layers + (STRETCH_TRIANGLES << LIVE_LAYERS_SHIFT);
  }
}

/** Four triangles whose records are written together. */
@unmanaged
export class SetupFour {
  /** Box, tile (−1 if more than one), and sides of the vertices' bounding box (24.8). */
  get minX(): usize {
    return changetype<usize>(this);
  }
  get minY(): usize {
    return this.minX + VECTOR_BYTES;
  }
  get maxX(): usize {
    return this.minY + VECTOR_BYTES;
  }
  get maxY(): usize {
    return this.maxX + VECTOR_BYTES;
  }
  get tile(): usize {
    return this.maxY + VECTOR_BYTES;
  }
  get spanX(): usize {
    return this.tile + VECTOR_BYTES;
  }
  get spanY(): usize {
    return this.spanX + VECTOR_BYTES;
  }
  /** Addresses of the records, and of where their edges and bounds go: `unused` for small triangles. */
  get triangles(): usize {
    return this.spanY + VECTOR_BYTES;
  }
  get edges(): usize {
    return this.triangles + VECTOR_BYTES;
  }
  /** f64, four lanes each: the factors of PlaneTerms.x1 for ddx and ddy. */
  get x1F64(): usize {
    return this.edges + VECTOR_BYTES;
  }
  get x2F64(): usize {
    return this.x1F64 + LANES_F64_BYTES;
  }
  get y1F64(): usize {
    return this.x2F64 + LANES_F64_BYTES;
  }
  get y2F64(): usize {
    return this.y1F64 + LANES_F64_BYTES;
  }
  get unused(): usize {
    return this.y2F64 + LANES_F64_BYTES;
  }
  get past(): usize {
    return this.unused + offsetof<Triangle>('draw');
  }
}

/** The four samples of a layer within a pixel, in 1/256 pixel: i32x4 of x, then of y. */
@unmanaged
export class LayerPositions {
  get x(): usize {
    return changetype<usize>(this);
  }
  get y(): usize {
    return this.x + VECTOR_BYTES;
  }
  get past(): usize {
    return this.y + VECTOR_BYTES;
  }
}

/** SETUP: see the top of the file. */
@unmanaged
export class Setup {
  draw: Draw;
  pass: Pass;
  /** Bytes of a packet, and of its part before depth and 1/w. */
  stride: u32;
  varyingBytes: u32;
  /** Groups of four varyings. */
  groups: i32;
  /** screen = ndc · scale + offset; x and y in 1/256 pixel, z in depth. */
  scaleX: f32;
  offsetX: f32;
  scaleY: f32;
  offsetY: f32;
  scaleZ: f32;
  offsetZ: f32;
  /** The guard band in clip space: |x| ≤ guard · w. */
  guardX: f32;
  guardY: f32;
  /** Outcodes that count: without near and far when depth is unclipped. */
  outcodes: i32;
  /** Scissor ∩ viewport ∩ pass, in pixels; maximum exclusive. */
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
  /** First and last position of a sample within a pixel, in 1/256 pixel. */
  sampleFirst: i32;
  sampleLast: i32;
  /** Depth per unit of constant bias; 0: depends on the exponent of the largest depth (float formats). */
  biasUnit: f32;
  /** 1: the draw call has a depth bias. */
  biased: i32;
  perspectiveCount: i32;
  /** Index of the first flat varying. */
  flatFirst: i32;
  /** Addresses of the packets, their positions and their outcodes; the number of the first extra vertex. */
  packets: usize;
  positions: usize;
  outcodeList: usize;
  extra: u32;
  /** Address of the CORNERs. */
  corners: usize;
  /** Clip distances of the vertices, DISTANCE_BYTES each, and how many of them are used. */
  distances: usize;
  distanceCount: i32;
  /** Where the primitive number of a triangle goes, in bytes from Triangle.planes; -1: it is not read. */
  numberPlane: i32;
  /** Number of the primitive that is set up alone. */
  number: u32;
  /** Primitive numbers in a list: address of the first primitive's vertices, and bytes per primitive. */
  numberSource: usize;
  numberBytes: u32;
  /** Address of the numbers; 0: numbers count up from `numberFirst`. */
  numbers: usize;
  numberFirst: u32;
  /** Maximum side of a box of pixels whose coverage is computed for four triangles at once. */
  tiny: i32;
  /**
   * To find culled triangles among four: a bit per triangle, set if it is counter-clockwise on the screen, is XORed
   * with `cullFlip` and then ANDed with `cullMask`.
   */
  cullFlip: i32;
  cullMask: i32;
  /** 255 minus Setup.sampleLast. */
  sampleUp: i32;
  /** Samples per pixel: Pass.samples. */
  samples: i32;
  /** 1: the triangle that is set up alone came from clipping. */
  cut: i32;
  /** Triangles of the current stretch that were culled, by cause. */
  culledArea: i32;
  culledFace: i32;
  culledOutside: i32;
  culledBetween: i32;
  /** For each group of four varyings, VARYING_MASKS v128 of lane masks: perspective, flat. */
  get masks(): usize {
    return pastFields(this);
  }
  get lanes(): SetupLanes {
    return changetype<SetupLanes>(this.masks + (MAX_VARYINGS >> LANES_SHIFT) * VARYING_MASKS_BYTES);
  }
  /** u64 per layer: coverage of a small triangle (raster/small.ts). */
  get covers(): usize {
    return changetype<usize>(this.lanes) + sizeOf<SetupLanes>();
  }
  /** LAYER POSITIONS of each layer. */
  get layers(): usize {
    return this.covers + MAX_LAYERS * sizeof<u64>();
  }
  layer(index: usize): LayerPositions {
    return changetype<LayerPositions>(this.layers + index * sizeOf<LayerPositions>());
  }
  /** The longest sides of the boxes of a stretch, in pixels, by lane. */
  get longest(): usize {
    return this.layers + MAX_LAYERS * sizeOf<LayerPositions>();
  }
  get live(): SetupLive {
    return changetype<SetupLive>(this.longest + VECTOR_BYTES);
  }
  get four(): SetupFour {
    return changetype<SetupFour>(changetype<usize>(this.live) + sizeOf<SetupLive>());
  }
  get one(): SetupOne {
    return changetype<SetupOne>(changetype<usize>(this.four) + sizeOf<SetupFour>());
  }
  get small(): SmallTriangle {
    return changetype<SmallTriangle>(changetype<usize>(this.terms) + sizeOf<PlaneTerms>());
  }
  get terms(): PlaneTerms {
    return changetype<PlaneTerms>(changetype<usize>(this.one) + sizeOf<SetupOne>());
  }
  /** The number of a primitive, given the address of its vertices. */
  numberAt(source: usize): u32 {
    const i = <u32>(source - this.numberSource) / this.numberBytes;
    return this.numbers ? load<u32>(this.numbers + (i << alignof<u32>())) : this.numberFirst + i;
  }
  /** A vertex, given its number. */
  packet(vertex: u32): Packet {
    return changetype<Packet>(this.packets + (vertex * this.stride + this.varyingBytes));
  }
  varyingsOf(packet: Packet): usize {
    return changetype<usize>(packet) - this.varyingBytes;
  }
  corner(vertex: u32): Corner {
    return changetype<Corner>(this.corners + vertex * sizeOf<Corner>());
  }
  get past(): usize {
    return (changetype<usize>(this.small) + sizeOf<SmallTriangle>() + VECTOR_PAD) & ~VECTOR_PAD;
  }
}
