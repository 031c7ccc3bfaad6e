// From planes to registers to pixels: interpolation of every group, built-in inputs, packing and the order of draw
// calls.
import { describe, expect, it } from 'vitest';
import {
  BLEND_ADD,
  DRAW_FLAG_ALPHA_TO_COVERAGE,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_LATE_DEPTH,
  FACTOR_ONE,
} from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R32UINT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { RATE_PIXEL, RATE_SAMPLE } from '../../assembly/layout/program/stage-codes';
import { COMPARE_LESS } from '../../assembly/layout/texture/texture-codes';
import { Pass, Statistics, Warp } from '../../build/layout';
import {
  covers,
  edgesOf,
  makeDraw,
  makeTriangle,
  PixelKernel,
  random,
  samplePosition,
  warpOf,
  type Plane,
  type Vertex,
} from '../raster/kit';
import { TestPass } from '../raster/pass';

const f = Math.fround;
const evaluate = ([c, ddx, ddy]: Plane, x0: number, y0: number, x: number, y: number): number =>
  f(f(f(f(ddx) * f(x - x0)) + f(c)) + f(f(ddy) * f(y - y0)));

/** Vertices that leave many pixels partly covered. */
const CORNERS: [Vertex, Vertex, Vertex] = [
  { x: 3.25, y: 1.5 },
  { x: 39.75, y: 12.125 },
  { x: 9, y: 37.375 },
];
const VALUE: Plane = [0.75, 0.03125, -0.0173];
const W: Plane = [0.9, -0.011, 0.0071];
/** Planes that start at 1, as if nothing had to be divided: only the last one does not have to be. */
const WS_FROM_ONE: readonly Plane[] = [
  [1, 0, 0.0071],
  [1, -0.011, 0],
  [1, 0, 0],
];

interface Interpolation {
  name: string;
  group: number;
  samples: 1 | 4;
  flags: number;
  rate: number;
  w: Plane;
}
const CASES: Interpolation[] = [];
for (const samples of [1, 4] as const) {
  for (const flags of [DRAW_FLAG_DEFERRED, 0]) {
    [
      'perspective centre',
      'perspective centroid',
      'perspective sample',
      'linear centre',
      'linear centroid',
      'linear sample',
    ].forEach((name, group) => {
      const rate = group % 3 === 2 ? RATE_SAMPLE : RATE_PIXEL;
      const all = group < 3 && flags === 0 ? [W, ...WS_FROM_ONE] : [W];
      for (const w of all) CASES.push({ name, group, samples, flags, rate, w });
    });
  }
}

