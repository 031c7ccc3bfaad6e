// Combiners: what becomes of the rate so far and the rate that a source says. Sources are joined in this order:
//
//   draw ──> primitive ──> region ──> depth
//
// The README has the tables of all pairs.
import { RATE_CODES } from '../../assembly/layout/shading-rate-codes';
import { codeOf, logarithmsOf, rateOf, rateOfCode, type ShadingRate } from './rates';

/**
 * How a source's rate joins the one so far, on the logarithms (to base 2) of width and height, each for itself.
 * `keep`: as it was; the source has no say. `replace`: the source's. `finest`: the smaller of the two. `coarsest`: the
 * larger. `average`: half of their sum, rounded to fine: the geometric mean. `product`: their sum, at most 2. Of 1×4
 * and 4×1, which a product may give and which are no rates, 1×2 and 2×1 take the place.
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

/** One for each source. */
export interface ShadingRateCombiners {
  readonly primitive: ShadingRateCombiner;
  readonly region: ShadingRateCombiner;
  readonly depth: ShadingRateCombiner;
}

/** The rate so far, joined with what a source says. */
export function combine(combiner: ShadingRateCombiner, before: ShadingRate, source: ShadingRate): ShadingRate {
  const rule = rules[combiner], a = logarithmsOf(codeOf(before)), b = logarithmsOf(codeOf(source));
  return rateOf({ width: rule(a.width, b.width), height: rule(a.height, b.height) });
}

const tables = new Map<ShadingRateCombiner, Uint8Array>();

/**
 * The codes of all pairs of codes, at before · RATE_CODES + source. Codes that are no rates count as rateOfCode says.
 */
export function combinerTable(combiner: ShadingRateCombiner): Uint8Array {
  let table = tables.get(combiner);
  if (table === undefined) {
    table = Uint8Array.from({ length: RATE_CODES * RATE_CODES }, (_, pair) => codeOf(
      combine(combiner, rateOfCode(Math.floor(pair / RATE_CODES)), rateOfCode(pair))
    ));
    tables.set(combiner, table);
  }
  return table;
}
