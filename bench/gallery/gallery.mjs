// npm run bench gallery FOLDER [-- --sides ours,swiftshader …]
// Runs the pages of an engine's gallery on this package and on Dawn, with the same code, seeds and clock (the code of
// `rasterloom page`), and compares the pictures and the times. FOLDER: pages that bench/gallery/pages.mjs has laid out,
// or a checkout of three.js. Each page runs in a new process, which is killed when it takes too long. The table,
// build/gallery/results.json, is written after each run, and a later call continues with the runs that it lacks.
//
//   --sides    what runs each page: ours, ours:0, ours:1, ours:4 (worker threads), swiftshader, llvmpipe; default:
//              ours,swiftshader
//   --match    pattern of the pages' names; default: all WebGPU pages of three.js
//   --frames   frames whose pictures are taken: the times per frame are those between them; default: 3,6
//   --size     size of the window; default: 400x250
//   --timeout  seconds per run; default: 180
//   --again    also runs what the table has
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keep, median } from '../support/machine.mjs';
import { missingPeersReason, peersFolder } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { CAUSES } from './causes.mjs';
import { difference, readPicture } from './texels.mjs';
import { WINDOWS } from './windows.mjs';

const OUT = fileURLToPath(new URL('../../build/gallery', import.meta.url));
const SCRIPT = fileURLToPath(new URL('./run-page.mjs', import.meta.url));
/** Pictures are equal if at most this share of their pixels differs. */
const MOST_DIFFERING = 0.01;
/** Times as fast as Dawn on SwiftShader, in the median. */
const LEAST_SPEED = 3;
/** Seconds after which a process that has not ended itself at its time limit is killed. */
const GRACE = 5;
const PEERS = ['swiftshader', 'llvmpipe'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'examples' },
    match: { type: 'string', default: '^webgpu_.*\\.html$' },
    sides: { type: 'string', default: 'ours,swiftshader' },
    frames: { type: 'string', default: '3,6' },
    size: { type: 'string', default: '400x250' },
    timeout: { type: 'string', default: '180' },
    out: { type: 'string', default: OUT },
    again: { type: 'boolean', default: false },
    network: { type: 'boolean', default: false },
  },
});
const [given] = positionals;
if (given === undefined) {
  console.error('usage: npm run bench gallery FOLDER; node bench/gallery/pages.mjs makes the folder');
  process.exit(1);
}
const root = resolve(given);
const missing = missingPeersReason();
if (missing) console.log(`Without Dawn: ${missing}`);
const sides = values.sides.split(',').filter((side) => !missing || !PEERS.includes(side));
const [width, height] = values.size.split('x').map(Number);
const SETTINGS = `frames ${values.frames}, ${values.size}`;
const pictureOf = (name, side) => join(values.out, side.replace(':', '-'), name.replace(/\.html$/, '.png'));

/** Runs a page on one side. */
function run(name, side) {
  const [kind, threads] = side.split(':');
  const order = {
    root,
    page: `${values.folder}/${name}`,
    out: pictureOf(name, side),
    timeout: Number(values.timeout),
    frames: values.frames.split(',').map(Number),
    width,
    height,
    network: values.network,
    ...WINDOWS[shortName(name)],
    ...(threads !== undefined && { threads: Number(threads) }),
  };
  const command = [process.execPath, SCRIPT, kind, JSON.stringify(order)];
  const peer = ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, ...command];
  const [file, words] = PEERS.includes(kind) ? ['bash', peer] : [command[0], command.slice(1)];
  return new Promise((done) => {
    const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = () => child.kill('SIGKILL');
    process.once('exit', stop);
    const timer = setTimeout(stop, (order.timeout + GRACE) * 1000);
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'])
      child[stream].on('data', (data) => {
        texts[stream] = (texts[stream] + data).slice(-20_000);
      });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', stop);
      const line = texts.stdout.trim().split('\n').at(-1);
      if (line.startsWith('{')) done(JSON.parse(line));
      else done({ result: 'crash', cause: `${signal ?? `exit code ${code}`}: ${texts.stderr.trim().slice(-500)}` });
    });
  });
}

const shortName = (name) => name.replace(/^webgpu_|\.html$/g, '');
const picture = (name, side) => readPicture(readFileSync(pictureOf(name, side)));

