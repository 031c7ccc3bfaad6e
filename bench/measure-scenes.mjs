// Measures frames of the benchmarks' own scenes at each sample count, on one thread and on several, alternating. A
// uniform changes in every frame, so no result can be reused for the next frame. The counters come from one frame on a
// device with statistics.
import { create } from '../build/index.js';
import { Bench } from 'tinybench';
import { openDevice } from './support/device.mjs';
import { median, roundTo } from './support/machine.mjs';
import { progress, say } from './support/progress.mjs';
import { readback, scenes } from './scenes/scenes.mjs';

const SIZE = { width: 1280, height: 720 };
const ROUNDS = 3;
const EXTENDED = 'extended-sample-counts';
const round = roundTo(2);

const warm = async (frame, ms) => {
  for (const until = performance.now() + ms; performance.now() < until;) await frame();
};

/** Returns the frame times in milliseconds by thread count. */
async function timed(make, shape, features, threads, ms) {
  const sides = {};
  const latencies = {};
  const found = {};
  for (const count of threads) {
    const device = await openDevice({ options: { threads: count }, features });
    const scene = make(device, shape);
    scene.render();
    await readback(device, scene.color);
    sides[count] = {
      device,
      frame: async () => {
        scene.render();
        await device.queue.onSubmittedWorkDone();
      },
    };
    await warm(sides[count].frame, ms / 4);
    latencies[count] = [];
    found[count] = { min: Infinity, frames: 0 };
  }
  for (let k = 0; k < ROUNDS; k++) {
    const bench = new Bench({ time: ms / ROUNDS, iterations: 3, warmup: false });
    for (const count of threads) bench.add(String(count), sides[count].frame);
    for (const { name, result } of await bench.run()) {
      if (result.state !== 'completed') throw result.error ?? new Error(`a frame is ${result.state}`);
      latencies[name].push(result.latency.p50);
      found[name].min = Math.min(found[name].min, result.latency.min);
      found[name].frames += result.latency.samplesCount;
    }
  }
  for (const { device } of Object.values(sides)) device.destroy();
  return Object.fromEntries(
    threads.map((count) => {
      const ms50 = median(latencies[count]);
      return [
        count,
        { median: round(ms50), min: round(found[count].min), fps: round(1000 / ms50), frames: found[count].frames },
      ];
    })
  );
}

async function counted(make, shape, features) {
  const device = await openDevice({ features: ['statistics', ...features] });
  const scene = make(device, shape);
  const before = device.statistics().counters;
  scene.render();
  await device.queue.onSubmittedWorkDone();
  const { counters, memory, programs } = device.statistics();
  device.destroy();
  return {
    counters: Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, value - (before[name] ?? 0)])),
    bytesUsed: memory.bytesUsed,
    engine: programs.engine,
  };
}

/** `only`: names of scenes; `ms`: milliseconds per scene, sample count and thread count. */
export async function measureScenes({ only, threads, ms }) {
  const extended = (await create({ extensions: true }).requestAdapter()).features.has(EXTENDED);
  const samples = extended ? [1, 4, 8] : [1, 4];
  const features = extended ? [EXTENDED] : [];
  if (!extended) say(`8 samples are left out: the device does not have the feature '${EXTENDED}'`);
  const all = Object.entries(scenes)
    .filter(([name]) => !only.length || only.includes(name))
    .flatMap(([name, make]) => samples.map((count) => ({ name, make, count })));
  const frames = {};
  let engine;
  for (const [index, { name, make, count }] of all.entries()) {
    const shape = { ...SIZE, samples: count };
    const key = `${name}@${count}x`;
    progress(index, all.length, key);
    const ofThreads = await timed(make, shape, features, threads, ms);
    const counts = await counted(make, shape, features);
    const [one, several] = [ofThreads[threads[0]], ofThreads[threads.at(-1)]];
    engine = counts.engine;
    frames[key] = {
      threads: ofThreads,
      ratio: round(one.median / several.median),
      counters: counts.counters,
      bytesUsed: counts.bytesUsed,
    };
    const texts = threads.map(
      (n) =>
        `${n} thread${n === 1 ? '' : 's'} ${ofThreads[n].median.toFixed(2).padStart(8)} `
        + `ms (${ofThreads[n].fps.toFixed(1)} frames a second)`
    );
    say(`${key.padEnd(13)} ${texts.join('   ')}${threads.length > 1 ? `   ${frames[key].ratio}×` : ''}`);
  }
  return { unit: 'ms', ...SIZE, engine, samples, threads, frames };
}
