// Pictures with a colour for a number per pixel, and a legend below.

export interface LegendPicture {
  /** RGBA in rows from the top. */
  pixels: Uint8Array;
  width: number;
  /** Height of the picture including the legend. */
  height: number;
}

export interface LegendEntry {
  /** Text of the legend; may only contain characters of GLYPHS. */
  readonly label: string;
  /** Colour as 0xrrggbb. */
  readonly color: number;
}

/** Glyphs of the labels with 5 × 7 points: one number per row, with the leftmost point in the highest bit. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  0: [14, 17, 19, 21, 25, 17, 14],
  1: [4, 12, 4, 4, 4, 4, 14],
  2: [14, 17, 1, 2, 4, 8, 31],
  3: [31, 2, 4, 2, 1, 17, 14],
  4: [2, 6, 10, 18, 31, 2, 2],
  5: [31, 16, 30, 1, 1, 17, 14],
  6: [6, 8, 16, 30, 17, 17, 14],
  7: [31, 1, 2, 4, 8, 8, 8],
  8: [14, 17, 17, 14, 17, 17, 14],
  9: [14, 17, 17, 15, 1, 2, 12],
  a: [0, 0, 14, 1, 15, 17, 15],
  b: [16, 16, 30, 17, 17, 17, 30],
  c: [0, 0, 14, 16, 16, 17, 14],
  e: [0, 0, 14, 17, 31, 16, 14],
  f: [6, 9, 8, 28, 8, 8, 8],
  l: [12, 4, 4, 4, 4, 4, 14],
  n: [0, 0, 22, 25, 17, 17, 17],
  o: [0, 0, 14, 17, 17, 17, 14],
  r: [0, 0, 22, 25, 16, 16, 16],
  s: [0, 0, 14, 16, 14, 1, 30],
  t: [8, 8, 28, 8, 8, 9, 6],
  u: [0, 0, 17, 17, 17, 19, 13],
  v: [0, 0, 17, 17, 17, 10, 4],
  x: [0, 0, 17, 10, 4, 10, 17],
  '-': [0, 0, 0, 31, 0, 0, 0],
  '+': [0, 4, 4, 31, 4, 4, 0],
  ' ': [0, 0, 0, 0, 0, 0, 0],
};
const GLYPH_WIDTH = 5;
const GLYPH_HEIGHT = 7;
/** Layout of the legend in points. Each entry is a swatch, a gap and its label; entries are arranged in rows. */
const SWATCH = 11;
const GAP = 4;
const BETWEEN = 10;
const ROW = 19;
const MARGIN = 4;
const BACKGROUND = 0x202226;
const INK = 0xe6e6e6;

type Box = (x: number, y: number, width: number, height: number, color: number) => void;

/** Draws colours (0xrrggbb) in rows of `width` as a picture with a legend below. */
export function drawWithLegend(colors: Uint32Array, width: number, entries: readonly LegendEntry[]): LegendPicture {
  const rows = colors.length / width;
  const scale = width >= 800 ? 2 : 1;
  const positions = legendPositions(entries, Math.floor(width / scale));
  const height = rows + (positions[positions.length - 1].y + ROW) * scale;
  const pixels = new Uint8Array(width * height * 4);
  colors.forEach((color, i) => put(pixels, i, color));
  for (let i = colors.length; i < width * height; i++) put(pixels, i, BACKGROUND);
  const box: Box = (x, y, w, h, color) => {
    for (let row = rows + y * scale; row < rows + (y + h) * scale; row++) {
      for (let column = x * scale; column < Math.min(width, (x + w) * scale); column++)
        put(pixels, row * width + column, color);
    }
  };
  entries.forEach(({ label, color }, i) => {
    const { x, y } = positions[i];
    // The frame makes black visible.
    box(x, y + MARGIN, SWATCH, SWATCH, INK);
    box(x + 1, y + MARGIN + 1, SWATCH - 2, SWATCH - 2, color);
    drawLabel(label, x + SWATCH + GAP, y + MARGIN + (SWATCH - GLYPH_HEIGHT) / 2, box);
  });
  return { pixels, width, height };
}

/** Positions of the legend's entries in points. Each row has as many as fit, but at least one. */
function legendPositions(entries: readonly LegendEntry[], width: number): { x: number; y: number }[] {
  let x = MARGIN;
  let y = 0;
  return entries.map(({ label }) => {
    const length = SWATCH + GAP + label.length * (GLYPH_WIDTH + 1);
    if (x > MARGIN && x + length > width) {
      x = MARGIN;
      y += ROW;
    }
    const position = { x, y };
    x += length + BETWEEN;
    return position;
  });
}

function drawLabel(label: string, x: number, y: number, box: Box): void {
  [...label].forEach((sign, i) => {
    GLYPHS[sign].forEach((points, row) => {
      for (let column = 0; column < GLYPH_WIDTH; column++)
        if ((points << column) & (1 << (GLYPH_WIDTH - 1))) box(x + i * (GLYPH_WIDTH + 1) + column, y + row, 1, 1, INK);
    });
  });
}

function put(pixels: Uint8Array, i: number, color: number): void {
  pixels[i * 4] = color >> 16;
  pixels[i * 4 + 1] = (color >> 8) & 255;
  pixels[i * 4 + 2] = color & 255;
  pixels[i * 4 + 3] = 255;
}
