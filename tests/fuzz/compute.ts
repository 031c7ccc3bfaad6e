// Compute shaders by seed, on all engines.
import fc from 'fast-check';
import { engines, open } from '../compute/engines';
import { cases } from '../compute/random/case';
import { difference, execute, runOn, type Case } from '../compute/random/execute';
import type { Target } from './target';

export const compute: Target = {
  what: 'compute programs on all engines, against plain TypeScript',
  maxAttemptMs: 60_000,
  reopenAfter: 1000,
  async open() {
    const devices: [string, GPUDevice][] = [];
    for (const [name, options] of Object.entries(engines)) devices.push([name, await open(options)]);
    return async (seed) => {
      const [one] = fc.sample(cases, { seed, numRuns: 1 });
      const found = await findMistake(one!, devices);
      return found && `${found}\n${one!.program.wgsl}`;
    };
  },
};

async function findMistake(one: Case, devices: readonly (readonly [string, GPUDevice])[]): Promise<string | null> {
  const wanted = execute(one);
  for (const [name, device] of devices) {
    try {
      const found = difference(wanted, await runOn(device, one));
      if (found !== null) return `${name}: ${found}`;
    } catch (error) {
      return `${name}: ${(error as Error).message}`;
    }
  }
  return null;
}
