// GEOMETRY: state of the vertex side: which draw, how far, and its scratch memory. One per worker.
//
//   geometryBegin(geometry, pass, draw)          then, until STATUS_DONE:
//   geometryRun(geometry, batches) → STATUS_DONE | STATUS_YIELD | STATUS_NEEDS_MEMORY | STATUS_TIMEOUT
//   geometryPart(geometry, pass, segment) instead of geometryBegin takes a part of a draw (job.ts); geometryResume
//   notes where it stopped
//
// The kernel keeps whatever it needs behind GEOMETRY_PRIVATE; the caller allocates geometryBytes(), 16-byte aligned and
// zeroed once, and sets Geometry.registers.
//
// The vertex side's memory behind GEOMETRY_PRIVATE. A batch is what is shaded together, and the primitives between it.
// Its vertices are either up to BATCH_VERTICES distinct ones, in packets here that stay in a second-level cache,
// or (Geometry.rangeInstances) the index range of one or more whole instances, at Geometry.range.
//
//   state, setup record, warp, scratch │ hash │ vertex indices │ instances │ primitives
//   │ packets, positions, outcodes, pairs, clip distances

import { BlockCache } from './block-texture';
import { Draw } from './draw';
import {
  BATCH_PRIMITIVES, BATCH_VERTICES, HASH_ENTRIES, MOST_NESTED, PACKET_BYTES, POLYGON_BYTES, PRIMITIVE_LIST_BYTES,
} from './geometry-codes';
import { Corner } from './packet';
import { Pass } from './pass';
import { pastFields, sizeOf } from './record';
import { Setup } from './setup';
import { DISTANCE_BYTES, EXTRA_VERTICES, OUTCODE_BYTES, POSITION_BYTES } from './setup-codes';
import { Stage } from './stage';
import { Misses } from './texture-stream';
import { Warp } from './warp';

/** How far a draw is: as the fields of the same names of Geometry and Segment. */
@unmanaged
export class DrawProgress {
  instance: u32;
  position: u32;
  stripLength: u32;
  stripGaps: u32;
}

/** Of a stage, or a fork, whose run was interrupted: the next primitive, or branch; what has come to it. */
@unmanaged
export class NestedRun {
  next: u32;
  primitives: u32;
  vertices: u32;
}

