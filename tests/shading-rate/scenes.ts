// Scenes for reference.ts: random ones, and building blocks for handwritten ones.
import * as fc from 'fast-check';
import { COMBINERS, PLACES, RATES, ROUNDINGS } from './rates';
import type { DepthTable, Draw, Scene, Triangle } from './reference';

type Size = Pick<Scene, 'width' | 'height' | 'samples'>;
type Corners = readonly number[];

const several = <T>(each: fc.Arbitrary<T>, count: number): fc.Arbitrary<T[]> =>
  fc.array(each, { minLength: count, maxLength: count });
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const either = (max: number): fc.Arbitrary<number> => fc.integer({ min: -max, max });

/** Covers the whole picture. */
export const everywhere = (width: number, height: number): Corners => [-4, -4, 2 * width + 8, -4, -4, 2 * height + 8];

/** Vertices in pixels, multiples of 1/256. */
function cornersIn({ width, height }: Size): fc.Arbitrary<Corners> {
  const most = Math.max(width, height) + 8;
  const coordinate = (unit: number): fc.Arbitrary<number> =>
    fc.integer({ min: -8 * unit, max: most * unit }).map((value) => value / unit);
  const sized = (size: number): fc.Arbitrary<Corners> =>
    fc
      .tuple(coordinate(4), coordinate(4), several(upTo(size * 256), 6))
      .map(([x, y, offsets]) => offsets.map((offset, k) => offset / 256 + (k % 2 ? y : x)));
  // From one place to another, and almost back to the first.
  const slivers = fc
    .tuple(several(coordinate(16), 4), either(160), either(160))
    .map(([[ax, ay, bx, by], right, down]) => [ax!, ay!, bx!, by!, ax! + right / 256, ay! + down / 256]);
  return fc.oneof(
    { weight: 3, arbitrary: several(coordinate(16), 6) },
    several(coordinate(256), 6),
    sized(4),
    sized(12),
    slivers,
    fc.constant(everywhere(width, height))
  );
}

/** For a plane with exact coefficients: its depth at the first vertex, and its slopes in 1/1024 or less. */
function depthsOf(corners: Corners, first: number, right: number, down: number): number[] {
  for (let unit = 1024; unit <= 32768; unit *= 2) {
    const depths = [0, 1, 2].map(
      (k) => first + ((corners[2 * k]! - corners[0]!) * right + (corners[2 * k + 1]! - corners[1]!) * down) / unit
    );
    if (depths.every((depth) => depth >= 0 && depth <= 1)) return depths;
  }
  return [first, first, first];
}
/** Such planes, level ones, and ones that need rounding. */
const planes: fc.Arbitrary<(corners: Corners) => number[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(upTo(64), either(8), either(8)).map(
      ([first, right, down]) =>
        (corners: Corners) =>
          depthsOf(corners, first / 64, right, down)
    ),
  },
  upTo(64).map((depth) => () => [depth / 64, depth / 64, depth / 64]),
  several(upTo(1000), 3).map((depths) => () => depths.map((depth) => Math.fround(depth / 1000)))
);

/** Whether it is so thin that rounding of its planes would be visible in the shader's results. */
function isThin([ax, ay, bx, by, cx, cy]: Corners): boolean {
  const area = Math.abs((bx! - ax!) * (cy! - ay!) - (by! - ay!) * (cx! - ax!));
  const sides = [bx! - ax!, by! - ay!, cx! - bx!, cy! - by!, ax! - cx!, ay! - cy!];
  return area < 4 * Math.max(...sides.map(Math.abs));
}

const rate = fc.constantFrom(...RATES);
const combiner = fc.constantFrom(...COMBINERS);
/** Valid rate codes, and any others. */
const code = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1, 4, 5, 6, 9, 10) }, upTo(255));

const triangleIn = (size: Size): fc.Arbitrary<Triangle> =>
  fc
    .record({
      corners: cornersIn(size),
      plane: planes,
      id: upTo(60),
      rates: several(code, 3),
      threshold: fc.constantFrom(0, 1, 2, 5),
    })
    .map(({ plane, ...rest }) => ({ ...rest, depths: plane(rest.corners), slope: isThin(rest.corners) ? 0 : 1 }));

