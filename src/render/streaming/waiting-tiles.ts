// Tracks the tiles of a pass that have read non-resident pages (layout/texture/texture-stream.ts): what each waits for,
// which pages to load, and which tiles can run again. A tile runs again only when all pages that it has ever missed are
// resident at the same time. The tile that has waited longest gets its pages first, and they stay until it is done. If
// they do not fit into the textures' budgets together, the tile runs in smaller parts (tile-parts.ts). So every pass
// ends if the budgets hold the pages that a single quad of a triangle reads.
//
// Other work waits in the same way as if it were a tile, under numbers below 0: the geometry of a chunk, and tiles
// whose shaders write (streamed-pass.ts). The workgroups of a job wait together under one number
// (streamed-dispatch.ts).
import {
  WAITING_READY,
  WAITING_DONE,
  WAITING_NONE,
  WAITING_FOR_PAGES,
} from '../../../assembly/layout/texture/texture-stream-codes';
import { WaitingTile } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { WaitCounts, Stream } from '../resources/streams';
import type { Division } from './tile-parts';

interface Waiting {
  /** All pages that it has missed so far. */
  readonly needs: Set<number>;
  /** Whether the tile is about to run again, or to resume. */
  isRun: boolean;
  /** Whether the tile is parked in a tile context and resumes from there. */
  isParked: boolean;
  /** How the tile continues after its pages did not fit into the budgets together; null: as a whole. */
  division: Division | null;
}

/** `isParked`: the tile is parked. `isExact`: it waits for its first missed page only. */
interface NoteHow {
  readonly isParked?: boolean;
  readonly isExact?: boolean;
}

export class WaitingTiles {
  /** Error message if a tile cannot be finished, else null. */
  failure: string | null = null;
  /** Error message if the oldest tile reads more pages than the budgets hold, else null. */
  tooLarge: string | null = null;
  /** Number of tiles that were abandoned, to be replayed. */
  discardedTiles = 0;
  /** Whether some waiting tiles have not requested their pages, because those of older tiles leave no room. */
  private isShort = false;
  private isStalled = false;
  /** Waiting tiles in the order in which they first missed a page. */
  private readonly waiting = new Map<number, Waiting>();
  /** Pages that were replaced by smaller mip levels. */
  private readonly substituted = new Map<Stream, Set<number>>();
  private address = 0;
  private tiles = 0;

