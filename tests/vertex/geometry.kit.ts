// Runs the SIMD and the scalar vertex stage on the same scene.
import { expect } from 'vitest';
import { TOPOLOGY_TRIANGLE_LIST } from '../../assembly/layout/pass/draw-codes';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';
import { digest, run, SCENE, type Result, type Scene } from './harness';

export const kernel = new TestKernel({ pages: 512 });

/** Runs both twins, requires equal records (for indexed lists also from index ranges), and returns the SIMD result. */
export function both(scene: Partial<Scene>): Result {
  const simd = run(kernel, scene);
  const { indices } = scene;
  if (
    indices
    && (scene.indexLimit ?? -1) < 0
    && !scene.count
    && (scene.topology ?? SCENE.topology) === TOPOLOGY_TRIANGLE_LIST
  ) {
    const least = Math.min(...indices);
    const range = [least, Math.max(...indices) - least + 1] as const;
    for (const how of ['geometryRun', 'geometryRunScalar'] as const)
      expect(digest(run(kernel, { ...scene, range }, how)) === digest(simd)).toBe(true);
  }
  const scalar = run(kernel, scene, 'geometryRunScalar');
  expect(scalar.statistics).toEqual(simd.statistics);
  expect(digest(scalar) === digest(simd)).toBe(true);
  return simd;
}
export const random = generator(1);
/** A vertex at a pixel position. */
export const pixel = (x: number, y: number, z = 0.5, ...varyings: number[]): number[] => [
  (x / SCENE.width) * 2 - 1,
  1 - (y / SCENE.height) * 2,
  z,
  1,
  ...varyings,
];
