// States of 8×8 blocks (layout/surface/surface.ts) are never visible. Triangles that cover whole blocks, drawn in one
// chunk, give the same bytes as when every triangle is a separate chunk, which loads and stores all planes sample by
// sample.
import { describe, expect, it } from 'vitest';
import {
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_STENCIL,
  STENCIL_INCREMENT_WRAP,
} from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_STENCIL8,
} from '../../assembly/layout/texture/formats';
import { RATE_PIXEL, RATE_SAMPLE } from '../../assembly/layout/program/stage-codes';
import { COMPARE_ALWAYS, COMPARE_GREATER, COMPARE_LESS } from '../../assembly/layout/texture/texture-codes';
import { Pass, Statistics } from '../../build/layout';
import { makeDraw, makeTriangle, PixelKernel, random, type KernelName, type Plane, type Vertex } from './kit';
import { TestPass } from './pass';

interface Scene {
  samples: 1 | 4;
  seed: number;
  format: number;
  depth: number;
}

/** Draws large and small triangles with random state; returns the bytes of the surfaces. */
function render(name: KernelName, scene: Scene, chunks: boolean): Uint8Array[] {
  const k = new PixelKernel(name);
  const next = random(scene.seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)];
  const pass = new TestPass(k, {
    width: 77,
    height: 90,
    samples: scene.samples,
    depth: { format: scene.depth, clear: [0.6] },
    colors: [{ format: scene.format, clear: [0.2, 0.4, 0.6, 0.8], resolve: scene.samples === 4 }],
  });
  const triangles: number[] = [];
  const over = { op: 0, src: 1, dst: 5, alphaOp: 0, alphaSrc: 1, alphaDst: 5 };
  for (let d = 0; d < 24; d++) {
    const [flags, rate] = pick([
      [DRAW_FLAG_DEFERRED, RATE_PIXEL],
      [DRAW_FLAG_DEFERRED, RATE_PIXEL],
      [DRAW_FLAG_DEFERRED, RATE_SAMPLE],
      [0, RATE_PIXEL],
      [DRAW_FLAG_LATE_DEPTH, RATE_PIXEL],
    ] as const);
    const draw = makeDraw(k, {
      flags,
      rate,
      compare: 1 + Math.floor(next() * 8),
      write: next() < 0.7,
      groups: [4, 0, 0, 0, 0, 0, 0],
      sampleMask: next() < 0.15 ? 5 : undefined,
      targets: [
        {
          format: scene.format,
          registers: [0, 1, 2, 3],
          writeMask: 15,
          blend: flags & DRAW_FLAG_DEFERRED || next() < 0.3 ? undefined : over,
        },
      ],
    });
    const flat = next() < 0.5;
    const slope = pick([0, 0, 0.001, 0.02]);
    const z: Plane = [pick([0.2, 0.4, 0.6, 0.8]), (next() - 0.5) * slope, (next() - 0.5) * slope];
    const planes = [0, 1, 2, 3].map((): Plane => [
      next(),
      flat ? 0 : (next() - 0.5) * 0.01,
      flat ? 0 : (next() - 0.5) * 0.01,
    ]);
    const w: Plane = next() < 0.5 ? [1, 0, 0] : [0.9, 0.001, 0.001];
    const at = (x: number, y: number): Vertex => ({ x: Math.round(x * 256) / 256, y: Math.round(y * 256) / 256 });
    const [x, y] = next() < 0.5 ? [0, 0] : [next() * 60 - 20, next() * 60 - 20];
    const size = pick([20, 60, 400, 400]);
    const box = next() < 0.3 ? ([8, 16, 64, 80] as const) : ([0, 0, 77, 90] as const);
    const triangle = makeTriangle(k, draw, {
      vertices: [at(x, y), at(x + size, y), at(x, y + size)],
      z,
      w,
      planes,
      back: false,
      box: [...box],
    });
    if (triangle) triangles.push(triangle);
  }
  for (const triangle of triangles) {
    pass.bin([triangle]);
    if (chunks) expect(pass.run(false)).toBe(0);
  }
  expect(pass.run()).toBe(0);
  const resolved = scene.samples === 4 ? [k.bytes(pass.resolved(0, 0), 77 * 4 * 90).slice()] : [];
  return [pass.surface(Pass.colors).slice(), pass.surface(Pass.depth).slice(), ...resolved];
}

