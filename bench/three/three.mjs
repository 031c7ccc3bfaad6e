// npm run bench three [scene,scene]
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
import { requireNames } from '../support/arguments.mjs';
import { keep, median } from '../support/machine.mjs';
import { missingPeersReason } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { looks } from './looks.mjs';
import { measureScene, WINDOWS } from './measure.mjs';
import { scenes } from './scenes.mjs';

/** Least ratios to a peer in frames 30 to 60: in the median over all scenes, and for each scene. */
const LIMITS = { llvmpipe: { median: 1.3, each: 0.9 }, swiftshader: { median: 5, each: 1 } };
const STEADY = '30 to 60';
const { ROUNDS = '3', SAMPLES = '1,4', FRAMES = '60', PEERS = 'llvmpipe,swiftshader', SIZE = '640x360' } = process.env;
const all = Object.keys({ ...scenes, ...looks });
const only = process.argv[2]?.split(',');
const names = only ?? all;
requireNames('scene', names, all);
if (Number(FRAMES) < 60)
  throw new RangeError(`FRAMES is ${FRAMES}; give at least 60, because frames 30 to 60 are compared`);
const missing = missingPeersReason();
if (missing) console.log(`This package alone: ${missing}`);
const peers = missing ? [] : PEERS.split(',').filter(Boolean);
requireNames('peer', peers, Object.keys(LIMITS));

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
    of[name] = measureScene(name, { samples, frames: FRAMES, size: SIZE, peers, rounds: Number(ROUNDS) });
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
for (const [what, { median: value, cpu, least, limits, reached }] of Object.entries(compared))
  console.log(
    `${what}: ${value} times as fast in the median (processor time ${cpu}), ${least} at least`
      + (reached ? '' : `, NOT REACHED (${limits.median} and ${limits.each})`)
  );
if (!only) {
  keep('three', { size: SIZE, rounds: Number(ROUNDS), peers, compared, results });
  writeReport();
}
