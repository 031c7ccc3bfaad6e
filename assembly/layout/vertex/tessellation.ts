// TESSELLATION: a worker's state for a pair of tessellation stages, stored after the STAGE INPUT of the control stage.
//
//   fields │ levels of the group's patches, 6 registers │ of the lanes that run: vertex numbers, instances
//   │ PATCH PARTs of the batch │ slots of patterns │ coordinates along edges: outer 0 … 3, inner 0, 1
//   │ values of the patches, a register each │ pattern in progress: u, v, w, places, corners │ patterns
//
// A PATTERN describes how a patch with given levels is subdivided: coordinates of vertices, and primitives between
// them. It depends only on the levels and is built once for all patches that have them. Setup takes one batch at a
// time, so large patterns are stored in parts, each with its own vertices. Vertices at the seams are evaluated twice.
//
//   PATTERN: levels, parts │ PATTERN PART: counts │ number of each vertex in the pattern │ u │ v │ w │ u16 corners
//                          │ PATTERN PART …

import { BATCH_PARTS, MAX_LEVEL, PATTERN_SLOTS, TESS_LEVELS } from './tessellation-codes';
import { LANES, pastFields, QUAD_VECTORS_BYTES, sizeOf, VECTOR_PAD } from '../record';

/** Coordinates along an edge, up to MAX_LEVEL + 1. */
const EDGE_COORDINATES = MAX_LEVEL + LANES;
// @ts-ignore: decorator
@inline const EDGE_BYTES = EDGE_COORDINATES * sizeof<u32>();

/** PATCH PART: a part of a patch in a batch. */
@unmanaged
export class PatchPart {
  /** PATTERN PART. */
  part: usize;
  /** Lane of the patch in its group. */
  lane: u32;
  /** The part's first quad in the batch. */
  quad: u32;
}

/** PATTERN PART: see the top of the file. */
@unmanaged
export class PatternPart {
  /** Number of quads of vertices; the last quad is padded. */
  quads: u32;
  vertices: u32;
  primitives: u32;
  /** Bytes to the next part. */
  length: u32;
  get numbers(): usize {
    return pastFields(this);
  }
}

/** PATTERN: see the top of the file. */
@unmanaged
export class Pattern {
  outer0: f32;
  outer1: f32;
  outer2: f32;
  outer3: f32;
  inner0: f32;
  inner1: f32;
  parts: u32;
  get first(): PatternPart {
    return changetype<PatternPart>(pastFields(this));
  }
}

/** TESSELLATION: see the top of the file. */
@unmanaged
export class Tessellation {
  /** Number of stored patterns, and the address at which the next one would be stored. */
  patterns: u32;
  patternsEnd: usize;
  /** Pattern in progress: its vertices and primitives so far. */
  vertices: u32;
  primitives: u32;
  /** Current ring: its outer vertices (first, end, current position). */
  outerFirst: u32;
  outerEnd: u32;
  outerAt: u32;
  /** Current ring: its inner vertices (first, end). */
  innerFirst: u32;
  innerEnd: u32;
  /** The current group: its first patch in the STAGE INPUT, and the number of patches. */
  firstPatch: u32;
  lanes: u32;
  /** The current patch of the group. */
  lane: u32;
  /** Parts of the current patch that are not in a batch yet, and the first of them (PATTERN PART). */
  partsLeft: u32;
  nextPart: usize;
  /** Patches of the group that produced output. */
  kept: u32;
  /** 1: no stage after the pair produces other primitives. */
  isLast: u32;
  /** The batch: number of PATCH PARTs, and their quads and primitives. */
  batchParts: u32;
  batchQuads: u32;
  batchPrimitives: u32;
  /** The PATCH PART that is evaluated next. */
  partAt: u32;
  get levels(): usize {
    return pastFields(this);
  }
  get laneVertices(): usize {
    return this.levels + TESS_LEVELS * QUAD_VECTORS_BYTES;
  }
  get laneInstances(): usize {
    return this.laneVertices + QUAD_VECTORS_BYTES;
  }
  get parts(): usize {
    return this.laneInstances + QUAD_VECTORS_BYTES;
  }
  get slots(): usize {
    return this.parts + BATCH_PARTS * sizeOf<PatchPart>();
  }
  /** Coordinates in units of 2⁻²⁴, up to 65 for each edge. */
  get edges(): usize {
    return this.slots + PATTERN_SLOTS * sizeof<u32>();
  }
  get past(): usize {
    return (this.edges + TESS_LEVELS * EDGE_BYTES + VECTOR_PAD) & ~VECTOR_PAD;
  }
}
