import { describe, expect, test } from 'vitest';
import { WorkQueue, later, type QueueEntry } from '../../src/schedule';

/** A queue whose turns run when the test says so. */
function manual(
  failed: (error: unknown) => void = (error) => {
    throw error;
  }
): { queue: WorkQueue; turn: () => boolean } {
  const tasks: (() => void)[] = [];
  return {
    queue: new WorkQueue(failed, (task) => void tasks.push(task)),
    turn: () => {
      const task = tasks.shift();
      task?.();
      return task !== undefined;
    },
  };
}
const entry = (log: string[], name: string, more: Partial<QueueEntry> = {}): QueueEntry => ({
  step: () => (log.push(name), true),
  dropped: () => void log.push(`${name} dropped`),
  ...more,
});

describe('WorkQueue', () => {
  test('nothing runs inside push; entries run in order in one turn', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) queue.push(entry(log, name));
    expect(log).toEqual([]);
    expect(turn()).toBe(true);
    expect(log).toEqual(['a', 'b', 'c']);
    expect(turn()).toBe(false);
  });

  test('an unfinished entry is called again in a later turn, and delays the others', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    let left = 3;
    queue.push({ step: () => (log.push('step'), --left === 0) });
    queue.push(entry(log, 'b'));
    turn();
    expect(log).toEqual(['step']);
    turn();
    turn();
    expect(log).toEqual(['step', 'step', 'step', 'b']);
  });

  test('a turn ends after its time', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    queue.push({
      step: (deadline) => {
        while (performance.now() <= deadline + 1);
        log.push('long');
        return true;
      },
    });
    queue.push(entry(log, 'b'));
    turn();
    expect(log).toEqual(['long']);
    turn();
    expect(log).toEqual(['long', 'b']);
  });

  test('a turn ends after an entry that settles', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    queue.push(entry(log, 'a', { settles: true }));
    queue.push(entry(log, 'b'));
    turn();
    expect(log).toEqual(['a']);
  });

  test('an entry without earlier ones may run at once', () => {
    const errors: unknown[] = [];
    const { queue, turn } = manual((error) => void errors.push(error));
    const log: string[] = [];
    const now = (name: string): boolean => queue.tryRunNow(() => void log.push(name));
    expect(now('a')).toBe(true);
    expect(
      queue.tryRunNow(() => {
        throw new Error('no');
      })
    ).toBe(true);
    expect([log, errors]).toEqual([['a'], [new Error('no')]]);
    queue.push({ step: () => (log.push(`in the last step: ${now('b')}`), true) });
    expect(now('c')).toBe(false);
    turn();
    expect(now('d')).toBe(true);
    queue.tryRunNow(() => void log.push(`in itself: ${now('e')}`));
    queue.close();
    expect(now('f')).toBe(false);
    expect(log).toEqual(['a', 'in the last step: false', 'd', 'in itself: false']);
  });

  test('writes to buffers run at once if no entry before them uses buffers', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    const write = (name: string): boolean => queue.tryWriteNow(() => void log.push(name));
    expect(write('a')).toBe(true);
    queue.push(entry(log, 'shown', { leavesBuffers: true, settles: true }));
    expect(write('b')).toBe(true);
    expect(queue.tryRunNow(() => void log.push('c'))).toBe(false);
    queue.push({ leavesBuffers: true, step: () => (log.push(`in a step: ${write('d')}`), true) });
    queue.push(entry(log, 'pass'));
    expect(write('e')).toBe(false);
    while (turn());
    expect(write('f')).toBe(true);
    expect(log).toEqual(['a', 'b', 'shown', 'in a step: false', 'pass', 'f']);
    queue.push(entry(log, 'shown', { leavesBuffers: true }));
    queue.close();
    expect(write('g')).toBe(false);
  });

  test('exceptions of an entry are reported; the others continue', () => {
    const errors: unknown[] = [];
    const { queue, turn } = manual((error) => void errors.push(error));
    const log: string[] = [];
    queue.push({
      step: () => {
        throw new Error('no');
      },
    });
    queue.push(entry(log, 'b'));
    turn();
    expect(String(errors)).toBe('Error: no');
    expect(log).toEqual(['b']);
  });

  test('close drops waiting and later entries, in order', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    queue.push(entry(log, 'a'));
    queue.push(entry(log, 'b'));
    queue.close();
    queue.push(entry(log, 'c'));
    turn();
    expect(log).toEqual(['a dropped', 'b dropped', 'c dropped']);
  });

  test('closing while an entry runs drops the rest once', () => {
    const { queue, turn } = manual(() => queue.close());
    const log: string[] = [];
    queue.push({
      step: () => {
        throw new Error('lost');
      },
      dropped: () => void log.push('a dropped'),
    });
    queue.push(entry(log, 'b'));
    turn();
    expect(log).toEqual(['a dropped', 'b dropped']);
    expect(turn()).toBe(false);
  });

  test('entries pushed while one runs come after those that wait', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    queue.push({ step: () => (queue.push(entry(log, 'c')), true) });
    queue.push(entry(log, 'b'));
    while (turn());
    expect(log).toEqual(['b', 'c']);
  });

  test('ten thousand entries keep their order and are released', () => {
    const { queue, turn } = manual();
    let next = 0;
    for (let i = 0; i < 10_000; i++)
      queue.push({
        step: () => {
          expect(i).toBe(next++);
          return true;
        },
      });
    while (turn());
    expect([next, queue.length]).toEqual([10_000, 0]);
  });
});

