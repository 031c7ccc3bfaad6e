// The interpreter's bytecode: u32 words. The encoder (src/codegen) and the interpreter (assembly/warp) read this file.
//
// word0 = opcode (low 16 bits) | dst << 16. Operands are register numbers, two per word, the first in the low half. A
// register has REGISTER_BYTES: one v128 per quad. Bools are 0 or 0xffffffff in every lane. Unused halves are 0. dst may
// equal an operand. In instructions with several results (BUFFER_LOAD4, texture reads, SURFACE_LOAD), no result may
// equal an operand of the same instruction.
//
// The exec mask starts as Warp.exec and is undefined at the end. Masks are saved in registers, called `save` below. The
// prologue uses the same bytecode. It runs once for a draw call on one quad with all lanes active, has no control flow
// and leaves its results in the uniform registers.
//
// TEXTURE_SAMPLE and TEXTURE_LOAD, 11 words (OPERAND_NONE for what is absent):
//   0  opcode | mode << 16 (MODE_*)
//   1  texture | sampler << 16 (resource table entries; sampler OPERAND_NONE for loads)
//   2  (offset x & 0xffff) | offset y << 16, signed 16-bit texels
//   3  u | v << 16          v is NONE for 1d
//   4  w | layer << 16      w for 3d and cube; layer i32, for arrays
//   5  level | compare << 16   bias or level (f32) for samples; level or sample number (i32) for loads
//   6  ddx u | ddx v << 16
//   7  ddx w | ddy u << 16
//   8  ddy v | ddy w << 16
//   9  result 0 | result 1 << 16
//  10  result 2 | result 3 << 16

/** Replaces a register or resource number. */
export const OPERAND_NONE = 0xffff;
export const TEXTURE_INSTRUCTION_WORDS = 11;

// Control. word0 = opcode | x << 16. Each opcode documents x and the further words. `t` is a word index in the same
// code.
/** 1 word. Ends the shader. */
export const OP_END = 0;
/** 2 words: [op] [t]. */
export const OP_JUMP = 1;
/**
 * 2 words: [op | cond<<16] [t]. cond is the same in all lanes (a uniform). Jumps when lane 0 of quad 0 is false. The
 * exec mask stays.
 */
export const OP_JUMP_UNLESS = 2;
/** 3 words: [op | save<<16] [cond] [t]. save = exec; exec &= cond; jumps when no lane is active. */
export const OP_IF = 3;
/** 3 words, as IF with exec &= ~cond. */
export const OP_IF_NOT = 4;
/**
 * 3 words: [op | save<<16] [cond] [t]. exec = save & ~cond; jumps when no lane is active. Lanes that left an outer
 * block have been removed from save.
 */
export const OP_ELSE = 5;
/** 1 word: [op | save<<16]. save = exec: start of a block or loop. */
export const OP_SAVE_EXEC = 6;
/** 1 word: [op | save<<16]. exec = save: end of an if or a block. */
export const OP_RESTORE_EXEC = 7;
/** 2 words: [op | save<<16] [t]. exec = save; jumps when no lane is active. */
export const OP_RESTORE_EXEC_OR_JUMP = 8;
/** 1 + ⌈n/2⌉ words: [op | n<<16] [save0 | save1<<16] … For each of the n: save &= ~exec; then exec = 0. */
export const OP_LEAVE = 9;
/**
 * 3 + ⌈n/2⌉ words: [op | n<<16] [cond] [t] [save0 | save1<<16] … m = exec & cond; each save &= ~m; exec &= ~m; jumps
 * when no lane is active.
 */
export const OP_LEAVE_IF = 10;
/** As LEAVE_IF with m = exec & ~cond. */
export const OP_LEAVE_UNLESS = 11;
/**
 * 2 words: [op | save<<16] [t]. When a lane is active: count the back edge (Warp.loopBudget) and jump to t, the first
 * word of the body; else exec = save.
 */
