import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_UNCLIPPED_DEPTH } from '../../assembly/layout/pass/draw-codes';
import { at, coveredPixels, SCENE } from './harness';
import { both, pixel, random } from './geometry.kit';

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
          if ((owner !== undefined) !== want.inside > 0) expect.fail(`(${x}, ${y}) is drawn by ${owner}`);
          if (owner === undefined) continue;
          const t = r.triangles[owner]!;
          const w = at(t, { c: t.w[0]!, ddx: t.w[1]!, ddy: t.w[2]! }, x + 0.5, y + 0.5);
          const value = at(t, t.planes[0]!, x + 0.5, y + 0.5) / w;
          // Snapping moves a vertex by up to 1/512 pixels, which is visible in steep triangles.
          const depth = at(t, { c: t.z[0]!, ddx: t.z[1]!, ddy: t.z[2]! }, x + 0.5, y + 0.5);
          const isNear = Math.abs(value - want.value) < 0.05 && Math.abs(depth - want.z) < 0.05;
          if (!isNear) expect.fail(`(${x}, ${y}) has value ${value} and depth ${depth}, not ${JSON.stringify(want)}`);
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
      const seen = new Uint8Array(256 * 192);
      for (const t of r.triangles) for (const p of coveredPixels(t, 256)) seen[p]!++;
      expect(seen.some((count) => count > 1)).toBe(false);
      if (vertices.every((v) => v[2]! >= 0 && v[2]! <= v[3]!)) expect(seen.includes(0)).toBe(false);
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
