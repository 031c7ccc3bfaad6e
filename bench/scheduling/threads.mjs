// npm run bench threads [scene …]
// Compares one thread with all, alternating frame by frame: the median of the pairs' ratios with its 95 % interval, at
// 1 and 4 samples. Results are kept if the scenes with a limit run. These are scenes of ../shared/peers; without them,
// the benchmarks' own meshes are measured without limits.
//
//   MS       milliseconds per side (2000)
//   THREADS  the number of all threads (the machine's cores)
import { availableParallelism } from 'node:os';
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf, openDevice } from '../support/device.mjs';
import { keep } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const missing = missingPeersReason();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else runInPeerEnvironment(import.meta.url);

Object.assign(globalThis, globals);
const { scenes } = await import(missing ? benchScenes : peerScenes);
const SIZE = { width: 1280, height: 720 };
const MIN_RATIO = 1.8;
const LIMITED_SCENES = missing ? [] : ['helmet', 'dragon'];
const names = process.argv.slice(2);
const usual = missing ? ['textured', 'mesh'] : LIMITED_SCENES;
const chosen = chooseNames('scene', Object.keys(scenes), names.length ? names : usual);
const THREADS = Number(process.env.THREADS ?? availableParallelism());
const MS = Number(process.env.MS ?? 2000);

const pairs = {};
const all = chosen.flatMap((name) => [1, 4].map((samples) => ({ name, samples })));
for (const [index, { name, samples }] of all.entries()) {
  const devices = [];
  const key = `${name}@${samples}x`;
  const side = async (threads) => {
    const device = await openDevice({ options: { threads } });
    devices.push(device);
    return frameOf(device, await scenes[name](device, { ...SIZE, samples }));
  };
  const {
    pairs: count,
    ms,
    ratios,
  } = await compare(
    { one: await side(1), all: await side(THREADS) },
    { forMs: MS, warmMs: 500, onPair: (n) => progress(index, all.length, `${key}, ${n} pairs`) }
  );
  for (const device of devices) device.destroy();
  const [ratio, ...interval] = ratios.one;
  pairs[key] = {
    pairs: count,
    one: ms.one,
    all: ms.all,
    ratio,
    interval,
    ...(LIMITED_SCENES.includes(name) ? { limit: MIN_RATIO, reached: ratio >= MIN_RATIO } : {}),
  };
  const { limit, reached } = pairs[key];
  say(
    `${key.padEnd(12)} ${ms.one} ms on one thread, ${ms.all} ms on ${THREADS}: `
      + `${ratio}× (${interval.join(' … ')})${limit ? ` ≥ ${limit}: ${reached ? 'reached' : 'NOT REACHED'}` : ''}`
  );
}
if (!missing && LIMITED_SCENES.every((name) => chosen.includes(name))) {
  keep('threads', { unit: 'ms', ...SIZE, engine: await engineOf(), threads: THREADS, pairs });
  writeReport();
}
process.exit(0);