test('later runs tasks in order, in separate tasks', async () => {
  const log: string[] = [];
  await new Promise<void>((done) => {
    later(() => {
      void Promise.resolve().then(() => log.push('microtask of a'));
      log.push('a');
    });
    later(() => {
      log.push('b');
      done();
    });
    log.push('now');
  });
  expect(log).toEqual(['now', 'a', 'microtask of a', 'b']);
});

describe('limits of a queue', () => {
  /** Entries that do not finish until a wait for others is over. */
  function waiting(): { queue: WorkQueue; turn: () => boolean; log: string[]; blocks: { can: boolean } } {
    const tasks: (() => void)[] = [];
    const log: string[] = [];
    const blocks = { can: true };
    const block = (): boolean => {
      log.push('block');
      if (blocks.can) queue.wake();
      return blocks.can;
    };
    const fail = (error: unknown): never => {
      throw error;
    };
    const queue: WorkQueue = new WorkQueue(fail, (task) => void tasks.push(task), undefined, block);
    return {
      queue,
      log,
      blocks,
      turn: () => {
        const task = tasks.shift();
        task?.();
        return task !== undefined;
      },
    };
  }
  const waiter = (log: string[], name: string): QueueEntry => {
    let begun = false;
    return {
      get waits() {
        return begun;
      },
      step: () => {
        log.push(begun ? `${name} done` : `${name} begun`);
        return begun || !(begun = true);
      },
    };
  };

  test('at most 64 submits wait; earlier ones run in the call', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    for (let i = 0; i < 100; i++) {
      queue.push(entry(log, `pass ${i}`));
      queue.push(entry(log, `${i}`, { endsSubmit: true }));
      queue.limit();
    }
    expect([log.length, log.at(-1), queue.length]).toEqual([72, '35', 128]);
    while (turn());
    expect(log.filter((name) => !name.startsWith('pass'))).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`));
  });

  test('at most 64 MiB of written bytes wait', () => {
    const { queue } = manual();
    const log: string[] = [];
    const bytes = 10 << 20;
    for (let i = 0; i < 8; i++) {
      queue.push(entry(log, `${i}`, { bytes }));
      queue.limit();
    }
    expect(log).toEqual(['0', '1']);
    queue.push(entry(log, 'large', { bytes: 100 << 20 }));
    queue.limit();
    expect([log.at(-1), queue.length]).toEqual(['large', 0]);
  });

  test('entries that wait for others block the call', () => {
    const { queue, log } = waiting();
    queue.push(waiter(log, 'a'));
    queue.push(entry(log, 'b'));
    queue.drainWhile(() => true);
    expect([log, queue.length]).toEqual([['a begun', 'block', 'a done', 'b'], 0]);
  });

  test('entries that cannot block are left to turns, and asked once', () => {
    const { queue, log, blocks, turn } = waiting();
    blocks.can = false;
    queue.push(waiter(log, 'a'));
    queue.drainWhile(() => true);
    queue.drainWhile(() => true);
    expect(log).toEqual(['a begun', 'block']);
    while (turn());
    queue.wake();
    expect([log, queue.length]).toEqual([['a begun', 'block', 'a done'], 0]);
    blocks.can = true;
    queue.push(waiter(log, 'b'));
    queue.drainWhile(() => true);
    expect(log.slice(3)).toEqual(['b begun', 'block', 'b done']);
  });

  test('an entry that calls drainWhile runs no other entries', () => {
    const { queue, turn } = manual();
    const log: string[] = [];
    queue.push(
      entry(log, 'a', {
        step: () => {
          queue.drainWhile(() => true);
          log.push('a');
          return true;
        },
      })
    );
    queue.push(entry(log, 'b'));
    turn();
    expect(log).toEqual(['a', 'b']);
  });

  test('an entry that closes the queue within a call ends it', () => {
    const { queue } = manual(() => queue.close());
    const log: string[] = [];
    queue.push(
      entry(log, 'a', {
        step: () => {
          throw new Error('lost');
        },
        endsSubmit: true,
      })
    );
    queue.push(entry(log, 'b'));
    queue.drainWhile(() => true);
    expect([log, queue.length]).toEqual([['a dropped', 'b dropped'], 0]);
  });
});
