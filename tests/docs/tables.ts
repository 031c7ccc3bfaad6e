// The tables of Markdown files, and what checks of them have in common.
import { expect } from 'vitest';
import { read } from './kit';

export interface Table {
  readonly file: string;
  /** The heading above it, without `#`. */
  readonly heading: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Which table, and what it must agree with. */
export interface TableCheck {
  readonly file: string;
  /** Null: all tables of the file with this head together. */
  readonly heading: string | null;
  /** The first cell of its head. */
  readonly first: string;
  readonly compare: (table: Table) => void | Promise<void>;
}

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

const isRow = (line: string | undefined): line is string => line !== undefined && /^\|.*\|$/.test(line);

/** All tables of a text, outside of its code blocks. */
export function parseTables(file: string, text: string): readonly Table[] {
  const lines = text.replace(/^( *)```[^]*?^\1```/gm, '').split('\n');
  const tables: Table[] = [];
  let heading = '';
  for (let i = 0; i < lines.length; i++) {
    heading = /^#+ (.*)$/.exec(lines[i]!)?.[1] ?? heading;
    if (!isRow(lines[i]) || !/^\|(:?-+:?\|)+$/.test(lines[i + 1] ?? '')) continue;
    const head = cellsOf(lines[i]!);
    const rows: (readonly string[])[] = [];
    for (i += 2; isRow(lines[i]); i++) rows.push(cellsOf(lines[i]!));
    tables.push({ file, heading, head, rows });
  }
  return tables;
}

export const tablesOf = (file: string): readonly Table[] => parseTables(file, read(file));

/** How lists of tables name one. */
export const keyOf = ({ file, heading, first }: Pick<TableCheck, 'file' | 'heading' | 'first'>): string =>
  `${file}: ${heading ?? 'all'}: ${first}`;
export const keyOfTable = ({ file, heading, head }: Table): string => keyOf({ file, heading, first: head[0]! });

/** The table that a check is about. */
export function tableOf({ file, heading, first }: TableCheck): Table {
  const found = tablesOf(file).filter(
    (table) => table.head[0] === first && table.heading === (heading ?? table.heading)
  );
  if (found.length === 0 || (heading !== null && found.length > 1))
    throw new Error(`${found.length} tables are "${heading}: ${first}" of ${file}`);
  return { ...found[0]!, rows: found.flatMap(({ rows }) => rows) };
}

/** Makes a check of a table of one file. */
export const checksOf =
  (file: string) =>
  (heading: string | null, first: string, compare: TableCheck['compare']): TableCheck => ({
    file,
    heading,
    first,
    compare,
  });

/** The texts in backquotes. */
export const codesIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** `slots[i].runs` is runs, `loadPage(level, x)` is loadPage, `'pixel'` is pixel. */
const nameIn = (code: string): string =>
  code
    .replace(/\(.*$/, '')
    .replace(/^.*\./, '')
    .replace(/^'(.*)'$/, '$1');

/** The names that a column has in backquotes, without their parameters, owners and quotes. */
export const namesIn = (table: Table, column = 0): readonly string[] =>
  table.rows.flatMap((row) => codesIn(row[column]!).map(nameIn).filter(Boolean));

/** The names of a column are these, each once, in any order. */
export function expectNames(table: Table, names: readonly string[], column = 0): void {
  expect([...namesIn(table, column)].sort()).toEqual([...names].sort());
}

/** A cell has these strings in backquotes and quotes, in any order. */
export const expectValues = (cell: string, values: readonly string[]): void =>
  expect(codesIn(cell).map(nameIn).sort()).toEqual([...values].sort());

/** The row that has a name in its first cell. */
export function rowOf(table: Table, name: string): readonly string[] {
  const found = table.rows.find(([first]) => first === name || codesIn(first!).map(nameIn).includes(name));
  if (found === undefined) throw new Error(`${keyOfTable(table)}: there is no row of ${name}`);
  return found;
}

const UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, s: 1000 } as const;

/** All numbers of a text, in bytes or milliseconds where a unit follows. */
export const amountsIn = (text: string): readonly number[] =>
  [...text.matchAll(/(?<![\w.])(\d[\d,]*(?:\.\d+)?)(?: (KiB|MiB|GiB|s)\b)?/g)].map(
    ([, digits, unit]) => Number(digits!.replaceAll(',', '')) * (unit ? UNITS[unit as keyof typeof UNITS] : 1)
  );

/** The first number of a text. */
export const amountIn = (text: string): number => amountsIn(text)[0] ?? NaN;

/** A default as a table states it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `\`'${value}'\``;
  if (typeof value === 'boolean') return `\`${value}\``;
  return String(value);
}
