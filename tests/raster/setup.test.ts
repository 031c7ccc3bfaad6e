// Triangle setup: snapping, culling, edges, boxes, planes, bias and binning compared with exact or double-precision
// arithmetic.
import { describe, expect, it } from 'vitest';
import { CULL_BACK, CULL_FRONT, DRAW_FLAG_UNCLIPPED_DEPTH } from '../../assembly/layout/pass/draw-codes';
import { FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH32FLOAT } from '../../assembly/layout/texture/formats';
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
import { TRI_FLAG_FRONT } from '../../assembly/layout/pass/triangle-codes';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';
import { at, coveredPixels, covers, run, SCENE, type Scene, type Triangle } from '../vertex/harness';

const kernel = new TestKernel({ pages: 512 });
const random = generator(7);
const pixel = (x: number, y: number, z = 0.5, ...varyings: number[]): number[] => [
  (x / SCENE.width) * 2 - 1,
  1 - (y / SCENE.height) * 2,
  z,
  1,
  ...varyings,
];
const one = (vertices: number[][], part: Partial<Scene> = {}): Triangle[] =>
  run(kernel, { vertices, ...part }).triangles;
const SAMPLES4 = [
  [SAMPLE4_X0, SAMPLE4_Y0],
  [SAMPLE4_X1, SAMPLE4_Y1],
  [SAMPLE4_X2, SAMPLE4_Y2],
  [SAMPLE4_X3, SAMPLE4_Y3],
] as const;

describe('culling', () => {
  const clockwise = [pixel(10, 10), pixel(50, 10), pixel(10, 50)];
  const counter = [pixel(10, 10), pixel(10, 50), pixel(50, 10)];
  it('culls faces by winding on the screen', () => {
    for (const [vertices, isClockwise] of [
      [clockwise, true],
      [counter, false],
    ] as const)
      for (const frontCW of [false, true]) {
        const front = isClockwise === frontCW;
        expect(one(vertices, { frontCW })[0]!.flags & TRI_FLAG_FRONT).toBe(front ? 1 : 0);
        expect(one(vertices, { frontCW, cull: CULL_BACK })).toHaveLength(front ? 1 : 0);
        expect(one(vertices, { frontCW, cull: CULL_FRONT })).toHaveLength(front ? 0 : 1);
      }
    expect(run(kernel, { vertices: clockwise, cull: CULL_BACK }).statistics).toMatchObject({
      face: 1,
      in: 1,
      binned: 0,
    });
  });
  it('drops degenerate triangles, and those between the samples', () => {
    expect(one([pixel(10, 10), pixel(50, 50), pixel(90, 90)])).toHaveLength(0);
    const between = [pixel(10.6, 10.6), pixel(11.4, 10.6), pixel(10.6, 11.4)];
    expect(run(kernel, { vertices: between }).statistics).toMatchObject({ between: 1, binned: 0 });
    expect(one(between, { samples: 4 })).toHaveLength(1);
    const corner = [pixel(10.95, 10.95), pixel(11.05, 10.95), pixel(10.95, 11.05)];
    expect(one(corner, { samples: 4 })).toHaveLength(0);
  });
  it('drops triangles outside the scissor or the viewport', () => {
    expect(one(clockwise, { scissor: [60, 0, 256, 192] })).toHaveLength(0);
    expect(one(clockwise, { scissor: [20, 20, 30, 30] })[0]!.box).toEqual([20, 20, 30, 30]);
    const big = [
      [-9, -9, 0.5, 1],
      [9, -9, 0.5, 1],
      [0, 20, 0.5, 1],
    ];
    expect(one(big, { viewport: [32, 16, 64, 32, 0, 1] })[0]!.box).toEqual([32, 16, 96, 48]);
    expect(one(clockwise, { viewport: [0, 0, 0, 0, 0, 1] })).toHaveLength(0);
  });
});

