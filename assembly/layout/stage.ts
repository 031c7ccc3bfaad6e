// STAGE: one slot of a pipeline's table of shaders, as a draw runs it. What a stage is, stands here and nowhere else.
//
//   DRAW ─ vertex:   STAGE ── next ──> STAGE … ── 0: setup
//        └ fragment: STAGE ── next ──> STAGE … ── 0: output
//
// A pipeline is two tables of stages, one of vertices and one of pixels. Work goes down a table in warps (warp.ts): a
// warp is bound to a stage (its program, uniforms and resources), the program is run, and what it has written is handed
// over to the stage that `next` names; behind the last one stands what is no program, setup for vertices and output for
// pixels. A stage knows neither who comes before it nor what is behind it but by that address: programs are compiled
// alone. The first stage of each table lies within the DRAW record; draws of the same pipeline and groups have equal
// stages, which name the same tables and blocks.
//
// Nothing is copied from one vertex stage to the next: the register file of a stage begins where the outputs of the
// stage before it lie in its own, and its inputs are the first registers of a file.
//
//   registers   0          firstRegister of the second
//               │ inputs   │ outputs             │ constants, …           of the first stage
//                          │ inputs │ built-ins  │ outputs │ constants, …  of the second
//
// A stage that emits (STAGE_GEOMETRY) has a primitive a lane. What is before it lies in memory until then (STAGE INPUT,
// stage-input.ts), since its lanes want any vertices; its own file begins at 0 again. Its outputs are registers of all
// vertices that a lane may emit, so that the k-th vertices of all primitives are a packet, and the file of the stage
// behind it begins there. It is run for the last k first: what a file lies over is done then.
//
// A packet that several stages take (STAGE_FORK) lies in a STAGE INPUT, too: the scalars that any of them reads. They
// are run one after the other, each with all that is behind it; which scalars are its inputs, Stage.sources says. So a
// table is a tree, whose ends are sinks; each has a DRAW record of its own (Draw.sinkDraws).
//
// A stage that takes a look at primitives (STAGE_PRIMITIVE) is a fork, too, of one branch or more: the vertices stay
// where they are, and of the primitives those that go on are listed anew.
//
//   inputs of corner 0, 1 …, built-ins │ count │ whether a strip ended before vertex 0, 1 … │ vertex 0 │ vertex 1 │ …

import { Program } from './program';

@unmanaged
export class Stage {
  /** The first fragment stage of a draw: 0 where there is none (depth only). */
  program: Program;
  /** The draw's uniform block for the program: its constants, then its uniforms (program.ts). */
  uniforms: usize;
  /** RESOURCE TABLE (warp.ts). */
  resources: usize;
  /** RATE_*: how often it runs for a pixel. */
  rate: i32;
  /** Address of the stage that its results are handed over to; 0: they go to setup, or to output. */
  next: usize;
  /** STAGE_*: what it is run for. */
  kind: i32;
  /**
   * Vertex stages: where its register file begins, in registers of the first one's, or behind a stage that emits, of
   * the emitted vertex.
   */
  firstRegister: i32;
  /** Registers of its file; -1 where it has none. */
  vertexIndex: i32;
  instanceIndex: i32;
  primitiveIndex: i32;
  /**
   * Of stages that are run for primitives, and of a fork: vertices of a primitive, and scalars of each that are read.
   */
  corners: i32;
  components: i32;
  /**
   * Of what takes a STAGE INPUT: address of Stage.components u32, which scalars of it are its own. It may be that of
   * the fork before it.
   */
  sources: usize;
  /** Of a fork: addresses of the stages behind it, in the order in which they are run. */
  branches: usize;
  branchCount: u32;
  /** Of a sink behind a fork: the number of its record among Draw.sinkDraws. */
  sinkNumber: u32;
  /**
   * Vertices that a primitive may emit, the scalars of each (of control: of the patch, behind the levels; of forks and
   * of STAGE_PRIMITIVE: of each vertex in their STAGE INPUT), and what they are: TOPOLOGY_*, of evaluation lists.
   */
  maxVertices: i32;
  outputs: i32;
  topology: i32;
  /** Of a buffer: bytes of a vertex; how many words of it are written, and of each, which scalar it is, and where. */
  stride: u32;
  wordCount: u32;
  words: usize;
  /**
   * Of an evaluation stage: what its patches are (DOMAIN_*), SPACING_*, whether triangles run clockwise, the highest
   * level, and registers of its coordinates, -1 where it does not read one. Its inputs are `components` values of the
   * patch, then `wordCount` scalars of control points, of which `words` says which: corner, component.
   */
  domain: i32;
  spacing: i32;
  clockwise: i32;
  maxLevel: i32;
  coordU: i32;
  coordV: i32;
  coordW: i32;
  /** Where its TESSELLATION lies, as `input`; room for vertices and primitives of a pattern; bytes for patterns. */
  tessellation: u32;
  patternVertices: u32;
  patternPrimitives: u32;
  patternBytes: u32;
  /** Where its STAGE INPUT lies in the memory of a worker (Geometry.stageInputs). */
  input: u32;
  /** Likewise, the PRIMITIVE LIST of what comes to it: its STAGE INPUT's own, or what a STAGE_PRIMITIVE kept. */
  list: u32;
  /** Of a fork and of STAGE_PRIMITIVE: the PRIMITIVE LIST of what goes on; a fork's is `list`. */
  kept: u32;
  /** Of STAGE_PRIMITIVE: registers of its results, -1 where it has none. */
  cullRegister: i32;
  viewportRegister: i32;
  rateRegister: i32;
  /** 1: the list that comes to it says viewports, and rates. */
  hasViewports: i32;
  /** Of stages of pixels: which word of Pass.stageRuns counts their warps; 0: nobody asks for it. */
  counter: u32;
  /**
   * Counted by all workers, of tables of more than a vertex stage: warps, which a plain vertex stage counts where
   * STAT_FLAG_STAGES asks; the first stage's vertices; of a stage that emits, primitives in, vertices and primitives
   * out, and vertices beyond maxVertices, which are dropped.
   */
  runs: u32;
  verticesIn: u32;
  primitivesIn: u32;
  verticesOut: u32;
  primitivesOut: u32;
  dropped: u32;
}