@unmanaged
export class Geometry {
  pass: Pass;
  draw: Draw;
  /** A register file that is large enough for the draw's vertex program (its registers · REGISTER_BYTES). */
  registers: usize;
  /** Memory for the vertices of draws with Draw.rangeCount, and its bytes; what does not fit is shaded in batches. */
  range: usize;
  rangeBytes: u32;
  /** Number of the worker, from 0: which extra vertices of a RANGE (job.ts) are its own. */
  worker: u32;
  /** PHASE_*: what geometryRun does next. */
  phase: i32;
  /**
   * Instance (from 0) and position within it of the next index. (These two and the next two are saved together, as a
   * DrawProgress.)
   */
  instance: u32;
  position: u32;
  /** Strips: vertices since the start or restart; positions of the instance where restarts have left no primitive. */
  stripLength: u32;
  stripGaps: u32;
  /** Tag of live hash entries: one a batch and instance. */
  generation: u32;
  /** The batch: vertices, primitives, vertices shaded, the next primitive and the next triangle of its fan. */
  vertices: u32;
  primitives: u32;
  shaded: i32;
  cursor: u32;
  fan: i32;
  /** Vertices of a primitive: 1, 2, 3, with adjacency 4, 6; of one that reaches setup (1, 2, 3) or a buffer. */
  corners: u32;
  setupCorners: u32;
  /** Memory for STAGE INPUTs, where the draw has stages that emit. */
  stageInputs: usize;
  /** Those: primitives of the batch that have been through the first of them, and what came of them behind the last. */
  amplified: u32;
  emitted: u32;
  /** Emitted, when the group of the first of them began. */
  emittedBefore: u32;
  /** Stages and forks around what is run, behind the first of them; groups and batches that the call has run. */
  nested: u32;
  work: u32;
  /** HELD_*: the run was interrupted so deep in its stages, and goes on there; 0: it was not. */
  held: i32;
  heldAt: u32;
  /** Primitives that a STAGE_PRIMITIVE has let go on. */
  kept: u32;
  /** After a table was run: the stage behind it that emits, or 0, and the first output register of its last stage. */
  nextStage: Stage;
  results: usize;
  /** Outcodes of the batch's vertices, joined. */
  codes: i32;
  /** Most instances in a batch whose vertices are ranges; 0: batches of distinct vertices. */
  rangeInstances: i32;
  /** First instance of such a batch. */
  rangeFirst: u32;
  /** SEGMENT_* (layout/job.ts): what of the draw is run; SEGMENT_LIST for a whole draw. */
  kind: i32;
  /** The ends of the instances and of the positions in an instance. */
  instanceEnd: u32;
  positionEnd: u32;
  /** The SEGMENT under way; where the last one ends that geometryRun goes on to when it is done. */
  segment: usize;
  segmentsEnd: usize;
  /** 1: the first batch was begun before, and some of its primitives set up. */
  resumed: i32;
  /** In a pass whose vertex side reads streamed textures; else 0. */
  misses: Misses;
  /** The worker's; 0: nothing that needs it is read. */
  decoded: BlockCache;
  /** The testing build: of the order in which primitives go to sinks that ask for none; 0: as they come. */
  seed: u32;
  /** Whether vertices have read what is not there: all of the chunk's geometry is run again. */
  get hasMissed(): bool { return this.misses && this.misses.waits != 0; }
  progress(): DrawProgress {
    return changetype<DrawProgress>(changetype<usize>(this) + offsetof<Geometry>('instance'));
  }
  /** How far it was when the batch began. */
  get begun(): DrawProgress { return changetype<DrawProgress>(pastFields(this)); }
  get setup(): Setup {
    return changetype<Setup>((changetype<usize>(this.begun) + sizeOf<DrawProgress>() + 15) & ~15);
  }
  get warp(): Warp { return changetype<Warp>(changetype<usize>(this.setup) + sizeOf<Setup>()); }
  /** One decoded attribute, one register of zeros. */
  get scratch(): usize { return changetype<usize>(this.warp) + sizeOf<Warp>(); }
  get zeros(): usize { return this.scratch + 16; }
  /**
   * Addresses of the vertex program's output registers of each varying, padded with Geometry.zeros to as many as a
   * packet has room for.
   */
  get sources(): usize { return this.zeros + 256; }
  /** Clipping: two lists of vertex numbers. */
  get polygons(): usize { return this.sources + 272; }
  get hash(): usize { return this.polygons + 2 * POLYGON_BYTES; }
  get indices(): usize { return this.hash + HASH_ENTRIES * 8; }
  get instances(): usize { return this.indices + BATCH_VERTICES * 4; }
  /** u16 places, Geometry.corners each. */
  get primitiveList(): usize { return this.instances + BATCH_VERTICES * 4; }
  /** The number of each primitive in its instance: of strips, and where fragment programs read it. */
  get numbers(): usize { return this.primitiveList + PRIMITIVE_LIST_BYTES; }
  get packets(): usize { return this.numbers + BATCH_PRIMITIVES * 4; }
  get positions(): usize { return this.packets + PACKET_BYTES; }
  get outcodes(): usize { return this.positions + (BATCH_VERTICES + EXTRA_VERTICES) * POSITION_BYTES; }
  get pairs(): usize { return this.outcodes + (BATCH_VERTICES + EXTRA_VERTICES) * OUTCODE_BYTES; }
  /** Clip distances of the batch's vertices, where the draw has any: DISTANCE_BYTES each. */
  get distances(): usize { return (this.pairs + (BATCH_VERTICES + EXTRA_VERTICES) * sizeOf<Corner>() + 15) & ~15; }
  /** Of each stage and fork around what is run. */
  get nestedRuns(): usize { return this.distances + (BATCH_VERTICES + EXTRA_VERTICES) * DISTANCE_BYTES; }
  get past(): usize { return this.nestedRuns + MOST_NESTED * sizeOf<NestedRun>(); }
}
