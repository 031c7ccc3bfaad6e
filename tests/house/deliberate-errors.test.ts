// The deliberate errors of tests/deliberate-errors still apply to the sources, and their list is complete.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'tests/deliberate-errors';

interface DeliberateError {
  readonly patch: string;
  readonly wrong: string;
  readonly tests: readonly string[];
}
const list = JSON.parse(readFileSync(`${ROOT}${FOLDER}/list.json`, 'utf8')) as readonly DeliberateError[];

test('the list names every patch once, and test files that exist', () => {
  const patches = readdirSync(`${ROOT}${FOLDER}`).filter((name) => name.endsWith('.patch'));
  expect(list.map(({ patch }) => `${patch}.patch`)).toEqual(patches.sort());
  const files = list.flatMap(({ tests }) => tests);
  expect(files.filter((file) => !existsSync(`${ROOT}${file}`))).toEqual([]);
  expect(list.filter(({ wrong, tests }) => wrong === '' || tests.length === 0)).toEqual([]);
});

const hasGit = spawnSync('git', ['--version']).status === 0;
test.skipIf(!hasGit)('every patch applies (needs git)', () => {
  const complaints = list.flatMap(({ patch }) => {
    const { status, stderr } = spawnSync(
      'git',
      ['apply', '--check', '--recount', '-C1', `${FOLDER}/${patch}.patch`],
      // Without this, git would look for a repository around the checkout.
      { cwd: ROOT, encoding: 'utf8', env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(ROOT) } }
    );
    return status === 0 ? [] : [`${patch}: ${stderr}`];
  });
  expect(complaints).toEqual([]);
});
