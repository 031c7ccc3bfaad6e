// Tiles between surfaces and contexts: clear, load, store, resolve, chunks, and surfaces whose size is no multiple of
// the tile size.
import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_DEFERRED } from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { COMPARE_LESS } from '../../assembly/layout/texture/texture-codes';
import { Pass, Statistics } from '../../build/layout';
import { covers, edgesOf, makeDraw, makeTriangle, PixelKernel, random, type Vertex } from '../raster/kit';
import { TestPass } from '../raster/pass';

const bits = (value: number): { bits: number } => ({ bits: new Int32Array(new Float32Array([value]).buffer)[0] });
const TRIANGLE: [Vertex, Vertex, Vertex] = [
  { x: 2.5, y: 1 },
  { x: 88, y: 40.25 },
  { x: 10, y: 69 },
];

describe('chunks', () => {
  it.each([1, 4] as const)('give the same bits however a pass is divided, at %i sample(s)', (samples) => {
    const surfaces = [1, 3, 60].map((chunk) => {
      const k = new PixelKernel('testing');
      const next = random(samples);
      const pass = new TestPass(k, {
        width: 90,
        height: 70,
        samples,
        depth: { format: FORMAT_DEPTH32FLOAT, clear: [1] },
        colors: [{ format: FORMAT_RGBA8UNORM, clear: [0.2, 0.4, 0.6, 1] }],
      });
      const state = {
        compare: COMPARE_LESS,
        write: true,
        groups: [0, 0, 0, 4, 0, 0, 0],
        targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 1, 2, 3] }],
      };
      const draws = [
        makeDraw(k, { ...state, flags: DRAW_FLAG_DEFERRED }),
        makeDraw(k, {
          ...state,
          write: false,
          targets: [{ ...state.targets[0], blend: { op: 0, src: 4, dst: 5, alphaOp: 0, alphaSrc: 1, alphaDst: 5 } }],
        }),
      ];
      const triangles = Array.from({ length: 60 }, (_, i) => {
        const corner = (): Vertex => ({
          x: Math.round((next() * 120 - 15) * 256) / 256,
          y: Math.round((next() * 100 - 15) * 256) / 256,
        });
        const plane = (): [number, number, number] => [next(), (next() - 0.5) * 0.01, (next() - 0.5) * 0.01];
        return makeTriangle(k, draws[i % 2], {
          vertices: [corner(), corner(), corner()],
          z: plane(),
          planes: [plane(), plane(), plane(), plane()],
          box: [0, 0, 90, 70],
        });
      });
      for (let i = 0; i < 60; i += chunk) {
        pass.bin(triangles.slice(i, i + chunk));
        expect(pass.run(i + chunk >= 60)).toBe(0);
      }
      return [pass.surface(Pass.colors).slice(), pass.surface(Pass.depth).slice()];
    });
    expect(Buffer.compare(surfaces[1][0], surfaces[0][0])).toBe(0);
    expect(Buffer.compare(surfaces[2][0], surfaces[0][0])).toBe(0);
    expect(Buffer.compare(surfaces[2][1], surfaces[0][1])).toBe(0);
    expect(new Set(surfaces[0][0]).size).toBeGreaterThan(100);
  });
});

