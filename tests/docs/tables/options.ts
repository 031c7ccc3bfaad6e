// The tables of docs/reference/options.md, and that of the scheduler on the page of streamed textures, against the
// types of the options and their defaults.
import { expect } from 'vitest';
import { MAX_WORKERS } from '../../../assembly/layout/job/share-codes';
import { canvasFormats, defaultCanvasFormat } from '../../../src/api/adapter';
import { DEFAULT_LIMITS } from '../../../src/node/resource-options';
import { create } from '../../../src/index';
import {
  defaultBudgets,
  defaultRenderOptions,
  defaultScheduler,
  distributions,
  engines,
  MAX_SLOTS,
  priorities,
  workerKinds,
} from '../../../src/render';
import { defaultShaderLimits } from '../../../src/base/shader-limits';
import { amountIn, amountsIn, checksOf, codesIn, expectNames, expectValues, rowOf, shown, type Table } from '../tables';
import { membersOf } from '../members';

const at = checksOf('docs/reference/options.md');
type Options = NonNullable<Parameters<typeof create>[0]>;

/** Whether `create` takes an option. */
function accepts(options: object): boolean {
  try {
    create(options as Options);
    return true;
  } catch (error) {
    expect(['TypeError', 'RangeError']).toContain((error as Error).name);
    return false;
  }
}

/** A member of the scheduler takes all numbers that the table states, and none beyond. */
function expectRange(text: string, wrap: (value: number) => object): void {
  const range = / ([\d,]+) (?:…|to) ([\d,]+)/.exec(` ${text}`);
  const [least, most] = range!.slice(1).map((number) => Number(number.replaceAll(',', '')));
  expect([least! - 1, least!, most!, most! + 1].map((value) => accepts(wrap(value)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
}

const values = (table: Table, name: string): readonly string[] =>
  codesIn(rowOf(table, name)[1]!).map((code) => code.replaceAll("'", ''));

function options(table: Table): void {
  expectNames(table, membersOf('CreateOptions'));
  const defaultOf = (name: string): string => rowOf(table, name)[2]!;
  expect(values(table, 'engine')).toEqual(engines);
  expect(values(table, 'workerKinds')).toEqual(workerKinds);
  expect(values(table, 'distribution')).toEqual(distributions);
  expect(values(table, 'canvasFormat')).toEqual(canvasFormats);
  for (const name of ['engine', 'distribution', 'deterministic', 'simd', 'surfaceEncoding'] as const)
    expect(defaultOf(name), name).toBe(shown(defaultRenderOptions[name]));
  for (const name of ['memoryBudget', 'arenaBytes', 'timeoutMs'] as const)
    expect(amountIn(defaultOf(name)), name).toBe(defaultRenderOptions[name]);
  expect(defaultOf('canvasFormat')).toBe(shown(defaultCanvasFormat));
  expectRange(rowOf(table, 'threads')[1]!, (threads) => ({ threads }));
  expect(codesIn(rowOf(table, 'budgets')[1]!)).toEqual([`{ ${membersOf('CreateOptions', 'budgets').join(', ')} }`]);
  expect(codesIn(rowOf(table, 'shaderLimits')[1]!)).toEqual([
    `{ ${membersOf('CreateOptions', 'shaderLimits').join(', ')} }`,
  ]);
}

function budgets(table: Table): void {
  expectNames(table, membersOf('CreateOptions', 'budgets'));
  for (const [name, value] of Object.entries(defaultBudgets)) {
    const text = rowOf(table, name)[2]!;
    if (value === null) expect(text).toMatch(/^not bounded/);
    else expect(amountIn(text), name).toBe(value);
  }
}

/** Defaults and ranges of members that both tables of the scheduler have. */
function expectScheduler(table: Table): void {
  const cells = (name: string): readonly string[] => rowOf(table, name);
  for (const name of ['slots', 'warps', 'timeoutMs'] as const)
    expect(Number(cells(name)[2]), name).toBe(defaultScheduler[name]);
  for (const name of ['priority', 'lockstepQuads'] as const) expect(cells(name)[2]).toBe(shown(defaultScheduler[name]));
  expect(defaultScheduler).not.toHaveProperty('runToCompletion');
  expect(cells('runToCompletion')[2]).toBe('`false`');
  expectValues(cells('priority')[1]!, priorities);
  expectRange(cells('slots')[1]!, (slots) => ({ scheduler: { slots } }));
  expect(amountsIn(cells('slots')[1]!)).toContain(MAX_SLOTS);
  expectRange(cells('warps')[1]!, (warps) => ({ scheduler: { warps } }));
}

function scheduler(table: Table): void {
  expectScheduler(table);
  const options = membersOf('CreateOptions', 'scheduler').filter((name) => name !== 'budgets');
  const workers = membersOf('CreateOptions', 'scheduler', 'budgets');
  expect(table.rows.flatMap(([first]) => codesIn(first!)).sort()).toEqual(
    [...options, ...workers.map((name) => `budgets.${name}`)].sort()
  );
  for (const name of ['vertex', 'pixel'] as const) {
    expect(defaultScheduler.budgets[name]).toBe(MAX_WORKERS);
    const [, meaning, fallback] = rowOf(table, name);
    expect(fallback).toBe('all');
    expectRange(meaning!, (value) => ({ scheduler: { budgets: { [name]: value } } }));
  }
}

function streamScheduler(table: Table): void {
  expectScheduler(table);
  expectNames(table, membersOf('CreateOptions', 'scheduler'));
  const [, meaning, fallback] = rowOf(table, 'budgets');
  expect(codesIn(meaning!)).toEqual([`{ ${membersOf('CreateOptions', 'scheduler', 'budgets').join(', ')} }`]);
  expect(fallback).toBe('all');
  meaning!
    .split(', and ')
    .forEach((text, i) =>
      expectRange(text, (value) => ({ scheduler: { budgets: { [i === 0 ? 'vertex' : 'pixel']: value } } }))
    );
}

function shaderLimits(table: Table): void {
  expectNames(table, membersOf('CreateOptions', 'shaderLimits'));
  for (const [name, value] of Object.entries(defaultShaderLimits))
    expect(amountIn(rowOf(table, name)[2]!), name).toBe(value);
}

function resources(table: Table): void {
  expectNames(table, membersOf('ResourceOptions'));
  const defaultOf = (name: string): string => rowOf(table, name)[2]!;
  expect(DEFAULT_LIMITS.folder).toBeNull();
  expect(defaultOf('folder')).toBe('the working folder');
  expect(defaultOf('network')).toBe(shown(DEFAULT_LIMITS.network));
  for (const name of ['maxBytes', 'timeoutMs', 'maxImageBytes'] as const)
    expect(amountIn(defaultOf(name)), name).toBe(DEFAULT_LIMITS[name]);
}

export const OPTION_CHECKS = [
  at('`create`', 'option', options),
  at('`budgets`', 'member', budgets),
  at('`scheduler`', 'member', scheduler),
  at('`shaderLimits`', 'member', shaderLimits),
  at('`resources`', 'member', resources),
  checksOf('docs/features/streamed-textures.md')('Scheduling', 'member', streamScheduler),
];
