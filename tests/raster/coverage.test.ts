// Coverage compared with arithmetic in doubles: every sample of every pixel, through tileRun, as ids in an r32uint
// target.
import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_DEFERRED } from '../../assembly/layout/pass/draw-codes';
import { FORMAT_R32UINT } from '../../assembly/layout/texture/formats';
import { Pass, SamplePositions, Tile, TileEdge } from '../../build/layout';
import { covers, edgesOf, makeDraw, makeTriangle, PixelKernel, random, type Vertex } from './kit';
import { TestPass } from './pass';

type Corners = [Vertex, Vertex, Vertex];

interface Cut {
  box?: [number, number, number, number];
  sampleMask?: number;
}

/** Draws triangles with ids 1, 2 … and compares every sample with the model: the last triangle that covers it. */
function check(
  samples: 1 | 4,
  width: number,
  height: number,
  triangles: readonly Corners[],
  flags: number,
  { box, sampleMask = 15 }: Cut = {}
): number {
  const k = new PixelKernel('testing');
  const pass = new TestPass(k, {
    width,
    height,
    samples,
    colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
  });
  const draw = makeDraw(k, {
    flags,
    sampleMask,
    groups: [0, 0, 0, 0, 0, 0, 1],
    targets: [{ format: FORMAT_R32UINT, registers: [0] }],
  });
  const clip = (values: readonly number[]): [number, number, number, number] => [
    Math.max(values[0], 0),
    Math.max(values[1], 0),
    Math.min(values[2], width),
    Math.min(values[3], height),
  ];
  const boxes = triangles.map((v) =>
    clip(
      box ?? [
        Math.floor(Math.min(...v.map((p) => p.x))),
        Math.floor(Math.min(...v.map((p) => p.y))),
        Math.ceil(Math.max(...v.map((p) => p.x))) + 1,
        Math.ceil(Math.max(...v.map((p) => p.y))) + 1,
      ]
    )
  );
  pass.bin(
    triangles
      .map((vertices, i) => makeTriangle(k, draw, { vertices, planes: [{ bits: i + 1 }], box: boxes[i] }))
      .filter((t) => t)
  );
  expect(pass.run()).toBe(0);
  const edges = triangles.map(edgesOf);
  const view = new DataView(k.memory.buffer);
  let covered = 0;
  const wrong: string[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let s = 0; s < samples; s++) {
        let want = 0;
        edges.forEach((e, i) => {
          const [x0, y0, x1, y1] = boxes[i];
          if (e && (sampleMask >> s) & 1 && x >= x0 && x < x1 && y >= y0 && y < y1 && covers(e, x, y, samples, s))
            want = i + 1;
        });
        const got = view.getUint32(pass.texel(Pass.colors, x, y, s), true);
        if (want) covered++;
        if (got !== want) wrong.push(`(${x}, ${y}) sample ${s}: ${got}, expected ${want}`);
      }
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  return covered;
}

