// npm run bench farm-faults -- --jobs 10000 --rounds 3
// A farm that loses nothing: small pictures of a model with 1 % hostile jobs, and three workers. One of them is killed
// every few seconds, and Redis is killed, started again, and stopped for 20 s. Every good job must have its one right
// output, and every bad one a reason. --model names another model than the knight.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { keep } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { runFaults } from './fault-run.mjs';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    model: { type: 'string' },
  },
});
const knight = new URL('../../../shared/assets/chr_knight.glb', import.meta.url).pathname;
const model = values.model ?? (existsSync(knight) ? knight : 'examples/sample.glb');
const jobs = Number(values.jobs);
const rounds = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const result = await runFaults({
    jobs,
    period: 100,
    model,
    size: '64x64',
    workers: 3,
    kill: [2000, 8000],
    freezeMs: 20_000,
    timeout: 10,
    memory: 1024,
    seed: round + 1,
    progress: (ended) => progress(ended, jobs, 'jobs'),
  });
  rounds.push(result);
  const { good, hostile, problems, repeated, faults, seconds, starts, startMs } = result;
  say(`Round ${round + 1}: ${good} of ${jobs - hostile} good jobs with their right output, in ${seconds.toFixed(0)} s`);
  say(`  reasons of ${hostile} hostile jobs: ${JSON.stringify(result.reasons)}`);
  say(`  ${faults.workersKilled} workers and ${faults.redisKilled} Redis killed, ${faults.redisStopped} Redis stopped`);
  say(`  ${starts} starts; a free worker waited ${startMs.median} ms (median), ${startMs.most} ms at most`);
  for (const problem of [...problems, ...repeated.map((id) => `${id}: two results`)]) say(`  wrong: ${problem}`);
}
keep('farm-faults', { model: basename(model), jobs, rounds });
if (rounds.some(({ problems, repeated }) => problems.length + repeated.length > 0)) process.exitCode = 1;