describe('interpolation', () => {
  it.each(CASES)('$name, $samples sample(s), flags $flags, w $w', ({ group, samples, flags, rate, w }) => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 40,
      height: 40,
      samples,
      colors: [{ format: FORMAT_R32FLOAT, clear: [-1] }],
    });
    const groups = [0, 0, 0, 0, 0, 0, 0];
    groups[group] = 1;
    const draw = makeDraw(k, { flags, rate, groups, targets: [{ format: FORMAT_R32FLOAT, registers: [0] }] });
    pass.bin([makeTriangle(k, draw, { vertices: CORNERS, planes: [VALUE], w })]);
    expect(pass.run()).toBe(0);
    const edges = edgesOf(CORNERS)!;
    let partial = 0;
    for (let y = 0; y < 40; y++)
      for (let x = 0; x < 40; x++) {
        const covered = Array.from({ length: samples }, (_, s) => covers(edges, x, y, samples, s));
        const first = covered.indexOf(true);
        if (first >= 0 && covered.includes(false)) partial++;
        for (let s = 0; s < samples; s++) {
          const got = k.readF32(pass.texel(Pass.colors, x, y, s));
          if (!covered[s]) {
            expect(got).toBe(-1);
            continue;
          }
          const at =
            group % 3 === 2
              ? samplePosition(samples, s)
              : group % 3 === 1 && covered.includes(false)
                ? samplePosition(samples, first)
                : [0.5, 0.5];
          const [x0, y0] = [CORNERS[0].x, CORNERS[0].y];
          const value = evaluate(VALUE, x0, y0, x + at[0], y + at[1]);
          expect(got, `(${x}, ${y}) ${s}`).toBe(
            group < 3 ? f(value * f(1 / evaluate(w, x0, y0, x + at[0], y + at[1]))) : value
          );
        }
      }
    if (samples === 4) expect(partial).toBeGreaterThan(20);
  });

  it.each([
    [1, RATE_PIXEL],
    [4, RATE_PIXEL],
    [4, RATE_SAMPLE],
  ] as const)('built-in inputs at %i sample(s), rate %i', (samples, rate) => {
    const k = new PixelKernel('testing');
    const shape = { width: 40, height: 40, samples } as const;
    const run = (registers: readonly number[], format: number): ((x: number, y: number, s: number) => number[]) => {
      const pass = new TestPass(k, { ...shape, colors: [{ format, clear: [0, 0, 0, 0] }] });
      const draw = makeDraw(k, {
        rate,
        registers: { x: 0, y: 1, z: 2, w: 3, facing: 4, sampleIndex: 5, maskIn: 6 },
        targets: [{ format, registers }],
      });
      pass.bin([makeTriangle(k, draw, { vertices: CORNERS, z: [0.25, 0.01, 0.002], w: W, back: true })]);
      expect(pass.run()).toBe(0);
      return (x, y, s) => {
        const at = pass.texel(Pass.colors, x, y, s);
        return format === FORMAT_R32UINT ? [k.readI32(at)] : [0, 4, 8, 12].map((o) => k.readF32(at + o));
      };
    };
    const position = run([0, 1, 2, 3], FORMAT_RGBA32FLOAT);
    const facing = run([4], FORMAT_R32UINT);
    const index = run([5], FORMAT_R32UINT);
    const mask = run([6], FORMAT_R32UINT);
    const edges = edgesOf(CORNERS)!;
    for (let y = 0; y < 40; y++)
      for (let x = 0; x < 40; x++)
        for (let s = 0; s < samples; s++) {
          if (!covers(edges, x, y, samples, s)) continue;
          const [sx, sy] = rate === RATE_SAMPLE ? samplePosition(4, s) : [0.5, 0.5];
          const at = [CORNERS[0].x, CORNERS[0].y, x + sx, y + sy] as const;
          expect(position(x, y, s)).toEqual([x + sx, y + sy, evaluate([0.25, 0.01, 0.002], ...at), evaluate(W, ...at)]);
          expect(facing(x, y, s)).toEqual([0]);
          expect(index(x, y, s)).toEqual([rate === RATE_SAMPLE ? s : 0]);
          let covered = 0;
          for (let i = 0; i < samples; i++) if (covers(edges, x, y, samples, i)) covered |= 1 << i;
          expect(mask(x, y, s)).toEqual([rate === RATE_SAMPLE ? 1 << s : covered]);
        }
  });
});

