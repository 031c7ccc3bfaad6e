// The vertex side as a whole: assembly, sharing of vertices, clipping, interruption; on the testing build, SIMD
// compared with scalar bit by bit.
import { describe, expect, it } from 'vitest';
import {
  CULL_BACK,
  TOPOLOGY_LINE_LIST,
  TOPOLOGY_LINE_STRIP,
  TOPOLOGY_POINT_LIST,
  TOPOLOGY_TRIANGLE_STRIP,
} from '../../assembly/layout/pass/draw-codes';
import { coveredPixels, digest, run } from './harness';
import { both, kernel, pixel, random } from './geometry.kit';

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
