// The picture of --pass overdraw: how many fragment invocations ran for each pixel, as colours with a legend below, and in numbers.

/** Counts of one rendering in numbers. */
export interface OverdrawReport {
  /** Invocations over all pixels, and over those with at least one. */
  mean: number;
  meanOfDrawn: number;
  most: number;
  /** The part of all pixels, 0…1, with so many invocations. */
  shares: Record<'0' | '1' | '2' | '3' | '4+', number>;
}

export interface CountedPicture {
  /** RGBA rows from the top. */
  pixels: Uint8Array;
  width: number;
  /** That of the counts and of the legend. */
  height: number;
}

/** A colour stands for counts from `from` on, up to the next one's. Black, then viridis (dark to light), then white: ever lighter. */
export const STEPS: readonly { readonly from: number; readonly label: string; readonly color: number }[] = [
  { from: 0, label: '0', color: 0x000000 }, { from: 1, label: '1', color: 0x3e4989 }, { from: 2, label: '2', color: 0x2b748e },
  { from: 3, label: '3', color: 0x1f968b }, { from: 4, label: '4', color: 0x35b779 }, { from: 5, label: '5-6', color: 0x6ece58 },
  { from: 7, label: '7-9', color: 0xb5de2b }, { from: 10, label: '10-19', color: 0xfde725 }, { from: 20, label: '20+', color: 0xffffff },
];

/** The signs of the labels, 5 × 7 points, a row a number, the leftmost point in the highest bit. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  0: [14, 17, 19, 21, 25, 17, 14], 1: [4, 12, 4, 4, 4, 4, 14], 2: [14, 17, 1, 2, 4, 8, 31], 3: [31, 2, 4, 2, 1, 17, 14], 4: [2, 6, 10, 18, 31, 2, 2],
  5: [31, 16, 30, 1, 1, 17, 14], 6: [6, 8, 16, 30, 17, 17, 14], 7: [31, 1, 2, 4, 8, 8, 8], 8: [14, 17, 17, 14, 17, 17, 14], 9: [14, 17, 17, 15, 1, 2, 12],
  '-': [0, 0, 0, 31, 0, 0, 0], '+': [0, 4, 4, 31, 4, 4, 0],
};
const GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7;
/** Of the legend, in points: an entry is a swatch, a gap and its label; entries lie in rows. */
const SWATCH = 11, GAP = 4, BETWEEN = 10, ROW = 19, MARGIN = 4;
const BACKGROUND = 0x202226, INK = 0xe6e6e6;

/** Numbers of a picture's counts. */
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
  return { mean: sum / counts.length, meanOfDrawn: sum / Math.max(1, counts.length - pixels[0]), most, shares: { 0: none, 1: one, 2: two, 3: three, '4+': more } };
}

/** Counts in rows of `width` as a picture, with a legend below. */
export function drawOverdraw(counts: Uint32Array, width: number): CountedPicture {
  const rows = counts.length / width;
  const scale = width >= 800 ? 2 : 1;
  const places = legendPlaces(Math.floor(width / scale));
  const height = rows + (places[places.length - 1].y + ROW) * scale;
  const pixels = new Uint8Array(width * height * 4);
  const colors = Uint32Array.from({ length: STEPS[STEPS.length - 1].from + 1 }, (_, count) => STEPS.findLast(({ from }) => from <= count)!.color);
  counts.forEach((count, i) => put(pixels, i, colors[Math.min(count, colors.length - 1)]));
  for (let i = counts.length; i < width * height; i++) put(pixels, i, BACKGROUND);
  const box = (x: number, y: number, w: number, h: number, color: number): void => {
    for (let row = rows + y * scale; row < rows + (y + h) * scale; row++) {
      for (let column = x * scale; column < Math.min(width, (x + w) * scale); column++) put(pixels, row * width + column, color);
    }
  };
  STEPS.forEach(({ label, color }, i) => {
    const { x, y } = places[i];
    // A frame, so that black is seen.
    box(x, y + MARGIN, SWATCH, SWATCH, INK);
    box(x + 1, y + MARGIN + 1, SWATCH - 2, SWATCH - 2, color);
    drawLabel(label, x + SWATCH + GAP, y + MARGIN + (SWATCH - GLYPH_HEIGHT) / 2, box);
  });
  return { pixels, width, height };
}

/** Where the legend's entries begin, in points; as many in a row as fit, one at least. */
function legendPlaces(width: number): { x: number; y: number }[] {
  let x = MARGIN;
  let y = 0;
  return STEPS.map(({ label }) => {
    const length = SWATCH + GAP + label.length * (GLYPH_WIDTH + 1);
    if (x > MARGIN && x + length > width) {
      x = MARGIN;
      y += ROW;
    }
    const place = { x, y };
    x += length + BETWEEN;
    return place;
  });
}

function drawLabel(label: string, x: number, y: number, box: (x: number, y: number, w: number, h: number, color: number) => void): void {
  [...label].forEach((sign, i) => {
    GLYPHS[sign].forEach((points, row) => {
      for (let column = 0; column < GLYPH_WIDTH; column++) if ((points << column) & (1 << (GLYPH_WIDTH - 1))) box(x + i * (GLYPH_WIDTH + 1) + column, y + row, 1, 1, INK);
    });
  });
}

function put(pixels: Uint8Array, i: number, color: number): void {
  pixels[i * 4] = color >> 16;
  pixels[i * 4 + 1] = (color >> 8) & 255;
  pixels[i * 4 + 2] = color & 255;
  pixels[i * 4 + 3] = 255;
}

/** The numbers for people. */
export function describeOverdraw({ mean, meanOfDrawn, most, shares }: OverdrawReport): [string, string][] {
  const share = (part: number): string => `${(part * 100).toFixed(1)} %`;
  return [
    ['overdraw', `${mean.toFixed(2)} fragment invocations a pixel, ${meanOfDrawn.toFixed(2)} a pixel drawn to, ${most} at most`],
    ['pixels', (['0', '1', '2', '3', '4+'] as const).map((count) => `${share(shares[count])} with ${count === '4+' ? '4 or more' : count}`).join(', ')],
  ];
}