describe.each([1, 4] as const)('coverage at %i sample(s)', (samples) => {
  it.each([
    ['deferred', DRAW_FLAG_DEFERRED],
    ['in order', 0],
  ] as const)('random triangles of all sizes, %s', (_, flags) => {
    const next = random(7 + samples);
    for (const size of [2, 6, 20, 90]) {
      const triangles = Array.from({ length: 40 }, (): Corners => {
        const x = next() * 150 - 10;
        const y = next() * 100 - 10;
        const corner = (): Vertex => ({
          x: Math.round((x + next() * size) * 256) / 256,
          y: Math.round((y + next() * size) * 256) / 256,
        });
        return [corner(), corner(), corner()];
      });
      expect(check(samples, 131, 83, triangles, flags)).toBeGreaterThan(0);
    }
  });

  it('vertices on pixel centers and sample positions: the top-left rule', () => {
    const next = random(3);
    const grid = (): number => Math.floor(next() * 64 * 16) / 16;
    const triangles = Array.from({ length: 60 }, (): Corners => [
      { x: grid(), y: grid() },
      { x: grid(), y: grid() },
      { x: grid(), y: grid() },
    ]);
    check(samples, 64, 64, triangles, DRAW_FLAG_DEFERRED);
    const halves = (): number => Math.floor(next() * 64) + 0.5;
    check(
      samples,
      64,
      64,
      Array.from({ length: 60 }, (): Corners => [
        { x: halves(), y: halves() },
        { x: halves(), y: halves() },
        { x: halves(), y: halves() },
      ]),
      DRAW_FLAG_DEFERRED
    );
  });

  it('axis-aligned edges, as in sprites, at every position within a pixel', () => {
    const next = random(31 + samples);
    for (const [grid, box] of [
      [1, undefined],
      [4, undefined],
      [16, undefined],
      [256, undefined],
      [256, [5, 3, 90, 61]],
    ] as const) {
      const triangles = Array.from({ length: 60 }, (_, i): Corners => {
        const snapped = (size: number): number => Math.round(next() * size * grid) / grid;
        const x = snapped(140) - 20;
        const y = snapped(90) - 20;
        const [right, lower] = [x + snapped(40), y + snapped(40)];
        const corners = [
          { x, y },
          { x: right, y },
          { x: right, y: lower },
          { x, y: lower },
        ];
        corners.splice(i & 3, 1);
        return [corners[0], corners[1], corners[2]];
      });
      expect(check(samples, 131, 83, triangles, 0, { box: box && [...box] })).toBeGreaterThan(0);
      if (samples === 4)
        for (const mask of [5, 8]) check(samples, 131, 83, triangles, 0, { box: box && [...box], sampleMask: mask });
    }
  });

  it('a fan around a point covers each sample exactly once', () => {
    const next = random(11);
    const centre = { x: 31.5, y: 32.25 };
    const rim = Array.from({ length: 17 }, (_, i) => {
      const turn = (i + next() * 0.5) / 17;
      // A polygon on a square around the tile.
      const t = turn * 4;
      const [x, y] = t < 1 ? [t, 0] : t < 2 ? [1, t - 1] : t < 3 ? [3 - t, 1] : [0, 4 - t];
      return { x: Math.round((x * 120 - 28) * 256) / 256, y: Math.round((y * 120 - 28) * 256) / 256 };
    });
    const counts: number[] = [];
    const edges = rim.map((p, i) => edgesOf([centre, p, rim[(i + 1) % rim.length]]));
    for (let y = 0; y < 64; y++)
      for (let x = 0; x < 64; x++)
        for (let s = 0; s < samples; s++) {
          counts.push(edges.filter((e) => e && covers(e, x, y, samples, s)).length);
        }
    // The square's corners may cut the rim, so the model says where there is a triangle; nowhere are there two.
    expect(Math.max(...counts)).toBe(1);
    expect(counts.filter((n) => n === 1).length).toBeGreaterThan(64 * 64 * samples * 0.9);
    check(
      samples,
      64,
      64,
      rim.map((p, i): Corners => [centre, p, rim[(i + 1) % rim.length]]),
      0
    );
  });

  it.each([
    ['deferred', DRAW_FLAG_DEFERRED],
    ['in order', 0],
  ] as const)('triangles as large as the guard band, %s', (_, flags) => {
    const far = 16384 + 8192;
    check(
      samples,
      131,
      70,
      [
        [
          { x: -16384, y: -16384 },
          { x: far, y: -16384 },
          { x: 60.25, y: far },
        ],
        [
          { x: -16384, y: 20.5 },
          { x: far, y: 21.25 },
          { x: far, y: 22.75 },
        ],
        [
          { x: -16000.25, y: -15000 },
          { x: far, y: far - 3.5 },
          { x: far, y: far },
        ],
        [
          { x: 64, y: -16384 },
          { x: 66, y: -16384 },
          { x: 65, y: far },
        ],
      ],
      flags
    );
  });

  it.each([
    ['deferred', DRAW_FLAG_DEFERRED],
    ['in order', 0],
  ] as const)('slivers, %s', (_, flags) => {
    const next = random(23);
    check(
      samples,
      128,
      128,
      Array.from({ length: 50 }, (): Corners => {
        const p = { x: Math.round(next() * 128 * 256) / 256, y: Math.round(next() * 128 * 256) / 256 };
        const q = { x: Math.round(next() * 128 * 256) / 256, y: Math.round(next() * 128 * 256) / 256 };
        return [p, q, { x: p.x + Math.round(next() * 256) / 256, y: p.y + 0.125 }];
      }),
      flags
    );
  });

  it('the box clips to the pixel, within a block and within a quad', () => {
    const whole: Corners = [
      { x: -500, y: -500 },
      { x: 900, y: -500 },
      { x: -500, y: 900 },
    ];
    for (const box of [
      [3, 5, 61, 62],
      [9, 9, 10, 10],
      [17, 3, 20, 4],
      [0, 0, 131, 70],
      [63, 63, 66, 65],
    ] as [number, number, number, number][]) {
      expect(check(samples, 131, 70, [whole], DRAW_FLAG_DEFERRED, { box })).toBe(
        (box[2] - box[0]) * (box[3] - box[1]) * samples
      );
      check(samples, 131, 70, [whole], 0, { box });
    }
  });
});

