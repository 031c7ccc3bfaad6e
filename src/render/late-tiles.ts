// Tiles of a pass that have read pages which are not there (layout/texture-stream.ts): what each waits for, which pages
// are loaded now, and which tiles can be run again. A tile is run again only when all pages that it has ever missed are
// there at once; the one that has waited longest has its pages first, and they stay until it is done. If they do not
// fit into the textures' budgets together, it is run in smaller parts (tile-parts.ts). So every pass comes to an end if
// the pages fit that any one quad of a triangle reads. The workgroups of a dispatch
// wait in the same way, all of a job as if they were a tile (late-groups.ts), and so do the geometry of a chunk and
// tiles whose programs write (late-pass.ts), under numbers below 0.
import { LATE_AGAIN, LATE_DONE, LATE_NONE, LATE_WAITS } from '../../assembly/layout/texture-stream-codes';
import { LateTile } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { LateCounts, Stream } from './streams';
import type { Division } from './tile-parts';

interface Waiting {
  /** All that it has missed so far. */
  readonly needs: Set<number>;
  /** It is to be run, or to go on. */
  isRun: boolean;
  /** It stands in a tile context, and goes on from there. */
  isKept: boolean;
  /** How it goes on, once its pages did not fit into the budgets together; null: as a whole. */
  division: Division | null;
}

/** The tile is kept as it stands; it waits for the first page alone. */
interface NoteHow { readonly isKept?: boolean; readonly isExact?: boolean }

export class LateTiles {
  /** A sentence, when a tile cannot be finished. */
  failure: string | null = null;
  /** A sentence, when the oldest tile reads more than the budgets hold. */
  tooLarge: string | null = null;
  /** Tiles that were given up to be run again. */
  given = 0;
  /** Pages of tiles that wait were not asked for: there is no room for them beside those of older ones. */
  private isShort = false;
  private isStalled = false;
  /** In the order in which they were first late. */
  private readonly waiting = new Map<number, Waiting>();
  /** What smaller levels were taken for. */
  private readonly wished = new Map<Stream, Set<number>>();
  private address = 0;
  private tiles = 0;

  /**
   * `unitOf`: the least that waits as a whole under a number, for messages; `divisionOf`: how a tile goes on that has
   * too many pages, null: as a whole.
   */
  constructor(
    private readonly memory: WebAssembly.Memory, private readonly streams: readonly Stream[],
    private readonly counts: LateCounts, private readonly unitOf: (tile: number) => string,
    private readonly divisionOf: (tile: number, isKept: boolean) => Division | null = () => null
  ) {}

  /** A chunk begins, with these LATE TILEs. */
  begin(address: number, tiles: number): void {
    this.address = address;
    this.tiles = tiles;
    new Uint8Array(this.memory.buffer, address, tiles * LateTile.bytes).fill(0);
    this.reads();
  }

  /** Kernels read what is there. */
  reads(): void {
    for (const { loads } of this.streams) loads.read = true;
  }

  /** Whether tiles wait for pages. */
  get isWaiting(): boolean { return this.waiting.size > 0; }

  /** Takes up what workers have noted since the last look, also while they run, and asks for pages. */
  look(): void {
    const words = new Int32Array(this.memory.buffer);
    let isNew = false;
    for (let tile = 0; tile < this.tiles; tile++) {
      const at = this.wordOf(tile), state = Atomics.load(words, at);
      if (state !== LATE_WAITS && state !== LATE_DONE) continue;
      Atomics.store(words, at, LATE_NONE);
      const from = at + (LateTile.entries >>> 2), count = words[at + (LateTile.count >>> 2)]!;
      const entries = words.slice(from, from + count);
      if (state === LATE_WAITS)
        this.note(tile, [...entries].map((entry) => entry >>> 0), { isKept: this.isKeptAt(tile) });
      else for (const entry of entries) this.noteWish(entry >>> 0);
      isNew = true;
    }
    if (isNew) this.ask();
  }

