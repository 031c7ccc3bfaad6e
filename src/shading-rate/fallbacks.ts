// Fragment programs that run at 1×1 whatever rate is asked for, and why.
import type { IrInput, IrOutput } from '../ir';

/**
 * What a program does, and why it then has to run at 1×1:
 * - `sample-rate`: it reads `sample_index`, or a varying at each sample. It runs once a sample, finer than a pixel.
 * - `frag-depth`: it writes `frag_depth`. One depth for several pixels would tear surfaces that meet.
 * - `sample-mask`: it reads or writes `sample_mask`. The mask is of the samples of one pixel.
 * - `alpha-to-coverage`: its pipeline makes coverage of alpha. That, too, is of the samples of one pixel.
 * - `storage`: it writes storage buffers or textures, accesses multisampled storage textures, or asks the other pixels
 *   of its quad (subgroups). What it does there, it does for each pixel.
 * - `target-reads`: it reads what the render targets hold, which differs from pixel to pixel.
 * - `pixel-stages`: all of its stages are of pixels or samples.
 */
export type RateFallback = 'sample-rate' | 'frag-depth' | 'sample-mask' | 'alpha-to-coverage' | 'storage'
  | 'target-reads' | 'pixel-stages';

export const rateFallbacks: readonly RateFallback[] = [
  'sample-rate', 'frag-depth', 'sample-mask', 'alpha-to-coverage', 'storage', 'target-reads',
  'pixel-stages',
];

/** A fragment program as it is linked, and what its pipeline does with it. */
export interface FragmentUse {
  readonly runsPerSample: boolean;
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly alphaToCoverage: boolean;
  /** It writes buffers or textures, accesses multisampled storage textures, or asks its subgroup. */
  readonly usesStorage: boolean;
  /** It has stages whose rate is not `coarse`, and is not run in parts. */
  readonly hasFineStages: boolean;
}

/** The first cause, in the table's order, for which a program runs at 1×1; null: it may run at any rate. */
export function rateFallback({
  runsPerSample, inputs, outputs, alphaToCoverage, usesStorage, hasFineStages,
}: FragmentUse): RateFallback | null {
  if (runsPerSample) return 'sample-rate';
  if (outputs.some(({ kind }) => kind === 'frag_depth')) return 'frag-depth';
  if (inputs.some((input) => input.kind === 'builtin' && input.builtin === 'sample_mask')
    || outputs.some(({ kind }) => kind === 'sample_mask')) return 'sample-mask';
  if (alphaToCoverage) return 'alpha-to-coverage';
  if (usesStorage) return 'storage';
  if (inputs.some(readsStored)) return 'target-reads';
  return hasFineStages ? 'pixel-stages' : null;
}

const readsStored = (input: IrInput): boolean => input.kind === 'destination'
  || (input.kind === 'builtin' && (input.builtin === 'sample_depth' || input.builtin === 'sample_stencil'));
