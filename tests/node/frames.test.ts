// When requestAnimationFrame of Node calls back, with a clock that the test controls.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { frames as Frames } from '../../src/api';
import type * as NodeFrames from '../../src/node/frames';

// The module captures its clock when it is loaded: here it is that of the fake timers.
let node: typeof NodeFrames;
let frames: typeof Frames;
beforeAll(async () => {
  vi.useFakeTimers();
  node = await import('../../src/node/frames');
  ({ frames } = await import('../../src/api'));
});
afterEach(() => {
  node.cancelAnimationFrames();
  // Finishes the pending tick.
  vi.advanceTimersByTime(2000);
});
afterAll(() => void vi.useRealTimers());

/** Runs consecutive callbacks for this time in milliseconds. Returns their times. */
function loop(milliseconds: number, draw: () => void = () => undefined): number[] {
  const times: number[] = [];
  const frame = (time: number): void => {
    times.push(time);
    node.requestAnimationFrame(frame);
    draw();
  };
  node.requestAnimationFrame(frame);
  vi.advanceTimersByTime(milliseconds);
  return times;
}

/** A canvas whose frames take a while to draw, one after the other. */
class SlowCanvas {
  #isOpen = false;
  #underWay = 0;
  #free = 0;
  constructor(private readonly renderMs: () => number) {}
  /** Draws into the current texture. */
  draw(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    node.frameBegan(() => {
      this.#isOpen = false;
      frames.began(++this.#underWay);
      this.#free = Math.max(this.#free, performance.now()) + this.renderMs();
      setTimeout(() => frames.ended(--this.#underWay), this.#free - performance.now());
    });
  }
}

test('60 times per second', () => {
  const times = loop(1000);
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  expect(times.length).toBeGreaterThan(55);
  expect(times.length).toBeLessThan(63);
  expect(Math.min(...gaps.slice(1))).toBeGreaterThan(14);
});

test('as soon as the previous frame is drawn, however long that took', () => {
  const canvas = new SlowCanvas(() => 100);
  const times = loop(1000, () => canvas.draw());
  expect(times.length).toBeGreaterThan(8);
  expect(times.length).toBeLessThan(11);
});

describe('an application that draws outside of callbacks', () => {
  test('is called back 60 times per second, however often it draws', () => {
    const canvas = new SlowCanvas(() => 0.1);
    const timer = setInterval(() => canvas.draw(), 2);
    expect(loop(1000).length).toBeGreaterThan(55);
    clearInterval(timer);
    expect(loop(1000).length).toBeGreaterThan(55);
  });

  test('is called back as often as frames can be drawn, with any durations of and between draws', () => {
    const milliseconds = (max: number): fc.Arbitrary<number[]> =>
      fc.array(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 5 });
    const inTurn = (values: readonly number[]): (() => number) => {
      let next = 0;
      return () => values[next++ % values.length]!;
    };
    fc.assert(
      fc.property(milliseconds(40), milliseconds(40), fc.boolean(), (between, rendering, drawsInside) => {
        const canvas = new SlowCanvas(inTurn(rendering));
        const pause = inTurn(between);
        let isOver = false;
        const drawOn = (): void => {
          canvas.draw();
          if (!isOver) setTimeout(drawOn, pause());
        };
        drawOn();
        const times = loop(2000, () => {
          if (drawsInside) canvas.draw();
        });
        isOver = true;
        // Two frames between two callbacks, each of which may take the longest time, and one poll.
        expect(times.length).toBeGreaterThan(2000 / Math.max(18, 2 * Math.max(...rendering) + 3) - 2);
        expect(times.length).toBeLessThan(125);
        node.cancelAnimationFrames();
        vi.advanceTimersByTime(2000);
        expect(loop(1000).length).toBeGreaterThan(55);
        node.cancelAnimationFrames();
        vi.advanceTimersByTime(2000);
      }),
      { numRuns: 100 }
    );
  });
});

test('a clock that stops afterwards delays no callback', () => {
  const replaced = vi.spyOn(performance, 'now').mockReturnValue(1);
  expect(loop(1000).length).toBeGreaterThan(55);
  replaced.mockRestore();
});
