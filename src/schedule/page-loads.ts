// Which pages of a streamed texture are in memory: those that were read last, within a budget. What is asked for is
// loaded, each page once, so many at a time, by a source that answers when it can.
import { startTimer, stopTimer } from '../base/clock';
import { thrown } from '../base/printable';
import { OutOfMemoryError } from '../memory';

/** Sources reject with anything, of which even this question may throw. */
function isOutOfMemory(error: unknown): boolean {
  try {
    return error instanceof OutOfMemoryError;
  } catch {
    return false;
  }
}

/** Bytes of a page: now, or later. What it throws, or rejects with, is the page's failure. */
export type LoadPage = (entry: number, signal: AbortSignal) => Uint8Array | PromiseLike<Uint8Array>;

/** Where pages lie. `entry` names one. */
export interface PageMemory {
  bytesOf(entry: number): number;
  /** Throws what the page's failure is; an OutOfMemoryError, where memory may be had when kernels do not read. */
  install(entry: number, texels: Uint8Array): void;
  evict(entry: number): void;
  /** Grows with each pass that reads it. */
  usedAt(entry: number): number;
  /** "level 2, page (3, 4)", for messages. */
  nameOf(entry: number): string;
  /** Whether a page never goes once it is there. */
  isKept(entry: number): boolean;
}

export interface PageLoadsParts {
  readonly memory: PageMemory;
  readonly load: LoadPage;
  /** Most loads under way. */
  readonly outstanding: number;
  /** Most bytes of pages. */
  readonly budgetBytes: number;
  /** Milliseconds after which a load has failed; null: it is waited for for ever. */
  readonly timeoutMs: number | null;
  /** Texels of a page whose load failed; null: it is missing, and who needs it fails. */
  readonly fallback: ((entry: number) => Uint8Array) | null;
  /** Called in a turn of its own when pages have come, or have failed. */
  readonly changed: () => void;
}

export interface PageCounts {
  /** Loads that were begun, have brought a page, have failed; pages that were given up for others. */
  requested: number;
  loaded: number;
  failed: number;
  evicted: number;
}

type State = 'queued' | 'loading' | 'there' | 'failed';
interface Page {
  readonly bytes: number;
  readonly isKept: boolean;
  state: State;
  /** What it failed with, as a sentence. */
  failure: string;
  /** That of its load. */
  era: number;
  abort: AbortController | null;
}

export class PageLoads {
  readonly counts: PageCounts = { requested: 0, loaded: 0, failed: 0, evicted: 0 };
  private readonly pages = new Map<number, Page>();
  private readonly queue: number[] = [];
  private loading = 0;
  /** Bytes of pages that are there or on their way. */
  private bytes = 0;
  private keptBytes = 0;
  /** Kernels may read what is there. */
  private isRead = false;
  /** Not given up as long as somebody waits for them together with others. */
  private pinned: ReadonlySet<number> = new Set();
  /** What came while pages are held back; null: they are not. */
  private held: (() => void)[] | null = null;
  /** What came while there was no memory for it, and no page could go. */
  private short: (() => void)[] = [];
  private isClosed = false;
  private isTold = false;
  private era = 0;

  constructor(private readonly parts: PageLoadsParts) {}

  get heldBytes(): number { return this.bytes; }

  /** Bytes that pages may take; and those of them which are not kept. */
  get budgetBytes(): number { return this.parts.budgetBytes; }
  get roomBytes(): number { return this.budgetBytes - this.keptBytes; }

  isThere(entry: number): boolean { return this.pages.get(entry)?.state === 'there'; }

  /** How many are there. */
  get there(): number {
    let there = 0;
    for (const { state } of this.pages.values()) if (state === 'there') there++;
    return there;
  }

  /** Whether pages wait for others to be loaded. */
  get hasQueue(): boolean { return this.queue.length > 0; }

  /** Whether it is to come. */
  isUnderWay(entry: number): boolean {
    const state = this.pages.get(entry)?.state;
    return state === 'queued' || state === 'loading';
  }

