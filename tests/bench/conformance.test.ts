// The conformance runner on a small suite that passes, fails, hangs and crashes: its reports, and that one bad case
// does not affect others.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const RUNNER = fileURLToPath(new URL('../../bench/conformance/conformance.mjs', import.meta.url));
/** The modules that the runner loads, with one file of cases: each case does what its name says. */
const SUITE = {
  'common/internal/file_loader.js': `
    const CASES = [
      'plain:passes:', 'plain:skips:', 'plain:fails:', 'hard:hangs:', 'hard:passes:', 'hard:crashes:',
        'hard:passes:again=1',
      ...Array.from({ length: 50 }, (_, k) => 'many:passes:k=' + k),
    ].map((name) => 'webgpu:api,' + name);
    const DOES = {
      passes: () => ({ status: 'pass', timems: 1 }), skips: () => ({ status: 'skip', timems: 1 }),
      fails: () => ({ status: 'fail', timems: 1, logs: [{ name: 'EXPECTED', text: 'one is not two' }] }),
      hangs: () => { for (;;); }, crashes: () => process.kill(process.pid, 'SIGKILL'),
    };
    exports.DefaultTestFileLoader = class {
      async listing() {
        return [{ file: ['api'], readme: '' }, ...['plain', 'hard', 'many'].map((name) => ({ file: ['api', name] }))];
      }
      async loadCases(query) {
        return CASES.filter((name) => (query.endsWith('*') ? name.startsWith(query.slice(0, -1)) : name === query))
          .map((name) => ({ query: name, run: async (result) => Object.assign(result, DOES[name.split(':')[2]]()) }));
      }
    };`,
  'common/internal/query/parseQuery.js': 'exports.parseQuery = (text) => text;',
  'common/internal/logging/logger.js': `
    exports.Logger = class {
      record() { const result = {}; return [result, result]; }
    };`,
  'common/internal/logging/log_message.js': 'exports.prettyPrintLog = ({ text }) => text;',
  'common/framework/data_cache.js': 'exports.dataCache = { setStore() {} };',
  'common/framework/resources.js': 'exports.setBaseResourcePath = () => {};',
  'common/util/navigator_gpu.js': 'exports.setGPUProvider = () => {};',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  for (const [name, text] of Object.entries(SUITE)) put(`out-node/${name}`, text);
  put('implementation.mjs', 'export const globals = {}, create = () => ({ requestAdapter: async () => null });');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

interface Outcome {
  readonly sample: { readonly cases: number; readonly of: number };
  readonly groups: Readonly<Record<string, object>>;
  readonly failures: readonly { readonly query: string; readonly status: string; readonly reason: string }[];
}

/** Runs it on the suite with processes on one core and one second per case. */
function run(...args: string[]): { status: number | null; said: string; outcome: () => Outcome } {
  const out = join(folder, 'outcome.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      RUNNER,
      folder,
      ...args,
      '--implementation',
      join(folder, 'implementation.mjs'),
      '--processes',
      '1',
      '--timeout',
      '1',
      '--out',
      out,
      '--log',
      join(folder, 'log.jsonl'),
    ],
    { encoding: 'utf8' }
  );
  return { status, said: stdout + stderr, outcome: () => JSON.parse(readFileSync(out, 'utf8')) as Outcome };
}

function expected(...queries: string[]): string[] {
  put('expected.json', JSON.stringify(queries.map((query) => ({ query, reason: 'known' }))));
  return ['--expected', join(folder, 'expected.json')];
}
const HARD = ['webgpu:api,hard:hangs:*', 'webgpu:api,hard:crashes:*'];

test('a case that hangs or crashes is named, and the others run', () => {
  const { status, said, outcome } = run('webgpu:api,*', '--all', ...expected('webgpu:*,plain*fails:*'));
  expect(status).toBe(1);
  expect(said).toContain('2 unexpected of 57 cases');
  expect(outcome().groups).toEqual({
    'webgpu:api,plain': { cases: 3, pass: 1, skip: 1, fail: 1 },
    'webgpu:api,hard': { cases: 4, pass: 2, timeout: 1, crash: 1 },
    'webgpu:api,many': { cases: 50, pass: 50 },
  });
  expect(outcome().failures).toEqual([
    { query: 'webgpu:api,plain:fails:', status: 'fail', reason: 'known' },
    { query: 'webgpu:api,hard:hangs:', status: 'timeout', reason: 'unexpected' },
    { query: 'webgpu:api,hard:crashes:', status: 'crash', reason: 'unexpected' },
  ]);
  expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).toContain('one is not two');
});

test('expected failures do not fail the run, and those that pass are named', () => {
  const { status, said } = run(
    'webgpu:api,plain:*',
    ...expected('webgpu:api,plain:fails:*', 'webgpu:api,plain:passes:*')
  );
  expect(status).toBe(0);
  expect(said).toContain('Expected to fail, and passes: webgpu:api,plain:passes:*');
  expect(said).not.toContain('Expected to fail, and passes: webgpu:api,plain:fails:*');
});

test('a sample is reproducible, and part of a larger one', () => {
  const sampleOf = (perTest: number): string[] => {
    const { status } = run('webgpu:api,many:*', '--per-test', String(perTest), ...expected());
    expect(status).toBe(0);
    return readFileSync(join(folder, 'log.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).query as string);
  };
  const five = sampleOf(5);
  const ten = sampleOf(10);
  expect([five.length, ten.length]).toEqual([5, 10]);
  expect(sampleOf(5)).toEqual(five);
  expect(ten).toEqual(expect.arrayContaining(five));
});

test('with a record of another implementation, reports how many of its passes pass', () => {
  const record = join(folder, 'record.json');
  const known = expected('webgpu:api,plain:fails:*', ...HARD);
  put(
    'record.json',
    JSON.stringify({
      sample: { seed: 1, perTest: 'all', queries: ['webgpu:api,*'] },
      notPassed: { fail: ['webgpu:api,hard:hangs:*'] },
    })
  );
  const { status, outcome } = run('webgpu:api,*', '--against', record, ...known);
  expect(status).toBe(0);
  expect(outcome().groups['webgpu:api,hard']).toMatchObject({ ofTheirs: { passed: 3, passedHere: 2, percent: 66.66 } });
  const other = run('webgpu:shader,*', '--against', record, ...known);
  expect(other.status).toBe(2);
  expect(other.said).toContain('the record is of another sample');
});

test('a record that it writes is one that it can compare with', () => {
  const record = join(folder, 'own.json');
  const known = expected('webgpu:api,plain:fails:*', ...HARD);
  run('webgpu:api,*', '--record', record, ...known);
  const { outcome } = run('webgpu:api,*', '--continue', '--against', record, ...known);
  expect(Object.values(outcome().groups)).toMatchObject([
    { ofTheirs: { passed: 1, percent: 100 } },
    { ofTheirs: { passed: 2, percent: 100 } },
    { ofTheirs: { passed: 25 } },
  ]);
});

test('errors of the caller are reported', () => {
  expect(run('--per-test', 'x').said).toContain('--per-test takes a whole number above 0, and was given x');
  const { status, stderr } = spawnSync(process.execPath, [RUNNER, join(folder, 'nowhere')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('does not exist')]);
});
