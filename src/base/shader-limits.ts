// What a shader may cost before it is refused, or interpreted instead of compiled: shaders come from strangers, and a
// kilobyte of text can ask for gigabytes. `create({ shaderLimits })` raises them.

export interface ShaderLimits {
  /** UTF-16 code units of a module's text; some 200 bytes of memory each while it is checked. */
  readonly characters: number;
  /** Scalars of all values that a module's constant expressions have, where they are more than a matrix. */
  readonly constants: number;
  /** Instructions, variables and inlined calls of an entry point, before it is made fast. */
  readonly instructions: number;
  /** Bytes of WebAssembly that a program is compiled to. */
  readonly codeBytes: number;
}

/**
 * On two cores of 2020, which nothing else has, a megabyte of text is checked in 1 to 2 s and 250 MB. A pipeline at the
 * limit of instructions, or of code, takes 2 to 3.5 s, the time of V8's threads in it, and 340 MB at the most (npm run
 * bench:hostile: 2000 branches that store, deep blocks): V8 takes 1 s and 150 MB for 512 KiB of code in one function,
 * and for more of it more than in proportion.
 */
export const defaultShaderLimits: ShaderLimits = {
  characters: 1 << 21, constants: 1 << 22, instructions: 1 << 16, codeBytes: 1 << 19,
};

/** Ends messages about one of the limits. */
export const raisedBy = (name: keyof ShaderLimits): string => `create({ shaderLimits: { ${name} } }) raises the limit`;
