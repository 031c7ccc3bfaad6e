// A worker with several tile contexts switches to the next one when a tile yields, and claims a tile when one is
// finished.
import { expect, test } from 'vitest';
import { WORK_DONE } from '../../assembly/layout/late/work-codes';
import { STATUS_DONE, STATUS_TIMEOUT, STATUS_YIELD } from '../../assembly/layout/status';
import { ExecutorRecord, GeometryTask, Job } from '../../build/layout';
import type { KernelExports } from '../../src/kernels';
import { Executor, JobView } from '../../src/schedule';

const JOB = 1024;
const EXECUTOR = 2048;
const TASK = 3072;
const CONTEXTS = 8192;
const CONTEXT_BYTES = 256;
const TILES = 5;

/** Calls of tileRun as context:tile, where tile t takes `calls[t]` of them; then the job's status. */
function run(contextCount: number, calls: readonly number[], last = STATUS_DONE): [string[], number] {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const words = new Int32Array(memory.buffer);
  const put = (at: number, fields: readonly (readonly [field: number, value: number])[]): void => {
    for (const [field, value] of fields) words[(at + field) >>> 2] = value;
  };
  // A finished geometry task.
  put(TASK, [[GeometryTask.state, WORK_DONE]]);
  put(JOB, [
    [Job.executors, EXECUTOR],
    [Job.tasks, TASK],
    [Job.taskCount, 1],
    [Job.nextTask, 1],
    [Job.tiles, TILES],
    [Job.softBytes, 1000],
    [Job.pass, 1],
  ]);
  put(EXECUTOR, [
    [ExecutorRecord.contexts, CONTEXTS],
    [ExecutorRecord.contextCount, contextCount],
    [ExecutorRecord.contextBytes, CONTEXT_BYTES],
    [ExecutorRecord.pass, 4096],
  ]);
  const made: number[] = [];
  const ran: string[] = [];
  const left = [...calls];
  const numberOf = (context: number): number => (context - CONTEXTS) / CONTEXT_BYTES;
  const exports = {
    tileContextInit: (context: number) => {
      made.push(numberOf(context));
    },
    tileRun: (context: number, _pass: number, tile: number) => {
      ran.push(`${numberOf(context)}:${tile}`);
      return --left[tile]! > 0 ? STATUS_YIELD : last;
    },
  };
  const executor = new Executor({
    exports: exports as unknown as KernelExports,
    job: new JobView(memory, JOB, 0),
    startClock: () => undefined,
  });
  executor.begin();
  expect(executor.advance(Infinity)).toBe(true);
  expect(made).toEqual(Array.from({ length: contextCount }, (_, i) => i));
  return [ran, words[(JOB + Job.status) >>> 2]!];
}

test('with one context, tiles run in sequence', () => {
  expect(run(1, [1, 3, 1, 1, 2])).toEqual([['0:0', '0:1', '0:1', '0:1', '0:2', '0:3', '0:4', '0:4'], 0]);
});

test('with two contexts, a tile that yields is left for the other', () => {
  expect(run(2, [1, 4, 2, 1, 2])).toEqual([['0:0', '1:1', '0:2', '1:1', '0:2', '1:1', '0:3', '1:1', '0:4', '0:4'], 0]);
});

test('with more contexts than tiles', () => {
  expect(run(7, [2, 1, 1, 1, 2])).toEqual([['0:0', '1:1', '2:2', '3:3', '4:4', '0:0', '4:4'], 0]);
});

test('a failure ends all tiles', () => {
  expect(run(3, [2, 1, 1, 1, 1], STATUS_TIMEOUT)).toEqual([['0:0', '1:1'], STATUS_TIMEOUT]);
});
