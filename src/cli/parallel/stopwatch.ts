import type { FarmStats } from '../../farm/types';

/** Measures the try of a job. */
export class Stopwatch {
  readonly #began = performance.now();
  readonly #cpu = process.cpuUsage();

  stats(): FarmStats {
    const { user, system } = process.cpuUsage(this.#cpu);
    return {
      milliseconds: performance.now() - this.#began,
      cpuMilliseconds: (user + system) / 1000,
      residentBytes: process.memoryUsage.rss(),
    };
  }
}
