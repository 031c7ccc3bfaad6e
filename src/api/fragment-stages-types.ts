// Types of fragment stages (the feature "fragment-stages"), for those who use them.

import type { Declared } from './declared';

/** A fragment program of a pipeline that has several. */
export interface FragmentStage {
  /** Default: the fragment state's. */
  readonly module?: Declared<'GPUShaderModule'> | undefined;
  /** May be left out where the module has one fragment entry point. */
  readonly entryPoint?: string | undefined;
  /** Values of the module's overrides, by name or number. */
  readonly constants?: Readonly<Record<string, number>> | undefined;
  /**
   * `coarse`: it is run at the shading rate, once a pixel at 1×1. `pixel`: once a pixel. `sample`: once for all samples
   * of a pixel that are equal in everything that stages of samples read. Coarse stages stand before those of pixels,
   * and these before those of samples.
   */
  readonly rate: 'coarse' | 'pixel' | 'sample';
}

/** What the fragment state of a pipeline's descriptor may have. */
export interface FragmentStagesMembers {
  /** 1 to 8 stages, one behind the other, instead of `entryPoint` and `constants`. */
  readonly stages?: readonly FragmentStage[];
  /**
   * Of a program that reads render targets, or stored depth or stencil. `ordered` (default): fragments at a position
   * take effect in the order of their primitives. `unordered`: in any order, each as a whole.
   */
  readonly interlock?: 'ordered' | 'unordered';
}