describe('coverage', () => {
  // Positions at multiples of 1/16, exactly representable in every step.
  const grid = (size: number): number => Math.floor(random() * size * 16) / 16;
  const inside = (p: number[][], x: number, y: number): boolean => {
    // The rule in words: strictly inside, or on a top or left edge.
    const area = (p[1]![0]! - p[0]![0]!) * (p[2]![1]! - p[0]![1]!) - (p[2]![0]! - p[0]![0]!) * (p[1]![1]! - p[0]![1]!);
    const q = area > 0 ? p : [p[0]!, p[2]!, p[1]!];
    return [0, 1, 2].every((i) => {
      const [[ax, ay], [bx, by]] = [q[i] as [number, number], q[(i + 1) % 3] as [number, number]];
      const e = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
      return e > 0 || (e === 0 && (by < ay || (by === ay && bx > ax)));
    });
  };
  for (const samples of [1, 4] as const)
    it(`is exact, and boxes and lists miss nothing, with ${samples} sample(s)`, () => {
      const positions = samples === 1 ? [[8, 8]] : SAMPLES4;
      for (let n = 0; n < 120; n++) {
        const size = [3, 20, 250][n % 3]!;
        const p = [0, 1, 2].map(() => [grid(size), grid(size * 0.75)]);
        const [t] = one(
          p.map(([x, y]) => pixel(x!, y!)),
          { samples }
        );
        for (let y = 0; y < 192; y += size > 20 ? 5 : 1)
          for (let x = 0; x < Math.min(256, size + 2); x += size > 20 ? 3 : 1)
            for (const [sx, sy] of positions) {
              if (y > size) break;
              const want = inside(p, x + sx! / 16, y + sy! / 16);
              const inBox = t !== undefined && x >= t.box[0] && x < t.box[2] && y >= t.box[1] && y < t.box[3];
              const got =
                inBox
                && covers(t, x * 256 + sx! * 16, y * 256 + sy! * 16)
                && t.tiles.includes(Math.floor(y / 64) * 4 + Math.floor(x / 64));
              if (got !== want) throw new Error(`${JSON.stringify(p)} at ${x}, ${y}, sample ${sx}, ${sy}: ${got}`);
            }
      }
    });
  it('a fan of shared edges covers everything once', () => {
    const center = [128.0625, 96.5];
    const rim = Array.from({ length: 40 }, (_, i) => [
      128 + 90 * Math.cos((i * Math.PI) / 20),
      96 + 90 * Math.sin((i * Math.PI) / 20),
    ]);
    const vertices = [center, ...rim].map(([x, y]) => pixel(x!, y!));
    const indices = rim.flatMap((_, i) => [0, i + 1, ((i + 1) % 40) + 1]);
    const pixels = one(vertices, { indices }).flatMap((t) => coveredPixels(t, 256));
    expect(new Set(pixels).size).toBe(pixels.length);
    expect(Math.abs(pixels.length - Math.PI * 8100)).toBeLessThan(200);
  });
  it('lists a tile in which only the sample at a corner is covered', () => {
    // A left edge through the centre of the last pixel of the first tile, and the same one just right of it.
    const through = (by: number): number[][] => [
      pixel(20.5 + by, 106.5),
      pixel(106.5 + by, 20.5),
      pixel(150.5 + by, 150.5),
    ];
    const [t] = one(through(0));
    expect([covers(t!, 63.5 * 256, 63.5 * 256), t!.tiles]).toEqual([true, [0, 1, 4, 5, 6, 9, 10]]);
    expect(one(through(1 / 16))[0]!.tiles).toEqual([1, 4, 5, 6, 9, 10]);
  });
  it('excludes tiles that a long triangle passes by', () => {
    const [t] = one([pixel(1, 1), pixel(255, 190), pixel(250, 190)]);
    expect(t!.tiles).not.toContain(3);
    expect(t!.tiles).not.toContain(8);
    expect(t!.tiles.length).toBeLessThan(9);
  });
});

describe('depth bounds', () => {
  it('hold for every covered sample, with the depth that the tile computes', () => {
    const f = Math.fround;
    let samples = 0;
    for (let n = 0; n < 400; n++) {
      // Slivers, steep slopes, depths out of range (unclipped), and bias.
      const size = [12, 60, 250][n % 3]!;
      const [x, y] = [random() * 200, random() * 150];
      const thin = n % 5 === 0 ? 0.02 : 1;
      const vertices = [0, 1, 2].map((i) =>
        pixel(
          x + random() * size,
          y + (i === 2 ? thin : 1) * random() * size,
          n % 4 === 0 ? random() * 3 - 1 : random() * (n % 7 ? 1 : 1e-3)
        )
      );
      const [t] = one(vertices, {
        flags: DRAW_FLAG_UNCLIPPED_DEPTH,
        depthFormat: FORMAT_DEPTH32FLOAT,
        bias: n % 2 ? [0, 0, 0] : [n - 200, random() * 4 - 2, 0],
      });
      if (!t || t.cover !== null) continue;
      const [near, far] = t.bounds as [number, number];
      for (let py = t.box[1]; py < t.box[3]; py++)
        for (let px = t.box[0]; px < t.box[2]; px++) {
          if (!covers(t, px * 256 + 128, py * 256 + 128)) continue;
          const column = f(f(f(t.z[1]! * f(px + 0.5 - t.x0))) + t.z[0]!);
          const z = Math.min(1, Math.max(0, f(column + f(t.z[2]! * f(py + 0.5 - t.y0)))));
          if (!(z >= near && z <= far))
            throw new Error(`triangle ${n} at ${px}, ${py}: ${z} is not within ${near} … ${far}`);
          samples++;
        }
    }
    expect(samples).toBeGreaterThan(50_000);
  });
});

