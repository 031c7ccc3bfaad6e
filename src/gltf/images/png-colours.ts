// Converts the samples of PNG images to RGBA with eight bits per channel.

/** How samples are stored. */
export interface PngColours {
  /** Bits per sample. */
  readonly depth: number;
  readonly channels: 1 | 2 | 3 | 4;
  /** Red, green and blue of each index; undefined: samples are colours. */
  readonly palette: Uint8Array | undefined;
  /** Alpha of the first indices, or the samples of a transparent colour with two bytes each (PNG, §11.3.1.1). */
  readonly transparency: Uint8Array | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Alpha of an opaque pixel. */
const OPAQUE = 255 << 24;

/**
 * Returns a word per pixel, with red in the low byte.
 * @param rows unfiltered rows, each after the number of its filter
 * @param stride distance of two rows
 */
export function samplesToRgba(
  rows: Uint8Array,
  stride: number,
  size: Size,
  colours: PngColours
): Int32Array<ArrayBuffer> {
  const { width, height } = size;
  const out = new Int32Array(width * height);
  const convert = converterOf(colours);
  for (let y = 0; y < height; y++)
    convert(rows.subarray(y * stride + 1, (y + 1) * stride), out.subarray(y * width, (y + 1) * width));
  return out;
}

type Converter = (row: Uint8Array, out: Int32Array) => void;

function converterOf(colours: PngColours): Converter {
  const { depth, channels, palette, transparency } = colours;
  if (palette) return byTable(paletteOf(palette, transparency), depth);
  if (channels === 1 && depth <= 8) return byTable(greysOf(depth, transparency), depth);
  if (channels === 4 && depth === 8) return copyRgba;
  if (channels === 3 && depth === 8 && !transparency) return copyRgb;
  return convertSamples(colours);
}

function copyRgba(row: Uint8Array, out: Int32Array): void {
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(row);
}

function copyRgb(row: Uint8Array, out: Int32Array): void {
  for (let x = 0, i = 0; x < out.length; x++, i += 3) out[x] = row[i] | (row[i + 1] << 8) | (row[i + 2] << 16) | OPAQUE;
}

/** Colours of the indices of a palette. */
function paletteOf(palette: Uint8Array, alphas: Uint8Array = new Uint8Array(0)): Int32Array {
  return Int32Array.from({ length: Math.floor(palette.length / 3) }, (_, i) => {
    const [red, green, blue] = palette.subarray(3 * i, 3 * i + 3);
    return red | (green << 8) | (blue << 16) | ((alphas[i] ?? 255) << 24);
  });
}

/** Colours of grey samples with up to 8 bits. */
function greysOf(depth: number, transparency: Uint8Array | undefined): Int32Array {
  const most = 2 ** depth - 1;
  const clear = transparency && transparency.length >= 2 ? (transparency[0] << 8) | transparency[1] : -1;
  return Int32Array.from(
    { length: most + 1 },
    (_, sample) => (Math.floor((sample * 255) / most + 0.5) * 0x10101) | (sample === clear ? 0 : OPAQUE)
  );
}

/** Replaces samples of 1, 2, 4 or 8 bits by what a table has for them. Rows begin at whole bytes. */
function byTable(table: Int32Array, depth: number): Converter {
  const mask = 2 ** depth - 1;
  return (row, out) => {
    for (let x = 0; x < out.length; x++) {
      const bit = x * depth;
      const sample = (row[bit >> 3] >> (8 - depth - (bit & 7))) & mask;
      if (sample >= table.length) throw new Error(`its palette has no colour ${sample}`);
      out[x] = table[sample];
    }
  };
}

/** Converts samples with 8 or 16 bits. */
function convertSamples({ depth, channels, transparency }: PngColours): Converter {
  const bytes = depth / 8;
  const colourChannels = channels < 3 ? 1 : 3;
  const hasAlpha = channels === 2 || channels === 4;
  const clear =
    !hasAlpha && transparency && transparency.length >= 2 * colourChannels
      ? Array.from({ length: 3 }, (_, c) => {
          const i = colourChannels === 1 ? 0 : 2 * c;
          return (transparency[i] << 8) | transparency[i + 1];
        })
      : undefined;
  const most = 2 ** depth - 1;
  const sample = (row: Uint8Array, i: number): number => (bytes === 1 ? row[i] : (row[i] << 8) | row[i + 1]);
  const byte = (value: number): number => Math.floor((value * 255) / most + 0.5);
  const next = colourChannels === 1 ? 0 : bytes;
  return (row, out) => {
    for (let x = 0, i = 0; x < out.length; x++, i += bytes * channels) {
      const red = sample(row, i);
      const green = sample(row, i + next);
      const blue = sample(row, i + 2 * next);
      const isClear = clear !== undefined && red === clear[0] && green === clear[1] && blue === clear[2];
      const alpha = isClear ? 0 : hasAlpha ? byte(sample(row, i + bytes * (channels - 1))) : 255;
      out[x] = byte(red) | (byte(green) << 8) | (byte(blue) << 16) | (alpha << 24);
    }
  };
}
