// DISPATCH: workgroups of one compute shader, which all workers run in blocks; and the records that each worker needs.
//
//   JOB ──> COMPUTE STEPs, one after the other ──> DISPATCH
//   DISPATCH <── COMPUTE UNIT, one per worker ──> warps: WARP │ register file │ LANES, and so on
//                                             ──> its own RESOURCE TABLE │ memory of a workgroup
//
// The invocations of a workgroup are assigned to the lanes of warps by local_invocation_index; four consecutive ones
// form a quad. If a shader has no parts and no workgroup memory, small workgroups share a warp. Each of them starts at
// a quad, or at a half or quarter of a quad if it has no more invocations than that.
//
// A shader with barriers is cut into parts at its barriers (src/ir/passes/parts/parts.ts) and runs part by part. Each
// lane has a register with the number of the part that it runs next. The lowest number in the workgroup runs next, in
// those lanes that have it. If all invocations of a workgroup always go to the same part, the first lane's number is
// used for all.

import { BlockCache } from '../texture/block-texture';
import { LINE_PAD, pastFields, QUAD_VECTORS_BYTES } from '../record';
import { Program } from '../program/program';
import { Statistics } from '../statistics';
import { Misses } from '../late/late-work';

/** DISPATCH: see the top of the file. */
@unmanaged
export class Dispatch {
  /** Number of the job's first workgroup in the whole dispatch: x, then y, then z. */
  base: u64;
  program: Program;
  /** Uniform block of the shader. */
  uniforms: usize;
  /** RESOURCE TABLE, copied for each worker, and its size in bytes. */
  resources: usize;
  resourceBytes: u32;
  /** Resource table entry for workgroup memory, -1 for none; and its size in bytes. */
  workgroupEntry: i32;
  workgroupBytes: u32;
  /** Resource table entry for the worker's counters, -1 for none. */
  countersEntry: i32;
  /** Size of a workgroup. */
  sizeX: u32;
  sizeY: u32;
  sizeZ: u32;
  /** Invocations of a workgroup. */
  invocations: u32;
  /** Size of the dispatch in workgroups. */
  groupsX: u32;
  groupsY: u32;
  groupsZ: u32;
  /** Quads of a warp: WARP_QUADS, or 1 if the interpreter runs a shader whose quads must follow each other. */
  quadsPerWarp: u32;
  /** Warps of a workgroup. */
  warpsPerGroup: u32;
  /** Workgroups of a warp, and lanes from one to the next. */
  groupsPerWarp: u32;
  groupLanes: u32;
  /** Number of parts; 0 for a shader without parts. */
  parts: u32;
  /** 1: all invocations of a workgroup go from part to part together. */
  together: u32;
  /** Register with the number of the next part; registers that are kept between parts. */
  nextPart: u32;
  keptFirst: u32;
  keptCount: u32;
  /** Registers of built-in inputs (x, y and z of each); -1 if the shader does not read them. */
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

/** COMPUTE STEP: workgroups of a dispatch in a job. */
@unmanaged
export class ComputeStep {
  /** Number of workgroups, and the next one to claim. */
  groups: i32;
  nextGroup: i32;
  /** As in DISPATCH. */
  groupsPerWarp: i32;
  /** Workers that have not left the step yet. */
  left: i32;
  /** 1: the first worker runs all workgroups, in order. */
  serial: i32;
  dispatch: i32;
  /** Offsets of arrays within a COMPUTE UNIT's memory. */
  workgroupAt: i32;
  warpsAt: i32;
  warpBytes: i32;
  fileAt: i32;
  lanesAt: i32;
  /** Address of the first worker's MISSES, and bytes from one to the next; 0: no streamed textures are read. */
  misses: i32;
  missesBytes: i32;
  /** Address of the first GATHERED BUFFER, and how many. */
  gathered: i32;
  gatheredCount: i32;
  /** Each step occupies its own cache lines. */
  get past(): usize {
    return (changetype<usize>(this) + offsetof<ComputeStep>() + LINE_PAD) & ~LINE_PAD;
  }
}

/**
 * GATHERED BUFFER: a buffer that a dispatch changes only by one commutative atomic operation, without using the old
 * values. Each worker updates its own copy, which starts as zeros, and merges it into the buffer when it leaves the
 * dispatch. So workers do not contend for the same words.
 */
@unmanaged
export class GatheredBuffer {
  /** Resource table entry. */
  entry: i32;
  /** Offset of the copy in a COMPUTE UNIT's memory, and its size in bytes. */
  at: i32;
  size: i32;
  /** ATOMIC_*. */
  operation: i32;
  get past(): usize {
    return changetype<usize>(this) + offsetof<GatheredBuffer>();
  }
}

/** COMPUTE UNIT: one worker's records for a dispatch. */
@unmanaged
export class ComputeUnit {
  dispatch: Dispatch;
  statistics: Statistics;
  /** The first WARP, and bytes from one to the next. */
  warps: usize;
  warpBytes: u32;
  /** Offsets of a warp's register file and LANES. */
  fileAt: u32;
  lanesAt: u32;
  /** The unit's own RESOURCE TABLE, and the memory of the current workgroup. */
  resources: usize;
  workgroup: usize;
  /** MISSES of its workgroups; 0: the shader reads no streamed textures. */
  misses: Misses;
  /** As in QuadRead. */
  worker: u32;
  decoded: BlockCache;
  /** The current workgroup. */
  x: u32;
  y: u32;
  z: u32;
}

/** LANES of a warp, a v128 per quad each: which lanes are invocations, and their local_invocation_id. */
@unmanaged
export class WarpLanes {
  get on(): usize {
    return pastFields(this);
  }
  get x(): usize {
    return this.on + QUAD_VECTORS_BYTES;
  }
  get y(): usize {
    return this.x + QUAD_VECTORS_BYTES;
  }
  get z(): usize {
    return this.y + QUAD_VECTORS_BYTES;
  }
  get past(): usize {
    return this.z + QUAD_VECTORS_BYTES;
  }
}
