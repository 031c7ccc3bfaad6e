// The queue of work that waits for non-resident pages (layout/texture/texture-stream.ts): what each waits for, which
// pages to load, and which work can run again. Work becomes ready only when all pages that it has ever missed are
// resident at the same time. What has waited longest gets its pages first, and they stay until it is done. If they do
// not fit into the textures' budgets together, a tile runs in smaller parts (tile-parts.ts). So every pass ends if the
// budgets hold the pages that a single quad of a triangle reads.
//
// Work has numbers: those of the tiles, and then those of work that waits as a whole, such as the geometry of a chunk.
import {
  WORK_BEGINS,
  WORK_DONE,
  WORK_ENDS,
  WORK_FAILS,
  WORK_IS_READY,
  WORK_IS_UNDONE,
  WORK_PARKED,
  WORK_PARKS,
  WORK_READY,
} from '../../assembly/layout/late/work-codes';
import { LateWork } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { PageLoads } from '../schedule/page-loads';
import type { PageTable } from '../surface';
import { WorkStates } from './states';
import type { Division } from './tile-parts';

/**
 * Counts of work that waits for pages (tiles and workgroups): how often it had to wait (`parked`), was undone for it,
 * and was ready again; how much waits now; how many tiles were divided; how often nothing else was left to run, by
 * cause.
 */
export interface WaitCounts {
  parked: number;
  undone: number;
  replayed: number;
  waiting: number;
  divided: number;
  readonly stalls: { source: number; loadLimit: number; room: number };
}

/** What the queue asks of a streamed texture. Pages are named by the numbers of their entries. */
export interface PagedTexture {
  /** Whether work waits for its pages, instead of using smaller levels. */
  readonly waits: boolean;
  /** Whether no more pages will arrive. */
  readonly isStopped: boolean;
  readonly shape: { readonly label: string };
  readonly table: Pick<PageTable, 'has' | 'bytesOf' | 'placeOf'>;
  readonly loads: Pick<
    PageLoads,
    'budgetBytes' | 'roomBytes' | 'hasQueue' | 'read' | 'isResident' | 'failureOf' | 'request' | 'pin' | 'cancelWaits'
  >;
  listener: (() => void) | null;
  isInMipTail(entry: number): boolean;
  requestSubstituted(entries: ReadonlySet<number>): void;
}

interface Waiting {
  /** All pages that it has missed so far. */
  readonly needs: Set<number>;
  /** How a tile continues after its pages did not fit into the budgets together; null: as a whole. */
  division: Division | null;
}

export class WaitingWork {
  /** Error message if some work cannot be finished, else null. */
  failure: string | null = null;
  /** Error message if the oldest work reads more pages than the budgets hold, else null. */
  tooLarge: string | null = null;
  /** Number of times that tiles were undone. */
  discardedTiles = 0;
  readonly states: WorkStates;
  /** Whether some work has not requested its pages, because those of older work leave no room. */
  private isShort = false;
  private isStalled = false;
  /** In the order in which it first missed a page. */
  private readonly waiting = new Map<number, Waiting>();
  /** Pages that were replaced by smaller mip levels. */
  private readonly substituted = new Map<PagedTexture, Set<number>>();
  private tiles = 0;

  /**
   * `address`: of the LATE WORKs. `unitOf`: names the smallest work that waits as a whole under a number, for messages.
   * `divisionOf`: how to continue a tile with too many pages; null: as a whole.
   */
  constructor(
    memory: WebAssembly.Memory,
    address: number,
    private readonly streams: readonly PagedTexture[],
    private readonly counts: WaitCounts,
    private readonly unitOf: (number: number) => string,
    private readonly divisionOf: (tile: number) => Division | null = () => null
  ) {
    this.states = new WorkStates(memory, address);
  }

  /** Starts a chunk with this many tiles. */
  begin(tiles: number): void {
    this.tiles = tiles;
    this.states.renew(0, tiles);
    this.beginReads();
  }

  /** Called before kernels read resident pages. */
  beginReads(): void {
    for (const { loads } of this.streams) loads.read = true;
  }

  /** Called when work that is not a tile begins, or is replayed. */
  begins(number: number): void {
    if (!this.states.happen(number, WORK_BEGINS)) {
      this.states.renew(number);
      this.states.happen(number, WORK_BEGINS);
    }
  }

