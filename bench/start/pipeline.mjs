// Measures a pipeline from creation to first use, step by step: cold in new processes, and warm in the same ones
// afterwards. The API shows some steps as one figure. Further processes measure the compiler's own steps without a
// device.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDevice } from '../support/device.mjs';
import { median, roundTo } from '../support/machine.mjs';
import { progress } from '../support/progress.mjs';

/**
 * createRenderPipelineAsync; the synchronous call, which starts on the interpreter; and the synchronous call with
 * engine 'jit', which compiles immediately.
 */
const WAYS = ['async', 'sync', 'forced'];
const WARM_ROUNDS = 5;
const ALONE = '../kernels/steps-start.mjs';
const WITH_DEVICE = './pipeline-start.mjs';
const round = roundTo(2);

/** Returns the shader and the descriptor (without modules) of the pipeline that a scene creates. */
export async function record(make, shape) {
  const device = await openDevice();
  const seen = {};
  const { createShaderModule, createRenderPipeline } = device;
  device.createShaderModule = (descriptor) => {
    seen.code = descriptor.code;
    return createShaderModule.call(device, descriptor);
  };
  device.createRenderPipeline = (descriptor) => {
    seen.descriptor = JSON.parse(JSON.stringify(descriptor, (key, value) => (key === 'module' ? undefined : value)));
    return createRenderPipeline.call(device, descriptor);
  };
  await make(device, shape);
  await device.queue.onSubmittedWorkDone();
  device.destroy();
  return seen;
}

function start(script, question) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    encoding: 'utf8',
    input: JSON.stringify(question),
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`the process that makes the pipeline failed: ${stderr.slice(-500)}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** Medians of the fields of equally structured records. */
function medians(records) {
  const [first] = records;
  return Object.fromEntries(
    Object.keys(first).map((key) => [
      key,
      typeof first[key] === 'object'
        ? medians(records.map((each) => each[key]))
        : round(median(records.map((each) => each[key]))),
    ])
  );
}

/**
 * Returns `cold`, `warm` (other shaders) and `again` (the same shader, from the cache) for each way, and the compiler's
 * own steps under `compiler`. `scenes`: URL of the module that exports `name`.
 */
export async function measurePipeline({ scenes, name, make, shape, processes }) {
  const seen = await record(make, shape);
  const results = {};
  const all = (WAYS.length + 1) * processes;
  for (const [index, way] of WAYS.entries()) {
    const runs = Array.from({ length: processes }, (_, k) => {
      progress(index * processes + k, all, `${name}'s pipeline, ${way}, in a new process`);
      return start(WITH_DEVICE, { way, scenes, scene: name, shape, rounds: WARM_ROUNDS, ...seen });
    });
    const cold = runs.map((run) => run.cold);
    results[way] = {
      cold: { ...medians(cold), slowest: round(Math.max(...cold.map(({ firstUse }) => firstUse))) },
      warm: medians(runs.flatMap((run) => run.warm)),
      again: medians(runs.flatMap((run) => run.again)),
    };
  }
  const alone = Array.from({ length: processes }, (_, k) => {
    progress(WAYS.length * processes + k, all, `${name}'s programs, the compiler's steps`);
    return start(ALONE, { code: seen.code, rounds: WARM_ROUNDS });
  });
  return {
    ...results,
    compiler: { cold: medians(alone.map((run) => run.cold)), warm: medians(alone.flatMap((run) => run.warm)) },
  };
}
