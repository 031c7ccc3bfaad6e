// Packing of single pixels: pixels of any triangles share the lanes of a warp if the shader takes no derivatives.
// However they are packed, pixels get the same bits as in whole quads (the same draw calls with a shader that takes
// derivatives), in both builds.
import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_DEFERRED } from '../../assembly/layout/pass/draw-codes';
import { FORMAT_DEPTH32FLOAT, FORMAT_R32UINT, FORMAT_RGBA32FLOAT } from '../../assembly/layout/texture/formats';
import { COMPARE_ALWAYS, COMPARE_LESS } from '../../assembly/layout/texture/texture-codes';
import { RATE_PIXEL, RATE_SAMPLE } from '../../assembly/layout/program/stage-codes';
import { Attachment, Draw, Pass, Stage, Statistics, Warp } from '../../build/layout';
import {
  makeDraw,
  makeTriangle,
  PixelKernel,
  random,
  warpOf,
  type KernelName,
  type Plane,
  type Vertex,
} from '../raster/kit';
import { TestPass } from '../raster/pass';

const SIZE = 70;
const WHOLE = [
  { x: -100, y: -100 },
  { x: 500, y: -100 },
  { x: -100, y: 500 },
] as [Vertex, Vertex, Vertex];

interface Scene {
  samples: 1 | 4;
  perSample: boolean;
  seed: number;
  groups: readonly number[];
}
interface Picture {
  surfaces: Uint8Array[];
  busy: number;
  warps: number;
}

/**
 * Small and large triangles of three alternating draw calls, with all varyings and built-in inputs written to targets,
 * four per target.
 */
function render(name: KernelName, derivatives: boolean, { samples, perSample, seed, groups }: Scene): Picture {
  const k = new PixelKernel(name);
  const next = random(seed);
  const varyings = groups.reduce((sum, n) => sum + n, 0);
  const targets = Array.from({ length: Math.ceil((varyings + 7) / 4) }, (_, i) => ({
    format: FORMAT_RGBA32FLOAT,
    registers: [0, 1, 2, 3].map((c) => i * 4 + c),
  }));
  const pass = new TestPass(k, {
    width: SIZE,
    height: SIZE,
    samples,
    depth: { format: FORMAT_DEPTH32FLOAT, clear: [1] },
    colors: targets.map(({ format }) => ({ format, clear: [0.5, 0.25, 0.125, 1] })),
  });
  const rate = perSample ? RATE_SAMPLE : RATE_PIXEL;
  const names = ['x', 'y', 'z', 'w', 'facing', 'sampleIndex', 'maskIn'] as const;
  const registers = Object.fromEntries(names.map((builtin, i) => [builtin, varyings + i]));
  const draws = [0, 1, 2].map(() =>
    makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      rate,
      compare: COMPARE_LESS,
      write: true,
      groups,
      registers,
      targets,
      derivatives,
    })
  );
  const number = (): number => (next() - 0.5) * 4;
  for (let i = 0; i < 700; i++) {
    const size = next() < 0.97 ? 4 : 60;
    const [x, y] = [next() * SIZE, next() * SIZE];
    const corner = (): Vertex => ({
      x: Math.round((x + (next() - 0.5) * size) * 256) / 256,
      y: Math.round((y + (next() - 0.5) * size) * 256) / 256,
    });
    const plane = (): Plane => [number(), number() * 0.1, number() * 0.1];
    const flat = varyings - groups[6];
    const planes = Array.from({ length: varyings }, (_, v) =>
      v < flat ? plane() : { bits: Math.floor(next() * 0x3f800000) }
    );
    const w: Plane = next() < 0.2 ? [1, 0, 0] : [0.5 + next(), next() * 0.01, next() * 0.01];
    const shape = {
      vertices: [corner(), corner(), corner()] as [Vertex, Vertex, Vertex],
      z: [next(), 0.001, -0.002] as const,
      w,
      planes,
      back: next() < 0.5,
    };
    const box = [0, 0, SIZE, SIZE] as const;
    const triangle = makeTriangle(k, draws[i % 3], size > 4 ? { ...shape, box } : shape);
    if (triangle) pass.bin([triangle]);
  }
  expect(pass.run()).toBe(0);
  return {
    surfaces: targets.map((_, i) => pass.surface(Pass.colors + i * Attachment.bytes).slice()),
    busy: pass.statistic(Statistics.lanesShaded) / pass.statistic(Statistics.quadsShaded) / 4,
    warps: pass.statistic(Statistics.warpsFragment),
  };
}

describe('single pixels get the bits of whole quads', () => {
  const mixtures = [
    [6, 0, 0, 0, 0, 0, 0],
    [3, 2, 1, 2, 1, 3, 2],
    [0, 0, 0, 5, 0, 0, 1],
    [1, 0, 0, 1, 0, 0, 0],
    [0, 5, 0, 0, 2, 0, 4],
    [0, 0, 0, 0, 0, 0, 3],
    [0, 0, 4, 0, 0, 1, 0],
    [0, 0, 0, 0, 0, 0, 0],
  ];
  for (const [samples, perSample] of [
    [1, false],
    [1, true],
    [4, false],
    [4, true],
  ] as const) {
    it.each(mixtures.map((groups, i) => ({ groups, seed: i + 1 })))(
      `varyings $groups at ${samples} sample(s)${perSample ? ', one invocation a sample' : ''}`,
      ({ groups, seed }) => {
        const scene = { samples, perSample, seed, groups };
        const quads = render('kernel', true, scene);
        for (const name of ['kernel', 'kernel.scalar'] as const) {
          const free = render(name, false, scene);
          free.surfaces.forEach((bytes, i) =>
            expect(Buffer.compare(bytes, quads.surfaces[i]), `${name}: target ${i}`).toBe(0)
          );
          expect(free.busy).toBeGreaterThan(0.95);
          expect(free.warps).toBeLessThan(quads.warps);
        }
        expect(quads.busy).toBeLessThan(0.9);
        expect(new Set(quads.surfaces[0]).size).toBeGreaterThan(100);
      }
    );
  }
});

