// DISPATCH: workgroups of one compute program, which all workers run in blocks; and what each worker has for it.
//
//   JOB ──> COMPUTE STEPs, one after the other ──> DISPATCH
//   DISPATCH <── COMPUTE UNIT, one a worker ──> warps: WARP │ register file │ LANES, and so on
//                                           ──> RESOURCE TABLE of its own │ memory of a workgroup
//
// The invocations of a workgroup lie in warps by local_invocation_index, four that follow each other in a quad.
// Small workgroups of a program without parts and memory share a warp: each begins at a quad, or at half or a quarter
// of one where it has no more invocations than that.
//
// A program that was cut at its barriers (src/ir/passes/parts.ts) is run part by part. Each lane has a register that
// names the part that it comes to next; the lowest number in the workgroup is run next, in those lanes that have it.
// Where all invocations of a workgroup go from part to part together, the first lane's says it for all.

import { BlockCache } from './block-texture';
import { pastFields } from './record';
import { Program } from './program';
import { Statistics } from './statistics';
import { Misses } from './texture-stream';

@unmanaged
export class Dispatch {
  /** Number of the first workgroup of the job among all of the dispatch: x, then y, then z. */
  base: u64;
  program: Program;
  /** Uniform block of the program. */
  uniforms: usize;
  /** RESOURCE TABLE, of which each worker has a copy, and its bytes. */
  resources: usize;
  resourceBytes: u32;
  /** The entry that is the memory of the workgroup, -1 for none; its bytes. */
  workgroupEntry: i32;
  workgroupBytes: u32;
  /** The entry that is the worker's counters, -1 for none. */
  countersEntry: i32;
  /** Extents of a workgroup, and their product; the dispatch's. */
  sizeX: u32;
  sizeY: u32;
  sizeZ: u32;
  invocations: u32;
  groupsX: u32;
  groupsY: u32;
  groupsZ: u32;
  /**
   * Quads of a warp: WARP_QUADS, or 1 where the interpreter runs a program whose quads have to follow each other; warps
   * of a workgroup; workgroups of a warp, and lanes from one to the next.
   */
  quadsPerWarp: u32;
  warpsPerGroup: u32;
  groupsPerWarp: u32;
  groupLanes: u32;
  /** Parts, 0 for a program that was not cut; the register that names the next one; registers that are kept. */
  parts: u32;
  /** 1: invocations go from part to part together. */
  together: u32;
  nextPart: u32;
  keptFirst: u32;
  keptCount: u32;
  /** Registers of inputs, -1 for those that the program does not read: x, y, z of each. */
  localX: i32;
  localY: i32;
  localZ: i32;
  globalX: i32;
  globalY: i32;
  globalZ: i32;
  groupX: i32;
  groupY: i32;
  groupZ: i32;
  countX: i32;
  countY: i32;
  countZ: i32;
  localIndex: i32;
  part: i32;
}

@unmanaged
export class ComputeStep {
  /** STEP: workgroups of a dispatch in a job: how many, the next one to claim, and how many share a warp. */
  groups: i32;
  nextGroup: i32;
  groupsPerWarp: i32;
  /** Workers that have not left it yet. */
  left: i32;
  /** 1: the first worker runs all of them, in their order. */
  serial: i32;
  dispatch: i32;
  /** Offsets in a COMPUTE UNIT of what lies behind it. */
  workgroupAt: i32;
  warpsAt: i32;
  warpBytes: i32;
  fileAt: i32;
  lanesAt: i32;
  /** Address of the first worker's MISSES, and bytes from one to the next; 0: it reads no streamed textures. */
  misses: i32;
  missesBytes: i32;
  /** Address of its first GATHERED BUFFER, and how many. */
  gathered: i32;
  gatheredCount: i32;
  /** Steps have cache lines of their own. */
  get past(): usize { return (changetype<usize>(this) + offsetof<ComputeStep>() + 63) & ~63; }
}

@unmanaged
export class GatheredBuffer {
  /**
   * GATHERED BUFFER: one to whose words a dispatch does one operation alone, that commutes, without looking at what was
   * there. Each worker has a copy of zeros, which it joins to the buffer when it leaves the dispatch: so workers do not
   * wait for each other's words. The entry of the resource table, the offset of the copy in a COMPUTE UNIT, its bytes,
   * and ATOMIC_*.
   */
  entry: i32;
  at: i32;
  size: i32;
  operation: i32;
  get past(): usize { return changetype<usize>(this) + offsetof<GatheredBuffer>(); }
}

@unmanaged
export class ComputeUnit {
  dispatch: Dispatch;
  statistics: Statistics;
  /** The first WARP; bytes from one to the next; where its register file and its LANES are. */
  warps: usize;
  warpBytes: u32;
  fileAt: u32;
  lanesAt: u32;
  /** Its own RESOURCE TABLE, and the memory of the workgroup under way. */
  resources: usize;
  workgroup: usize;
  /** What its workgroups read that is not there; 0: the program reads no streamed textures. */
  misses: Misses;
  /** As in QuadRead. */
  worker: u32;
  decoded: BlockCache;
  /** The workgroup under way. */
  x: u32;
  y: u32;
  z: u32;
}

/** LANES of a warp, v128 a quad each: those that are invocations; local_invocation_id. */
@unmanaged
export class WarpLanes {
  get on(): usize { return pastFields(this); }
  get x(): usize { return this.on + 256; }
  get y(): usize { return this.x + 256; }
  get z(): usize { return this.y + 256; }
  get past(): usize { return this.z + 256; }
}
