// npm run fuzz [-- programs [first seed]] : generated programs on the interpreter and compiled, 100 000 by default,
// each by a seed of its own. The first programs on which the engines disagree are made small and printed; then the exit
// code is 1.
//
// npm run fuzz -- texts [texts [first seed]] : mutated WGSL texts for the front end. What throws or takes too long is
// told with its seed: `npm run fuzz -- texts 1 SEED` tries it again.
//
// npm run fuzz -- compute [programs [first seed]] : compute programs on all engines, against plain TypeScript.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { explain, generateCase, disagreement } from '../codegen/generated';
import { WarpRunner } from '../codegen/warp';
import { simpleMath } from '../wgsl/simple-math';
import { computePrograms } from './compute';
import { mistakeWith, textOf } from './texts';

const REPORTED = 3;
const PROGRESS_MS = 200;

const words = process.argv.slice(2);
const kind = ['texts', 'compute'].find((name) => words[0] === name);
const [count = kind === 'compute' ? 1000 : 100_000, first = Date.now() % 0x7fffffff] = words
  .slice(kind === undefined ? 0 : 1).map(Number);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(first))
  throw new Error('npm run fuzz [-- [texts | compute] count [first seed]]: whole numbers');

/** Seeds far from each other, so that runs with neighbouring first seeds share none. */
const seedOf = (index: number): number => (first + Math.imul(index, 0x9e3779b1)) & 0x7fffffff;

const { stdout } = process;
const start = performance.now();
const WIDTH = 30;
let shown = 0;
function showProgress(done: number, failed: number): void {
  const now = performance.now();
  if (!stdout.isTTY || (now - shown < PROGRESS_MS && done < count)) return;
  shown = now;
  const rate = (done / (now - start)) * 1000;
  const filled = Math.round((done / count) * WIDTH);
  const left = Math.ceil((count - done) / rate);
  stdout.write(
    `\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${count}, ${rate.toFixed(0)} a second, ${left} s left, ${failed} failed \x1b[K`
  );
}

/** Compiled code is little for V8's heap and much for the machine: left to itself, V8 lets it pile up. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function main(): number {
  let runner = new WarpRunner();
  console.log(`${count} programs from seed ${first}`);
  let failed = 0;
  for (let index = 0; index < count; index++) {
    // Short runs never come to V8's optimising compiler by themselves: every other thousand is compiled by it at once.
    if (index % 1000 === 0) {
      setFlagsFromString(index % 2000 === 0 ? '--liftoff' : '--no-liftoff');
      // V8 keeps instances for as long as a table that they import: with another kernel, they go.
      runner = new WarpRunner();
      collectGarbage();
    }
    const generated = generateCase(seedOf(index));
    let agrees = false;
    try { agrees = disagreement(runner, generated.program, generated.seed) === null; } catch { /* explain() says it */ }
    if (!agrees && ++failed <= REPORTED) console.log(`\n${explain(runner, generated)}\n`);
    showProgress(index + 1, failed);
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${stdout.isTTY ? '\n' : ''}${failed === 0 ? 'all agree' : `${failed} of ${count} disagree`}; ${seconds.toFixed(0)} s`
  );
  return failed === 0 ? 0 : 1;
}

/** The first text has the first seed, so that one is tried again by its number. */
function tryTexts(): number {
  console.log(`${count} texts from seed ${first}`);
  let failed = 0;
  for (let index = 0; index < count; index++) {
    const seed = (first + index) & 0x7fffffff, mistake = mistakeWith(seed, simpleMath);
    if (mistake !== null && ++failed <= REPORTED)
      console.log(`\n${mistake}: npm run fuzz -- texts 1 ${seed}\n${JSON.stringify(textOf(seed).slice(0, 2000))}`);
    showProgress(index + 1, failed);
  }
  const mib = process.resourceUsage().maxRSS / 1024;
  console.log(`${stdout.isTTY ? '\n' : ''}${failed} of ${count} failed; ${mib.toFixed(0)} MiB at the most`);
  return failed === 0 ? 0 : 1;
}

async function tryCompute(): Promise<number> {
  console.log(`${count} compute programs from seed ${first}`);
  let failed = 0;
  for await (const mistake of computePrograms(count, first)) {
    if (mistake.text !== null && ++failed <= REPORTED) console.log(`\n${mistake.text}\n`);
    showProgress(mistake.done, failed);
  }
  console.log(`${stdout.isTTY ? '\n' : ''}${failed} of ${count} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = kind === 'compute' ? await tryCompute() : kind === 'texts' ? tryTexts() : main();
