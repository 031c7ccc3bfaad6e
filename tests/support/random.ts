// A random number generator with a seed.
import { mulberry32 } from './floats';

/** A small generator of pseudo-random numbers, so that one number identifies a failing program. */
export class Random {
  /** 32 bits. */
  readonly bits: () => number;
  constructor(seed: number) {
    this.bits = mulberry32(seed);
  }
  below(count: number): number {
    return this.bits() % count;
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}
