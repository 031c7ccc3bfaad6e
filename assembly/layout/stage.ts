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
  /** Vertex stages: where its register file begins, in registers of the first one's. */
  firstRegister: i32;
  /** Vertex stages: registers of its file; -1 where it has none. */
  vertexIndex: i32;
  instanceIndex: i32;
}
