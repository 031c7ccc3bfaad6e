// Runs a farm with hostile jobs while its workers and its Redis are killed and stopped, and checks every output. The
// benchmark (faults.mjs) and a test share it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FarmProducer, renderMany } from '../../build/farm.js';
import { RedisServer } from '../support/redis.mjs';

const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const HOSTILE = fileURLToPath(new URL('hostile-module.mjs', import.meta.url));
/** Pictures with different content; each job has a file of its own. */
const VARIANTS = 20;
const KINDS = ['hang', 'memory', 'crash', 'broken'];
const QUEUE = 'faults';

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A generator with a seed, so that a run can be repeated. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const optionsOf = (i, size) => ({
  input: 'model.glb',
  size,
  samples: 1,
  shadows: 'off',
  camera: `orbit:${(i % VARIANTS) * 18},15`,
});

/** Jobs in a fixed order, of which every `period`-th is hostile. */
function* jobsOf({ jobs, period, size }) {
  for (let i = 0; i < jobs; i++) {
    const kind = KINDS[Math.floor(i / period) % KINDS.length];
    const output = `${i % 100}/${i}.png`;
    if (i % period !== period - 1) yield { id: `${i}`, ...optionsOf(i, size), output };
    else if (kind === 'broken') yield { id: `${i} broken`, ...optionsOf(i, size), input: 'broken.glb', output };
    else yield { id: `${i} ${kind}`, module: 'hostile', data: { act: kind, i } };
  }
}

/** Hashes of the pictures, drawn without a queue. */
async function expectedHashes(folder, size) {
  const alone = join(folder, 'alone');
  mkdirSync(alone);
  const jobs = Array.from({ length: VARIANTS }, (_, i) => ({
    ...optionsOf(i, size),
    input: join(folder, 'model.glb'),
    output: join(alone, `${i}.png`),
  }));
  for await (const result of renderMany(jobs, { concurrency: 1 }))
    if (result.code !== undefined) throw new Error(`a picture cannot be drawn: ${result.message}`);
  return jobs.map(({ output }) => hashOf(readFileSync(output)));
}

/** A worker process, and what it says. */
class WorkerProcess {
  constructor(folder, url, { timeout, memory }, hear) {
    const words = ['farm', 'work', '--queue', QUEUE, '--input', folder, '-o', join(folder, 'out'), '--json'];
    words.push('--concurrency', '1', '--threads', '1', '--timeout', `${timeout}`, '--memory', `${memory}`);
    words.push('--modules', `hostile=${HOSTILE}`);
    this.child = spawn(process.execPath, [CLI, ...words], {
      env: { ...process.env, RASTERLOOM_REDIS: url },
      stdio: ['ignore', 'pipe', process.env.FAULTS_VERBOSE ? 'inherit' : 'ignore'],
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => hear(this, JSON.parse(line)));
    this.exited = once(this.child, 'exit');
  }

  async end(signal) {
    this.child.kill(signal);
    await this.exited;
  }
}

/** Times at which workers were free and jobs started. */
class Clock {
  /** Since when each worker is free. */
  #free = new Map();
  #outages = [];
  #started = new Set();
  /** Milliseconds that free workers have waited for a job, without times when Redis was away. */
  waits = [];
  /** Starts of jobs in all. */
  starts = 0;

