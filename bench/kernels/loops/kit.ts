// The parts of a hot loop: the same work done in three ways. Bundled as build/testing/hot-loops.js, on the testing
// build of the kernels.
import { mulberry32 } from '../../../tests/support/floats';

export { LoopKernel } from '../../../tests/support/loop-kernel';
export { REGISTER_BYTES, WARP_QUADS } from '../../../assembly/layout/limits';
export const PIXELS = 4096;
export const LANES = 64;

/** One way to do a loop's work. */
export interface Side {
  /** Processes all units once. */
  run(): void;
  /** The results of the last run. */
  output(): ArrayLike<number>;
}
export interface HotLoop {
  readonly name: string;
  readonly group: string;
  /** The unit of the loop, and the number of units per run. */
  readonly unit: string;
  readonly count: number;
  /** Tolerance of the plain version's output. The two kernels agree in every bit. */
  readonly tolerance: number;
  readonly simd: Side;
  readonly scalar: Side;
  /** The scalar side is not a twin of this case but the general path that the scalar build takes for all cases. */
  readonly general?: true;
  readonly plain: Side;
  /** Restores the initial state, for runs that change their input. */
  restart?(): void;
}

/** Returns a generator of uniform numbers in [0, 1), the same in every process. */
export function numbers(seed: number): () => number {
  const words = mulberry32(seed);
  return () => words() / 2 ** 32;
}

/** Index of a pixel within a tile (assembly/layout/tile/tile.ts). */
export function pixelIndex(x: number, y: number): number {
  return (((y >> 3) * 8 + (x >> 3)) * 16 + ((y >> 1) & 3) * 4 + ((x >> 1) & 3)) * 4 + (y & 1) * 2 + (x & 1);
}
