// The tables about the repository and the package: scripts, folders, fuzz targets, sizes, and figures of bench/results.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { GROUPS, markdownOf } from '../../../bench/benchmarks.mjs';
import { targets } from '../../fuzz/targets';
import { read, ROOT } from '../kit';
import { amountIn, checksOf, codesIn, expectNames, parseTables, type Table } from '../tables';

/** The rows of a group of benchmarks are those of `npm run bench list`. */
const benchmarks =
  (group: string) =>
  ({ rows }: Table): void =>
    expect(rows, 'node bench/bench.mjs list --markdown').toEqual(parseTables('', markdownOf(group))[0]!.rows);

const foldersIn = (parent: string): readonly string[] =>
  readdirSync(new URL(parent, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}${name}/`);

function folders(table: Table): void {
  const named = table.rows.flatMap(([first]) => codesIn(first!));
  expect([...named].sort()).toEqual([...foldersIn('assembly/'), ...foldersIn('src/')].sort());
}

const megabytes = (text: string): number => amountIn(text) * (text.includes(' MB') ? 1e6 : 1e3);

/** The stated sizes are those of the built files, within 5 %. */
function sizes(table: Table): void {
  const [download, unpacked] = table.rows;
  const stated = (row: readonly string[]): readonly number[] => row[1]!.split(', ').map(megabytes);
  const expectNear = (row: readonly string[], bytes: readonly number[]): void => {
    const ratios = stated(row).map((size, i) => size / bytes[i]!);
    for (const ratio of ratios) expect(Math.abs(ratio - 1), `${row[0]}: ${bytes.join(', ')} bytes`).toBeLessThan(0.05);
  };
  const triangle = ['index.browser.js', 'engine.js', 'kernel.wasm', 'worker.browser.js'];
  const brotli = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + brotliCompressSync(readFileSync(new URL(`build/${name}`, ROOT))).length, 0);
  const rowOf = (words: string): readonly string[] => table.rows.find(([what]) => what!.includes(words))!;
  expectNear(rowOf('first triangle'), [brotli(triangle)]);
  expectNear(rowOf('first picture'), [
    brotli([...triangle, 'view.js', 'gltf.browser.js', 'gltf-core.js', 'gltf-library.js', 'studio.bin']),
  ]);
  for (const name of triangle) {
    const bytes = readFileSync(new URL(`build/${name}`, ROOT));
    expectNear(rowOf(`\`${name}\``), [bytes.length, gzipSync(bytes, { level: 9 }).length]);
  }
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: fileURLToPath(ROOT),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [{ size, unpackedSize }] = JSON.parse(stdout) as [{ size: number; unpackedSize: number }];
  expectNear(download!, [size]);
  expectNear(unpacked!, [unpackedSize]);
}

const results = <T>(name: string): T => JSON.parse(read(`bench/results/${name}.json`)) as T;

/** A cell is a measured value, rounded to the digits that the cell has. */
function expectRounded(cell: string, value: number, what: string): void {
  const [, digits] = /(\d[\d,]*(?:\.\d+)?)/.exec(cell) ?? [];
  const decimals = digits?.split('.')[1]?.length ?? 0;
  expect(Math.abs(amountIn(cell) - value), `${what}: ${cell} for ${value}`).toBeLessThanOrEqual(
    0.501 * 10 ** -decimals
  );
}

type Frame = Readonly<Record<'rasterloom' | 'swiftshader' | 'swiftshaderRatio' | 'llvmpipe' | 'llvmpipeRatio', number>>;
const frameNames = ['rasterloom', 'swiftshader', 'llvmpipe', 'swiftshaderRatio', 'llvmpipeRatio'] as const;
const frames = (): Readonly<Record<string, Frame>> =>
  results<{ frames: Readonly<Record<string, Frame>> }>('peers').frames;

function peers(table: Table): void {
  expect(table.rows.map(([scene, samples]) => `${scene}@${samples}x`)).toEqual(Object.keys(frames()));
  for (const [scene, samples, ...cells] of table.rows) {
    const name = `${scene}@${samples}x`;
    cells.forEach((cell, i) => expectRounded(cell, frames()[name]![frameNames[i]!], `${name} ${frameNames[i]}`));
  }
}

/** The scenes of the README's rows of milliseconds, in order. */
const README_SCENES = ['helmet@4x', 'overdraw@4x', 'teapots@4x', 'particles@4x'] as const;

function readme(table: Table): void {
  const rows = table.rows.filter(([, cell]) => / ms$/.test(cell!));
  expect(rows.length).toBe(README_SCENES.length);
  rows.forEach(([first, ...cells], row) =>
    cells.forEach((cell, i) => expectRounded(cell, frames()[README_SCENES[row]!]![frameNames[i]!], first!))
  );
}

type Programs = Readonly<Record<string, { readonly ms: Readonly<Record<string, number>> }>>;

/** Tables of compute shaders, whose rows are in the order of the results. */
const computePeers =
  (columns: readonly string[]) =>
  ({ rows }: Table): void => {
    const { programs } = results<{ programs: Programs }>('compute-peers');
    expect(rows.length).toBe(Object.keys(programs).length);
    Object.entries(programs).forEach(([name, { ms }], row) =>
      columns.forEach((column, i) => expectRounded(rows[row]![i + 1]!, ms[column]!, `${name} ${column}`))
    );
  };

function threads({ rows }: Table): void {
  const { pairs } = results<{ pairs: Readonly<Record<string, { one: number; all: number; ratio: number }>> }>(
    'threads'
  );
  expect(rows.map(([scene, samples]) => `${scene}@${samples}x`)).toEqual(Object.keys(pairs));
  for (const [scene, samples, ...cells] of rows) {
    const { one, all, ratio } = pairs[`${scene}@${samples}x`]!;
    [one, all, ratio].forEach((value, i) => expectRounded(cells[i]!, value, `${scene}@${samples}x`));
  }
}

const fuzzTargets = (table: Table): void => expectNames(table, Object.keys(targets));

const performance = checksOf('docs/reference/performance.md');

export const REPOSITORY_CHECKS = [
  checksOf('README.md')('Size and speed', '', readme),
  ...Object.keys(GROUPS).map((group) => checksOf('docs/internals/benchmarks.md')(group, 'Command', benchmarks(group))),
  checksOf('docs/internals/architecture.md')('Folders and imports', 'Folder', folders),
  checksOf('docs/internals/twins-and-oracles.md')('Fuzzing', 'Target', fuzzTargets),
  checksOf('docs/features/compute.md')(
    'Cost',
    'shader',
    computePeers(['rasterloom', 'javascript', 'swiftshader', 'llvmpipe'])
  ),
  performance('Size', 'what', sizes),
  performance('Rendering, compared with SwiftShader and llvmpipe', 'scene', peers),
  performance(
    'Compute, compared with SwiftShader, llvmpipe and JavaScript',
    'program',
    computePeers(['rasterloom', 'one thread', 'javascript', 'swiftshader', 'llvmpipe'])
  ),
  performance('Threads', 'scene', threads),
];
