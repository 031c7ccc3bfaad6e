// Keeps the most recently read pages of a streamed texture resident, within a budget. Requested pages are loaded once
// each, with a limited number of concurrent loads, from an asynchronous source.
import { startTimer, stopTimer } from '../base/clock';
import { later } from './turn';
import { thrown } from '../base/printable';
import { OutOfMemoryError } from '../memory';

/** Whether the error is an OutOfMemoryError. Sources may reject with any value, and even `instanceof` may throw. */
function isOutOfMemory(error: unknown): boolean {
  try {
    return error instanceof OutOfMemoryError;
  } catch {
    return false;
  }
}

/** Returns a page's bytes, directly or as a promise. An exception or a rejection is the page's failure. */
type LoadPage = (entry: number, signal: AbortSignal) => Uint8Array | PromiseLike<Uint8Array>;

/** The memory in which pages lie. `entry` identifies a page. */
interface PageMemory {
  bytesOf(entry: number): number;
  /**
   * Makes the page resident. Throws the reason for which the page fails. Throws an OutOfMemoryError if memory may
   * become available once kernels no longer read.
   */
  install(entry: number, texels: Uint8Array): void;
  evict(entry: number): void;
  /** A number that grows with each pass that reads the page. */
  usedAt(entry: number): number;
  /** The page's name for messages: "level 2, page (3, 4)". */
  nameOf(entry: number): string;
  /** Whether the page is never evicted once it is resident. */
  isPermanent(entry: number): boolean;
}

interface PageLoadsParts {
  readonly memory: PageMemory;
  readonly load: LoadPage;
  /** Maximum number of concurrent loads. */
  readonly maxConcurrentLoads: number;
  /** Maximum bytes of pages. */
  readonly budgetBytes: number;
  /** Milliseconds after which a load fails; null to wait without limit. */
  readonly timeoutMs: number | null;
  /**
   * Returns substitute texels for a page that failed to load. If null, the page stays missing, and work that needs it
   * fails.
   */
  readonly fallback: ((entry: number) => Uint8Array) | null;
  /** Called in a separate macro-task when pages have arrived or failed. */
  readonly changed: () => void;
}

export interface PageCounts {
  /** Loads that were started, that delivered a page, and that failed; pages that were evicted. */
  requested: number;
  loaded: number;
  failed: number;
  evicted: number;
}

type State = 'queued' | 'loading' | 'there' | 'failed';
interface Page {
  readonly bytes: number;
  readonly isPermanent: boolean;
  state: State;
  /** Error message of a failed page. */
  failure: string;
  /** The value of PageLoads.era when its load started. */
  era: number;
  abort: AbortController | null;
}

export class PageLoads {
  readonly counts: PageCounts = { requested: 0, loaded: 0, failed: 0, evicted: 0 };
  private readonly pages = new Map<number, Page>();
  private readonly queue: number[] = [];
  private loading = 0;
  /** Bytes of pages that are resident or being loaded. */
  private bytes = 0;
  private keptBytes = 0;
  /** Whether kernels may be reading resident pages. */
  private isRead = false;
  /** Pages that are not evicted, because something needs them together with others. */
  private pinned: ReadonlySet<number> = new Set();
  /** Loads that have arrived while installation is suspended; null if it is not. */
  private held: (() => void)[] | null = null;
  /** Loads that arrived when there was no memory for them and no page could be evicted. */
  private short: (() => void)[] = [];
  private isClosed = false;
  private isTold = false;
  private era = 0;

  constructor(private readonly parts: PageLoadsParts) {}

  get heldBytes(): number {
    return this.bytes;
  }

  /** Bytes that pages may take, and the part of them that pages which are never evicted do not occupy. */
  get budgetBytes(): number {
    return this.parts.budgetBytes;
  }
  get roomBytes(): number {
    return this.budgetBytes - this.keptBytes;
  }

  isResident(entry: number): boolean {
    return this.pages.get(entry)?.state === 'there';
  }

  /** Number of resident pages. */
  get residentCount(): number {
    let there = 0;
    for (const { state } of this.pages.values()) if (state === 'there') there++;
    return there;
  }

  /** Whether requested pages wait for other loads to end. */
  get hasQueue(): boolean {
    return this.queue.length > 0;
  }

  /** Whether the page is queued or being loaded. */
  isPending(entry: number): boolean {
    const state = this.pages.get(entry)?.state;
    return state === 'queued' || state === 'loading';
  }

  /** Why a page failed, or null. A failed page is only requested again after `resetRequests`. */
  failureOf(entry: number): string | null {
    const page = this.pages.get(entry);
    return page?.state === 'failed' ? page.failure : null;
  }

  /** Requests a page, unless it is resident or already requested. */
  request(entry: number): void {
    if (this.isClosed || this.pages.has(entry)) return;
    const { memory } = this.parts;
    const bytes = memory.bytesOf(entry);
    const isPermanent = memory.isPermanent(entry);
    if (isPermanent) this.keptBytes += bytes;
    this.pages.set(entry, { bytes, isPermanent, state: 'queued', failure: '', era: this.era, abort: null });
    this.queue.push(entry);
    this.pump();
  }

  /** Sets the pages that must not be evicted. Replaces the previous set. */
  pin(entries: ReadonlySet<number>): void {
    this.pinned = entries;
    this.pump();
  }

