// What a shader may cost before it is refused, or interpreted instead of compiled: shaders come from strangers, and a
// kilobyte of text can ask for gigabytes. `create({ shaderLimits })` raises them.

export interface ShaderLimits {
  /** UTF-16 code units of a module's text; some 200 bytes of memory each while it is checked. */
  readonly characters: number;
  /** Scalars of all values that a module's constant expressions have, where they are more than a matrix. */
  readonly constants: number;
  /** Instructions, lists of them, variables and inlined calls of an entry point, before it is made fast. */
  readonly instructions: number;
  /** Bytes of WebAssembly that a program is compiled to. */
  readonly codeBytes: number;
}

/**
 * On two cores of 2020, which nothing else has, a megabyte of text is checked in 1 to 2 s and 250 MB. A process that
 * begins with a pipeline at the limits has its picture within 2 s and 250 MB (npm run bench:hostile, "as many as may
 * be"): programs of 65 000 instructions take 1.3 to 2.1 s of the processor, by two threads, and 160 to 220 MB from
 * their text to their bytecode; such of 93 000 take 230 to 290 MB. 670 kB of code take 0.8 s more, and 1.7 s of V8's
 * own threads once a program has run for long. Three.js's physical material with every map has 19 KB of code; its
 * generated buildings have 21 000 instructions and 233 KB, and a path tracer of 102 KB of WGSL has 46 000 and 670 KB.
 */
export const defaultShaderLimits: ShaderLimits = {
  characters: 1 << 21, constants: 1 << 22, instructions: 1 << 16, codeBytes: 3 << 18,
};

/** Ends messages about one of the limits. */
export const raisedBy = (name: keyof ShaderLimits): string => `create({ shaderLimits: { ${name} } }) raises the limit`;