describe('interpolation planes', () => {
  it('equal those of double precision', () => {
    let compared = 0;
    for (let n = 0; n < 300; n++) {
      const small = n % 2 ? 1 : 0.05;
      const [cx, cy] = [random() - 0.5, random() - 0.5];
      // Perspective: w from 1 to 4; six perspective varyings, two linear, three flat.
      const vertices = [0, 1, 2].map(() => {
        const w = 1 + random() * 3;
        return [
          (cx + (random() - 0.5) * small) * w,
          (cy + (random() - 0.5) * small) * w,
          random() * w,
          w,
          ...Array.from({ length: 11 }, () => random() * 4 - 2),
        ].map(Math.fround);
      });
      const [t] = one(vertices, { varyings: { perspective: 6, linear: 2, flat: 3 } });
      if (!t || t.cover !== null) continue;
      // Screen positions after snapping, from the edges' differences.
      const [first, , last] = t.edges;
      const next = [t.x0 + first!.b / 256, t.y0 - first!.a / 256];
      const before = [t.x0 - last!.b / 256, t.y0 + last!.a / 256];
      const ideal = vertices.map(([x, y, , w]) => [(x! / w! + 1) * 128, (1 - y! / w!) * 96]);
      const clockwise =
        (ideal[1]![0]! - ideal[0]![0]!) * (ideal[2]![1]! - ideal[0]![1]!)
        > (ideal[2]![0]! - ideal[0]![0]!) * (ideal[1]![1]! - ideal[0]![1]!);
      const screen = [[t.x0, t.y0], ...(clockwise ? [next, before] : [before, next])];
      const area =
        (screen[1]![0]! - screen[0]![0]!) * (screen[2]![1]! - screen[0]![1]!)
        - (screen[2]![0]! - screen[0]![0]!) * (screen[1]![1]! - screen[0]![1]!);
      if (Math.abs(area) < 2) continue;
      screen.forEach(([x, y], i) => {
        for (const d of [x! - ideal[i]![0]!, y! - ideal[i]![1]!]) expect(Math.abs(d)).toBeLessThan(0.5 / 256 + 1e-4);
      });
      const check = (values: number[], p: { c: number; ddx: number; ddy: number }): void => {
        const range = Math.max(...values.map(Math.abs));
        // A triangle's planes must give its vertices' values.
        screen.forEach(([x, y], i) => {
          const error = Math.abs(at(t, p, x!, y!) - values[i]!) / range;
          if (!(error < 1e-4)) throw new Error(`corner ${i}: off by ${error}`);
        });
      };
      check(
        vertices.map((v) => v[2]! / v[3]!),
        { c: t.z[0]!, ddx: t.z[1]!, ddy: t.z[2]! }
      );
      check(
        vertices.map((v) => 1 / v[3]!),
        { c: t.w[0]!, ddx: t.w[1]!, ddy: t.w[2]! }
      );
      for (let i = 0; i < 8; i++)
        check(
          vertices.map((v) => v[4 + i]! * (i < 6 ? 1 / v[3]! : 1)),
          t.planes[i]!
        );
      compared++;
      for (let i = 8; i < 11; i++) expect(t.planes[i]).toMatchObject({ c: vertices[0]![4 + i], ddx: 0, ddy: 0 });
    }
    expect(compared).toBeGreaterThan(150);
  });
  it('keep the bits of flat integers', () => {
    // As bits of an integer, 1 is a denormal number, and many others are NaN.
    for (const [value, bits] of [
      [2 ** -149, 1],
      [NaN, 0x7fc00000],
      [-0, 0x80000000],
    ] as const) {
      const [t] = one([pixel(10, 10, 0.5, value), pixel(50, 10, 0.5, 2), pixel(10, 50, 0.5, 3)], {
        varyings: { perspective: 0, linear: 0, flat: 1 },
      });
      expect(t!.planes[0]).toMatchObject({ bits, ddx: 0, ddy: 0 });
    }
  });
  it('map depth to the viewport', () => {
    const [t] = one([pixel(10, 10, 0), pixel(50, 10, 1), pixel(10, 50, 0)], { viewport: [0, 0, 256, 192, 0.25, 0.75] });
    expect(t!.z[0]).toBeCloseTo(0.25, 6);
    expect(t!.z[1]).toBeCloseTo(0.5 / 40, 6);
  });
});

describe('depth bias', () => {
  const slanted = [pixel(10, 10, 0.25), pixel(50, 10, 0.5), pixel(10, 50, 0.375)];
  const base = one(slanted)[0]!.z[0]!;
  const biased = (bias: [number, number, number], depthFormat: number): number =>
    one(slanted, { bias, depthFormat })[0]!.z[0]! - base;
  it('is in units of the format', () => {
    // Largest depth 0.5 = 2^-1: one step is 2^-24.
    expect(biased([1024, 0, 0], FORMAT_DEPTH32FLOAT)).toBeCloseTo(1024 * 2 ** -24, 9);
    expect(biased([-8, 0, 0], FORMAT_DEPTH16UNORM)).toBeCloseTo(-8 / 65535, 7);
    expect(biased([1024, 0, 0], FORMAT_DEPTH24PLUS)).toBeCloseTo(1024 / 16777215, 7);
  });
  it('adds the slope, and is clamped', () => {
    expect(biased([0, 2, 0], FORMAT_DEPTH32FLOAT)).toBeCloseTo((2 * 0.25) / 40, 6);
    expect(biased([0, 2, 0.001], FORMAT_DEPTH32FLOAT)).toBeCloseTo(0.001, 6);
    expect(biased([0, -2, -0.001], FORMAT_DEPTH32FLOAT)).toBeCloseTo(-0.001, 6);
  });
});
