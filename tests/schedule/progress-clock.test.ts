// Time in which nothing ran is no time that a shader has run.
import { describe, expect, test } from 'vitest';
import { ProgressClock } from '../../src/schedule';

describe('the clock of progress', () => {
  let now = 1000, processor = 0;
  const clock = new ProgressClock(() => now, () => processor);
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

  test('counts a long step as far as it had a processor', () => {
    clock.start(1000);
    expect(pass(900)).toBe(false);
    expect(pass(200)).toBe(true);
  });

  test('does not count a process that was stopped, however long', () => {
    clock.start(1000);
    for (let times = 0; times < 5; times++) expect(pass(11_000, 1)).toBe(false);
    expect(pass(600)).toBe(true);
  });

  test('counts a step at the most where nobody knows of the processor', () => {
    const alone = new ProgressClock(() => now, null);
    alone.start(300);
    now += 1e6;
    expect(alone.expired).toBe(false);
  });
});
