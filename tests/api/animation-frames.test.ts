import { describe, expect, test } from 'vitest';
import { AnimationFrames } from '../../src/api';

describe('AnimationFrames', () => {
  function manual(endsFramesWithoutCallbacks: boolean): {
    clock: AnimationFrames;
    tick: () => boolean;
    later: () => void;
    log: unknown[];
    setRoom: (has: boolean) => void;
  } {
    const ticks: ((time: number) => void)[] = [];
    const tasks: (() => void)[] = [];
    const log: unknown[] = [];
    let room = true;
    let time = 0;
    const clock = new AnimationFrames({
      next: (tick) => void ticks.push(tick),
      hasRoom: () => room,
      later: (task) => void tasks.push(task),
      report: (error) => void log.push(error),
      endsFramesWithoutCallbacks,
    });
    return {
      clock,
      log,
      tick: () => {
        const tick = ticks.shift();
        tick?.(++time);
        return tick !== undefined;
      },
      later: () => {
        for (const task of tasks.splice(0)) task();
      },
      setRoom: (has) => {
        room = has;
      },
    };
  }

  test('calls back in order, once, with the time; new requests run in the next frame', () => {
    const { clock, tick, log } = manual(true);
    clock.request((time: number) => {
      log.push(['a', time]);
      clock.request((again: number) => log.push(['c', again]));
    });
    clock.request((time: number) => log.push(['b', time]));
    expect([tick(), tick(), tick()]).toEqual([true, true, false]);
    expect(log).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ]);
  });

  test('skips canceled callbacks, also those canceled by an earlier callback', () => {
    const { clock, tick, log } = manual(true);
    const first = clock.request(() => log.push('first'));
    clock.request(() => clock.cancel(last));
    const last = clock.request(() => log.push('last'));
    clock.cancel(first);
    tick();
    expect([first < last, log]).toEqual([true, []]);
  });

  test('reports exceptions of callbacks and continues', () => {
    const { clock, tick, log } = manual(true);
    const error = new Error('no');
    clock.request(() => {
      throw error;
    });
    clock.request(() => log.push('b'));
    tick();
    expect(log).toEqual([error, 'b']);
    expect(() => clock.request('b')).toThrow(TypeError);
  });

  test('delays callbacks while there is no room', () => {
    const { clock, tick, log, setRoom } = manual(true);
    clock.request((time: number) => log.push(time));
    setRoom(false);
    tick();
    tick();
    expect(log).toEqual([]);
    setRoom(true);
    tick();
    expect(log).toEqual([3]);
  });

  test('ends frames after the callbacks that drew them', () => {
    const { clock, tick, later, log } = manual(true);
    clock.request(() => clock.frameBegan(() => log.push('ended')));
    tick();
    expect(log).toEqual([]);
    later();
    expect(log).toEqual(['ended']);
  });

  test('ends other frames with the next frame of the page', () => {
    const { clock, tick, log } = manual(true);
    clock.frameBegan(() => log.push('ended'));
    clock.request(() => log.push('callback'));
    expect(tick()).toBe(true);
    expect(log).toEqual(['ended', 'callback']);
    clock.frameBegan(() => log.push('ended, too'));
    expect([tick(), log.at(-1)]).toEqual([true, 'ended, too']);
  });

  test('decides whether there is room before it ends frames drawn outside of callbacks', () => {
    for (const endsFramesWithoutCallbacks of [true, false]) {
      const { clock, tick, log, setRoom } = manual(endsFramesWithoutCallbacks);
      // A frame that ends is in flight, and leaves no room for another.
      clock.frameBegan(() => setRoom(false));
      clock.request((time: number) => log.push(time));
      tick();
      expect(log).toEqual([1]);
    }
  });

  test('ends no frame without callbacks if frames end with callbacks only', () => {
    const { clock, tick, log, setRoom } = manual(false);
    setRoom(false);
    clock.frameBegan(() => log.push('ended'));
    clock.request(() => log.push('callback'));
    tick();
    expect(log).toEqual([]);
    setRoom(true);
    tick();
    expect(log).toEqual(['ended', 'callback']);
  });

  test('leaves other frames open if frames end with callbacks only', () => {
    const { clock, tick, log } = manual(false);
    clock.frameBegan(() => log.push('ended'));
    expect(tick()).toBe(false);
    clock.request(() => log.push('callback'));
    tick();
    expect(log).toEqual(['ended', 'callback']);
  });
});
