// Texture sampling in double precision, written from the specification's text, one lane at a time.
import {
  ADDRESS_CLAMP,
  ADDRESS_REPEAT,
  COMPARE_ALWAYS,
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NEVER,
  COMPARE_NOT_EQUAL,
  DIMENSION_1D,
  DIMENSION_3D,
  DIMENSION_CUBE,
  FILTER_LINEAR,
  FILTER_NEAREST,
} from '../../assembly/layout/texture/texture-codes';
import type { BuiltTexture, Level, SamplerSpec } from './harness';

export type Vector = [number, number, number];
interface Footing {
  readonly lod: number;
  readonly layer: number;
  readonly offset: readonly [number, number];
  readonly reference: number | null;
}

const modulo = (i: number, n: number): number => ((i % n) + n) % n;
function wrap(i: number, size: number, mode: number): number {
  if (mode === ADDRESS_CLAMP) return Math.max(0, Math.min(size - 1, i));
  if (mode === ADDRESS_REPEAT) return modulo(i, size);
  const m = modulo(i, 2 * size);
  return m < size ? m : 2 * size - 1 - m;
}

const AXES: readonly (readonly [(v: Vector) => number, (v: Vector) => number, (v: Vector) => number])[] = [
  [(v) => -v[2], (v) => -v[1], (v) => v[0]],
  [(v) => v[2], (v) => -v[1], (v) => -v[0]],
  [(v) => v[0], (v) => v[2], (v) => v[1]],
  [(v) => v[0], (v) => -v[2], (v) => -v[1]],
  [(v) => v[0], (v) => -v[1], (v) => v[2]],
  [(v) => -v[0], (v) => -v[1], (v) => -v[2]],
];
function face(v: Vector): number {
  const [x, y, z] = v.map(Math.abs) as Vector;
  if (z >= x && z >= y) return v[2] < 0 ? 5 : 4;
  if (y >= x) return v[1] < 0 ? 3 : 2;
  return v[0] < 0 ? 1 : 0;
}
/** Face coordinates in 0 … 1. */
function onFace(f: number, v: Vector): [number, number] {
  const [s, t, m] = AXES[f]!;
  return [(s(v) / m(v) + 1) / 2, (t(v) / m(v) + 1) / 2];
}
function pointOf(f: number, s: number, t: number): Vector {
  return (
    [
      [1, -t, -s],
      [-1, -t, s],
      [s, 1, t],
      [s, -1, -t],
      [s, -t, 1],
      [-s, -t, -1],
    ] as Vector[]
  )[f]!;
}

const texel = (level: Level, x: number, y: number, z: number): number[] =>
  level.texels[(z * level.height + y) * level.width + x]!;

function cubeTexel(level: Level, layer: number, f: number, i: number, j: number): number[] {
  const n = level.width;
  const outI = i < 0 || i >= n;
  const outJ = j < 0 || j >= n;
  if (outI && outJ)
    return texel(level, Math.max(0, Math.min(n - 1, i)), Math.max(0, Math.min(n - 1, j)), layer * 6 + f);
  if (!outI && !outJ) return texel(level, i, j, layer * 6 + f);
  const p = pointOf(f, (2 * i + 1) / n - 1, (2 * j + 1) / n - 1);
  const g = [0, 1, 2, 3, 4, 5].reduce((best, k) => (AXES[k]![2](p) > AXES[best]![2](p) ? k : best), 0);
  const [s, t] = onFace(g, p);
  return texel(level, Math.min(n - 1, Math.floor(s * n)), Math.min(n - 1, Math.floor(t * n)), layer * 6 + g);
}

const COMPARES: Record<number, (a: number, b: number) => boolean> = {
  [COMPARE_LESS]: (a, b) => a < b,
  [COMPARE_GREATER]: (a, b) => a > b,
  [COMPARE_LESS_EQUAL]: (a, b) => a <= b,
  [COMPARE_GREATER_EQUAL]: (a, b) => a >= b,
  [COMPARE_EQUAL]: (a, b) => a === b,
  [COMPARE_NOT_EQUAL]: (a, b) => a !== b,
  [COMPARE_ALWAYS]: () => true,
  [COMPARE_NEVER]: () => false,
};

