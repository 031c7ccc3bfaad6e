// npm run bench:draws : what a draw costs in JavaScript, over the 10 000 of the scene `draws`, each with a bind group
// of its own: microseconds a draw of recording, of finishing the encoder and of submitting, and until the picture is
// there; and the same of a bundle that is replayed. Medians. FRAMES (60); THREADS (the machine's cores).
import { availableParallelism } from 'node:os';
import { openDevice } from './device.mjs';
import { keep, median } from './machine.mjs';
import { DRAWS, draws } from './scenes/draws.mjs';

const FRAMES = Number(process.env.FRAMES ?? 60), WARM = 20;
const threads = Number(process.env.THREADS ?? availableParallelism());
/** Microseconds of a draw: set its bind group, draw, finish and submit. */
const LIMIT = 2;

/** The same of a bundle, which was recorded before. */
const REPLAY_LIMIT = 1;

const device = await openDevice({ options: { threads } });
const scene = draws(device, { width: 1280, height: 720, samples: 1 }), bundle = scene.bundle();

/** Medians of microseconds a draw, of frames that `encode` puts into an encoder. */
async function measure(encode) {
  const times = { recorded: [], finished: [], submitted: [], drawn: [] };
  for (let frame = 0; frame < WARM + FRAMES; frame++) {
    const began = performance.now(), encoder = device.createCommandEncoder();
    encode(encoder);
    const recorded = performance.now(), commands = encoder.finish();
    const finished = performance.now();
    device.queue.submit([commands]);
    const submitted = performance.now();
    await device.queue.onSubmittedWorkDone();
    if (frame < WARM) continue;
    times.recorded.push(recorded - began);
    times.finished.push(finished - recorded);
    times.submitted.push(submitted - finished);
    times.drawn.push(performance.now() - submitted);
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, Math.round(median(all) * 1e6 / DRAWS) / 1000])
  );
}

function judge(name, aDraw, limit) {
  const value = Math.round((aDraw.recorded + aDraw.finished + aDraw.submitted) * 1000) / 1000, reached = value <= limit;
  console.log(`${name}: ${Object.entries(aDraw).map(([part, us]) => `${part} ${us.toFixed(3)}`).join(', ')} µs a draw`);
  console.log(`  until submitted ${value} µs ≤ ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`);
  return { value, limit, reached };
}

const aDraw = await measure(scene.record), aReplay = await measure((encoder) => scene.replay(encoder, bundle));
const goals = { submitted: judge('in a pass', aDraw, LIMIT), replayed: judge('from a bundle', aReplay, REPLAY_LIMIT) };
keep('draws', { unit: 'µs a draw', draws: DRAWS, threads, aDraw, aReplay, goals });
process.exit(0);
