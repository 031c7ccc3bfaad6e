// npm run bench farm-overhead
// What the queue costs: CPU time of a worker's own process and of Redis for a job that renders nothing, against the CPU
// time of a thumbnail of the knight, drawn and encoded by the same processes without a queue. Processes that render do
// not count as queue. Adding jobs is counted separately, since another machine may do that. The same is measured for
// jobs that draw the thumbnail, whose files the worker checks, renames and records.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FarmProducer, FarmQueue, renderMany } from '../../build/farm.js';
import { keep, median, roundTo } from '../support/machine.mjs';
import { RedisServer } from '../support/redis.mjs';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    model: { type: 'string' },
  },
});
/** Most CPU time of the queue, as a part of that of a thumbnail. */
const LIMIT = 0.05;
const KNIGHT = fileURLToPath(new URL('../../../shared/assets/chr_knight.glb', import.meta.url));
const model = values.model ?? KNIGHT;
if (!existsSync(model)) {
  console.log(`Skipped: ${model} is missing; --model names another one.`);
  process.exit();
}
const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const MODULE = fileURLToPath(new URL('hostile-module.mjs', import.meta.url));
const JOBS = Number(values.jobs);
/** The first jobs of a process compile its code and open its connections. */
const WARM = 500;
const PICTURES = 100;
const WARM_PICTURES = 10;
/** CPU time is counted in ticks of this many milliseconds. */
const TICK_MS = 10;

/** CPU time of a process with all its threads and without those that it has started, in milliseconds. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Mean CPU time of a thumbnail in milliseconds. */
async function thumbnailCpu(folder) {
  const jobs = Array.from({ length: WARM_PICTURES + PICTURES }, (_, i) => ({
    input: model,
    output: join(folder, `${i}.png`),
    size: '256x256',
  }));
  let sum = 0;
  let count = 0;
  for await (const result of renderMany(jobs, { concurrency: 1, threads: 1 })) {
    if (result.code !== undefined) throw new Error(`${result.code}: ${result.message}`);
    if (count++ >= WARM_PICTURES) sum += result.stats.cpuMilliseconds;
  }
  return sum / PICTURES;
}

const nothing = (i) => ({ module: 'nothing', data: { act: 'nothing', i } });
const thumbnail = (i) => ({ input: model, output: `${i}.png`, size: '256x256', camera: `orbit:${i % 360},15` });

/** Mean CPU time of a job in milliseconds: to add it, in the worker, and in Redis. */
async function queueCpu(folder, jobOf, warm, count) {
  const redis = await RedisServer.start({ aof: true });
  const access = { queue: 'overhead', redis: redis.url };
  const [producer, queue] = [await FarmProducer.open(access), await FarmQueue.open(access)];
  const words = ['farm', 'work', '--queue', access.queue, '-o', join(folder, 'out'), '--quiet', '--concurrency', '2'];
  words.push('--input', dirname(model));
  const env = { ...process.env, RASTERLOOM_REDIS: redis.url };
  const worker = spawn(process.execPath, [CLI, ...words, '--modules', `nothing=${MODULE}`], { env, stdio: 'inherit' });
  const exited = once(worker, 'exit');
  const jobs = (from, to) => Array.from({ length: to - from }, (_, i) => jobOf(from + i));
  const finished = async (number) => {
    while ((await queue.status()).counts.completed < number) await sleep(500);
  };
  try {
    await producer.addAll(jobs(0, warm));
    await finished(warm);
    await queue.pause();
    const start = [process.cpuUsage(), await redis.cpuMilliseconds()];
    await producer.addAll(jobs(warm, warm + count));
    const { user, system } = process.cpuUsage(start[0]);
    const added = [cpuOf(worker.pid), await redis.cpuMilliseconds()];
    await queue.resume();
    await finished(warm + count);
    const ended = [cpuOf(worker.pid), await redis.cpuMilliseconds()];
    return {
      add: { producer: (user + system) / 1000 / count, redis: (added[1] - start[1]) / count },
      run: { worker: (ended[0] - added[0]) / count, redis: (ended[1] - added[1]) / count },
    };
  } finally {
    worker.kill('SIGTERM');
    await exited;
    await producer.close();
    await queue.close();
    await redis.close();
  }
}

const round = roundTo(3);
const rounds = [];
for (let i = 0; i < Number(values.rounds); i++) {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-overhead-'));
  try {
    const thumbnailMs = await thumbnailCpu(folder);
    const { add, run } = await queueCpu(folder, nothing, WARM, JOBS);
    const pictures = await queueCpu(folder, thumbnail, 3 * WARM_PICTURES, 3 * PICTURES);
    const part = (run.worker + run.redis) / thumbnailMs;
    rounds.push({ thumbnailMs, add, run, picture: pictures.run, part });
    const ms = (value) => `${round(value)} ms`;
    console.log(`Round ${i + 1}: a thumbnail takes ${ms(thumbnailMs)} of CPU time`);
    console.log(
      `  a job takes ${ms(run.worker)} in the worker and ${ms(run.redis)} in Redis: ${(part * 100).toFixed(1)} %`
    );
    console.log(`  one that draws the thumbnail: ${ms(pictures.run.worker)} and ${ms(pictures.run.redis)}`);
    console.log(`  to add it takes ${ms(add.producer)} in the producer and ${ms(add.redis)} in Redis`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const part = median(rounds.map((each) => each.part));
const reached = part <= LIMIT;
console.log(`The queue costs ${(part * 100).toFixed(1)} % of a thumbnail; the limit is ${LIMIT * 100} %.`);
keep('farm-overhead', { jobs: JOBS, limit: LIMIT, reached, part, rounds });
if (!reached) process.exitCode = 1;
