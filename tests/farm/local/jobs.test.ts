// Good and hostile jobs in warm processes and threads.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderMany, type FarmJob, type FarmResult } from '../../../src/farm';
import { act, childrenOf, Folder, hashOf, HOSTILE, MIB, picture, runAll, shortened } from './kit';

const folder = new Folder();
afterAll(() => folder.remove());
const COUNT = 6;
/** Hash of a picture without neighbours. */
let alone: string;

beforeAll(async () => {
  const results = await runAll([picture(folder.file('alone.png'))], { concurrency: 1 });
  const [result] = results.values();
  expect(result).toMatchObject({ id: '0', attempts: 1, output: folder.file('alone.png') });
  alone = (result as Extract<FarmResult, { sha256: string }>).sha256;
  expect(alone).toBe(hashOf(readFileSync(folder.file('alone.png'))));
}, 60_000);

/** Pictures before, between and after hostile jobs. */
function mixed(kinds: readonly string[]): FarmJob[] {
  const pictures = Array.from({ length: COUNT }, (_, i) => picture(folder.file(`${i}.png`), `${i}`));
  const others = [
    ...kinds.map((kind) => act(kind)),
    { id: 'broken', input: folder.write('broken.glb', 'nonsense'), output: folder.file('broken.png') },
    { id: 'missing', input: folder.file('none.glb'), output: folder.file('missing.png') },
    { id: 'folder', sample: true, output: folder.file('none/a.png') },
  ];
  return [...pictures.slice(0, 2), ...others, ...pictures.slice(2)];
}