  /** Why a page cannot be had: it is asked for anew after `renew`, and not before. */
  failureOf(entry: number): string | null {
    const page = this.pages.get(entry);
    return page?.state === 'failed' ? page.failure : null;
  }

  /** Asks for a page, if it is not there or under way. */
  want(entry: number): void {
    if (this.isClosed || this.pages.has(entry)) return;
    const { memory } = this.parts, bytes = memory.bytesOf(entry), isKept = memory.isKept(entry);
    if (isKept) this.keptBytes += bytes;
    this.pages.set(entry, { bytes, isKept, state: 'queued', failure: '', era: this.era, abort: null });
    this.queue.push(entry);
    this.pump();
  }

  /** These stay, of what is there: in place of those that were to stay before. */
  pin(entries: ReadonlySet<number>): void {
    this.pinned = entries;
    this.pump();
  }

  /** Whether kernels may read what is there: no page goes meanwhile. */
  set read(isRead: boolean) {
    this.isRead = isRead;
    if (isRead) return;
    for (const settle of this.short.splice(0)) settle();
    this.pump();
  }

  /** Whether what comes is held back: what is there stays as it is. */
  set holds(holds: boolean) {
    const { held } = this;
    this.held = holds ? held ?? [] : null;
    if (!holds) for (const settle of held ?? []) settle();
  }

  /**
   * Nobody waits any more: what was asked for and has not begun is taken back, and what failed, or fails later of what
   * is under way, is asked for anew when it is wanted.
   */
  renew(): void {
    this.era++;
    this.queue.length = 0;
    for (const [entry, { state }] of this.pages) if (state === 'queued' || state === 'failed') this.drop(entry);
  }

  private drop(entry: number): void {
    const page = this.pages.get(entry)!;
    if (page.isKept) this.keptBytes -= page.bytes;
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
    while (this.queue.length > 0 && this.loading < this.parts.outstanding) {
      const entry = this.queue[0]!, page = this.pages.get(entry)!;
      if (!this.makeRoom(page.bytes)) return;
      this.queue.shift();
      this.begin(entry, page);
    }
  }

  private makeRoom(bytes: number): boolean {
    while (this.bytes + bytes > this.parts.budgetBytes) if (!this.giveUp()) return false;
    return true;
  }

  /** `usedAt` of the page that goes first; Infinity: none may. */
  get oldest(): number {
    const entry = this.leastRecent();
    return entry === null ? Infinity : this.parts.memory.usedAt(entry);
  }

  /** Gives the page up that goes first; false: none may go. */
  giveUp(): boolean {
    const victim = this.leastRecent();
    if (victim === null) return false;
    this.parts.memory.evict(victim);
    this.bytes -= this.pages.get(victim)!.bytes;
    this.pages.delete(victim);
    this.counts.evicted++;
    return true;
  }

  private leastRecent(): number | null {
    let found: number | null = null, least = Infinity;
    if (this.isRead) return null;
    for (const [entry, { state, isKept }] of this.pages) {
      if (state !== 'there' || isKept || this.pinned.has(entry)) continue;
      const used = this.parts.memory.usedAt(entry);
      if (used >= least) continue;
      least = used;
      found = entry;
    }
    return found;
  }

  private begin(entry: number, page: Page): void {
    const { load, timeoutMs } = this.parts, abort = new AbortController();
    page.state = 'loading';
    page.era = this.era;
    page.abort = abort;
    this.loading++;
    this.bytes += page.bytes;
    this.counts.requested++;
    const timer = timeoutMs === null ? null
      : startTimer(() => end(() => { throw new Error(`no answer in ${timeoutMs} ms`); }, true), timeoutMs);
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
    const failed = (error: unknown): void => end(() => { throw error; });
    // A source that throws at once is no different from one that rejects; neither is in the caller's stack.
    void Promise.resolve().then(() => load(entry, abort.signal))
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
    this.tell();
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

  private tell(): void {
    if (this.isTold) return;
    this.isTold = true;
    startTimer(() => {
      this.isTold = false;
      if (!this.isClosed) this.parts.changed();
    }, 0);
  }
}
