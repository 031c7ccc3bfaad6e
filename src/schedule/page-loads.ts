// Keeps the most recently read pages of a streamed texture resident, within a budget. Requested pages are loaded with a
// limited number of concurrent loads from an asynchronous source. A page is requested by work that reads it, or ahead
// of that work (prefetched).
//
//   unknown ──request──> queued ──begin──> loading ──answer──> arrived ──install──> there ──evict──> unknown
//                          ^                                      │
//                          └───────────── delayed <───retry───────┴──give up──> failed ──next pass──> unknown
//
// All states except `there` and `failed` may be cancelled, which leads back to unknown.
import { MAX_TIMER_MS, startTimer, stopTimer } from '../base/clock';
import { later } from './turn';
import { thrown } from '../base/printable';
import { OutOfMemoryError } from '../memory';
import { startRequest, type LoadPage } from './page-request';

/** Whether the error is an OutOfMemoryError. Sources may reject with any value, and even `instanceof` may throw. */
function isOutOfMemory(error: unknown): boolean {
  try {
    return error instanceof OutOfMemoryError;
  } catch {
    return false;
  }
}

/** The memory in which pages lie. `entry` identifies a page. */
interface PageMemory {
  bytesOf(entry: number): number;
  /**
   * Makes the page resident. Throws the reason for which the page fails. Throws an OutOfMemoryError if memory may
   * become available once kernels no longer read.
   */
  install(entry: number, texels: Uint8Array): void;
  evict(entry: number): void;
  /** A number that grows with each pass that reads the page; the number of the last pass that has read the texture. */
  usedAt(entry: number): number;
  readonly now: number;
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
  /** Pages with a greater number are loaded first; null: in the order of their requests. */
  readonly priority: ((entry: number) => number) | null;
  /**
   * Returns the milliseconds after which a failed load is repeated, or null to give up. `attempt` counts the page's
   * failures from 1.
   */
  readonly retry: ((attempt: number, error: unknown) => number | null) | null;
  /**
   * Returns substitute texels for a page that failed to load. If null, the page stays missing, and work that needs it
   * fails.
   */
  readonly fallback: ((entry: number) => Uint8Array) | null;
  /** Called in a separate macro-task when pages have arrived or failed. */
  readonly changed: () => void;
}

export interface PageCounts {
  /** Pages whose loading was started; those that arrived, that failed, and that nothing needed any more. */
  requested: number;
  loaded: number;
  failed: number;
  cancelled: number;
  /** Loads that were repeated after a failure. */
  retried: number;
  /** Resident pages that were evicted. */
  evicted: number;
}

/** A load is cancelled when this many passes have begun that read the texture and did not want the page. */
const UNWANTED_PASSES = 16;

type State = 'queued' | 'loading' | 'arrived' | 'delayed' | 'there' | 'failed';
interface Page {
  readonly bytes: number;
  readonly isPermanent: boolean;
  state: State;
  /** Error message of a failed page. */
  failure: string;
  /** Whether it was requested ahead of the work that reads it, and whether such work has requested it as well. */
  isPrefetched: boolean;
  isWanted: boolean;
  priority: number;
  /** Number of failed loads. */
  failures: number;
  /** The value of PageLoads.era when its load started, and when work last wanted it. */
  era: number;
  wantedIn: number;
  /** Ends its request, or the wait for the next one. */
  cancel: (() => void) | null;
}

