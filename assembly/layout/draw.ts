// DRAW: one draw call, complete: what the vertex side, setup and the pixel side need. Written by src/render, read by
// the kernels. "register" fields are register numbers of the program's register file, -1 where the program has none.
//
// Varyings: scalars between vertex and fragment program, in the fragment program's input order; varying i is fragment
// register i. They are grouped: perspective (center, centroid, sample), linear (center, centroid, sample), flat;
// Draw.varyings has the seven counts.

import { MAX_COLOR_TARGETS } from './limits';
import { pastFields, sizeOf } from './record';
import { Stage } from './stage';

/** COMPARE_* and STENCIL_*. */
@unmanaged
export class StencilFace {
  compare: i32;
  fail: i32;
  depthFail: i32;
  pass: i32;
}

@unmanaged
export class Attribute {
  /** ATTRIBUTE: one vertex attribute. */
  address: usize;
  /**
   * Bytes readable from Attribute.address (buffer binding's end − this attribute's offset); elements beyond read
   * zeros.
   */
  limit: u32;
  stride: u32;
  /** 1: advances per instance. */
  perInstance: i32;
  /** VERTEX_* (formats.ts). */
  format: i32;
  /** Four registers: x, y, z, w; -1 where not read. Missing components are 0, 0, 0, 1 in the format's type. */
  get registers(): usize { return changetype<usize>(this) + offsetof<Attribute>(); }
  get past(): usize { return this.registers + 4 * 4; }
}

/** A blend factor as output has it: operand · scale + bias; and what becomes of its product. */
@unmanaged
export class Factor {
  /** Operand of the first channel, bytes from OUTPUT SCRATCH; bytes to that of the next. */
  operand: i32;
  stride: i32;
  scale: f32;
  bias: f32;
  /** The sign bit where the product is subtracted. */
  sign: u32;
}

/**
 * TARGET: how one colour attachment is written. The fields from `slot` on are made of those before it by
 * prepareTarget (output/target.ts).
 */
@unmanaged
export class Target {
  format: i32;
  /** Bits 0 … 3: r, g, b, a. 0: not written. */
  writeMask: u32;
  /** 0: the source replaces what was there. */
  blend: i32;
  colorOp: i32;
  colorSrc: i32;
  colorDst: i32;
  alphaOp: i32;
  alphaSrc: i32;
  alphaDst: i32;
  /** The function that writes a warp's colours; 0: nothing is written. */
  slot: u32;
  /** 1: all bits of a texel are written. */
  writesAll: i32;
  /** Four output registers, -1 where the program writes none: 0, 0, 0, 1. */
  get registers(): usize { return changetype<usize>(this) + offsetof<Target>(); }
  register(channel: i32): i32 { return load<i32>(this.registers + (channel << 2)); }
  /** Channels are taken in the order of the texel's bits: which of r, g, b, a each is (u8). */
  get channels(): usize { return this.registers + 4 * 4; }
  channel(index: i32): i32 { return load<u8>(this.channels + index); }
  /** The bits of a texel that are written, repeated to 16 bytes. */
  get written(): usize { return this.channels + 4; }
  /**
   * Where the four channels of a warp lie, in the order of the texel's bits: bytes from the tile's registers where the
   * lane of `isRegister` is set, else the address of a register of constants.
   */
  get sources(): usize { return this.written + 16; }
  get isRegister(): usize { return this.sources + 16; }
  /** Colour source, colour destination, alpha source, alpha destination. */
  get factors(): usize { return this.isRegister + 16; }
  factor(index: i32): Factor { return changetype<Factor>(this.factors + index * sizeOf<Factor>()); }
  sourceFactor(channel: i32): Factor { return this.factor(channel < 3 ? 0 : 2); }
  destinationFactor(channel: i32): Factor { return this.factor(channel < 3 ? 1 : 3); }
  get past(): usize { return this.factors + 4 * sizeOf<Factor>(); }
}

