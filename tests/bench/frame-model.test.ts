// The model of a frame behind `npm run bench scaling`: phases from the events of a trace, and their time with any
// number of workers.
import { describe, expect, test } from 'vitest';
import { frameTime, limitsOf, phasesOf, taskTime, type TraceInterval } from '../../bench/scheduling/frame-model.mjs';

const interval = (name: string, cat: string, tid: number, ts: number, dur: number): TraceInterval => ({
  name,
  cat,
  ph: 'X',
  tid,
  ts,
  dur,
});
/** Two tasks of geometry, three tiles, and a second pass with one tile, in microseconds. */
const events = [
  interval('prepare a render pass', 'pass', 0, 0, 1000),
  interval('geometry', 'geometry', 1, 1000, 2000),
  interval('set up triangles', 'geometry', 1, 1100, 500),
  interval('geometry', 'geometry', 1, 3100, 900),
  interval('wait for other workers', 'wait', 1, 4000, 50),
  interval('tile', 'tile', 1, 5000, 4000),
  interval('shade', 'tile part', 1, 6000, 1000),
  interval('tile', 'tile', 1, 9000, 1000),
  interval('tile', 'tile', 1, 10_000, 1000),
  interval('prepare a render pass', 'pass', 0, 11_500, 100),
  interval('tile', 'tile', 1, 12_000, 3000),
];

describe('phases', () => {
  test('are tasks of one kind between steps of the calling thread, without their parts', () => {
    expect(phasesOf(events)).toEqual([
      { name: 'geometry', tasks: [2.1, 0.9] },
      { name: 'tile', tasks: [4, 1, 1] },
      { name: 'tile', tasks: [3] },
    ]);
  });
  test('are the same for events in any order', () => {
    expect(phasesOf(events.toReversed())).toEqual(phasesOf(events));
  });
  test('take the time of their tasks', () => {
    expect(taskTime(events)).toBeCloseTo(11.9);
  });
});

describe('the simulation', () => {
  const frame = { phases: phasesOf(events), serialMs: 2 };
  test.each([
    [1, 14],
    [2, 2 + 2.1 + 4 + 3],
    [64, 2 + 2.1 + 4 + 3],
  ])('%s workers take %s ms', (workers, ms) => {
    expect(frameTime(frame, workers)).toBeCloseTo(ms);
  });
  test('slows tasks down, and not serial work', () => {
    expect(frameTime(frame, 1, 1.5)).toBeCloseTo(2 + 18);
  });
  test('gives tasks to the worker that is free first', () => {
    const tasks = [3, 1, 1, 1, 3];
    expect(frameTime({ phases: [{ name: 'tile', tasks }], serialMs: 0 }, 2)).toBe(6);
  });
  test('names what limits many workers, the largest share first', () => {
    const shares = limitsOf(frame, 16);
    expect(shares[0]).toEqual({ what: 'the longest tile task', share: expect.closeTo((7 - 9 / 16) / 11.1, 5) });
    expect(shares.map(({ what }) => what)).toContain('serial work');
    expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });
});
