// TESSELLATION: what a worker keeps of a pair of tessellation stages, behind the STAGE INPUT of the first of them.
//
//   fields │ levels of the group's patches, 6 registers │ of the lanes that run: vertex numbers, instances
//   │ PATCH PARTs of the batch │ slots of patterns │ coordinates along edges: outer 0 … 3, inner 0, 1
//   │ values of the patches, a register each │ pattern in the making: u, v, w, places, corners │ patterns
//
// A PATTERN is how a patch of given levels is cut up: coordinates of vertices, and primitives between them. It depends
// on the levels alone, and is made once for all patches that have them. Setup takes a batch at a time, so large ones
// are kept in parts, each with vertices of its own: those at the seams are evaluated twice.
//
//   PATTERN: levels, parts │ PATTERN PART: counts │ number of each vertex in the pattern │ u │ v │ w │ u16 corners
//                          │ PATTERN PART …

import { BATCH_PARTS, PATTERN_SLOTS, TESS_LEVELS } from './tessellation-codes';
import { pastFields, sizeOf } from './record';

/** A part of a patch, as it lies in a batch. */
@unmanaged
export class PatchPart {
  /** PATTERN PART. */
  part: usize;
  /** Of the patch in its group. */
  lane: u32;
  /** Its first quad in the batch. */
  quad: u32;
}

@unmanaged
export class PatternPart {
  /** With the last quad filled up. */
  quads: u32;
  vertices: u32;
  primitives: u32;
  /** Bytes to the next part. */
  length: u32;
  get numbers(): usize { return pastFields(this); }
}

@unmanaged
export class Pattern {
  outer0: f32;
  outer1: f32;
  outer2: f32;
  outer3: f32;
  inner0: f32;
  inner1: f32;
  parts: u32;
  get first(): PatternPart { return changetype<PatternPart>(pastFields(this)); }
}

@unmanaged
export class Tessellation {
  /** Patterns that are kept, and where the next one would lie. */
  patterns: u32;
  patternsEnd: usize;
  /** The pattern in the making: its vertices and primitives so far. */
  vertices: u32;
  primitives: u32;
  /** Of a ring: its outer vertices from the first to the one behind the last, and where it is; so of its inner ones. */
  outerFirst: u32;
  outerEnd: u32;
  outerAt: u32;
  innerFirst: u32;
  innerEnd: u32;
  /**
   * The group: its first patch in the STAGE INPUT, patches, the next one, parts of that which are in no batch yet, and
   * the first of them (PATTERN PART); patches that became something; 1: nothing behind the pair makes other primitives.
   */
  firstPatch: u32;
  lanes: u32;
  lane: u32;
  partsLeft: u32;
  nextPart: usize;
  kept: u32;
  isLast: u32;
  /** The batch: PATCH PARTs, quads and primitives of them, and the PATCH PART that is evaluated next. */
  batchParts: u32;
  batchQuads: u32;
  batchPrimitives: u32;
  partAt: u32;
  get levels(): usize { return pastFields(this); }
  get laneVertices(): usize { return this.levels + TESS_LEVELS * 256; }
  get laneInstances(): usize { return this.laneVertices + 256; }
  get parts(): usize { return this.laneInstances + 256; }
  get slots(): usize { return this.parts + BATCH_PARTS * sizeOf<PatchPart>(); }
  /** In units of 2⁻²⁴, up to 65 an edge. */
  get edges(): usize { return this.slots + PATTERN_SLOTS * 4; }
  get past(): usize { return (this.edges + TESS_LEVELS * 272 + 15) & ~15; }
}
