// STAGE: one slot of a pipeline's table of shaders, as a draw call runs it.
//
//   DRAW ─ vertex:   STAGE ── next ──> STAGE … ── 0: setup
//        └ fragment: STAGE ── next ──> STAGE … ── 0: output
//
// A pipeline consists of two tables of stages, one for vertices and one for pixels. Work passes through a table in
// warps (warp.ts). A warp is bound to a stage (its shader, uniforms and resources), the shader runs, and its results
// are handed over to the stage that `next` names. After the last stage comes fixed-function work: setup for vertices,
// output for pixels. Shaders are compiled separately; a stage knows its neighbours only by that address. The first
// stage of each table is part of the DRAW record. Draw calls with the same pipeline and bind groups have equal stages,
// which refer to the same resource tables and uniform blocks.
//
// Nothing is copied from one vertex stage to the next. A stage's register file begins at the outputs of the stage
// before it, within that stage's file, because a stage's inputs are the first registers of its file.
//
//   registers   0          firstRegister of the second
//               │ inputs   │ outputs             │ constants, …           of the first stage
//                          │ inputs │ built-ins  │ outputs │ constants, …  of the second
//
// A stage that emits (STAGE_GEOMETRY) processes one primitive per lane. Because its lanes need arbitrary vertices, the
// results of earlier stages are kept in memory (STAGE INPUT, stage-input.ts) until it runs, and its own file begins at
// 0 again:
//
//   inputs of corner 0, 1 …, built-ins │ count │ whether a strip ended before vertex 0, 1 … │ vertex 0 │ vertex 1 │ …
//
// Its outputs are registers for all vertices that a lane may emit. The k-th vertices of all primitives form a packet,
// and the file of the following stage begins there. The following stage runs for the last k first, because its file may
// only overlap vertices that have already been processed.
//
// A packet that several stages consume (STAGE_FORK) is also kept in a STAGE INPUT, with the scalars that any of them
// reads. The stages run one after the other, each followed by everything after it. Stage.sources lists the scalars that
// are a stage's inputs. Such a table is a tree whose leaves are sinks, and each sink has its own DRAW record
// (Draw.sinkDraws).
//
// A primitive stage (STAGE_PRIMITIVE) is also a fork, with one or more branches. The vertices stay where they are, and
// the primitives that continue are listed again.

import { Program } from './program';

/** STAGE: see the top of the file. */
@unmanaged
export class Stage {
  /** PROGRAM; 0 in the first fragment stage of a draw call without fragment shader (depth only). */
  program: Program;
  /** The draw call's uniform block for the shader: its constants, then its uniforms (program.ts). */
  uniforms: usize;
  /** RESOURCE TABLE (warp.ts). */
  resources: usize;
  /** RATE_*: how often it runs for a pixel. */
  rate: i32;
  /** Address of the stage to which its results are handed over; 0: they go to setup or output. */
  next: usize;
  /** STAGE_*: what it runs on. */
  kind: i32;
  /**
   * Vertex stages: first register of its file, in terms of the first stage's file; after a stage that emits, in terms
   * of the emitted vertex.
   */
  firstRegister: i32;
  /** Registers of its built-in inputs; -1 where it reads none. */
  vertexIndex: i32;
  instanceIndex: i32;
  primitiveIndex: i32;
  /** Stages that run on primitives, and forks: vertices of a primitive, and scalars that are read of each. */
  corners: i32;
  components: i32;
  /**
   * Stages with a STAGE INPUT: address of Stage.components u32, which select the stage's inputs among the scalars of
   * the STAGE INPUT. The stage may share the STAGE INPUT of the fork before it.
   */
  sources: usize;
  /** Forks: addresses of the stages that follow it, in the order in which they run. */
  branches: usize;
  branchCount: u32;
  /** A sink after a fork: index of its record in Draw.sinkDraws. */
  sinkNumber: u32;
  /** Stages that emit: maximum number of vertices that a primitive may emit. */
  maxVertices: i32;
  /**
   * Stages that emit: number of scalars of each vertex. Control stages: scalars of the patch after the levels. Forks
   * and STAGE_PRIMITIVE: scalars of each vertex in their STAGE INPUT.
   */
  outputs: i32;
  /** TOPOLOGY_* of the emitted primitives; for evaluation stages, always a list. */
  topology: i32;
  /** Buffers: bytes of a vertex. */
  stride: u32;
  /** Buffers: number of words of a vertex that are written. Evaluation stages: number of control point scalars. */
  wordCount: u32;
  /**
   * Address of two u32 for each of these words. Buffers: index of the scalar, and byte offset in the vertex. Evaluation
   * stages: corner and component.
   */
  words: usize;
  /** Buffers: number of further pairs in `words`: a word with the same value in each vertex, and its byte offset. */
  constantCount: u32;
  /**
   * Evaluation stages: DOMAIN_* and SPACING_*. The stage's inputs are `components` values of the patch, then
   * `wordCount` scalars of control points.
   */
  domain: i32;
  spacing: i32;
  /** Evaluation stages: 1: triangles run clockwise. */
  clockwise: i32;
  /** Evaluation stages: the highest level. */
  maxLevel: i32;
  /** Evaluation stages: registers of the coordinates; -1 where not read. */
  coordU: i32;
  coordV: i32;
  coordW: i32;
  /** Evaluation stages: offset of its TESSELLATION, relative to the same base as `input`. */
  tessellation: u32;
  /** Evaluation stages: room for the vertices and primitives of a pattern, and bytes for all patterns. */
  patternVertices: u32;
  patternPrimitives: u32;
  patternBytes: u32;
  /** Offset of its STAGE INPUT in the worker's memory at Geometry.stageInputs. */
  input: u32;
  /**
   * Likewise, the PRIMITIVE LIST of the primitives that reach it: its STAGE INPUT's own, or the one that a
   * STAGE_PRIMITIVE kept.
   */
  list: u32;
  /** Forks and STAGE_PRIMITIVE: the PRIMITIVE LIST of the primitives that continue; a fork's is `list`. */
  kept: u32;
  /** STAGE_PRIMITIVE: registers of its results; -1 where it has none. */
  cullRegister: i32;
  viewportRegister: i32;
  rateRegister: i32;
  /** 1: the list that reaches it has viewports and shading rates. */
  hasViewports: i32;
  /**
   * Fragment stages: index of the word of Pass.stageRuns that counts their warps; 0: not counted. Vertex stages: not 0
   * if a plain one counts vertices and warps.
   */
  counter: u32;
  /**
   * Warps that the stage ran. This counter and those after it are updated by all workers, in tables of more than one
   * vertex stage. A plain vertex stage counts its warps only with STAT_FLAG_STAGES, or with `counter`.
   */
  runs: u32;
  /** The workers that ran it: workers 0 to 31, then 32 to 63, a bit each. */
  workersLow: u32;
  workersHigh: u32;
  /** Vertices that entered the table's first stage. */
  verticesIn: u32;
  /** Stages that emit: primitives in, vertices out, primitives out. */
  primitivesIn: u32;
  verticesOut: u32;
  primitivesOut: u32;
  /** Stages that emit: vertices beyond maxVertices, which are dropped. */
  dropped: u32;
}