  /**
   * `unitOf`: names the smallest work that waits as a whole under a number, for messages. `divisionOf`: how to continue
   * a tile with too many pages; null: as a whole.
   */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly streams: readonly Stream[],
    private readonly counts: WaitCounts,
    private readonly unitOf: (tile: number) => string,
    private readonly divisionOf: (tile: number, isParked: boolean) => Division | null = () => null
  ) {}

  /** Starts a chunk with these WAITING TILEs. */
  begin(address: number, tiles: number): void {
    this.address = address;
    this.tiles = tiles;
    new Uint8Array(this.memory.buffer, address, tiles * WaitingTile.bytes).fill(0);
    this.beginReads();
  }

  /** Called before kernels read resident pages. */
  beginReads(): void {
    for (const { loads } of this.streams) loads.read = true;
  }

  /** Whether tiles wait for pages. */
  get isWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Collects what workers have noted since the last call, also while they run, and requests pages. */
  look(): void {
    const words = new Int32Array(this.memory.buffer);
    let isNew = false;
    for (let tile = 0; tile < this.tiles; tile++) {
      const at = this.wordOf(tile);
      const state = Atomics.load(words, at);
      if (state !== WAITING_FOR_PAGES && state !== WAITING_DONE) continue;
      Atomics.store(words, at, WAITING_NONE);
      const from = at + (WaitingTile.entries >>> 2);
      const count = words[at + (WaitingTile.count >>> 2)]!;
      const entries = words.slice(from, from + count);
      if (state === WAITING_FOR_PAGES)
        this.note(
          tile,
          [...entries].map((entry) => entry >>> 0),
          { isParked: this.isParkedAt(tile) }
        );
      else for (const entry of entries) this.noteSubstituted(entry >>> 0);
      isNew = true;
    }
    if (isNew) this.requestPages();
  }

  /** Handles tiles that have run again without a miss. Tiles that no worker has taken wait once more. */
  settle(): void {
    for (const [tile, waiting] of this.waiting) {
      if (!waiting.isRun) continue;
      if (this.takeTurn(tile)) {
        waiting.isRun = false;
        this.counts.replayed--;
      } else if (waiting.division?.advance()) {
        waiting.isRun = false;
        waiting.needs.clear();
      } else this.leave(tile);
    }
  }

  /** Called when a job has ended. */
  jobEnded(): void {
    this.look();
    this.settle();
    for (const { loads } of this.streams) loads.read = false;
    this.requestPages();
  }

  /** Marks the tiles whose pages are all resident to run again. Returns whether there are any. */
  scheduleReady(): boolean {
    let some = false;
    for (const [tile, waiting] of this.waiting) {
      if (!this.isReady(waiting)) continue;
      some = true;
      this.runAgain(tile, waiting);
    }
    this.isStalled = false;
    if (some) this.beginReads();
    return some;
  }

  /**
   * Called during a job when pages have arrived. Resumes the parked tiles whose pages are all resident. `all`: also
   * replays abandoned tiles.
   */
  resumeReady(all: boolean): void {
    for (const [tile, waiting] of this.waiting)
      if ((all || waiting.isParked) && this.isReady(waiting)) this.runAgain(tile, waiting);
  }

  private runAgain(tile: number, waiting: Waiting): void {
    if (waiting.isRun) return;
    waiting.isRun = true;
    this.counts.replayed++;
    if (this.isTile(tile)) Atomics.store(new Int32Array(this.memory.buffer), this.wordOf(tile), WAITING_READY);
  }

  /** Withdraws a tile that is marked to run again. Returns false if a worker has taken it. */
  private takeTurn(tile: number): boolean {
    if (!this.isTile(tile)) return false;
    const words = new Int32Array(this.memory.buffer);
    return Atomics.compareExchange(words, this.wordOf(tile), WAITING_READY, WAITING_NONE) === WAITING_READY;
  }

  private isTile(number: number): boolean {
    return number >= 0 && number < this.tiles;
  }

  private wordOf(tile: number): number {
    return (this.address + tile * WaitingTile.bytes) >>> 2;
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
    for (const tile of [...this.waiting.keys()]) this.leave(tile);
    this.tooLarge = null;
    this.requestPages();
  }

  /** Divides the oldest tile, whose pages do not fit, into smaller parts. Returns false if that is impossible. */
  divide(): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    const [tile, waiting] = first;
    if (!waiting.division) {
      waiting.division = this.divisionOf(tile, waiting.isParked);
      if (waiting.division) this.counts.divided++;
    }
    if (!waiting.division?.divide()) return false;
    waiting.isParked = this.isParkedAt(tile);
    waiting.needs.clear();
    this.tooLarge = null;
    this.requestPages();
    return true;
  }

  private isParkedAt(tile: number): boolean {
    return new Int32Array(this.memory.buffer)[this.wordOf(tile) + (WaitingTile.context >>> 2)] !== 0;
  }

  private leave(tile: number): void {
    if (this.waiting.delete(tile)) this.counts.waiting--;
  }

  /** Whether there are tiles whose pages are all resident. */
  get hasReady(): boolean {
    for (const waiting of this.waiting.values()) if (this.isReady(waiting)) return true;
    return false;
  }

  private isReady({ needs }: Waiting): boolean {
    for (const entry of needs) if (!this.streamOf(entry).loads.isResident(entry)) return false;
    return true;
  }

  /** Requests the pages of as many tiles as fit, oldest first. */
  requestPages(): void {
    const asked = new Map(this.streams.map((stream) => [stream, { entries: new Set<number>(), bytes: 0 }]));
    let isFirst = true;
    this.isShort = false;
    for (const [tile, { needs, division }] of this.waiting) {
      // The next part of this tile must run first. Pages of later tiles could take the room that it needs.
      if (division && needs.size === 0) break;
      const fitting = this.add(asked, needs, tile);
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
    for (const tile of [...this.waiting.keys()]) this.leave(tile);
    for (const stream of this.streams) {
      stream.loads.read = false;
      stream.loads.pin(new Set());
      if (stream.waits) stream.loads.cancelWaits();
      stream.listener = null;
    }
    for (const [stream, entries] of this.substituted) stream.requestSubstituted(entries);
  }

  /** Adds the pages that a tile needs. Returns an error message if they do not fit, else null. */
  private add(
    asked: Map<Stream, { entries: Set<number>; bytes: number }>,
    needs: ReadonlySet<number>,
    tile: number
  ): string | null {
    const more = new Map<Stream, number>();
    for (const entry of needs) {
      const stream = this.streamOf(entry);
      const { table } = stream;
      if (!asked.get(stream)!.entries.has(entry) && !stream.isInMipTail(entry))
        more.set(stream, (more.get(stream) ?? 0) + table.bytesOf(table.placeOf(entry)));
    }
    for (const [stream, bytes] of more) {
      const {
        loads: { budgetBytes, roomBytes },
        shape: { label },
      } = stream;
      const all = asked.get(stream)!.bytes + bytes;
      if (all > roomBytes)
        return (
          `${label}: ${this.unitOf(tile)} reads ${all} bytes of pages, but stream.budget has only ${roomBytes} `
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
    // Where smaller levels would do, the tile only waits for the smallest ones, unless it has missed nothing else.
    const waitedFor = entries.filter((entry) => this.streamOf(entry).waits || this.streamOf(entry).isInMipTail(entry));
    const all = waitedFor.length > 0 ? waitedFor : entries;
    for (const entry of isExact ? all.slice(0, 1) : all) needs.add(entry);
  }

  /** Records that a tile has read non-resident pages, and was abandoned or parked. */
  note(tile: number, entries: readonly number[], { isParked = false, isExact = false }: NoteHow = {}): void {
    const before = this.waiting.get(tile);
    const needs = before?.needs ?? new Set<number>();
    const division = before?.division;
    if (division?.missed()) needs.clear();
    this.addNeeds(needs, entries, division?.isExact ?? isExact);
    // The finished part of a parked tile has used smaller levels for some of the pages that the rest waits for.
    for (const entry of entries)
      if (!needs.has(entry) || (isParked && !this.streamOf(entry).waits)) this.noteSubstituted(entry);
    if (before) {
      before.isRun = false;
      before.isParked = isParked;
    } else {
      this.waiting.set(tile, { needs, isRun: false, isParked, division: null });
      this.counts.waiting++;
    }
    if (!isParked) this.discardedTiles++;
    this.counts.parked++;
  }

  /** Records that a smaller mip level was used in place of a page. */
  noteSubstituted(entry: number): void {
    const stream = this.streamOf(entry);
    const entries = this.substituted.get(stream) ?? new Set<number>();
    entries.add(entry);
    this.substituted.set(stream, entries);
  }

  private streamOf(entry: number): Stream {
    return this.streams.find(({ table }) => table.has(entry)) ?? unreachable('render: a page of no texture');
  }
}