export const OP_LOOP_END = 12;
/** 1 word. killed |= exec; exec stays (helpers). */
export const OP_DISCARD = 13;

// Moves. [op | dst<<16] [a].
/** dst = a in all lanes. */
export const OP_MOVE = 14;
/** dst = exec ? a : dst. */
export const OP_SET = 15;

// One operand: [op | dst<<16] [a]. Arithmetic ignores exec, here and below: results in inactive lanes are irrelevant.
export const OP_F32_NEG = 16;
export const OP_F32_ABS = 17;
export const OP_F32_SIGN = 18;
export const OP_F32_FLOOR = 19;
export const OP_F32_CEIL = 20;
export const OP_F32_TRUNC = 21;
export const OP_F32_ROUND = 22;
export const OP_F32_FRACT = 23;
export const OP_F32_SQRT = 24;
export const OP_F32_INVERSE_SQRT = 25;
export const OP_F32_EXP = 26;
export const OP_F32_EXP2 = 27;
export const OP_F32_LOG = 28;
export const OP_F32_LOG2 = 29;
export const OP_F32_SIN = 30;
export const OP_F32_COS = 31;
export const OP_F32_TAN = 32;
export const OP_F32_ASIN = 33;
export const OP_F32_ACOS = 34;
export const OP_F32_ATAN = 35;
export const OP_F32_SINH = 36;
export const OP_F32_COSH = 37;
export const OP_F32_TANH = 38;
export const OP_F32_ASINH = 39;
export const OP_F32_ACOSH = 40;
export const OP_F32_ATANH = 41;
export const OP_F32_FREXP_FRACTION = 42;
export const OP_F32_FREXP_EXPONENT = 43;
export const OP_F32_QUANTIZE_F16 = 44;
/** min(max(a, 0), 1) with the IR's min and max: a < 0 gives 0, then 1 < that gives 1. NaN follows their rules. */
export const OP_F32_SATURATE = 45;
export const OP_INT_NEG = 46;
export const OP_INT_NOT = 47;
export const OP_I32_ABS = 48;
export const OP_I32_SIGN = 49;
export const OP_INT_COUNT_LEADING_ZEROS = 50;
export const OP_INT_COUNT_TRAILING_ZEROS = 51;
export const OP_INT_COUNT_ONE_BITS = 52;
export const OP_INT_REVERSE_BITS = 53;
export const OP_I32_FIRST_LEADING_BIT = 54;
export const OP_U32_FIRST_LEADING_BIT = 55;
export const OP_INT_FIRST_TRAILING_BIT = 56;
export const OP_BOOL_NOT = 57;
export const OP_I32_FROM_F32 = 58;
export const OP_U32_FROM_F32 = 59;
export const OP_F32_FROM_I32 = 60;
export const OP_F32_FROM_U32 = 61;
export const OP_INT_FROM_BOOL = 62;
export const OP_F32_FROM_BOOL = 63;
/** NaN becomes 7fc00000. */
export const OP_INT_FROM_F32_BITS = 64;
export const OP_F16_PACK = 65;
export const OP_F16_UNPACK = 66;
/**
 * Lanes of a quad: 0 top left, 1 top right, 2 bottom left, 3 bottom right. Coarse: lane 1 − lane 0 (ddy: 2 − 0) for all
 * four; fine: by row (ddy: by column).
 */
export const OP_DDX_COARSE = 67;
export const OP_DDX_FINE = 68;
export const OP_DDY_COARSE = 69;
export const OP_DDY_FINE = 70;

