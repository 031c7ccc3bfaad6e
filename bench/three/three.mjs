// npm run bench:three [-- scene,scene]
// Compares stock three.js on this package with llvmpipe and SwiftShader (through the `webgpu` package) on the scenes of
// bench/three/. Each side draws the frames of a scene in a separate process, and sides run in turn. Reports
// milliseconds and processor time of all threads per frame as medians, the ratios of the peers to this package, and how
// similar the pictures are. The peers' own shader caches are disabled. If the peers are not installed, their packages
// are named and this package is measured alone. llvmpipe draws half floats without antialiasing, so it is left out at
// more than one sample.
//
//   ROUNDS   rounds (3)
//   SAMPLES  sample counts (1,4)
//   FRAMES   frames per scene (60); 300 also reports frames 240 to 300
//   SIZE     width and height (640x360)
//   THREADS  worker threads
//   PEERS    the peers (llvmpipe,swiftshader)
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { requireNames } from '../support/arguments.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { peersFolder, missingPeersReason } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { looks } from './looks.mjs';
import { scenes } from './scenes.mjs';

/** Least ratios to a peer in frames 30 to 60: in the median over all scenes, and for each scene. */
const LIMITS = { llvmpipe: { median: 1.3, each: 0.9 }, swiftshader: { median: 5, each: 1 } };
/** Windows of frames, whose median is taken. The first frame includes building the scene. */
const WINDOWS = { 1: [0, 1], 10: [8, 12], '30 to 60': [29, 60], '240 to 300': [239, 300] };
const STEADY = '30 to 60';
const WITHIN = 8;
const BACKGROUND = [0x1c, 0x22, 0x30];
const { ROUNDS = '3', SAMPLES = '1,4', FRAMES = '60', PEERS = 'llvmpipe,swiftshader', SIZE = '640x360' } = process.env;
const all = Object.keys({ ...scenes, ...looks });
const only = process.argv[2]?.split(',');
const names = only ?? all;
requireNames('scene', names, all);
const missing = missingPeersReason();
if (missing) console.log(`This package alone: ${missing}`);
const peers = missing ? [] : PEERS.split(',').filter(Boolean);
requireNames('peer', peers, Object.keys(LIMITS));
const script = fileURLToPath(new URL('./run.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'three-'));
const two = roundTo(2);

/** Draws a scene on a side. Returns the figures of each window, or the error of a peer that cannot draw it. */
function run(side, name, samples) {
  const command = [process.execPath, script, side, folder, name];
  const { stdout, stderr } = spawnSync(
    'bash',
    side === 'ours'
      ? ['-c', 'exec "$@"', '-', ...command]
      : ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, ...command],
    { env: { ...process.env, MESA_SHADER_CACHE_DISABLE: 'true', FRAMES, SIZE, SAMPLES: samples }, encoding: 'utf8' }
  );
  const line = stdout.trim().split('\n').at(-1);
  if (!line.startsWith('{')) throw new Error(`${name} by ${side}: ${stderr.slice(-500)}`);
  const { first, firstCpu, times, cpu, refusal } = JSON.parse(line);
  if (refusal !== undefined) return { refusal };
  const picture = decode(readFileSync(join(folder, `${name}.png`))).data;
  const frames = [first, ...times];
  const spent = [firstCpu, ...cpu];
  const figures = Object.entries(WINDOWS)
    .filter(([, [, to]]) => to <= frames.length)
    .map(([window, [from, to]]) => [
      window,
      { ms: median(frames.slice(from, to)), cpu: median(spent.slice(from, to)) },
    ]);
  return { picture, figures: Object.fromEntries(figures) };
}

/** Returns the share of pixels that are close to each other, except for pixels that are background in both pictures. */
function likeness(a, b) {
  let seen = 0;
  let near = 0;
  for (let i = 0; i < a.length; i += 4) {
    const isBackground = [a, b].every((data) => BACKGROUND.every((value, c) => Math.abs(data[i + c] - value) <= 1));
    if (isBackground) continue;
    seen++;
    if ([0, 1, 2].every((c) => Math.abs(a[i + c] - b[i + c]) <= WITHIN)) near++;
  }
  return near / seen;
}

/** Measures a scene in rounds. Every second round runs in reverse order. */
function measure(name, samples) {
  const sides = ['ours', ...peers.filter((peer) => samples === '1' || peer !== 'llvmpipe')];
  const rounds = Array.from({ length: Number(ROUNDS) }, (_, round) => {
    const order = round % 2 ? sides.toReversed() : sides;
    return Object.fromEntries(order.map((side) => [side, run(side, name, samples)]));
  });
  const windows = Object.keys(rounds[0].ours.figures);
  for (const side of sides.slice(1)) {
    const { refusal } = rounds.find((round) => round[side].refusal !== undefined)?.[side] ?? {};
    if (refusal === undefined) continue;
    say(`${name} is left out on ${side}, which refuses it: ${refusal}`);
    sides.splice(sides.indexOf(side), 1);
  }
  const result = {};
  for (const window of windows) {
    const of = (side, figure) => median(rounds.map((round) => round[side].figures[window][figure]));
    result[window] = Object.fromEntries(
      sides.map((side) => [
        side,
        {
          ms: two(of(side, 'ms')),
          cpu: two(of(side, 'cpu')),
          ...(side === 'ours'
            ? {}
            : {
                ratio: two(median(rounds.map(({ [side]: peer, ours }) => ratioOf(peer, ours, window, 'ms')))),
                cpuRatio: two(median(rounds.map(({ [side]: peer, ours }) => ratioOf(peer, ours, window, 'cpu')))),
                likeness: likeness(rounds[0].ours.picture, rounds[0][side].picture),
              }),
        },
      ])
    );
  }
  return result;
}

const ratioOf = (peer, ours, window, figure) => peer.figures[window][figure] / ours.figures[window][figure];

/** The line of a scene: its steady frames. */
function lineOf(name, { [STEADY]: steady }) {
  const parts = Object.entries(steady).map(([side, { ms, ratio, cpuRatio, likeness: like }]) =>
    ratio === undefined
      ? `${side} ${ms.toFixed(1).padStart(6)} ms`
      : `${side} ${ratio.toFixed(2).padStart(5)}× (processor ${cpuRatio.toFixed(2)}×), `
        + `${(like * 100).toFixed(1)} % alike`
  );
  return [name.padEnd(14), ...parts].join('  ');
}

const results = {};
const compared = {};
for (const samples of SAMPLES.split(',')) {
  const of = (results[`${samples}x`] = {});
  for (const [index, name] of names.entries()) {
    progress(index, names.length, `${name} at ${samples} samples`);
    of[name] = measure(name, samples);
    say(lineOf(name, of[name]));
  }
  for (const peer of peers)
    for (const window of Object.keys(WINDOWS)) {
      const ratios = names.map((name) => of[name][window]?.[peer]).filter(Boolean);
      if (!ratios.length) continue;
      const value = median(ratios.map(({ ratio }) => ratio));
      const cpu = median(ratios.map(({ cpuRatio }) => cpuRatio));
      const least = Math.min(...ratios.map(({ ratio }) => ratio));
      const limits = LIMITS[peer];
      const reached = window !== STEADY || (value >= limits.median && least >= limits.each);
      compared[`${samples}x, frames ${window}, ${peer}`] = { median: value, cpu, least, limits, reached };
    }
}
rmSync(folder, { recursive: true });
for (const [what, { median: value, cpu, least, limits, reached }] of Object.entries(compared))
  console.log(
    `${what}: ${value} times as fast in the median (processor time ${cpu}), ${least} at least`
      + (reached ? '' : `, NOT REACHED (${limits.median} and ${limits.each})`)
  );
if (!only) keep('three', { size: SIZE, rounds: Number(ROUNDS), peers, compared, results });
