// Requests for the pages of a streamed texture: their order, repetitions, cancellation, and room for them.
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PageLoads } from '../../src/schedule';
import { rounds } from '../support/rounds';

const BYTES = 10;

interface Call {
  readonly entry: number;
  readonly signal: AbortSignal;
  readonly answer: (bytes?: number) => void;
  readonly refuse: (error: unknown) => void;
}

type Options = Partial<ConstructorParameters<typeof PageLoads>[0]>;

/** Page loads with a source that answers when the test says so, and a memory that keeps the resident pages. */
function start(options: Options = {}) {
  const calls: Call[] = [];
  const resident = new Set<number>();
  const used = new Map<number, number>();
  const memory = {
    now: 0,
    bytesOf: () => BYTES,
    install: (entry: number, texels: Uint8Array) => {
      if (texels.length !== BYTES) throw new Error(`${texels.length} bytes`);
      expect(resident.has(entry)).toBe(false);
      resident.add(entry);
      used.set(entry, memory.now);
    },
    evict: (entry: number) => expect(resident.delete(entry)).toBe(true),
    usedAt: (entry: number) => used.get(entry)!,
    nameOf: (entry: number) => `page ${entry}`,
    isPermanent: (entry: number) => entry < 0,
  };
  const loads = new PageLoads({
    memory,
    load: (entry, signal) =>
      new Promise((resolve, refuse) => {
        calls.push({ entry, signal, answer: (bytes = BYTES) => resolve(new Uint8Array(bytes)), refuse });
      }),
    maxConcurrentLoads: 2,
    budgetBytes: 5 * BYTES,
    timeoutMs: null,
    priority: null,
    retry: null,
    fallback: null,
    changed: () => undefined,
    ...options,
  });
  return {
    loads,
    calls,
    resident,
    /** Starts a pass that reads these resident pages. */
    pass: (...entries: number[]) => {
      memory.now++;
      loads.beginPass();
      for (const entry of entries) used.set(entry, memory.now);
    },
    /** The pages whose loads have started, in their order. */
    asked: async () => {
      await settle();
      return calls.map(({ entry }) => entry);
    },
  };
}
const turn = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) await Promise.resolve();
}
async function answerAll(calls: readonly Call[]): Promise<void> {
  await settle();
  for (const { answer } of calls) answer();
  await settle();
}

test('pages are loaded in the order of their requests, or by priority', async () => {
  const inOrder = start();
  for (const entry of [3, 1, 2]) inOrder.loads.request(entry);
  expect(await inOrder.asked()).toEqual([3, 1]);
  await answerAll(inOrder.calls);
  expect(await inOrder.asked()).toEqual([3, 1, 2]);

  const byPriority = start({ maxConcurrentLoads: 1, priority: (entry) => (entry === 9 ? -1 : entry) });
  for (const entry of [3, 9, 1, 4, 4]) byPriority.loads.request(entry);
  for (let i = 0; i < 4; i++) await answerAll(byPriority.calls);
  expect(await byPriority.asked()).toEqual([3, 4, 1, 9]);
});

test('a priority that throws fails its page', () => {
  const { loads } = start({
    priority: () => {
      throw new Error('no camera');
    },
  });
  loads.request(1);
  expect(loads.failureOf(1)).toBe('page 1 could not be loaded: priority threw: no camera');
});

test('a failed load is repeated after the time that the source says, until it says null', async () => {
  const told: unknown[] = [];
  const { loads, calls, resident } = start({
    maxConcurrentLoads: 1,
    retry: (attempt, error) => {
      told.push([attempt, (error as Error).message]);
      return attempt < 3 ? 1 : null;
    },
  });
  loads.request(1);
  loads.request(2);
  await settle();
  calls[0]!.refuse(new Error('busy'));
  await settle();
  // The place is free for another page meanwhile.
  expect(calls.map(({ entry }) => entry)).toEqual([1, 2]);
  expect([loads.isPending(1), loads.heldBytes]).toEqual([true, BYTES]);
  calls[1]!.answer();
  await vi.waitFor(() => expect(calls).toHaveLength(3));
  calls[2]!.answer(3);
  await vi.waitFor(() => expect(calls).toHaveLength(4));
  calls[3]!.refuse(new Error('gone'));
  await settle();
  expect(told).toEqual([
    [1, 'busy'],
    [2, '3 bytes'],
    [3, 'gone'],
  ]);
  expect(loads.failureOf(1)).toBe('page 1 could not be loaded: gone');
  expect([...resident]).toEqual([2]);
  expect(loads.counts).toEqual({ requested: 2, loaded: 1, failed: 1, cancelled: 0, retried: 2, evicted: 0 });
  expect(loads.heldBytes).toBe(BYTES);
});

test.each([
  [-1, 'retry returned -1; it must return milliseconds from 0 to 2147483647, or null'],
  [NaN, 'retry returned NaN; it must return milliseconds from 0 to 2147483647, or null'],
])('a retry after %s ms is an error', async (delayMs, message) => {
  const { loads, calls } = start({ retry: () => delayMs });
  loads.request(1);
  await settle();
  calls[0]!.refuse(new Error('busy'));
  await settle();
  expect(loads.failureOf(1)).toBe(`page 1 could not be loaded: ${message}`);
});

test('prefetched pages are loaded after those that passes wait for', async () => {
  const { loads, calls, asked } = start({ maxConcurrentLoads: 1 });
  for (const entry of [1, 2, 3]) loads.prefetch(entry);
  loads.request(4);
  loads.request(3);
  for (let i = 0; i < 4; i++) await answerAll(calls);
  expect(await asked()).toEqual([1, 4, 3, 2]);
});