// Two operands: [op | dst<<16] [a | b<<16].
export const OP_F32_ADD = 71;
export const OP_F32_SUB = 72;
export const OP_F32_MUL = 73;
export const OP_F32_DIV = 74;
export const OP_F32_REM = 75;
export const OP_F32_MIN = 76;
export const OP_F32_MAX = 77;
export const OP_F32_POW = 78;
export const OP_F32_ATAN2 = 79;
export const OP_F32_LDEXP = 80;
export const OP_F32_EQ = 81;
export const OP_F32_NE = 82;
export const OP_F32_LT = 83;
export const OP_F32_LE = 84;
export const OP_INT_ADD = 85;
export const OP_INT_SUB = 86;
export const OP_INT_MUL = 87;
export const OP_INT_AND = 88;
export const OP_INT_OR = 89;
export const OP_INT_XOR = 90;
export const OP_INT_SHL = 91;
export const OP_I32_SHR = 92;
export const OP_U32_SHR = 93;
export const OP_INT_EQ = 94;
export const OP_INT_NE = 95;
export const OP_I32_DIV = 96;
export const OP_I32_REM = 97;
export const OP_U32_DIV = 98;
export const OP_U32_REM = 99;
export const OP_I32_MIN = 100;
export const OP_I32_MAX = 101;
export const OP_U32_MIN = 102;
export const OP_U32_MAX = 103;
export const OP_I32_LT = 104;
export const OP_I32_LE = 105;
export const OP_U32_LT = 106;
export const OP_U32_LE = 107;
/** a & ~b: bool.and with a negated operand. */
export const OP_INT_AND_NOT = 108;

// Three operands: [op | dst<<16] [a | b<<16] [c]. Every product and sum is rounded separately: nothing is contracted.
/** a ? b : c, a bool. */
export const OP_SELECT = 109;
/** (a·b) + c */
export const OP_F32_MUL_ADD = 110;
/** (a·b) − c */
export const OP_F32_MUL_SUB = 111;
/** c − (a·b) */
export const OP_F32_SUB_MUL = 112;
/** (a·(1 − c)) + (b·c) */
export const OP_F32_MIX = 113;
/** min(max(a, b), c) with the IR's min and max. */
export const OP_F32_CLAMP = 114;
/** min(max(a, b), c) */
export const OP_I32_CLAMP = 115;
export const OP_I32_EXTRACT_BITS = 116;
export const OP_U32_EXTRACT_BITS = 117;

// Four operands: [op | dst<<16] [a | b<<16] [c | d<<16].
/** (a·b) + (c·d) */
export const OP_F32_DOT2 = 118;
/** (a·b) − (c·d) */
export const OP_F32_DOT2_SUB = 119;
export const OP_INT_INSERT_BITS = 120;

// Six to eight operands: [op | dst<<16] [a0 | b0<<16] [a1 | b1<<16] [a2 | b2<<16] and, for the last two, [a3 | b3<<16].
/** ((a0·b0) + (a1·b1)) + (a2·b2) */
export const OP_F32_DOT3 = 121;
/** (((a0·b0) + (a1·b1)) + (a2·b2)) + a3; b3 is 0 and unused. */
export const OP_F32_DOT3_ADD = 122;
/** (((a0·b0) + (a1·b1)) + (a2·b2)) + (a3·b3) */
export const OP_F32_DOT4 = 123;

// Memory and resources. `r` indexes the resource table (sizeOf<Resource>() per entry). Element i of a lane array is
// register base + i.
/** 3 words: [op | dst<<16] [index | base<<16] [length]. index: u32 register, clamped to length − 1 per lane. */
export const OP_ARRAY_LOAD = 124;
/** 3 words: [op | value<<16] [index | base<<16] [length]. Only lanes in exec. */
export const OP_ARRAY_STORE = 125;
/**
 * 3 words: [op | dst<<16] [offset | r<<16] [immediate]. The word at min((offset + immediate) mod 2^32, size − 4) & ~3,
 * per lane; 0 when size < 4.
 */
export const OP_BUFFER_LOAD = 126;
/**
 * 5 words: [op] [offset | r<<16] [immediate] [d0 | d1<<16] [d2 | d3<<16]. As four BUFFER_LOADs at immediate, +4, +8,
 * +12. OPERAND_NONE for unused results.
 */
