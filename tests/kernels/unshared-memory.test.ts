// The kernel for memory that is not shared, which is made of the file for shared memory.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileBuild, type KernelBuild } from '../../src/kernels';

const bytes = (): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL('../../build/kernel.wasm', import.meta.url)));

async function instantiate(build: KernelBuild, shared: boolean): Promise<WebAssembly.Instance> {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: 65536, shared });
  const host = { timeExpired: () => 0, now: () => 0 };
  return WebAssembly.instantiate(await compileBuild(build, bytes()), { env: { memory, abort: () => 0 }, host });
}

test('each build imports one kind of memory', async () => {
  for (const [build, shared] of [
    ['kernel', true],
    ['kernel.unshared', false],
  ] as const) {
    await expect(instantiate(build, !shared)).rejects.toThrow(/shared/);
    expect(Object.keys((await instantiate(build, shared)).exports).length).toBeGreaterThan(10);
  }
});

test('the flag is all that is changed', async () => {
  const changed = bytes();
  await compileBuild('kernel.unshared', changed);
  const before = bytes();
  const differences = [...before.keys()].filter((at) => before[at] !== changed[at]);
  expect(differences.map((at) => [before[at], changed[at]])).toEqual([[3, 1]]);
});

test('a file without a memory is a bug', () => {
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, 1, 0]);
  expect(() => compileBuild('kernel.unshared', empty)).toThrow(/internal error.*imports no memory/);
});
