// npm run bench front-end-peers
// Compares createShaderModule and getCompilationInfo, warm, with Dawn's in the `webgpu` package, alternating in one
// process. The shaders are three.js's physical materials and generated ones (tests/wgsl/shapes.ts) of 20 kB. Each
// side's result is the fastest of TURNS (15) turns, since other load on the machine can slow some of them. The limit is
// 3×. If Dawn is not installed, it is left out and its package is named.
import { createRequire } from 'node:module';
import { create } from '../../build/index.js';
import { shapes } from '../../build/testing/shapes.js';
import { keep } from '../support/machine.mjs';
import { runInPeerEnvironment, peerModules, missingPeersReason } from '../support/peer-files.mjs';
import { programsOf } from '../three/programs.mjs';
import { scenes } from '../three/scenes.mjs';

const missing = missingPeersReason();
if (!missing) runInPeerEnvironment(import.meta.url);
const TURNS = Number(process.env.TURNS ?? 15);
const LIMIT = 3;
const SIZE = 20_000;
const LEAST = 4000;

const texts = new Map((await programsOf(scenes.physical, LEAST)).map((code, i) => [`three physical ${i}`, code]));
for (const [name, write] of Object.entries(shapes)) texts.set(name, write(SIZE));
/** Dawn's instance. It must stay alive until the end: if it is collected before its devices, the process crashes. */
let instance;
const sides = { rasterloom: await (await create({ threads: 0 }).requestAdapter()).requestDevice() };
if (missing) console.log(`Dawn is left out: ${missing}`);
else {
  const webgpu = await import(createRequire(`${peerModules}/`).resolve('webgpu'));
  instance = webgpu.create(['backend=vulkan']);
  const adapter = await instance.requestAdapter();
  sides.dawn = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
}

let marked = 0;
async function measure(device, code) {
  const began = performance.now();
  device.pushErrorScope('validation');
  // A unique comment defeats the cache of identical texts.
  const module = device.createShaderModule({ code: `${code}\n// ${marked++}` });
  const { messages } = await module.getCompilationInfo();
  const ms = performance.now() - began;
  await device.popErrorScope();
  return { ms, isWrong: messages.some(({ type }) => type === 'error') };
}

const results = {};
let missed = 0;
for (const [name, code] of texts) {
  const best = {};
  const wrong = {};
  for (let turn = 0; turn < TURNS; turn++)
    for (const [side, device] of Object.entries(sides)) {
      const { ms, isWrong } = await measure(device, code);
      best[side] = Math.min(best[side] ?? Infinity, ms);
      wrong[side] = isWrong;
    }
  const ratio = best.rasterloom / (best.dawn ?? NaN);
  // A text in which one side finds an error and stops cannot be compared.
  const isCompared = !wrong.rasterloom && !wrong.dawn && sides.dawn !== undefined;
  if (isCompared && ratio > LIMIT) missed++;
  results[name] = { bytes: code.length, ...best, ...(isCompared && { ratio }) };
  const said = Object.entries(best)
    .map(([side, ms]) => `${side} ${ms.toFixed(2)} ms`)
    .join(', ');
  console.log(
    `${!isCompared ? ' ' : ratio > LIMIT ? '✗' : '✓'} ${name.padEnd(26)} ${code.length} bytes: `
      + `${said}${isCompared ? `, ${ratio.toFixed(2)}×` : ''}`
  );
}
keep('front-end-peers', { limit: LIMIT, turns: TURNS, programs: results });
instance = undefined;
process.exit(missed > 0 ? 1 : 0);
