// Depth and stencil compared with a model in JavaScript, sample by sample: random overlapping draw calls, deferred, in
// order, depth-only and with late tests.
import { describe, expect, it } from 'vitest';
import {
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_RUNS_ALL,
  DRAW_FLAG_STENCIL,
} from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32UINT,
  FORMAT_STENCIL8,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { Pass, Warp } from '../../build/layout';
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
  type Stencil,
  type Vertex,
} from '../raster/kit';
import { TestPass } from '../raster/pass';

const SIZE = 70;

interface Model {
  depth: Float32Array;
  stencil: Uint8Array;
  color: Uint32Array;
}

/** WebGPU compare functions by COMPARE_*. */
const COMPARE: ((a: number, b: number) => boolean)[] = [
  () => false,
  () => false,
  (a, b) => a < b,
  (a, b) => a === b,
  (a, b) => a <= b,
  (a, b) => a > b,
  (a, b) => a !== b,
  (a, b) => a >= b,
  () => true,
];
const OPERATE: ((s: number, reference: number) => number)[] = [
  (s) => s,
  () => 0,
  (_, r) => r,
  (s) => ~s & 255,
  (s) => Math.min(s + 1, 255),
  (s) => Math.max(s - 1, 0),
  (s) => (s + 1) & 255,
  (s) => (s + 255) & 255,
];

interface DrawModel {
  kind: 'deferred' | 'ordered' | 'depthOnly' | 'discard' | 'fragDepth';
  compare: number;
  write: boolean;
  stencil?: { front: Stencil; back: Stencil; readMask: number; writeMask: number; reference: number };
  sampleMask: number;
}

function depthAt([c, ddx, ddy]: Plane, x0: number, y0: number, x: number, y: number, depth16: boolean): number {
  const f = Math.fround;
  const z = f(f(f(f(ddx) * f(x - x0)) + f(c)) + f(f(ddy) * f(y - y0)));
  const limited = Math.min(Math.max(z, 0), 1);
  return depth16 ? f(Math.floor(f(f(limited * 65535) + 0.5)) / 65535) : limited;
}

/** Whether the shader of a discarding draw call discards a pixel. */
const discards = (x: number, y: number): boolean => ((x >> 1) + y) % 3 === 0;

function applySample(model: Model, i: number, draw: DrawModel, z: number, id: number, back: boolean): void {
  const face = back ? draw.stencil?.back : draw.stencil?.front;
  const old = model.stencil[i];
  const update = (op = 0): void => {
    const { reference, writeMask } = draw.stencil!;
    model.stencil[i] = (old & ~writeMask) | (OPERATE[op](old, reference) & writeMask);
  };
  if (face && draw.stencil) {
    const { reference, readMask } = draw.stencil;
    if (!COMPARE[face.compare](reference & readMask, old & readMask)) return update(face.fail);
  }
  if (!COMPARE[draw.compare](z, model.depth[i])) return face && update(face.depthFail);
  if (face) update(face.pass);
  if (draw.write) model.depth[i] = z;
  if (draw.kind !== 'depthOnly') model.color[i] = id;
}

