// Describes the machine and commit of a figure, and stores figures.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Start time of the run of all benchmarks (all.mjs) to which this one belongs, or undefined. */
const RUN = process.env.BENCH_RUN;
/** The results of the last run of all benchmarks, and nothing else. */
export const RESULTS = new URL('../results/', import.meta.url);
/**
 * Where this benchmark keeps its figures: in the folder of the current run, or, when it runs alone, in a folder that is
 * not committed.
 */
export const KEPT = new URL(RUN ? '../../build/bench-run/' : '../../build/bench/', import.meta.url);

function commit() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  v8: process.versions.v8,
  platform: `${process.platform}-${process.arch}`,
  commit: commit(),
  date: (RUN ?? new Date().toISOString()).slice(0, 10),
  ...(RUN ? { run: RUN } : {}),
});

/** Writes NAME.json and prints its path. */
export function keep(name, results) {
  const file = new URL(`${name}.json`, KEPT);
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine: machine(), ...results }, null, 2)}\n`);
  console.log(`\n${fileURLToPath(file)}`);
}

/** Returns a function that rounds to this many decimal places. */
export function roundTo(places) {
  const factor = 10 ** places;
  return (value) => Math.round(value * factor) / factor;
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/**
 * The median and its 95 % interval. Uses order statistics, so it holds for any distribution (normal approximation of
 * the ranks).
 */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = 0.98 * Math.sqrt(sorted.length);
  const at = (rank) => sorted[Math.min(sorted.length - 1, Math.max(0, rank))];
  return [median(sorted), at(Math.floor(sorted.length / 2 - half)), at(Math.ceil(sorted.length / 2 + half))];
}
