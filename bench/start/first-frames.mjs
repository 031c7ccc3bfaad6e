// npm run bench first [scene …]
// Measures first frames over steady frames, and the longest block of the calling thread during the first frame. Uses
// the benchmarks' own scenes, on a device whose workers have started:
//
//   new       everything for the first time; pipelines are created synchronously, so the frame waits for compilation
//   textures  the same shaders with new textures, buffers and render targets
//   resized   the same in another size
//
// The limits are MOST times the steady frame, and BLOCK milliseconds. The exit code is 1 if one is missed. Results are
// kept if all scenes are measured.
import { setImmediate, setTimeout } from 'node:timers';
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { scenes } from '../scenes/index.mjs';

Object.assign(globalThis, globals);
const MOST = 3;
const BLOCK = 8;
const STEADY_FRAMES = 11;
const KINDS = { new: [1280, 720], textures: [1280, 720], resized: [960, 540] };
const names = chooseNames('scene', Object.keys(scenes));
const round = roundTo(2);
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Records the longest time between two turns of the event loop, until the returned function is called. */
function watchTurns() {
  let last = performance.now();
  let longest = 0;
  let watches = true;
  (function turn() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watches) setImmediate(turn);
  })();
  return () => {
    watches = false;
    return longest;
  };
}

async function timeOf(device, scene) {
  const began = performance.now();
  scene.render();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
}

async function measure(device, name, [width, height]) {
  const scene = await scenes[name](device, { width, height, samples: 1 });
  await pause(5);
  const longest = watchTurns();
  const first = await timeOf(device, scene);
  const block = longest();
  const frames = [];
  for (let i = 0; i < STEADY_FRAMES; i++) frames.push(await timeOf(device, scene));
  const steady = median(frames);
  return { first: round(first), steady: round(steady), ratio: round(first / steady), block: round(block) };
}

const results = {};
const missed = [];
for (const [index, name] of names.entries()) {
  const device = await openDevice();
  await pause(300); // the workers start
  results[name] = {};
  for (const [kind, size] of Object.entries(KINDS)) {
    progress(index, names.length, `${name}, ${kind}`);
    const figures = (results[name][kind] = await measure(device, name, size));
    if (figures.ratio > MOST) missed.push(`${name}, ${kind}: ${figures.ratio} times the steady frame`);
    if (figures.block > BLOCK) missed.push(`${name}, ${kind}: the calling thread held up for ${figures.block} ms`);
  }
  device.destroy();
  say(
    `${name.padEnd(12)} ${Object.entries(results[name])
      .map(
        ([kind, { first, steady, ratio, block }]) =>
          `${kind} ${first} of ${steady} ms (${ratio}×, ${block} ms at a time)`
      )
      .join('; ')}`
  );
}
console.log(
  `at most ${MOST} times the steady frame, ${BLOCK} ms at a time: ${missed.length ? 'NOT REACHED' : 'reached'}`
);
for (const line of missed) console.log(`NOT REACHED: ${line}`);
if (names.length === Object.keys(scenes).length)
  keep('first-frames', { unit: 'ms', most: MOST, block: BLOCK, scenes: results });
process.exit(missed.length ? 1 : 0);
