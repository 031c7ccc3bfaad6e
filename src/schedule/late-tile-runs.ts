// A worker's tiles of a pass that reads streamed textures (layout/texture-stream.ts). One tile is under way at a time;
// those of which warps wait for pages stay as they stand in tile contexts of their own, and go on when the main thread
// says that they can: in this job, or in a later one, where any worker takes them.
import { JOB_FLAG_AGAIN } from '../../assembly/layout/job-codes';
import { TILE_SIZE } from '../../assembly/layout/limits';
import { TILE_FLAG_PARKS } from '../../assembly/layout/pass-codes';
import { STATUS_DONE, STATUS_PARKED, STATUS_WAITS } from '../../assembly/layout/status';
import {
  LATE_AGAIN, LATE_DONE, LATE_FOUND, LATE_NONE, LATE_WAITS, MOST_SLOTS,
} from '../../assembly/layout/texture-stream-codes';
import { ExecutorRecord, Job, LateTile, Misses, Pass, Statistics, Tile, WarpPool } from '../../build/layout';
import type { JobView } from './job-view';

const WORD = 4;
/** LateTile.part of all of a tile, which is put as 0 there. */
const WHOLE = TILE_SIZE << 16 | TILE_SIZE << 24;

/** A tile that the worker has kept in this job; since when it could go on, as far as the worker knows. */
interface Kept { readonly tile: number; since: number | null }

export class LateTileRuns {
  /** The tile under way, -1 for none; the context that it is run in, and what tileRun is told beside. */
  tile = -1;
  context = 0;
  flags = 0;
  /** Another part of the tile comes behind this run: nothing is resolved yet. */
  hasMore = false;
  /** LateTile.context of a tile that goes on, else what it becomes if the tile is kept. */
  private code = 0;
  private goesOn = false;
  private kept: Kept[] = [];
  /** JOB_FLAG_AHEAD: since when tiles can go on, as far as the worker knows. */
  private readonly ready = new Map<number, number>();
  /** The counters before the tile under way, which may have to be run again. */
  private readonly before = new Uint32Array(Statistics.bytes / WORD);
  private runsBefore = new Uint32Array(0);
  /** Of its pixels, where the pass counts invocations (Pass.counts). */
  private readonly countsBefore = new Uint32Array(TILE_SIZE * TILE_SIZE);

  /** `late` is told that a tile is late, the first one since the main thread looked. */
  constructor(private readonly job: JobView, private readonly late: () => void) {}

  get isUnderWay(): boolean { return this.tile >= 0; }

  /** The tile under way has read what is not there. */
  get hasMissed(): boolean {
    const { misses } = this;
    return misses !== 0 && this.job.get(misses + Misses.waits) !== 0;
  }

  /** A job begins. */
  begin(): void {
    this.tile = -1;
    this.kept = [];
    this.ready.clear();
  }

  /**
   * Takes up the next tile: one that nobody has begun (`claim` gives its number), so that what it misses is asked for
   * soon, or, if those have waited long, or there are no others, one that can go on. False: there is none.
   */
  take(claim: () => number): boolean {
    const { job } = this;
    const tiles = job.of(Job.tiles), again = (job.of(Job.flags) & JOB_FLAG_AGAIN) !== 0;
    if (this.takeKept(job.of(Job.overdueMs))) {
      if (job.of(Job.nextTile) < tiles) this.count(Statistics.tilesOverdue);
      return true;
    }
    // Another tile could not be kept, and would be run for what it misses alone: who can go on makes room before.
    if (this.free.length <= 1 && this.takeKept(0)) return true;
    // Who has no context for another tile leaves it to others, or to a later job.
    if (!again && !this.hasRoom) return this.takeKept(0);
    for (let tile = claim(); tile < tiles; tile = claim()) {
      if (again && !this.hasTurn(tile)) continue;
      if (!this.hasRoom && job.get(this.recordOf(tile) + LateTile.context) === 0) {
        Atomics.store(job.words, this.recordOf(tile) >>> 2, LATE_AGAIN);
        continue;
      }
      this.start(tile);
      return true;
    }
    return this.takeKept(0);
  }

  /** JOB_FLAG_AHEAD: takes up a tile that can go on, and could have for so many milliseconds. False: there is none. */
  takeReady(forMs: number): boolean {
    const now = performance.now();
    for (let tile = 0, tiles = this.job.of(Job.tiles); tile < tiles; tile++) {
      if (!this.isReady(tile)) {
        this.ready.delete(tile);
        continue;
      }
      const since = this.ready.get(tile) ?? now;
      this.ready.set(tile, since);
      if (now - since < forMs || !this.hasTurn(tile)) continue;
      this.ready.delete(tile);
      if (forMs > 0) this.count(Statistics.tilesOverdue);
      this.start(tile);
      return true;
    }
    return false;
  }

