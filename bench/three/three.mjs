// npm run bench:three [-- scene,scene]
// Compares stock three.js on this package with SwiftShader (through the `webgpu` package) on the scenes of
// bench/three/. Each side runs in a separate process, and sides alternate. Reports milliseconds per frame of 640×360
// pixels with 4 samples as medians of medians, ratios, and the similarity of the pictures. If SwiftShader is not
// installed, its packages are named and this package is measured alone.
//
//   ROUNDS   rounds (3)
//   MS       milliseconds per scene (1500)
//   THREADS  worker threads
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { chooseNames } from '../support/arguments.mjs';
import { keep, median } from '../support/machine.mjs';
import { peersFolder, missingPeersReason } from '../support/peer-files.mjs';
import { scenes } from './scenes.mjs';

const LIMIT = 5;
const WITHIN = 8;
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const BACKGROUND = [0x1c, 0x22, 0x30];
const names = chooseNames('scene', Object.keys(scenes), process.argv[2]?.split(','));
const missing = missingPeersReason();
const sides = missing ? ['ours'] : ['ours', 'swiftshader'];
if (missing) console.log(`This package alone: ${missing}`);
const script = fileURLToPath(new URL('./run.mjs', import.meta.url));
const folders = Object.fromEntries(sides.map((side) => [side, mkdtempSync(join(tmpdir(), `three-${side}-`))]));

function run(side, name) {
  const command = [process.execPath, script, side, folders[side], name];
  const { stdout, stderr } = spawnSync(
    'bash',
    side === 'ours'
      ? ['-c', 'exec "$@"', '-', ...command]
      : ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, ...command],
    { env: { MS: '1500', ...process.env }, encoding: 'utf8' }
  );
  const line = stdout.trim().split('\n').at(-1);
  if (!line.startsWith('{')) throw new Error(`${name} by ${side}: ${stderr.slice(-500)}`);
  return JSON.parse(line);
}

/** Returns the share of pixels that are close to each other, except for pixels that are background in both pictures. */
function likeness(name) {
  const [a, b] = sides.map((side) => decode(readFileSync(join(folders[side], `${name}.png`))).data);
  let all = 0;
  let near = 0;
  for (let i = 0; i < a.length; i += 4) {
    const isBackground = [a, b].every((data) => BACKGROUND.every((value, c) => Math.abs(data[i + c] - value) <= 1));
    if (isBackground) continue;
    all++;
    if ([0, 1, 2].every((c) => Math.abs(a[i + c] - b[i + c]) <= WITHIN)) near++;
  }
  return near / all;
}

const results = {};
for (const name of names) {
  const rounds = Array.from({ length: ROUNDS }, () => sides.map((side) => run(side, name)));
  const [ours, peer] = sides.map((_, i) => median(rounds.map((round) => round[i].ms)));
  const result = (results[name] = { ours, first: median(rounds.map(([{ first }]) => first)) });
  const ratio = peer / ours;
  if (peer) Object.assign(result, { swiftshader: peer, ratio, likeness: likeness(name), reached: ratio >= LIMIT });
  console.log(
    [
      name.padEnd(14),
      `${ours.toFixed(2).padStart(7)} ms`,
      ...(peer
        ? [
            `swiftshader ${peer.toFixed(2).padStart(7)} ms`,
            `${result.ratio.toFixed(2).padStart(6)}×`,
            `${(result.likeness * 100).toFixed(2)} % alike`,
            result.reached ? '' : `NOT REACHED (${LIMIT}×)`,
          ]
        : []),
    ].join('  ')
  );
}
for (const folder of Object.values(folders)) rmSync(folder, { recursive: true });
keep('three', { width: 640, height: 360, samples: 4, limit: LIMIT, results });
