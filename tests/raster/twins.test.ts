// The shipped SIMD and scalar builds draw the same bits: whole tiles of random draw calls, with every stage of the
// pixel side.
import { describe, expect, it } from 'vitest';
import { DRAW_FLAG_DEFERRED, DRAW_FLAG_LATE_DEPTH } from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { RATE_PIXEL, RATE_SAMPLE } from '../../assembly/layout/program/stage-codes';
import { Pass } from '../../build/layout';
import { makeDraw, makeTriangle, PixelKernel, random, type KernelName, type Plane, type Vertex } from './kit';
import { TestPass } from './pass';

const FORMATS = [FORMAT_RGBA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_RGBA16FLOAT, FORMAT_RGBA8UNORM_SRGB];

/** Draws a random scene; returns the bytes of its surfaces. */
function draw(name: KernelName, samples: 1 | 4, seed: number): Uint8Array[] {
  const k = new PixelKernel(name);
  const next = random(seed);
  const pick = (n: number): number => Math.floor(next() * n);
  const format = FORMATS[seed % FORMATS.length];
  const pass = new TestPass(k, {
    width: 100,
    height: 75,
    samples,
    depth: { format: seed % 3 ? FORMAT_DEPTH32FLOAT : FORMAT_DEPTH16UNORM, clear: [0.7] },
    colors: [{ format, clear: [0.1, 0.5, 0.9, 0.3], resolve: samples === 4 }],
  });
  const triangles: number[] = [];
  for (let d = 0; d < 40; d++) {
    const deferred = next() < 0.4;
    const groups = [1, pick(2), pick(2), 1, pick(2), pick(2), 1];
    const count = groups.reduce((sum, n) => sum + n, 0);
    const inputs = {
      x: count,
      y: count + 1,
      z: count + 2,
      w: count + 3,
      facing: count + 4,
      sampleIndex: count + 5,
      maskIn: count + 6,
    };
    const registers = [0, 1, 2, 3].map(() => (next() < 0.1 ? -1 : pick(count + (next() < 0.3 ? 4 : 0))));
    const blend = {
      op: pick(5),
      src: pick(13),
      dst: pick(13),
      alphaOp: pick(5),
      alphaSrc: pick(13),
      alphaDst: pick(13),
    };
    const simple = { op: 0, src: [1, 4][pick(2)], dst: [0, 1, 5][pick(3)], alphaOp: 0, alphaSrc: 1, alphaDst: 5 };
    const address = makeDraw(k, {
      flags: deferred ? DRAW_FLAG_DEFERRED : next() < 0.3 ? DRAW_FLAG_LATE_DEPTH : 0,
      rate: next() < 0.3 ? RATE_SAMPLE : RATE_PIXEL,
      compare: 1 + pick(8),
      write: next() < 0.6,
      groups,
      registers: inputs,
      blendConstant: [next(), next() * 2, next(), next()],
      targets: [
        {
          format,
          registers,
          writeMask: deferred || next() < 0.7 ? 15 : pick(16),
          blend: deferred ? undefined : next() < 0.5 ? blend : simple,
        },
      ],
    });
    for (let t = 0; t < 6; t++) {
      const size = [4, 15, 120][pick(3)];
      const [x, y] = [next() * 110 - 10, next() * 85 - 10];
      const corner = (): Vertex => ({
        x: Math.round((x + next() * size) * 256) / 256,
        y: Math.round((y + next() * size) * 256) / 256,
      });
      const plane = (): Plane => [next(), (next() - 0.5) * 0.02, (next() - 0.5) * 0.02];
      const triangle = makeTriangle(k, address, {
        vertices: [corner(), corner(), corner()],
        z: plane(),
        w: plane(),
        planes: Array.from({ length: count }, plane),
        back: next() < 0.5,
        box: [0, 0, 100, 75],
      });
      if (triangle) triangles.push(triangle);
    }
  }
  pass.bin(triangles);
  expect(pass.run()).toBe(0);
  const resolved = samples === 4 ? [k.bytes(pass.resolved(0, 0), 100 * 4 * 75).slice()] : [];
  return [pass.surface(Pass.colors).slice(), pass.surface(Pass.depth).slice(), ...resolved];
}

describe('SIMD and scalar builds', () => {
  for (const samples of [1, 4] as const) {
    it.each(Array.from({ length: 12 }, (_, i) => i))(`scene %i at ${samples} sample(s)`, (seed) => {
      const simd = draw('kernel', samples, seed);
      const scalar = draw('kernel.scalar', samples, seed);
      simd.forEach((bytes, i) => expect(Buffer.compare(bytes, scalar[i]), `surface ${i}`).toBe(0));
      expect(new Set(simd[0]).size).toBeGreaterThan(20);
    });
  }
});
