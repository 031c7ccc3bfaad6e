// Timers and animation frames that follow a virtual clock.
import { MAX_TIMER_MS, startTimer, stopTimer } from '../base/clock';
import type { Definitions } from '../base/definitions';
import type { VirtualClock } from './clock';

type Callback = (...values: unknown[]) => unknown;

interface Timer {
  readonly callback: Callback;
  readonly values: readonly unknown[];
  readonly delay: number;
  readonly repeats: boolean;
  /** Virtual time at which it is due. */
  due: number;
  /** Order of timers that are due at the same time. */
  order: number;
}

/** What Node's `setTimeout` returns. Whether timers keep the process alive has no meaning here. */
class TimerHandle {
  constructor(
    private readonly timers: VirtualTimers,
    private readonly id: number
  ) {}
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    this.timers.refresh(this.id);
    return this;
  }
  close(): this {
    this.timers.clear(this.id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.id;
  }
}

/** Whether timers of the platform are objects, as in Node. */
function timersAreObjects(): boolean {
  const timer = startTimer(() => undefined, 0);
  stopTimer(timer);
  return typeof timer === 'object';
}

export class VirtualTimers {
  readonly #clock: VirtualClock;
  readonly #timers = new Map<number, Timer>();
  #frameCallbacks = new Map<number, Callback>();
  #lastId = 0;
  #lastOrder = 0;
  readonly #objects = timersAreObjects();
  /**
   * What ends a frame, after its callbacks: the canvases of Rasterloom for Node add functions here, as members of
   * `requestAnimationFrame`.
   */
  readonly frameEnds = new Set<() => unknown>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  define(names: Definitions): void {
    const start =
      (repeats: boolean) =>
      (callback: unknown, delay?: unknown, ...values: unknown[]): unknown =>
        this.#start(callback, delay, values, repeats);
    const clear = (timer: unknown): void => this.clear(Number(timer));
    const requestAnimationFrame = Object.assign((callback: unknown) => this.#requestFrame(callback), {
      frameEnds: this.frameEnds,
    });
    names.put(globalThis, {
      setTimeout: start(false),
      setInterval: start(true),
      clearTimeout: clear,
      clearInterval: clear,
      requestAnimationFrame,
      cancelAnimationFrame: (handle: unknown) => void this.#frameCallbacks.delete(Number(handle)),
    });
  }

  /** Time of the next timer; undefined if there is none. */
  get next(): number | undefined {
    return this.#first()?.[1].due;
  }

  /** Runs the next timer. The clock is already at its time. */
  run(): void {
    const first = this.#first();
    if (first === undefined) return;
    const [id, timer] = first;
    if (timer.repeats) this.refresh(id);
    else this.#timers.delete(id);
    timer.callback.apply(globalThis, [...timer.values]);
  }

  /** Runs the callbacks that were requested before this frame. @returns their exceptions */
  runFrame(): unknown[] {
    const errors: unknown[] = [];
    for (const id of [...this.#frameCallbacks.keys()]) {
      const callback = this.#frameCallbacks.get(id);
      // An earlier callback may have cancelled it.
      if (callback === undefined) continue;
      this.#frameCallbacks.delete(id);
      try {
        callback(this.#clock.now);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  /** Starts a timer again, with its full delay. */
  refresh(id: number): void {
    const timer = this.#timers.get(id);
    if (timer === undefined) return;
    timer.due = this.#clock.now + timer.delay;
    timer.order = ++this.#lastOrder;
  }

  clear(id: number): void {
    this.#timers.delete(id);
  }

  #start(callback: unknown, delay: unknown, values: unknown[], repeats: boolean): unknown {
    if (typeof callback !== 'function')
      throw new TypeError(`${repeats ? 'setInterval' : 'setTimeout'}: the callback is not a function`);
    const id = ++this.#lastId;
    const number = Math.trunc(Number(delay));
    // As in Node, timers take at least a millisecond: time passes in a chain of timers without delay.
    const timer = { callback: callback as Callback, values, repeats, delay: 1, due: 0, order: 0 };
    if (number >= 1 && number <= MAX_TIMER_MS) timer.delay = number;
    this.#timers.set(id, timer);
    this.refresh(id);
    return this.#objects ? new TimerHandle(this, id) : id;
  }

  #requestFrame(callback: unknown): number {
    if (typeof callback !== 'function') throw new TypeError('requestAnimationFrame: the callback is not a function');
    this.#frameCallbacks.set(++this.#lastId, callback as Callback);
    return this.#lastId;
  }

  #first(): [number, Timer] | undefined {
    let found: [number, Timer] | undefined;
    for (const entry of this.#timers) {
      const [, { due, order }] = entry;
      if (found === undefined || due < found[1].due || (due === found[1].due && order < found[1].order)) found = entry;
    }
    return found;
  }
}
