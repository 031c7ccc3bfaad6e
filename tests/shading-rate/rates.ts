// Shading rates, combiners and depth tables by their definitions, for the reference renderer, independent of the
// engine.

export const RATES = ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4'] as const;
export type Rate = (typeof RATES)[number];
export const COMBINERS = ['keep', 'replace', 'finest', 'coarsest', 'average', 'product'] as const;
export type Combiner = (typeof COMBINERS)[number];

/** log2(width) · 4 + log2(height). */
export const CODES: Readonly<Record<Rate, number>> = {
  '1x1': 0,
  '1x2': 1,
  '2x1': 4,
  '2x2': 5,
  '2x4': 6,
  '4x2': 9,
  '4x4': 10,
};
const rateOf = (code: number): Rate => RATES.find((rate) => CODES[rate] === code)!;
/** Width and height in pixels. */
export const sizeOf = (rate: Rate): readonly [number, number] => [Number(rate[0]), Number(rate[2])];

/** The rate for the logarithms of a width and a height: at most 4; 1×4 and 4×1 become finer. */
function rateOfLogarithms(width: number, height: number): Rate {
  const w = Math.min(width, 2);
  const h = Math.min(height, 2);
  return rateOf(Math.min(w, h + 1) * 4 + Math.min(h, w + 1));
}

/** The rate of a code in a shader or a rate texture: only the low four bits count. */
export const rateOfCode = (code: number): Rate => rateOfLogarithms((code >> 2) & 3, code & 3);

type Axis = (before: number, source: number) => number;
const AXES: Readonly<Record<Combiner, Axis>> = {
  keep: (before) => before,
  replace: (_, source) => source,
  finest: Math.min,
  coarsest: Math.max,
  average: (before, source) => Math.floor((before + source) / 2),
  product: (before, source) => before + source,
};

export function combine(combiner: Combiner, before: Rate, source: Rate): Rate {
  const axis = AXES[combiner];
  const a = CODES[before];
  const b = CODES[source];
  return rateOfLogarithms(axis(a >> 2, b >> 2), axis(a & 3, b & 3));
}

export const ROUNDINGS = ['floor', 'nearest'] as const;
export const PLACES = ['centre', 'min', 'max', 'centroid'] as const;
/** Equal slices of a range of depths, which includes both ends. */
export interface Slices {
  readonly near: number;
  readonly far: number;
  readonly count: number;
  readonly rounding: (typeof ROUNDINGS)[number];
}

/** A 32-bit float as an exact integer, in units of the smallest denormal. */
const exactly = (z: number): bigint => BigInt(z * 2 ** 149);

/**
 * N · (z − near) / (far − near) without rounding, as an integer and a remainder of 0, 1 (less than a half), 2 (a half)
 * or 3 (more).
 */
function placeOf({ near, far, count }: Slices, z: number): { readonly below: number; readonly rest: number } {
  const rough = (count * (z - near)) / (far - near);
  const isClear = Math.abs(rough * 2 - Math.round(rough * 2)) > 1e-9;
  if (isClear) return { below: Math.floor(rough), rest: rough - Math.floor(rough) < 0.5 ? 1 : 3 };
  const sign = far < near ? -1n : 1n;
  const width = (exactly(far) - exactly(near)) * sign;
  const way = (exactly(z) - exactly(near)) * sign * BigInt(count);
  const below = way / width;
  const rest = (way - below * width) * 2n;
  return { below: Number(below), rest: rest === 0n ? 0 : rest < width ? 1 : rest === width ? 2 : 3 };
}

/** The index of the slice that contains a depth; -1: none. `near`, `far` and `z` are f32. */
export function sliceOf(slices: Slices, z: number): number {
  const { near, far, count, rounding } = slices;
  if (!(z >= Math.min(near, far) && z <= Math.max(near, far))) return -1;
  const { below, rest } = placeOf(slices, z);
  const isUp = rounding === 'nearest' && (rest === 3 || (rest === 2 && below % 2 === 1));
  return Math.min(count - 1, isUp ? below + 1 : below);
}