describe('packing', () => {
  const WHOLE = [
    { x: -100, y: -100 },
    { x: 500, y: -100 },
    { x: -100, y: 500 },
  ] as [Vertex, Vertex, Vertex];

  it.each([1, 4] as const)('shades each visible quad once, sixteen per warp, at %i sample(s)', (samples) => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 64,
      height: 64,
      samples,
      depth: { format: FORMAT_DEPTH32FLOAT, clear: [1] },
      colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
    });
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      compare: COMPARE_LESS,
      write: true,
      groups: [0, 0, 0, 0, 0, 0, 1],
      targets: [{ format: FORMAT_R32UINT, registers: [0] }],
    });
    // Twenty layers, each nearer than the previous one.
    pass.bin(
      Array.from({ length: 20 }, (_, i) =>
        makeTriangle(k, draw, {
          vertices: WHOLE,
          z: [0.9 - i * 0.04, 0, 0],
          planes: [{ bits: i }],
          box: [0, 0, 64, 64],
        })
      )
    );
    expect(pass.run()).toBe(0);
    expect(pass.statistic(Statistics.quadsShaded)).toBe(1024);
    expect(pass.statistic(Statistics.lanesShaded)).toBe(4096);
    expect(pass.statistic(Statistics.warpsFragment)).toBe(64);
  });

  it('fills warps across triangles of a draw call, and draw calls in order', () => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 64,
      height: 64,
      samples: 1,
      colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
    });
    const draws = [0, 1, 2].map(() =>
      makeDraw(k, {
        flags: DRAW_FLAG_DEFERRED,
        groups: [0, 0, 0, 0, 0, 0, 1],
        targets: [{ format: FORMAT_R32UINT, registers: [0] }],
      })
    );
    // 192 quads, each a separate triangle, of alternating draw calls.
    pass.bin(
      Array.from({ length: 192 }, (_, i) => {
        const x = (i % 32) * 2;
        const y = Math.floor(i / 32) * 2;
        return makeTriangle(k, draws[i % 3], { vertices: WHOLE, planes: [{ bits: i + 1 }], box: [x, y, x + 2, y + 2] });
      })
    );
    expect(pass.run()).toBe(0);
    expect(pass.statistic(Statistics.quadsShaded)).toBe(192);
    expect(pass.statistic(Statistics.warpsFragment)).toBe(12);
    for (let i = 0; i < 192; i++)
      expect(k.readI32(pass.texel(Pass.colors, (i % 32) * 2 + 1, Math.floor(i / 32) * 2 + 1))).toBe(i + 1);
  });

  it('runs helper pixels if the program takes derivatives; otherwise the pixels of a quad are moved together', () => {
    for (const derivatives of [true, false]) {
      const k = new PixelKernel('testing');
      const pass = new TestPass(k, {
        width: 64,
        height: 64,
        samples: 1,
        colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
      });
      const lanes: number[] = [];
      const draw = makeDraw(k, {
        flags: DRAW_FLAG_DEFERRED,
        derivatives,
        groups: [0, 0, 0, 0, 0, 0, 1],
        targets: [{ format: FORMAT_R32UINT, registers: [0] }],
        shader: (warp) => {
          expect(warpOf(k, warp).quads).toBe(1);
          for (let lane = 0; lane < 4; lane++) lanes.push(k.readI32(warp + Warp.exec + lane * 4));
          return 0;
        },
      });
      pass.bin([makeTriangle(k, draw, { vertices: WHOLE, planes: [{ bits: 7 }], box: [8, 8, 9, 10] })]);
      expect(pass.run()).toBe(0);
      expect(lanes).toEqual(derivatives ? [-1, -1, -1, -1] : [-1, -1, 0, 0]);
      expect(k.readI32(pass.texel(Pass.colors, 8, 9))).toBe(7);
      expect(k.readI32(pass.texel(Pass.colors, 9, 9))).toBe(0);
    }
  });

  it.each([1, 4] as const)(
    'blended draw calls see the deferred colors below them and not those above, at %i sample(s)',
    (samples) => {
      const k = new PixelKernel('testing');
      const next = random(5);
      const pass = new TestPass(k, {
        width: 70,
        height: 70,
        samples,
        colors: [{ format: FORMAT_R32FLOAT, clear: [0] }],
      });
      const deferred = (): number =>
        makeDraw(k, {
          flags: DRAW_FLAG_DEFERRED,
          groups: [0, 0, 0, 0, 0, 0, 1],
          targets: [{ format: FORMAT_R32FLOAT, registers: [0] }],
        });
      const adding = (): number =>
        makeDraw(k, {
          groups: [0, 0, 0, 0, 0, 0, 1],
          targets: [
            {
              format: FORMAT_R32FLOAT,
              registers: [0],
              blend: {
                op: BLEND_ADD,
                src: FACTOR_ONE,
                dst: FACTOR_ONE,
                alphaOp: BLEND_ADD,
                alphaSrc: FACTOR_ONE,
                alphaDst: FACTOR_ONE,
              },
            },
          ],
        });
      const draws = [deferred(), adding(), deferred(), adding(), adding(), deferred()];
      const model = new Float32Array(70 * 70 * samples);
      const triangles: number[] = [];
      for (let i = 0; i < 120; i++) {
        const kind = Math.floor(next() * 6);
        const corner = (): Vertex => ({
          x: Math.round((next() * 90 - 10) * 256) / 256,
          y: Math.round((next() * 90 - 10) * 256) / 256,
        });
        const vertices: [Vertex, Vertex, Vertex] = [corner(), corner(), corner()];
        const value = i + 1;
        triangles.push(
          makeTriangle(k, draws[kind], {
            vertices,
            planes: [{ bits: new Int32Array(new Float32Array([value]).buffer)[0] }],
            box: [0, 0, 70, 70],
          })
        );
        const edges = edgesOf(vertices)!;
        for (let p = 0; p < model.length; p++) {
          const pixel = Math.floor(p / samples);
          if (!covers(edges, pixel % 70, Math.floor(pixel / 70), samples, p % samples)) continue;
          model[p] = kind === 1 || kind === 3 || kind === 4 ? model[p] + value : value;
        }
      }
      pass.bin(triangles);
      expect(pass.run()).toBe(0);
      const wrong: string[] = [];
      for (let p = 0; p < model.length; p++) {
        const pixel = Math.floor(p / samples);
        const got = k.readF32(pass.texel(Pass.colors, pixel % 70, Math.floor(pixel / 70), p % samples));
        if (got !== model[p])
          wrong.push(`(${pixel % 70}, ${Math.floor(pixel / 70)}) ${p % samples}: ${got}, expected ${model[p]}`);
      }
      expect(wrong.slice(0, 5)).toEqual([]);
    }
  );

  it('returns the status of a program that ran out of time', () => {
    const k = new PixelKernel('testing');
    for (const flags of [0, DRAW_FLAG_DEFERRED]) {
      const pass = new TestPass(k, {
        width: 64,
        height: 64,
        samples: 1,
        colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
      });
      const draw = makeDraw(k, {
        flags,
        groups: [0, 0, 0, 0, 0, 0, 1],
        targets: [{ format: FORMAT_R32UINT, registers: [0] }],
        shader: () => 2,
      });
      pass.bin([makeTriangle(k, draw, { vertices: WHOLE, planes: [{ bits: 7 }], box: [0, 0, 64, 64] })]);
      expect(pass.run()).toBe(2);
    }
  });
});

