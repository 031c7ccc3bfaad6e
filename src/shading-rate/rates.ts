// Shading rates by name, and by the codes that shaders, rate textures and kernels use.
import {
  RATE_1X1,
  RATE_1X2,
  RATE_2X1,
  RATE_2X2,
  RATE_2X4,
  RATE_4X2,
  RATE_4X4,
  RATE_CODES,
} from '../../assembly/layout/pass/shading-rate-codes';

/** The area in fine pixels, width × height, that one fragment shader invocation covers. */
export type ShadingRate = '1x1' | '1x2' | '2x1' | '2x2' | '2x4' | '4x2' | '4x4';

const codes: Readonly<Record<ShadingRate, number>> = {
  '1x1': RATE_1X1,
  '1x2': RATE_1X2,
  '2x1': RATE_2X1,
  '2x2': RATE_2X2,
  '2x4': RATE_2X4,
  '4x2': RATE_4X2,
  '4x4': RATE_4X4,
};

/** All seven rates, in the order of their codes. */
export const shadingRates = Object.keys(codes) as readonly ShadingRate[];

const names = new Map(shadingRates.map((rate) => [codes[rate], rate]));

/** Whether a string is a shading rate. */
export const isShadingRate = (name: string): name is ShadingRate => Object.hasOwn(codes, name);

/** log2(width) · 4 + log2(height). */
export const codeOf = (rate: ShadingRate): number => codes[rate];

/** Base-2 logarithms of a rate's width and height. */
interface RateLogarithms {
  readonly width: number;
  readonly height: number;
}

/** The logarithms in a code: 0 to 3 each, where 3 is invalid. Only the low 4 bits of a code count. */
export function logarithmsOf(code: number): RateLogarithms {
  const low = code & (RATE_CODES - 1);
  return { width: low >> 2, height: low & 3 };
}

/**
 * The rate with these logarithms, or its replacement if there is none. A logarithm of 3 counts as 2. If the result is
 * still not a rate, the longer side is shortened: 1×4 becomes 1×2, and 4×1 becomes 2×1.
 */
export function rateOf({ width, height }: RateLogarithms): ShadingRate {
  const w = Math.min(2, width);
  const h = Math.min(2, height);
  const code = h === 0 ? Math.min(1, w) * 4 : w === 0 ? Math.min(1, h) : w * 4 + h;
  return names.get(code)!;
}

/** The rate that a shader or a rate texture specifies, for any value. */
export const rateOfCode = (code: number): ShadingRate => rateOf(logarithmsOf(code));
