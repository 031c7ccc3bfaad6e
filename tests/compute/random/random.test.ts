// Random compute shaders on all engines, compared with plain TypeScript. `npm run fuzz -- compute` runs more of them.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { deviceOf, engines, open } from '../kit';
import { cases, orderedCases } from './case';
import { rounds } from '../../support/rounds';
import { difference, execute, runOn, wordsOn } from './execute';

test('random shaders give the results of plain TypeScript', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const wanted = execute(one);
      for (const name of Object.keys(engines)) {
        const different = difference(wanted, await runOn(await deviceOf(name), one));
        if (different !== null) expect.fail(`${name}: ${different}\n${one.program.wgsl}`);
      }
    }),
    { numRuns: rounds(20), seed: 21 }
  );
});

const ordered: [string, GPUDevice][] = [];
afterAll(() => {
  for (const [, device] of ordered) device.destroy();
});

test('random shaders that use atomic results agree on all deterministic devices', async () => {
  for (const engine of ['jit', 'interpreter'] as const) {
    for (let threads = 0; threads <= 4; threads++)
      ordered.push([`${engine}, ${threads} threads`, await open({ engine, threads, deterministic: true })]);
  }
  await fc.assert(
    fc.asyncProperty(orderedCases, async (one) => {
      const wanted = await wordsOn(ordered[0]![1], one);
      for (const [name, device] of ordered.slice(1)) {
        const different = difference(wanted, await wordsOn(device, one));
        if (different !== null) expect.fail(`${name}: ${different}\n${one.program.wgsl}`);
      }
    }),
    { numRuns: rounds(20), interruptAfterTimeLimit: 45_000 }
  );
});