  /** Called when work that is not a tile was undone, as it has missed pages. `isExact`: it waits for the first only. */
  isUndone(number: number, missed: readonly number[], isExact = false): void {
    this.states.happen(number, WORK_IS_UNDONE);
    this.states.takeReport(number);
    this.note(number, missed, isExact);
  }

  /** Called when work that is not a tile has ended. */
  ends(number: number): void {
    this.states.happen(number, WORK_ENDS);
    this.leave(number);
  }

  get isWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Reads what workers have reported since the last call, also while they run, and requests pages. */
  look(): void {
    let isNew = false;
    for (let tile = 0; tile < this.tiles; tile++) {
      const missed = this.states.takeReport(tile);
      if (missed === null) continue;
      if (this.states.of(tile) === WORK_DONE) {
        for (const entry of missed) this.noteSubstituted(entry);
        // The next part of a tile runs later.
        if (this.waiting.get(tile)?.division?.advance()) this.waiting.get(tile)!.needs.clear();
        else this.leave(tile);
      } else this.note(tile, missed);
      isNew = true;
    }
    if (isNew) this.requestPages();
  }

  /** Called when a job has ended. Pages of tiles that no worker has claimed may be evicted, so they wait once more. */
  jobEnded(): void {
    this.look();
    for (const tile of this.waiting.keys())
      if (this.states.of(tile) === WORK_READY) {
        this.states.happen(tile, this.states.get(tile, LateWork.context) === 0 ? WORK_IS_UNDONE : WORK_PARKS);
        this.counts.replayed--;
      }
    for (const { loads } of this.streams) loads.read = false;
    this.requestPages();
  }

  /**
   * Makes the work ready whose pages are all resident. `onlyParked`: leaves out work that would be replayed. Returns
   * whether some is ready.
   */
  makeReady(onlyParked: boolean): boolean {
    let some = false;
    for (const [number, waiting] of this.waiting) {
      if (onlyParked && this.states.of(number) !== WORK_PARKED) continue;
      // A tile whose last run has not been looked at may be done, or wait for other pages.
      if (this.states.hasReport(number) || !this.isReady(waiting)) continue;
      some = true;
      if (this.states.happen(number, WORK_IS_READY)) this.counts.replayed++;
    }
    return some;
  }

  /** Called between jobs. Makes work ready, and returns whether some is. */
  scheduleReady(): boolean {
    const some = this.makeReady(false);
    this.isStalled = false;
    if (some) this.beginReads();
    return some;
  }

  /** Called when nothing can run until pages arrive. */
  stalls(): void {
    if (this.isStalled) return;
    this.isStalled = true;
    // The cause of the wait: no room next to other resident pages, other loads that come first, or the source itself.
    const cause = this.isShort ? 'room' : this.streams.some(({ loads }) => loads.hasQueue) ? 'loadLimit' : 'source';
    this.counts.stalls[cause]++;
  }

  /** Drops all waiting work, which will run again in smaller parts. */
  forget(): void {
    for (const number of [...this.waiting.keys()]) this.leave(number);
    this.tooLarge = null;
    this.requestPages();
  }

