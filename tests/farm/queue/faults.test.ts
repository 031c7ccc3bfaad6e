// A farm whose workers and whose Redis are killed and stopped loses nothing: the bounded form of bench/farm/faults.mjs.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runFaults } from '../../../bench/farm/fault-run.mjs';

const MODEL = fileURLToPath(new URL('../../../examples/sample.glb', import.meta.url));

test('a farm that is disturbed gives each good job its one output, and each bad one a reason', async () => {
  const jobs = 120;
  const report = await runFaults({
    jobs,
    period: 30,
    model: MODEL,
    size: '32x32',
    workers: 2,
    kill: [4000, 8000],
    killJobs: 10,
    freezeMs: 6000,
    timeout: 4,
    memory: 768,
  });
  expect(report.problems).toEqual([]);
  expect(report.repeated).toEqual([]);
  expect(report).toMatchObject({ jobs, good: 116, hostile: 4 });
  expect(Object.keys(report.reasons).sort()).toEqual(['broken', 'crash', 'hang', 'memory']);
  expect(report.faults).toMatchObject({ redisKilled: 1, redisStopped: 1 });
  expect(report.faults.workersKilled).toBeGreaterThan(1);
  expect(report.startMs.most).toBeLessThan(10_000);
}, 240_000);
