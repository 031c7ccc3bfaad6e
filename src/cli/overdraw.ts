// The picture of --pass overdraw: the number of fragment shader invocations per pixel, as colours with a legend, and
// its figures.
import { share, type Row } from './format-figures';
import { drawWithLegend, type LegendEntry, type LegendPicture } from './legend';

/** Figures of one rendering. */
export interface OverdrawReport {
  /** Mean invocations over all pixels, and over the pixels with at least one. */
  mean: number;
  meanOfDrawn: number;
  maximum: number;
  /** Share of all pixels, 0 to 1, by number of invocations. */
  shares: Record<'0' | '1' | '2' | '3' | '4+', number>;
}

/** Colours for ranges of counts; each range begins at `from`. Black, then viridis from dark to light, then white. */
export const STEPS: readonly (LegendEntry & { readonly from: number })[] = [
  { from: 0, label: '0', color: 0x000000 },
  { from: 1, label: '1', color: 0x3e4989 },
  { from: 2, label: '2', color: 0x2b748e },
  { from: 3, label: '3', color: 0x1f968b },
  { from: 4, label: '4', color: 0x35b779 },
  { from: 5, label: '5-6', color: 0x6ece58 },
  { from: 7, label: '7-9', color: 0xb5de2b },
  { from: 10, label: '10-19', color: 0xfde725 },
  { from: 20, label: '20+', color: 0xffffff },
];

/** Computes the figures of a picture's counts. */
export function summarize(counts: Uint32Array): OverdrawReport {
  const pixels = [0, 0, 0, 0, 0];
  let sum = 0;
  let most = 0;
  for (const count of counts) {
    pixels[Math.min(count, 4)]++;
    sum += count;
    most = Math.max(most, count);
  }
  const [none, one, two, three, more] = pixels.map((n) => n / counts.length);
  return {
    mean: sum / counts.length,
    meanOfDrawn: sum / Math.max(1, counts.length - pixels[0]),
    maximum: most,
    shares: { 0: none, 1: one, 2: two, 3: three, '4+': more },
  };
}

/** Draws counts in rows of `width` as a picture with a legend below. */
export function drawOverdraw(counts: Uint32Array, width: number): LegendPicture {
  const colors = Uint32Array.from(
    { length: STEPS[STEPS.length - 1].from + 1 },
    (_, count) => STEPS.findLast(({ from }) => from <= count)!.color
  );
  return drawWithLegend(
    counts.map((count) => colors[Math.min(count, colors.length - 1)]),
    width,
    STEPS
  );
}

/** Formats the figures for people. */
export function describeOverdraw({ mean, meanOfDrawn, maximum: most, shares }: OverdrawReport): Row[] {
  return [
    [
      'overdraw',
      `${mean.toFixed(2)} fragment invocations per pixel, ${meanOfDrawn.toFixed(2)} `
        + `per pixel drawn to, ${most} at most`,
    ],
    [
      'pixels',
      (['0', '1', '2', '3', '4+'] as const)
        .map((count) => `${share(shares[count])} with ${count === '4+' ? '4 or more' : count}`)
        .join(', '),
    ],
  ];
}
