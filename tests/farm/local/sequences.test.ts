// Any sequence of good and hostile jobs has the outcome that a plain model says.
import { afterAll, expect, it } from 'vitest';
import fc from 'fast-check';
import type { FarmJob } from '../../../src/farm';
import { rounds } from '../../support/rounds';
import { act, childrenOf, Folder, hashOf, picture, runAll, shortened } from './kit';

const folder = new Folder();
afterAll(() => folder.remove());

/** What becomes of a job, by its kind and the number of further tries. */
const MODEL: Readonly<Record<string, (retries: number) => unknown>> = {
  fine: () => hashOf('fine 7'),
  nothing: () => hashOf(''),
  flaky: (retries) => (retries >= 2 ? hashOf('at last') : ['module', retries + 1, true]),
  throw: (retries) => ['module', retries + 1, true],
  refuse: () => ['module', 1, false],
  text: () => ['invalid-module', 1, false],
  exit: (retries) => ['crash', retries + 1, true],
  kill: (retries) => ['crash', retries + 1, true],
  unknown: () => ['invalid-job', 1, false],
  broken: () => ['input', 1, false],
};

function jobOf(kind: string, number: number): FarmJob {
  const id = `${kind} ${number}`;
  if (kind === 'unknown') return { id, module: 'gone' };
  if (kind === 'broken')
    return { ...picture(folder.file(`${number}.png`), id), sample: null, input: folder.file('bad') };
  return act(kind, { number: 7 }, id);
}

it('has the outcome of a plain model for any sequence of jobs', async () => {
  folder.write('bad', 'nonsense');
  const sequence = fc.array(fc.constantFrom(...Object.keys(MODEL)), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(
    sequence,
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 1, max: 3 }),
    async (kinds, retries, concurrency) => {
      const results = await runAll(kinds.map(jobOf), { retries, concurrency });
      const expected = kinds.map((kind, i) => [`${kind} ${i}`, MODEL[kind]!(retries)]);
      expect(kinds.map((kind, i) => [`${kind} ${i}`, shortened(results.get(`${kind} ${i}`))])).toEqual(expected);
      expect(results.size).toBe(kinds.length);
      expect(childrenOf(process.pid)).toEqual([]);
    }
  );
  await fc.assert(property, { numRuns: rounds(3) });
}, 120_000);
