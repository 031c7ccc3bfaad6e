// The farm on one machine: throughput beside two independent warm processes of the command, memory over many jobs, and
// what hostile modules cost their neighbours. `--count N` draws another number of pictures, `--pairs N` repeats more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderMany } from '../../build/farm.js';
import { median } from '../support/machine.mjs';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100' }, pairs: { type: 'string', default: '5' } },
});
const MODEL = fileURLToPath(new URL('../../../shared/assets/chr_knight.glb', import.meta.url));
if (!existsSync(MODEL)) {
  console.log('Skipped: ../shared/assets/chr_knight.glb is missing.');
  process.exit();
}
const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const MODULES = { hostile: fileURLToPath(new URL('../../tests/farm/local/hostile.mjs', import.meta.url)) };
const count = Number(values.count);
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-bench-'));

const knight = (i) => ({ input: MODEL, output: join(folder, `${i}.png`), size: '256x256', threads: 1 });
const knights = Array.from({ length: count }, (_, i) => knight(i));

/** Resident memory of a process and of all below it, in bytes. */
function treeBytes(pid) {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean)
    );
    return children.reduce((sum, child) => sum + treeBytes(child), own);
  } catch {
    return 0;
  }
}

async function timed(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Two processes of the command with half of the jobs each. */
async function withoutFarm() {
  const halves = [knights.filter((_, i) => i % 2 === 0), knights.filter((_, i) => i % 2 === 1)];
  const ends = halves.map((jobs, i) => {
    const file = join(folder, `${i}.jsonl`);
    writeFileSync(file, jobs.map((job) => JSON.stringify(job)).join('\n'));
    return once(spawn(process.execPath, [CLI, 'render', '--jobs', file, '--quiet'], { stdio: 'inherit' }), 'exit');
  });
  for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`the command ended with ${code}`);
}

/** @returns the results by id */
async function withFarm(jobs, options = {}, seen = () => undefined) {
  const results = new Map();
  for await (const result of renderMany(jobs, { concurrency: 2, modules: MODULES, ...options })) {
    results.set(result.id, result);
    seen(results.size);
  }
  return results;
}

async function throughput() {
  const ratios = [];
  const rates = [];
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const runs = [withoutFarm, () => withFarm(knights)];
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    const times = [];
    for (const i of order) times[i] = await timed(runs[i]);
    ratios.push(times[1] / times[0]);
    rates.push(count / (times[1] / 1000));
  }
  console.log(`${count} knights, 256×256, 2 at a time: ${median(rates).toFixed(1)} pictures/s`);
  console.log(`time beside two processes of the command: ${median(ratios).toFixed(3)}`);
}

async function memory() {
  const bytes = [];
  await withFarm(knights, { memoryBytes: 2 ** 31 }, () => bytes.push(treeBytes(process.pid)));
  const mib = (value) => `${Math.round(value / 2 ** 20)} MiB`;
  const at = [0.25, 0.5, 0.75, 1].map((share) => mib(bytes[Math.ceil(share * bytes.length) - 1]));
  console.log(`resident memory after each quarter: ${at.join(', ')}; most: ${mib(Math.max(...bytes))}`);
}

/** Times of knights beside one other job, which takes the second place all the time. */
async function isolation() {
  const neighbours = {
    none: [],
    loop: ['loop'],
    allocate: ['allocate', 'allocate', 'allocate'],
    kill: Array.from({ length: 10 }, () => 'kill'),
  };
  const times = Object.fromEntries(Object.keys(neighbours).map((name) => [name, []]));
  for (let pair = 0; pair < Number(values.pairs); pair++)
    for (const [name, kinds] of Object.entries(neighbours)) {
      const hostile = kinds.map((kind, i) => ({ id: `${kind}${i}`, module: 'hostile', data: { kind } }));
      // The first pictures of a process wait for its device.
      const jobs = [...hostile.slice(0, 1), knight(0), knight(1), ...hostile.slice(1), ...knights.slice(2)];
      const results = await withFarm(jobs, { timeoutMs: 5000, memoryBytes: 2 ** 30, retries: 0 });
      const drawn = [...results.values()].filter(({ output }) => output !== undefined);
      times[name].push(median(drawn.map(({ stats }) => stats.cpuMilliseconds)));
      if (new Set(drawn.map(({ sha256 }) => sha256)).size !== 1) throw new Error(`pictures differ beside ${name}`);
    }
  for (const name of Object.keys(neighbours).slice(1))
    console.log(
      `CPU time of a knight beside ${name}: ${median(times[name].map((time, i) => time / times.none[i])).toFixed(3)}`
    );
}

try {
  await throughput();
  await memory();
  await isolation();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
