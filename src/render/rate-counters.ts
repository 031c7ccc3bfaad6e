// What devices have counted of shading rates, for the statistics.
import { Statistics } from '../../build/layout';
import { rateFallbacks, shadingRates, type RateFallback, type ShadingRate } from '../shading-rate';

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

type Totals<Keys extends string> = Record<Keys, number>;
const zeros = <Keys extends string>(keys: readonly Keys[]): Totals<Keys> => (
  Object.fromEntries(keys.map((key) => [key, 0])) as Totals<Keys>
);

export class RateCounters {
  private readonly rates = Object.fromEntries(
    shadingRates.map((rate) => [rate, zeros(['threads', 'warps', 'pixels'])])
  ) as Record<ShadingRate, Totals<keyof RateCounts>>;
  private readonly fallbacks = zeros(rateFallbacks);
  private lookUps = 0;

  /** Adds what a STATISTICS record has, in words. */
  take(counters: Uint32Array): void {
    const of = (field: number): number => counters[field / 4]!, fine = this.rates['1x1'];
    fine.threads += of(Statistics.lanesShaded);
    fine.warps += of(Statistics.warpsFragment);
    for (const [rate, { threads, warps, pixels }] of fields) {
      const coarse = this.rates[rate];
      coarse.threads += of(threads);
      coarse.warps += of(warps);
      coarse.pixels += of(pixels);
      fine.threads -= of(threads);
      fine.warps -= of(warps);
    }
    fine.pixels = fine.threads;
    this.lookUps += of(Statistics.rateLookUps);
  }

  /** A draw asked for rates in vain. */
  fellBack(cause: RateFallback): void { this.fallbacks[cause]++; }

  read(): ShadingRateStatistics {
    const rates = Object.fromEntries(
      shadingRates.map((rate) => [rate, { ...this.rates[rate] }])
    ) as Record<ShadingRate, RateCounts>;
    return { rates, lookUps: this.lookUps, fallbacks: { ...this.fallbacks } };
  }
}
