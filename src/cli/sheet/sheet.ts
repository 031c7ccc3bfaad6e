// A contact sheet: a grid of pictures with their names below.
import { basename } from 'node:path';
import { cut } from '../../base/printable';
import { encodeJpeg, encodeWebp } from '../../node/models/encoders';
import { encodePicture } from '../../node/png';
import { CommandError } from '../errors';
import { drawText, GLYPH_ADVANCE, GLYPH_HEIGHT } from '../glyphs';
import type { SheetRequest } from '../options/sheet-options';
import { writePicture } from '../output-file';
import type { Terminal } from '../progress';
import { nameOf } from '../render/names';
import type { Task } from '../render/plan';
import { fitInto, type Pixels } from './fit';

/** Pixels between cells, and around them. */
const GAP = 8;
/** Points above and below a label. */
const LABEL_MARGIN = 3;
/** Width of a cell from which on the points of labels have two pixels. */
const WIDE_CELL = 192;
/** Most pixels of a sheet, which take four bytes each. */
const MAX_PIXELS = 64 * 1024 * 1024;
const MAX_SIDE = 16_383;
const DARK: Ink = [0x20, 0x22, 0x26, 255];
const LIGHT: Ink = [0xe6, 0xe6, 0xe6, 255];

type Ink = readonly [red: number, green: number, blue: number, alpha: number];

/** What --json says about a sheet. */
export interface SheetReport {
  sheet: string;
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** Cells with a picture, and those of pictures that could not be drawn. */
  pictures: number;
  failures: number;
  /** The font of the labels; null if there are none. */
  font: string | null;
  bytes: number;
}

export class Sheet {
  readonly #request: SheetRequest;
  readonly #names: readonly string[];
  readonly #columns: number;
  readonly #rows: number;
  /** Pixels of a point of a label. */
  readonly #point: number;
  readonly #labelHeight: number;
  readonly width: number;
  readonly height: number;
  readonly #pixels: Uint8Array;
  #pictures = 0;
  #failures = 0;

  /** @param names of the cells @throws CommandError if the sheet is too large */
  constructor(request: SheetRequest, names: readonly string[]) {
    this.#request = request;
    this.#names = names;
    const { cell, labels, background } = request;
    this.#columns = Math.min(names.length, request.columns ?? columnsFor(names.length, cell));
    this.#rows = Math.ceil(names.length / this.#columns);
    this.#point = cell.width >= WIDE_CELL ? 2 : 1;
    this.#labelHeight = labels ? (GLYPH_HEIGHT + 2 * LABEL_MARGIN) * this.#point : 0;
    this.width = this.#columns * (cell.width + GAP) + GAP;
    this.height = this.#rows * (cell.height + this.#labelHeight + GAP) + GAP;
    if (this.width > MAX_SIDE || this.height > MAX_SIDE || this.width * this.height > MAX_PIXELS)
      throw new CommandError(
        `The sheet would have ${this.width} × ${this.height} pixels, with at most ${MAX_SIDE} on a side and `
          + `${MAX_PIXELS >> 20} million in all; use a smaller --sheet-cell.`
      );
    this.#pixels = new Uint8Array(this.width * this.height * 4);
    for (let i = 0; i < this.#pixels.length; i += 4) this.#pixels.set(background, i);
  }

  /** Puts a picture into a cell, in its middle. @param number of the cell, from 0 */
  add(number: number, picture: Pixels): void {
    this.#pictures++;
    const { cell } = this.#request;
    const fitted = fitInto(picture, cell);
    const corner = this.#cornerOf(number);
    const left = corner.x + Math.floor((cell.width - fitted.width) / 2);
    const top = corner.y + Math.floor((cell.height - fitted.height) / 2);
    for (let y = 0; y < fitted.height; y++)
      this.#pixels.set(
        fitted.pixels.subarray(y * fitted.width * 4, (y + 1) * fitted.width * 4),
        ((top + y) * this.width + left) * 4
      );
    this.#label(number);
  }