function scene(samples: 1 | 4, depthFormat: number, seed: number, withStencil: boolean): void {
  const next = random(seed);
  const pick = (n: number): number => Math.floor(next() * n);
  const k = new PixelKernel('testing');
  const pass = new TestPass(k, {
    width: SIZE,
    height: SIZE,
    samples,
    depth: { format: depthFormat, clear: [0.5] },
    stencil: withStencil ? { format: FORMAT_STENCIL8, integer: true, clear: [100] } : undefined,
    colors: [{ format: FORMAT_R32UINT, integer: true, clear: [0] }],
  });
  const depth16 = depthFormat === FORMAT_DEPTH16UNORM;
  const texels = SIZE * SIZE * samples;
  const clearDepth = depth16 ? Math.fround(Math.floor(0.5 * 65535 + 0.5) / 65535) : 0.5;
  const model: Model = {
    depth: new Float32Array(texels).fill(clearDepth),
    stencil: new Uint8Array(texels).fill(100),
    color: new Uint32Array(texels),
  };
  const triangles: number[] = [];
  for (let d = 0; d < 24; d++) {
    const kind = (['deferred', 'ordered', 'depthOnly', 'discard', 'fragDepth'] as const)[pick(5)];
    const face = (): Stencil => ({ compare: 1 + pick(8), fail: pick(8), depthFail: pick(8), pass: pick(8) });
    const draw: DrawModel = {
      kind,
      compare: 1 + pick(8),
      write: next() < 0.7,
      sampleMask: next() < 0.2 ? 5 : -1,
      stencil:
        withStencil && next() < 0.6
          ? { front: face(), back: face(), readMask: pick(256), writeMask: pick(256), reference: pick(256) }
          : undefined,
    };
    const late = kind === 'discard' || kind === 'fragDepth';
    // Registers: 0 flat id, 1 x, 2 y, 3 exported depth.
    const address = makeDraw(k, {
      flags:
        (kind === 'deferred' ? DRAW_FLAG_DEFERRED : 0)
        | (late ? DRAW_FLAG_LATE_DEPTH : 0)
        | (draw.stencil ? DRAW_FLAG_STENCIL : 0)
        | (kind === 'fragDepth' ? DRAW_FLAG_RUNS_ALL : 0),
      compare: draw.compare,
      write: draw.write,
      stencil: draw.stencil,
      sampleMask: draw.sampleMask,
      depthOnly: kind === 'depthOnly',
      groups: [0, 0, 0, 0, 0, 0, 1],
      targets: [{ format: FORMAT_R32UINT, registers: [0] }],
      registers: { x: 1, y: 2, fragDepth: kind === 'fragDepth' ? 3 : undefined },
      shader: (warp) => {
        const { quads, registers } = warpOf(k, warp);
        for (let lane = 0; lane < quads * 4; lane++) {
          const x = k.readF32(registers + REGISTER_BYTES + lane * 4);
          const y = k.readF32(registers + 2 * REGISTER_BYTES + lane * 4);
          if (kind === 'discard' && discards(Math.floor(x), Math.floor(y))) k.i32(warp + Warp.killed + lane * 4, -1);
          if (kind === 'fragDepth') k.f32(registers + 3 * REGISTER_BYTES + lane * 4, x / SIZE);
        }
        return 0;
      },
    });
    for (let t = 0; t < 5; t++) {
      const corner = (): Vertex => ({
        x: Math.round((next() * 90 - 10) * 256) / 256,
        y: Math.round((next() * 90 - 10) * 256) / 256,
      });
      const vertices: [Vertex, Vertex, Vertex] = [corner(), corner(), corner()];
      const edges = edgesOf(vertices);
      if (!edges) continue;
      const z: Plane = [next(), (next() - 0.5) * 0.02, next() < 0.3 ? 0 : (next() - 0.5) * 0.02];
      const back = next() < 0.5;
      const id = d * 5 + t + 1;
      triangles.push(makeTriangle(k, address, { vertices, z, planes: [{ bits: id }], back, box: [0, 0, SIZE, SIZE] }));
      for (let y = 0; y < SIZE; y++)
        for (let x = 0; x < SIZE; x++)
          for (let s = 0; s < samples; s++) {
            if (!covers(edges, x, y, samples, s) || !((draw.sampleMask >> s) & 1)) continue;
            const [sx, sy] = samplePosition(samples, s);
            const plane = depthAt(z, vertices[0].x, vertices[0].y, x + sx, y + sy, depth16);
            const depth =
              kind === 'fragDepth' ? depthAt([Math.fround((x + 0.5) / SIZE), 0, 0], 0, 0, 0, 0, depth16) : plane;
            if (kind !== 'discard' || !discards(x, y))
              applySample(model, (y * SIZE + x) * samples + s, draw, depth, id, back);
          }
    }
  }
  pass.bin(triangles);
  expect(pass.run()).toBe(0);
  compare(k, pass, model, depth16);
}

function compare(k: PixelKernel, pass: TestPass, model: Model, depth16: boolean): void {
  const { samples, stencil } = pass.shape;
  const view = new DataView(k.memory.buffer);
  const wrong: string[] = [];
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++)
      for (let s = 0; s < samples; s++) {
        const i = (y * SIZE + x) * samples + s;
        const at = pass.texel(Pass.depth, x, y, s);
        const got = {
          color: view.getUint32(pass.texel(Pass.colors, x, y, s), true),
          depth: depth16 ? view.getUint16(at, true) : view.getFloat32(at, true),
          stencil: stencil ? view.getUint8(pass.texel(Pass.stencil, x, y, s)) : 100,
        };
        const want = {
          color: model.color[i],
          depth: depth16 ? Math.round(model.depth[i] * 65535) : model.depth[i],
          stencil: model.stencil[i],
        };
        if (got.color !== want.color || got.depth !== want.depth || got.stencil !== want.stencil) {
          wrong.push(`(${x}, ${y}) ${s}: ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
        }
      }
  expect(wrong.slice(0, 5)).toEqual([]);
}

describe.each([1, 4] as const)('depth and stencil at %i sample(s)', (samples) => {
  it.each([1, 2, 3, 4])('depth32float, scene %i', (seed) => scene(samples, FORMAT_DEPTH32FLOAT, seed, false));
  it.each([5, 6])('depth16unorm, scene %i', (seed) => scene(samples, FORMAT_DEPTH16UNORM, seed, false));
  it.each([7, 8, 9, 10, 11, 12])('with stencil, scene %i', (seed) => scene(samples, FORMAT_DEPTH32FLOAT, seed, true));
});
