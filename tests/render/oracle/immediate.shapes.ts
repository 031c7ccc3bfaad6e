// Random meshes of random frames (immediate.frames.ts): triangles of all sizes, slivers, fans, grids and rectangles.
import * as fc from 'fast-check';
import type { Mesh } from './immediate.frame';

/** Plain records, which print as written. */
export const OBJECTS = { noNullPrototype: true } as const;

export const often = <T>(weight: number, value: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
// Without fast-check's bias towards the ends of a range: most triangles would be outside of the frame.
const pixels = (low: number, high: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: low * 256, max: high * 256 }));
export const sixteenths = (low: number, high: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: low, max: high })).map((n) => n / 16);

type Point = readonly [number, number];
export interface Shape {
  readonly points: readonly Point[];
  readonly indices: readonly number[];
}

const position: fc.Arbitrary<Point> = fc.tuple(pixels(-10, 80), pixels(-10, 80));
const within = (size: number): fc.Arbitrary<Point> => fc.tuple(pixels(-size, size), pixels(-size, size));
const plus = ([x, y]: Point, [dx, dy]: Point): Point => [x + dx, y + dy];

/** Two corners within `size` pixels of the first. */
const triangle = (size: number): fc.Arbitrary<Shape> =>
  fc
    .tuple(position, within(size), within(size))
    .map(([a, b, c]) => ({ points: [a, plus(a, b), plus(a, c)], indices: [0, 1, 2] }));
const sliver: fc.Arbitrary<Shape> = fc
  .tuple(position, within(150), within(1))
  .map(([a, b, c]) => ({ points: [a, plus(a, b), plus(plus(a, b), c)], indices: [0, 1, 2] }));
/** An edge across the frame, from one side of the guard band to the other. */
const endless: fc.Arbitrary<Shape> = fc
  .tuple(position, within(16000), within(16000))
  .map(([[x, y], [dx, dy], c]) => ({ points: [[x - dx, y - dy], [x + dx, y + dy], c], indices: [0, 1, 2] }));
const degenerate: fc.Arbitrary<Shape> = fc
  .tuple(position, position)
  .map(([a, b]) => ({ points: [a, b], indices: [0, 1, 1] }));
/** The whole frame, or all but some pixels at the left and top. */
const cover: fc.Arbitrary<Shape> = fc.tuple(pixels(-40, 30), pixels(-40, 30), fc.boolean()).map(([x, y, turned]) => ({
  points: [
    [x, y],
    [x + 90000, y],
    [x, y + 90000],
  ],
  indices: turned ? [0, 2, 1] : [0, 1, 2],
}));
const rectangle: fc.Arbitrary<Shape> = fc
  .tuple(position, fc.tuple(pixels(0, 60), pixels(0, 60)))
  .map(([[x, y], [w, h]]) => ({
    points: [
      [x, y],
      [x + w, y],
      [x, y + h],
      [x + w, y + h],
    ],
    indices: [0, 1, 2, 2, 1, 3],
  }));
const fan: fc.Arbitrary<Shape> = fc
  .tuple(position, fc.array(within(40), { minLength: 3, maxLength: 7 }))
  .map(([hub, rim]) => ({
    points: [hub, ...rim.map((point) => plus(hub, point))],
    indices: rim.flatMap((_, i) => [0, i + 1, ((i + 1) % rim.length) + 1]),
  }));
/** A mesh of small triangles that share edges, regular or not. */
const grid: fc.Arbitrary<Shape> = fc
  .tuple(
    position,
    fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 400, max: 2000 })),
    fc.noBias(fc.array(within(1), { minLength: 4, maxLength: 64, size: 'max' })),
    fc.boolean()
  )
  .map(([corner, cell, jitter, even]) => {
    const side = Math.floor(Math.sqrt(jitter.length));
    const points = jitter
      .slice(0, side * side)
      .map((moved, i) => plus(plus(corner, even ? [0, 0] : moved), [(i % side) * cell, Math.floor(i / side) * cell]));
    const indices: number[] = [];
    for (let y = 0; y + 1 < side; y++)
      for (let x = 0; x + 1 < side; x++) {
        const a = y * side + x;
        indices.push(a, a + 1, a + side, a + side, a + 1, a + side + 1);
      }
    return { points, indices };
  });
