// DRAW: one complete draw call, with everything that the vertex side, setup and the fragment side need. src/render
// writes it; the kernels read it. "Register" fields are register numbers of the shader's register file; -1 means that
// the shader has no such register.
//
// Varyings are the scalars passed from the vertex shader to the fragment shader, in the fragment shader's input order:
// varying i is fragment register i. They are grouped by interpolation: perspective (center, centroid, sample), linear
// (center, centroid, sample), flat. Draw.varyings has the seven counts.

import { MAX_COLOR_TARGETS } from '../limits';
import { CHANNELS, LANES_PAD, pastFields, sizeOf, VECTOR_BYTES } from '../record';
import { Stage } from '../program/stage';

/** The last channel. */
// @ts-ignore: decorator
@inline const ALPHA = 3;
/** Indices of the records at Target.factors. */
// @ts-ignore: decorator
@inline const COLOR_SRC = 0;
// @ts-ignore: decorator
@inline const COLOR_DST = 1;
// @ts-ignore: decorator
@inline const ALPHA_SRC = 2;
// @ts-ignore: decorator
@inline const ALPHA_DST = 3;
// @ts-ignore: decorator
@inline const FACTORS = 4;

/** Fields of VIEWPORT, and of SCISSOR. */
// @ts-ignore: decorator
@inline const VIEWPORT_FIELDS = 6;
// @ts-ignore: decorator
@inline const SCISSOR_FIELDS = 4;

/** VIEWPORT: in pixels, and the range of depths. */
@unmanaged
export class Viewport {
  x: f32;
  y: f32;
  width: f32;
  height: f32;
  minDepth: f32;
  maxDepth: f32;
}

/** SCISSOR: the rectangle of the pass in which pixels are drawn; maximum exclusive. */
@unmanaged
export class Scissor {
  minX: i32;
  minY: i32;
  maxX: i32;
  maxY: i32;
}

/** Stencil state of one face: COMPARE_* and three STENCIL_* operations. */
@unmanaged
export class StencilFace {
  compare: i32;
  fail: i32;
  depthFail: i32;
  pass: i32;
}

/** ATTRIBUTE: one vertex attribute. */
@unmanaged
export class Attribute {
  /** Address of the attribute in the first element. */
  address: usize;
  /**
   * Bytes that are readable from Attribute.address: the end of the buffer binding minus this attribute's offset.
   * Elements beyond read as zeros.
   */
  limit: u32;
  stride: u32;
  /** 1: advances per instance; 0: per vertex. */
  perInstance: i32;
  /** VERTEX_* (formats.ts). */
  format: i32;
  /**
   * Four registers for x, y, z and w; -1 for a component that is not read. Components missing in the format are 0, 0,
   * 0, 1 in the format's type.
   */
  get registers(): usize {
    return changetype<usize>(this) + offsetof<Attribute>();
  }
  get past(): usize {
    return this.registers + CHANNELS * sizeof<i32>();
  }
}

/** A blend factor in the form that output uses, operand · scale + bias, and the sign of its product. */
@unmanaged
export class Factor {
  /** Operand of the first channel: byte offset into OUTPUT SCRATCH. `stride`: bytes to the next channel's operand. */
  operand: i32;
  stride: i32;
  scale: f32;
  bias: f32;
  /** The sign bit where the product is subtracted, else 0. */
  sign: u32;
}

/**
 * TARGET: how one colour attachment is written. prepareTarget (output/target.ts) derives the fields from `slot` on from
 * the fields before it.
 */
@unmanaged
export class Target {
  format: i32;
  /** Bits 0 to 3: r, g, b, a. 0: not written. */
  writeMask: u32;
  /** 1: blended. 0: the source replaces the destination. */
  blend: i32;
  colorOp: i32;
  colorSrc: i32;
  colorDst: i32;
  alphaOp: i32;
  alphaSrc: i32;
  alphaDst: i32;
  /** Function table slot of the function that writes a warp's colours; 0: nothing is written. */
  slot: u32;
  /** 1: all bits of a texel are written. */
  writesAll: i32;
  /** Four output registers. Channels with -1, which the shader does not write, are 0, 0, 0, 1. */
  get registers(): usize {
    return changetype<usize>(this) + offsetof<Target>();
  }
  register(channel: i32): i32 {
    return load<i32>(this.registers + (channel << alignof<i32>()));
  }
  /** Four u8: for each channel in the order of the texel's bits, which of r, g, b, a it is. */
  get channels(): usize {
    return this.registers + CHANNELS * sizeof<i32>();
  }
  channel(index: i32): i32 {
    return load<u8>(this.channels + index);
  }
  /** Mask of the texel bits that are written, repeated to 16 bytes. */
  get written(): usize {
    return this.channels + CHANNELS;
  }
  /**
   * Where a warp's four channels are, in the order of the texel's bits. Where the lane of `isRegister` is set: byte
   * offset into the tile's registers. Elsewhere: address of a register of constants.
   */
  get sources(): usize {
    return this.written + VECTOR_BYTES;
  }
  get isRegister(): usize {
    return this.sources + VECTOR_BYTES;
  }
  /** Factors of colour source, colour destination, alpha source and alpha destination. */
  get factors(): usize {
    return this.isRegister + VECTOR_BYTES;
  }
  factor(index: i32): Factor {
    return changetype<Factor>(this.factors + index * sizeOf<Factor>());
  }
  sourceFactor(channel: i32): Factor {
    return this.factor(channel < ALPHA ? COLOR_SRC : ALPHA_SRC);
  }
  destinationFactor(channel: i32): Factor {
    return this.factor(channel < ALPHA ? COLOR_DST : ALPHA_DST);
  }
  get past(): usize {
    return this.factors + FACTORS * sizeOf<Factor>();
  }
}

