// GEOMETRY: state of the vertex side: the draw call, the progress in it, and scratch memory. Each worker has one.
//
//   geometryBegin(geometry, pass, draw)          then, until STATUS_DONE:
//   geometryRun(geometry, batches) → STATUS_DONE | STATUS_YIELD | STATUS_NEEDS_MEMORY | STATUS_TIMEOUT
//   geometryPart(geometry, pass, segment) replaces geometryBegin for a part of a draw call (job.ts); geometryResume
//   notes where it stopped
//
// The caller allocates geometryBytes(), 16-byte aligned and zeroed once, and sets the memory that the record refers to
// (`registers`, `range`, `stageInputs`, `misses`, `decoded`) and `worker`. Everything else belongs to the kernel.
//
// A batch is a set of vertices that are shaded together, with the primitives between them. The vertices are either up
// to BATCH_VERTICES distinct ones, in packets in this record that fit a second-level cache; or, with
// Geometry.rangeInstances, the index range of one or more whole instances, at Geometry.range. Arrays after the fields:
//
//   progress, copy of a DRAW, setup record, warp, scratch │ hash │ vertex indices │ instances │ primitives
//   │ packets, positions, outcodes, pairs, clip distances │ nested runs

import { BlockCache } from '../texture/block-texture';
import { Draw } from '../pass/draw';
import {
  BATCH_PRIMITIVES,
  BATCH_VERTICES,
  HASH_ENTRIES,
  MAX_NESTED,
  PACKET_BYTES,
  POLYGON_BYTES,
  PRIMITIVE_LIST_BYTES,
} from './geometry-codes';
import { Corner } from './packet';
import { Pass } from '../pass/pass';
import { LANES, pastFields, QUAD_VECTORS_BYTES, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { Setup } from './setup';
import { DISTANCE_BYTES, EXTRA_VERTICES, OUTCODE_BYTES, POSITION_BYTES } from './setup-codes';
import { Stage } from '../program/stage';
import { Misses } from '../late/late-work';
import { Warp } from '../warp/warp';
import { MAX_VARYINGS } from '../limits';

/** Varyings for which a packet has room. */
const PACKET_VARYINGS = MAX_VARYINGS + LANES;
// @ts-ignore: decorator
@inline const SOURCES_BYTES = PACKET_VARYINGS * sizeof<usize>();
// @ts-ignore: decorator
@inline const POLYGON_LISTS = 2;

/** Progress in a draw call, as in the fields of the same names in Geometry and Segment. */
@unmanaged
export class DrawProgress {
  instance: u32;
  position: u32;
  stripLength: u32;
  stripGaps: u32;
}

/**
 * NESTED RUN: for a stage or fork whose run was interrupted: the next primitive or branch; vertices and primitives that
 * have reached it.
 */
@unmanaged
export class NestedRun {
  next: u32;
  primitives: u32;
  vertices: u32;
}

/** GEOMETRY: see the top of the file. */
@unmanaged
export class Geometry {
  pass: Pass;
  draw: Draw;
  /** A register file that is large enough for the draw call's vertex shader (registers · REGISTER_BYTES). */
  registers: usize;
  /**
   * Memory for the vertices of draw calls with Draw.rangeCount, and its size in bytes. What does not fit is shaded in
   * batches.
   */
  range: usize;
  rangeBytes: u32;
  /**
   * For a RANGE of a draw call whose stages emit (job.ts): address of its vertices; else 0. The stage that gathers its
   * inputs from there; 0 if batches get copies of them.
   */
  shared: usize;
  gathering: Stage;
  /** Number of the worker, from 0: determines which extra vertices of a RANGE (job.ts) are its own. */
  worker: u32;
  /** PHASE_*: what geometryRun does next. */
  phase: i32;
  /**
   * Instance (from 0) and position within it of the next index. These two fields and the next two are saved together,
   * as a DrawProgress.
   */
  instance: u32;
  position: u32;
  /** Strips: vertices since the start or the last restart. */
  stripLength: u32;
  /** Strips: positions of the instance that restarts left without a primitive. */
  stripGaps: u32;
  /** Tag of live hash entries: one for each batch and instance. */
  generation: u32;
  /** The batch: its vertices, its primitives, and the vertices that are shaded so far. */
  vertices: u32;
  primitives: u32;
  shaded: i32;
  /** The batch: the next primitive, and the next triangle of its fan. */
  cursor: u32;
  fan: i32;
  /** Vertices of a primitive: 1, 2 or 3; with adjacency 4 or 6. */
  corners: u32;
  /** Vertices of a primitive that reaches setup or a buffer: 1, 2 or 3. */
  setupCorners: u32;
  /** Memory for STAGE INPUTs, if the draw call has stages that emit. */
  stageInputs: usize;
  /** Primitives of the batch that have passed the first stage that emits. */
  amplified: u32;
  /** Primitives that these became after the last stage. */
  emitted: u32;
  /** Value of `emitted` when the current group of the first stage began. */
  emittedBefore: u32;
  /** Number of stages and forks around the current one, after the first. */
  nested: u32;
  /** Groups and batches that this call has run. */
  work: u32;
  /** HELD_*: where the run of nested stages was interrupted and will continue; 0: it was not interrupted. */
  interruption: i32;
  /** Value of `nested` at that point. */
  interruptedDepth: u32;
  /** Number of primitives that a STAGE_PRIMITIVE has let through. */
  kept: u32;
  /** After a table has run: the next stage that emits, or 0. */
  nextStage: Stage;
  /** After a table has run: address of the first output register of its last stage. */
  results: usize;
  /** Union of the outcodes of the batch's vertices. */
  codes: i32;
  /** Maximum number of instances in a batch whose vertices are ranges; 0: batches of distinct vertices. */
  rangeInstances: i32;
  /** First instance of such a batch. */
  rangeFirst: u32;
  /** SEGMENT_*: which part of the draw call runs; SEGMENT_LIST for a whole draw call. */
  kind: i32;
  /** End of the instances, and of the positions in an instance. */
  instanceEnd: u32;
  positionEnd: u32;
  /** The current SEGMENT. */
  segment: usize;
  /** End of the SEGMENTs through which geometryRun continues without returning. */
  segmentsEnd: usize;
  /** SEGMENT_CALLS: number of its draw calls that are done, and that follow the current one; else 0. */
  call: u32;
  callsLeft: u32;
  /** A WARP and a register file for prologues of DRAW PATTERNs. */
  prologueScratch: Warp;
  /** 1: the first batch was begun before, and some of its primitives are already set up. */
  resumed: i32;
  /** In a pass whose vertex side reads streamed textures; else 0. */
  misses: Misses;
  /** The worker's BLOCK CACHE; 0: no shader needs it. */
  decoded: BlockCache;
  /** Testing build: seed for the order of primitives in unordered sinks; 0: natural order. */
  seed: u32;
  /** Whether vertices have read non-resident pages: then all of the chunk's geometry is replayed. */
  get hasMissed(): bool {
    return this.misses && this.misses.waits != 0;
  }
  progress(): DrawProgress {
    return changetype<DrawProgress>(changetype<usize>(this) + offsetof<Geometry>('instance'));
  }
  /** Progress at the beginning of the batch. */
  get begun(): DrawProgress {
    return changetype<DrawProgress>(pastFields(this));
  }
  /** The vertex side's copy of a DRAW record that several DRAW CALLs share, without targets. */
  get ownDraw(): Draw {
    return changetype<Draw>(changetype<usize>(this.begun) + sizeOf<DrawProgress>());
  }
  get setup(): Setup {
    return changetype<Setup>((this.ownDraw.targets + VECTOR_PAD) & ~VECTOR_PAD);
  }
  get warp(): Warp {
    return changetype<Warp>(changetype<usize>(this.setup) + sizeOf<Setup>());
  }
  /** One decoded attribute; one register of zeros. */
  get scratch(): usize {
    return changetype<usize>(this.warp) + sizeOf<Warp>();
  }
  get zeros(): usize {
    return this.scratch + VECTOR_BYTES;
  }
  /**
   * Addresses of the vertex shader's output register for each varying, padded with Geometry.zeros to the number of
   * varyings that a packet has room for.
   */
  get sources(): usize {
    return this.zeros + QUAD_VECTORS_BYTES;
  }
  /** Clipping: two lists of vertex numbers. */
  get polygons(): usize {
    return this.sources + SOURCES_BYTES;
  }
  get hash(): usize {
    return this.polygons + POLYGON_LISTS * POLYGON_BYTES;
  }
  get indices(): usize {
    return this.hash + HASH_ENTRIES * sizeof<u64>();
  }
  get instances(): usize {
    return this.indices + BATCH_VERTICES * sizeof<u32>();
  }
  /** u16 positions in the batch, Geometry.corners for each primitive. */
  get primitiveList(): usize {
    return this.instances + BATCH_VERTICES * sizeof<u32>();
  }
  /** Number of each primitive in its instance: for strips, and if the fragment shader reads it. */
  get numbers(): usize {
    return this.primitiveList + PRIMITIVE_LIST_BYTES;
  }
  get packets(): usize {
    return this.numbers + BATCH_PRIMITIVES * sizeof<u32>();
  }
  get positions(): usize {
    return this.packets + PACKET_BYTES;
  }
  get outcodes(): usize {
    return this.positions + (BATCH_VERTICES + EXTRA_VERTICES) * POSITION_BYTES;
  }
  get pairs(): usize {
    return this.outcodes + (BATCH_VERTICES + EXTRA_VERTICES) * OUTCODE_BYTES;
  }
  /** Clip distances of the batch's vertices, if the draw call has any: DISTANCE_BYTES each. */
  get distances(): usize {
    return (this.pairs + (BATCH_VERTICES + EXTRA_VERTICES) * sizeOf<Corner>() + VECTOR_PAD) & ~VECTOR_PAD;
  }
  /** A NESTED RUN for each stage and fork around the current one. */
  get nestedRuns(): usize {
    return this.distances + (BATCH_VERTICES + EXTRA_VERTICES) * DISTANCE_BYTES;
  }
  get past(): usize {
    return this.nestedRuns + MAX_NESTED * sizeOf<NestedRun>();
  }
}