describe('states of blocks are never visible', () => {
  const formats = [FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB, FORMAT_BGRA8UNORM, FORMAT_RGBA16FLOAT];
  const depths = [FORMAT_DEPTH32FLOAT, FORMAT_DEPTH32FLOAT, FORMAT_DEPTH16UNORM];
  for (const samples of [1, 4] as const) {
    it.each(Array.from({ length: 16 }, (_, i) => i))(`scene %i at ${samples} sample(s)`, (seed) => {
      const scene = {
        samples,
        seed: seed + 100,
        format: formats[seed % formats.length],
        depth: depths[seed % depths.length],
      };
      const once = render('kernel', scene, false);
      for (const [name, chunks] of [
        ['kernel', true],
        ['kernel.scalar', false],
        ['kernel.scalar', true],
      ] as const) {
        render(name, scene, chunks).forEach((bytes, i) =>
          expect(Buffer.compare(bytes, once[i]), `${name}, chunks ${chunks}: surface ${i}`).toBe(0)
        );
      }
      expect(new Set(once[0]).size).toBeGreaterThan(8);
    });
  }
});

describe('a block under many layers', () => {
  for (const samples of [1, 4] as const) {
    it(`is shaded once at ${samples} sample(s), by the nearest layer`, () => {
      const k = new PixelKernel('kernel');
      const pass = new TestPass(k, {
        width: 64,
        height: 64,
        samples,
        depth: { format: FORMAT_DEPTH32FLOAT, clear: [1] },
        colors: [{ format: FORMAT_RGBA8UNORM, clear: [0, 0, 0, 0] }],
      });
      const state = {
        flags: DRAW_FLAG_DEFERRED,
        write: true,
        groups: [4, 0, 0, 0, 0, 0, 0],
        targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 1, 2, 3], writeMask: 15 }],
      };
      const draw = makeDraw(k, { ...state, compare: COMPARE_LESS });
      const layers = Array.from({ length: 20 }, (_, i) =>
        makeTriangle(k, draw, {
          vertices: [
            { x: 0, y: 0 },
            { x: 256, y: 0 },
            { x: 0, y: 256 },
          ],
          z: [0.9 - ((i * 7) % 20) * 0.04, 0, 0],
          w: [1, 0, 0],
          planes: [
            [(((i * 7) % 20) * 10) / 255, 0, 0],
            [0, 0, 0],
            [0, 0, 0],
            [1, 0, 0],
          ],
          back: false,
          box: [0, 0, 64, 64],
        })
      );
      pass.bin(layers.filter((layer) => layer !== 0));
      expect(pass.run()).toBe(0);
      expect([...pass.surface(Pass.colors).slice(0, 4)]).toEqual([190, 0, 0, 255]);
      expect(k.readF32(pass.texel(Pass.depth, 63, 63))).toBe(Math.fround(0.9 - 19 * 0.04));
      expect(pass.statistic(Statistics.quadsShaded)).toBe(1024);
      expect(pass.statistic(Statistics.quadsTested)).toBe(20 * 1024);
    });
  }
});