export const OP_BUFFER_LOAD4 = 127;
/** 2 words: [op | dst<<16] [r]. Size of the binding in bytes. */
export const OP_BUFFER_SIZE = 128;
/** 11 words, see the top of the file. */
export const OP_TEXTURE_SAMPLE = 129;
/** 11 words, see the top of the file. */
export const OP_TEXTURE_LOAD = 130;
/**
 * 4 words: [op] [level | r<<16] [d0 | d1<<16] [d2]. Width, height and depth of a level (register, clamped to levels −
 * 1). OPERAND_NONE for unused results.
 */
export const OP_TEXTURE_DIMENSIONS = 131;
/** 2 words: [op | dst<<16] [r]. */
export const OP_TEXTURE_LEVELS = 132;
/** 2 words: [op | dst<<16] [r]. For a cube array, the number of cubes: layers ÷ 6. */
export const OP_TEXTURE_LAYERS = 133;
/** 2 words: [op | dst<<16] [r]. */
export const OP_TEXTURE_SAMPLES = 134;

// Surfaces (multisampled storage textures), for lanes in exec that are not killed. Fragment shaders only.
/**
 * 6 words: [op] [x | y<<16] [mask | r<<16] [d0 | d1<<16] [d2 | d3<<16] [known | state<<16]. OPERAND_NONE for unused
 * results.
 */
export const OP_SURFACE_LOAD = 135;
/** 5 words: [op] [x | y<<16] [mask | r<<16] [v0 | v1<<16] [v2 | v3<<16]. */
export const OP_SURFACE_STORE = 136;
/** 2 words: [op | dst<<16] [r | field<<16]. The word at SURFACE_* `field` of the surface's record. */
export const OP_SURFACE_FIELD = 137;

// Buffers that shaders write, for lanes in exec that are not killed.
/** 2 words: [op | value<<16] [offset | r<<16]. offset: byte offset into the binding, clamped to it. */
export const OP_BUFFER_STORE = 138;
/** 4 words: [op | dst<<16] [offset | r<<16] [value | comparand<<16] [ATOMIC_*]. OPERAND_NONE: no comparand. */
export const OP_BUFFER_ATOMIC = 139;

// Single-sample storage textures, for lanes in exec that are not killed.
/** 5 words: [op] [x | y<<16] [z | r<<16] [d0 | d1<<16] [d2 | d3<<16]. OPERAND_NONE for unused results. */
export const OP_IMAGE_LOAD = 140;
/** 5 words: [op] [x | y<<16] [z | r<<16] [v0 | v1<<16] [v2 | v3<<16]. */
export const OP_IMAGE_STORE = 141;

// Buffers that shaders write, continued.
/** 2 words: [op | value<<16] [offset | r<<16]. The low half of the value, at min(offset, size − 2) & ~1. */
export const OP_BUFFER_STORE_HALF = 142;

// Exchange between the lanes of a quad. Active lanes are in exec and neither killed nor helpers.
/**
 * 3 words: [op | dst<<16] [value | other<<16] [how]. how: the source lane of each lane, two bits each;
 * LANES_WITH_HELPERS. Inactive source lanes give `other`.
 */
export const OP_LANES_PERMUTE = 143;
/** 2 words: [op | dst<<16] [value | lane<<16]. 0 from inactive lanes, and from lane numbers beyond the last. */
export const OP_LANES_SHUFFLE = 144;
/** 2 words: [op | dst<<16] [condition]. A bit per lane. */
export const OP_LANES_BALLOT = 145;
/** 2 words: [op | dst<<16] [0]. The lane's number in its quad. */
export const OP_LANES_INDEX = 146;
/** Helpers and discarded lanes also give their values. */
export const LANES_WITH_HELPERS = 1 << 8;

/** 6 words, as OP_SURFACE_LOAD, for a sampled multisampled texture, in any stage and for all lanes. */
export const OP_TEXTURE_LOAD_SAMPLES = 147;

/** One more than the last opcode. */
export const OP_COUNT = 148;
