// The compute features of unmodified three.js, in Node; three-compute.mjs runs them.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

interface Came {
  readonly atomics: readonly number[];
  readonly workgroups: readonly number[];
  readonly storageTexture: readonly (readonly number[])[];
  readonly skinning: { readonly bent: number; readonly farthest: number };
  readonly indirectDraw: readonly number[];
  readonly indirectDispatch: readonly number[];
}

describe('three.js compute', () => {
  let came: Came;
  beforeAll(() => {
    const program = fileURLToPath(new URL('./three-compute.mjs', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    came = JSON.parse(stdout) as Came;
  });

  test('with atomic operations, into a buffer that is read back', () => {
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < 1000; i++) sums[i % 4]! += i;
    expect(came.atomics).toEqual(sums);
  });
  test('in workgroup memory, on both sides of a barrier', () => {
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < 256; i++) sums[i >> 6]! += i;
    expect(came.workgroups).toEqual(sums);
  });
  test('into a texture that a material shows', () =>
    expect(came.storageTexture).toEqual(
      Array.from({ length: 64 }, (_, x) => [x & 1 ? 255 : 0, x & 2 ? 255 : 0, 0, 255])
    ));
  test('of skinned vertices, equal to three.js itself', () => {
    expect(came.skinning.bent).toBeGreaterThan(0.5);
    expect(came.skinning.farthest).toBeLessThan(1e-6);
  });
  test('of the number of instances of a draw call', () => expect(came.indirectDraw).toEqual([0, 8, 16, 24, 32]));
  test('of the number of workgroups of a dispatch', () => expect(came.indirectDispatch).toEqual([3 * 2 * 64]));
});