  hear(worker, { type, state, id, ...event }) {
    const time = Date.parse(event.time);
    if (type === 'worker' && state === 'started') this.#free.set(worker, time);
    if (type !== 'job') return;
    if (state !== 'active') {
      this.#free.set(worker, time);
      return;
    }
    this.starts++;
    const since = this.#free.get(worker);
    this.#free.delete(worker);
    // Later, jobs may wait for their next try, so that workers have nothing to do.
    if (!this.#started.has(id) && since !== undefined) this.waits.push(this.#without(since, time));
    this.#started.add(id);
  }

  away(from, to) {
    this.#outages.push([from, to]);
  }

  #without(from, to) {
    return this.#outages.reduce((ms, [a, b]) => ms - Math.max(0, Math.min(to, b) - Math.max(from, a)), to - from);
  }
}

/**
 * @param options.jobs their number
 * @param options.period every how manieth job is hostile
 * @param options.model path of a model
 * @param options.size of the pictures
 * @param options.workers number of processes
 * @param options.kill milliseconds between two kills of a worker, at least and at most
 * @param options.killJobs jobs that end between two kills, at least: on a busy machine, workers need long to start
 * @param options.freezeMs for how long Redis is stopped
 * @param options.timeout seconds, and `memory` MiB, that a job may take
 * @param options.progress gets the number of results
 */
export async function runFaults(options) {
  const { jobs, model, size, workers: count, kill, killJobs = 0, freezeMs, seed = 1 } = options;
  const { progress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-faults-'));
  copyFileSync(model, join(folder, 'model.glb'));
  writeFileSync(join(folder, 'broken.glb'), 'glTF, but not really');
  const expected = await expectedHashes(folder, size);
  const redis = await RedisServer.start({ aof: true });
  const clock = new Clock();
  const workers = new Set();
  const start = () => {
    const worker = new WorkerProcess(folder, redis.url, options, (each, event) => clock.hear(each, event));
    workers.add(worker);
  };
  const faults = { workersKilled: 0, redisKilled: 0, redisStopped: 0 };
  const draw = random(seed);
  let ended = 0;
  let isOver = false;

  /** Kills a random worker, and starts another one at once. */
  const killWorkers = async () => {
    while (!isOver) {
      const next = ended + killJobs;
      await sleep(kill[0] + draw() * (kill[1] - kill[0]));
      while (!isOver && ended < next) await sleep(100);
      if (isOver) return;
      const victim = [...workers][Math.floor(draw() * workers.size)];
      workers.delete(victim);
      await victim.end('SIGKILL');
      faults.workersKilled++;
      start();
    }
  };
  const disturbRedis = async () => {
    const reach = async (share) => {
      while (!isOver && ended < jobs * share) await sleep(100);
      return !isOver;
    };
    if (await reach(0.25)) {
      const from = Date.now();
      await redis.kill();
      await sleep(1000);
      await redis.restart();
      clock.away(from, Date.now());
      faults.redisKilled++;
    }
    if (await reach(0.5)) {
      const from = Date.now();
      redis.freeze();
      await sleep(freezeMs);
      redis.thaw();
      clock.away(from, Date.now());
      faults.redisStopped++;
    }
  };

  const began = Date.now();
  const results = new Map();
  const repeated = [];
  for (let i = 0; i < count; i++) start();
  const producer = await FarmProducer.open({ queue: QUEUE, redis: redis.url, input: folder });
  const chaos = Promise.all([killWorkers(), disturbRedis()]);
  let report;
  try {
    for await (const result of producer.results(jobsOf(options), { backoffMs: 500 })) {
      if (results.has(result.id)) repeated.push(result.id);
      results.set(result.id, result);
      progress(++ended);
    }
    isOver = true;
    const seconds = (Date.now() - began) / 1000;
    await chaos;
    await Promise.all([...workers].map((worker) => worker.end('SIGTERM')));
    workers.clear();
    report = { ...summary(options, results, expected, folder), repeated, faults, seconds, starts: clock.starts };
    const waits = clock.waits.sort((a, b) => a - b);
    report.startMs = { median: waits[waits.length >> 1], most: waits[waits.length - 1] };
  } finally {
    isOver = true;
    await producer.close();
    await chaos.catch(() => undefined);
    await Promise.all([...workers].map((worker) => worker.end('SIGKILL')));
    await redis.close();
    if (!process.env.FAULTS_KEEP) rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

/** Compares what is there with what should be. */
function summary(options, results, expected, folder) {
  const problems = [];
  const reasons = {};
  let good = 0;
  let number = 0;
  const files = new Set();
  for (const job of jobsOf(options)) {
    const i = number++;
    const result = results.get(job.id);
    const isGood = job.id === `${i}`;
    if (!result) problems.push(`${job.id}: no result`);
    else if (!isGood) {
      if (result.code === undefined) problems.push(`${job.id}: it succeeded`);
      const kind = job.id.split(' ')[1];
      reasons[kind] ??= {};
      reasons[kind][result.code] = (reasons[kind][result.code] ?? 0) + 1;
    } else {
      files.add(job.output);
      const path = join(folder, 'out', job.output);
      const hash = expected[i % VARIANTS];
      if (result.code !== undefined) problems.push(`${job.id}: ${result.code}: ${result.message}`);
      else if (result.sha256 !== hash) problems.push(`${job.id}: the result has another hash`);
      else if (!existsSync(path) || hashOf(readFileSync(path)) !== hash) problems.push(`${job.id}: the file is wrong`);
      else good++;
    }
  }
  for (const name of readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.png') && !files.has(name)) problems.push(`${name}: nobody asked for it`);
  return { jobs: number, good, hostile: number - files.size, reasons, problems };
}
