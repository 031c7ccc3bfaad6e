/**
 * A deterministic environment for scenes that move: time, random numbers and the order of loads.
 *
 *     import { virtualTime } from 'rasterloom/virtual-time';
 *     const time = virtualTime({ seed: 1 });
 *     startScene();
 *     await time.advanceFrames(30);
 *     // … compare the picture …
 *     time.restore();
 *
 * The module has no dependencies and works in Node and in pages.
 */
import { MAX_TIMER_MS, startTimer } from '../base/clock';
import { Definitions } from '../base/definitions';
import { defineClock, randomNumbers, VirtualClock } from './clock';
import { PendingLoads } from './loads';
import { VirtualTimers } from './timers';

/** Options of `virtualTime`. */
export interface VirtualTimeOptions {
  /** Time of `Date` at the beginning, in milliseconds since 1970 or as a date. Default: 2020-01-01T00:00:00Z. */
  readonly start?: number | Date;
  /** Frames per second. Default: 60. */
  readonly frameRate?: number;
  /** Seed of `Math.random`, an integer of 32 bits. Default: 1. */
  readonly seed?: number;
  /** Longest real time in milliseconds in which no load ends while the clock stands. Default: 30,000. */
  readonly loadTimeoutMs?: number;
}

/** Control of the time; `virtualTime` returns it. Time passes only by its methods. */
export interface VirtualTime {
  /** Milliseconds since the beginning, as `performance.now()` gives them. */
  readonly now: number;
  /** Number of frames that were drawn. Frame n is drawn at n × 1000 / frameRate ms. */
  readonly frame: number;
  /** Descriptions of the loads for which the clock stands. */
  readonly pendingLoads: readonly string[];
  /**
   * Lets `count` frames pass: for each, the timers that are due, and the callbacks of `requestAnimationFrame`. Default:
   * 1. Before each step, it waits until nothing is loading.
   *
   * @throws the first exception of a callback, after the frame in which it occurred; Error if a load takes too long
   */
  advanceFrames(count?: number): Promise<void>;
  /** As advanceFrames, until `frame` is the given number. @throws RangeError if it is in the past */
  advanceToFrame(frame: number): Promise<void>;
  /** Lets `milliseconds` pass, with the timers and frames in them. */
  advance(milliseconds: number): Promise<void>;
  /** Resolves when nothing is loading; no time passes. */
  loaded(): Promise<void>;
  /** Lets the clock stand until `promise` is settled, for loads that are not recognized. @returns `promise` */
  hold<T>(promise: Promise<T>, name?: string): Promise<T>;
  /**
   * Waits in real time until `condition()` is true, and lets the clock stand until then: for engines that ask again and
   * again whether something is ready, such as `time.until(() => scene.isReady())` in Babylon.js.
   */
  until(condition: () => unknown, name?: string): Promise<void>;
  /** Begins the random numbers of `seed`. */
  reseed(seed: number): void;
  /** Restores the real time and all other functions. Timers and callbacks that have not run are dropped. */
  restore(): void;
}

const START = Date.UTC(2020, 0, 1);
let installed = false;

/**
 * Replaces `Date`, `performance.now`, `Math.random`, timers and `requestAnimationFrame` by those of a virtual time,
 * until `restore()`. The clock stands while `fetch`, `XMLHttpRequest`, images, `createImageBitmap`, WebAssembly or
 * promises of WebGPU are pending, and answers of `fetch` arrive in the order of the requests.
 *
 * @throws RangeError or TypeError if an option is unknown or has a wrong value; Error if it is already in use
 */
export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  const { start, frameRate, seed, loadTimeoutMs } = checked(options);
  if (installed) throw new Error('virtualTime: it is already in use; call restore() of the first one');
  installed = true;
  const time = new Time(new VirtualClock(start), frameRate, loadTimeoutMs);
  time.reseed(seed);
  return time;
}

