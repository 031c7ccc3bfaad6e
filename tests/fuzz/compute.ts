// Compute programs by seed, on all engines.
import fc from 'fast-check';
import { engines, open } from '../compute/engines';
import { cases } from '../compute/random/case';
import { difference, execute, runOn, type Case } from '../compute/random/execute';

/** What is wrong with each program of `count` that were tried; null where nothing is. */
export async function* computePrograms(
  count: number, first: number
): AsyncGenerator<{ readonly done: number; readonly text: string | null }> {
  const devices: [string, GPUDevice][] = [];
  for (const [name, options] of Object.entries(engines)) devices.push([name, await open(options)]);
  for (let k = 0; k < count; k++) {
    const seed = (first + k) & 0x7fffffff, [one] = fc.sample(cases, { seed, numRuns: 1 });
    const found = await mistakeOf(one!, devices);
    yield { done: k + 1, text: found && `npm run fuzz -- compute 1 ${seed}: ${found}\n${one!.program.wgsl}` };
  }
  for (const [, device] of devices) device.destroy();
}

async function mistakeOf(one: Case, devices: readonly (readonly [string, GPUDevice])[]): Promise<string | null> {
  const wanted = execute(one);
  for (const [name, device] of devices) {
    try {
      const found = difference(wanted, await runOn(device, one));
      if (found !== null) return `${name}: ${found}`;
    } catch (error) { return `${name}: ${(error as Error).message}`; }
  }
  return null;
}
