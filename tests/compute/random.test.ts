// Random compute programs on all engines, against plain TypeScript. `npm run fuzz -- compute` runs more of them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceOf, engines } from './kit';
import { cases } from './random/case';
import { difference, execute, runOn } from './random/execute';

test('random programs leave what plain TypeScript leaves', async () => {
  await fc.assert(fc.asyncProperty(cases, async (one) => {
    const wanted = execute(one);
    for (const name of Object.keys(engines)) {
      const different = difference(wanted, await runOn(await deviceOf(name), one));
      if (different !== null) expect.fail(`${name}: ${different}\n${one.program.wgsl}`);
    }
  }), { numRuns: 40, seed: 21 });
});
