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
 * A module and its pipelines end within 2 s and 512 MB on one core of 2020: a megabyte of text is checked in 1.6 s and
 * 200 MB; V8 takes 1 s and 150 MB for 512 KiB of code in one function, and for more of it more than in proportion.
 */
export const defaultShaderLimits: ShaderLimits = {
  characters: 1 << 21, constants: 1 << 22, instructions: 1 << 17, codeBytes: 1 << 19,
};

/** Ends messages about one of the limits. */
export const raisedBy = (name: keyof ShaderLimits): string => `create({ shaderLimits: { ${name} } }) raises the limit`;
