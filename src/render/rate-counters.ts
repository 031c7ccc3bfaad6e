// What devices have counted of shading rates, for the statistics.
import { Statistics } from '../../build/layout';
import { rateFallbacks, type RateFallback, type ShadingRate } from '../shading-rate';

export interface RateCounts {
  /** Runs of fragment programs; helper lanes and empty ones do not count. */
  readonly threads: number;
  /** Warps, each of one rate, that they were in. */
  readonly warps: number;
  /** Fine pixels, covered in part or whole, that they stood for. */
  readonly pixels: number;
}

/** Counted since the device was created, of passes that are done. */
export interface ShadingRateStatistics {
  readonly rates: Readonly<Record<ShadingRate, RateCounts>>;
  /** Areas of 4×4 pixels of which a rate was looked up, once for each primitive that is seen there. */
  readonly lookUps: number;
  /**
   * Draws that asked for rates and whose fragment program ran at 1×1 all the same, by cause: of several, the first one
   * in this order. `sample-rate`: it runs once a sample (`sample_index`, interpolation at samples). `frag-depth`: it
   * writes `frag_depth`. `sample-mask`: it reads or writes `sample_mask`. `alpha-to-coverage`: its pipeline asks for
   * that. `storage`: it writes storage buffers or textures, or accesses multisampled storage textures.
   * `target-reads`: it reads the render targets (`@color`), depth or stencil. `pixel-stages`: all of its fragment
   * stages are of pixels or samples. Of programs with coarse stages before others, what the coarse ones do counts, but
   * for storage.
   */
  readonly fallbacks: Readonly<Record<RateFallback, number>>;
}

/** Of a STATISTICS record (assembly/layout/statistics.ts): the kernel counts all rates together, and those but 1×1. */
const fields: readonly (readonly [Exclude<ShadingRate, '1x1'>, Readonly<Record<keyof RateCounts, number>>])[] = [
  ['1x2', { threads: Statistics.threads1x2, warps: Statistics.warps1x2, pixels: Statistics.pixels1x2 }],
  ['2x1', { threads: Statistics.threads2x1, warps: Statistics.warps2x1, pixels: Statistics.pixels2x1 }],
  ['2x2', { threads: Statistics.threads2x2, warps: Statistics.warps2x2, pixels: Statistics.pixels2x2 }],
  ['2x4', { threads: Statistics.threads2x4, warps: Statistics.warps2x4, pixels: Statistics.pixels2x4 }],
  ['4x2', { threads: Statistics.threads4x2, warps: Statistics.warps4x2, pixels: Statistics.pixels4x2 }],
  ['4x4', { threads: Statistics.threads4x4, warps: Statistics.warps4x4, pixels: Statistics.pixels4x4 }],
];

export class RateCounters {
  private readonly fallbacks = Object.fromEntries(
    rateFallbacks.map((cause) => [cause, 0])
  ) as Record<RateFallback, number>;

  /** A draw asked for rates in vain. */
  fellBack(cause: RateFallback): void { this.fallbacks[cause]++; }

  /** `counted`: sums of what STATISTICS records have, in words. */
  read(counted: Float64Array): ShadingRateStatistics {
    const of = (field: number): number => counted[field / 4]!;
    const coarse = fields.map(([rate, { threads, warps, pixels }]) => (
      [rate, { threads: of(threads), warps: of(warps), pixels: of(pixels) }] as const
    ));
    const fine = (all: number, key: 'threads' | 'warps'): number => (
      coarse.reduce((left, [, counts]) => left - counts[key], of(all))
    );
    const threads = fine(Statistics.lanesShaded, 'threads');
    const rates = Object.fromEntries([
      ['1x1', { threads, warps: fine(Statistics.warpsFragment, 'warps'), pixels: threads }], ...coarse,
    ]) as Record<ShadingRate, RateCounts>;
    return { rates, lookUps: of(Statistics.rateLookUps), fallbacks: { ...this.fallbacks } };
  }
}