describe('clear, load and store', () => {
  it.each([
    ['r8unorm', FORMAT_R8UNORM],
    ['rg8unorm', FORMAT_RG8UNORM],
    ['rgba8unorm', FORMAT_RGBA8UNORM],
    ['rgba16float', FORMAT_RGBA16FLOAT],
    ['rgba32float', FORMAT_RGBA32FLOAT],
  ] as const)('%s: tiles with and without triangles, never beyond the edge', (_, format) => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, { width: 89, height: 67, samples: 1, colors: [{ format, clear: [0, 0, 0, 0] }] });
    pass.surface(Pass.colors).fill(0xaa);
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      groups: [0, 0, 0, 0, 0, 0, 1],
      targets: [{ format, registers: [0, 0, 0, 0] }],
    });
    pass.bin([makeTriangle(k, draw, { vertices: TRIANGLE, planes: [bits(1)], box: [0, 0, 64, 64] })]);
    expect(pass.run()).toBe(0);
    expect(pass.statistic(Statistics.tilesRun)).toBe(1);
    const bytes = k.call.texelBytes(format);
    const one = k.bytes(pass.texel(Pass.colors, 30, 30), bytes).slice();
    const surface = pass.surface(Pass.colors);
    const edges = edgesOf(TRIANGLE)!;
    const rowTexels = 89 + 3;
    for (let i = 0; i < surface.length / bytes; i++) {
      const [x, y] = [i % rowTexels, Math.floor(i / rowTexels)];
      const inside = x < 89 && y < 67;
      const covered = x < 64 && y < 64 && covers(edges, x, y, 1, 0);
      const want = !inside ? new Uint8Array(bytes).fill(0xaa) : covered ? one : new Uint8Array(bytes);
      expect(Buffer.compare(surface.subarray(i * bytes, (i + 1) * bytes), want), `(${x}, ${y})`).toBe(0);
    }
    expect(one.some((b) => b !== 0)).toBe(true);
  });

  it.each([1, 4] as const)('loads what an earlier pass stored, at %i sample(s)', (samples) => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 90,
      height: 70,
      samples,
      depth: { format: FORMAT_DEPTH16UNORM, load: true },
      colors: [{ format: FORMAT_RGBA8UNORM, load: true }],
    });
    const next = random(9);
    for (const offset of [Pass.colors, Pass.depth])
      pass.surface(offset).forEach((_, i, all) => {
        all[i] = Math.floor(next() * 256);
      });
    const before = [Pass.colors, Pass.depth].map((offset) => pass.surface(offset).slice());
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      groups: [0, 0, 0, 0, 0, 0, 1],
      targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 0, 0, 0] }],
    });
    pass.bin([makeTriangle(k, draw, { vertices: TRIANGLE, planes: [bits(1)], box: [5, 5, 6, 6] })]);
    expect(pass.run()).toBe(0);
    for (let s = 0; s < samples; s++) {
      if (covers(edgesOf(TRIANGLE)!, 5, 5, samples, s))
        before[0].fill(
          255,
          pass.texel(Pass.colors, 5, 5, s) - pass.texel(Pass.colors, 0, 0, 0),
          pass.texel(Pass.colors, 5, 5, s) - pass.texel(Pass.colors, 0, 0, 0) + 4
        );
    }
    expect(Buffer.compare(pass.surface(Pass.colors), before[0])).toBe(0);
    expect(Buffer.compare(pass.surface(Pass.depth), before[1])).toBe(0);
  });

  it('does not store what the pass discards', () => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 64,
      height: 64,
      samples: 1,
      colors: [{ format: FORMAT_RGBA8UNORM, clear: [1, 1, 1, 1], store: false }],
    });
    expect(pass.run()).toBe(0);
    expect(pass.surface(Pass.colors).every((b) => b === 0)).toBe(true);
  });
});

describe('resolve', () => {
  it.each([
    ['rgba8unorm', FORMAT_RGBA8UNORM],
    ['rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB],
    ['rgba16float', FORMAT_RGBA16FLOAT],
  ] as const)('%s: the mean of four samples, in linear light', (_, format) => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 90,
      height: 70,
      samples: 4,
      colors: [{ format, clear: [0.5, 0.25, 0, 1], resolve: true }],
    });
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      groups: [0, 0, 0, 0, 0, 0, 4],
      targets: [{ format, registers: [0, 1, 2, 3] }],
    });
    pass.bin([
      makeTriangle(k, draw, {
        vertices: TRIANGLE,
        planes: [bits(1), bits(0), bits(0.5), bits(0.75)],
        box: [0, 0, 64, 70],
      }),
    ]);
    expect(pass.run()).toBe(0);
    const bytes = k.call.texelBytes(format);
    const scratch = k.alloc(16);
    const read = (at: number): number[] => {
      k.call.loadTexel(format, at, scratch);
      return [0, 4, 8, 12].map((o) => k.readF32(scratch + o));
    };
    let mixed = 0;
    for (let y = 0; y < 70; y++)
      for (let x = 0; x < 90; x++) {
        const samples = [0, 1, 2, 3].map((s) => read(pass.texel(Pass.colors, x, y, s)));
        const mean = [0, 1, 2, 3].map((c) => samples.reduce((sum, v) => sum + v[c], 0) / 4);
        const equal = samples.every((v) => v.join() === samples[0].join());
        if (!equal) mixed++;
        const got = read(pass.resolved(x, y));
        // A step of 8-bit sRGB is largest at white: 0.9 % of linear light.
        got.forEach((v, c) =>
          expect(Math.abs(v - mean[c]), `(${x}, ${y})`).toBeLessThan(
            equal ? 1e-7 : format === FORMAT_RGBA8UNORM ? 0.51 / 255 : 0.0046
          )
        );
      }
    expect(mixed).toBeGreaterThan(50);
    expect([...k.bytes(pass.resolved(90, 3), 3 * bytes)].every((b) => b === 0)).toBe(true);
  });
});
