// The tables of docs/reference/limits.md, against what an adapter reports, what the front end refuses, and constants.
import { expect } from 'vitest';
import { MAX_DOWNLOAD_BYTES, DOWNLOAD_MS } from '../../../src/node/models/network';
import { parseCommand } from '../../../src/cli/options/options';
import { MAX_BYTES as MAX_SHADER_BYTES } from '../../../src/cli/shader';
import { MAX_REGISTERS } from '../../../src/codegen/encode';
import { defaultLimits, limitNames, type LimitName } from '../../../src/api/core/limits';
import { defaultShaderLimits } from '../../../src/base/shader-limits';
import { DEFAULT_MODEL_BYTES } from '../../../src/gltf/budget';
import { MAX_TEXT_BYTES } from '../../../src/gltf/files/container';
import { MAX_ITEMS, MAX_SYNTHETIC_BYTES } from '../../../src/gltf/files/validate';
import { MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from '../../../src/gltf/images/image';
import { MAX_TRIANGLES } from '../../../src/gltf/scene/scene';
import { create } from '../../../src/index';
import { MAX_PIXELS, MAX_PNG_PIXELS } from '../../../src/node/image-files';
import { DEFAULT_LIMITS } from '../../../src/node/resource-options';
import { defaultBudgets, defaultRenderOptions } from '../../../src/render';
import { MAX_TIMEOUTS } from '../../../src/schedule/progress-clock';
import { MAX_BYTES as MAX_QUEUED_BYTES, MAX_SUBMITS } from '../../../src/schedule/queue';
import { checkModule, parseModule } from '../../../src/wgsl';
import { MAX_REACHED_FUNCTIONS } from '../../../src/wgsl/resolve/declarations/call-graph';
import { simpleMath } from '../../wgsl/simple-math';
import { amountIn, amountsIn, checksOf, expectNames, namesIn, type Table } from '../tables';
import { membersOf } from '../members';

const at = checksOf('docs/reference/limits.md');

async function webGpuLimits(table: Table): Promise<void> {
  const adapter = await create().requestAdapter();
  const granted = adapter!.limits as unknown as Readonly<Record<LimitName, number>>;
  expectNames(table, limitNames);
  const stated = (column: number): object =>
    Object.fromEntries(
      table.rows.flatMap((row) => namesIn({ ...table, rows: [row] }).map((name) => [name, amountIn(row[column]!)]))
    );
  expect(stated(1)).toEqual(defaultLimits);
  expect(stated(2)).toEqual(Object.fromEntries(limitNames.map((name) => [name, granted[name]])));
}

/** The limits of the rows, in their order. */
const expectAmounts = (table: Table, amounts: readonly (readonly number[])[]): void =>
  expect(table.rows.map(([, limit]) => amountsIn(limit!))).toEqual(amounts);

/** Options that a table says raise a limit exist. */
function expectOptions(table: Table): void {
  const groups = ['budgets', 'shaderLimits'];
  for (const [, , raised] of table.rows)
    for (const [, group, member] of raised!.matchAll(/create\(\{ (\w+)(?:: \{ (\w+) \})? \}\)/g)) {
      expect(membersOf('CreateOptions')).toContain(group);
      if (member) expect(groups.includes(group!) && membersOf('CreateOptions', group!)).toContain(member);
    }
}

function memory(table: Table): void {
  expectAmounts(table, [
    [defaultRenderOptions.memoryBudget],
    [defaultBudgets.decodedBytes, 1 << 20],
    [],
    [MAX_SUBMITS, MAX_QUEUED_BYTES],
  ]);
  expectOptions(table);
}

function time(table: Table): void {
  expectAmounts(table, [[defaultRenderOptions.timeoutMs], [MAX_TIMEOUTS], [MAX_TIMEOUTS]]);
  expectOptions(table);
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join(' ');

/** The code of an error, and a shader that exceeds a limit by one if the limit is `limit`. */
type TooLarge = readonly [code: string, text: (limit: number) => string];

/** By levels, in the order of the row. */
const TOO_DEEP: readonly TooLarge[] = [
  ['too-deep', (limit) => `const x = 1${' + 1'.repeat(limit + 1)};`],
  ['too-deep', (limit) => `fn f() { ${'if (true) {} else '.repeat(limit + 1)} {} }`],
  ['braces-too-deep', (limit) => `fn f() {${'{'.repeat(limit + 1)}${'}'.repeat(limit + 1)}}`],
  [
    'type-too-deep',
    (limit) => `fn f(p: ptr<function, ${'array<'.repeat(limit + 1)}f32${', 1>'.repeat(limit + 1)}>) {}`,
  ],
  [
    'too-deep',
    (limit) =>
      `fn f0() {} ${lines(limit + 1, (i) => `fn f${i + 1}() { f${i}(); }`)} @fragment fn main() { f${limit + 1}(); }`,
  ],
];
/** By rows, after that of the levels. */
const TOO_LARGE: readonly TooLarge[] = [
  ['too-many-members', (limit) => `struct S { ${lines(limit + 1, (i) => `m${i}: f32,`)} }`],
  ['too-many-parameters', (limit) => `fn f(${lines(limit + 1, (i) => `p${i}: f32,`)}) {}`],
  [
    'too-many-case-values',
    (limit) => `fn f(x: i32) { switch x { case ${lines(limit + 1, (i) => `${i},`)} {} default {} } }`,
  ],
  ['too-many-elements', (limit) => `fn f() { _ = array(${lines(limit + 1, (i) => `${i},`)}); }`],
  ['too-many-entry-points', (limit) => lines(limit + 1, (i) => `@fragment fn f${i}() {}`)],
];

/** The front end refuses a shader that exceeds the stated limit by one, with a message that states the same limit. */
function expectRefusal(limit: number, [code, text]: TooLarge): void {
  const errorsOf = (source: string): readonly string[] => {
    const { module, diagnostics } = parseModule(source);
    return [...diagnostics, ...checkModule(module, simpleMath, new Set()).diagnostics]
      .filter((diagnostic) => diagnostic.code === code)
      .map(({ message }) => message);
  };
  const [message] = errorsOf(text(limit));
  expect(amountsIn(message ?? ''), `${code}: ${message}`).toContain(limit);
}

function shaders(table: Table): void {
  const { characters, constants, instructions, codeBytes } = defaultShaderLimits;
  const limits = table.rows.map(([, limit]) => amountsIn(limit!));
  const [, , constant] = limits;
  expect(limits.slice(0, 7)).toEqual([
    [characters],
    [constants],
    constant,
    [instructions],
    [codeBytes],
    [MAX_REACHED_FUNCTIONS],
    [MAX_REGISTERS],
  ]);
  const raised = table.rows.map((row) => row[2]).filter(Boolean);
  expect(raised).toEqual(membersOf('CreateOptions', 'shaderLimits').map((name) => `\`shaderLimits.${name}\``));
  const [levels, ...others] = limits.slice(7);
  expect([levels!.length, others.length]).toEqual([TOO_DEEP.length, TOO_LARGE.length]);
  expectRefusal(constant![0]!, ['value-too-large', (limit) => `fn f() { let x = array<f32, ${limit + 1}>(); }`]);
  TOO_DEEP.forEach((each, i) => expectRefusal(levels![i]!, each));
  TOO_LARGE.forEach((each, i) => expectRefusal(others[i]![0]!, each));
}

function models(table: Table): void {
  expectAmounts(table, [
    [DEFAULT_MODEL_BYTES],
    [DEFAULT_MODEL_BYTES],
    [MAX_SHADER_BYTES],
    [MAX_TEXT_BYTES],
    [MAX_IMAGE_SIDE, MAX_IMAGE_PIXELS],
    [MAX_ITEMS],
    [MAX_TRIANGLES],
    [MAX_SYNTHETIC_BYTES],
    [MAX_DOWNLOAD_BYTES, DOWNLOAD_MS],
    [8192],
  ]);
  const side = amountIn(table.rows.at(-1)![1]!);
  const render = (size: number): object => parseCommand(['render', '--sample', '--size', `${size}x${size}`]);
  expect(render(side)).toMatchObject({ width: side, height: side });
  expect(() => render(side + 1)).toThrow(`at most ${side} pixels`);
}

function files(table: Table): void {
  const { maxBytes, timeoutMs, maxImageBytes } = DEFAULT_LIMITS;
  expectAmounts(table, [[maxBytes, timeoutMs], [maxImageBytes], [], [MAX_PIXELS], [MAX_PNG_PIXELS]]);
}

export const LIMIT_CHECKS = [
  at('WebGPU limits', 'limit', webGpuLimits),
  at('Memory', 'what', memory),
  at('Time', 'what', time),
  at('Shaders', 'what', shaders),
  at('Models and the command', 'what', models),
  at('Files and images in Node', 'what', files),
];