  /** What was run again has been run, and has missed nothing. Those to which no worker came wait once more. */
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

  /** All that was run has been run. */
  jobEnded(): void {
    this.look();
    this.settle();
    for (const { loads } of this.streams) loads.read = false;
    this.ask();
  }

  /** Has the tiles run again for which all is there; whether there are any. */
  takeReady(): boolean {
    let some = false;
    for (const [tile, waiting] of this.waiting) {
      if (!this.isReady(waiting)) continue;
      some = true;
      this.runAgain(tile, waiting);
    }
    this.isStalled = false;
    if (some) this.reads();
    return some;
  }

  /**
   * While a job is under way, and pages have come: has the tiles go on that are kept, and for which all is there;
   * `all`: and those run again that were given up.
   */
  resumeReady(all: boolean): void {
    for (const [tile, waiting] of this.waiting)
      if ((all || waiting.isKept) && this.isReady(waiting)) this.runAgain(tile, waiting);
  }

  private runAgain(tile: number, waiting: Waiting): void {
    if (waiting.isRun) return;
    waiting.isRun = true;
    this.counts.replayed++;
    if (this.isTile(tile)) Atomics.store(new Int32Array(this.memory.buffer), this.wordOf(tile), LATE_AGAIN);
  }

  /** Takes back that a tile is to be run, if no worker has done so. */
  private takeTurn(tile: number): boolean {
    if (!this.isTile(tile)) return false;
    const words = new Int32Array(this.memory.buffer);
    return Atomics.compareExchange(words, this.wordOf(tile), LATE_AGAIN, LATE_NONE) === LATE_AGAIN;
  }

  private isTile(number: number): boolean { return number >= 0 && number < this.tiles; }

  private wordOf(tile: number): number { return (this.address + tile * LateTile.bytes) >>> 2; }

  /** Nothing is left to be run before pages come. */
  stalls(): void {
    if (this.isStalled) return;
    this.isStalled = true;
    // What keeps the pages away: others that are in memory, others that are loaded before them, or their source.
    const cause = this.isShort ? 'room' : this.streams.some(({ loads }) => loads.hasQueue) ? 'outstanding' : 'source';
    this.counts.stalls[cause]++;
  }

  /** Nothing waits any more: what was to be run again is run in smaller parts. */
  forget(): void {
    for (const tile of [...this.waiting.keys()]) this.leave(tile);
    this.tooLarge = null;
    this.ask();
  }

  /** The oldest tile, whose pages do not fit, goes on by smaller parts; false: it cannot, or is the least already. */
  divide(): boolean {
    const [first] = this.waiting;
    if (!first) return false;
    const [tile, waiting] = first;
    if (!waiting.division) {
      waiting.division = this.divisionOf(tile, waiting.isKept);
      if (waiting.division) this.counts.divided++;
    }
    if (!waiting.division?.divide()) return false;
    waiting.isKept = this.isKeptAt(tile);
    waiting.needs.clear();
    this.tooLarge = null;
    this.ask();
    return true;
  }

  private isKeptAt(tile: number): boolean {
    return new Int32Array(this.memory.buffer)[this.wordOf(tile) + (LateTile.context >>> 2)] !== 0;
  }

  private leave(tile: number): void {
    if (this.waiting.delete(tile)) this.counts.waiting--;
  }

  /** Whether there are tiles for which all is there. */
  get hasReady(): boolean {
    for (const waiting of this.waiting.values()) if (this.isReady(waiting)) return true;
    return false;
  }

  private isReady({ needs }: Waiting): boolean {
    for (const entry of needs) if (!this.streamOf(entry).loads.isThere(entry)) return false;
    return true;
  }

