// Measures a cell of the cost map, and checks that all engines draw its picture.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers';
import { openDevice } from '../support/device.mjs';
import { roundTo } from '../support/machine.mjs';
import { cycleTime } from '../kernels/clock.mjs';
import { bytesOf } from './frame.mjs';

const FEATURES = ['extended-sample-counts'];
const SIDES = {
  jit: { engine: 'jit', threads: 0 },
  interpreter: { engine: 'interpreter', threads: 0 },
  scalar: { engine: 'interpreter', simd: false, threads: 0 },
  threads: { engine: 'jit', threads: 2 },
};
const devices = new Map();
async function deviceOf(side) {
  if (!devices.has(side)) {
    const device = await openDevice({ options: SIDES[side], features: FEATURES });
    // A cell that is refused fails, and the other cells continue.
    device.onuncapturederror = ({ error }) => {
      device.refused ??= error;
    };
    devices.set(side, device);
  }
  return devices.get(side);
}
export function closeDevices() {
  for (const device of devices.values()) device.destroy();
  devices.clear();
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
const round = roundTo(1);

async function timeOf(device, render) {
  const began = performance.now();
  await render();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
}

/** Returns the minimum milliseconds of frames that run for `ms`, after a warm-up of the same duration. */
async function least(device, render, ms, frames) {
  let until = performance.now() + ms;
  for (let i = 0; i < frames || performance.now() < until; i++) {
    await timeOf(device, render);
    await turn(); // the engine installs better code between calls
  }
  let best = Infinity;
  until = performance.now() + ms;
  for (let i = 0; i < frames || performance.now() < until; i++) best = Math.min(best, await timeOf(device, render));
  return best;
}

async function hashOf(device, { render, picture }) {
  await render();
  if (!picture) {
    await device.queue.onSubmittedWorkDone();
    return null;
  }
  return createHash('sha256')
    .update(await bytesOf(device, picture))
    .digest('hex');
}

const without = new Map();
/**
 * The cost of the frame without the measured feature: another shader, the same frame without draw calls, or nothing.
 */
async function baseOf(side, device, cell, frame, ms, frames) {
  if (cell.without === null) return 0;
  if (!cell.without) return least(device, frame.empty, ms, frames);
  const key = `${side} ${cell.group} ${cell.without.key ?? ''}`;
  if (!without.has(key)) without.set(key, await least(device, cell.without(device).render, ms, frames));
  return without.get(key);
}

async function cyclesOn(side, cell, ms, frames) {
  const device = await deviceOf(side);
  const frame = cell.make(device);
  await frame.render();
  await device.queue.onSubmittedWorkDone();
  const { refused } = device;
  device.refused = undefined;
  if (refused) throw refused;
  const time = await least(device, frame.render, ms, frames);
  const base = await baseOf(side, device, cell, frame, ms, frames);
  const cycles = round(((time - base) * 1e6) / cycleTime() / cell.count);
  return { cycles: Math.max(0, cycles), picture: await hashOf(device, frame) };
}

/** Returns the cycles per unit of compiled shaders, and the picture's hash. */
export const measureCell = (cell, ms) => cyclesOn('jit', cell, ms, 5);

/** Measures the other engines roughly, and lists those that draw another picture. */
export async function compareEngines(cell, picture) {
  const cycles = {};
  const wrong = [];
  for (const side of ['interpreter', 'scalar']) {
    const result = await cyclesOn(side, cell, 0, 1);
    cycles[side] = result.cycles;
    if (result.picture !== picture) wrong.push(side);
  }
  const device = await deviceOf('threads');
  if ((await hashOf(device, cell.make(device))) !== picture) wrong.push('threads');
  return { cycles, wrong };
}
