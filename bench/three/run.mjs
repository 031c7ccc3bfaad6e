// node bench/three/run.mjs ours|swiftshader|llvmpipe FOLDER [scene,scene]
// Draws scenes and writes their pictures to a folder (`-`: none). With MS, continues for that many milliseconds per
// scene and reports the median frame time. Prints one line of JSON per scene. Peers are found in PEER_MODULES. They
// support one device per process, so a process draws only one of their scenes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { median } from '../support/machine.mjs';
import { scenes } from './scenes.mjs';
import { build, openOurs, openPeer } from './stage.mjs';

const [by, folder, only] = process.argv.slice(2);
const MS = Number(process.env.MS ?? 0);
const width = 640;
const height = 360;
const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const names = only ? only.split(',') : Object.keys(scenes);
const peer = BACKENDS[by];
for (const name of names) {
  const stage = await (peer
    ? openPeer({ width, height, backend: peer, modules: process.env.PEER_MODULES })
    : openOurs({ width, height, options: process.env.THREADS ? { threads: Number(process.env.THREADS) } : {} }));
  const began = performance.now();
  const { frame } = await build(stage, scenes[name]);
  await frame(0.5);
  const first = performance.now() - began;
  // The second frame: assets of the first have loaded, and environments are prefiltered.
  await frame(0.5);
  if (folder !== '-')
    writeFileSync(join(folder, `${name}.png`), encode({ width, height, channels: 4, data: await stage.pixels() }));
  const times = [];
  for (const until = performance.now() + MS; performance.now() < until;) {
    const start = performance.now();
    await frame(0.5 + (times.length % 20) * 0.02);
    times.push(performance.now() - start);
  }
  console.log(JSON.stringify({ name, first, ...(MS ? { ms: median(times) } : {}) }));
  stage.close();
}
// Dawn keeps the process alive.
process.exit(0);
