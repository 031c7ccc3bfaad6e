// Shading rate statistics of a device.
import { Statistics } from '../../../build/layout';
import { rateFallbacks, type RateFallback, type ShadingRate } from '../../shading-rate';

export interface RateCounts {
  /** Lanes that ran fragment shaders, without helper lanes and empty lanes. */
  readonly threads: number;
  /** Warps with these lanes. All lanes of a warp have the same rate. */
  readonly warps: number;
  /** Fine pixels that the lanes stood for, partly or fully covered. */
  readonly pixels: number;
}

/** Counted since the device was created, in passes that are done. */
export interface ShadingRateStatistics {
  readonly rates: Readonly<Record<ShadingRate, RateCounts>>;
  /** Number of 4×4 pixel areas whose rate was looked up, once per primitive visible in them. */
  readonly lookUps: number;
  /**
   * Draw calls that requested shading rates but whose fragment shader ran at 1×1, by cause. With several causes, the
   * first one in this order counts:
   *
   * - `sample-rate`: it runs once per sample (`sample_index`, interpolation at samples).
   * - `frag-depth`: it writes `frag_depth`.
   * - `sample-mask`: it reads or writes `sample_mask`.
   * - `alpha-to-coverage`: its pipeline enables that.
   * - `storage`: it writes storage buffers or textures, or accesses multisampled storage textures.
   * - `target-reads`: it reads the render targets (`@color`), depth or stencil.
   * - `pixel-stages`: all of its fragment stages run per pixel or per sample.
   *
   * If a shader has coarse stages before others, only the coarse ones count, except for `storage`.
   */
  readonly fallbacks: Readonly<Record<RateFallback, number>>;
}

/**
 * Fields of a STATISTICS record (assembly/layout/statistics.ts). The kernel counts all rates together, and each rate
 * except 1×1.
 */
const fields: readonly (readonly [Exclude<ShadingRate, '1x1'>, Readonly<Record<keyof RateCounts, number>>])[] = [
  ['1x2', { threads: Statistics.invocations1x2, warps: Statistics.warps1x2, pixels: Statistics.pixels1x2 }],
  ['2x1', { threads: Statistics.invocations2x1, warps: Statistics.warps2x1, pixels: Statistics.pixels2x1 }],
  ['2x2', { threads: Statistics.invocations2x2, warps: Statistics.warps2x2, pixels: Statistics.pixels2x2 }],
  ['2x4', { threads: Statistics.invocations2x4, warps: Statistics.warps2x4, pixels: Statistics.pixels2x4 }],
  ['4x2', { threads: Statistics.invocations4x2, warps: Statistics.warps4x2, pixels: Statistics.pixels4x2 }],
  ['4x4', { threads: Statistics.invocations4x4, warps: Statistics.warps4x4, pixels: Statistics.pixels4x4 }],
];

export class RateCounters {
  private readonly fallbacks = Object.fromEntries(rateFallbacks.map((cause) => [cause, 0])) as Record<
    RateFallback,
    number
  >;

  /** Counts a draw call that requested shading rates without effect. */
  onRateFallback(cause: RateFallback): void {
    this.fallbacks[cause]++;
  }

  /** `counted`: sums of the words of STATISTICS records. */
  read(counted: Float64Array): ShadingRateStatistics {
    const of = (field: number): number => counted[field / 4]!;
    const coarse = fields.map(
      ([rate, { threads, warps, pixels }]) =>
        [rate, { threads: of(threads), warps: of(warps), pixels: of(pixels) }] as const
    );
    const fine = (all: number, key: 'threads' | 'warps'): number =>
      coarse.reduce((left, [, counts]) => left - counts[key], of(all));
    const threads = fine(Statistics.lanesShaded, 'threads');
    const rates = Object.fromEntries([
      ['1x1', { threads, warps: fine(Statistics.warpsFragment, 'warps'), pixels: threads }],
      ...coarse,
    ]) as Record<ShadingRate, RateCounts>;
    return { rates, lookUps: of(Statistics.rateLookUps), fallbacks: { ...this.fallbacks } };
  }
}