/** Number of varyings of each kind, in storage order; flat ones are last. */
@unmanaged
export class Varyings {
  perspective: i32;
  perspectiveCentroid: i32;
  perspectiveSample: i32;
  linear: i32;
  linearCentroid: i32;
  linearSample: i32;
  flat: i32;
  /** Number of varyings before the linear ones. */
  get linearFirst(): i32 {
    return this.perspective + this.perspectiveCentroid + this.perspectiveSample;
  }
  get centroid(): i32 {
    return this.perspectiveCentroid + this.linearCentroid;
  }
  get sample(): i32 {
    return this.perspectiveSample + this.linearSample;
  }
  /** Number of varyings of kind `index`, 0 to 6. */
  count(index: usize): i32 {
    return load<i32>(changetype<usize>(this) + (index << alignof<i32>()));
  }
}

/** DRAW: see the top of the file. */
@unmanaged
export class Draw {
  /**
   * Equal in draw calls whose fragments are shaded alike (same shader, resources, uniforms, varyings and targets).
   * Their fragments may share a warp. 0: the draw call shares warps with no other.
   */
  shading: usize;
  /**
   * 0: fragments take effect after those of all earlier draw calls. Nonzero: fragments need no order with those of
   * other draw calls that have a nonzero number. Fragments of draw calls with equal numbers may share a warp.
   */
  independent: u32;
  /** DRAW_FLAG_*. */
  flags: u32;
  /** Number of ATTRIBUTE records at Draw.attributes. */
  attributeCount: i32;
  attributes: Attribute;
  /**
   * The first of the last stage's four consecutive output registers x, y, z, w. Register numbers refer to the first
   * stage's file.
   */
  positionRegister: i32;
  /** Number of scalars, 0 to MAX_VARYINGS. */
  varyingCount: i32;
  /** Clip distances of a vertex, 0 to MAX_DISTANCES. */
  distanceCount: i32;
  /** Register of the first clip distance, relative to positionRegister. */
  distanceFrom: i32;
  /**
   * 1 + the index of the varying that setup fills with the primitive number; 0: the fragment shader does not read it.
   */
  numbered: i32;
  /**
   * Address of Draw.varyingCount i32: for each varying, the last stage's output register, in terms of the first stage's
   * file.
   */
  varyingSources: usize;
  /** TOPOLOGY_* of the draw call, and of what reaches setup. They are equal unless a stage emits primitives. */
  topology: i32;
  setupTopology: i32;
  /** Bytes of an index: 0 (not indexed), 2 or 4. */
  indexBytes: u32;
  /**
   * Address of the first index, and the number of indices that are readable from it. Reads beyond them give index 0.
   * Draw calls that WebGPU would reject never get here.
   */
  indexAddress: usize;
  indexLimit: u32;
  /** Vertices or indices per instance. */
  count: u32;
  /** Indexed: added to each index (i32). Not indexed: the first vertex (u32). */
  baseVertex: u32;
  firstInstance: u32;
  instanceCount: u32;
  /** CULL_*. */
  cull: i32;
  /** 1: clockwise triangles face the front. */
  frontCw: i32;
  /** Constant bias, slope scale and clamp of GPUDepthStencilState. */
  depthBias: i32;
  depthBiasSlope: f32;
  depthBiasClamp: f32;
  /** COMPARE_* (texture-codes.ts); ALWAYS without a depth attachment. */
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
  /** All ones in lanes whose triangle faces the front. */
  frontFacingRegister: i32;
  sampleIndexRegister: i32;
  sampleMaskInRegister: i32;
  fragDepthRegister: i32;
  sampleMaskOutRegister: i32;
  /** Code of the rate at which the lane runs (shading-rate-codes.ts). */
  shadingRateRegister: i32;
  /** Address of SHADING RATES if the fragment stage's rate is RATE_COARSE; else 0. */
  rates: usize;
  /** Address of DESTINATIONS with DRAW_FLAG_READS; else 0. */
  destinations: usize;
  /** Address of SAMPLE SETS if part of the shader runs once per set of equal samples; else 0. */
  sets: usize;
  /** Address of COARSE STAGES if finer stages follow coarse ones and the stage's rate is RATE_COARSE; else 0. */
  stages: usize;
  /**
   * Occlusion query: address of a word that becomes 1 when a sample of the draw call passes all tests; 0: no query.
   */
  query: usize;
  /**
   * Indexed triangle lists whose indices skip few vertices: the smallest index, and the number of vertices from it to
   * the largest. The range is shaded as a whole. Count 0: vertices are shaded in batches.
   */
  rangeFirst: u32;
  rangeCount: u32;
  /** Number of distinct indices of the draw call; 0: unknown. */
  distinct: u32;
  /** Stream output: address and size in bytes of the buffer, if the table of stages ends in one. */
  sink: usize;
  sinkBytes: u32;
  /**
   * Used where stages emit, or where strips may restart. Address of a u32 for each primitive that may be assembled: how
   * many output primitives it has produced so far. Each has room for `sinkShare` of them. 0: each produces exactly one.
   */
  sinkCounts: usize;
  sinkShare: u32;
  /** Bytes of a unit of output: of a primitive, or of a vertex if primitives have different numbers of vertices. */
  sinkUnit: u32;
  /** Offset of the primitive that only begins in the part of the buffer; 0xffff_ffff: there is none. */
  sinkEnd: u32;
  /** Number of primitives that have a count; the output of others is dropped for lack of room. */
  sinkCounted: u32;
  /**
   * Address of a u32 for each primitive that may be assembled: the number of output primitives before its first one, as
   * a counting run found it. The output then has no gaps. 0: each primitive has room for `sinkShare`.
   */
  sinkStarts: usize;
  /** 1: counting run. What reaches sinks is only counted, and nothing is drawn. */
  sinkCounting: i32;
  /** Bytes that were moved to close gaps in the output. */
  sinkMoved: u32;
  /**
   * For output in any order: address of a word with the number of bytes already taken of the buffer. 0: every primitive
   * has a fixed place.
   */
  sinkCursor: usize;
  /** Forked tables: address of an array with the address of a DRAW record for each sink, and the number of sinks. */
  sinkDraws: usize;
  sinkDrawCount: u32;
  /**
   * Used where stages choose viewports or shading rates. Address of an array of addresses of DRAW records that differ
   * only in these: all rates of viewport 0, then those of viewport 1, and so on.
   */
  viewportDraws: usize;
  /** Number of viewports, and of shading rates; 1 if no stage chooses them. */
  viewportCount: u32;
  viewportRates: u32;
  /** 1: some pixels belong to several viewports. */
  viewportsOverlap: u32;
  /** First stages of the draw call's two tables. */
  get vertex(): Stage {
    return changetype<Stage>(pastFields(this));
  }
  get fragment(): Stage {
    return changetype<Stage>(changetype<usize>(this.vertex) + sizeOf<Stage>());
  }
  get varyings(): Varyings {
    return changetype<Varyings>(changetype<usize>(this.fragment) + sizeOf<Stage>());
  }
  /** Bytes from a plane's c words to its ddx words, and from those to its ddy words (Triangle.planes). */
  get planeStride(): usize {
    return ((this.varyingCount + LANES_PAD) & ~LANES_PAD) << alignof<f32>();
  }
  get flatFirst(): i32 {
    return this.varyingCount - this.varyings.flat;
  }
  get viewport(): Viewport {
    return changetype<Viewport>(changetype<usize>(this.varyings) + sizeOf<Varyings>());
  }
  get scissor(): Scissor {
    return changetype<Scissor>(changetype<usize>(this.viewport) + VIEWPORT_FIELDS * sizeof<f32>());
  }
  /** Two STENCIL FACE records: front, back. */
  get stencilFront(): StencilFace {
    return changetype<StencilFace>(changetype<usize>(this.scissor) + SCISSOR_FIELDS * sizeof<i32>());
  }
  get stencilBack(): StencilFace {
    return changetype<StencilFace>(changetype<usize>(this.stencilFront) + sizeOf<StencilFace>());
  }
  /** Four f32. */
  get blendConstant(): usize {
    return changetype<usize>(this.stencilBack) + sizeOf<StencilFace>();
  }
  /** MAX_COLOR_TARGETS TARGET records. */
  get targets(): usize {
    return this.blendConstant + CHANNELS * sizeof<f32>();
  }
  target(index: usize): Target {
    return changetype<Target>(this.targets + index * sizeOf<Target>());
  }
  get past(): usize {
    return this.targets + MAX_COLOR_TARGETS * sizeOf<Target>();
  }
}
