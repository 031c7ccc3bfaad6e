// npm run bench command ../other/build [model.glb …]
// Compares the time of `rasterloom render` with that of another build, such as the build/ of another commit: from the
// start of the process to its end, and of its parts. The two builds alternate. PAIRS (21) is the number of pairs. The
// ratio is this build's time over the other's: the median of the pairs with its 95 % interval. Without a model, the
// bundled sample is drawn. Part "process" is what --json does not count: Node's start, imports, and the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, medianInterval, roundTo } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';

const [folder, ...models] = process.argv.slice(2);
const PAIRS = Number(process.env.PAIRS ?? 21);
if (!folder || !existsSync(resolve(folder, 'cli.js')))
  throw new Error(`no build in ${folder ?? 'the first argument'}: npm run bench command FOLDER`);
const builds = [fileURLToPath(new URL('../../build', import.meta.url)), resolve(folder)];
const output = mkdtempSync(join(tmpdir(), 'rasterloom-'));
const round = roundTo(2);

/** Prints the milliseconds of processor time at the end of the process. */
const USAGE = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process._rawDebug('usage ' + (user + system) / 1000);
});`;

/** Milliseconds of one run. */
function run(build, input) {
  const began = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(USAGE)}`,
      join(build, 'cli.js'),
      'render',
      ...input,
      ...['--json', '--quiet', '-o', join(output, 'picture.png')],
    ],
    { encoding: 'utf8' }
  );
  const wall = performance.now() - began;
  if (status !== 0) throw new Error(`the command failed: ${stderr.slice(-500)}`);
  const { times } = JSON.parse(stdout);
  const { total, ...parts } = times;
  const processor = Number(/usage ([\d.]+)/.exec(stderr)[1]);
  return { wall, processor, process: wall - total, ...parts };
}

try {
  for (const input of models.length > 0 ? models.map((model) => [model]) : [['--sample']]) {
    const rows = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      progress(pair, PAIRS, 'pairs');
      const row = [];
      for (const side of pair % 2 ? [1, 0] : [0, 1]) row[side] = run(builds[side], input);
      rows.push(row);
    }
    say(`${basename(input[0])}: milliseconds of this build and of the other one, and their ratio`);
    for (const part of Object.keys(rows[0][0])) {
      const [mine, other] = [0, 1].map((side) => median(rows.map((row) => row[side][part])).toFixed(0));
      const ratios = rows.map(([a, b]) => a[part] / b[part]);
      const shown = ratios.every(Number.isFinite) ? medianInterval(ratios).map(round).join(' ') : '–';
      say(`${part.padEnd(10)} ${mine.padStart(6)} ${other.padStart(6)}   ${shown}`);
    }
  }
} finally {
  rmSync(output, { recursive: true });
}