class Time implements VirtualTime {
  readonly #names = new Definitions();
  readonly #clock: VirtualClock;
  readonly #timers: VirtualTimers;
  readonly #loads: PendingLoads;
  readonly #frameRate: number;
  #frame = 0;
  #random: () => number = () => 0;
  /** Settles when the last advance ends. Advances run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  #restored = false;

  constructor(clock: VirtualClock, frameRate: number, loadTimeoutMs: number) {
    this.#clock = clock;
    this.#frameRate = frameRate;
    this.#timers = new VirtualTimers(clock);
    this.#loads = new PendingLoads(loadTimeoutMs);
    defineClock(this.#names, clock);
    this.#names.put(Math, { random: () => this.#random() });
    this.#timers.define(this.#names);
    this.#loads.define(this.#names);
  }

  get now(): number {
    return this.#clock.now;
  }
  get frame(): number {
    return this.#frame;
  }
  get pendingLoads(): readonly string[] {
    return this.#loads.names;
  }

  advanceFrames(count = 1): Promise<void> {
    countOf(count, 'advanceFrames: the number of frames');
    return this.#inTurn(async () => {
      for (const last = this.#frame + count; this.#frame < last;) await this.#drawFrame();
    });
  }

  advanceToFrame(frame: number): Promise<void> {
    countOf(frame, 'advanceToFrame: the frame');
    return this.#inTurn(async () => {
      if (frame < this.#frame)
        throw new RangeError(`advanceToFrame: frame ${frame} is in the past; ${this.#frame} frames were drawn`);
      while (this.#frame < frame) await this.#drawFrame();
    });
  }

  advance(milliseconds: number): Promise<void> {
    if (!(milliseconds >= 0 && milliseconds < Infinity))
      throw new RangeError(`advance: the time must be a number of milliseconds from 0 on, not ${milliseconds}`);
    return this.#inTurn(async () => {
      const end = this.#clock.now + milliseconds;
      while (this.#timeOf(this.#frame + 1) <= end) await this.#drawFrame();
      await this.#runTimers(end);
      this.#clock.now = end;
    });
  }

  loaded(): Promise<void> {
    return this.#loads.whenQuiet();
  }

  hold<T>(promise: Promise<T>, name = 'a promise of hold()'): Promise<T> {
    return this.#loads.hold(promise, name);
  }

  until(condition: () => unknown, name = 'a condition of until()'): Promise<void> {
    if (typeof condition !== 'function') throw new TypeError('until: the condition must be a function');
    return this.hold(poll(condition), name);
  }

  reseed(seed: number): void {
    this.#random = randomNumbers(seed);
  }

  restore(): void {
    if (this.#restored) return;
    this.#restored = true;
    installed = false;
    this.#names.restore();
  }

  #timeOf(frame: number): number {
    return (frame * 1000) / this.#frameRate;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#restored) return Promise.reject(new Error('virtualTime: it is no longer in use after restore()'));
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #drawFrame(): Promise<void> {
    const time = this.#timeOf(this.#frame + 1);
    await this.#runTimers(time);
    this.#clock.now = time;
    this.#frame++;
    const errors = this.#timers.runFrame();
    await this.#loads.whenQuiet();
    for (const end of this.#timers.frameEnds) await end();
    if (errors.length > 0) throw errors[0];
  }

  /** Runs the timers up to a time, and what waits for them. */
  async #runTimers(end: number): Promise<void> {
    await this.#loads.whenQuiet();
    for (let due = this.#timers.next; due !== undefined && due <= end; due = this.#timers.next) {
      this.#clock.now = due;
      this.#timers.run();
      await this.#loads.whenQuiet();
    }
  }
}

/** Real milliseconds from one question whether a condition is true to the next. */
const POLL_MS = 4;

async function poll(condition: () => unknown): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => startTimer(resolve, POLL_MS));
}

function countOf(value: number, name: string): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} must be an integer from 0 on, not ${String(value)}`);
}

function checked(options: VirtualTimeOptions): Required<Omit<VirtualTimeOptions, 'start'>> & { start: number } {
  const known = { start: START as number | Date, frameRate: 60, seed: 1, loadTimeoutMs: 30_000 };
  for (const name of Object.keys(options))
    if (!(name in known))
      throw new TypeError(`virtualTime: unknown option ${name}; options are ${Object.keys(known).join(', ')}`);
  const given = { ...known, ...options, start: Number(options.start ?? START) };
  const check = (name: keyof typeof given, fits: boolean, needs: string): void => {
    if (!fits) throw new RangeError(`virtualTime: ${name} must be ${needs}, not ${String(given[name])}`);
  };
  check('start', Number.isSafeInteger(given.start) && Math.abs(given.start) <= 8.64e15, 'a date');
  check('frameRate', given.frameRate > 0 && given.frameRate <= 1000, 'above 0 and at most 1000');
  check(
    'seed',
    Number.isInteger(given.seed) && given.seed >= -(2 ** 31) && given.seed < 2 ** 32,
    'an integer of 32 bits'
  );
  check('loadTimeoutMs', given.loadTimeoutMs > 0 && given.loadTimeoutMs <= MAX_TIMER_MS, 'a positive number');
  return given;
}
