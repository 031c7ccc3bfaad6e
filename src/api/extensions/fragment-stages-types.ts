// Public types of fragment stages (the feature "fragment-stages").

import type { WebGpuType } from '../idl/declared';

/** A fragment shader of a pipeline with several fragment stages. */
export interface FragmentStage {
  /** Default: the module of the fragment state. */
  readonly module?: WebGpuType<'GPUShaderModule'> | undefined;
  /** Name of the entry point. May be omitted if the module has only one fragment entry point. */
  readonly entryPoint?: string | undefined;
  /** Values of the module's overrides, by name or number. */
  readonly constants?: Readonly<Record<string, number>> | undefined;
  /**
   * How often the stage runs:
   *
   * - `coarse`: once per coarse pixel at the current shading rate; at 1×1, once per pixel.
   * - `pixel`: once per pixel.
   * - `sample`: once for all samples of a pixel for which the inputs of the sample stages are equal.
   *
   * Coarse stages come before pixel stages, and these before sample stages.
   */
  readonly rate: 'coarse' | 'pixel' | 'sample';
}

/** Additional members of a pipeline's fragment state. */
export interface FragmentStagesMembers {
  /** 1 to 8 stages in the order in which they run, instead of `entryPoint` and `constants`. */
  readonly stages?: readonly FragmentStage[];
  /**
   * Order of shaders that use framebuffer fetch (reads of render targets, or of stored depth or stencil). With
   * `ordered`, fragments at the same position take effect in primitive order. With `unordered`, they take effect in any
   * order, each fragment atomically. Default: `ordered`.
   */
  readonly interlock?: 'ordered' | 'unordered';
}
