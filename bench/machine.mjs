// What a figure must be read with, and where figures are kept.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

function commit() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: new URL('..', import.meta.url), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version, v8: process.versions.v8, platform: `${process.platform}-${process.arch}`, commit: commit(), date: new Date().toISOString().slice(0, 10),
});

/** Writes bench/results/NAME.json and says where. */
export function keep(name, results) {
  const folder = new URL('./results/', import.meta.url), file = new URL(`${name}.json`, folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine: machine(), ...results }, null, 2)}\n`);
  console.log(`\n${fileURLToPath(file)}`);
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The median, and the bounds of its 95 % interval: order statistics, whatever the distribution (normal approximation of their ranks). */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b), half = 0.98 * Math.sqrt(sorted.length), at = (rank) => sorted[Math.min(sorted.length - 1, Math.max(0, rank))];
  return [median(sorted), at(Math.floor(sorted.length / 2 - half)), at(Math.ceil(sorted.length / 2 + half))];
}
