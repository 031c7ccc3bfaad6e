// Shaders, triangles and tables of written shading rates.
import type { DepthShadingRates, Viewport } from '../../src/index';
import { RATES } from './rates';

export const WIDTH = 100;
export const HEIGHT = 72;
const PRIMITIVES = 48;

export const CODE = `enable modular_pipelines; enable shading_rate;
  struct V { @location(0) p: vec4f, @location(1) @interpolate(flat) said: vec2u }
  struct W { @builtin(position) p: vec4f, @location(1) @interpolate(flat) said: vec2u }
  struct Rated {
    @builtin(shading_rate) rate: u32, @builtin(position) p: vec4f, @location(1) @interpolate(flat) said: vec2u,
  }
  struct Fate { @builtin(shading_rate) rate: u32, @builtin(viewport_index) view: u32 }
  @vertex fn load(v: V) -> V { return v; }
  @vertex fn without(v: V) -> W { return W(v.p, v.said); }
  @vertex fn rated(v: V) -> Rated { return Rated(v.said.x, v.p, v.said); }
  @vertex fn otherwise(v: V) -> Rated { return Rated(v.said.x + 5, v.p, v.said); }
  @geometry fn again(v: array<V, 3>) {
    for (var k = 0; k < 3; k++) { emitVertex(Rated(v[k].said.x, v[k].p, v[k].said)); }
  }
  @primitive fn both(v: array<V, 3>) -> Fate { return Fate(v[0].said.x, v[0].said.y); }
  @primitive fn rates(v: array<V, 3>) -> @builtin(shading_rate) u32 { return v[0].said.x; }
  @primitive fn views(v: array<V, 3>) -> @builtin(viewport_index) u32 { return v[0].said.y; }
  @primitive fn passes(v: array<V, 3>) -> @builtin(cull_primitive) bool { return v[0].p.w < 0; }
  @fragment fn fs(
    @builtin(position) p: vec4f, @builtin(shading_rate) rate: u32, @location(1) @interpolate(flat) said: vec2u
  ) -> @location(0) vec4f {
    return vec4f(fract(p.xy / 16), f32(said.x % 16 * 16 + rate) / 255, 0.5);
  }
  @fragment fn other(@builtin(position) p: vec4f, @builtin(shading_rate) rate: u32) -> @location(0) vec4f {
    return vec4f(f32(rate) / 15, fract(p.yx / 8), 0.25);
  }
  @fragment fn sampled(@builtin(sample_index) i: u32, @builtin(shading_rate) rate: u32) -> @location(0) vec4f {
    return vec4f(f32(i) / 4, f32(rate) / 15, 0.5, 0.125);
  }`;

/** From 0 (inclusive) to 1 (exclusive). */
const scattered = (n: number): number => (((n * 2654435761) >>> 8) & 0xffff) / 65536;
export interface Vertex {
  readonly place: readonly number[];
  readonly code: number;
  readonly view: number;
}
/** Small triangles with every code, including bits that do not count; some leave the clip volume. */
export const triangles: readonly (readonly Vertex[])[] = Array.from({ length: PRIMITIVES }, (_, i) =>
  Array.from({ length: 3 }, (__, k): Vertex => {
    const n = i * 29 + k * 5;
    const w = 0.5 + scattered(n + 1);
    const at = (axis: number): number => scattered(i * 31 + axis) * 2.2 - 1.1 + (scattered(n + axis) - 0.5) * 0.9;
    return {
      place: [at(2) * w, at(3) * w, (scattered(n + 4) * 1.1 - 0.05) * w, w],
      code: ((i * 5 + k * 3) % 16) + (i % 3 === 0 ? 0xfff0 : 0),
      view: ((i * 7) >> 2) % 4,
    };
  })
);
/** Vertices of strips: none is clipped, because clipped primitives begin at other vertices. */
export const row: readonly Vertex[] = triangles.map(([{ code, view }], i) => ({
  code,
  view,
  place: [scattered(i * 3 + 1) * 1.8 - 0.9, scattered(i * 3 + 2) * 1.8 - 0.9, scattered(i), 1],
}));
/** The vertices of a topology's primitives, the provoking one first. */
export const PARTS: Readonly<Partial<Record<GPUPrimitiveTopology, readonly (readonly Vertex[])[]>>> = {
  'triangle-list': triangles,
  'triangle-strip': row.slice(2).map((_, i) => (i % 2 ? [row[i]!, row[i + 2]!, row[i + 1]!] : row.slice(i, i + 3))),
  'line-list': row.flatMap((_, i) => (i % 2 ? [row.slice(i - 1, i + 1)] : [])),
  'line-strip': row.slice(1).map((_, i) => row.slice(i, i + 2)),
  'point-list': row.map((vertex) => [vertex]),
};
export const BUFFERS: GPUVertexBufferLayout[] = [
  {
    arrayStride: 24,
    attributes: [
      { shaderLocation: 0, offset: 0, format: 'float32x4' },
      { shaderLocation: 1, offset: 16, format: 'uint32x2' },
    ],
  },
];

export const whole: Viewport = { x: 0, y: 0, width: WIDTH, height: HEIGHT };
export const VIEWS: Readonly<Record<string, readonly Viewport[]>> = {
  one: [whole],
  apart: [
    { x: 0, y: 0, width: 48, height: 72 },
    { x: 48, y: 3, width: 51, height: 66.5, minDepth: 0.5 },
  ],
  'that overlap': [
    { x: 0, y: 0, width: 64, height: 60 },
    { x: 22.25, y: 10, width: 70, height: 62, minDepth: 0.25 },
    { x: -9, y: 20, width: 80, height: 50, maxDepth: 0.5 },
  ],
};
const tableOf = (near: number, far: number, first: number): DepthShadingRates => ({
  near,
  far,
  rates: Array.from({ length: 8 }, (_, i) => RATES[(first + i * 3) % RATES.length]!),
});
export const TABLES = [tableOf(0.1, 0.9, 0), tableOf(1, 0.25, 2), tableOf(0, 0.5, 5)];

export const ENGINES = [
  'compiled',
  'interpreted',
  'interpreted by three, a chunk after every draw',
  'compiled, four workers, a small arena',
  'the scalar kernel',
];