describe('coverage twins', () => {
  it('give the same bits', () => {
    const k = new PixelKernel('testing');
    const next = random(99);
    const tiles = [0, 0].map(() => k.alloc(Tile.bytes));
    const corner = k.alloc(16);
    for (let i = 0; i < 3000; i++) {
      const places = Array.from({ length: 8 }, () => Math.floor(next() * 16));
      const range = 2 ** (4 + Math.floor(next() * 18));
      const edges = Array.from({ length: 3 }, () =>
        [(next() - 0.5) * range * 32, (next() - 0.5) * range, (next() - 0.5) * range].map(Math.round)
      );
      const box = [
        [Tile.boxX0, Math.floor(next() * 32)],
        [Tile.boxY0, Math.floor(next() * 32)],
        [Tile.boxX1, 33 + Math.floor(next() * 32)],
        [Tile.boxY1, 33 + Math.floor(next() * 32)],
      ];
      for (const tile of tiles) {
        k.i32(tile + Tile.cover, tile + Tile.work);
        box.forEach(([field, value]) => k.i32(tile + field!, value!));
        places.forEach((place, at) => {
          k.i32(tile + Tile.layerPositions + SamplePositions.x16 + at * 4, place);
        });
        edges.forEach(([value, a, b], at) => {
          const edge = tile + Tile.edges + at * TileEdge.bytes;
          k.i32(edge + TileEdge.value, value!);
          k.i32(edge + TileEdge.value + 4, value! < 0 ? -1 : 0);
          k.i32(edge + TileEdge.a, a!);
          k.i32(edge + TileEdge.b, b!);
        });
      }
      edges.forEach(([value], at) => {
        k.i32(corner + at * 4, value!);
      });
      const [simd, scalar] = tiles;
      const block = Math.floor(next() * 64);
      const [x, y] = [Math.floor(next() * 32) * 2, Math.floor(next() * 32) * 2];
      const {
        coverBlock1Simd,
        coverBlock1Scalar,
        coverBlock4Simd,
        coverBlock4Scalar,
        coverQuad4Simd,
        coverQuad4Scalar,
      } = k.call;
      expect(coverQuad4Simd(simd, 0, x, y)).toBe(coverQuad4Scalar(scalar, 0, x, y));
      for (let side = 1; side < 8; side++) {
        expect(coverBlock1Simd(simd, corner, side)).toBe(coverBlock1Scalar(scalar, corner, side));
        expect(coverBlock4Simd(simd, 0, block, side)).toBe(coverBlock4Scalar(scalar, 0, block, side));
        const [out, want] = tiles.map((tile) => [...k.bytes(tile + Tile.work, 32)]);
        expect(out).toEqual(want);
      }
    }
  });
});
