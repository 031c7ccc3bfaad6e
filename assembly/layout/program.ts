// A program in device memory, and the warp that runs it.
//
// PROGRAM                                    register file of a warp (REGISTER_BYTES each)
//   entry slot (0: interpreter)                [0, inputs)                     inputs, written by the caller
//   bytecode address, words                    [inputs, +outputs)              outputs
//   register counts                            [.., +constants)                constants
//   constants address (u32 bits each)          [.., +uniforms)                 values that are the same for the draw
//   prologue address (computes uniforms)       [.., registerCount)             temporaries, variables, lane arrays
//
// A draw's uniform block: constantCount + uniformCount words; bindUniforms splats it into a register file. PROLOGUEs,
// one behind the other, are uniform blocks to be filled: program │ resource table │ uniform block.

@unmanaged
export class Program {
  /** Slot in the kernel's function table, of the compiled program `(warp) → status`; 0 runs the interpreter. */
  slot: u32;
  code: usize;
  /** Bytecode that fills the uniform registers; 0 when there are none. Run once a draw on one quad. */
  prologue: usize;
  inputs: u32;
  outputs: u32;
  constants: u32;
  uniforms: u32;
  /**
   * Slot of the compiled fragment program that finds its inputs itself, for packers of quads and blocks: `(warp) →
   * status`; 0: there is none.
   */
  quadsSlot: u32;
  /** Address of the constants' bits, Program.constants words. */
  constantData: usize;
  /** PROGRAM_FLAG_*. */
  flags: u32;
  /** Registers in all. */
  registers: u32;
  /** Texture reads of the compiled program: SITE_DESCRIPTIONs (site.ts), and how many. */
  sites: usize;
  siteCount: u32;
  /**
   * Fragment programs: bit of each resource, of the first 32, that is a surface from which a loop loads the samples of
   * the fragment's own pixel: it runs as often as the pixel has values.
   */
  surfaces: u32;
}

@unmanaged
export class Prologue {
  /** As those of a STAGE. */
  program: Program;
  resources: usize;
  uniforms: usize;
}
