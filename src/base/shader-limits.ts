// Limits on the cost of a shader. A shader that exceeds them is refused, or interpreted instead of compiled. Shaders
// may come from strangers, and a kilobyte of text can ask for gigabytes. `create({ shaderLimits })` raises the limits.

export interface ShaderLimits {
  /** UTF-16 code units of a module's text. Checking takes about 200 bytes of memory for each. */
  readonly characters: number;
  /** Scalars in all values of a module's constant expressions that are larger than a matrix. */
  readonly constants: number;
  /** Instructions, instruction lists, variables and inlined calls of an entry point, before optimisation. */
  readonly instructions: number;
  /** Bytes of WebAssembly that an entry point is compiled to. */
  readonly codeBytes: number;
}

/**
 * Measured on two otherwise idle cores from 2020 (npm run bench hostile, "as many as may be"):
 *
 * - A megabyte of text is checked in 1 to 2 s and takes 250 MB.
 * - A process that starts with a pipeline at the limits has its picture within 2 s and 250 MB.
 * - Shaders of 65 000 instructions take 1.3 to 2.1 s of processor time on two threads, and 160 to 220 MB, from their
 *   text to their bytecode. Shaders of 93 000 instructions take 230 to 290 MB.
 * - 670 kB of code take 0.8 s more, and 1.7 s of V8's own threads once a shader has run for long.
 *
 * For comparison: three.js's physical material with every map has 19 KB of code. Its generated buildings have 21 000
 * instructions and 233 KB. A path tracer of 102 KB of WGSL has 46 000 instructions and 670 KB.
 */
export const defaultShaderLimits: ShaderLimits = {
  characters: 1 << 21,
  constants: 1 << 22,
  instructions: 1 << 16,
  codeBytes: 3 << 18,
};

/** Ending of a message about one of the limits. */
export const raiseLimitHint = (name: keyof ShaderLimits): string =>
  `create({ shaderLimits: { ${name} } }) raises the limit`;
