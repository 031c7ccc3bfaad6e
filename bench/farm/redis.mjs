// What a job that renders nothing costs Redis: CPU time and bytes to add it and to run it, through BullMQ, with a Redis
// of its own that keeps a log of changes (AOF). Redis runs commands on one core, so its CPU time is the limit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { keep, roundTo } from '../support/machine.mjs';

const JOBS = 3000;

const folder = mkdtempSync(join(tmpdir(), 'rasterloom-redis-'));
const free = createServer().listen(0);
await once(free, 'listening');
const { port } = free.address();
free.close();
const server = spawn(
  'redis-server',
  ['--port', String(port), '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', folder],
  { stdio: 'ignore' }
);
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
const redis = new Redis(connection);
redis.on('error', () => undefined);

/** Totals of the server: CPU time in microseconds, commands and bytes of the network. */
async function totals() {
  const text = await redis.info();
  const at = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)[1]);
  return {
    cpuUs: (at('used_cpu_user') + at('used_cpu_sys')) * 1e6,
    commands: at('total_commands_processed'),
    bytes: at('total_net_input_bytes') + at('total_net_output_bytes'),
    memory: at('used_memory'),
  };
}
const round = roundTo(1);
const perJob = (before, after) =>
  Object.fromEntries(Object.keys(before).map((name) => [name, round((after[name] - before[name]) / JOBS)]));

const queue = new Queue('cost', { connection });
// The server may not listen yet.
queue.on('error', () => undefined);
await queue.waitUntilReady();
const data = { input: 'models/chair-00001.glb', output: 'chair-00001.png', size: '512x512', samples: 4 };
const jobs = Array.from({ length: JOBS }, (_, i) => ({ name: 'job', data, opts: { jobId: `job-${i}`, attempts: 3 } }));
const start = await totals();
await queue.addBulk(jobs);
const added = await totals();
let done = 0;
const result = { sha256: 'f'.repeat(64), bytes: 100_000, output: data.output };
const worker = new Worker('cost', async () => result, { connection, concurrency: 4 });
await new Promise((resolve) => worker.on('completed', () => ++done === JOBS && resolve()));
const ended = await totals();
const add = perJob(start, added);
const run = perJob(added, ended);
console.log('to add a job', add);
console.log('to run a job', run);
await worker.close();
await queue.close();
redis.disconnect();
server.kill();
await once(server, 'exit');
rmSync(folder, { recursive: true });
keep('farm-redis', { jobs: JOBS, add, run });
