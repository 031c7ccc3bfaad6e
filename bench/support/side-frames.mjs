// One side of a comparison of frames, in a separate process (sides.mjs). The arguments are the side and the URL of a
// module that exports `make(device, request, createPipeline)`: it returns `frame(repeats)`, which submits a frame,
// `picture()` and `destroy()`. Messages on the channel:
//
//   { make: request }             makes it and draws its first frame. Answers with the picture, or with `refusal`
//   { warm: ms, repeats }         draws frames until all threads together have used this many milliseconds of the
//                                 processor, and at least MIN_FRAMES
//   { time: ms, repeats }         draws frames for this many milliseconds; answers with the median `ms` per frame, and
//                                 `cpu` milliseconds of the processor per frame, by all threads
import { openSideDevice } from './sides.mjs';
import { median } from './machine.mjs';

const MIN_FRAMES = 3;
const [side, module] = process.argv.slice(2);
const { make } = await import(module);
let errors = [];
const { device, gpu, adapter } = await openSideDevice(side, (message) => errors.push(message));
// Dawn crashes if these are collected while the device lives.
globalThis.kept = [gpu, adapter];
let made;
/** Dawn's OpenGL back end creates no pipelines asynchronously. Here they are compiled when the promise resolves. */
const createPipeline = (descriptor) =>
  side === 'llvmpipe' ? device.createRenderPipeline(descriptor) : device.createRenderPipelineAsync(descriptor);

const milliseconds = ({ user, system }) => (user + system) / 1000;

/** Draws frames until `isDone(frames, milliseconds of the processor)`. */
async function drawFrames(repeats, isDone) {
  const times = [];
  const spent = process.cpuUsage();
  do {
    const began = performance.now();
    made.frame(repeats);
    await device.queue.onSubmittedWorkDone();
    times.push((performance.now() - began) / repeats);
  } while (!isDone(times.length, milliseconds(process.cpuUsage(spent))));
  return { ms: median(times), cpu: milliseconds(process.cpuUsage(spent)) / times.length / repeats };
}

const warmUp = (ms, repeats) => drawFrames(repeats, (frames, cpu) => frames >= MIN_FRAMES && cpu >= ms);
function time(ms, repeats) {
  const until = performance.now() + ms;
  return drawFrames(repeats, () => performance.now() >= until);
}

async function open(request) {
  made?.destroy();
  made = undefined;
  errors = [];
  device.pushErrorScope('validation');
  let picture;
  try {
    made = await make(device, request, createPipeline);
    made.frame(1);
    await device.queue.onSubmittedWorkDone();
    picture = await made.picture();
  } catch (error) {
    errors.push(error.message);
  }
  const error = await device.popErrorScope();
  const refusal = error?.message ?? errors[0];
  return refusal === undefined ? { picture } : { refusal: refusal.trim().split('\n')[0].slice(0, 200) };
}

process.on('message', async (message) => {
  try {
    const { make: request, warm, time: ms, repeats } = message;
    if (request) process.send(await open(request));
    else process.send(await (warm === undefined ? time(ms, repeats) : warmUp(warm, repeats)));
  } catch (error) {
    process.send({ error: error.message.slice(0, 300) });
  }
});
process.send({ ready: true });
