// Formats shading rates for people: the picture of --pass shading-rate, as colours with a legend, and the lines of
// --stats.
import type { ShadingRate, ShadingRateStatistics } from '../index';
import { SHADING_RATES } from '../gltf/rate-names';
import { number, share, type Row } from './format-figures';
import { drawWithLegend, type LegendEntry, type LegendPicture } from './legend';

/** Share of each rate, 0 to 1, in the pixels that were drawn to. */
export type RateMapReport = Record<ShadingRate, number>;

/** Colours of the rates; coarser rates are lighter. Wide and high rates of the same size have different hues. */
const COLORS: Readonly<Record<ShadingRate, number>> = {
  '1x1': 0x3e4989,
  '1x2': 0x2b748e,
  '2x1': 0x7a4d9c,
  '2x2': 0x35b779,
  '2x4': 0x6ece58,
  '4x2': 0xe8944a,
  '4x4': 0xfde725,
};
const BACKGROUND = 0x000000;
export const RATES: readonly LegendEntry[] = SHADING_RATES.map((rate) => ({ label: rate, color: COLORS[rate] }));

/** A rate's code, as shaders read it: log2(width) · 4 + log2(height). */
const codeOf = (rate: ShadingRate): number => {
  const [width, height] = rate.split('x').map((side) => Number(side) >> 1);
  return width * 4 + height;
};
const BY_CODE = new Map(SHADING_RATES.map((rate) => [codeOf(rate), rate]));
/** Converts a value of drawRates, which is a code plus 1, or 0 for the background. */
const rateOf = (drawn: number): ShadingRate | undefined => BY_CODE.get(drawn - 1);

/** Computes the figures of the picture. */
export function summarizeRates(drawn: Uint32Array): RateMapReport {
  const counts = Object.fromEntries(SHADING_RATES.map((rate) => [rate, 0])) as RateMapReport;
  let all = 0;
  for (const code of drawn) {
    const rate = rateOf(code);
    if (!rate) continue;
    counts[rate]++;
    all++;
  }
  for (const rate of SHADING_RATES) counts[rate] /= Math.max(1, all);
  return counts;
}

/** Draws values of drawRates in rows of `width` as a picture with a legend below. */
export function drawRateMap(drawn: Uint32Array, width: number): LegendPicture {
  return drawWithLegend(
    drawn.map((code) => {
      const rate = rateOf(code);
      return rate ? COLORS[rate] : BACKGROUND;
    }),
    width,
    RATES
  );
}

/** Formats the picture's figures for people. */
export function describeRateMap(shares: RateMapReport): Row[] {
  const shown = SHADING_RATES.filter((rate) => shares[rate] > 0).map((rate) => `${share(shares[rate])} ${rate}`);
  return [['rates', shown.length > 0 ? `${shown.join(', ')} of the pixels drawn to` : 'nothing was drawn']];
}

/** Formats the counters for people. */
export function rateRows(statistics: ShadingRateStatistics | null): Row[] {
  if (!statistics) return [];
  const { rates, lookUps, fallbacks } = statistics;
  const causes = Object.entries(fallbacks).filter(([, draws]) => draws > 0);
  const of = causes.map(([cause, draws]) => `${number(draws)} ${cause}`).join(', ');
  return [
    ...SHADING_RATES.filter((rate) => rates[rate].threads > 0).map((rate): Row => {
      const { threads, warps, pixels } = rates[rate];
      return [
        'rate',
        `${rate}: ${number(threads)} invocations in ${number(warps)} warps, for ${number(pixels)} pixels`,
      ];
    }),
    ['rates', `${number(lookUps)} looked up; draw calls that ran at 1x1 instead: ${of || 'none'}`],
  ];
}
