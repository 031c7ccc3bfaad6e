// Options for a contact sheet: one picture with a grid of all pictures of a command.
import { quoted } from '../../base/printable';
import { closestColour, parseColour, type Colour } from '../../gltf/colours';
import { CommandError } from '../errors';
import { isExact, type CommandPass } from './pass-options';

export const SHEET_OPTIONS = {
  sheet: { type: 'string' },
  'sheet-columns': { type: 'string' },
  'sheet-cell': { type: 'string' },
  'sheet-background': { type: 'string' },
  'sheet-labels': { type: 'string' },
} as const;

export interface SheetRequest {
  /** Path of the sheet. */
  file: string;
  /** Undefined: as many columns as make the sheet about as many cells wide as high. */
  columns: number | undefined;
  /** Most pixels of a picture in the sheet; smaller ones are not enlarged. */
  cell: { width: number; height: number };
  background: Colour;
  /** Whether the name of each picture is below it. */
  labels: boolean;
  /** Quality of JPEG and WebP, 1 to 100. */
  quality: number;
}

type Values = { [Name in keyof typeof SHEET_OPTIONS | 'quality' | 'size']?: string | undefined };

const MAX_COLUMNS = 1000;
const MAX_CELL = 2048;
const DEFAULT_CELL = 256;
const LABELS = ['names', 'none'];

/** @throws CommandError */
export function parseSheet(values: Values): SheetRequest | undefined {
  const { sheet } = values;
  if (sheet === undefined) {
    const other = (Object.keys(SHEET_OPTIONS) as (keyof typeof SHEET_OPTIONS)[]).find(
      (name) => values[name] !== undefined
    );
    if (other !== undefined) throw new CommandError(`--${other} needs --sheet.`);
    return undefined;
  }
  if (!/\.(png|jpe?g|webp)$/i.test(sheet))
    throw new CommandError(`The sheet ${quoted(sheet)} must end in .png, .jpg, .jpeg or .webp.`);
  const background = parseBackground(values['sheet-background'] ?? '#ffffff');
  if (background[3] < 255 && /\.jpe?g$/i.test(sheet))
    throw new CommandError('A JPEG sheet cannot be transparent: use .png or .webp, or another --sheet-background.');
  const labels = values['sheet-labels'] ?? 'names';
  if (!LABELS.includes(labels))
    throw new CommandError(`--sheet-labels must be one of ${LABELS.join(', ')}, not ${quoted(labels)}.`);
  return {
    file: sheet,
    columns: values['sheet-columns'] === undefined ? undefined : parseColumns(values['sheet-columns']),
    cell: values['sheet-cell'] === undefined ? cellFor(values.size) : parseCell(values['sheet-cell']),
    background,
    labels: labels === 'names',
    quality: Number(values.quality ?? 80),
  };
}

/** Checks that pictures can be shown in a sheet. @throws CommandError */
export function checkSheetPictures(passes: readonly CommandPass[], depth: number | undefined, output: string): void {
  const other = passes.find(isExact);
  if (other !== undefined)
    throw new CommandError(
      `--sheet shows colours, not --pass ${other}; leave out --sheet, and write a file for each picture by --output.`
    );
  if ((depth ?? 8) > 8 || /\.exr$/i.test(output))
    throw new CommandError(
      '--sheet shows pictures with 8 bits per channel; leave out --depth, and use another format than .exr.'
    );
}

function parseColumns(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > MAX_COLUMNS)
    throw new CommandError(`--sheet-columns must be a whole number from 1 to ${MAX_COLUMNS}, not ${quoted(text)}.`);
  return Number(text);
}

/** The default cell has the proportions of the pictures. */
function cellFor(size = '1280x720'): { width: number; height: number } {
  // A wrong size is reported where it is parsed.
  const [, width, height] = (/^(\d+)[x×](\d+)$/i.exec(size) ?? ['', 1, 1]).map(Number);
  const side = Math.max(width, height, 1);
  const scaled = (length: number): number => Math.max(1, Math.round((length * DEFAULT_CELL) / side));
  return { width: scaled(width), height: scaled(height) };
}

function parseCell(text: string): { width: number; height: number } {
  const [, width, height] = (/^(\d{1,4})[x×](\d{1,4})$/i.exec(text) ?? []).map(Number);
  if (!width || !height || width > MAX_CELL || height > MAX_CELL)
    throw new CommandError(
      `--sheet-cell must be width and height in pixels, 1 to ${MAX_CELL} each, as in 256x144, not ${quoted(text)}.`
    );
  return { width, height };
}

function parseBackground(text: string): Colour {
  const colour = parseColour(text);
  if (colour) return colour;
  const hint = closestColour(text);
  throw new CommandError(
    '--sheet-background must be a colour such as #cfd2d7 or white, or transparent, '
      + `not ${quoted(text)}.${hint ? ` Did you mean "${hint}"?` : ''}`
  );
}