function sampleLevel(
  t: BuiltTexture,
  s: SamplerSpec,
  uvw: Vector,
  f: Footing,
  index: number,
  linear: boolean
): number[] {
  const level = t.levels[index]!;
  const { dimension } = t.spec;
  const decide = (v: number[]): number[] =>
    f.reference === null ? v : [COMPARES[s.compare]!(f.reference, v[0]!) ? 1 : 0, 0, 0, 1];
  const cube = dimension >= DIMENSION_CUBE;
  const f6 = cube ? face(uvw) : 0;
  const [su, sv] = cube ? onFace(f6, uvw) : [uvw[0], uvw[1]];
  const half = linear ? 0.5 : 0;
  const x = su * level.width - half + (cube ? 0 : f.offset[0]);
  const y = dimension === DIMENSION_1D ? 0 : sv * level.height - half + (cube ? 0 : f.offset[1]);
  const z = dimension === DIMENSION_3D ? uvw[2] * level.slices - half : 0;
  const layer = Math.max(0, Math.min((cube ? t.spec.layers / 6 : t.spec.layers) - 1, f.layer));
  const fetch = (i: number, j: number, k: number): number[] => {
    if (cube)
      return decide(
        cubeTexel(
          level,
          layer,
          f6,
          linear ? i : Math.min(i, level.width - 1),
          linear ? j : Math.min(j, level.width - 1)
        )
      );
    const slice = dimension === DIMENSION_3D ? wrap(k, level.slices, s.w) : layer;
    return decide(
      texel(level, wrap(i, level.width, s.u), dimension === DIMENSION_1D ? 0 : wrap(j, level.height, s.v), slice)
    );
  };
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  if (!linear) return fetch(i, j, k);
  const [fx, fy, fz] = [x - i, y - j, z - k];
  const out = [0, 0, 0, 0];
  for (let n = 0; n < 8; n++) {
    const weight = (n & 1 ? fx : 1 - fx) * (n & 2 ? fy : 1 - fy) * (n & 4 ? fz : 1 - fz);
    if (weight === 0) continue;
    fetch(i + (n & 1), j + ((n >> 1) & 1), k + (n >> 2)).forEach((v, c) => {
      out[c] = out[c]! + v * weight;
    });
  }
  return out;
}

export function sample(t: BuiltTexture, s: SamplerSpec, uvw: Vector, f: Footing): number[] {
  const lod = Math.min(s.lodMax, Math.max(s.lodMin, f.lod));
  const linear = (lod <= 0 ? s.mag : s.min) === FILTER_LINEAR;
  const position = Math.max(0, Math.min(t.spec.levels - 1, lod));
  if (s.mip === FILTER_NEAREST) return sampleLevel(t, s, uvw, f, Math.floor(position + 0.5), linear);
  const index = Math.floor(position);
  const mix = position - index;
  const a = sampleLevel(t, s, uvw, f, index, linear);
  if (mix === 0) return a;
  const b = sampleLevel(t, s, uvw, f, index + 1, linear);
  return a.map((v, c) => v + (b[c]! - v) * mix);
}

/** Level of detail of two gradients in normalized coordinates. */
export function gradientLod(t: BuiltTexture, ddx: Vector, ddy: Vector): number {
  const scale = [t.spec.width, t.spec.height, t.spec.dimension === DIMENSION_3D ? t.spec.depth : 0];
  const length = (d: Vector): number => Math.hypot(...d.map((v, i) => v * scale[i]!));
  return Math.log2(Math.max(length(ddx), length(ddy)));
}
export function cubeLod(t: BuiltTexture, at: Vector, ddx: Vector, ddy: Vector): number {
  const f = face(at);
  const e = 1e-4;
  const rate = (d: Vector): number => {
    const forward = onFace(f, at.map((v, i) => v + e * d[i]!) as Vector);
    const back = onFace(f, at.map((v, i) => v - e * d[i]!) as Vector);
    return (Math.hypot(forward[0] - back[0], forward[1] - back[1]) / (2 * e)) * t.spec.width;
  };
  return Math.log2(Math.max(rate(ddx), rate(ddy)));
}