  /** Whether a tile can go on that no worker has taken. */
  get hasReady(): boolean {
    for (let tile = 0, tiles = this.job.of(Job.tiles); tile < tiles; tile++) if (this.isReady(tile)) return true;
    return false;
  }

  /** Whether a tile may be begun: one that cannot be given up wants a context that it can be kept in. */
  private get hasRoom(): boolean { return !this.keeps || this.free.length > 0; }
  private get keeps(): boolean { return this.job.get(this.misses + Misses.keeps) !== 0; }

  /** Contexts of its own in which no tile is kept. */
  private get free(): readonly number[] {
    const { job } = this, count = job.own(ExecutorRecord.contextCount), kept = job.own(ExecutorRecord.kept);
    const free: number[] = [];
    for (let index = 0; index < count; index++) if ((kept >>> index & 1) === 0) free.push(index);
    return free;
  }

  /** The call of tileRun has ended with a STATUS other than STATUS_YIELD. False: the pass is lost. */
  end(status: number): boolean {
    const { tile, code, goesOn } = this;
    this.tile = -1;
    if (status !== STATUS_DONE && status !== STATUS_WAITS && status !== STATUS_PARKED) return false;
    if (status === STATUS_PARKED) {
      if (!goesOn) this.mark(code, true);
      this.job.put(this.recordOf(tile) + LateTile.context, code);
      if (!this.kept.some((other) => other.tile === tile)) this.kept.push({ tile, since: null });
    } else if (goesOn) {
      this.job.put(this.recordOf(tile) + LateTile.context, 0);
      this.mark(code, false);
    }
    if (status === STATUS_WAITS) this.takeBack(tile);
    this.tell(tile, status);
    return true;
  }

  /**
   * The one that was kept first, thus has waited longest, and has come least far. (An option would do nothing: the
   * other way round, chains of four reads took as long, 555 and 812 ms against 613 and 787, or, of more pages at a
   * time, 397 and 455 against 431 and 532. All warps of a tile that can go on do so in one call.)
   */
  private takeKept(overdueMs: number): boolean {
    const now = performance.now();
    for (const other of this.kept) {
      if (!this.isReady(other.tile)) continue;
      other.since ??= now;
      if (now - other.since < overdueMs || !this.hasTurn(other.tile)) continue;
      this.kept = this.kept.filter((each) => each !== other);
      this.start(other.tile);
      return true;
    }
    return false;
  }

  private isReady(tile: number): boolean { return this.job.get(this.recordOf(tile)) === LATE_AGAIN; }

  /** Whether a tile is to be run again, or to go on, and no other worker has taken it. */
  private hasTurn(tile: number): boolean {
    return Atomics.compareExchange(this.job.words, this.recordOf(tile) >>> 2, LATE_AGAIN, LATE_NONE) === LATE_AGAIN;
  }

  private start(tile: number): void {
    const held = this.job.get(this.recordOf(tile) + LateTile.context);
    this.tile = tile;
    this.goesOn = held !== 0;
    this.flags = 0;
    this.code = held;
    if (held === 0) this.takeContext();
    this.lend();
    this.putPart(this.recordOf(tile));
    const { misses } = this;
    this.job.put(misses + Misses.waits, 0);
    this.job.put(misses + Misses.awaited, 0);
    this.job.put(misses + Misses.count, 0);
    this.before.set(this.counters(this.before.length));
    this.runsBefore = this.stageRuns().slice();
    this.eachCountRow(tile, (row, at) => this.countsBefore.set(row, at));
  }

  /** A context may be another worker's, or was lent to one: it gets what this one runs tiles on. */
  private lend(): void {
    const pass = this.job.own(ExecutorRecord.pass);
    this.context = this.contextOf(this.code);
    this.job.put(this.context + Tile.pass, pass);
    this.job.put(this.context + Tile.pool, this.job.own(ExecutorRecord.pool));
    this.job.put(this.context + Tile.loadStoreUnit, this.job.get(pass + Pass.loadStoreUnit));
  }

  /** Tells the context which part of the tile is run, and how its warps are taken up. */
  private putPart(late: number): void {
    const { job, context } = this, part = job.get(late + LateTile.part), isPart = part !== 0;
    this.hasMore = isPart && job.get(late + LateTile.hasMore) !== 0;
    // A part is run to its end, or from its beginning.
    if (isPart) this.flags = 0;
    const box = isPart ? part : WHOLE;
    [Tile.partX0, Tile.partY0, Tile.partX1, Tile.partY1].forEach((field, i) => {
      job.put(context + field, box >>> (8 * i) & 0xff);
    });
    job.put(context + Tile.isPart, isPart ? 1 : 0);
    job.put(context + Tile.partFirst, job.get(late + LateTile.first));
    job.put(context + Tile.partEnd, job.get(late + LateTile.end));
    job.put(context + Tile.narrow, job.get(late + LateTile.narrow));
    job.put(context + Tile.served, 0);
  }

