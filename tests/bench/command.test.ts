// `npm run bench`: the table of benchmarks, its help, and names that do not exist. No benchmark is run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BENCHMARKS, durationText, GROUPS, NEEDS } from '../../bench/benchmarks.mjs';

const folder = new URL('../../bench/', import.meta.url);
function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const script = fileURLToPath(new URL('bench.mjs', folder));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the table of benchmarks', () => {
  test('names each benchmark once', () => {
    const names = BENCHMARKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
  test.each(BENCHMARKS)('$name has a module, a duration, and known needs', ({ module, minutes, needs = [] }) => {
    expect(existsSync(new URL(module, folder))).toBe(true);
    expect(minutes).toBeGreaterThan(0);
    for (const need of needs) expect(NEEDS).toHaveProperty(need);
  });
});

test.each([
  [0.1, '6 s'],
  [0.5, '½ min'],
  [1.5, '1½ min'],
  [40, '40 min'],
  [60, '1 h'],
  [150, '2½ h'],
])('%s minutes are %s', (minutes, text) => {
  expect(durationText(minutes)).toBe(text);
});

describe('the command', () => {
  test.each(['list', '--help'])('%s shows every name with its duration', (word) => {
    const { status, stdout } = bench(word);
    expect(status).toBe(0);
    for (const group of Object.keys(GROUPS)) expect(stdout).toContain(`\n${group}\n`);
    for (const { name, minutes } of BENCHMARKS)
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${durationText(minutes)} {2}\\w`, 'm'));
    expect(stdout).not.toMatch(/\]\(|`/);
  });

  test('help NAME shows the arguments of a benchmark', () => {
    const { status, stdout } = bench('help', 'against');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^npm run bench against \.\.\/old\/build \[scene …\]\n/);
    expect(stdout).toContain('MS ');
  });

  test.each([
    ['thred', 'threads'],
    ['bench:jit', 'jit'],
    ['peer', 'peers, compute-peers, front-end-peers'],
  ])('%s is refused, and %s is proposed', (wrong, names) => {
    const { status, stderr } = bench(wrong);
    expect(status).toBe(2);
    expect(stderr).toContain(`No benchmark is named "${wrong}"`);
    for (const name of names.split(', ')) expect(stderr).toMatch(new RegExp(`similar names:.*\\b${name}\\b`));
  });

  test('a name that resembles none is refused without proposals', () => {
    const { status, stderr } = bench('help', 'zzzzzzzz');
    expect(status).toBe(2);
    expect(stderr).toBe('No benchmark is named "zzzzzzzz". "npm run bench list" shows all names\n');
  });
});
