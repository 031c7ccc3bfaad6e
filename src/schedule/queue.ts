// The one queue of a device (design §8). Everything that submit, writeBuffer, writeTexture, mapAsync and destroy ask
// for is an entry here and happens in their order, in macro-tasks of a few milliseconds; inside the call that asks only
// where a program has queued more than a device keeps (`limit`), or where nothing is queued before what takes no longer
// than putting it aside (`doNow`).

import { clockMs } from '../base/clock';
import { later, type Later } from './turn';

export interface QueueEntry {
  /** Runs until done (true) or until `clockMs()` passes `deadline` (false: it is called again). */
  step(deadline: number): boolean;
  /** After a step that gave false: true until `wake` is called, which others do; no turn is needed before. */
  readonly waits?: boolean;
  /** Settles a promise: the turn ends after it, so that what waits goes on at once. */
  readonly settles?: boolean;
  /** Bytes that the caller has written and the entry holds until it is done. */
  readonly bytes?: number;
  /** It is the last one of what `submit` was called with. */
  readonly endsSubmit?: boolean;
  /** Called instead when the device is lost before the entry is done. */
  dropped?(): void;
}

/**
 * Milliseconds after which a macro-task begins no further step: with that step it takes at most eight, and half a frame
 * at 60 Hz is left to the page.
 */
const TURN_MS = 5;

/**
 * What a program may queue without ever waiting. Beyond it the call that queues works the queue off itself, or memory
 * and the time until a frame is drawn would grow with every frame. Frames of programs that do wait, of a dozen passes
 * each, stay well below.
 */
const MOST_SUBMITS = 64;
const MOST_BYTES = 64 << 20;

export class WorkQueue {
  #entries: QueueEntry[] = [];
  #next = 0;
  #scheduled = false;
  #closed = false;
  /** Entries that settle promises. */
  #promises = 0;
  #held = false;
  /** Submits that are not done, and bytes that entries hold. */
  #submits = 0;
  #bytes = 0;
  /** An entry's step is running; a caller works entries off. */
  #stepping = false;
  #inCall = false;
  /** The first entry could not be waited for inside a call. */
  #stuck = false;
  /** Told when the first entry waits and a promise waits for it, and when that is no longer so. */
  readonly #hold: (held: boolean) => void;
  readonly #failed: (error: unknown) => void;
  readonly #later: Later;
  readonly #block: () => boolean;

  /**
   * `failed` gets what an entry throws; that entry is dropped, and the queue goes on unless `close` is called. `block`
   * waits, on this thread, for what the first entry waits for; false where that cannot be.
   */
  constructor(
    failed: (error: unknown) => void, turns: Later = later, hold: (held: boolean) => void = () => undefined,
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

  /** Does something inside the call, if nothing is queued before it; whether it has. */
  doNow(act: () => void): boolean {
    if (this.length > 0 || this.#stepping || this.#inCall || this.#closed) return false;
    this.#step({ step: () => (act(), true) }, Infinity);
    return true;
  }

  /** After `push`, in a call that queues work: works off what is too much, which may take as long as that takes. */
  limit(): void {
    if (this.#submits > MOST_SUBMITS || this.#bytes > MOST_BYTES)
      this.workOffWhile(() => this.#submits > MOST_SUBMITS || this.#bytes > MOST_BYTES);
  }

  /** Works entries off inside the call, as long as `goesOn` says so and there are any. */
  workOffWhile(goesOn: () => boolean): void {
    // An entry's own step asks: it waits for nothing but itself.
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

  /** Works all entries off inside the call; false: some are left that cannot be waited for inside it. */
  workOff(): boolean {
    this.workOffWhile(() => true);
    return this.length === 0;
  }

  /** In a macro-task, or inside `block`: what the first entry waited for is there. */
  wake(): void {
    this.#stuck = false;
    if (!this.#scheduled && !this.#inCall && this.length > 0) this.#turn();
  }

  /** Drops all entries, in order, and each that comes later. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const left = this.#entries.slice(this.#next);
    this.#entries = [];
    this.#next = this.#promises = this.#submits = this.#bytes = 0;
    this.#holdIf(false);
    for (const entry of left) entry.dropped?.();
  }

  #count(entry: QueueEntry, by: 1 | -1): void {
    if (entry.settles === true) this.#promises += by;
    if (entry.endsSubmit === true) this.#submits += by;
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
      // The entry was dropped with the rest if its failure closed the queue.
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
    // Released at once: an entry keeps its buffers and textures alive.
    this.#entries[this.#next++] = done;
    if (this.#next < this.#entries.length && this.#next < 1024) return;
    this.#entries = this.#entries.slice(this.#next);
    this.#next = 0;
  }
}

const done: QueueEntry = { step: () => true };