test('prefetched pages only replace pages that the last pass has not read', async () => {
  const { loads, calls, resident, pass } = start({ maxConcurrentLoads: 9 });
  for (const entry of [1, 2, 3, 4, 5]) loads.request(entry);
  await answerAll(calls);
  pass(1, 2, 3);
  for (const entry of [6, 7, 8, 9]) loads.prefetch(entry);
  await answerAll(calls);
  expect([...resident].sort()).toEqual([1, 2, 3, 6, 7]);
  expect([8, 9].map((entry) => loads.isPending(entry))).toEqual([false, false]);
  // A page that work needs takes its place in any case.
  loads.request(8);
  await answerAll(calls);
  expect([resident.has(8), resident.size]).toEqual([true, 5]);
});

test('prefetched pages without room wait while kernels read', async () => {
  const { loads, calls, resident, pass } = start({ maxConcurrentLoads: 9 });
  for (const entry of [1, 2, 3, 4, 5]) loads.request(entry);
  await answerAll(calls);
  pass(1);
  loads.read = true;
  loads.prefetch(6);
  await answerAll(calls);
  expect([resident.has(6), loads.isPending(6)]).toEqual([false, true]);
  loads.read = false;
  await answerAll(calls);
  expect(resident.has(6)).toBe(true);
});

test('loads that a pass no longer waits for are cancelled, prefetched and permanent ones are not', async () => {
  const { loads, calls } = start({ maxConcurrentLoads: 4 });
  for (const entry of [-1, 1, 2]) loads.request(entry);
  loads.prefetch(3);
  for (const entry of [4, 5]) loads.request(entry);
  await settle();
  loads.cancelWaits();
  await settle();
  expect(calls.map(({ entry, signal }) => [entry, signal.aborted])).toEqual([
    [-1, false],
    [1, true],
    [2, true],
    [3, false],
  ]);
  // An answer that comes nevertheless is ignored.
  await answerAll(calls);
  expect([1, 2, 3].map((entry) => loads.isResident(entry))).toEqual([false, false, true]);
  expect(loads.counts).toMatchObject({ requested: 4, loaded: 2, cancelled: 2 });
  expect(loads.heldBytes).toBe(2 * BYTES);
});

test('a load is cancelled after 16 passes that did not want the page', async () => {
  const { loads, calls, pass } = start();
  loads.request(1);
  loads.request(2);
  await settle();
  for (let i = 0; i < 17; i++) {
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    pass();
    loads.request(2);
  }
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});

test('a cancelled page waits for no repetition', async () => {
  const { loads, calls } = start({ retry: () => 1 });
  loads.request(1);
  await settle();
  calls[0]!.refuse(new Error('busy'));
  await settle();
  expect(loads.isPending(1)).toBe(true);
  loads.cancelWaits();
  expect([loads.isPending(1), loads.counts.cancelled]).toEqual([false, 1]);
  await turn(10);
  expect(calls).toHaveLength(1);
});

const ACTIONS = ['request', 'prefetch', 'answer', 'refuse', 'pass', 'cancelWaits', 'read', 'freeze'] as const;

test('after any sequence of events, loads and bytes are counted, and every page can be loaded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...ACTIONS), fc.integer({ min: -1, max: 9 })), { maxLength: 60 }),
      async (events) => {
        const { loads, calls, resident, pass } = start({
          maxConcurrentLoads: 3,
          retry: (attempt) => (attempt < 3 ? 0 : null),
          priority: (entry) => entry % 3,
        });
        // Sources may ignore the signal, so loads that are cancelled count until they end.
        const open = (): Call[] => calls.filter(({ signal }) => !done.has(signal));
        const done = new Set<AbortSignal>();
        const finish = (call: Call | undefined, how: 'answer' | 'refuse'): void => {
          if (!call) return;
          done.add(call.signal);
          if (how === 'answer') call.answer();
          else call.refuse(new Error('busy'));
        };
        let isReading = false;
        let isFrozen = false;
        const act = {
          request: (entry: number) => loads.request(entry),
          prefetch: (entry: number) => loads.prefetch(entry),
          answer: (n: number) => finish(open().at(n), 'answer'),
          refuse: (n: number) => finish(open().at(n), 'refuse'),
          pass: () => pass(...resident),
          cancelWaits: () => loads.cancelWaits(),
          read: () => (loads.read = isReading = !isReading),
          freeze: () => (loads.isFrozen = isFrozen = !isFrozen),
        };
        for (const [action, entry] of events) {
          act[action](entry);
          await settle();
          expect(open().length).toBeLessThanOrEqual(3);
          expect(loads.heldBytes).toBeLessThanOrEqual(5 * BYTES);
          expect(loads.heldBytes).toBeGreaterThanOrEqual(resident.size * BYTES);
          for (let page = -1; page < 10; page++) expect(loads.isResident(page)).toBe(resident.has(page));
        }
        loads.read = loads.isFrozen = false;
        for (let page = 0; page < 10; page++) {
          pass();
          loads.pin(new Set([page]));
          loads.request(page);
          while (!loads.isResident(page)) {
            for (const call of open()) finish(call, 'answer');
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
        const isPending = (): boolean =>
          Array.from({ length: 11 }, (_, i) => i - 1).some((page) => loads.isPending(page));
        while (isPending()) {
          for (const call of open()) finish(call, 'answer');
          await turn(0);
        }
        expect(loads.heldBytes).toBe(resident.size * BYTES);
        const { requested, loaded, failed, cancelled, evicted } = loads.counts;
        expect(requested).toBe(loaded + failed + cancelled);
        expect(loaded - evicted).toBe(resident.size);
      }
    ),
    { numRuns: rounds(150) }
  );
});
