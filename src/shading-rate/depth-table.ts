// Depth tables: rates for equal slices of a range of depths.
import { codeOf, type ShadingRate } from './rates';

/** How a place between near and far becomes a slice: its floor, or the nearest number, ties to even. */
export type SliceRounding = 'floor' | 'nearest';
/**
 * Where in an area of 4×4 pixels a primitive's depth is taken: at its centre; the least or the most at the samples that
 * the primitive covers; at the centroid of these.
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

/** What the kernel compares a depth z with. */
export interface DepthTerms {
  /** The range has both its ends. */
  readonly low: number;
  readonly high: number;
  /** −1 with far < near, else 1. */
  readonly direction: 1 | -1;
  /**
   * Where slices 1 … N − 1 begin: the least 32-bit float z · direction that lies in each. z lies in the slice whose
   * number is the count of starts that z · direction is not less than.
   */
  readonly starts: readonly number[];
}

const word = new DataView(new ArrayBuffer(4));
/** The next greater 32-bit float. */
function nextFloat(value: number): number {
  if (value === 0) return 2 ** -149;
  word.setFloat32(0, value);
  word.setInt32(0, word.getInt32(0) + (value > 0 ? 1 : -1));
  return word.getFloat32(0);
}

/**
 * The least 32-bit float z for which z · parts ≥ (parts − part) · near + part · far, or > where the boundary itself
 * lies before it. `near` < `far` are 32-bit floats, `part` and `parts` less than 2^6, and `parts` is a power of 2: all
 * products are exact, and what their sum loses is known.
 */
function sliceStart(near: number, far: number, part: number, parts: number, isInclusive: boolean): number {
  const x = (parts - part) * near, y = part * far, sum = x + y, seenY = sum - x;
  const lost = (x - (sum - seenY)) + (y - seenY);
  const isIn = (z: number): boolean =>
    z * parts > sum || (z * parts === sum && (lost < 0 || (lost === 0 && isInclusive)));
  const z = Math.fround(sum / parts);
  return isIn(z) ? z : nextFloat(z);
}

export function depthTerms({ near, far, rates, rounding }: Omit<DepthTable, 'at'>): DepthTerms {
  const direction = far < near ? -1 : 1, count = rates.length;
  const first = Math.fround(near), last = Math.fround(far);
  const starts = Array.from({ length: count - 1 }, (_, i) => {
    // The nearest number: a slice begins half a slice earlier, and the tie belongs to the even one.
    const part = rounding === 'nearest' ? 2 * i + 1 : 2 * i + 2;
    return sliceStart(first * direction, last * direction, part, 2 * count, rounding === 'floor' || i % 2 === 1);
  });
  return { low: Math.min(first, last), high: Math.max(first, last), direction, starts };
}

/** What is wrong with a table, as a sentence that says what is allowed; null: nothing. */
export function depthTableFault({ near, far, rates }: Pick<DepthTable, 'near' | 'far' | 'rates'>): string | null {
  if (!SLICES.includes(rates.length)) return `rates must have 4, 8 or 16 entries, not ${rates.length}`;
  for (const [name, value] of [['near', near], ['far', far]] as const)
    if (!Number.isFinite(Math.fround(value))) return `${name} must be a finite 32-bit float, not ${value}`;
  if (Math.fround(near) === Math.fround(far))
    return `near and far must differ as 32-bit floats, and both are ${Math.fround(near)}`;
  return null;
}

/** The code of each slice. */
export const sliceCodes = ({ rates }: DepthTable): Uint8Array => Uint8Array.from(rates, codeOf);
