// npm run bench against ../other/build [scene …]
// Compares the speed of this build with another one, such as the build/ of another commit. Both run in one process and
// alternate frame by frame, at 1 and 4 samples. The ratio is this build's time over the other's: the median of the
// pairs with its 95 % interval. The exit code is 1 if that whole interval is above MAX_RATIO. If it contains
// MAX_RATIO, the result is undecided: take more pairs and use a quiet machine. Also compares the pictures bit by bit.
// Uses the scenes of ../shared/peers, or the benchmarks' own scenes without them.
//
//   MS       milliseconds per side (3000)
//   THREADS  worker threads of both builds (the machine's cores)
//   ENGINE   engine of both builds
import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chooseNames } from './support/arguments.mjs';
import { openDeviceOf } from './support/device.mjs';
import { compare, frameOf } from './support/pairs.mjs';
import { progress, say } from './support/progress.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from './support/peer-files.mjs';

const MAX_RATIO = 1.01;
const SIZE = { width: 1280, height: 720 };
const SAMPLES = [1, 4];
const { THREADS, ENGINE } = process.env;
const MS = Number(process.env.MS ?? 3000);
const [folder, ...names] = process.argv.slice(2);
if (!folder || !existsSync(resolve(folder, 'index.js')))
  throw new Error(`no build in ${folder ?? 'the first argument'}: npm run bench against FOLDER [scene …]`);

const missing = missingPeersReason();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else runInPeerEnvironment(import.meta.url);

const builds = {
  now: new URL('../build/index.js', import.meta.url),
  other: pathToFileURL(resolve(folder, 'index.js')),
};
const packages = Object.fromEntries(
  await Promise.all(Object.entries(builds).map(async ([name, url]) => [name, await import(url)]))
);
Object.assign(globalThis, packages.now.globals);
const { scenes, readback } = await import(missing ? benchScenes : peerScenes);
const chosen = chooseNames('scene', Object.keys(scenes), names);

const options = {
  ...(ENGINE ? { engine: ENGINE } : {}),
  ...(THREADS === undefined ? {} : { threads: Number(THREADS) }),
};
const table = {};
const slower = [];
const all = chosen.flatMap((name) => SAMPLES.map((samples) => ({ name, samples })));
for (const [index, { name, samples }] of all.entries()) {
  const key = `${name}@${samples}x`;
  const sides = {};
  const drawn = {};
  for (const [build, { create }] of Object.entries(packages)) {
    const device = await openDeviceOf(create, { options });
    drawn[build] = { device, scene: await scenes[name](device, { ...SIZE, samples }) };
    sides[build] = frameOf(device, drawn[build].scene);
  }
  // Compare the first frame of each side. Timed frames move the camera, and one side may have drawn more of them during
  // warm-up.
  for (const { scene } of Object.values(drawn)) scene.render();
  const [ours, theirs] = await Promise.all(
    Object.values(drawn).map(({ device, scene }) => readback(device, scene.color))
  );
  const {
    pairs,
    ms,
    ratios: {
      now: [ratio, low, high],
    },
  } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(index, all.length, `${key}, ${n} pairs`),
  });
  for (const { device } of Object.values(drawn)) device.destroy();
  const verdict = low > MAX_RATIO ? 'SLOWER' : high > MAX_RATIO ? 'undecided' : 'no slower';
  const bits = Buffer.compare(ours, theirs) ? 'OTHER BITS' : 'same bits';
  if (low > MAX_RATIO) slower.push(key);
  table[key] = { pairs, now: ms.now, other: ms.other, ratio, interval: `${low} … ${high}`, verdict, picture: bits };
  say(`${key.padEnd(13)} ${ms.now} ms, ${ms.other} ms by the other: ${ratio} (${low} … ${high}) ${verdict}; ${bits}`);
}
console.table(table);
console.log(
  'milliseconds a frame, medians; ratio: the time of this build over that of the other, the median of pairs with its '
    + '95 % interval'
);
if (slower.length) console.log(`\nSLOWER by more than ${Math.round((MAX_RATIO - 1) * 100)} %: ${slower.join(', ')}`);
process.exit(slower.length ? 1 : 0);