  /** Asks for the pages of as many tiles as fit, the oldest first. */
  ask(): void {
    const asked = new Map(this.streams.map((stream) => [stream, { entries: new Set<number>(), bytes: 0 }]));
    let isFirst = true;
    this.isShort = false;
    for (const [tile, { needs, division }] of this.waiting) {
      // Its next part is run first: others would take the room of what that needs.
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
      const { loads, isStopped, shape: { label } } = stream;
      if (isStopped && entries.size > 0)
        this.failure ??= `${label} was destroyed while ${entries.size} of its pages were awaited`;
      for (const entry of entries) {
        this.failure ??= loads.failureOf(entry);
        loads.want(entry);
      }
      loads.pin(entries);
    }
  }

  /** The pass is done, or has failed. */
  end(): void {
    for (const tile of [...this.waiting.keys()]) this.leave(tile);
    for (const stream of this.streams) {
      stream.loads.read = false;
      stream.loads.pin(new Set());
      stream.listener = null;
    }
    for (const [stream, entries] of this.wished) stream.wish(entries);
  }

  /** Adds what a tile needs; or says why it does not fit. */
  private add(
    asked: Map<Stream, { entries: Set<number>; bytes: number }>, needs: ReadonlySet<number>, tile: number
  ): string | null {
    const more = new Map<Stream, number>();
    for (const entry of needs) {
      const stream = this.streamOf(entry), { table } = stream;
      if (!asked.get(stream)!.entries.has(entry) && !stream.isTail(entry))
        more.set(stream, (more.get(stream) ?? 0) + table.bytesOf(table.placeOf(entry)));
    }
    for (const [stream, bytes] of more) {
      const { loads: { budgetBytes, roomBytes }, shape: { label } } = stream, all = asked.get(stream)!.bytes + bytes;
      if (all > roomBytes)
        return `${label}: ${this.unitOf(tile)} reads pages of ${all} bytes, and stream.budget has ${roomBytes} for them beside the smallest levels; raise it to at least ${budgetBytes - roomBytes + all}, or take smaller pages`;
    }
    for (const [stream, bytes] of more) asked.get(stream)!.bytes += bytes;
    for (const entry of needs) asked.get(this.streamOf(entry))!.entries.add(entry);
    return null;
  }

  /** `isExact`: only the first page. */
  private addNeeds(needs: Set<number>, entries: readonly number[], isExact: boolean): void {
    // Where smaller levels would do, the smallest of all are waited for.
    const waitedFor = entries.filter((entry) => this.streamOf(entry).waits || this.streamOf(entry).isTail(entry));
    const all = waitedFor.length > 0 ? waitedFor : entries;
    for (const entry of isExact ? all.slice(0, 1) : all) needs.add(entry);
  }

  /** A tile has read pages that are not there, and was given up, or is kept. */
  note(tile: number, entries: readonly number[], { isKept = false, isExact = false }: NoteHow = {}): void {
    const before = this.waiting.get(tile), needs = before?.needs ?? new Set<number>(), division = before?.division;
    if (division?.missed()) needs.clear();
    this.addNeeds(needs, entries, division?.isExact ?? isExact);
    // What is done of a tile that is kept has taken smaller levels for some of those that the rest waits for.
    for (const entry of entries)
      if (!needs.has(entry) || (isKept && !this.streamOf(entry).waits)) this.noteWish(entry);
    if (before) {
      before.isRun = false;
      before.isKept = isKept;
    } else {
      this.waiting.set(tile, { needs, isRun: false, isKept, division: null });
      this.counts.waiting++;
    }
    if (!isKept) this.given++;
    this.counts.parked++;
  }

  /** Smaller levels were taken in a page's place. */
  noteWish(entry: number): void {
    const stream = this.streamOf(entry), entries = this.wished.get(stream) ?? new Set<number>();
    entries.add(entry);
    this.wished.set(stream, entries);
  }

  private streamOf(entry: number): Stream {
    return this.streams.find(({ table }) => table.has(entry)) ?? unreachable('render: a page of no texture');
  }
}