/** Vertices at multiples of 1/256, 1/16 or half pixels. With half pixels, edges pass through samples. */
const snapped = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc
    .tuple(shape, fc.constantFrom(1, 1, 16, 128))
    .map(([{ points, indices }, unit]) => ({
      points: points.map(([x, y]): Point => [Math.round(x / unit) * unit, Math.round(y / unit) * unit]),
      indices,
    }));
export const anyShape: fc.Arbitrary<Shape> = snapped(
  fc.oneof(
    { weight: 3, arbitrary: cover },
    { weight: 2, arbitrary: rectangle },
    { weight: 3, arbitrary: grid },
    { weight: 2, arbitrary: triangle(3) },
    { weight: 2, arbitrary: triangle(15) },
    { weight: 3, arbitrary: triangle(80) },
    { weight: 1, arbitrary: triangle(60000) },
    { weight: 1, arbitrary: endless },
    { weight: 1, arbitrary: sliver },
    { weight: 1, arbitrary: fan },
    { weight: 1, arbitrary: degenerate }
  )
);
/** Shapes that cover whole blocks of pixels, or parts of many. */
export const largeShape: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 5, arbitrary: cover },
  { weight: 3, arbitrary: rectangle },
  { weight: 4, arbitrary: triangle(80) },
  { weight: 1, arbitrary: triangle(60000) },
  { weight: 1, arbitrary: endless },
  { weight: 1, arbitrary: fan },
  { weight: 1, arbitrary: grid }
);
/** Meshes of many small triangles. */
export const smallShape: fc.Arbitrary<Shape> = snapped(
  fc.oneof(
    { weight: 5, arbitrary: grid },
    { weight: 2, arbitrary: triangle(2) },
    { weight: 1, arbitrary: triangle(6) },
    { weight: 2, arbitrary: cover }
  )
);

/** Depths of vertices: one for all, or one each; sometimes out of range. Multiples of 1/8, so that many are equal. */
const eighths = (low: number, high: number): fc.Arbitrary<number> => sixteenths(low, high).map((n) => n * 2);
const depths: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 3, arbitrary: eighths(0, 8).map((z) => [z]) },
  { weight: 3, arbitrary: fc.array(eighths(0, 8), { minLength: 3, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(eighths(-4, 12), { minLength: 3, maxLength: 3 }) }
);
/** The same for w; sometimes negative (behind the eye). */
const ws: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([1]) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(0.5, 1, 2, 3), { minLength: 3, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: 3, maxLength: 3 }) }
);

const placed = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<Omit<Mesh, 'indexFormat'>> =>
  fc
    .tuple(shape, depths, ws)
    .map(([{ points, indices }, z, w]) => ({
      vertices: points.map(([x, y], i) => [x, y, z[i % z.length]!, w[i % w.length]!] as const),
      indices,
    }));
export const meshOf = (shape: fc.Arbitrary<Shape>, parts: number): fc.Arbitrary<Mesh> =>
  fc
    .tuple(
      fc.array(placed(shape), { minLength: 1, maxLength: parts }),
      fc.constantFrom<GPUIndexFormat | null>(null, 'uint16', 'uint32')
    )
    .map(([placedParts, indexFormat]) => {
      const vertices = placedParts.flatMap((part) => part.vertices);
      let first = 0;
      const indices = placedParts.flatMap((part) => {
        const base = first;
        first += part.vertices.length;
        return [...(base ? [-1] : []), ...part.indices.map((index) => index + base)];
      });
      return { vertices, indices, indexFormat };
    });
