// Clipping of triangles whose vertices have very different w: the drawn pixels compared with homogeneous rasterization
// in f64, and both twins bit by bit.
import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_UNCLIPPED_DEPTH } from '../../assembly/layout/pass/draw-codes';
import { GUARD_BAND } from '../../assembly/layout/limits';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';
import { at, covers, digest, run, type Result } from './harness';

const SIZE = 64;
const kernel = new TestKernel({ pages: 512 });
const random = generator(45);
const VIEW = { width: SIZE, height: SIZE, viewport: [0, 0, SIZE, SIZE, 0, 1], scissor: [0, 0, SIZE, SIZE] };

/** x, y, z, w and a varying of three vertices, whose w differ by up to 10^`decades`; some are behind the eye. */
function triangle(decades: number): number[][] {
  const power = (): number => 10 ** ((random() - 0.5) * decades);
  return Array.from({ length: 3 }, () => {
    const kind = random();
    const w = kind < 0.05 ? 0 : kind < 0.3 ? -power() : power();
    const scale = w !== 0 && random() < 0.5 ? w * (1 + 3 * random()) : power();
    const z = w * random() * (random() < 0.2 ? 1.5 : 1);
    return [(random() * 2 - 1) * scale, (random() * 2 - 1) * scale, z, w, random()].map(Math.fround);
  });
}

type Point = readonly [number, number, number];
const determinant = (a: Point, b: Point, c: Point): number =>
  a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);

/** The weight of each vertex, not divided by w, at a position on the screen, in pixels. */
function weights(vertices: readonly number[][], x: number, y: number): number[] {
  const [a, b, c] = vertices.map((v): Point => [v[0]!, v[1]!, v[3]!]) as [Point, Point, Point];
  const here: Point = [(x / SIZE) * 2 - 1, 1 - (y / SIZE) * 2, 1];
  const all = determinant(a, b, c);
  return [determinant(here, b, c) / all, determinant(a, here, c) / all, determinant(a, b, here) / all];
}

function isInside(vertices: readonly number[][], x: number, y: number): boolean {
  const parts = weights(vertices, x, y);
  const z = parts.reduce((sum, part, i) => sum + part * vertices[i]![2]!, 0);
  return parts.every((part) => part >= 0) && z >= 0 && z <= 1;
}

/** Whether a pixel's center and its surroundings are inside; null near an edge. */
function isDrawn(vertices: readonly number[][], x: number, y: number): boolean | null {
  const around = [
    [0, 0],
    [0.15, 0.15],
    [-0.15, 0.15],
    [0.15, -0.15],
    [-0.15, -0.15],
  ].filter(([right, down]) => isInside(vertices, x + 0.5 + right!, y + 0.5 + down!));
  return around.length === 0 ? false : around.length === 5 ? true : null;
}

function both(vertices: number[][], samples: 1 | 4, flags = 0): Result {
  const scene = { ...VIEW, vertices, samples, flags, varyings: { perspective: 1, linear: 0, flat: 0 } };
  const simd = run(kernel, scene);
  expect(digest(run(kernel, scene, 'geometryRunScalar')) === digest(simd)).toBe(true);
  return simd;
}

/** Wrong pixels: those whose coverage differs from the reference, and those whose value is far off. */
function mistakes({ triangles }: Result, vertices: readonly number[][]): { coverage: number; values: number } {
  const found = { coverage: 0, values: 0 };
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const want = isDrawn(vertices, x, y);
      if (want === null) continue;
      const shown = triangles.find(
        (t) => x >= t.box[0] && x < t.box[2] && y >= t.box[1] && y < t.box[3] && covers(t, x * 256 + 128, y * 256 + 128)
      );
      if ((shown !== undefined) !== want) found.coverage++;
      if (!shown || !want) continue;
      const parts = weights(vertices, x + 0.5, y + 0.5);
      const sum = parts[0]! + parts[1]! + parts[2]!;
      const value = parts.reduce((all, part, i) => all + part * vertices[i]![4]!, 0) / sum;
      const [c, ddx, ddy] = shown.w as [number, number, number];
      const drawn = at(shown, shown.planes[0]!, x + 0.5, y + 0.5) / at(shown, { c, ddx, ddy }, x + 0.5, y + 0.5);
      if (!(Math.abs(drawn - value) <= 0.03)) found.values++;
    }
  return found;
}

describe.each([2, 5, 8, 12])('w of up to %d decades', (decades) => {
  it('draws the pixels and the values of the part in front of the eye', () => {
    let cut = 0;
    for (let n = 0; n < 60; n++) {
      const vertices = triangle(decades);
      const result = both(vertices, n % 2 === 0 ? 1 : 4);
      cut += result.statistics.clipped!;
      const { coverage, values } = mistakes(n % 2 === 0 ? result : both(vertices, 1), vertices);
      expect(coverage, JSON.stringify(vertices)).toBeLessThanOrEqual(2);
      expect(values, JSON.stringify(vertices)).toBeLessThanOrEqual(20);
    }
    expect(cut).toBeGreaterThan(20);
  });

  it('leaves every vertex within the guard band', () => {
    for (let n = 0; n < 300; n++)
      for (const { edges, cover } of both(triangle(decades), 4).triangles) {
        if (cover !== null) continue;
        // A vertex that is clipped to the band exactly may be rounded by 1/256 pixel.
        const longest = Math.max(...edges.flatMap(({ a, b }) => [Math.abs(a), Math.abs(b)]));
        expect(longest).toBeLessThanOrEqual(2 * GUARD_BAND * 256 + 2);
      }
  });
});

it('does not depend on the scale of homogeneous coordinates', () => {
  for (let n = 0; n < 100; n++) {
    const vertices = triangle(3);
    const scaled = vertices.map(([x, y, z, w, value]) => [
      x! * 2 ** -40,
      y! * 2 ** -40,
      z! * 2 ** -40,
      w! * 2 ** -40,
      value!,
    ]);
    // Clipping at the eye's plane is the only step that depends on the scale.
    if (vertices.some(([, , , w]) => w! <= 0)) continue;
    const shapes = (list: number[][]): unknown =>
      both(list, 1).triangles.map(({ box, edges, cover }) => ({ box, edges, cover }));
    expect(shapes(scaled)).toEqual(shapes(vertices));
  }
});

it('draws nothing of a triangle through the eye, whichever of its vertices is there', () => {
  const corners = [
    [0, 0, 0, 0, 1],
    [-0.467, -0.653, 0.625, 1, 1],
    [0.322, 0.403, -0.3125, -0.5, 1],
  ];
  for (const flags of [0, DRAW_FLAG_UNCLIPPED_DEPTH])
    for (let first = 0; first < 3; first++) {
      const vertices = [0, 1, 2].map((i) => corners[(first + i) % 3]!.map(Math.fround));
      expect(both(vertices, 4, flags).triangles).toEqual([]);
    }
});
