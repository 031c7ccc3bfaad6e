// Depth tables: shading rates for equal slices of a depth range.
import { codeOf, type ShadingRate } from './rates';

/** How a position between near and far becomes a slice number: rounded down, or to the nearest number, ties to even. */
export type SliceRounding = 'floor' | 'nearest';
/**
 * Where a primitive's depth is sampled within an area of 4×4 pixels: at its centre; the minimum or maximum over the
 * samples that the primitive covers; or at the centroid of these samples.
 */
export type DepthPosition = 'centre' | 'min' | 'max' | 'centroid';

export const sliceRoundings: readonly SliceRounding[] = ['floor', 'nearest'];
export const depthPlaces: readonly DepthPosition[] = ['centre', 'min', 'max', 'centroid'];

/** Rates of equal slices from near to far, in window depth. If far < near, the first slice is the farthest. */
export interface DepthTable {
  readonly near: number;
  readonly far: number;
  readonly rates: readonly ShadingRate[];
  readonly rounding: SliceRounding;
  readonly at: DepthPosition;
}

/** The allowed numbers of slices. */
const SLICES: readonly number[] = [4, 8, 16];

/** The values that the kernel compares a depth z with. */
interface DepthTerms {
  /** Bounds of the range, inclusive. */
  readonly low: number;
  readonly high: number;
  /** −1 if far < near, else 1. */
  readonly direction: 1 | -1;
  /**
   * The starts of slices 1…N − 1: for each, the smallest 32-bit float z · direction in the slice. The slice number of z
   * is the count of starts that z · direction is not less than.
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
 * The smallest 32-bit float z with z · parts ≥ (parts − part) · near + part · far, or > if the boundary itself belongs
 * to the previous slice. `near` < `far` are 32-bit floats, `part` and `parts` are less than 2^6, and `parts` is a power
 * of 2. All products are then exact, and the rounding error of their sum is known.
 */
function sliceStart(near: number, far: number, part: number, parts: number, isInclusive: boolean): number {
  const x = (parts - part) * near;
  const y = part * far;
  const sum = x + y;
  const seenY = sum - x;
  const lost = x - (sum - seenY) + (y - seenY);
  const isIn = (z: number): boolean =>
    z * parts > sum || (z * parts === sum && (lost < 0 || (lost === 0 && isInclusive)));
  const z = Math.fround(sum / parts);
  return isIn(z) ? z : nextFloat(z);
}

export function depthTerms({ near, far, rates, rounding }: Omit<DepthTable, 'at'>): DepthTerms {
  const direction = far < near ? -1 : 1;
  const count = rates.length;
  const first = Math.fround(near);
  const last = Math.fround(far);
  const starts = Array.from({ length: count - 1 }, (_, i) => {
    // With 'nearest', a slice begins half a slice earlier, and a tie belongs to the even one.
    const part = rounding === 'nearest' ? 2 * i + 1 : 2 * i + 2;
    return sliceStart(first * direction, last * direction, part, 2 * count, rounding === 'floor' || i % 2 === 1);
  });
  return { low: Math.min(first, last), high: Math.max(first, last), direction, starts };
}

/** The fault in a table, as a sentence that says what is allowed; null if there is none. */
export function depthTableFault({ near, far, rates }: Pick<DepthTable, 'near' | 'far' | 'rates'>): string | null {
  if (!SLICES.includes(rates.length)) return `rates must have 4, 8 or 16 entries, not ${rates.length}`;
  for (const [name, value] of [
    ['near', near],
    ['far', far],
  ] as const)
    if (!Number.isFinite(Math.fround(value))) return `${name} must be a finite 32-bit float, not ${value}`;
  if (Math.fround(near) === Math.fround(far))
    return `near and far must differ as 32-bit floats, and both are ${Math.fround(near)}`;
  return null;
}

/** The code of each slice. */
export const sliceCodes = ({ rates }: DepthTable): Uint8Array => Uint8Array.from(rates, codeOf);