  /** Whether kernels may read resident pages. While they do, no page is evicted. */
  set read(isRead: boolean) {
    this.isRead = isRead;
    if (isRead) return;
    for (const settle of this.short.splice(0)) settle();
    this.pump();
  }

  /** Whether installation of arriving pages is suspended, so that the set of resident pages does not change. */
  set isFrozen(isFrozen: boolean) {
    const { held } = this;
    this.held = isFrozen ? (held ?? []) : null;
    if (!isFrozen) for (const settle of held ?? []) settle();
  }

  /**
   * Called when no work waits for pages any more. Requests that have not started are cancelled. Pages that failed, or
   * whose current load fails later, are requested again when they are wanted.
   */
  resetRequests(): void {
    this.era++;
    this.queue.length = 0;
    for (const [entry, { state }] of this.pages) if (state === 'queued' || state === 'failed') this.drop(entry);
  }

  private drop(entry: number): void {
    const page = this.pages.get(entry)!;
    if (page.isPermanent) this.keptBytes -= page.bytes;
    this.pages.delete(entry);
  }

  close(): void {
    this.isClosed = true;
    this.queue.length = 0;
    for (const [entry, page] of this.pages) {
      page.abort?.abort();
      if (page.state !== 'there') this.pages.delete(entry);
    }
  }

  private pump(): void {
    while (this.queue.length > 0 && this.loading < this.parts.maxConcurrentLoads) {
      const entry = this.queue[0]!;
      const page = this.pages.get(entry)!;
      if (!this.makeRoom(page.bytes)) return;
      this.queue.shift();
      this.begin(entry, page);
    }
  }

  private makeRoom(bytes: number): boolean {
    while (this.bytes + bytes > this.parts.budgetBytes) if (!this.evictOldest()) return false;
    return true;
  }

  /** `usedAt` of the page that would be evicted next; Infinity if none may be. */
  get oldest(): number {
    const entry = this.leastRecent();
    return entry === null ? Infinity : this.parts.memory.usedAt(entry);
  }

  /** Evicts the least recently read page. Returns false if none may be evicted. */
  evictOldest(): boolean {
    const victim = this.leastRecent();
    if (victim === null) return false;
    this.parts.memory.evict(victim);
    this.bytes -= this.pages.get(victim)!.bytes;
    this.pages.delete(victim);
    this.counts.evicted++;
    return true;
  }

  private leastRecent(): number | null {
    let found: number | null = null;
    let least = Infinity;
    if (this.isRead) return null;
    for (const [entry, { state, isPermanent }] of this.pages) {
      if (state !== 'there' || isPermanent || this.pinned.has(entry)) continue;
      const used = this.parts.memory.usedAt(entry);
      if (used >= least) continue;
      least = used;
      found = entry;
    }
    return found;
  }

  private begin(entry: number, page: Page): void {
    const { load, timeoutMs } = this.parts;
    const abort = new AbortController();
    page.state = 'loading';
    page.era = this.era;
    page.abort = abort;
    this.loading++;
    this.bytes += page.bytes;
    this.counts.requested++;
    const timer =
      timeoutMs === null
        ? null
        : startTimer(
            () =>
              end(() => {
                throw new Error(`no answer in ${timeoutMs} ms`);
              }, true),
            timeoutMs
          );
    let isEnded = false;
    const end = (texels: () => Uint8Array, isLate = false): void => {
      if (isEnded) return;
      isEnded = true;
      if (timer !== null) stopTimer(timer);
      page.abort = null;
      this.loading--;
      if (isLate) abort.abort();
      this.arrive(() => this.settle(entry, page, texels));
    };
    const failed = (error: unknown): void =>
      end(() => {
        throw error;
      });
    // A source that throws synchronously behaves like one that rejects. Neither runs in the caller's stack.
    void Promise.resolve()
      .then(() => load(entry, abort.signal))
      .then((texels) => end(() => texels), failed);
  }

  private arrive(settle: () => void): void {
    if (this.held) this.held.push(() => this.arrive(settle));
    else if (!this.isClosed) settle();
  }

  private settle(entry: number, page: Page, texels: () => Uint8Array): void {
    const { memory, fallback } = this.parts;
    try {
      memory.install(entry, texels());
      page.state = 'there';
      this.counts.loaded++;
    } catch (error) {
      if (this.isRead && isOutOfMemory(error)) {
        this.short.push(() => this.arrive(() => this.settle(entry, page, texels)));
        return;
      }
      this.counts.failed++;
      this.fail(entry, page, error, fallback);
    }
    this.notifyLater();
    this.pump();
  }

  private fail(entry: number, page: Page, error: unknown, fallback: PageLoadsParts['fallback']): void {
    page.failure = `${this.parts.memory.nameOf(entry)} could not be loaded: ${thrown(error)}`;
    page.state = 'failed';
    if (fallback !== null) {
      try {
        this.parts.memory.install(entry, fallback(entry));
        page.state = 'there';
        return;
      } catch (second) {
        page.failure = `${this.parts.memory.nameOf(entry)} could not be loaded: ${thrown(second)}`;
      }
    }
    this.bytes -= page.bytes;
    if (page.era !== this.era) this.drop(entry);
  }

  private notifyLater(): void {
    if (this.isTold) return;
    this.isTold = true;
    later(() => {
      this.isTold = false;
      if (!this.isClosed) this.parts.changed();
    });
  }
}
