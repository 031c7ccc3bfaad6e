// When requestAnimationFrame of Node calls back, by a clock that the test turns.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { frames } from '../../src/api';
import { cancelAnimationFrames, requestAnimationFrame } from '../../src/node/frames';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cancelAnimationFrames();
  // The tick that is under way.
  vi.advanceTimersByTime(100);
  vi.useRealTimers();
});

/** The times of callbacks in a row, so many milliseconds long. */
function loop(milliseconds: number, draw: () => void = () => undefined): number[] {
  const times: number[] = [];
  const frame = (time: number): void => {
    times.push(time);
    requestAnimationFrame(frame);
    draw();
  };
  requestAnimationFrame(frame);
  vi.advanceTimersByTime(milliseconds);
  return times;
}

test('60 times a second', () => {
  const times = loop(1000), gaps = times.slice(1).map((time, i) => time - times[i]!);
  expect(times.length).toBeGreaterThan(55);
  expect(times.length).toBeLessThan(63);
  expect(Math.min(...gaps.slice(1))).toBeGreaterThan(14);
});

test('as soon as the frame before is drawn, however long that took', () => {
  let drawing = 0;
  vi.advanceTimersByTime(2000);
  const times = loop(1000, () => {
    frames.began(++drawing);
    setTimeout(() => frames.ended(--drawing), 100);
  });
  expect(times.length).toBeGreaterThan(8);
  expect(times.length).toBeLessThan(11);
  vi.advanceTimersByTime(200);
  expect(frames.underWay).toBe(drawing);
  while (drawing > 0) frames.ended(--drawing);
});
