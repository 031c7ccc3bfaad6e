// npm run bench scheduler [scene …]
// Measures the cost of the warp scheduler when no page is missing, and its gain when chunks wait for pages. Sides
// alternate in one process. Results are the median ratio of the pairs with its 95 % interval.
//
// (a) Frames of a default device, over frames of a device that runs every warp to completion (`create({ scheduler: {
// runToCompletion: true } })`), at 1 and 4 samples. The scenes are those of ../shared/peers; without them, or with
// OWN=1, the benchmarks' own. A further scene reads a streamed texture whose pages are all resident, since no pass of
// the other scenes can park a warp.
//
// (b) `late chunks`: frames of several chunks whose pages take 5 ms. The vertices of the next chunk run while tiles
// wait, over frames in which they do not (`scheduler.budgets.vertex: 0`).
//
// (c) `late writes`: interpreted frames whose output reveals the order of pixels. Quads run through shaders together
// until their pages arrive, over frames in which they run one by one (`scheduler.lockstepQuads: false`).
//
// The exit code is 1 if an interval is entirely above its limit. If the interval contains the limit, the result is
// undecided: take more pairs.
//
//   MS       milliseconds per side (4000)
//   ROUNDS   rounds with new devices, since devices of one kind differ in speed (4)
//   THREADS  worker threads (the machine's cores)
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { createLimitChecker } from '../support/limits.mjs';
import { ARENA_BYTES, streamedChunks } from './streamed-chunks.mjs';
import { streamedWrites } from './streamed-writes.mjs';
import { median, medianInterval, roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { allBenchScenes, runInPeerEnvironment, peerScenes, missingPeersReason } from '../support/peer-files.mjs';
import { streamedFrame } from '../streaming/streamed-frame.mjs';

const LIMIT = 1.01;
const SIZE = { width: 1280, height: 720 };
const SAMPLES = [1, 4];
/**
 * Milliseconds per page load; concurrent loads; maximum ratio of frames with the measured feature to frames without it.
 */
const PAGE_MS = 5;
const MAX_CONCURRENT_LOADS = [4, 8];
const GAIN_LIMIT = 1;
const LATE = 'late chunks';
const WRITES = 'late writes';
const { THREADS, OWN } = process.env;
const MS = Number(process.env.MS ?? 4000);
const ROUNDS = Number(process.env.ROUNDS ?? 4);
const missing = OWN ? 'asked for' : missingPeersReason();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else runInPeerEnvironment(import.meta.url);
Object.assign(globalThis, globals);

const scenes = { ...(await import(missing ? allBenchScenes : peerScenes)).scenes, 'streamed texture': streamedFrame };
const chosen = chooseNames('scene', [...Object.keys(scenes), LATE, WRITES]);

const { checkLimit, missed } = createLimitChecker();
/** The compared sides: their names and scheduler options. The first is divided by the second. */
const COST = { 'as it comes': {}, 'to completion': { runToCompletion: true } };
const GAINS = {
  [LATE]: {
    schedulers: { 'next chunk meanwhile': {}, then: { budgets: { vertex: 0 } } },
    more: { arenaBytes: ARENA_BYTES },
    frames: streamedChunks,
  },
  [WRITES]: {
    schedulers: { together: {}, 'quad by quad': { lockstepQuads: false } },
    more: { engine: 'interpreter' },
    frames: streamedWrites,
  },
};
const all = chosen.flatMap((name) =>
  name in GAINS
    ? MAX_CONCURRENT_LOADS.map((maxConcurrentLoads) => ({
        what: `${name}, ${maxConcurrentLoads} pages at a time`,
        ...GAINS[name],
        limit: GAIN_LIMIT,
        open: async (device) => {
          const frame = await GAINS[name].frames(device);
          return () => frame(PAGE_MS, maxConcurrentLoads);
        },
      }))
    : SAMPLES.map((samples) => ({
        what: `${name}@${samples}x`,
        schedulers: COST,
        limit: LIMIT,
        more: {},
        open: async (device) => frameOf(device, await scenes[name](device, { ...SIZE, samples })),
      }))
);

for (const [index, { what, schedulers, limit, more, open }] of all.entries()) {
  const rows = [];
  const order = Object.entries(schedulers);
  const [ours, other] = Object.keys(schedulers);
  for (let round = 0; round < ROUNDS; round++) {
    const made = {};
    const devices = [];
    for (const [side, scheduler] of round % 2 ? order.toReversed() : order) {
      const device = await openDevice({
        options: { scheduler, ...more, ...(THREADS === undefined ? {} : { threads: Number(THREADS) }) },
        features: ['streamed-textures'],
      });
      devices.push(device);
      made[side] = await open(device);
    }
    const onPair = (n) => progress(index + round / ROUNDS, all.length, `${what}, ${rows.length + n} pairs`);
    rows.push(...(await compare(made, { forMs: MS / ROUNDS, warmMs: 300, onPair })).rows);
    for (const device of devices) device.destroy();
  }
  const ms = (side) => `${side} ${median(rows.map((row) => row[side])).toFixed(2)} ms`;
  const ratio = medianInterval(rows.map((row) => row[ours] / row[other])).map(roundTo(3));
  checkLimit(`${what}: ${ms(ours)}, ${ms(other)}, ${rows.length} pairs`, ratio, { limit });
}
process.exit(missed.length ? 1 : 0);
