// What every hot loop is made of: the same work three ways. Bundled to build/testing/hot-loops.js, over the testing
// build of the kernels.
import { mulberry32 } from '../../../tests/support/floats';

export { LoopKernel } from '../../../tests/support/loop-kernel';
export { REGISTER_BYTES, WARP_QUADS } from '../../../assembly/layout/limits';
export const PIXELS = 4096;
export const LANES = 64;

/** One way to do a loop's work. */
export interface Side {
  /** Once over everything. */
  run(): void;
  /** What the last run computed. */
  output(): ArrayLike<number>;
}
export interface HotLoop {
  readonly name: string;
  readonly group: string;
  /** What is counted, and how many of it a run goes over. */
  readonly unit: string;
  readonly count: number;
  /** How far a number of the plain version's output may be from the kernel's; the two kernels agree in every bit. */
  readonly tolerance: number;
  readonly simd: Side;
  readonly scalar: Side;
  /** The scalar side is no twin of this very case, but the general way that the scalar build takes for all of them. */
  readonly general?: true;
  readonly plain: Side;
  /** Puts everything back as it was, for runs that change what they read. */
  restart?(): void;
}

/** Uniform in [0, 1), the same for every process. */
export function numbers(seed: number): () => number {
  const words = mulberry32(seed);
  return () => words() / 2 ** 32;
}

/** Place of a pixel within a tile (assembly/layout/tile.ts). */
export function pixelIndex(x: number, y: number): number {
  return ((((y >> 3) * 8 + (x >> 3)) * 16 + ((y >> 1) & 3) * 4 + ((x >> 1) & 3)) * 4) + (y & 1) * 2 + (x & 1);
}