/** What the runs of a page say together. */
function judge(name, runs) {
  const { ours = Object.entries(runs).find(([side]) => side.startsWith('ours'))?.[1] } = runs;
  const hashes = Object.entries(runs).flatMap(([side, { hash }]) => (side.startsWith('ours') && hash ? [hash] : []));
  const row = { result: ours?.result ?? 'not run', hashes: new Set(hashes).size, hashRuns: hashes.length };
  for (const side of PEERS) {
    const peer = runs[side];
    if (peer?.result !== 'drawn' || runs.ours?.result !== 'drawn') continue;
    const share = difference(picture(name, 'ours'), picture(name, side));
    const ratio = (figure) => peer[figure] / runs.ours[figure];
    row[side] = { differing: share, speed: ratio('seconds'), cpu: ratio('cpu'), frame: ratio('frame') };
  }
  const differs = row.swiftshader?.differing > MOST_DIFFERING;
  const cause = CAUSES[shortName(name)];
  if (differs || row.result !== 'drawn') row.cause = cause ?? ours?.cause?.split('\n')[0] ?? '';
  if (differs) row.result = cause ? 'drawn, differs' : 'differs';
  return row;
}

function describe(name, runs) {
  const { result, swiftshader, hashes, hashRuns, cause } = judge(name, runs);
  const seconds = sides.map((side) => `${side} ${runs[side]?.seconds?.toFixed(1) ?? runs[side]?.result} s`).join('  ');
  const compared = swiftshader
    ? `${(swiftshader.differing * 100).toFixed(2)} % differ`
    : (runs.swiftshader?.cause ?? '');
  const hash = hashRuns > 1 ? `  ${hashes} of ${hashRuns} hashes` : '';
  const words = [
    name.padEnd(48),
    result.padEnd(14),
    seconds,
    compared.slice(0, 90) + hash,
    (cause ?? '').slice(0, 120),
  ];
  return words.join('  ');
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const file = join(values.out, 'results.json');
for (const side of sides) mkdirSync(join(values.out, side.replace(':', '-')), { recursive: true });
const table = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const names = readdirSync(join(root, values.folder)).filter((name) => new RegExp(values.match).test(name));
for (const [index, name] of names.entries()) {
  const runs = (table[name] ??= {});
  // Pictures of other frames or sizes cannot be compared.
  for (const side of Object.keys(runs)) if (runs[side].settings !== SETTINGS) delete runs[side];
  const wanted = sides.filter((side) => values.again || !(side in runs));
  for (const side of wanted) {
    progress(index, names.length, `${name} on ${side}`);
    runs[side] = { ...(await run(name, side)), settings: SETTINGS };
    writeFileSync(file, JSON.stringify(table, null, 1));
  }
  if (wanted.length > 0) say(describe(name, runs));
}

/** Prints the counts, the speeds and what differs. */
function summarize() {
  const rows = names.map((name) => ({ name, ...judge(name, table[name]) }));
  const count = (test) => rows.filter(test).length;
  console.log(`${count(({ result }) => result.startsWith('drawn'))} of ${rows.length} pages are drawn.`);
  for (const side of PEERS) {
    const both = rows.filter((row) => row[side]);
    if (both.length === 0) continue;
    const equal = both.filter((row) => row[side].differing <= MOST_DIFFERING).length;
    const [speed, cpu, frame] = ['speed', 'cpu', 'frame'].map((figure) => median(both.map((row) => row[side][figure])));
    const limit =
      side === 'swiftshader' ? `, ${speed >= LEAST_SPEED ? 'reached' : 'NOT REACHED'} (${LEAST_SPEED})` : '';
    console.log(
      `${side}: ${equal} of ${both.length} pictures are equal; ${speed.toFixed(2)} times as fast in all${limit}, `
        + `${frame.toFixed(2)} times per frame; ${cpu.toFixed(2)} times the processor time`
    );
  }
  const hashed = rows.filter(({ hashRuns }) => hashRuns > 1);
  if (hashed.length > 0)
    console.log(`${hashed.filter(({ hashes }) => hashes === 1).length} of ${hashed.length} pages have one hash.`);
  keep('gallery', { frames: values.frames, size: values.size, pages: rows });
}
summarize();
