// A random number generator with a seed.
import { mulberry32 } from '../support/floats';

/** Random numbers from a seed. */
export class Dice {
  private readonly words: () => number;
  constructor(seed: number) {
    this.words = mulberry32(seed);
  }
  fraction(): number {
    return this.words() / 2 ** 32;
  }
  below(n: number): number {
    return Math.floor(this.fraction() * n);
  }
  chance(share: number): boolean {
    return this.fraction() < share;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  /** NaN, an infinity, a denormal, the largest number, any magnitude, or something ordinary. */
  float(): number {
    if (this.chance(0.25))
      return this.pick([NaN, Infinity, -Infinity, 0, -0, 1e-45, 3.4028234e38, -3.4028234e38, 1, -1, 1.1754944e-38]);
    return this.chance(0.3) ? (this.fraction() - 0.5) * 10 ** (this.below(60) - 30) : this.fraction() * 4 - 2;
  }
  finite(): number {
    const value = this.float();
    return Number.isFinite(value) ? value : 1e30;
  }
  bytes(count: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(count);
    const kind = this.below(3);
    if (kind === 0) new Float32Array(bytes.buffer).forEach((_, i, all) => (all[i] = this.float()));
    else if (kind === 1) bytes.forEach((_, i) => (bytes[i] = this.below(256)));
    else
      new Uint32Array(bytes.buffer).forEach(
        (_, i, all) =>
          (all[i] = this.chance(0.8)
            ? this.below(12)
            : this.chance(0.5)
              ? 0xffffffff - this.below(3)
              : this.below(4294967296))
      );
    return bytes;
  }
}
