// STATISTICS: u32 counters, added to by the kernels; then the clock of the parts.
//
//   counters │ flags │ part under way │ times │ WARP TIMES while rastering, while shading │ begins of parts

import { pastFields, sizeOf } from './record';

@unmanaged
export class WarpTimes {
  /** Warps run, and how many of them were timed. */
  run: f64;
  timed: f64;
  /** Milliseconds of the timed ones: interpolation and program; from its output to the tile. */
  program: f64;
  output: f64;
}

@unmanaged
export class Statistics {
  /** Vertices that draws name, each once an instance (Draw.distinct; where that is not known, once a batch). */
  verticesUsed: u32;
  verticesShaded: u32;
  trianglesIn: u32;
  /** Culled: each triangle that reaches no tile counts for one cause. Facing away; */
  trianglesCulledFace: u32;
  /** no area, after rounding to the grid of positions; */
  trianglesCulledArea: u32;
  trianglesClipped: u32;
  trianglesBinned: u32;
  /** Pairs of a triangle and a quad of which it covers a sample. */
  quadsTested: u32;
  /** Groups of four lanes run. */
  quadsShaded: u32;
  /** Lanes run that stood for a covered pixel: fragment invocations, neither helpers nor lanes left empty. */
  lanesShaded: u32;
  warpsFragment: u32;
  /** Those of them whose pixels hold several values where their program comes back to them (fragment/divided.ts). */
  warpsDivided: u32;
  warpsVertex: u32;
  /** Fragment warps that were put aside; those of them that others overtook; runs of them that waited once more. */
  warpsAside: u32;
  warpsOvertaken: u32;
  warpsReplayed: u32;
  /** How often a warp has stopped in the middle of its program. */
  warpsSuspended: u32;
  /** Tiles that were kept, some of their warps put aside, while others were run; those that were overdue then. */
  tilesKept: u32;
  tilesOverdue: u32;
  tilesRun: u32;
  /** culled: an area, but no sample within it; */
  trianglesCulledBetween: u32;
  /** outside a side of the clip volume, or outside viewport, scissor and target; */
  trianglesCulledOutside: u32;
  /** behind the eye (no vertex with w > 0), or with a position that is not finite or too large. */
  trianglesCulledBehind: u32;
  /** Of the quads tested: those of which no sample passed, one by one or with their block. */
  quadsHidden: u32;
  /**
   * 8×8 blocks of the tiles run, by what they hold when their tile is finished, counted with STAT_FLAG_BLOCKS
   * (tile/block-states.ts).
   */
  blocksClear: u32;
  blocksPlane: u32;
  blocksPixel: u32;
  blocksSample: u32;
  /**
   * The same blocks by where their depths are: the clear value, one triangle's plane, or stored. A pass without depth
   * counts none.
   */
  depthClear: u32;
  depthPlane: u32;
  depthStored: u32;
  /** Blocks in which a triangle lay behind all that was there, so that its coverage was not even computed. */
  blocksHidden: u32;
  /** Threads (lanes that stood for a covered pixel) at rates but 1×1. */
  threads1x2: u32;
  threads2x1: u32;
  threads2x2: u32;
  threads2x4: u32;
  threads4x2: u32;
  threads4x4: u32;
  /** their warps. */
  warps1x2: u32;
  warps2x1: u32;
  warps2x2: u32;
  warps2x4: u32;
  warps4x2: u32;
  warps4x4: u32;
  /** and the pixels, covered in part or whole, that they stood for. */
  pixels1x2: u32;
  pixels2x1: u32;
  pixels2x2: u32;
  pixels2x4: u32;
  pixels4x2: u32;
  pixels4x4: u32;
  /** Areas of 4×4 pixels of which a rate was looked up, for a primitive. */
  rateLookUps: u32;
  /** Of draws that read the targets: quads that had to wait for one at their position. */
  positionHazards: u32;
  /**
   * Of programs of which a part is run for sets of samples, or behind coarse stages: lanes of the part of pixels, and
   * (the following with STAT_FLAG_STAGES) of that of sets;
   */
  pixelRuns: u32;
  sampleRuns: u32;
  /** sets, and those of all samples of their pixel; */
  sampleSets: u32;
  wholeSets: u32;
  /** sets, or several of them, of a pixel that went to the targets; sets that went there with another. */
  dispatches: u32;
  mergedDispatches: u32;
  /** Of compute passes: workgroups run, their invocations, and the warps that these fill. */
  workgroups: u32;
  invocations: u32;
  warpsCompute: u32;
  /** Of programs with barriers: parts that workgroups came to after the first, and warps run for parts. */
  partsBehind: u32;
  warpsOfParts: u32;
  /**
   * What compute programs count themselves, where statistics are asked for (src/ir/passes/counters.ts): atomic
   * operations of invocations, barriers that workgroups came to, bytes of buffers and storage textures that invocations
   * loaded and stored, and the same of the memory of workgroups. Of the bytes, those that do not make a KiB;
   */
  atomics: u32;
  barriers: u32;
  bytesLoaded: u32;
  bytesStored: u32;
  groupBytesLoaded: u32;
  groupBytesStored: u32;
  /** and KiB, in the same order: bytes of a job may be more than 32 bits hold. */
  kibLoaded: u32;
  kibStored: u32;
  groupKibLoaded: u32;
  groupKibStored: u32;
  /** Tiles that were opened to other workers (share.ts), how often one came to them, and how often one had to wait. */
  tilesShared: u32;
  tilesJoined: u32;
  blockWaits: u32;
  /** STAT_FLAG_*: what is measured beyond the counters that cost nothing. */
  flags: u32;
  /** The part under way, PART_*. */
  part: u32;
  /** f64, milliseconds: when the part under way began. */
  since: f64;
  /** f64, milliseconds: one a part, in order. */
  get times(): usize { return pastFields(this); }
  /** WARP TIMES, for warps run in PART_RASTER, then for those in PART_SHADE: f64s. One warp in eight is timed. */
  get warpTimes(): usize { return this.times + 6 * 8; }
  warpTimesOf(index: usize): WarpTimes { return changetype<WarpTimes>(this.warpTimes + index * sizeOf<WarpTimes>()); }
  /** f64, milliseconds: when each part was last begun, with STAT_FLAG_TIMES. */
  get began(): usize { return this.warpTimes + 2 * sizeOf<WarpTimes>(); }
  get past(): usize { return this.began + 6 * 8; }
  /** Carries the bytes on. */
  carry(): void {
    this.kibLoaded += this.bytesLoaded >>> 10;
    this.kibStored += this.bytesStored >>> 10;
    this.groupKibLoaded += this.groupBytesLoaded >>> 10;
    this.groupKibStored += this.groupBytesStored >>> 10;
    this.bytesLoaded &= 1023;
    this.bytesStored &= 1023;
    this.groupBytesLoaded &= 1023;
    this.groupBytesStored &= 1023;
  }
}