  /** Divides the oldest tile, whose pages do not fit, into smaller parts. Returns false if that is impossible. */
  divide(): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    const [tile, waiting] = first;
    if (!waiting.division) {
      waiting.division = this.divisionOf(tile);
      if (waiting.division) this.counts.divided++;
    }
    if (!waiting.division?.divide()) return false;
    waiting.needs.clear();
    this.tooLarge = null;
    this.requestPages();
    return true;
  }

  private leave(number: number): void {
    if (this.waiting.delete(number)) this.counts.waiting--;
  }

  /** Whether there is work whose pages are all resident. */
  get hasReady(): boolean {
    for (const waiting of this.waiting.values()) if (this.isReady(waiting)) return true;
    return false;
  }

  private isReady({ needs }: Waiting): boolean {
    for (const entry of needs) if (!this.streamOf(entry).loads.isResident(entry)) return false;
    return true;
  }

  /** Requests the pages of as much work as fits, oldest first. */
  requestPages(): void {
    const asked = new Map(this.streams.map((stream) => [stream, { entries: new Set<number>(), bytes: 0 }]));
    let isFirst = true;
    this.isShort = false;
    for (const [number, { needs, division }] of this.waiting) {
      // The next part of this tile must run first. Pages of later tiles could take the room that it needs.
      if (division && needs.size === 0) break;
      const fitting = this.add(asked, needs, number);
      if (fitting !== null) {
        this.isShort = true;
        if (isFirst) this.tooLarge ??= fitting;
        break;
      }
      isFirst = false;
    }
    for (const [stream, { entries }] of asked) {
      const {
        loads,
        isStopped,
        shape: { label },
      } = stream;
      if (isStopped && entries.size > 0)
        this.failure ??= `${label} was destroyed while the pass was waiting for ${entries.size} of its pages`;
      for (const entry of entries) {
        this.failure ??= loads.failureOf(entry);
        loads.request(entry);
      }
      loads.pin(entries);
    }
  }

  /** Called when the pass is done or has failed. */
  end(): void {
    for (const number of [...this.waiting.keys()]) {
      this.states.happen(number, WORK_FAILS);
      this.leave(number);
    }
    for (const stream of this.streams) {
      stream.loads.read = false;
      stream.loads.pin(new Set());
      if (stream.waits) stream.loads.cancelWaits();
      stream.listener = null;
    }
    for (const [stream, entries] of this.substituted) stream.requestSubstituted(entries);
  }

  /** Adds the pages that some work needs. Returns an error message if they do not fit, else null. */
  private add(
    asked: Map<PagedTexture, { entries: Set<number>; bytes: number }>,
    needs: ReadonlySet<number>,
    number: number
  ): string | null {
    const more = new Map<PagedTexture, number>();
    for (const entry of needs) {
      const stream = this.streamOf(entry);
      if (!asked.get(stream)!.entries.has(entry) && !stream.isInMipTail(entry))
        more.set(stream, (more.get(stream) ?? 0) + stream.table.bytesOf(stream.table.placeOf(entry)));
    }
    for (const [stream, bytes] of more) {
      const {
        loads: { budgetBytes, roomBytes },
        shape: { label },
      } = stream;
      const all = asked.get(stream)!.bytes + bytes;
      if (all > roomBytes)
        return (
          `${label}: ${this.unitOf(number)} reads ${all} bytes of pages, but stream.budget has only ${roomBytes} `
          + `bytes in addition to the smallest levels; raise it to at least ${budgetBytes - roomBytes + all}, `
          + 'or use smaller pages'
        );
    }
    for (const [stream, bytes] of more) asked.get(stream)!.bytes += bytes;
    for (const entry of needs) asked.get(this.streamOf(entry))!.entries.add(entry);
    return null;
  }

  /** `isExact`: add the first page only. */
  private addNeeds(needs: Set<number>, entries: readonly number[], isExact: boolean): void {
    // Where smaller levels would do, work only waits for the smallest ones, unless it has missed nothing else.
    const waitedFor = entries.filter((entry) => this.streamOf(entry).waits || this.streamOf(entry).isInMipTail(entry));
    const all = waitedFor.length > 0 ? waitedFor : entries;
    for (const entry of isExact ? all.slice(0, 1) : all) needs.add(entry);
  }

  /** Records that work has read non-resident pages, and was parked or undone. */
  private note(number: number, missed: readonly number[], isExact = false): void {
    const before = this.waiting.get(number);
    const needs = before?.needs ?? new Set<number>();
    const division = before?.division;
    const isParked = this.states.of(number) === WORK_PARKED;
    if (division?.missed()) needs.clear();
    this.addNeeds(needs, missed, division?.isExact ?? isExact);
    // The finished part of a parked tile has used smaller levels for some of the pages that the rest waits for.
    for (const entry of missed)
      if (!needs.has(entry) || (isParked && !this.streamOf(entry).waits)) this.noteSubstituted(entry);
    if (!before) {
      this.waiting.set(number, { needs, division: null });
      this.counts.waiting++;
    }
    this.counts.parked++;
    if (isParked) return;
    this.counts.undone++;
    this.discardedTiles++;
  }

  /** Records that a smaller mip level was used in place of a page. */
  noteSubstituted(entry: number): void {
    const stream = this.streamOf(entry);
    const entries = this.substituted.get(stream) ?? new Set<number>();
    entries.add(entry);
    this.substituted.set(stream, entries);
  }

  private streamOf(entry: number): PagedTexture {
    return this.streams.find(({ table }) => table.has(entry)) ?? unreachable('late: a page of no texture');
  }
}
