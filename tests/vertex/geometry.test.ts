// The vertex side as a whole: assembly, sharing of vertices, clipping, interruption; on the testing build, SIMD
// compared with scalar bit by bit.
import { describe, expect, it } from 'vitest';
import {
  CULL_BACK,
  DRAW_FLAG_UNCLIPPED_DEPTH,
  TOPOLOGY_LINE_LIST,
  TOPOLOGY_LINE_STRIP,
  TOPOLOGY_POINT_LIST,
  TOPOLOGY_TRIANGLE_LIST,
  TOPOLOGY_TRIANGLE_STRIP,
} from '../../assembly/layout/pass/draw-codes';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';
import { at, coveredPixels, digest, run, SCENE, type Result, type Scene } from './harness';

const kernel = new TestKernel({ pages: 512 });

/** Runs both twins, requires equal records (for indexed lists also from index ranges), and returns the SIMD result. */
function both(scene: Partial<Scene>): Result {
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
const random = generator(1);
/** A vertex at a pixel position. */
const pixel = (x: number, y: number, z = 0.5, ...varyings: number[]): number[] => [
  (x / SCENE.width) * 2 - 1,
  1 - (y / SCENE.height) * 2,
  z,
  1,
  ...varyings,
];

describe('primitive assembly', () => {
  const grid = (n: number): number[][] =>
    Array.from({ length: n * n }, (_, i) => pixel(2 + (i % n) * 3, 2 + Math.floor(i / n) * 3));
  const quads = (n: number): number[] => {
    const out: number[] = [];
    for (let y = 0; y + 1 < n; y++)
      for (let x = 0; x + 1 < n; x++) {
        const i = y * n + x;
        out.push(i, i + 1, i + n, i + 1, i + n + 1, i + n);
      }
    return out;
  };
  it('shades each index once per batch', () => {
    const r = both({ vertices: grid(20), indices: quads(20) });
    expect(r.statistics).toMatchObject({ in: 722, binned: 722, shaded: 400, used: 400, warps: 7 });
  });
  it('shares batches between instances, each with its own vertices', () => {
    const r = both({
      vertices: grid(3),
      indices: quads(3),
      instances: 50,
      varyings: { perspective: 0, linear: 0, flat: 1 },
      instanceValues: Array.from({ length: 50 }, (_, i) => i + 0.5),
    });
    expect(r.statistics).toMatchObject({ in: 400, shaded: 450, warps: 8 });
    expect(r.triangles.map((t) => t.planes[0]!.c)).toEqual(
      Array.from({ length: 400 }, (_, i) => Math.floor(i / 8) + 0.5)
    );
  });
  it('processes many batches, and yields when told to', () => {
    const scene = { vertices: grid(60), indices: quads(60), arenaBytes: 4 << 20 };
    const whole = both(scene);
    expect(whole.statistics.in).toBe(59 * 59 * 2);
    const steps = run(kernel, scene, 'geometryRun', 1);
    expect(steps.yields).toBeGreaterThan(2);
    expect(digest(steps) === digest(whole)).toBe(true);
  });
  it('draws without indices', () => {
    const v = grid(60);
    const list = quads(60).slice(0, 6000);
    const r = both({ vertices: list.map((i) => v[i]!), arenaBytes: 4 << 20 });
    expect(r.statistics).toMatchObject({ in: 2000, shaded: 6000 });
    expect(digest(r) === digest(run(kernel, { vertices: v, indices: list, arenaBytes: 4 << 20 }))).toBe(true);
  });
  it('alternates strips, and restarts them', () => {
    const vertices = Array.from({ length: 12 }, (_, i) => pixel(4 + (i >> 1) * 6, i & 1 ? 4 : 12, 0.5, i));
    const shape = {
      vertices,
      topology: TOPOLOGY_TRIANGLE_STRIP,
      varyings: { perspective: 0, linear: 0, flat: 1 },
      cull: CULL_BACK,
      frontCW: true,
    };
    const drawn = both(shape);
    expect(drawn.triangles.map((t) => t.planes[0]!.c)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const [bytes, restart] of [
      [2, 0xffff],
      [4, 0xffffffff],
    ] as const) {
      const r = both({
        ...shape,
        indexBytes: bytes,
        indices: [0, 1, 2, 3, restart, restart, 4, 5, restart, 5, 4, 7, 6, 9],
      });
      // The last strip begins with 5 4 7, in the opposite direction: all of it faces away.
      expect(r.triangles.map((t) => t.planes[0]!.c)).toEqual([0, 1]);
      expect(r.statistics).toMatchObject({ in: 5, face: 3 });
    }
  });
  it('continues strips over the ends of batches', () => {
    const vertices = Array.from({ length: 5000 }, (_, i) =>
      pixel(4 + (i % 1000) * 0.2, (i & 1 ? 4 : 12) + Math.floor(i / 1000) * 10, 0.5, i)
    );
    const r = both({
      vertices,
      topology: TOPOLOGY_TRIANGLE_STRIP,
      varyings: { perspective: 0, linear: 0, flat: 1 },
      arenaBytes: 4 << 20,
      samples: 4,
    });
    expect(r.statistics.in).toBe(4998);
    expect(r.statistics.shaded).toBeLessThan(5000 + 3 * 6);
  });
  it('reads index 0 beyond the index buffer, and zeros beyond the vertex buffer', () => {
    const vertices = [pixel(10, 10), pixel(50, 10), pixel(10, 50)];
    const r = both({ vertices, indices: [1, 2, 0], indexLimit: 2 });
    expect(r.triangles).toHaveLength(1);
    // A vertex of zeros has w = 0: the triangle is clipped to nothing or to the part in front of the eye, and never
    // traps.
    const wild = both({ vertices, indices: [0, 1, 4000000000], indexBytes: 4 });
    expect(wild.statistics.in).toBe(1);
    expect(both({ vertices, indices: [0, 1, 2], baseVertex: -3 }).statistics.in).toBe(1);
  });
  it('draws nothing with counts that make no primitive', () => {
    expect(both({ vertices: [pixel(1, 1), pixel(9, 9)], instances: 0xffffffff | 0 }).statistics.in).toBe(0);
    expect(both({ vertices: [pixel(1, 1), pixel(9, 9), pixel(1, 9)], instances: 0 }).statistics.in).toBe(0);
  });
});

describe('points and lines', () => {
  it('a point covers the pixel that contains it', () => {
    for (const frontCW of [false, true]) {
      const points = [
        [10.5, 10.5],
        [20.25, 30.75],
        [40.5, 50.5],
      ] as const;
      const r = both({
        vertices: points.map(([x, y], i) => pixel(x, y, 0.25, i)),
        topology: TOPOLOGY_POINT_LIST,
        varyings: { perspective: 1, linear: 0, flat: 0 },
        cull: CULL_BACK,
        frontCW,
      });
      expect(r.triangles.flatMap((t) => coveredPixels(t, 256)).sort((a, b) => a - b)).toEqual(
        points.map(([x, y]) => Math.floor(y) * 256 + Math.floor(x))
      );
      expect(r.triangles.every((t) => t.flags & 1)).toBe(true);
    }
  });
  it('a line has one pixel in each column or row', () => {
    for (const [x1, y1] of [
      [60.5, 22.5],
      [12.5, 90.5],
      [60.5, 10.5],
      [2.5, 3.5],
    ] as const) {
      const r = both({ vertices: [pixel(20.5, 10.5), pixel(x1, y1)], topology: TOPOLOGY_LINE_LIST });
      const pixels = r.triangles.flatMap((t) => coveredPixels(t, 256));
      const along =
        Math.abs(x1 - 20.5) >= Math.abs(y1 - 10.5)
          ? pixels.map((p) => p % 256)
          : pixels.map((p) => Math.floor(p / 256));
      expect(new Set(along).size).toBe(pixels.length);
      expect(pixels.length).toBe(Math.max(Math.abs(x1 - 20.5), Math.abs(y1 - 10.5)));
    }
  });
  it('lines are clipped', () => {
    const r = both({
      vertices: [
        [0, 0, -1, 1, 0],
        [0.5, 0.5, 0.5, 1, 1],
        [9e7, 0, 0.5, 1, 0],
        [0, 0, 0.5, 1, 1],
      ],
      topology: TOPOLOGY_LINE_LIST,
      varyings: { perspective: 1, linear: 0, flat: 0 },
    });
    const pixels = r.triangles.flatMap((t) => coveredPixels(t, 256));
    // From (1/3, 1/3) to (½, ½) of half the screen, and the right half.
    expect(pixels.length).toBeGreaterThan(18 + 126);
    expect(pixels.length).toBeLessThan(24 + 130);
  });
  it('line strips', () => {
    expect(
      both({ vertices: [pixel(1, 1), pixel(9, 9), pixel(30, 9), pixel(30, 60)], topology: TOPOLOGY_LINE_STRIP })
        .statistics.in
    ).toBe(3);
  });
});

describe('clipping', () => {
  // Inverts the projection with the triangle's three edge functions: which point of it is visible at a pixel?
  function truth(v: number[][], px: number, py: number): { inside: number; z: number; value: number } | null {
    const [nx, ny] = [(px / SCENE.width) * 2 - 1, 1 - (py / SCENE.height) * 2];
    // Barycentric coordinates b with Σ b·(x − nx·w) = 0, Σ b·(y − ny·w) = 0.
    const f = v.map(([x, y, , w]) => [x! - nx * w!, y! - ny * w!] as const);
    const b = [
      f[1]![0] * f[2]![1] - f[1]![1] * f[2]![0],
      f[2]![0] * f[0]![1] - f[2]![1] * f[0]![0],
      f[0]![0] * f[1]![1] - f[0]![1] * f[1]![0],
    ];
    const sum = b[0]! + b[1]! + b[2]!;
    if (Math.abs(sum) < 1e-9) return null;
    const n = b.map((x) => x / sum);
    const mix = (i: number): number => n.reduce((s, w, k) => s + w * v[k]![i]!, 0);
    const [z, w] = [mix(2), mix(3)];
    const inside = Math.min(...n, z / Math.abs(w), (w - z) / Math.abs(w), w);
    return { inside, z: z / w, value: mix(4) };
  }
  const position = (): number[] => [
    random() * 6 - 3,
    random() * 6 - 3,
    random() * 3 - 1,
    random() * 3 - 1,
    random() * 4 - 2,
  ];

  it('shows the pixels and the varyings of the part in front of the eye', () => {
    let crossers = 0;
    let compared = 0;
    for (let n = 0; n < 200; n++) {
      const vertices = [position(), position(), position()];
      const r = both({ vertices, varyings: { perspective: 1, linear: 0, flat: 0 } });
      crossers += r.statistics.clipped!;
      const owners = new Map<number, number>();
      r.triangles.forEach((t, i) =>
        coveredPixels(t, 256).forEach((p) => {
          if (owners.has(p)) throw new Error('drawn twice');
          owners.set(p, i);
        })
      );
      for (let y = 0; y < 192; y += 7)
        for (let x = 0; x < 256; x += 7) {
          const want = truth(vertices, x + 0.5, y + 0.5);
          if (!want || Math.abs(want.inside) < 0.02) continue;
          const owner = owners.get(y * 256 + x);
          expect(owner !== undefined).toBe(want.inside > 0);
          if (owner === undefined) continue;
          const t = r.triangles[owner]!;
          const w = at(t, { c: t.w[0]!, ddx: t.w[1]!, ddy: t.w[2]! }, x + 0.5, y + 0.5);
          const value = at(t, t.planes[0]!, x + 0.5, y + 0.5) / w;
          // Snapping moves a vertex by up to 1/512 pixels, which is visible in steep triangles.
          expect(Math.abs(value - want.value)).toBeLessThan(0.05);
          expect(Math.abs(at(t, { c: t.z[0]!, ddx: t.z[1]!, ddy: t.z[2]! }, x + 0.5, y + 0.5) - want.z)).toBeLessThan(
            0.05
          );
          compared++;
        }
    }
    expect(crossers).toBeGreaterThan(100);
    expect(compared).toBeGreaterThan(2000);
  });

  it('leaves no gap and no overlap along a clipped shared edge', () => {
    for (let n = 0; n < 100; n++) {
      // A quad through the near plane and far outside the guard band, as two triangles.
      const big = n % 3 === 0 ? 1e4 : 2;
      const corner = (sx: number, sy: number): number[] => [
        sx * big * (1 + random()),
        sy * big * (1 + random()),
        random() * 1.2 - 0.3,
        1 + random(),
        sx,
      ];
      const vertices = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
      const r = both({ vertices, indices: [0, 1, 2, 2, 3, 0], varyings: { perspective: 1, linear: 0, flat: 0 } });
      const seen = new Map<number, number>();
      for (const t of r.triangles) for (const p of coveredPixels(t, 256)) seen.set(p, (seen.get(p) ?? 0) + 1);
      expect(Math.max(1, ...seen.values())).toBe(1);
      if (vertices.every((v) => v[2]! >= 0 && v[2]! <= v[3]!)) expect(seen.size).toBe(256 * 192);
    }
  });

  it('keeps linear varyings straight on the screen and flat ones constant', () => {
    const vertices = [
      [-1, -1, 0.5, 1, 0, 7],
      [1, -1, 0.5, 1, 1, 8],
      [0, 3, -1.5, 3, 0.5, 9],
    ];
    const r = both({ vertices, varyings: { perspective: 0, linear: 1, flat: 1 } });
    expect(r.statistics.clipped).toBe(1);
    for (const t of r.triangles) {
      expect(t.planes[1]).toMatchObject({ c: 7, ddx: 0, ddy: 0 });
      // On the screen the varying grows from 0 to 1 over the width, whatever w is.
      for (const p of coveredPixels(t, 256))
        expect(
          Math.abs(at(t, t.planes[0]!, (p % 256) + 0.5, Math.floor(p / 256) + 0.5) - ((p % 256) + 0.5) / 256)
        ).toBeLessThan(2e-3);
    }
  });

  it('culls non-finite triangles, and clips huge ones', () => {
    for (const bad of [NaN, Infinity, -Infinity])
      for (let i = 0; i < 4; i++) {
        const v = [pixel(10, 10), pixel(50, 10), pixel(10, 50)];
        v[1]![i] = bad;
        const r = both({ vertices: v });
        expect(r.triangles).toHaveLength(0);
        expect(r.statistics).toMatchObject({ in: 1, behind: 1 });
      }
    for (const v of [
      [
        [3e38, 3e38, 3e38, 3e38],
        [-3e38, 0, 0, 3e38],
        [0, -3e38, 1, 1],
      ],
      [
        [1e30, 0, 0.5, 1],
        [-1e30, 1, 0.5, 1],
        [0, -1e30, 0.5, 1],
      ],
      [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
    ])
      both({ vertices: v });
    const huge = both({
      vertices: [
        [-1e7, -1e7, 0.5, 1],
        [3e7, -1e7, 0.5, 1],
        [-1e7, 3e7, 0.5, 1],
      ],
    });
    expect(new Set(huge.triangles.flatMap((t) => coveredPixels(t, 256))).size).toBe(256 * 192);
  });

  it('does not clip depth with unclippedDepth', () => {
    const vertices = [
      [-1, -1, -2, 1],
      [3, -1, -2, 1],
      [-1, 3, 5, 1],
    ];
    expect(
      both({ vertices, flags: DRAW_FLAG_UNCLIPPED_DEPTH }).triangles.flatMap((t) => coveredPixels(t, 256))
    ).toHaveLength(256 * 192);
    expect(both({ vertices }).triangles.flatMap((t) => coveredPixels(t, 256)).length).toBeLessThan(256 * 192);
  });
});

describe('index ranges', () => {
  const grid = Array.from({ length: 2500 }, (_, i) => pixel(3 + (i % 50) * 1.7, 2 + Math.floor(i / 50) * 2.3, 0.5, i));
  const indices = Array.from({ length: 49 * 49 }, (_, k) => {
    const i = Math.floor(k / 49) * 50 + (k % 49);
    return [i, i + 1, i + 50, i + 1, i + 51, i + 50];
  }).flat();
  const scene = { vertices: grid, indices, varyings: { perspective: 1, linear: 0, flat: 0 }, arenaBytes: 4 << 20 };
  it('shade each vertex once, whatever the batches', () => {
    expect(run(kernel, { ...scene, range: [0, 2500] }).statistics).toMatchObject({
      shaded: 2500,
      warps: 40,
      used: 2500,
      in: indices.length / 3,
    });
    expect(run(kernel, scene).statistics.shaded).toBeGreaterThan(2600);
    both(scene);
  });
  it('span instances, and start at any index and base vertex', () => {
    const shape = {
      vertices: grid.slice(100, 350).map((v) => v.slice(0, 4)),
      indices: indices
        .filter((_, k) => indices[k - (k % 3)]! < 200 && indices[k - (k % 3)]! >= 100)
        .map((i) => i + 900),
      baseVertex: -1000,
      instances: 37,
      varyings: { perspective: 0, linear: 0, flat: 1 },
      instanceValues: Array.from({ length: 37 }, (_, i) => i),
      arenaBytes: 8 << 20,
    };
    expect(new Set(both(shape).triangles.map((t) => t.planes[0]!.c)).size).toBe(37);
  });
  it('yield, and fall back to batches if their memory is too small', () => {
    const whole = run(kernel, { ...scene, range: [0, 2500] });
    const steps = run(kernel, { ...scene, range: [0, 2500] }, 'geometryRun', 1);
    expect(steps.yields).toBeGreaterThan(3);
    expect(digest(steps) === digest(whole)).toBe(true);
    const far = { ...scene, range: [0, 60000] as const };
    expect(run(kernel, far).statistics.shaded).toBe(run(kernel, scene).statistics.shaded);
    expect(digest(run(kernel, far)) === digest(whole)).toBe(true);
  });
});

describe('interruption', () => {
  it('continues at the triangle that did not fit, with the same records', () => {
    const vertices = Array.from({ length: 300 }, () => [
      random() * 4 - 2,
      random() * 4 - 2,
      random() * 1.6 - 0.3,
      random() * 2,
      random(),
      random(),
    ]);
    const scene = { vertices, varyings: { perspective: 1, linear: 1, flat: 0 }, arenaBytes: 1 << 20 };
    const whole = both(scene);
    expect(whole.chunks).toBe(1);
    expect(whole.statistics.clipped).toBeGreaterThan(10);
    for (const arenaBytes of [2048, 2064, 4096, 10000]) {
      const parts = both({ ...scene, arenaBytes });
      expect(parts.chunks).toBeGreaterThan(2);
      expect(parts.statistics).toEqual(whole.statistics);
      expect(digest(parts) === digest(whole)).toBe(true);
    }
  });
  it('continues in the middle of four triangles, with the same records and counts', () => {
    const vertices = Array.from({ length: 900 }, () => pixel(random() * 250, random() * 190, 0.5, random())).map(
      (v, i, all) =>
        i % 3 ? [v[0]! * 0.03 + all[i - (i % 3)]![0]!, v[1]! * 0.03 + all[i - (i % 3)]![1]!, 0.5, 1, 0] : v
    );
    const scene = { vertices, varyings: { perspective: 1, linear: 0, flat: 0 }, cull: CULL_BACK, arenaBytes: 1 << 20 };
    const whole = both(scene);
    expect(whole.statistics.face! + whole.statistics.between!).toBeGreaterThan(100);
    for (const arenaBytes of [2048, 2400, 3000, 5000]) {
      const parts = both({ ...scene, arenaBytes });
      expect(parts.chunks).toBeGreaterThan(2);
      expect(parts.statistics).toEqual(whole.statistics);
      expect(digest(parts) === digest(whole)).toBe(true);
    }
  });
});
