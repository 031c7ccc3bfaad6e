// Combiners: how the rate of a source combines with the rate so far. Sources apply in this order:
//
//   draw call ──> primitive ──> region ──> depth
//
// docs/features/shading-rate.md describes them for users.
import { RATE_CODES } from '../../assembly/layout/pass/shading-rate-codes';
import { codeOf, logarithmsOf, rateOf, rateOfCode, type ShadingRate } from './rates';

/**
 * How the rate of a source combines with the rate so far. Rules apply separately to the base-2 logarithms of width and
 * height.
 *
 * - `keep`: the rate so far; the source is ignored.
 * - `replace`: the source's rate.
 * - `finest`: the minimum.
 * - `coarsest`: the maximum.
 * - `average`: half of the sum, rounded down (finer): the geometric mean of the sizes.
 * - `product`: the sum, limited to 2.
 *
 * A product may give 1×4 or 4×1, which are not rates; they become 1×2 and 2×1.
 */
export type ShadingRateCombiner = 'keep' | 'replace' | 'finest' | 'coarsest' | 'average' | 'product';

const rules: Readonly<Record<ShadingRateCombiner, (before: number, source: number) => number>> = {
  keep: (before) => before,
  replace: (_before, source) => source,
  finest: (before, source) => Math.min(before, source),
  coarsest: (before, source) => Math.max(before, source),
  average: (before, source) => (before + source) >> 1,
  product: (before, source) => Math.min(2, before + source),
};
export const shadingRateCombiners = Object.keys(rules) as readonly ShadingRateCombiner[];

/** The combiner of each source. */
export interface ShadingRateCombiners {
  readonly primitive: ShadingRateCombiner;
  readonly region: ShadingRateCombiner;
  readonly depth: ShadingRateCombiner;
}

/** Combines the rate so far with the rate of a source. */
export function combine(combiner: ShadingRateCombiner, before: ShadingRate, source: ShadingRate): ShadingRate {
  const rule = rules[combiner];
  const a = logarithmsOf(codeOf(before));
  const b = logarithmsOf(codeOf(source));
  return rateOf({ width: rule(a.width, b.width), height: rule(a.height, b.height) });
}

const tables = new Map<ShadingRateCombiner, Uint8Array>();

/**
 * The resulting codes of all pairs of codes, at before · RATE_CODES + source. Invalid codes are treated as in
 * rateOfCode.
 */
export function combinerTable(combiner: ShadingRateCombiner): Uint8Array {
  let table = tables.get(combiner);
  if (table === undefined) {
    table = Uint8Array.from({ length: RATE_CODES * RATE_CODES }, (_, pair) =>
      codeOf(combine(combiner, rateOfCode(Math.floor(pair / RATE_CODES)), rateOfCode(pair)))
    );
    tables.set(combiner, table);
  }
  return table;
}
