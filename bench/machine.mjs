// What a figure must be read with, and where figures are kept.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The run of all benches that this one belongs to (all.mjs): when it began. */
const RUN = process.env.BENCH_RUN;
/** What the last run of all benches found, and nothing else. */
export const RESULTS = new URL('./results/', import.meta.url);
/**
 * Where this bench keeps its figures: beside those of its run until all are there, or, by itself, where nobody commits
 * them.
 */
export const KEPT = new URL(RUN ? '../build/bench-run/' : '../build/bench/', import.meta.url);

function commit() {
  try {
    return execFileSync(
      'git', ['describe', '--always', '--dirty'],
      { cwd: new URL('..', import.meta.url), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ).trim();
  } catch {
    return 'unknown';
  }
}

export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version, v8: process.versions.v8, platform: `${process.platform}-${process.arch}`, commit: commit(),
  date: (RUN ?? new Date().toISOString()).slice(0, 10), ...(RUN ? { run: RUN } : {}),
});

/** Writes NAME.json and says where. */
export function keep(name, results) {
  const file = new URL(`${name}.json`, KEPT);
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine: machine(), ...results }, null, 2)}\n`);
  console.log(`\n${fileURLToPath(file)}`);
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/**
 * The median, and the bounds of its 95 % interval: order statistics, whatever the distribution (normal approximation of
 * their ranks).
 */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b), half = 0.98 * Math.sqrt(sorted.length),
    at = (rank) => sorted[Math.min(sorted.length - 1, Math.max(0, rank))];
  return [median(sorted), at(Math.floor(sorted.length / 2 - half)), at(Math.ceil(sorted.length / 2 + half))];
}
