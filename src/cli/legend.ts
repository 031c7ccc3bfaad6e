// Pictures with a colour for a number per pixel, and a legend below.
import { drawText, GLYPH_ADVANCE, GLYPH_HEIGHT } from './glyphs';

export interface LegendPicture {
  /** RGBA in rows from the top. */
  pixels: Uint8Array;
  width: number;
  /** Height of the picture including the legend. */
  height: number;
}

export interface LegendEntry {
  /** Text of the legend; may only contain characters of the font (glyphs.ts). */
  readonly label: string;
  /** Colour as 0xrrggbb. */
  readonly color: number;
}

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
    drawText(label, x + SWATCH + GAP, y + MARGIN + (SWATCH - GLYPH_HEIGHT) / 2, (column, row) =>
      box(column, row, 1, 1, INK)
    );
  });
  return { pixels, width, height };
}

/** Positions of the legend's entries in points. Each row has as many as fit, but at least one. */
function legendPositions(entries: readonly LegendEntry[], width: number): { x: number; y: number }[] {
  let x = MARGIN;
  let y = 0;
  return entries.map(({ label }) => {
    const length = SWATCH + GAP + label.length * GLYPH_ADVANCE;
    if (x > MARGIN && x + length > width) {
      x = MARGIN;
      y += ROW;
    }
    const position = { x, y };
    x += length + BETWEEN;
    return position;
  });
}

function put(pixels: Uint8Array, i: number, color: number): void {
  pixels[i * 4] = color >> 16;
  pixels[i * 4 + 1] = (color >> 8) & 255;
  pixels[i * 4 + 2] = color & 255;
  pixels[i * 4 + 3] = 255;
}
