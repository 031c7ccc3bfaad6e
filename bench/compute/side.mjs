// One side of bench/compute/compute-peers.mjs, in a separate process. Its argument selects the implementation:
// javascript, a peer of the `webgpu` package, or Rasterloom's options as JSON. Messages on its channel ask it to create
// a program and to run it.
import { createRequire } from 'node:module';
import { readAs } from './kit.mjs';
import { programs } from './programs.mjs';

const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const [side] = process.argv.slice(2);

/** Returns the difference of expected and actual values as a sentence, or nothing. */
function differenceOf(found, wanted, near) {
  const isNear = (value, other) => Math.abs(value - other) <= near * Math.max(1, Math.abs(other));
  const wrong = found.findIndex((value, i) => !isNear(value, wanted[i]));
  return wrong < 0 ? undefined : `${found[wrong]} at ${wrong}, and not ${wanted[wrong]}`;
}

async function openDevice() {
  const isPeer = side in BACKENDS;
  const { create, globals } = isPeer
    ? createRequire(`${process.env.PEER_MODULES}/`)('webgpu')
    : await import('../../build/index.js');
  Object.assign(globalThis, globals);
  const gpu = create(isPeer ? [`backend=${BACKENDS[side]}`] : JSON.parse(side));
  const adapter = await gpu.requestAdapter(side === 'llvmpipe' ? { featureLevel: 'compatibility' } : {});
  // In compatibility mode, the default limits for workgroups are lower.
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX },
  });
  device.onuncapturederror = ({ error }) => process.send({ error: error.message });
  // Dawn needs `gpu` to stay alive as long as its device.
  return { device, gpu };
}

const opened = side === 'javascript' ? null : await openDevice();
let made = null;
let plain = null;

async function run() {
  const began = performance.now();
  if (plain) plain();
  else {
    made.run();
    await opened.device.queue.onSubmittedWorkDone();
  }
  return performance.now() - began;
}

async function make({ name, size }) {
  const { make: makeOn, plain: plainOf, near } = programs[name];
  plain = null;
  if (!opened) {
    plain = plainOf(size);
    return { ms: await run() };
  }
  made = await makeOn(opened.device, size);
  const ms = await run();
  const wanted = plainOf(size)();
  return { ms, difference: differenceOf(await readAs(opened.device, made.result, wanted), wanted, near) };
}

process.on('message', async (message) => {
  try {
    process.send(message === 'run' ? { ms: await run() } : await make(message));
  } catch (error) {
    process.send({ error: error.message.slice(0, 300) });
  }
});
process.send({ ready: true });
