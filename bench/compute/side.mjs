// One side of bench/compute-peers.mjs, a process of its own: what computes (javascript, a peer of the `webgpu` package,
// or options of ours as JSON) is its argument. Over its channel it is told to make a program, and to run it.
import { createRequire } from 'node:module';
import { readAs } from './kit.mjs';
import { programs } from './programs.mjs';

const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const [side] = process.argv.slice(2);

/** What wanted values and found ones differ in, as a sentence, or nothing. */
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
  // In compatibility mode workgroups are smaller unless more is asked for.
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX },
  });
  device.onuncapturederror = ({ error }) => process.send({ error: error.message });
  // Collected, it would end with its process's queue.
  return { device, gpu };
}

const opened = side === 'javascript' ? null : await openDevice();
let made = null, plain = null;

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
  const ms = await run(), wanted = plainOf(size)();
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