describe('blocks filled by small triangles', () => {
  /**
   * Layers of a mesh of triangles of about `step` pixels, each with its own depth and slope; returns the surfaces'
   * bytes.
   */
  function mesh(
    name: KernelName,
    samples: 1 | 4,
    step: number,
    layers: readonly number[],
    compare: number,
    chunks: boolean
  ): { bytes: Uint8Array[]; hidden: number; tested: number } {
    const k = new PixelKernel(name);
    const pass = new TestPass(k, {
      width: 64,
      height: 64,
      samples,
      depth: { format: FORMAT_DEPTH32FLOAT, clear: [compare === COMPARE_LESS ? 1 : 0] },
      colors: [{ format: FORMAT_RGBA8UNORM, clear: [0, 0, 0, 0] }],
    });
    const draw = makeDraw(k, {
      flags: DRAW_FLAG_DEFERRED,
      compare,
      write: true,
      groups: [4, 0, 0, 0, 0, 0, 0],
      targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 1, 2, 3], writeMask: 15 }],
    });
    layers.forEach((z, layer) => {
      for (let y = 0; y < 64; y += step)
        for (let x = 0; x < 64; x += step)
          for (const half of [0, 1]) {
            const corner = (dx: number, dy: number): Vertex => ({ x: x + dx * step, y: y + dy * step });
            const triangle = makeTriangle(k, draw, {
              vertices: half ? [corner(1, 0), corner(1, 1), corner(0, 1)] : [corner(0, 0), corner(1, 0), corner(0, 1)],
              z: [z + x * 1e-4, 1e-4, -1e-4],
              w: [1, 0, 0],
              planes: [
                [(layer * 40 + (x & 15)) / 255, 0, 0],
                [y / 255, 0, 0],
                [half, 0, 0],
                [1, 0, 0],
              ],
              back: false,
              box: [x, y, Math.min(64, x + step), Math.min(64, y + step)],
            });
            pass.bin([triangle]);
            if (chunks) expect(pass.run(false)).toBe(0);
          }
    });
    expect(pass.run()).toBe(0);
    return {
      bytes: [pass.surface(Pass.colors).slice(), pass.surface(Pass.depth).slice()],
      hidden: pass.statistic(Statistics.quadsHidden),
      tested: pass.statistic(Statistics.quadsTested),
    };
  }
  for (const samples of [1, 4] as const)
    for (const compare of [COMPARE_LESS, COMPARE_GREATER]) {
      it(`hide what is occluded, and nothing else, with comparison ${compare} at ${samples} sample(s)`, () => {
        const layers = [0.5, 0.52, 0.5, 0.7, 0.499, 0.3, 0.6, 0.301, 0.9];
        for (const step of [3, 7, 10]) {
          const once = mesh('kernel', samples, step, layers, compare, false);
          expect(once.hidden).toBeGreaterThan(once.tested * 0.3);
          for (const [name, chunks] of [
            ['kernel', true],
            ['kernel.scalar', false],
          ] as const) {
            mesh(name, samples, step, layers, compare, chunks).bytes.forEach((bytes, i) =>
              expect(Buffer.compare(bytes, once.bytes[i]), `${name}, step ${step}: surface ${i}`).toBe(0)
            );
          }
        }
      });
    }
});

describe('stencil without depth', () => {
  for (const samples of [1, 4] as const) {
    it(`tests stencil alone at ${samples} sample(s)`, () => {
      const k = new PixelKernel('kernel');
      const pass = new TestPass(k, {
        width: 64,
        height: 64,
        samples,
        stencil: { format: FORMAT_STENCIL8, clear: [7], integer: true },
        colors: [{ format: FORMAT_RGBA8UNORM, clear: [0, 0, 0, 0] }],
      });
      const face = { compare: COMPARE_ALWAYS, pass: STENCIL_INCREMENT_WRAP };
      const draw = makeDraw(k, {
        flags: DRAW_FLAG_DEFERRED | DRAW_FLAG_STENCIL,
        groups: [4, 0, 0, 0, 0, 0, 0],
        stencil: { front: face, back: face, readMask: 255, writeMask: 255, reference: 0 },
        targets: [{ format: FORMAT_RGBA8UNORM, registers: [0, 1, 2, 3], writeMask: 15 }],
      });
      pass.bin([
        makeTriangle(k, draw, {
          vertices: [
            { x: 0, y: 0 },
            { x: 256, y: 0 },
            { x: 0, y: 256 },
          ],
          z: [0.5, 0, 0],
          w: [1, 0, 0],
          planes: [
            [1, 0, 0],
            [1, 0, 0],
            [0, 0, 0],
            [1, 0, 0],
          ],
          back: false,
          box: [0, 0, 64, 64],
        }),
      ]);
      expect(pass.run()).toBe(0);
      for (let y = 0; y < 64; y++) {
        for (let x = 0; x < 64; x++) {
          expect(k.bytes(pass.texel(Pass.stencil, x, y, samples - 1), 1)[0]).toBe(8);
          expect(k.readI32(pass.texel(Pass.colors, x, y, samples - 1)) >>> 0).toBe(0xff00ffff);
        }
      }
    });
  }
});