  /** Says in a cell that its picture could not be drawn. */
  fail(number: number): void {
    this.#failures++;
    const { cell } = this.#request;
    const { x, y } = this.#cornerOf(number);
    const ink = this.#ink();
    for (let i = 0; i < cell.width; i++) for (const row of [0, cell.height - 1]) this.#put(x + i, y + row, ink);
    for (let i = 0; i < cell.height; i++) for (const column of [0, cell.width - 1]) this.#put(x + column, y + i, ink);
    this.#write('failed', x, y + (cell.height - GLYPH_HEIGHT * this.#point) / 2);
    this.#label(number);
  }

  /** Encodes the sheet in the format that the ending of its name says. */
  async encode(): Promise<Uint8Array> {
    const { file, quality } = this.#request;
    const { width, height } = this;
    if (/\.jpe?g$/i.test(file)) return encodeJpeg(this.#pixels, width, height, quality);
    if (/\.webp$/i.test(file)) return encodeWebp(this.#pixels, width, height, quality);
    return encodePicture(this.#pixels, width, height);
  }

  get file(): string {
    return this.#request.file;
  }

  report(bytes: number): SheetReport {
    const { file, labels } = this.#request;
    return {
      sheet: file,
      width: this.width,
      height: this.height,
      columns: this.#columns,
      rows: this.#rows,
      pictures: this.#pictures,
      failures: this.#failures,
      font: labels ? 'built-in, 5x7 points' : null,
      bytes,
    };
  }

  #cornerOf(number: number): { x: number; y: number } {
    const { cell } = this.#request;
    const row = Math.floor(number / this.#columns);
    return {
      x: GAP + (number - row * this.#columns) * (cell.width + GAP),
      y: GAP + row * (cell.height + this.#labelHeight + GAP),
    };
  }

  #label(number: number): void {
    const { cell, labels } = this.#request;
    if (!labels) return;
    const { x, y } = this.#cornerOf(number);
    this.#write(this.#names[number], x, y + cell.height + LABEL_MARGIN * this.#point);
  }

  /** Writes a text into the middle of a cell's width, shortened if it is longer. */
  #write(text: string, left: number, top: number): void {
    const { width } = this.#request.cell;
    const most = Math.floor(width / (GLYPH_ADVANCE * this.#point));
    if (most < 2) return;
    const shown = cut(text.normalize('NFC'), most);
    const indent = Math.floor((width - shown.length * GLYPH_ADVANCE * this.#point) / 2);
    const ink = this.#ink();
    drawText(shown, 0, 0, (x, y) => {
      for (let i = 0; i < this.#point; i++)
        for (let k = 0; k < this.#point; k++)
          this.#put(left + Math.max(0, indent) + x * this.#point + i, Math.floor(top) + y * this.#point + k, ink);
    });
  }

  #put(x: number, y: number, ink: Ink): void {
    if (x < this.width && y < this.height) this.#pixels.set(ink, (y * this.width + x) * 4);
  }

  /** A colour that can be read on the background. */
  #ink(): Ink {
    const [red, green, blue, alpha] = this.#request.background;
    return alpha > 127 && red + 2 * green + blue < 512 ? LIGHT : DARK;
  }
}

/** Writes a sheet. @returns its size in bytes @throws OutputError */
export async function writeSheet(sheet: Sheet, stdout: Terminal): Promise<number> {
  const bytes = await sheet.encode();
  await writePicture(sheet.file, bytes, stdout);
  return bytes.length;
}

/** The names of a task's pictures: those of their files, or that of the model with the frame and the pass. */
export function labelsOf({ settings, model, pictures }: Task): string[] {
  const hasFrames = settings.frames !== undefined;
  const hasPasses = new Set(pictures.map((picture) => picture.settings.pass)).size > 1;
  return pictures.map(({ output, frame, settings: { pass } }) =>
    settings.isStored && !settings.isAnimated
      ? basename(output).replace(/\.[^.]+$/, '')
      : [nameOf(model), ...(hasFrames ? [frame] : []), ...(hasPasses ? [pass] : [])].join(' ')
  );
}

/** Columns with which a sheet is about as wide as high. */
function columnsFor(count: number, cell: { width: number; height: number }): number {
  return Math.max(1, Math.min(count, Math.round(Math.sqrt((count * cell.height) / cell.width))));
}
