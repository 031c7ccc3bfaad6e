// npm run bench scaling [scene …]
// Predicts how scenes scale with workers. The trace of a frame on one thread has the duration of every task; a
// discrete-event simulation (frame-model.mjs) replays it with 1 to 64 workers. Each duration is the median of several
// frames. What tracing costs cancels out, because the speed-up is the ratio of two simulated frames. The memory is
// shared, so that tasks take longer when two threads run: this slowdown is measured with a trace on two threads. More
// than two workers are assumed to add as much each, up to MAX_SLOWDOWN.
//
// The prediction for two threads is compared with a measurement, and the shares of the frame at 16 workers say what
// limits it. Uses the scenes of ../shared/peers, or the benchmarks' own scenes without them.
//
//   MS      milliseconds per side of the measurement (2000)
//   FRAMES  traced frames (9)
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { frameTime, limitsOf, phasesOf, taskTime } from './frame-model.mjs';

const missing = missingPeersReason();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else runInPeerEnvironment(import.meta.url);
Object.assign(globalThis, globals);
const { scenes } = await import(missing ? benchScenes : peerScenes);

const SIZE = { width: 1280, height: 720 };
const SAMPLES = [1, 4];
const WORKERS = [1, 2, 4, 8, 16, 32, 64];
/** The most that shared memory may slow tasks down. */
const MAX_SLOWDOWN = 1.6;
/** Largest difference of the prediction for two threads from the measurement. */
const MAX_ERROR = 0.05;
/** Least speed-ups of frames over LONG_MS milliseconds on one thread. */
const LIMITS = { 8: 6.5, 16: 11 };
const LONG_MS = 20;
const WARM_FRAMES = 12;
const MS = Number(process.env.MS ?? 2000);
const FRAMES = Number(process.env.FRAMES ?? 9);
const two = roundTo(2);

/** Draws traced frames on `threads` threads. Returns the milliseconds and the events of each. */
async function tracedFrames(make, shape, threads) {
  const device = await openDevice({ options: { threads }, features: ['trace'] });
  const frame = frameOf(device, await make(device, shape));
  for (let i = 0; i < WARM_FRAMES; i++) await frame();
  const frames = [];
  for (let i = 0; i < FRAMES; i++) {
    device.takeTrace();
    const ms = await frame();
    frames.push({ ms, events: device.takeTrace().traceEvents });
  }
  device.destroy();
  return frames;
}

/** Measures frames on one and on two threads in turn. */
async function measured(make, shape) {
  const devices = [];
  const side = async (threads) => {
    const device = await openDevice({ options: { threads } });
    devices.push(device);
    return frameOf(device, await make(device, shape));
  };
  const { ms, ratios } = await compare({ one: await side(1), two: await side(2) }, { forMs: MS, warmMs: 300 });
  for (const device of devices) device.destroy();
  return { ms, speedUp: ratios.one };
}

/** The model of a frame, with the median of each task over all frames: single tasks are disturbed by other work. */
function modelOf(frames) {
  const all = frames.map(({ events }) => phasesOf(events));
  const shapeOf = (phases) => phases.map(({ name, tasks }) => `${name} ${tasks.length}`).join();
  const same = all.filter((phases) => shapeOf(phases) === shapeOf(all.at(-1)));
  const phases = same[0].map(({ name, tasks }, phase) => ({
    name,
    tasks: tasks.map((_, task) => median(same.map((each) => each[phase].tasks[task]))),
  }));
  const serialMs = median(frames.map(({ ms }, i) => ms - totalOf(all[i])));
  return { phases, serialMs };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const totalOf = (phases) => sum(phases.flatMap(({ tasks }) => tasks));

async function predict(make, shape) {
  const { ms, speedUp } = await measured(make, shape);
  const one = await tracedFrames(make, shape, 1);
  const both = await tracedFrames(make, shape, 2);
  const frame = modelOf(one);
  const alone = frameTime(frame, 1);
  const taskMs = (frames) => median(frames.map(({ events }) => taskTime(events)));
  const perWorker = Math.max(0, taskMs(both) / taskMs(one) - 1);
  const slowdown = (workers) => Math.min(MAX_SLOWDOWN, 1 + perWorker * (workers - 1));
  const predicted = Object.fromEntries(
    WORKERS.map((workers) => [workers, two(alone / frameTime(frame, workers, slowdown(workers)))])
  );
  return {
    ms: ms.one,
    tracing: two(alone / ms.one),
    slowdown: two(1 + perWorker),
    serialShare: two(frame.serialMs / alone),
    tasks: frame.phases.map(({ name, tasks }) => ({ name, count: tasks.length })),
    predicted,
    measured: speedUp,
    error: two(predicted[2] / speedUp[0] - 1),
    limits: limitsOf(frame, 16).map(({ what, share }) => ({ what, share: two(share) })),
  };
}

const chosen = chooseNames('scene', Object.keys(scenes));
const results = {};
const all = chosen.flatMap((name) => SAMPLES.map((samples) => ({ name, samples })));
for (const [index, { name, samples }] of all.entries()) {
  const key = `${name}@${samples}x`;
  progress(index, all.length, key);
  const result = (results[key] = await predict(scenes[name], { ...SIZE, samples }));
  const { ms, predicted, measured: found, error, limits, serialShare, slowdown } = result;
  const isLong = ms > LONG_MS;
  result.goals = [
    { what: `${key}, prediction for 2 threads`, value: Math.abs(error), limit: MAX_ERROR, atLeast: false },
    ...Object.entries(isLong ? LIMITS : {}).map(([workers, limit]) => ({
      what: `${key}, ${workers} workers`,
      value: predicted[workers],
      limit,
      atLeast: true,
    })),
  ].map((goal) => ({ ...goal, reached: goal.atLeast ? goal.value >= goal.limit : goal.value <= goal.limit }));
  say(
    `${key.padEnd(13)} ${ms.toFixed(1)} ms, ${Math.round(serialShare * 100)} % serial, `
      + `tasks ${slowdown}× on two threads; `
      + `2 threads: ${predicted[2]}×, measured ${found[0]}× (${found.slice(1).join(' … ')}); `
      + WORKERS.slice(2)
        .map((workers) => `${workers}: ${predicted[workers]}×`)
        .join(', ')
  );
  const shares = limits
    .filter(({ share }) => share >= 0.05)
    .map(({ what, share }) => `${Math.round(share * 100)} % ${what}`);
  say(`${''.padEnd(13)} at 16 workers: ${shares.join(', ')}`);
}
const goals = Object.values(results).flatMap((result) => result.goals);
for (const { what, value, limit } of goals.filter(({ reached }) => !reached))
  say(`NOT REACHED: ${what}: ${value}, limit ${limit}`);
if (chosen.length === Object.keys(scenes).length) {
  keep('scaling', { unit: 'ms', ...SIZE, workers: WORKERS, results });
  writeReport();
}
process.exit(0);
