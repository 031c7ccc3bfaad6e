// The team's side of a job, with passive threads: their messages end it once, and in time.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Job } from '../../build/layout';
import { WorkerTeam, type WorkerThread } from '../../src/schedule';
import type { WorkerReport } from '../../src/schedule/serve';

const SIZE = 2;
const teams: WorkerTeam[] = [];

function makeTeam() {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const words = new Int32Array(memory.buffer);
  const says: ((report: WorkerReport) => void)[] = [];
  const gone: (() => void)[] = [];
  const spawn = (): WorkerThread => ({
    post: () => undefined,
    hold: () => undefined,
    terminate: () => gone.splice(0).forEach((tell) => tell()),
    listen: (said, _, ended) => {
      says.push(said);
      gone.push(ended);
    },
  });
  const team = new WorkerTeam({
    spawn,
    size: SIZE,
    module: new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)),
    memory,
    job: 0,
    oracle: false,
    trace: () => null,
    late: () => undefined,
    settled: () => undefined,
    unavailable: (why) => {
      throw new Error(why);
    },
  });
  teams.push(team);
  team.startThreads();
  Atomics.store(words, Job.ready >>> 2, SIZE);
  expect(team.isReady).toBe(true);
  return {
    team,
    say: says[0]!,
    sequence: () => words[Job.sequence >>> 2]!,
    leaveJob: () => void Atomics.store(words, Job.left >>> 2, 0),
  };
}

afterEach(() => teams.splice(0).forEach((team) => team.leave()));

describe('a job that a worker reports as almost finished', () => {
  it('ends with that message, and later ones end neither it nor the next job', () => {
    const { team, say, sequence, leaveJob } = makeTeam();
    const done = vi.fn();
    const next = vi.fn();
    team.run(done);
    const first = sequence();
    leaveJob();
    say({ kind: 'soon', sequence: first });
    expect(done).toHaveBeenCalledTimes(1);
    team.run(next);
    leaveJob();
    say({ kind: 'done', sequence: first });
    say({ kind: 'soon', sequence: first });
    expect(done).toHaveBeenCalledTimes(1);
    expect(next).not.toHaveBeenCalled();
    say({ kind: 'done', sequence: sequence() });
    expect(next).toHaveBeenCalledTimes(1);
  });

  it('ends with its last message otherwise, and delays the thread only briefly', () => {
    const { team, say, sequence, leaveJob } = makeTeam();
    const done = vi.fn();
    const wait = vi.spyOn(Atomics, 'wait');
    team.run(done);
    say({ kind: 'soon', sequence: sequence() });
    expect(done).not.toHaveBeenCalled();
    expect(Math.max(...wait.mock.calls.map(([, , , ms]) => ms ?? Infinity))).toBeLessThan(1);
    wait.mockRestore();
    leaveJob();
    say({ kind: 'done', sequence: sequence() });
    expect(done).toHaveBeenCalledTimes(1);
  });
});
