// One side of bench/compute/compute-peers.mjs, in a separate process. Its argument selects the implementation:
// javascript, a peer of the `webgpu` package, or Rasterloom's options as JSON. Messages on its channel ask it to create
// a program and to run it.
import { readAs } from './kit.mjs';
import { programs } from './programs.mjs';
import { openSideDevice } from '../support/sides.mjs';

const [side] = process.argv.slice(2);

/** Returns the difference of expected and actual values as a sentence, or nothing. */
function differenceOf(found, wanted, near) {
  const isNear = (value, other) => Math.abs(value - other) <= near * Math.max(1, Math.abs(other));
  const wrong = found.findIndex((value, i) => !isNear(value, wanted[i]));
  return wrong < 0 ? undefined : `${found[wrong]} at ${wrong}, and not ${wanted[wrong]}`;
}

const opened = side === 'javascript' ? null : await openSideDevice(side, (message) => process.send({ error: message }));
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
