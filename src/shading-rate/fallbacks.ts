// Fragment shaders that always run at 1×1, and the reasons.
import type { IrInput, IrOutput } from '../ir';

/**
 * Why a fragment shader runs at 1×1 whatever the requested rate:
 * - `sample-rate`: it reads `sample_index`, or a varying at each sample. It runs once per sample, finer than a pixel.
 * - `frag-depth`: it writes `frag_depth`. A single depth for several pixels would tear adjacent surfaces apart.
 * - `sample-mask`: it reads or writes `sample_mask`, which applies to the samples of one pixel.
 * - `alpha-to-coverage`: its pipeline derives coverage from alpha, which also applies to the samples of one pixel.
 * - `storage`: it writes storage buffers or textures, accesses multisampled storage textures, or uses subgroups. These
 *   effects apply per pixel.
 * - `target-reads`: it uses framebuffer fetch, whose results differ from pixel to pixel.
 * - `pixel-stages`: all of its stages run per pixel or per sample.
 */
export type RateFallback =
  'sample-rate' | 'frag-depth' | 'sample-mask' | 'alpha-to-coverage' | 'storage' | 'target-reads' | 'pixel-stages';

export const rateFallbacks: readonly RateFallback[] = [
  'sample-rate',
  'frag-depth',
  'sample-mask',
  'alpha-to-coverage',
  'storage',
  'target-reads',
  'pixel-stages',
];

/** A linked fragment shader, and how its pipeline uses it. */
interface FragmentUse {
  readonly runsPerSample: boolean;
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly alphaToCoverage: boolean;
  /** Whether the shader writes buffers or textures, accesses multisampled storage textures, or uses subgroups. */
  readonly usesStorage: boolean;
  /** Whether the shader has stages whose rate is not `coarse` and does not run in parts. */
  readonly hasFineStages: boolean;
}

/** The first reason, in the order of the list, for which a shader runs at 1×1; null if it may run at any rate. */
export function rateFallback({
  runsPerSample,
  inputs,
  outputs,
  alphaToCoverage,
  usesStorage,
  hasFineStages,
}: FragmentUse): RateFallback | null {
  if (runsPerSample) return 'sample-rate';
  if (outputs.some(({ kind }) => kind === 'frag_depth')) return 'frag-depth';
  if (
    inputs.some((input) => input.kind === 'builtin' && input.builtin === 'sample_mask')
    || outputs.some(({ kind }) => kind === 'sample_mask')
  )
    return 'sample-mask';
  if (alphaToCoverage) return 'alpha-to-coverage';
  if (usesStorage) return 'storage';
  if (inputs.some(readsStored)) return 'target-reads';
  return hasFineStages ? 'pixel-stages' : null;
}

const readsStored = (input: IrInput): boolean =>
  input.kind === 'destination'
  || (input.kind === 'builtin' && (input.builtin === 'sample_depth' || input.builtin === 'sample_stencil'));
