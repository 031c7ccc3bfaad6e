// Triangles between the samples are culled early; every triangle that covers a sample stays. Compared with exact
// integer sums.
import { expect, it } from 'vitest';
import {
  SAMPLE4_X0,
  SAMPLE4_X1,
  SAMPLE4_X2,
  SAMPLE4_X3,
  SAMPLE4_Y0,
  SAMPLE4_Y1,
  SAMPLE4_Y2,
  SAMPLE4_Y3,
} from '../../assembly/layout/surface/tile-order';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';
import { covers, digest, run, SCENE } from './harness';

const kernel = new TestKernel({ pages: 512 });
type Point = readonly [x: number, y: number];

/** Sample positions of a pixel, 24.8. */
const positions: Record<number, Point[]> = {
  1: [[128, 128]],
  4: [
    [SAMPLE4_X0, SAMPLE4_Y0],
    [SAMPLE4_X1, SAMPLE4_Y1],
    [SAMPLE4_X2, SAMPLE4_Y2],
    [SAMPLE4_X3, SAMPLE4_Y3],
  ].map(([x, y]) => [x! * 16, y! * 16]),
};

/** The samples inside; a shared edge belongs to the triangle whose top or left edge it is. */
function coveredSamples([a, b, c]: Point[], samples: number): Point[] {
  const area = (b![0] - a![0]) * (c![1] - a![1]) - (c![0] - a![0]) * (b![1] - a![1]);
  if (area === 0) return [];
  const corners = area > 0 ? [a!, b!, c!] : [a!, c!, b!];
  const inside = (x: number, y: number): boolean =>
    corners.every((p, i) => {
      const q = corners[(i + 1) % 3]!;
      const [ex, ey] = [p[1] - q[1], q[0] - p[0]];
      const value = ex * (x - p[0]) + ey * (y - p[1]);
      return value > 0 || (value === 0 && (ex > 0 || (ex === 0 && ey > 0)));
    });
  const range = (axis: 0 | 1): number[] => {
    const values = corners.map((p) => p[axis] >> 8);
    return Array.from(
      { length: Math.max(...values) - Math.min(...values) + 1 },
      (_, i) => (Math.min(...values) + i) * 256
    );
  };
  return range(0)
    .flatMap((x) => range(1).flatMap((y) => positions[samples]!.map(([dx, dy]): Point => [x + dx, y + dy])))
    .filter(([x, y]) => inside(x, y));
}

it.each([1, 4] as const)('keeps triangles that cover one of %i samples per pixel, and no small others', (samples) => {
  const random = generator(samples);
  const triangles = Array.from({ length: 3000 }, (_, i) => {
    // At all sub-pixel positions, and at multiples so coarse that samples are on edges and vertices.
    const step = i & 1 ? 1 : 64;
    const size = 40 + random() * (i % 3 ? 400 : 900);
    const corner: Point = [2000 + random() * 8000, 2000 + random() * 8000];
    const points = Array.from(
      { length: 3 },
      () => corner.map((v) => Math.round((v + random() * size) / step) * step) as unknown as Point
    );
    return points;
  });
  const small = triangles.filter((points) =>
    [0, 1].every((axis) => {
      const values = points.map((p) => p[axis as 0 | 1]);
      return Math.max(...values) - Math.min(...values) <= 750;
    })
  );
  expect(small.length).toBeGreaterThan(1000);
  const vertices = small.flatMap((points, i) =>
    points.map(([x, y]) => [x / 128 / SCENE.width - 1, 1 - y / 128 / SCENE.height, 0.5, 1, i])
  );
  const scene = { vertices, samples, varyings: { perspective: 0, linear: 0, flat: 1 } };
  const [simd, scalar] = [run(kernel, scene), run(kernel, scene, 'geometryRunScalar')];
  expect(digest(simd) === digest(scalar)).toBe(true);
  const expected = small.flatMap((points, i) => (coveredSamples(points, samples).length ? [i] : []));
  expect(simd.triangles.map((t) => t.planes[0]!.c)).toEqual(expected);
  for (const t of simd.triangles) {
    const truth = coveredSamples(small[t.planes[0]!.c]!, samples);
    expect(t.cover).not.toBeNull();
    for (const [x, y] of truth) expect(covers(t, x, y)).toBe(true);
    expect(t.cover!.toString(2).replaceAll('0', '').length).toBe(truth.length);
  }
  expect(expected.length).toBeLessThan(small.length * 0.9);
});
