// PROGRAM: a shader in device memory, and the register file of the warp that runs it.
//
//  PROGRAM                                    register file of a warp (REGISTER_BYTES each)
//    entry slot (0: interpreter)                [0, inputs)                     inputs, written by the caller
//    bytecode address, words                    [inputs, +outputs)              outputs
//    register counts                            [.., +constants)                constants
//    constants address (u32 bits each)          [.., +uniforms)                 values uniform for the draw call
//    prologue address (computes uniforms)       [.., register count)            temporaries, variables, lane arrays
//
// A draw call's uniform block has `constants` + `uniforms` words; bindUniforms broadcasts it into a register file.
// PROLOGUEs form an array of uniform blocks to be filled: program │ resource table │ uniform block.

/** PROGRAM: see the top of the file. */
@unmanaged
export class Program {
  /** Slot of the compiled shader `(warp) → status` in the kernel's function table; 0: the interpreter runs it. */
  slot: u32;
  code: usize;
  /** Bytecode that fills the uniform registers; 0 if there are none. It runs once for a draw call, on one quad. */
  prologue: usize;
  inputs: u32;
  outputs: u32;
  constants: u32;
  uniforms: u32;
  /**
   * Slot of the compiled fragment shader that computes its own inputs from packers of quads and blocks: `(warp) →
   * status`; 0: none.
   */
  quadsSlot: u32;
  /** Address of the constants' bits, Program.constants words. */
  constantData: usize;
  /** PROGRAM_FLAG_*. */
  flags: u32;
  /** Total number of registers. */
  registers: u32;
  /** Texture reads of the compiled shader: address of its SITE DESCRIPTIONs (site.ts), and how many. */
  sites: usize;
  siteCount: u32;
  /**
   * Fragment shaders: bit for each of the first 32 resources that is a surface whose samples a loop loads at the
   * fragment's own pixel. The loop runs once for each distinct value of the pixel.
   */
  surfaces: u32;
}

/** PROLOGUE: a uniform block to be filled. */
@unmanaged
export class Prologue {
  /** As in STAGE. */
  program: Program;
  resources: usize;
  uniforms: usize;
}
