// The command `npm run fuzz [-- [target] [count [first seed]]]`. The default is 100 000 attempts of `programs`.
// Targets: programs, compute, texts, calls, draws, textures, surfaces, models, words, mixed (targets.ts).
// Each attempt has a seed. The first failing seeds are printed with a command that repeats them, and the exit code is
// 1. The run also ends with that command if an attempt takes too long, or if the process uses more than FUZZ_MIB of
// memory (2 048). FUZZ_FILE names a file for statistics in JSON; FUZZ_SECONDS ends the run after that time.
import { writeFileSync } from 'node:fs';
import { validateAll } from '../../src/ir';
import { seedCorpus } from './corpus';
import { collectGarbage } from './garbage';
import { targets } from './targets';
import { watchOver } from './watch';

const REPORTED = 3;
const PROGRESS_MS = 200;
const WIDTH = 30;
/** Milliseconds between garbage collections: memory that grows in spite of them is leaked. */
const COLLECTED_MS = 1000;

validateAll();
const words = process.argv.slice(2);
const name = words[0] !== undefined && words[0] in targets ? words.shift()! : 'programs';
const target = targets[name]!;
const [count = 100_000, first = Date.now() % 0x7fffffff] = words.map(Number);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(first))
  throw new Error(`npm run fuzz [-- [${Object.keys(targets).join(' | ')}] [count [first seed]]]: whole numbers`);
const mostSeconds = Number(process.env['FUZZ_SECONDS'] ?? Infinity);

/**
 * The first attempt has the first seed, so that it can be repeated by number. The others are far from each other unless
 * the target has its own step: runs with neighboring first seeds share none.
 */
const seedOf = (index: number): number => (first + Math.imul(index, target.step ?? 0x9e3779b1)) & 0x7fffffff;
/** The corpus comes first, unless a single seed is repeated. */
const before = count === 1 ? [] : (seedCorpus[name] ?? []);
const mibOf = (bytes: number): number => Math.round(bytes / 2 ** 20);

const { stdout } = process;
const start = performance.now();
const seconds = (): number => (performance.now() - start) / 1000;
let shown = 0;
function showProgress(done: number, failed: number): void {
  const now = performance.now();
  if (!stdout.isTTY || (now - shown < PROGRESS_MS && done < count)) return;
  shown = now;
  const rate = done / seconds();
  const filled = Math.round((done / count) * WIDTH);
  const left = Math.ceil((count - done) / rate);
  stdout.write(
    `\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${count}, ${rate.toFixed(0)} a second, `
      + `${left} s left, ${failed} failed \x1b[K`
  );
}

/** The slowest attempts, which are closest to the limit. */
const slowest: { readonly seed: number; readonly ms: number }[] = [];
function noteTime(seed: number, ms: number): void {
  if (slowest.length === REPORTED && ms <= slowest[REPORTED - 1]!.ms) return;
  slowest.push({ seed, ms });
  slowest.sort((a, b) => b.ms - a.ms);
  slowest.length = Math.min(slowest.length, REPORTED);
}

console.log(`${count} ${target.what} from seed ${first}`);
const watch = watchOver(
  target.maxAttemptMs,
  Number(process.env['FUZZ_MIB'] ?? 2048) * 2 ** 20,
  `npm run fuzz -- ${name}`
);
let done = 0;
let failed = 0;
let attempt = await target.open();
let firstMib = 0;
let collected = performance.now();
for (; done < count && seconds() < mostSeconds; done++) {
  if (done > 0 && done % target.reopenAfter === 0) attempt = await target.open();
  if (performance.now() - collected > COLLECTED_MS) {
    collectGarbage();
    collected = performance.now();
  }
  // Memory after the first tenth, the baseline for growth.
  if (firstMib === 0 && (done >= count / 10 || seconds() > mostSeconds / 10))
    firstMib = mibOf(process.memoryUsage.rss());
  const seed = before[done] ?? seedOf(done - before.length);
  watch.begin(seed);
  const began = performance.now();
  let mistake: string | null;
  try {
    mistake = await attempt(seed);
  } catch (error) {
    mistake = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  if (mistake !== null && ++failed <= REPORTED)
    console.log(`\n${mistake.slice(0, 4000)}\nAgain: npm run fuzz -- ${name} 1 ${seed}\n`);
  noteTime(seed, Math.round(performance.now() - began));
  showProgress(done + 1, failed);
}
watch.end();
collectGarbage();
const figures = {
  target: name,
  first,
  done,
  failed,
  seconds: Math.round(seconds()),
  firstMib,
  lastMib: mibOf(process.memoryUsage.rss()),
  mostMib: Math.round(process.resourceUsage().maxRSS / 1024),
  slowest,
};
console.log(
  `${stdout.isTTY ? '\n' : ''}${failed} of ${done} failed; ${figures.seconds} s, ${figures.lastMib} `
    + `MiB at the end, ${figures.mostMib} at the most`
);
if (process.env['FUZZ_FILE']) writeFileSync(process.env['FUZZ_FILE'], `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = failed === 0 ? 0 : 1;