  /** The address of a free context, in which the worker joins a tile of another: where tiles can be given up. */
  lendFree(): number {
    this.code = this.codeOf(this.free);
    this.lend();
    return this.context;
  }

  private codeOf(free: readonly number[]): number { return 1 + free[0]! + MOST_SLOTS * this.job.index; }

  /** A free context; a tile that can be given up may only be kept if another one is left. */
  private takeContext(): void {
    const { free, misses } = this;
    this.code = this.codeOf(free);
    if (this.keeps || (free.length > 1 && this.job.get(misses + Misses.dry) === 0)) this.flags = TILE_FLAG_PARKS;
  }

  /** What is run again has counted nothing. */
  private takeBack(tile: number): void {
    this.counters(this.before.length).set(this.before);
    this.stageRuns().set(this.runsBefore);
    this.eachCountRow(tile, (row, at) => row.set(this.countsBefore.subarray(at, at + row.length)));
  }

  /** Notes what the tile has missed, for the main thread. */
  private tell(tile: number, status: number): void {
    const { job, misses } = this, count = job.get(misses + Misses.count), late = this.recordOf(tile);
    if (status === STATUS_DONE && count === 0) return;
    const isFound = status === STATUS_WAITS && job.get(misses + Misses.waits) === 0;
    const from = (misses + Misses.entries) >>> 2, words = job.words;
    words.copyWithin((late + LateTile.entries) >>> 2, from, from + count);
    job.put(late + LateTile.count, count);
    job.put(late + LateTile.entryCount, job.get(this.context + Tile.entryCount));
    job.put(late + LateTile.byQuads, job.get(this.context + Tile.byQuads));
    job.put(late + LateTile.served, job.get(this.context + Tile.served));
    const state = isFound ? LATE_FOUND : status === STATUS_DONE ? LATE_DONE : LATE_WAITS;
    Atomics.store(words, (late + LateTile.state) >>> 2, state);
    if (Atomics.exchange(words, (job.address + Job.lateBell) >>> 2, 1) === 0) this.late();
  }

  /** Of a tile; its first word is LateTile.state. */
  private recordOf(tile: number): number { return this.job.of(Job.late) + tile * LateTile.bytes; }

  /** The address of the context that LateTile.context names. */
  private contextOf(code: number): number {
    const record = this.ownerOf(code);
    return this.job.get(record + ExecutorRecord.contexts)
      + ((code - 1) % MOST_SLOTS) * this.job.get(record + ExecutorRecord.contextBytes);
  }

  private mark(code: number, isKept: boolean): void {
    const at = (this.ownerOf(code) + ExecutorRecord.kept) >>> 2, bit = 1 << ((code - 1) % MOST_SLOTS);
    if (isKept) Atomics.or(this.job.words, at, bit);
    else Atomics.and(this.job.words, at, ~bit);
  }

  private ownerOf(code: number): number { return this.job.recordOf(Math.floor((code - 1) / MOST_SLOTS)); }

  /** Rows of the tile's invocation counts, and where they are kept; none where the pass counts none. */
  private eachCountRow(tile: number, row: (counts: Uint32Array, at: number) => void): void {
    const { job } = this;
    const pass = job.own(ExecutorRecord.pass), counts = job.get(pass + Pass.counts);
    if (counts === 0) return;
    const tilesX = job.get(pass + Pass.tilesX), rowBytes = job.get(pass + Pass.countsRowBytes);
    const x = (tile % tilesX) * TILE_SIZE, y = Math.floor(tile / tilesX) * TILE_SIZE;
    const width = Math.min(TILE_SIZE, job.get(pass + Pass.width) - x);
    const bottom = Math.min(y + TILE_SIZE, job.get(pass + Pass.height));
    for (let at = y; at < bottom; at++)
      row(new Uint32Array(job.memory.buffer, counts + at * rowBytes + x * WORD, width), (at - y) * TILE_SIZE);
  }

  private counters(count: number): Uint32Array {
    return new Uint32Array(this.job.memory.buffer, this.job.own(ExecutorRecord.statistics), count);
  }

  private count(counter: number): void {
    const at = this.job.own(ExecutorRecord.statistics) + counter;
    this.job.put(at, this.job.get(at) + 1);
  }

  /** Warps of the pass's stages of pixels. */
  private stageRuns(): Uint32Array {
    const pass = this.job.own(ExecutorRecord.pass);
    return new Uint32Array(
      this.job.memory.buffer, this.job.get(pass + Pass.stageRuns), this.job.get(pass + Pass.stageRunCount)
    );
  }

  private get misses(): number { return this.job.get(this.job.own(ExecutorRecord.pool) + WarpPool.misses); }
}
