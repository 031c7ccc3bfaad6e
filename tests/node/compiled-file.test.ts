// V8's compiled code of a file, kept in a store (src/node/compiled-file.ts).
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodeUrl, { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RecordStore } from '../../src/api';
import { CompiledFiles, requireText } from '../../src/node';

const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = pathToFileURL(join(folder, 'file.cjs'));

const records = new Map<string, Uint8Array<ArrayBuffer>>();
let waiting: (() => void)[] = [];
const store: RecordStore = {
  read: (name) => records.get(name) ?? null,
  write: (added) => {
    for (const [name, bytes] of added) records.set(name, bytes);
  },
  digest: (parts) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  },
  whenIdle: (act) => void waiting.push(() => act(false)),
};

/** Runs the file, calls its function and waits until the process is idle. Returns how many records were written. */
function run(build = 'one'): { readonly answer: unknown; readonly written: number } {
  const exports = new CompiledFiles(build, store).load(file) as { answer: () => unknown };
  const answer = exports.answer();
  const written = waiting.length;
  for (const act of waiting) act();
  waiting = [];
  return { answer, written };
}

beforeEach(() => {
  records.clear();
  waiting = [];
  writeFileSync(file, "'use strict'; exports.answer = () => 6 * 7 - 1;");
  // To the microsecond, as `utimesSync` sets it.
  utimesSync(file, 1e9, 1e9);
});

test('is written by the second process, and used from then on', () => {
  expect(run()).toEqual({ answer: 41, written: 1 });
  const sizes = (): number[] => [...records.values()].map(({ length }) => length);
  expect(sizes()).toEqual([0]);
  expect(run()).toEqual({ answer: 41, written: 1 });
  expect(sizes()[0]).toBeGreaterThan(100);
  expect(run()).toEqual({ answer: 41, written: 0 });
  expect(records.size).toBe(1);
});

test('belongs to one build and one version of the file', () => {
  run();
  expect(run('two').written).toBe(1);
  writeFileSync(file, "exports.answer = () => 'another answer';");
  expect(run()).toEqual({ answer: 'another answer', written: 1 });
  expect(records.size).toBe(3);
});

test('is ignored and replaced if V8 refuses it', () => {
  run();
  run();
  const [[name, bytes]] = [...records] as [[string, Uint8Array<ArrayBuffer>]];
  // The first word identifies V8's format. V8 does not look at the code of sources that this process has compiled.
  const { mtime } = statSync(file);
  writeFileSync(file, "'use strict'; exports.answer = () => 6 * 8 - 1;");
  utimesSync(file, mtime, mtime);
  records.set(name, bytes.with(0, ~bytes[0]!));
  expect(run()).toEqual({ answer: 47, written: 1 });
  expect(records.get(name)!.length).toBeGreaterThan(100);
  expect(run().written).toBe(0);
});

test('is not kept without a store', () => {
  const files = new CompiledFiles('one', null);
  expect((files.load(file) as { answer: () => unknown }).answer()).toBe(41);
  expect(waiting).toEqual([]);
});

test('of several files shares what was loaded before', () => {
  const other = pathToFileURL(join(folder, 'other.cjs'));
  writeFileSync(other, "exports.same = require('./file.cjs').answer; exports.url = require('node:url');");
  const files = new CompiledFiles('one', store);
  const { answer } = files.load(file) as { answer: unknown };
  expect(files.load(other)).toEqual({ same: answer, url: nodeUrl });
  expect(files.load(other)).toBe(files.load(other));
});

test('imports modules, also in code that was kept', async () => {
  writeFileSync(file, "exports.answer = () => importModule('node:url');");
  for (const written of [1, 1, 0]) {
    const first = run();
    expect(first.written).toBe(written);
    expect(((await first.answer) as { default: unknown }).default).toBe(nodeUrl);
  }
});

test('runs ES modules that import nothing, in the main context and in others', () => {
  const module = pathToFileURL(join(folder, 'module.js'));
  writeFileSync(module, 'const a=()=>typeof this;const big=42;\nexport{a as\nname,big};\n');
  const exports = new CompiledFiles('one', null).load(module) as { name: () => string; big: number };
  expect([exports.name(), exports.big]).toEqual(['undefined', 42]);
  expect(requireText(fileURLToPath(module))).toMatchObject({ big: 42 });
  writeFileSync(module, "import 'node:fs';export{};");
  expect(() => requireText(fileURLToPath(module))).toThrow('is not a module of the package');
});