/** How many varyings a draw has of each kind, in the order in which they lie; flat ones are last. */
@unmanaged
export class Varyings {
  perspective: i32;
  perspectiveCentroid: i32;
  perspectiveSample: i32;
  linear: i32;
  linearCentroid: i32;
  linearSample: i32;
  flat: i32;
  /** Varyings before the linear ones. */
  get linearFirst(): i32 { return this.perspective + this.perspectiveCentroid + this.perspectiveSample; }
  get centroid(): i32 { return this.perspectiveCentroid + this.linearCentroid; }
  get sample(): i32 { return this.perspectiveSample + this.linearSample; }
  /** How many there are of kind `index`, 0 … 6. */
  count(index: usize): i32 { return load<i32>(changetype<usize>(this) + (index << 2)); }
}

@unmanaged
export class Draw {
  /**
   * The same word in draws whose fragments are shaded alike (program, resources, uniforms, varyings, targets), which
   * may share a warp; 0 in a draw that is like no other.
   */
  shading: usize;
  /**
   * 0: its fragments take effect behind those of all draws before it. Else they need not follow those of other draws
   * that have such a number, and those of draws with the same number may share a warp.
   */
  independent: u32;
  /** DRAW_FLAG_*. */
  flags: u32;
  /** Entries at Draw.attributes. */
  attributeCount: i32;
  attributes: Attribute;
  /** Of the first stage's file: the first of four consecutive output registers x, y, z, w of the last stage. */
  positionRegister: i32;
  /** Scalars, 0 … MAX_VARYINGS. */
  varyingCount: i32;
  /** Clip distances of a vertex, 0 … MOST_DISTANCES, and where the first lies: registers behind positionRegister. */
  distanceCount: i32;
  distanceFrom: i32;
  /** 1 more than the varying that has the number of the primitive, which setup writes; 0: nobody reads it. */
  numbered: i32;
  /** Address of Draw.varyingCount i32: of the first stage's file, the last one's output register of each varying. */
  varyingSources: usize;
  /** TOPOLOGY_*; and of what is set up: the same, unless a stage emits. */
  topology: i32;
  setupTopology: i32;
  /** Bytes an index: 0 (not indexed), 2, 4. */
  indexBytes: u32;
  /**
   * Address of the first index, and the indices that are readable from it; reads beyond give index 0 … a draw that
   * WebGPU would reject never comes here.
   */
  indexAddress: usize;
  indexLimit: u32;
  /** Vertices or indices of each instance. */
  count: u32;
  /** Added to indices (i32), or the first vertex (u32) when not indexed. */
  baseVertex: u32;
  firstInstance: u32;
  instanceCount: u32;
  /** CULL_*. */
  cull: i32;
  /** 1: clockwise is front. */
  frontCw: i32;
  /** i32, f32, f32. */
  depthBias: i32;
  depthBiasSlope: f32;
  depthBiasClamp: f32;
  /** COMPARE_* (texture.ts); ALWAYS without depth attachment. */
  depthCompare: i32;
  depthWrite: i32;
  stencilReadMask: u32;
  stencilWriteMask: i32;
  stencilReference: u32;
  sampleMask: i32;
  targetCount: i32;
  fragmentPositionX: i32;
  fragmentPositionY: i32;
  fragmentPositionZ: i32;
  fragmentPositionW: i32;
  /** Lanes all ones where front facing. */
  frontFacingRegister: i32;
  sampleIndexRegister: i32;
  sampleMaskInRegister: i32;
  fragDepthRegister: i32;
  sampleMaskOutRegister: i32;
  /** The code of the rate at which it is run (shading-rate-codes.ts). */
  shadingRateRegister: i32;
  /** Address of SHADING RATES, where the fragment stage's rate is RATE_COARSE; else 0. */
  rates: usize;
  /** Address of DESTINATIONS, with DRAW_FLAG_READS; else 0. */
  destinations: usize;
  /** Address of SAMPLE SETS, where a part of the program is run for sets of samples; else 0. */
  sets: usize;
  /** Address of COARSE STAGES, where finer ones are behind such, and the stage's rate is RATE_COARSE; else 0. */
  stages: usize;
  /** Address of a word that becomes 1 when a sample of the draw passes all tests; 0: nobody asks. */
  query: usize;
  /**
   * Indexed triangle lists whose indices leave few numbers out: the least index, and how many follow it up to the
   * greatest; 0: shaded in batches.
   */
  rangeFirst: u32;
  rangeCount: u32;
  /** How many different indices the draw has; 0: not known. */
  distinct: u32;
  /** Where its vertices go, if its table ends in a buffer, and the bytes that there are. */
  sink: usize;
  sinkBytes: u32;
  /**
   * Where stages emit, or strips may begin anew: for each primitive that may be assembled, how many came of it so far,
   * of `sinkShare` for which each has room; 0: one for one.
   */
  sinkCounts: usize;
  sinkShare: u32;
  /** Primitives for which there are counts; others have no room. */
  sinkCounted: u32;
  /**
   * Where what comes of each primitive was counted before: for each that may be assembled, how many came of those
   * before it. No gaps are left. 0: each has room for `sinkShare`.
   */
  sinkStarts: usize;
  /** 1: what comes to sinks is counted, and nothing is drawn. */
  sinkCounting: i32;
  /** Bytes that were moved, when gaps between what came of them were closed. */
  sinkMoved: u32;
  /**
   * Where primitives may go to the sink in any order: address of a word, the bytes that are taken of it; 0: each has
   * its place.
   */
  sinkCursor: usize;
  /** Of a table that forks: addresses of a DRAW record for each of its sinks, and how many. */
  sinkDraws: usize;
  sinkDrawCount: u32;
  /**
   * Where stages choose viewports, or rates: addresses of DRAW records that differ in these, a rate behind the other of
   * each viewport; how many viewports, and rates (1 where no stage says any); 1: pixels of some viewports belong to
   * several.
   */
  viewportDraws: usize;
  viewportCount: u32;
  viewportRates: u32;
  viewportsOverlap: u32;
  /** The first stages of its two tables. */
  get vertex(): Stage { return changetype<Stage>(pastFields(this)); }
  get fragment(): Stage { return changetype<Stage>(changetype<usize>(this.vertex) + sizeOf<Stage>()); }
  get varyings(): Varyings { return changetype<Varyings>(changetype<usize>(this.fragment) + sizeOf<Stage>()); }
  /** Bytes from c of the varyings of a triangle's planes to their ddx, and on to their ddy. */
  get planeStride(): usize { return (this.varyingCount + 3 & ~3) << 2; }
  get flatFirst(): i32 { return this.varyingCount - this.varyings.flat; }
  /** Viewport: f32 x, y, width, height, minDepth, maxDepth. */
  get viewport(): usize { return changetype<usize>(this.varyings) + sizeOf<Varyings>(); }
  /** Scissor within the pass: i32 x0, y0, x1, y1 (exclusive). */
  get scissor(): usize { return this.viewport + 6 * 4; }
  /** Two STENCIL_FACE records: front, back. */
  get stencilFront(): StencilFace { return changetype<StencilFace>(this.scissor + 4 * 4); }
  get stencilBack(): StencilFace {
    return changetype<StencilFace>(changetype<usize>(this.stencilFront) + sizeOf<StencilFace>());
  }
  /** Four f32. */
  get blendConstant(): usize { return changetype<usize>(this.stencilBack) + sizeOf<StencilFace>(); }
  /** MAX_COLOR_TARGETS TARGET records. */
  get targets(): usize { return this.blendConstant + 4 * 4; }
  target(index: usize): Target { return changetype<Target>(this.targets + index * sizeOf<Target>()); }
  get past(): usize { return this.targets + MAX_COLOR_TARGETS * sizeOf<Target>(); }
}