describe('samples removed by a program', () => {
  const WHOLE = [
    { x: -100, y: -100 },
    { x: 500, y: -100 },
    { x: -100, y: 500 },
  ] as [Vertex, Vertex, Vertex];

  it('by its sample mask', () => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 8,
      height: 8,
      samples: 4,
      colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
    });
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_LATE_DEPTH,
      groups: [0, 0, 0, 0, 0, 0, 1],
      registers: { maskOut: 1 },
      targets: [{ format: FORMAT_R32UINT, registers: [0] }],
      shader: (warp) => {
        const { quads, registers } = warpOf(k, warp);
        for (let lane = 0; lane < quads * 4; lane++)
          k.i32(registers + REGISTER_BYTES + lane * 4, 0xfffffff0 | (lane % 16));
        return 0;
      },
    });
    pass.bin([makeTriangle(k, draw, { vertices: WHOLE, planes: [{ bits: 9 }], box: [0, 0, 8, 8] })]);
    expect(pass.run()).toBe(0);
    // Four quads per row: lane 16·row + 4·column + pixel.
    for (let lane = 0; lane < 16; lane++) {
      const [x, y] = [(lane >> 2) * 2 + (lane & 1), (lane >> 1) & 1];
      expect([0, 1, 2, 3].map((s) => k.readI32(pass.texel(Pass.colors, x, y, s)) / 9)).toEqual(
        [0, 1, 2, 3].map((s) => (lane >> s) & 1)
      );
    }
  });

  it('by alpha to coverage: more alpha, more samples', () => {
    const counts = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1].map((alpha) => {
      const k = new PixelKernel('testing');
      const pass = new TestPass(k, {
        width: 8,
        height: 8,
        samples: 4,
        colors: [{ format: FORMAT_RGBA8UNORM, clear: [0, 0, 0, 0] }],
      });
      const bits = (v: number): { bits: number } => ({ bits: new Int32Array(new Float32Array([v]).buffer)[0] });
      const draw = makeDraw(k, {
        flags: DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_ALPHA_TO_COVERAGE,
        groups: [0, 0, 0, 0, 0, 0, 2],
        targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 0, 0, 1] }],
      });
      pass.bin([makeTriangle(k, draw, { vertices: WHOLE, planes: [bits(1), bits(alpha)], box: [0, 0, 8, 8] })]);
      expect(pass.run()).toBe(0);
      return [0, 1, 2, 3].filter((s) => k.bytes(pass.texel(Pass.colors, 3, 3, s), 1)[0] === 255).length;
    });
    expect(counts).toEqual([0, 0, 1, 2, 3, 4, 4]);
  });
});
