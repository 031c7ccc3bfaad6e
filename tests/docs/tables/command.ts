// The tables of docs/reference/command.md, against the parser of the command, its help and its reports.
import { expect } from 'vitest';
import { EXIT } from '../../../src/cli/errors';
import {
  CACHE_HELP,
  COMPARE_HELP,
  HELP,
  INFO_HELP,
  PAGE_HELP,
  SHADER_HELP,
  TILE_HELP,
} from '../../../src/cli/options/help';
import { parseBackground, parseCommand, RENDER_OPTIONS } from '../../../src/cli/options/options';
import { SHADER_OPTIONS } from '../../../src/cli/options/shader-options';
import { CACHE_OPTIONS } from '../../../src/cli/options/cache-options';
import { COMPARE_OPTIONS } from '../../../src/cli/options/compare-options';
import { INFO_OPTIONS } from '../../../src/cli/options/info-options';
import { PAGE_OPTIONS } from '../../../src/cli/options/page-options';
import { TILE_OPTIONS } from '../../../src/cli/options/tile-options';
import { DEFAULT_MODEL_BYTES } from '../../../src/gltf/budget';
import { SAMPLE_COUNTS } from '../../../src/gltf/gpu/sample-count';
import { Workshop } from '../../cli/program';
import { PASSES } from '../../../src/gltf/passes/kinds';
import { amountIn, amountsIn, checksOf, codesIn, expectNames, namesIn, rowOf, tablesOf, type Table } from '../tables';
import { membersOf } from '../members';

const FILE = 'docs/reference/command.md';
const at = checksOf(FILE);

/** `-o`, `--output FILE` is -o and --output. */
const optionsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)].map(([option]) => option);

type Known = Readonly<Record<string, { readonly type: string; readonly short?: string }>>;
const namesOf = (known: Known): readonly string[] =>
  Object.entries(known).flatMap(([name, { short }]) => [...(short ? [`-${short}`] : []), `--${name}`]);

/** Options of a page of help: those at the beginning of a line. */
const helpOptions = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}(?: {4})?(--?[a-z].*?)(?: {2}|$)/gm)].flatMap(([, option]) => optionsIn(option!));

/** Options that the first table of the page has for all commands. */
const GENERAL = ['-h', '--help', '-v', '--version'];

/** The help and the tables of a command have the options that its parser knows. */
function expectOptions(known: Known, help: string, tables: readonly Table[]): void {
  const names = [...namesOf(known)].sort();
  expect([...helpOptions(help)].sort()).toEqual(names);
  const stated = tables.flatMap(({ rows }) => rows.flatMap(([first]) => optionsIn(codesIn(first!).join(' '))));
  expect([...stated].sort()).toEqual(names.filter((name) => !GENERAL.includes(name)));
}

const isOfOptions = ({ head }: Table): boolean => head[0] === 'option';
const RENDER_HEADINGS = ['Input and output', 'Camera and lens', 'Light', 'Speed and memory', 'Reports', 'Access'];

/** What the help says about each option, from one option to the next or to an empty line. */
const helpOf = (help: string, option: string): string =>
  help
    .split(/\n(?=\n| {2}(?: {4})?--?[a-z])/)
    .find((block) => optionsIn(block.split(/(?<=\w) {2,}/)[0]!).includes(option))!
    .replace(/\s+/g, ' ');

