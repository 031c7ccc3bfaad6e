// The virtual clock, and the `Date`, `performance` and `Math.random` that follow it.
import type { Definitions } from '../base/definitions';

/** Reads at one time after which a loop is assumed to wait for the time to pass, which would never end. */
const MAX_READS = 10_000_000;

export class VirtualClock {
  #now = 0;
  #reads = 0;

  /** @param start time of `Date` at the beginning, in milliseconds since 1970 */
  constructor(readonly start: number) {}

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }
  set now(milliseconds: number) {
    this.#now = milliseconds;
    this.#reads = 0;
  }

  /** Reads the time for the application. */
  read(): number {
    if (++this.#reads > MAX_READS)
      throw new Error(
        `virtualTime: the clock was read ${MAX_READS} times at ${this.#now} ms; a loop waits for time to pass, which `
          + 'only advance() and advanceFrames() let pass'
      );
    return this.#now;
  }
}

/** Replaces the clocks of the global object. */
export function defineClock(names: Definitions, clock: VirtualClock): void {
  const today = (): number => Math.floor(clock.start + clock.read());
  const RealDate = Date;
  let now: unknown = today;
  const VirtualDate = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [today()] : values, newTarget) as object,
    apply: () => new RealDate(today()).toString(),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
    set(target, name, value) {
      if (name !== 'now') return Reflect.set(target, name, value);
      now = value;
      return true;
    },
  });
  names.put(globalThis, { Date: VirtualDate });
  names.put(performance, { now: () => clock.read(), timeOrigin: clock.start });
}

/**
 * Random numbers in 0 ≤ x < 1 of 32 bits: sfc32, by Chris Doty-Humphrey. It passes PractRand, and uses only integer
 * operations, so that every JavaScript engine gives the same numbers.
 */
export function randomNumbers(seed: number): () => number {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, seed | 0, 1];
  const next = (): number => {
    const sum = (a + b + count++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  // The first numbers depend on few bits of the seed.
  for (let i = 0; i < 15; i++) next();
  return next;
}