function drawIn(size: Size): fc.Arbitrary<Draw> {
  const { width, height, samples } = size;
  const all = (1 << samples) - 1;
  const cut = fc
    .tuple(upTo(width - 1), upTo(height - 1), upTo(width - 1), upTo(height - 1))
    .map(([x, y, right, down]) => [x, y, Math.min(right + 1, width - x), Math.min(down + 1, height - y)] as const);
  return fc.record({
    triangles: fc.array(triangleIn(size), { minLength: 1, maxLength: 5 }),
    scissor: fc.oneof({ weight: 3, arbitrary: fc.constant([0, 0, width, height] as const) }, cut),
    compare: fc.constantFrom('less', 'less', 'always'),
    writesDepth: fc.boolean(),
    blend: fc.constantFrom('none', 'none', 'none', 'over', 'add'),
    discards: fc.constantFrom(false, false, false, true),
    derivatives: fc.boolean(),
    readsRate: fc.boolean(),
    mask: fc.oneof({ weight: 4, arbitrary: fc.constant(all) }, upTo(all)),
    rate,
    combiners: fc.record({ primitive: combiner, region: combiner, depth: combiner }, { requiredKeys: [] }),
    primitiveRates: fc.boolean(),
  });
}

/** Ranges whose ends and width are exact, so that 1/(far − near) is unique. */
const depthTable: fc.Arbitrary<DepthTable> = fc
  .record({
    near: fc.integer({ min: -16, max: 80 }),
    range: either(64).filter((range) => range !== 0),
    count: fc.constantFrom(4, 8, 16),
    rates: several(rate, 16),
    rounding: fc.constantFrom(...ROUNDINGS),
    at: fc.constantFrom(...PLACES),
  })
  .map(({ near, range, count, rates, ...rest }) => ({
    ...rest,
    near: near / 64,
    far: (near + range) / 64,
    count,
    rates: rates.slice(0, count),
  }));

const region = ({ width, height }: Size): fc.Arbitrary<Scene['region']> =>
  fc
    .constantFrom(8 as const, 16 as const)
    .chain((blockSize) =>
      several(code, Math.ceil(width / blockSize) * Math.ceil(height / blockSize)).map((codes) => ({ blockSize, codes }))
    );

/** Parts of a tile, a tile and a few columns of others, more tiles. */
const sizes: fc.Arbitrary<Size> = fc.record({
  width: fc.oneof(
    ...[
      [1, 40],
      [60, 75],
      [120, 133],
    ].map(([min, max]) => fc.integer({ min, max }))
  ),
  height: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 60, max: 75 })),
  samples: fc.constantFrom(1 as const, 4 as const, 8 as const),
});

const isOrdered = ({ blend, discards }: Draw): number => (blend !== 'none' || discards ? 1 : 0);

/** In most scenes, draw calls that are shaded in order come last, so that invocations of the others can be counted. */
export const scenes: fc.Arbitrary<Scene> = sizes.chain((size) =>
  fc
    .record({
      draws: fc.array(drawIn(size), { minLength: 1, maxLength: 4 }),
      isSorted: fc.constantFrom(true, true, false),
      range: fc.constantFrom([0, 1] as const, [0.25, 0.75] as const),
      depth: fc.option(depthTable, { nil: null, freq: 2 }),
      region: fc.option(region(size), { nil: null, freq: 1 }),
    })
    .map(({ draws, isSorted, ...rest }) => ({
      ...size,
      ...rest,
      draws: isSorted ? draws.toSorted((a, b) => isOrdered(a) - isOrdered(b)) : draws,
    }))
);

/** A level triangle, and an opaque draw call with it and others. */
export const triangleOf = (corners: Corners, depth = 0.5, rest: Partial<Triangle> = {}): Triangle => ({
  corners,
  depths: [depth, depth, depth],
  id: 1,
  slope: 1,
  rates: [0, 0, 0],
  threshold: 0,
  ...rest,
});
export const drawOf = (triangles: readonly Triangle[], rest: Partial<Draw> = {}): Draw => ({
  triangles,
  scissor: [0, 0, 1 << 16, 1 << 16],
  compare: 'less',
  writesDepth: true,
  blend: 'none',
  discards: false,
  derivatives: false,
  readsRate: true,
  mask: 255,
  rate: '1x1',
  combiners: {},
  primitiveRates: false,
  ...rest,
});
/** Scissors are clipped to the picture. */
export const sceneOf = (width: number, height: number, draws: readonly Draw[], rest: Partial<Scene> = {}): Scene => ({
  width,
  height,
  samples: 1,
  range: [0, 1],
  depth: null,
  region: null,
  ...rest,
  draws: draws.map(({ scissor: [x, y, right, down], ...draw }) => ({
    ...draw,
    scissor: [x, y, Math.min(right, width - x), Math.min(down, height - y)],
  })),
});
