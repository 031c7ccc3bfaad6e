// A program in device memory, and the warp that runs it.
//
// PROGRAM                                    register file of a warp (REGISTER_BYTES each)
//   entry slot (0: interpreter)                [0, inputs)                     inputs, written by the caller
//   bytecode address, words                    [inputs, +outputs)              outputs
//   register counts                            [.., +constants)                constants
//   constants address (u32 bits each)          [.., +uniforms)                 values that are the same for the draw
//   prologue address (computes uniforms)       [.., registerCount)             temporaries, variables, lane arrays
//
// A draw's uniform block: constantCount + uniformCount words; bindUniforms splats it into a register file.

/** Slot in the kernel's function table, of the compiled program `(warp) → status`; 0 runs the interpreter. */
export const PROGRAM_SLOT = 0;
export const PROGRAM_CODE = 4;
/** Bytecode that fills the uniform registers; 0 when there are none. Run once a draw on one quad. */
export const PROGRAM_PROLOGUE = 8;
export const PROGRAM_INPUTS = 12;
export const PROGRAM_OUTPUTS = 16;
export const PROGRAM_CONSTANTS = 20;
export const PROGRAM_UNIFORMS = 24;
/** Slot of the compiled fragment program that finds its inputs itself, for packers of quads and blocks: `(warp) → status`; 0: there is none. */
export const PROGRAM_QUADS_SLOT = 28;
/** Address of the constants' bits, PROGRAM_CONSTANTS words. */
export const PROGRAM_CONSTANT_DATA = 32;
/** PROGRAM_FLAG_*. */
export const PROGRAM_FLAGS = 36;
/** Texture reads of the compiled program: SITE_DESCRIPTIONs (site.ts), and how many. */
export const PROGRAM_SITES = 40;
export const PROGRAM_SITE_COUNT = 44;
export const PROGRAM_BYTES = 48;
export const PROGRAM_FLAG_DERIVATIVES = 2;
/** The compiled program in PROGRAM_QUADS_SLOT does not look at WARP_EXEC and WARP_KILLED: no lanes part. */
export const PROGRAM_FLAG_NO_MASKS = 4;
/** Fragment programs: all pixels of a triangle have the same results, and running one leaves nothing else. */
export const PROGRAM_FLAG_SAME = 8;

/** WARP: what an engine is called with, `(warp) → status`. */
export const WARP_PROGRAM = 0;
/** Register file. */
export const WARP_REGISTERS = 4;
/** Resource table of the stage. */
export const WARP_RESOURCES = 8;
/** Quads in use, 1 … WARP_QUADS. */
export const WARP_QUAD_COUNT = 12;
/** Loop back edges left until the next look at the clock; carried from warp to warp. */
export const WARP_LOOP_BUDGET = 16;
/** Compiled programs: the draw's uniform block. */
export const WARP_UNIFORMS = 20;
/** Compiled programs in PROGRAM_QUADS_SLOT: the packer. The warp is then that of a tile context (CTX_WARP). */
export const WARP_PACKER = 24;
/** Compiled programs: SITE records (site.ts), behind the outputs in the register file. */
export const WARP_SITES = 28;
/** v128 a quad: lanes that run. Set by the caller; unused lanes and lanes outside the primitive may be on as helpers. */
export const WARP_EXEC = 32;
/** v128 a quad: lanes that executed discard. Cleared by the caller. */
export const WARP_KILLED = 288;
/** Includes the ACCESS record at WARP_ACCESS. */
export const WARP_BYTES = 5488;

/** RESOURCE TABLE: one entry of RESOURCE_BYTES per IrProgram.resources entry, in order. Buffers: address and size; textures: TEXTURE record; samplers: SAMPLER record. */
export const RESOURCE_ADDRESS = 0;
export const RESOURCE_SIZE = 4;
export const RESOURCE_BYTES = 8;

/**
 * ACCESS: one texture read of a warp, filled by the engine, executed by assembly/texture for all quads of the warp at once.
 * Operands are addresses of registers (REGISTER_BYTES each); 0 where the read has none.
 */
export const WARP_ACCESS = 544;
/** TEXTURE and SAMPLER records (texture.ts). */
export const ACCESS_TEXTURE = 0;
export const ACCESS_SAMPLER = 4;
export const ACCESS_QUADS = 8;
/** MODE_*. */
export const ACCESS_MODE = 12;
/** Constant texel offsets, i32. */
export const ACCESS_OFFSET_X = 16;
export const ACCESS_OFFSET_Y = 20;
/** f32 coordinates for samples, i32 texel coordinates for loads. */
export const ACCESS_U = 24;
export const ACCESS_V = 28;
export const ACCESS_W = 32;
/** i32 array layer. */
export const ACCESS_LAYER = 36;
/** f32 bias or level for samples; i32 level (or sample) for loads. */
export const ACCESS_LEVEL = 40;
export const ACCESS_DDX_U = 44;
export const ACCESS_DDX_V = 48;
export const ACCESS_DDX_W = 52;
export const ACCESS_DDY_U = 56;
export const ACCESS_DDY_V = 60;
export const ACCESS_DDY_W = 64;
/** f32 reference of a depth comparison. */
export const ACCESS_COMPARE = 68;
/** Four result registers; 0 where nobody reads the channel. */
export const ACCESS_RESULT = 72;
/** Scratch of assembly/texture, 16-byte aligned, 416 bytes. */
export const ACCESS_SCRATCH = 96;
/** Texel places that the next read may share (assembly/texture/classes.ts), 4432 bytes. */
export const ACCESS_PLACES = 512;