describe('renderMany', () => {
  it.each([
    ['process', ['loop', 'allocate', 'exit', 'kill', 'throw', 'refuse', 'text', 'nothing']],
    ['thread', ['loop', 'exit', 'throw', 'refuse', 'text', 'nothing']],
  ] as const)(
    'ends hostile jobs alone in a %s each, and draws the others as without them',
    async (isolate, kinds) => {
      const options = { isolate, retries: 0, timeoutMs: 8000, memoryBytes: 640 * MIB };
      const results = await runAll(mixed(kinds), options);
      const expected: Record<string, unknown> = {
        loop: ['timeout', 1, true],
        allocate: ['memory-limit', 1, true],
        exit: ['crash', 1, true],
        kill: ['crash', 1, true],
        throw: ['module', 1, true],
        refuse: ['module', 1, false],
        text: ['invalid-module', 1, false],
        nothing: hashOf(''),
        broken: ['input', 1, false],
        missing: ['input', 1, false],
        folder: ['output', 1, true],
      };
      for (const name of [...kinds, 'broken', 'missing', 'folder'])
        expect([name, shortened(results.get(name))]).toEqual([name, expected[name]]);
      for (let i = 0; i < COUNT; i++) expect(shortened(results.get(`${i}`))).toBe(alone);
      expect(results.size).toBe(COUNT + kinds.length + 3);
      expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
      expect(childrenOf(process.pid)).toEqual([]);
    },
    60_000
  );

  it('tries a job again, and counts the tries', async () => {
    const results = await runAll([act('flaky'), { ...act('flaky', {}, 'file'), output: folder.file('flaky.txt') }]);
    expect(results.get('flaky')).toMatchObject({ sha256: hashOf('at last'), bytes: 7, attempts: 3 });
    expect(Buffer.from((results.get('flaky') as { data: Uint8Array }).data).toString()).toBe('at last');
    expect(results.get('file')).toMatchObject({ sha256: hashOf('at last'), output: folder.file('flaky.txt') });
    expect(results.get('file')).not.toHaveProperty('data');
    expect(readFileSync(folder.file('flaky.txt'), 'utf8')).toBe('at last');
    expect(shortened((await runAll([act('flaky')], { retries: 1 })).get('flaky'))).toEqual(['module', 2, true]);
  }, 60_000);

  it('pauses before further tries, and a pause ends with the iteration', async () => {
    const options = { concurrency: 1, modules: { hostile: HOSTILE } };
    const ended: { id: string; at: number }[] = [];
    const start = performance.now();
    for await (const { id } of renderMany([act('flaky'), act('device')], { ...options, backoffMs: 400 }))
      ended.push({ id, at: performance.now() - start });
    // Another job runs in the pauses of 400 ms and 800 ms.
    expect(ended.map(({ id }) => id)).toEqual(['device', 'flaky']);
    expect(ended[1].at).toBeGreaterThan(1190);
    const signal = AbortSignal.timeout(5000);
    const aborted = runAll([act('flaky')], { ...options, backoffMs: 3_600_000, signal });
    await expect(aborted).rejects.toThrow(signal.reason as Error);
  }, 60_000);

  it('keeps a device open for the jobs of a process', async () => {
    const results = await runAll([act('device')], { concurrency: 1 });
    expect(shortened(results.get('device'))).toBe(hashOf('true'));
  }, 60_000);

  it('gives the hash of all hashes for a job with several files', async () => {
    const job = { ...picture(folder.file('view-{frame}.png')), turntable: 3 };
    const [result] = (await runAll([job])).values();
    const files = [0, 1, 2].map((i) => readFileSync(folder.file(`view-${i}.png`)));
    expect(result).toMatchObject({
      sha256: hashOf(files.map(hashOf).sort().join('\n')),
      bytes: files.reduce((sum, { length }) => sum + length, 0),
      output: folder.file('view-0.png'),
    });
  }, 60_000);

  it('refuses a model or a picture that needs more than the budget', async () => {
    const large = { ...picture(folder.file('large.png'), 'large'), size: '8192x8192', samples: 16 };
    const results = await runAll([large], { concurrency: 1, memoryBytes: 256 * MIB });
    expect(shortened(results.get('large'))).toEqual(['memory', 1, false]);
  }, 60_000);

  it.each([
    [{ id: 'a', sample: true, output: 'a.png', sise: '1x1' }, 'There is no option "sise". Did you mean "size"?'],
    [{ id: 'a', sample: true }, '"output" is missing, the path of the picture.'],
    [{ id: 'a', sample: true, output: '-' }, 'A job of the farm reads and writes files'],
    [{ id: 'a', module: 'hostle' }, 'There is no module "hostle" in the option modules. Did you mean "hostile"?'],
    [{ id: 'a', module: 'hostile', size: 3 }, 'A job with a module has no "size"; put it into data.'],
    [{ id: 'a', module: 'hostile', output: 3 }, 'The output of a job must be a path, not 3.'],
    [
      { id: 'a', module: 'hostile', data: () => 1 },
      'The data of the job cannot be copied: () => 1 could not be cloned.',
    ],
  ])(
    'refuses the job %j',
    async (job, message) => {
      const results = await runAll([job as unknown as FarmJob], { concurrency: 1 });
      expect(results.get('a')).toMatchObject({ code: 'invalid-job', retryable: false, quarantined: false });
      expect((results.get('a') as { message: string }).message).toContain(message);
    },
    60_000
  );

  it('refuses a job that is no object', async () => {
    const results = await runAll(['a.glb' as unknown as FarmJob], { concurrency: 1 });
    expect(shortened(results.get('0'))).toEqual(['invalid-job', 1, false]);
  });

  it('names modules that cannot be loaded, or export no function', async () => {
    const modules = {
      gone: folder.file('gone.mjs'),
      empty: folder.write('empty.mjs', 'export const render = 3;'),
      broken: new URL(`file://${folder.write('broken.mjs', 'throw new Error("at once");')}`),
    };
    const results = await runAll(
      Object.keys(modules).map((module) => ({ id: module, module })),
      { modules }
    );
    const messageOf = (id: string): string => (results.get(id) as { message: string }).message;
    for (const id of Object.keys(modules)) expect(shortened(results.get(id))).toEqual(['invalid-module', 1, false]);
    expect(messageOf('gone')).toContain('The module "gone" cannot be loaded: Cannot find module');
    expect(messageOf('empty')).toBe('The module "empty" exports no function "render".');
    expect(messageOf('broken')).toBe('The module "broken" cannot be loaded: at once.');
  }, 60_000);
});
