// A worker that finds no tile. The job does not wait for it until it has joined one, and it ignores a job that begins
// meanwhile.
import { expect, test } from 'vitest';
import { Job, Share } from '../../build/layout';
import type { KernelExports } from '../../src/kernels';
import { JobView } from '../../src/schedule';
import { TileSharing } from '../../src/schedule/tile-sharing';

const JOB = 64;
const SHARES = 1024;
const OTHER = SHARES + Share.bytes;
const CONTEXT = 4096;

type Step = (put: (address: number, value: number) => void) => void;

/** `between`: what others do while it sleeps; `behind`: what they do after it has woken up. */
function worker(
  between: Step,
  behind: Step = () => undefined
): {
  readonly get: (address: number) => number;
  readonly put: (address: number, value: number) => void;
  readonly shares: TileSharing;
  readonly joined: number[];
} {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const job = new JobView(memory, JOB, 0);
  const joined: number[] = [];
  const get = (address: number): number => job.get(address);
  const put = (address: number, value: number): void => job.put(address, value);
  for (const [field, value] of [
    [Job.left, 2],
    [Job.sequence, 7],
    [Job.shares, SHARES],
    [Job.shareCount, 2],
  ] as const)
    put(JOB + field, value);
  const exports = {
    tileJoin: (_context: number, share: number) => {
      joined.push(share);
    },
  };
  job.wait = (isSo) => {
    if (isSo()) return true;
    between(put);
    const found = isSo();
    behind(put);
    return found;
  };
  const shares = new TileSharing(exports as unknown as KernelExports, job, () =>
    put(JOB + Job.left, get(JOB + Job.left) - 1)
  );
  shares.start();
  shares.begin();
  return { get, put, shares, joined };
}

const open = (put: (address: number, value: number) => void): void => {
  put(OTHER + Share.users, 1);
  put(OTHER + Share.left, 9);
};

test('an open tile is joined at once', () => {
  const { get, put, shares, joined } = worker(() => undefined);
  open(put);
  expect([shares.join(CONTEXT), joined, shares.hasLeftJob]).toEqual([true, [OTHER], false]);
  expect([get(JOB + Job.left), get(JOB + Job.idle), get(OTHER + Share.users)]).toEqual([2, 0, 2]);
});

test('a waiting worker has left the job, and returns for a tile', () => {
  let whileAway = 0;
  const { get, shares, joined } = worker((put) => {
    whileAway = get(JOB + Job.left);
    open(put);
  });
  expect([shares.join(CONTEXT), joined, shares.hasLeftJob, whileAway]).toEqual([true, [OTHER], false, 1]);
  expect([get(JOB + Job.left), get(JOB + Job.idle), get(OTHER + Share.users)]).toEqual([2, 0, 2]);
});

test('or does not return, if all others have left it, too', () => {
  const { get, shares, joined } = worker((put) => put(JOB + Job.left, 0));
  expect([shares.join(CONTEXT), joined, shares.hasLeftJob, get(JOB + Job.left)]).toEqual([false, [], true, 0]);
  shares.start();
  expect(shares.hasLeftJob).toBe(false);
});

test('tiles of another job are not joined', () => {
  const { get, shares, joined } = worker((put) => {
    put(JOB + Job.sequence, 8);
    put(JOB + Job.left, 2);
    open(put);
  });
  expect([shares.join(CONTEXT), joined, get(OTHER + Share.users), get(JOB + Job.left)]).toEqual([false, [], 1, 2]);
});

test('nor is a tile that was open before the other job began', () => {
  const { get, shares, joined } = worker(open, (put) => {
    put(JOB + Job.sequence, 8);
    put(JOB + Job.left, 2);
  });
  expect([shares.join(CONTEXT), joined, get(OTHER + Share.users), get(JOB + Job.left)]).toEqual([false, [], 1, 2]);
});
