// Consistency of the figures in bench/results: a checkout without changes, one origin for all files, and a folder that
// is replaced entirely or not at all.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mixedRunsReason, uncommittedChanges, FILES_OF_OTHER_RUNS, replaceFolder } from '../../bench/full-run.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whole-run-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A folder of files, as a URL. */
function folder(name: string, files: Readonly<Record<string, unknown>>): URL {
  mkdirSync(join(root, name));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(root, name, file), JSON.stringify(content));
  return pathToFileURL(`${join(root, name)}/`);
}
const of = (run: string, commit = 'abc'): object => ({ machine: { run, commit }, frames: {} });

test('a checkout has changes if a file differs from the commit or is not part of it', () => {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  writeFileSync(join(root, '.gitignore'), 'build\n');
  writeFileSync(join(root, 'kept'), '1');
  git('add', '.');
  git('commit', '-q', '-m', 'm');
  writeFileSync(join(root, 'build'), '');
  expect(uncommittedChanges(root)).toEqual([]);
  writeFileSync(join(root, 'kept'), '2');
  writeFileSync(join(root, 'new'), '');
  expect(uncommittedChanges(root)).toEqual(['kept', 'new']);
});

describe('files belong together', () => {
  test('if all exist and are from one run', () => {
    expect(
      mixedRunsReason(folder('a', { 'one.json': of('r'), 'two.json': of('r'), 'report.html': '' }), ['one', 'two'])
    ).toBeUndefined();
  });
  test('not if one is missing or additional', () => {
    const there = folder('a', { 'one.json': of('r'), 'two.json': of('r') });
    expect(mixedRunsReason(there, ['one', 'two', 'three'])).toMatch(/these differ: three$/);
    expect(mixedRunsReason(there, ['one'])).toMatch(/these differ: two$/);
  });
  test('not if one is from another run or commit', () => {
    expect(mixedRunsReason(folder('a', { 'one.json': of('r'), 'two.json': of('s') }), ['one', 'two'])).toMatch(
      /^two\.json is of .*"s".*, and one\.json of .*"r"/
    );
    expect(mixedRunsReason(folder('b', { 'one.json': of('r'), 'two.json': of('r', 'def') }), ['one', 'two'])).toMatch(
      /^two\.json is of .*"def"/
    );
  });
});

describe('a folder is replaced', () => {
  test('entirely', () => {
    const to = folder('results', { 'old.json': 1 });
    replaceFolder(to, folder('next', { 'new.json': 2 }));
    expect(readdirSync(root)).toEqual(['results']);
    expect(readdirSync(to)).toEqual(['new.json']);
  });
  test('except for the files of other runs', () => {
    const to = folder('results', { 'old.json': 1, 'conformance.json': 3 });
    replaceFolder(to, folder('next', { 'new.json': 2 }));
    expect(readdirSync(to)).toEqual(['conformance.json', 'new.json']);
    expect(readFileSync(new URL('conformance.json', to), 'utf8')).toBe('3');
  });
  test('or not at all', () => {
    const to = folder('results', { 'old.json': 1 });
    expect(() => replaceFolder(to, pathToFileURL(join(root, 'none/')))).toThrow('ENOENT');
    expect(readdirSync(root)).toEqual(['results']);
    expect(readdirSync(to)).toEqual(['old.json']);
  });
});

test('the committed figures are from one run', () => {
  const results = new URL('../../bench/results/', import.meta.url);
  const runs = readdirSync(results)
    .filter((file) => file.endsWith('.json') && !FILES_OF_OTHER_RUNS.includes(file))
    .map((file) => JSON.parse(readFileSync(new URL(file, results), 'utf8')).machine.run as unknown);
  expect(new Set(runs).size).toBe(1);
});