describe('packing of pixels', () => {
  const target = { format: FORMAT_R32UINT, registers: [0] };
  const flatDraw = (k: PixelKernel, shader?: (warp: number) => number): number =>
    makeDraw(k, { flags: DRAW_FLAG_DEFERRED, groups: [0, 0, 0, 0, 0, 0, 1], targets: [target], shader });
  const onePixel = (k: PixelKernel, draw: number, i: number): number => {
    const [x, y] = [(i * 5) % 64, Math.floor((i * 5) / 64) * 2];
    return makeTriangle(k, draw, { vertices: WHOLE, planes: [{ bits: i + 1 }], box: [x, y, x + 1, y + 1] });
  };
  const pixelOf = (i: number): readonly [number, number] => [(i * 5) % 64, Math.floor((i * 5) / 64) * 2];
  const onePass = (k: PixelKernel, samples: 1 | 4): TestPass =>
    new TestPass(k, {
      width: 64,
      height: 64,
      samples,
      colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
    });

  it.each([1, 4] as const)(
    'puts 64 pixels of 64 triangles into a warp, and runs the lanes that hold one, at %i sample(s)',
    (samples) => {
      const k = new PixelKernel('testing');
      const pass = onePass(k, samples);
      const masks: string[] = [];
      const draw = flatDraw(k, (warp) => {
        const { quads } = warpOf(k, warp);
        masks.push(
          Array.from({ length: quads * 4 }, (_, lane) => (k.readI32(warp + Warp.exec + lane * 4) ? 'x' : '-')).join('')
        );
        return 0;
      });
      pass.bin(Array.from({ length: 133 }, (_, i) => onePixel(k, draw, i)));
      expect(pass.run()).toBe(0);
      expect(masks).toEqual(['x'.repeat(64), 'x'.repeat(64), 'xxxxx---']);
      expect(pass.statistic(Statistics.lanesShaded)).toBe(133);
      expect(pass.statistic(Statistics.quadsShaded)).toBe(34);
      for (let i = 0; i < 133; i++)
        for (let s = 0; s < samples; s++) expect(k.readI32(pass.texel(Pass.colors, ...pixelOf(i), s))).toBe(i + 1);
    }
  );

  it('shares warps only between draw calls that are shaded alike', () => {
    for (const alike of [true, false]) {
      const k = new PixelKernel('testing');
      const pass = onePass(k, 1);
      const draws = Array.from({ length: 16 }, () => flatDraw(k));
      if (alike)
        for (const draw of draws) {
          k.i32(draw + Draw.shading, 77);
          k.i32(draw + Draw.fragment + Stage.program, k.readI32(draws[0] + Draw.fragment + Stage.program));
        }
      // A pixel and a quad of each draw call, alternating.
      pass.bin(Array.from({ length: 64 }, (_, i) => onePixel(k, draws[i % 16], i)));
      pass.bin(
        Array.from({ length: 16 }, (_, i) =>
          makeTriangle(k, draws[i], { vertices: WHOLE, planes: [{ bits: 100 + i }], box: [i * 4, 60, i * 4 + 2, 62] })
        )
      );
      expect(pass.run()).toBe(0);
      if (alike) expect(pass.statistic(Statistics.warpsFragment)).toBe(2);
      else expect(pass.statistic(Statistics.warpsFragment)).toBeGreaterThan(16);
      for (let i = 0; i < 64; i++) expect(k.readI32(pass.texel(Pass.colors, ...pixelOf(i)))).toBe(i + 1);
      for (let i = 0; i < 16; i++) expect(k.readI32(pass.texel(Pass.colors, i * 4 + 1, 61))).toBe(100 + i);
    }
  });

  it('fragments pending for an in-order draw call come before later ones, even without covered samples', () => {
    const k = new PixelKernel('testing');
    const pass = onePass(k, 4);
    const nothing = makeDraw(k, {
      compare: COMPARE_ALWAYS,
      sampleMask: 0,
      groups: [0, 0, 0, 0, 0, 0, 1],
      targets: [target],
    });
    const layer = (draw: number, bits: number, end: number): number =>
      makeTriangle(k, draw, { vertices: WHOLE, planes: [{ bits }], box: [8, 8, end, end] });
    for (let i = 1; i <= 6; i++) pass.bin([layer(flatDraw(k), i, 11), layer(nothing, 99, 24)]);
    expect(pass.run()).toBe(0);
    for (let y = 8; y < 11; y++)
      for (let x = 8; x < 11; x++) expect(k.readI32(pass.texel(Pass.colors, x, y, 2))).toBe(6);
  });

  it('returns the status of a program that ran out of time, from a full warp and from the last', () => {
    for (const count of [3, 64, 400]) {
      const k = new PixelKernel('testing');
      const pass = onePass(k, 1);
      const draw = flatDraw(k, () => 2);
      pass.bin(Array.from({ length: count }, (_, i) => onePixel(k, draw, i)));
      expect(pass.run()).toBe(2);
    }
  });
});
