// The one queue of a device (design §8). Everything that submit, writeBuffer, writeTexture, mapAsync and destroy ask
// for is an entry here and happens in their order, in macro-tasks of a few milliseconds, never inside the call that
// asks.

import { later, type Later } from './turn';

export interface QueueEntry {
  /** Runs until done (true) or until `performance.now()` passes `deadline` (false: it is called again). */
  step(deadline: number): boolean;
  /** After a step that gave false: true until `wake` is called, which others do; no turn is needed before. */
  readonly waits?: boolean;
  /** Settles a promise: the turn ends after it, so that what waits goes on at once. */
  readonly settles?: boolean;
  /** Called instead when the device is lost before the entry is done. */
  dropped?(): void;
}

/**
 * Milliseconds after which a macro-task begins no further step: with that step it takes at most eight, and half a frame
 * at 60 Hz is left to the page.
 */
const TURN_MS = 5;

export class WorkQueue {
  #entries: QueueEntry[] = [];
  #next = 0;
  #scheduled = false;
  #closed = false;
  /** Entries that settle promises. */
  #promises = 0;
  #held = false;
  /** Told when the first entry waits and a promise waits for it, and when that is no longer so. */
  readonly #hold: (held: boolean) => void;
  readonly #failed: (error: unknown) => void;
  readonly #later: Later;

  /** `failed` gets what an entry throws; that entry is dropped, and the queue goes on unless `close` is called. */
  constructor(failed: (error: unknown) => void, turns: Later = later, hold: (held: boolean) => void = () => undefined) {
    this.#failed = failed;
    this.#hold = hold;
    this.#later = turns;
  }

  get length(): number {
    return this.#entries.length - this.#next;
  }

  push(entry: QueueEntry): void {
    if (this.#closed) {
      entry.dropped?.();
      return;
    }
    this.#entries.push(entry);
    if (entry.settles === true) this.#promises++;
    this.#schedule();
  }

  /** In a macro-task: what the first entry waited for is there. */
  wake(): void {
    if (!this.#scheduled && this.length > 0) this.#turn();
  }

  /** Drops all entries, in order, and each that comes later. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const left = this.#entries.slice(this.#next);
    this.#entries = [];
    this.#next = this.#promises = 0;
    this.#holdIf(false);
    for (const entry of left) entry.dropped?.();
  }

  #schedule(): void {
    const waits = this.length > 0 && this.#entries[this.#next]!.waits === true;
    this.#holdIf(waits && this.#promises > 0);
    if (this.#scheduled || this.length === 0 || waits) return;
    this.#scheduled = true;
    this.#later(() => this.#turn());
  }

  #holdIf(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    this.#hold(held);
  }

  #turn(): void {
    this.#scheduled = false;
    const deadline = performance.now() + TURN_MS;
    while (this.length > 0) {
      const entry = this.#entries[this.#next]!;
      if (!this.#step(entry, deadline)) break;
      // The entry was dropped with the rest if its failure closed the queue.
      if (!this.#closed) this.#advance();
      if (entry.settles === true || performance.now() > deadline) break;
    }
    this.#schedule();
  }

  #step(entry: QueueEntry, deadline: number): boolean {
    try {
      return entry.step(deadline);
    } catch (error) {
      this.#failed(error);
      return true;
    }
  }

  #advance(): void {
    // Released at once: an entry keeps its buffers and textures alive.
    if (this.#entries[this.#next]!.settles === true) this.#promises--;
    this.#entries[this.#next++] = done;
    if (this.#next < this.#entries.length && this.#next < 1024) return;
    this.#entries = this.#entries.slice(this.#next);
    this.#next = 0;
  }
}

const done: QueueEntry = { step: () => true };
