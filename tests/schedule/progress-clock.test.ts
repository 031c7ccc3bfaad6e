// Time in which nothing ran does not count as shader time.
import { describe, expect, test } from 'vitest';
import { ProgressClock } from '../../src/schedule';

describe('the progress clock', () => {
  let now = 1000;
  let processor = 0;
  const clock = new ProgressClock(
    () => now,
    () => processor
  );
  const pass = (ms: number, ran = ms): boolean => {
    now += ms;
    processor += ran;
    return clock.expired;
  };

  test('counts what runs, step by step', () => {
    clock.start(1000);
    for (let ms = 0; ms < 1000; ms += 50) expect(pass(50)).toBe(false);
    expect(pass(50)).toBe(true);
  });

  test('counts a long step only while it had a processor', () => {
    clock.start(1000);
    expect(pass(900)).toBe(false);
    expect(pass(200)).toBe(true);
  });

  test('does not count a suspended process, however long', () => {
    clock.start(1000);
    for (let times = 0; times < 5; times++) expect(pass(11_000, 1)).toBe(false);
    expect(pass(600)).toBe(true);
  });

  test('counts at most one step if CPU time is unknown', () => {
    const alone = new ProgressClock(() => now, null);
    alone.start(300);
    now += 1e6;
    expect(alone.expired).toBe(false);
  });
});
