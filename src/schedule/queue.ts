// The one queue of a device. Everything that submit, writeBuffer, writeTexture, mapAsync and destroy request is an
// entry here. Entries run in order, in macro-tasks of a few milliseconds. Work runs inside the requesting call in two
// cases only: the application has queued more than the device allows (`limit`), or the queue is empty and the work is
// no slower than queuing it (`tryRunNow`).

import { clockMs } from '../base/clock';
import { later, type Later } from './turn';

export interface QueueEntry {
  /** Runs until done (returns true), or until `clockMs()` passes `deadline` (returns false and is called again). */
  step(deadline: number): boolean;
  /**
   * After a step that returned false: whether the entry waits until something calls `wake`, and needs no turn before
   * that.
   */
  readonly waits?: boolean;
  /**
   * Whether the entry settles a promise. The turn ends after it, so that the code that awaits the promise continues at
   * once.
   */
  readonly settles?: boolean;
  /** Bytes of written data that the entry holds until it is done. */
  readonly bytes?: number;
  /** Whether this is the last entry of a `submit` call. */
  readonly endsSubmit?: boolean;
  /** Whether the entry neither reads nor writes buffers, so that writes to buffers need not wait for it. */
  readonly leavesBuffers?: boolean;
  /** Called instead of `step` if the device is lost before the entry is done. */
  dropped?(): void;
}

/**
 * Milliseconds after which a macro-task starts no further step. Including its last step it then takes at most eight,
 * which leaves half of a 60 Hz frame to the page.
 */
const TURN_MS = 5;

/**
 * What an application may queue without ever waiting. Beyond that, the queuing call itself executes entries; otherwise
 * memory and latency would grow with every frame. Applications that do wait stay well below these limits, even with a
 * dozen passes per frame.
 */
export const MAX_SUBMITS = 64;
export const MAX_BYTES = 64 << 20;

export class WorkQueue {
  #entries: QueueEntry[] = [];
  #next = 0;
  #scheduled = false;
  #closed = false;
  /** Number of entries that settle promises. */
  #promises = 0;
  #held = false;
  /** Number of submits that are not done, and bytes that entries hold. */
  #submits = 0;
  #bytes = 0;
  /** Number of entries with `leavesBuffers`. */
  #indifferent = 0;
  /** Whether an entry's step is running; whether a caller is executing entries. */
  #stepping = false;
  #inCall = false;
  /** Whether the first entry cannot be waited for inside a call. */
  #stuck = false;
  /** Called with true when the first entry waits and a promise depends on it, and with false when that ends. */
  readonly #hold: (held: boolean) => void;
  readonly #failed: (error: unknown) => void;
  readonly #later: Later;
  readonly #block: () => boolean;

  /**
   * `failed` receives what an entry throws. That entry is dropped, and the queue continues unless `close` is called.
   * `block` waits on this thread for what the first entry waits for, and returns false if that is impossible.
   */
  constructor(
    failed: (error: unknown) => void,
    turns: Later = later,
    hold: (held: boolean) => void = () => undefined,
    block: () => boolean = () => false
  ) {
    this.#failed = failed;
    this.#hold = hold;
    this.#later = turns;
    this.#block = block;
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
    this.#count(entry, 1);
    this.#schedule();
  }

  /** Runs `act` inside the call if the queue is empty. Returns whether it has. */
  tryRunNow(act: () => void): boolean {
    return this.length === 0 && this.#tryRun(act);
  }

  /**
   * As `tryRunNow`, for a write to a buffer, which may overtake entries that leave buffers alone. When a promise for a
   * frame settles, the entry that shows the frame on a canvas is still queued. The next frame's writes, thousands with
   * some 3D engines, would be copied for its sake.
   */
  tryWriteNow(act: () => void): boolean {
    return this.length === this.#indifferent && this.#tryRun(act);
  }

  #tryRun(act: () => void): boolean {
    if (this.#stepping || this.#inCall || this.#closed) return false;
    this.#step({ step: () => (act(), true) }, Infinity);
    return true;
  }

  /**
   * Called after `push` by calls that queue work. If the queue exceeds its limits, executes entries until it no longer
   * does, without a time limit.
   */
  limit(): void {
    if (this.#submits > MAX_SUBMITS || this.#bytes > MAX_BYTES)
      this.drainWhile(() => this.#submits > MAX_SUBMITS || this.#bytes > MAX_BYTES);
  }

  /** Executes entries inside the call while `goesOn()` is true and entries remain. */
  drainWhile(goesOn: () => boolean): void {
    // Called from an entry's own step, this would wait for that same entry.
    if (this.#stepping || this.#inCall) return;
    this.#inCall = true;
    while (this.length > 0 && !this.#stuck && goesOn()) {
      const entry = this.#entries[this.#next]!;
      if (!this.#step(entry, Infinity)) this.#stuck = entry.waits === true && !this.#block();
      else if (!this.#closed) this.#advance();
    }
    this.#inCall = false;
    this.#schedule();
  }

  /** Executes all entries inside the call. Returns false if some remain that cannot be waited for inside it. */
  drain(): boolean {
    this.drainWhile(() => true);
    return this.length === 0;
  }

  /** Called in a macro-task, or inside `block`, when the first entry can continue. */
  wake(): void {
    this.#stuck = false;
    if (!this.#scheduled && !this.#inCall && this.length > 0) this.#turn();
  }

  /** Drops all entries in order, and every later one. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const left = this.#entries.slice(this.#next);
    this.#entries = [];
    this.#next = this.#promises = this.#submits = this.#bytes = this.#indifferent = 0;
    this.#holdIf(false);
    for (const entry of left) entry.dropped?.();
  }

  #count(entry: QueueEntry, by: 1 | -1): void {
    if (entry.settles === true) this.#promises += by;
    if (entry.endsSubmit === true) this.#submits += by;
    if (entry.leavesBuffers === true) this.#indifferent += by;
    this.#bytes += by * (entry.bytes ?? 0);
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
    const deadline = clockMs() + TURN_MS;
    while (this.length > 0) {
      const entry = this.#entries[this.#next]!;
      if (!this.#step(entry, deadline)) break;
      // If the entry's failure closed the queue, the entry has been dropped with the rest.
      if (!this.#closed) this.#advance();
      if (entry.settles === true || clockMs() > deadline) break;
    }
    this.#schedule();
  }

  #step(entry: QueueEntry, deadline: number): boolean {
    this.#stepping = true;
    try {
      return entry.step(deadline);
    } catch (error) {
      this.#failed(error);
      return true;
    } finally {
      this.#stepping = false;
    }
  }

  #advance(): void {
    this.#count(this.#entries[this.#next]!, -1);
    // Release the entry at once, because it keeps its buffers and textures alive.
    this.#entries[this.#next++] = done;
    if (this.#next < this.#entries.length && this.#next < 1024) return;
    this.#entries = this.#entries.slice(this.#next);
    this.#next = 0;
  }
}

const done: QueueEntry = { step: () => true };
