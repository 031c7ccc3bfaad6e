// Links choices of a modular pipeline that draw calls are likely to use next, while the queue is empty: those that
// differ in one slot from a choice that was just used for the first time. Only slots count that draw calls have
// switched.
import { startTimer } from '../../base/clock';
import type { Choice } from './modular-draws';
import { MAX_SLOTS } from './modular-slots';
import { keyOf } from './modular-choice';
import type { DeviceCore } from '../core/device-core';

/** Maximum number of linked choices that no draw call has used. */
const MAX_UNUSED = 64;
/** Milliseconds between two looks at a queue that was not empty. */
const BUSY_MS = 2;

interface LikelyParts<T> {
  /** Links and compiles a choice. Rejects if its stages do not fit together. */
  readonly link: (choice: Choice) => Promise<T>;
  /** Whether draw calls have used a choice. */
  readonly isUsed: (choice: Choice) => boolean;
}

export class LikelyChoices<T> {
  /** Linked choices by key, the oldest first. */
  readonly #unused = new Map<number, T>();
  readonly #waiting: Choice[] = [];
  /** The slots, as bits, that draw calls have switched. */
  #switched = 0;
  #before: Choice | null = null;
  #isRunning = false;
  /** Incremented when the stages change. */
  #generation = 0;

  constructor(
    private readonly device: DeviceCore,
    private readonly parts: LikelyParts<T>
  ) {}

  /** Number of choices that are linked and unused. */
  get count(): number {
    return this.#unused.size;
  }

  /** Returns what a choice was linked to, and forgets it; undefined if it was not. */
  take(choice: Choice): T | undefined {
    const key = keyOf(choice);
    const made = this.#unused.get(key);
    this.#unused.delete(key);
    return made;
  }

  /** Notes the first draw call with a choice. `initial`: the default choice. */
  follow(choice: Choice, initial: Choice): void {
    this.#switched |= choice.enabled ^ (this.#before ?? initial).enabled;
    this.#before = choice;
    this.#waiting.length = 0;
    for (let slot = 0; slot < MAX_SLOTS; slot++) {
      const bit = 1 << slot;
      if (this.#switched & bit) this.#waiting.push({ ...choice, enabled: choice.enabled ^ bit });
    }
    if (!this.#isRunning) void this.#run();
  }

  /** Forgets everything, because the stages have changed. */
  clear(): void {
    this.#unused.clear();
    this.#waiting.length = 0;
    this.#switched = 0;
    this.#before = null;
    this.#generation++;
  }

  async #run(): Promise<void> {
    const { device, parts } = this;
    const turn = (): Promise<void> => new Promise((done) => device.engine.later(done));
    this.#isRunning = true;
    while (this.#waiting.length > 0 && !device.isLost) {
      await turn();
      if (device.queue.length > 0) {
        await new Promise<void>((done) => startTimer(done, BUSY_MS));
        continue;
      }
      const choice = this.#waiting.shift();
      if (!choice || this.#unused.has(keyOf(choice)) || parts.isUsed(choice)) continue;
      const generation = this.#generation;
      try {
        const made = await parts.link(choice);
        // The stages may have been replaced meanwhile, or a draw call may have linked the choice.
        if (generation !== this.#generation || parts.isUsed(choice)) continue;
        this.#unused.set(keyOf(choice), made);
      } catch {
        // A draw call with this choice will report why.
      }
      const [oldest] = this.#unused.keys();
      if (this.#unused.size > MAX_UNUSED && oldest !== undefined) this.#unused.delete(oldest);
    }
    this.#isRunning = false;
  }
}
