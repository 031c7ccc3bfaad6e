// npm run bench three-first [scene,scene [../old/build/index.js …]]
// Compares the first frames of three.js scenes (640×360, one sample) on this package, llvmpipe and SwiftShader, and on
// other builds if they are named. Each frame is drawn in a new process, on a device that exists already. Sides run in
// turn, and every second round runs in reverse order. What three.js takes itself is measured on a device that does
// nothing, and subtracted. Reports milliseconds and processor time of all threads, and per side the median over all
// scenes of this package's time over the side's. The peers' own shader caches are disabled.
//
//   ROUNDS  rounds (9)
//   PEERS   0: only builds
//   CACHE   1: this package also with a shader cache that all scenes have filled (`warm`), and with a copy of it in
//           which three of four files are damaged (`damaged`)
//   DAMAGE  how they are damaged: `cut`, to half of their length (default); `bytes`, 16 wrong bytes in a row; or
//           `empty`
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { looks } from './looks.mjs';
import { keep, median, medianInterval } from '../support/machine.mjs';
import { peersFolder, missingPeersReason } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { scenes } from './scenes.mjs';

/** At most this times the time of a peer, in the median. */
const LIMITS = { llvmpipe: 1, swiftshader: 0.4 };
const OURS = 'build/index.js';
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const [only, ...builds] = process.argv.slice(2);
const names = only ? only.split(',') : Object.keys({ ...scenes, ...looks });
const unknown = names.filter((name) => !(name in { ...scenes, ...looks }));
if (unknown.length > 0) {
  console.error(`There is no scene ${unknown.join(', ')}. Scenes: ${Object.keys({ ...scenes, ...looks }).join(', ')}`);
  process.exit(1);
}
const missing = process.env.PEERS === '0' ? 'only builds are measured' : missingPeersReason();
if (missing) console.log(`Without peers: ${missing}`);
/** Folders of the shader cache, by side. */
const caches = process.env.CACHE === '1' ? { warm: newFolder(), damaged: newFolder() } : {};
const others = [...builds, ...Object.keys(caches), ...(missing ? [] : Object.keys(LIMITS))];
const sides = ['nothing', OURS, ...others];
const script = fileURLToPath(new URL('./first-run.mjs', import.meta.url));

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

const damages = {
  cut: (path) => truncateSync(path, readFileSync(path).length >> 1),
  bytes: (path) => {
    const bytes = readFileSync(path);
    const at = Math.floor(Math.random() * bytes.length);
    writeFileSync(path, bytes.fill(~bytes[at], at, Math.min(at + 16, bytes.length)));
  },
  empty: (path) => truncateSync(path, 0),
};
const damageFile = damages[process.env.DAMAGE ?? 'cut'];

/** Copies the filled cache, and damages three of four files. Which ones differs from round to round. */
function damage(round) {
  rmSync(caches.damaged, { recursive: true });
  cpSync(caches.warm, caches.damaged, { recursive: true });
  readdirSync(caches.damaged).forEach((file, i) => {
    const path = join(caches.damaged, file);
    if ((i + round) % 4 !== 0) damageFile(path);
  });
}

function run(side, name) {
  const command = [process.execPath, script, side in caches ? OURS : side, name];
  const { stdout, stderr } = spawnSync(
    'bash',
    side in LIMITS
      ? ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, ...command]
      : ['-c', 'exec "$@"', '-', ...command],
    { env: { ...process.env, MESA_SHADER_CACHE_DISABLE: 'true', SHADER_CACHE: caches[side] ?? '' }, encoding: 'utf8' }
  );
  const line = stdout.trim().split('\n').at(-1);
  if (!line.startsWith('{')) throw new Error(`${name} by ${side}: ${stderr.slice(-500)}`);
  return JSON.parse(line);
}

/** Medians over the rounds of a scene, per side; three.js's own time is subtracted from all but its own. */
function figures(rounds) {
  const medians = (side) =>
    Object.fromEntries(['ms', 'cpu'].map((figure) => [figure, median(rounds.map((each) => each[side][figure]))]));
  const own = medians('nothing');
  const without = ({ ms, cpu }) => ({ ms: ms - own.ms, cpu: cpu - own.cpu });
  return { three: own, ...Object.fromEntries([OURS, ...others].map((side) => [side, without(medians(side))])) };
}

if (caches.warm) for (const name of names) run('warm', name);
const rounds = Object.fromEntries(names.map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++)
  for (const [index, name] of names.entries()) {
    progress(round * names.length + index, ROUNDS * names.length, name);
    const order = round % 2 ? sides.toReversed() : sides;
    if (caches.damaged) damage(round);
    rounds[name].push(Object.fromEntries(order.map((side) => [side, run(side, name)])));
  }
const results = Object.fromEntries(names.map((name) => [name, figures(rounds[name])]));
for (const [name, sidesOf] of Object.entries(results))
  say(
    [name.padEnd(14), ...Object.entries(sidesOf).map(([side, { ms }]) => `${side} ${ms.toFixed(0).padStart(5)}`)].join(
      '  '
    )
  );
const compared = {};
for (const side of others) {
  const ratios = (figure) => names.map((name) => results[name][OURS][figure] / results[name][side][figure]);
  const [time, low, high] = medianInterval(ratios('ms'));
  const limit = LIMITS[side];
  compared[side] = { time, low, high, cpu: median(ratios('cpu')), limit };
  const reached = limit === undefined ? '' : time <= limit ? `, reached (${limit})` : `, NOT REACHED (${limit})`;
  console.log(
    `${side}: ${time.toFixed(2)} times its time (${low.toFixed(2)} to ${high.toFixed(2)}), `
      + `${compared[side].cpu.toFixed(2)} times its processor time${reached}`
  );
}
if (!only) keep('three-first', { width: 640, height: 360, samples: 1, rounds: ROUNDS, compared, scenes: results });