export class PageLoads {
  readonly counts: PageCounts = { requested: 0, loaded: 0, failed: 0, cancelled: 0, retried: 0, evicted: 0 };
  private readonly pages = new Map<number, Page>();
  /** Pages to load: those that work waits for, and then those that are only prefetched. */
  private readonly queue: number[] = [];
  private readonly prefetches: number[] = [];
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
    return state !== undefined && state !== 'there' && state !== 'failed';
  }

  /** Why a page failed, or null. A failed page is only requested again after `beginPass`. */
  failureOf(entry: number): string | null {
    const page = this.pages.get(entry);
    return page?.state === 'failed' ? page.failure : null;
  }

  /** Requests a page that work reads, unless it is resident or already requested. */
  request(entry: number): void {
    if (this.isClosed) return;
    const page = this.pages.get(entry) ?? this.add(entry);
    page.wantedIn = this.era;
    if (page.isWanted) return;
    page.isWanted = true;
    if (page.state !== 'queued') return;
    if (page.isPrefetched) remove(this.prefetches, entry);
    this.queue.push(entry);
    this.pump();
  }

  /**
   * Requests a page ahead of the work that reads it. It is loaded when no other page waits, and only if there is room
   * for it without evicting pages that the last pass has read.
   */
  prefetch(entry: number): void {
    if (this.isClosed) return;
    const page = this.pages.get(entry) ?? this.add(entry);
    if (page.isPrefetched) return;
    page.isPrefetched = true;
    if (page.state !== 'queued' || page.isWanted) return;
    this.prefetches.push(entry);
    this.pump();
  }

  private add(entry: number): Page {
    const { memory, priority } = this.parts;
    const page: Page = {
      bytes: memory.bytesOf(entry),
      isPermanent: memory.isPermanent(entry),
      state: 'queued',
      failure: '',
      isPrefetched: false,
      isWanted: false,
      priority: 0,
      failures: 0,
      era: this.era,
      wantedIn: this.era,
      cancel: null,
    };
    if (page.isPermanent) this.keptBytes += page.bytes;
    this.pages.set(entry, page);
    try {
      if (priority) page.priority = priority(entry);
    } catch (error) {
      page.state = 'failed';
      page.failure = `${memory.nameOf(entry)} could not be loaded: priority threw: ${thrown(error)}`;
      this.counts.requested++;
      this.counts.failed++;
      this.notifyLater();
    }
    return page;
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
   * Called when a pass begins. Requests that have not started are withdrawn; the pass repeats those that it needs.
   * Loads that no pass has wanted for long are cancelled. Pages that failed, or whose current load fails later, are
   * requested again when they are wanted.
   */
  beginPass(): void {
    this.era++;
    for (const [entry, page] of this.pages) {
      const { state, isPrefetched } = page;
      if (state === 'failed') this.drop(entry);
      else if (isPrefetched || page.isPermanent || state === 'there') continue;
      else if (state === 'queued' || page.wantedIn + UNWANTED_PASSES < this.era) this.cancel(entry, page);
    }
  }

  /** Called when a pass has ended that waits for all pages it reads: cancels the loads that it still waits for. */
  cancelWaits(): void {
    for (const [entry, page] of this.pages)
      if (this.isPending(entry) && !page.isPrefetched && !page.isPermanent) this.cancel(entry, page);
    this.pump();
  }

  private cancel(entry: number, page: Page): void {
    if (page.state === 'queued') remove(this.queue, entry);
    if (page.state !== 'queued' || page.failures > 0) this.counts.cancelled++;
    this.release(page);
    page.cancel?.();
    this.drop(entry);
  }

  private drop(entry: number): void {
    const page = this.pages.get(entry)!;
    if (page.isPermanent) this.keptBytes -= page.bytes;
    this.pages.delete(entry);
  }

  /** Gives back the room of a load that has not made its page resident. */
  private release({ state, bytes }: Page): void {
    if (state === 'loading' || state === 'arrived') this.bytes -= bytes;
  }

  close(): void {
    this.isClosed = true;
    this.queue.length = this.prefetches.length = 0;
    for (const [entry, page] of this.pages) {
      page.cancel?.();
      this.release(page);
      if (page.state !== 'there') this.pages.delete(entry);
    }
  }

  private pump(): void {
    const { queue, prefetches, parts } = this;
    while (this.loading < parts.maxConcurrentLoads) {
      const from = queue.length > 0 ? queue : prefetches;
      const at = this.firstOf(from);
      if (at < 0) return;
      const entry = from[at]!;
      const page = this.pages.get(entry)!;
      const hasRoom = this.makeRoom(page.bytes, from === prefetches);
      if (!hasRoom && (from === queue || this.isRead)) return;
      from.splice(at, 1);
      if (hasRoom) this.begin(entry, page);
      else {
        this.drop(entry);
        this.notifyLater();
      }
    }
  }

  /** Index of the page that is loaded next, or −1. */
  private firstOf(queue: readonly number[]): number {
    if (queue.length === 0) return -1;
    let first = 0;
    let most = -Infinity;
    if (this.parts.priority)
      for (const [at, entry] of queue.entries()) {
        const { priority } = this.pages.get(entry)!;
        if (priority <= most) continue;
        most = priority;
        first = at;
      }
    return first;
  }

  /** `onlyUnread`: evicts no page that the last pass has read. */
  private makeRoom(bytes: number, onlyUnread: boolean): boolean {
    const { budgetBytes, memory } = this.parts;
    while (this.bytes + bytes > budgetBytes) {
      if (onlyUnread && this.oldest >= memory.now) return false;
      if (!this.evictOldest()) return false;
    }
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
    page.state = 'loading';
    page.era = this.era;
    this.loading++;
    this.bytes += page.bytes;
    if (page.failures === 0) this.counts.requested++;
    page.cancel = startRequest(
      (signal) => load(entry, signal),
      timeoutMs,
      (texels) => {
        this.loading--;
        if (texels === null) return this.pump();
        page.state = 'arrived';
        this.arrive(entry, page, texels);
      }
    );
  }

  private arrive(entry: number, page: Page, texels: () => Uint8Array): void {
    if (this.held) this.held.push(() => this.arrive(entry, page, texels));
    else if (this.pages.get(entry) === page && !this.isClosed) this.settle(entry, page, texels);
  }

  private settle(entry: number, page: Page, texels: () => Uint8Array): void {
    try {
      this.parts.memory.install(entry, texels());
    } catch (error) {
      if (this.isRead && isOutOfMemory(error)) {
        this.short.push(() => this.arrive(entry, page, texels));
        return;
      }
      this.release(page);
      this.handleFailure(entry, page, error);
      this.pump();
      return;
    }
    this.counts.loaded++;
    this.becomeResident(page);
    this.pump();
  }

  private becomeResident(page: Page): void {
    page.state = 'there';
    page.cancel = null;
    this.notifyLater();
  }

  private handleFailure(entry: number, page: Page, error: unknown): void {
    page.cancel = null;
    page.failures++;
    let reason = error;
    try {
      const delayMs = isOutOfMemory(error) ? null : this.retryDelay(page.failures, error);
      if (delayMs !== null) {
        this.retryAfter(delayMs, entry, page);
        return;
      }
    } catch (second) {
      reason = second;
    }
    this.counts.failed++;
    this.fail(entry, page, reason);
    this.notifyLater();
  }

  private retryDelay(failures: number, error: unknown): number | null {
    const delayMs = this.parts.retry?.(failures, error) ?? null;
    if (delayMs !== null && !(delayMs >= 0 && delayMs <= MAX_TIMER_MS))
      throw new Error(`retry returned ${delayMs}; it must return milliseconds from 0 to ${MAX_TIMER_MS}, or null`);
    return delayMs;
  }

  private retryAfter(delayMs: number, entry: number, page: Page): void {
    page.state = 'delayed';
    this.counts.retried++;
    const timer = startTimer(() => {
      page.cancel = null;
      page.state = 'queued';
      (page.isWanted ? this.queue : this.prefetches).push(entry);
      this.pump();
    }, delayMs);
    page.cancel = () => stopTimer(timer);
  }

  private fail(entry: number, page: Page, error: unknown): void {
    const { memory, fallback } = this.parts;
    page.failure = `${memory.nameOf(entry)} could not be loaded: ${thrown(error)}`;
    page.state = 'failed';
    if (fallback !== null) {
      try {
        memory.install(entry, fallback(entry));
        this.bytes += page.bytes;
        this.becomeResident(page);
        return;
      } catch (second) {
        page.failure = `${memory.nameOf(entry)} could not be loaded: ${thrown(second)}`;
      }
    }
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

function remove(queue: number[], entry: number): void {
  const at = queue.indexOf(entry);
  if (at >= 0) queue.splice(at, 1);
}
