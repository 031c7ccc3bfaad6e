// Depth tables: rates for equal slices of a range of depths.
import { codeOf, type ShadingRate } from './rates';

/** How a place between near and far becomes a slice: its floor, or the nearest number, ties to even. */
export type SliceRounding = 'floor' | 'nearest';
/**
 * Where in an area of 4×4 pixels a primitive's depth is taken: its centre; the least or the most of its corners; the
 * centroid of what is covered.
 */
export type DepthPlace = 'centre' | 'min' | 'max' | 'centroid';

export const sliceRoundings: readonly SliceRounding[] = ['floor', 'nearest'];
export const depthPlaces: readonly DepthPlace[] = ['centre', 'min', 'max', 'centroid'];

/** Rates of equal slices from near to far, in window depth; with far < near the first slice is the farthest. */
export interface DepthTable {
  readonly near: number;
  readonly far: number;
  readonly rates: readonly ShadingRate[];
  readonly rounding: SliceRounding;
  readonly at: DepthPlace;
}

/** Numbers of slices that a table may have. */
const SLICES: readonly number[] = [4, 8, 16];

/**
 * As the kernel computes a slice of a depth z, each step rounded to f32: z · a − b is 0 at near and 1 at far. The range
 * has both its ends.
 */
export interface DepthTerms {
  readonly low: number;
  readonly high: number;
  readonly a: number;
  readonly b: number;
}

export function depthTerms({ near, far }: Pick<DepthTable, 'near' | 'far'>): DepthTerms {
  const n = Math.fround(near), f = Math.fround(far), a = Math.fround(1 / Math.fround(f - n));
  return { low: Math.min(n, f), high: Math.max(n, f), a, b: Math.fround(n * a) };
}

/** What is wrong with a table, as a sentence that says what is allowed; null: nothing. */
export function depthTableFault({ near, far, rates }: Pick<DepthTable, 'near' | 'far' | 'rates'>): string | null {
  if (!SLICES.includes(rates.length)) return `rates must have 4, 8 or 16 entries, not ${rates.length}`;
  for (const [name, value] of [['near', near], ['far', far]] as const)
    if (!Number.isFinite(Math.fround(value))) return `${name} must be a finite 32-bit float, not ${value}`;
  if (Math.fround(near) === Math.fround(far))
    return `near and far must differ as 32-bit floats, and both are ${Math.fround(near)}`;
  const width = Math.fround(Math.fround(far) - Math.fround(near)), { a } = depthTerms({ near, far });
  if (!Number.isFinite(width))
    return `near ${near} and far ${far} are too far apart: far − near must be finite as a 32-bit float`;
  if (!Number.isFinite(a))
    return `near ${near} and far ${far} are too close together: 1/(far − near) must be finite as a 32-bit float`;
  return null;
}

/** The code of each slice. */
export const sliceCodes = ({ rates }: DepthTable): Uint8Array => Uint8Array.from(rates, codeOf);
