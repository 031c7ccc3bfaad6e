// node bench/three/run.mjs ours|swiftshader|llvmpipe FOLDER [scene,scene]
// Draws scenes and writes their pictures to a folder (`-`: none). Prints one line of JSON per scene; `refusal` is the
// first error of the device. Peers are found in PEER_MODULES. They support one device per process, so a process draws
// only one of their scenes.
//
//   FRAMES   number of frames whose milliseconds and processor time are reported (0); an animation frame passes before
//            each, because three.js draws passes once per animation frame
//   SAMPLES  1 for no antialiasing (4)
//   SIZE     width and height (640x360)
//   THREADS  worker threads of this package
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { looks } from './looks.mjs';
import { scenes } from './scenes.mjs';
import { build, openOurs, openPeer } from './stage.mjs';

const [by, folder, only] = process.argv.slice(2);
const { THREADS, SAMPLES, SIZE = '640x360' } = process.env;
const FRAMES = Number(process.env.FRAMES ?? 0);
const [width, height] = SIZE.split('x').map(Number);
const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const names = only ? only.split(',') : Object.keys(scenes);
const peer = BACKENDS[by];

const milliseconds = ({ user, system }) => (user + system) / 1000;

/** Draws the second frame and those after it. Returns the milliseconds and the processor time of each. */
async function measure(frame) {
  const times = [];
  const cpu = [];
  for (let i = 0; i < FRAMES; i++) {
    await new Promise(requestAnimationFrame);
    const spent = process.cpuUsage();
    const start = performance.now();
    await frame(0.5 + (i % 20) * 0.02);
    times.push(performance.now() - start);
    cpu.push(milliseconds(process.cpuUsage(spent)));
  }
  return { times, cpu };
}

for (const name of names) {
  const stage = await (peer
    ? openPeer({ width, height, backend: peer, modules: process.env.PEER_MODULES })
    : openOurs({ width, height, options: THREADS ? { threads: Number(THREADS) } : {} }));
  if (SAMPLES === '1') stage.parameters.antialias = false;
  const spent = process.cpuUsage();
  const began = performance.now();
  const { renderer, frame } = await build(stage, { ...scenes, ...looks }[name]);
  let refusal;
  renderer.backend.device.addEventListener('uncapturederror', ({ error }) => {
    refusal ??= error.message.trim().split('\n')[0];
  });
  await frame(0.5);
  const first = performance.now() - began;
  const firstCpu = milliseconds(process.cpuUsage(spent));
  const measured = FRAMES ? await measure(frame) : {};
  // At the earliest the second frame: assets of the first have loaded, and environments are prefiltered.
  await frame(0.5);
  if (folder !== '-')
    writeFileSync(join(folder, `${name}.png`), encode({ width, height, channels: 4, data: await stage.pixels() }));
  console.log(JSON.stringify({ name, first, firstCpu, ...measured, refusal }));
  stage.close();
}
// Dawn keeps the process alive.
process.exit(0);
