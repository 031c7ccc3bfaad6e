import { describe, expect, test } from 'vitest';
import { ThreadLimit, type ThreadOwner } from '../../src/schedule/thread-limit';

/** A device's workers, which end immediately when told, or later. */
class Workers implements ThreadOwner {
  dismissed = 0;
  /** The answer when it was asked to call again. */
  admitted: boolean | null = null;
  constructor(
    private readonly threadLimit: ThreadLimit,
    readonly wanted: number,
    public idleSince: number,
    private readonly atOnce = true
  ) {}

  startThreads(): void {
    this.admitted = this.threadLimit.admit(this);
  }

  releaseThreads(): void {
    this.dismissed++;
    if (this.atOnce) this.endThreads();
  }

  endThreads(): void {
    for (let i = 0; i < this.wanted; i++) this.threadLimit.threadEnded();
  }
}

describe('the worker threads of a process', () => {
  test('are at most 24: new devices get those of the devices that have been idle longest', () => {
    const threadLimit = new ThreadLimit(() => 1000);
    const members = Array.from({ length: 6 }, (_, index) => new Workers(threadLimit, 4, index * 100));
    expect(members.map((each) => threadLimit.admit(each))).toEqual(Array(6).fill(true));
    expect(threadLimit.admit(new Workers(threadLimit, 6, 0))).toBe(true);
    expect(members.map(({ dismissed }) => dismissed)).toEqual([1, 1, 0, 0, 0, 0]);
    expect(threadLimit.admit(new Workers(threadLimit, 2, 0))).toBe(true);
    expect(members.map(({ dismissed }) => dismissed)).toEqual([1, 1, 0, 0, 0, 0]);
  });

  test('stay with devices that are busy, or were a moment ago', () => {
    const threadLimit = new ThreadLimit(() => 1000);
    const busy = new Workers(threadLimit, 12, Infinity);
    const late = new Workers(threadLimit, 12, 900);
    expect([
      threadLimit.admit(busy),
      threadLimit.admit(late),
      threadLimit.admit(new Workers(threadLimit, 4, 0)),
    ]).toEqual([true, true, false]);
    late.idleSince = 700;
    expect([threadLimit.admit(new Workers(threadLimit, 4, 0)), busy.dismissed, late.dismissed]).toEqual([true, 0, 1]);
  });

  test('count until they have ended; waiting devices are notified then', () => {
    const threadLimit = new ThreadLimit(() => 1000);
    const slow = new Workers(threadLimit, 24, 0, false);
    const next = new Workers(threadLimit, 14, 0);
    const gone = new Workers(threadLimit, 4, 0);
    const last = new Workers(threadLimit, 11, 0);
    expect([slow, next, next, gone, last].map((each) => threadLimit.admit(each))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    threadLimit.leave(gone);
    slow.endThreads();
    expect([slow.dismissed, next.admitted, gone.admitted, last.admitted]).toEqual([1, true, null, null]);
    next.endThreads();
    expect(last.admitted).toBe(true);
  });

  test('may exceed that for a device with many: two such devices run side by side', () => {
    const threadLimit = new ThreadLimit(() => 1000);
    const all = [Infinity, Infinity, Infinity].map((since) => new Workers(threadLimit, 64, since));
    expect(all.map((each) => threadLimit.admit(each))).toEqual([true, true, false]);
  });
});