/** Defaults that a table states, as the help has them. */
function expectDefaults(table: Table, help: string): void {
  const column = table.head.indexOf('default');
  for (const row of table.rows) {
    const [option] = optionsIn(codesIn(row[0]!).join(' ')).slice(-1);
    const found = /\(default: ([^)]*)\)|Default: (.*?)\.(?= |$)/.exec(helpOf(help, option!));
    const inHelp = found?.[1] ?? found?.[2];
    if (inHelp !== undefined) expect(row[column]!.replace(/`/g, ''), option).toBe(inHelp);
    else expect(codesIn(row[column]!), option).toEqual([]);
  }
}

const render = (...words: string[]): Readonly<Record<string, unknown>> =>
  parseCommand(['render', 'model.glb', ...words]) as unknown as Readonly<Record<string, unknown>>;

/** The message about wrong arguments. */
function failure(words: readonly string[]): string {
  try {
    parseCommand(words);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`accepted: ${words.join(' ')}`);
}

/** The values that an error lists for an option. */
const allowed = (words: readonly string[]): readonly string[] =>
  /(?:is one of|must be one of|takes) (.*?)(?:\.$|, not)/.exec(failure(words))![1]!.split(', ');

function commands(table: Table): void {
  const names = codesIn(table.rows.map(([first]) => first).join(' ')).map((code) => code.replace('rasterloom ', ''));
  for (const name of ['render', 'tile', 'info', 'compare', 'shader', 'cache', 'cache clear'])
    expect(names).toContain(name);
  expect(names.filter((name) => name.startsWith('-')).sort()).toEqual([...GENERAL].sort());
  for (const option of ['-h', '--help']) expect(parseCommand([option]).kind).toBe('help');
  for (const option of ['-v', '--version']) expect(parseCommand([option]).kind).toBe('version');
}

/** All tables of `render` together; its other checks are about single ones. */
function inputAndOutput(table: Table): void {
  const tables = tablesOf(FILE).filter((each) => isOfOptions(each) && RENDER_HEADINGS.includes(each.heading));
  expect(tables.map(({ heading }) => heading)).toEqual(RENDER_HEADINGS);
  expectOptions(RENDER_OPTIONS, HELP, tables);
  expectDefaults(table, HELP);
  const of = (name: string): readonly string[] => table.rows.find(([first]) => optionsIn(first!).includes(name))!;
  const defaults = render();
  expect(codesIn(of('--size')[2]!)).toEqual([`${String(defaults.width)}x${String(defaults.height)}`]);
  expect(amountIn(of('--samples')[2]!)).toBe(defaults.samples);
  expect(amountsIn(of('--samples')[1]!)).toEqual([...SAMPLE_COUNTS]);
  expect(parseBackground(codesIn(of('--background')[2]!)[0]!)).toEqual(defaults.background);
  expect(codesIn(of('--pass')[2]!)).toEqual([defaults.pass]);
  expect(codesIn(of('--pass')[1]!)).toEqual(allowed(['render', 'a.glb', '--pass', '?']));
}

function camera(table: Table): void {
  expectDefaults(table, HELP);
  expect(render().orbit).toEqual(render('--camera', codesIn(rowOf(table, table.rows[0]![0]!)[2]!)[0]!).orbit);
}

function speed(table: Table): void {
  expectDefaults(table, HELP);
  const of = (name: string): readonly string[] => table.rows.find(([first]) => optionsIn(first!).includes(name))!;
  expect([...codesIn(of('--engine')[1]!)].sort()).toEqual([...allowed(['render', 'a.glb', '--engine', '?'])].sort());
  expect(codesIn(of('--engine')[2]!)).toEqual([render().engine]);
  expect(amountIn(of('--model-memory')[2]!)).toBe(DEFAULT_MODEL_BYTES / 2 ** 20);
}

/** Members of the report, as a run prints it. */
async function report(table: Table): Promise<void> {
  const workshop = new Workshop();
  try {
    const { out } = await workshop.run('render', '--sample', '--size', '64x64', '--json');
    const printed = JSON.parse(out) as Readonly<Record<string, object>>;
    expect([...namesIn(table)].sort()).toEqual(Object.keys(printed).sort());
    expect(Object.keys(printed).sort()).toEqual([...membersOf('RenderReport')].sort());
    expect([...codesIn(rowOf(table, 'times')[1]!)].sort()).toEqual(Object.keys(printed.times!).sort());
  } finally {
    workshop.remove();
  }
}

function tile(table: Table): void {
  expectOptions(TILE_OPTIONS, TILE_HELP, [table]);
  const of = (name: string): readonly string[] => table.rows.find(([first]) => optionsIn(first!).includes(name))!;
  const { pageSize } = parseCommand(['tile', 'a.glb', '-o', 'tiles']) as unknown as { pageSize: number };
  expect(amountIn(of('--page-size')[2]!)).toBe(pageSize);
  expect(amountsIn(of('--page-size')[1]!).map(String)).toEqual(
    allowed(['tile', 'a.glb', '-o', 'tiles', '--page-size', '3'])
  );
}

function compare(table: Table): void {
  expectOptions(COMPARE_OPTIONS, COMPARE_HELP, [table]);
}

function cache(table: Table): void {
  expectOptions(CACHE_OPTIONS, CACHE_HELP, [table]);
}

function page(table: Table): void {
  expectOptions(PAGE_OPTIONS, PAGE_HELP, [table]);
}

function info(table: Table): void {
  expectOptions(INFO_OPTIONS, INFO_HELP, [table]);
}

function shader(table: Table): void {
  expectOptions(SHADER_OPTIONS, SHADER_HELP, [table]);
  const of = (name: string): readonly string[] => table.rows.find(([first]) => optionsIn(first!).includes(name))!;
  expect(codesIn(of('--stage')[1]!)).toEqual(allowed(['shader', 'a.wgsl', '--stage', '?']));
  const prints = allowed(['shader', 'a.wgsl', '--print', '?']);
  expect(
    codesIn(of('--print')[1]!)
      .filter((code) => !code.startsWith('-'))
      .sort()
  ).toEqual([...prints].sort());
}

/** The columns that the command prints, after the name of the entry point and its stage. */
async function shaderColumns(table: Table): Promise<void> {
  const workshop = new Workshop();
  try {
    const { bytes } = await workshop.pipe('@fragment fn fs() {}', 'shader', '-');
    const [head] = /^entry point.*$/m.exec(bytes.toString())!;
    const columns = head.split(/ {2,}/).slice(2);
    expect(table.rows.flatMap(([first]) => first!.split(', '))).toEqual(columns);
  } finally {
    workshop.remove();
  }
}

/** Exit codes, as the help states them and runs end. */
async function exitCodes(table: Table): Promise<void> {
  const codes = Object.values(EXIT).map(String);
  expect(table.rows.map(([code]) => code)).toEqual(codes);
  const [, stated] = /Exit codes of all commands\n([^]*)/.exec(HELP)!;
  expect([...stated!.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => code)).toEqual(codes);
  const workshop = new Workshop();
  try {
    const code = async (text: string, ...words: string[]): Promise<number | null> =>
      (await workshop.pipe(text, 'shader', ...words)).code;
    const valid = '@fragment fn fs() {}';
    const unusable = 'override x: f32; @fragment fn fs() -> @location(0) vec4f { return vec4f(x); }';
    expect([
      await code(valid, '-'),
      await code('fn f( {}', '-'),
      await code(unusable, '-', '--entry', 'fs'),
      await code(valid, '-', '--gone'),
      await code(valid, '-', '--entry', 'gone'),
      await code(valid, 'gone.wgsl'),
    ]).toEqual([0, 1, 1, 2, 2, 3]);
  } finally {
    workshop.remove();
  }
}

/** The placeholders of --output. */
function placeholders(table: Table): void {
  expect(codesIn(table.rows.map(([first]) => first).join(' ')).map((code) => code.slice(1, -1))).toEqual(
    expect.arrayContaining(['name', 'n'])
  );
  const known = /The placeholders are (.*?);/.exec(failure(['render', 'a.glb', '-o', '{?}.png']))![1]!.split(', ');
  expect([...codesIn(table.rows.map(([first]) => first).join(' '))].sort()).toEqual([...known].sort());
}

export const COMMAND_CHECKS = [
  at('The command', 'command', commands),
  at('Several models', 'placeholder', placeholders),
  at('Exit codes', 'exit code', exitCodes),
  at('Input and output', 'option', inputAndOutput),
  at('Passes', 'pass', (table) => expectNames(table, PASSES)),
  at('Camera and lens', 'option', camera),
  at('Speed and memory', 'option', speed),
  at('Members of the JSON report', 'member', report),
  at('`rasterloom tile`', 'option', tile),
  at('`rasterloom page`', 'option', page),
  at('`rasterloom info`', 'option', info),
  at('`rasterloom compare`', 'option', compare),
  at('`rasterloom cache`', 'option', cache),
  at('`rasterloom shader`', 'option', shader),
  at('`rasterloom shader`', 'column', shaderColumns),
];
