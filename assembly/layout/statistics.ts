// STATISTICS: u32 counters to which the kernels add, followed by the clock that measures the parts of a kernel's work.
//
//   counters │ flags │ current part │ times │ WARP TIMES while rastering, while shading │ begins of parts

import { pastFields, sizeOf } from './record';

/** Number of PART_*. */
// @ts-ignore: decorator
@inline const PARTS = 6;
/** Parts in which warps are timed: PART_RASTER and PART_SHADE. */
// @ts-ignore: decorator
@inline const WARP_PARTS = 2;
// @ts-ignore: decorator
@inline const KIB_SHIFT = 10;
// @ts-ignore: decorator
@inline const KIB_MASK = 1023;

/** WARP TIMES: time that warps take. */
@unmanaged
export class WarpTimes {
  /** Number of warps that ran, and how many of them were timed. */
  run: f64;
  timed: f64;
  /** Milliseconds of the timed warps: interpolation and shader; then from the shader's output to the tile. */
  program: f64;
  output: f64;
}

/** STATISTICS: see the top of the file. */
@unmanaged
export class Statistics {
  /** Distinct vertices that draw calls name, for each instance (Draw.distinct; if that is unknown, for each batch). */
  verticesUsed: u32;
  verticesShaded: u32;
  trianglesIn: u32;
  /** Culled triangles. Each triangle that reaches no tile counts for exactly one cause. Here: facing away. */
  trianglesCulledFace: u32;
  /** Culled: no area after rounding to the position grid. */
  trianglesCulledArea: u32;
  trianglesClipped: u32;
  trianglesBinned: u32;
  /** Pairs of a triangle and a quad in which it covers a sample. */
  quadsTested: u32;
  /** Groups of four lanes that ran. */
  quadsShaded: u32;
  /** Lanes that ran for a covered pixel: fragment invocations without helpers and empty lanes. */
  lanesShaded: u32;
  warpsFragment: u32;
  /**
   * Fragment warps of pixels that hold several values, for shaders that loop over the values of their pixel
   * (fragment/divided-pixels.ts).
   */
  warpsDivided: u32;
  warpsVertex: u32;
  /** Fragment warps that were parked. */
  warpsParked: u32;
  /** Parked fragment warps that others overtook. */
  warpsOvertaken: u32;
  /** Replays of parked fragment warps. */
  warpsReplayed: u32;
  /** How often a warp stopped in the middle of its shader. */
  warpsStopped: u32;
  /** Tiles that were parked while others ran. */
  tilesParked: u32;
  /** Parked tiles that were overdue when they were resumed. */
  tilesOverdue: u32;
  tilesRun: u32;
  /** Culled: an area, but no sample within it. */
  trianglesCulledBetween: u32;
  /** Culled: outside a side of the clip volume, or outside viewport, scissor and target. */
  trianglesCulledOutside: u32;
  /** Culled: behind the eye (no vertex with w > 0), or with a position that is not finite or too large. */
  trianglesCulledBehind: u32;
  /** Tested quads in which no sample passed, rejected alone or with their block. */
  quadsHidden: u32;
  /**
   * 8×8 blocks of the tiles that ran, by their state when the tile is finished. Counted with STAT_FLAG_BLOCKS
   * (tile/block-states.ts).
   */
  blocksClear: u32;
  blocksPlane: u32;
  blocksPixel: u32;
  blocksSample: u32;
  /**
   * The same blocks by where their depths come from: the clear value, one triangle's plane, or stored depths. A pass
   * without depth counts none.
   */
  depthClear: u32;
  depthPlane: u32;
  depthStored: u32;
  /** Pairs of a triangle and a block that were rejected by depth before coverage was computed. */
  blocksHidden: u32;
  /** Invocations (lanes that stand for a covered pixel) at each rate other than 1×1. */
  invocations1x2: u32;
  invocations2x1: u32;
  invocations2x2: u32;
  invocations2x4: u32;
  invocations4x2: u32;
  invocations4x4: u32;
  /** Warps at each of these rates. */
  warps1x2: u32;
  warps2x1: u32;
  warps2x2: u32;
  warps2x4: u32;
  warps4x2: u32;
  warps4x4: u32;
  /** Pixels, covered in part or fully, for which these invocations stood. */
  pixels1x2: u32;
  pixels2x1: u32;
  pixels2x2: u32;
  pixels2x4: u32;
  pixels4x2: u32;
  pixels4x4: u32;
  /** Areas of 4×4 pixels whose shading rate was looked up for a primitive. */
  rateLookUps: u32;
  /** Framebuffer fetch: quads that had to wait for another one at their position. */
  positionHazards: u32;
  /** Shaders that run one part for sets of samples or after coarse stages: lanes of the pixel part. */
  pixelRuns: u32;
  /**
   * Shaders of pixelRuns: lanes of the part that runs per sample set. Counted with STAT_FLAG_STAGES, like the next four
   * counters.
   */
  sampleRuns: u32;
  /** Sets of samples. */
  sampleSets: u32;
  /** Sets that contain all samples of their pixel. */
  wholeSets: u32;
  /** Results that went to the targets, each for one or more sets of a pixel. */
  dispatches: u32;
  /** Sets whose results were merged with those of another set. */
  mergedDispatches: u32;
  /** Compute passes: workgroups that ran, their invocations, and the warps that these fill. */
  workgroups: u32;
  invocations: u32;
  warpsCompute: u32;
  /** Compute shaders with barriers: parts that workgroups reached after the first. */
  partsAfterBarrier: u32;
  /** Compute shaders with barriers: warps that ran for parts. */
  partWarps: u32;
  /**
   * Atomic operations of invocations. Compute shaders update this counter and those up to groupBytesStored themselves,
   * if statistics are requested (src/ir/passes/counters.ts).
   */
  atomics: u32;
  /** Barriers that workgroups reached. */
  barriers: u32;
  /**
   * Bytes that invocations loaded from and stored to buffers and storage textures. Only the remainder below one KiB;
   * the rest is in the KiB counters.
   */
  bytesLoaded: u32;
  bytesStored: u32;
  /** Bytes that invocations loaded from and stored to workgroup memory, below one KiB. */
  groupBytesLoaded: u32;
  groupBytesStored: u32;
  /** Whole KiB of the four byte counters. 32 bits would be too few for the bytes of a job. */
  kibLoaded: u32;
  kibStored: u32;
  groupKibLoaded: u32;
  groupKibStored: u32;
  /** Tiles that were opened to other workers (share.ts). */
  tilesShared: u32;
  /** How often a worker joined an open tile. */
  tilesJoined: u32;
  /** How often a worker on an open tile had to wait for a block. */
  blockWaits: u32;
  /** STAT_FLAG_*: what is measured in addition to the counters that cost nothing. */
  flags: u32;
  /** The current part, PART_*. */
  part: u32;
  /** When the current part began, in milliseconds. */
  since: f64;
  /** f64, milliseconds: one per part, in order. */
  get times(): usize {
    return pastFields(this);
  }
  /** WARP TIMES for warps that ran in PART_RASTER, then for those in PART_SHADE. One warp in eight is timed. */
  get warpTimes(): usize {
    return this.times + PARTS * sizeof<f64>();
  }
  warpTimesOf(index: usize): WarpTimes {
    return changetype<WarpTimes>(this.warpTimes + index * sizeOf<WarpTimes>());
  }
  /** f64, milliseconds: when each part last began, with STAT_FLAG_TIMES. */
  get began(): usize {
    return this.warpTimes + WARP_PARTS * sizeOf<WarpTimes>();
  }
  get past(): usize {
    return this.began + PARTS * sizeof<f64>();
  }
  /** Moves whole KiB from the byte counters to the KiB counters. */
  carry(): void {
    this.kibLoaded += this.bytesLoaded >>> KIB_SHIFT;
    this.kibStored += this.bytesStored >>> KIB_SHIFT;
    this.groupKibLoaded += this.groupBytesLoaded >>> KIB_SHIFT;
    this.groupKibStored += this.groupBytesStored >>> KIB_SHIFT;
    this.bytesLoaded &= KIB_MASK;
    this.bytesStored &= KIB_MASK;
    this.groupBytesLoaded &= KIB_MASK;
    this.groupBytesStored &= KIB_MASK;
  }
}
