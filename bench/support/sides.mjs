// Sides that stay open: processes that answer one message after another, so that sides can run in turn without starting
// anew. Dawn supports one device per process, so each side has its own.
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { peerModules } from './peer-files.mjs';

/** The peers of the `webgpu` package, and their back ends. */
const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };

/**
 * Starts the process of a side, which sends a message when it is ready. `script` is a URL. Returns `ask`, which sends a
 * message and resolves to the answer. It rejects if the answer has an `error` or if the process ends.
 */
export async function openSide(name, script, args) {
  const child = fork(fileURLToPath(script), args, {
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, PEER_MODULES: peerModules, MESA_SHADER_CACHE_DISABLE: 'true' },
  });
  let last = '';
  child.stderr.on('data', (text) => {
    last = String(text).slice(-300);
  });
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${name} ended: ${last}`));
      if (child.exitCode !== null || child.signalCode !== null) ended();
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        if (message.error) reject(new Error(`${name}: ${message.error}`));
        else resolve(message);
      });
    });
  const ask = (message) => {
    const answered = answer();
    if (child.connected) child.send(message);
    return answered;
  };
  await answer();
  return { name, ask, close: () => child.kill() };
}

/**
 * Opens the device of a side in its own process. `side` is a peer, or this package's options in JSON. Validation errors
 * are passed to `onError`.
 */
export async function openSideDevice(side, onError) {
  // The process of a side ends with the benchmark.
  process.once('disconnect', () => process.exit(0));
  const isPeer = side in BACKENDS;
  const { create, globals } = isPeer
    ? createRequire(`${process.env.PEER_MODULES}/`)('webgpu')
    : await import('../../build/index.js');
  Object.assign(globalThis, globals);
  const gpu = create(isPeer ? [`backend=${BACKENDS[side]}`] : JSON.parse(side));
  const adapter = await gpu.requestAdapter(side === 'llvmpipe' ? { featureLevel: 'compatibility' } : {});
  // In compatibility mode, the default limits are lower.
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX, maxStorageBuffersInVertexStage } =
    adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX, maxStorageBuffersInVertexStage },
  });
  device.onuncapturederror = ({ error }) => onError(error.message);
  // Dawn needs `gpu` and `adapter` to stay alive as long as their device.
  return { device, gpu, adapter };
}
