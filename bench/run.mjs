// npm run bench [-- scene …] : milliseconds a frame of the bench's own scenes at 1280×720, with 1 and 4 samples, and the time from the
// start of a process to the first picture. Medians go to bench/results/scenes.json (only when every scene is run).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { create } from '../build/index.js';
import { engineOf } from './device.mjs';
import { keep, median } from './machine.mjs';
import { readback, scenes } from './scenes.mjs';

const only = process.argv.slice(2), unknown = only.filter((name) => !(name in scenes));
if (unknown.length) throw new Error(`no scene ${unknown.join(', ')}; there are ${Object.keys(scenes).join(', ')}`);
const [width, height] = [1280, 720], MS = Number(process.env.MS ?? 3000);
const round = (ms) => Math.round(ms * 100) / 100;

const startTimes = Array.from({ length: 11 }, () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(new URL('./start.mjs', import.meta.url))], { encoding: 'utf8' });
  if (status) throw new Error(stderr);
  return Number(stdout);
});
const start = { median: median(startTimes), min: Math.min(...startTimes) };
console.log(`start of a process → 64×64 triangle read back: ${start.median} ms (fastest ${start.min})`);

const adapter = await create().requestAdapter(), device = await adapter.requestDevice();
device.onuncapturederror = ({ error }) => { throw error; };
const frames = {};
for (const [name, make] of Object.entries(scenes)) for (const samples of [1, 4]) {
  if (only.length && !only.includes(name)) continue;
  const scene = make(device, { width, height, samples });
  scene.render();
  await readback(device, scene.color); // compiled and warm
  const bench = new Bench({ time: MS, iterations: 5, warmupTime: MS / 4, warmupIterations: 2 });
  bench.add(name, async () => { scene.render(); await device.queue.onSubmittedWorkDone(); });
  const [task] = await bench.run();
  if (task.result.state !== 'completed') throw task.result.error ?? new Error(`${name}: ${task.result.state}`);
  const { p50, min, samplesCount } = task.result.latency;
  frames[`${name}@${samples}x`] = { median: round(p50), min: round(min), frames: samplesCount };
  console.log(`${name.padEnd(10)} ${samples}×  ${round(p50).toFixed(2).padStart(9)} ms  (fastest ${round(min).toFixed(2)}, ${samplesCount} frames)`);
  scene.color.destroy();
}
if (!only.length) keep('scenes', { unit: 'ms', width, height, engine: await engineOf(), threads: 1, start, frames });
device.destroy();
