// A worker's tiles in a pass that reads streamed textures (layout/texture/texture-stream.ts). The worker runs one tile
// at a time. Tiles whose warps wait for pages stay parked in their own tile contexts. They resume when the main thread
// says so, in this job or in a later one, on any worker.
import { JOB_FLAG_READY_TILES } from '../../assembly/layout/job/job-codes';
import { TILE_SIZE } from '../../assembly/layout/limits';
import {
  MAX_SLOTS,
  WORK_BEGINS,
  WORK_ENDS,
  WORK_FAILS,
  WORK_IS_UNDONE,
  WORK_NEW,
  WORK_PARKS,
  WORK_READY,
} from '../../assembly/layout/late/work-codes';
import { TILE_FLAG_PARKS } from '../../assembly/layout/pass/pass-codes';
import { ExecutorRecord, Job, LateWork, Misses, Pass, Statistics, Tile, WarpPool } from '../../build/layout';
import { WORD } from '../base/bits';
import type { JobView } from '../schedule/job-view';
import { endOfRun, WorkStates } from './states';

/** The box of a whole tile in the format of LateWork.part, where a whole tile is stored as 0. */
const WHOLE = (TILE_SIZE << 16) | (TILE_SIZE << 24);

/** The misses of a run that has missed nothing. */
const NONE = new Int32Array(0);

/** Fields of a LATE WORK, and the fields of the tile's context that they are copied from. */
const REPORTED = [
  [LateWork.entryCount, Tile.entryCount],
  [LateWork.byQuads, Tile.byQuads],
  [LateWork.warpsCompleted, Tile.warpsCompleted],
] as const;

/** A tile that the worker has parked in this job, and the time since when it is known to be ready (null: it is not). */
interface ParkedTile {
  readonly tile: number;
  since: number | null;
}

export class TileRuns {
  /** The current tile, -1 for none; its context; additional flags for tileRun. */
  tile = -1;
  context = 0;
  flags = 0;
  /** Whether another part of the tile follows this run, so that nothing is resolved yet. */
  hasMore = false;
  /** LateWork.context of a resumed tile; otherwise the value that it gets if the tile is parked. */
  private code = 0;
  private isResumed = false;
  private kept: ParkedTile[] = [];
  private states: WorkStates;
  /** JOB_FLAG_PREFETCH: the time since when each tile is known to be ready. */
  private readonly ready = new Map<number, number>();
  /** Copies of the counters before the current tile, which may have to be replayed. */
  private readonly before = new Uint32Array(Statistics.bytes / WORD);
  private runsBefore = new Uint32Array(0);
  private countersView = new Uint32Array(0);
  private stageRunsView = new Uint32Array(0);
  /** Copy of the tile's invocation counts, if the pass counts invocations (Pass.counts). */
  private readonly countsBefore = new Uint32Array(TILE_SIZE * TILE_SIZE);

  /** `late` is called when a tile starts to wait for pages, once until the main thread has looked. */
  constructor(
    private readonly job: JobView,
    private readonly late: () => void
  ) {
    this.states = new WorkStates(job.memory, 0);
  }

  get isUnderWay(): boolean {
    return this.tile >= 0;
  }

  /** Whether the current tile has read a non-resident page. */
  get hasMissed(): boolean {
    const { misses } = this;
    return misses !== 0 && this.job.get(misses + Misses.waits) !== 0;
  }

  /** Prepares for a new job. */
  begin(): void {
    this.tile = -1;
    this.kept = [];
    this.ready.clear();
    this.countersView = new Uint32Array(0);
    this.stageRunsView = new Uint32Array(0);
    this.states = new WorkStates(this.job.memory, this.job.of(Job.late));
  }

  /**
   * Takes the next tile. It prefers a tile that no worker has begun (`claim` returns its number), so that its missing
   * pages are requested early. It resumes a parked tile if that one is overdue, or if no new tile is left. Returns
   * false if there is neither.
   */
  take(claim: () => number): boolean {
    const { job } = this;
    const tiles = job.of(Job.tiles);
    const again = (job.of(Job.flags) & JOB_FLAG_READY_TILES) !== 0;
    if (this.takeParkedTile(job.of(Job.overdueMs))) {
      if (job.of(Job.nextTile) < tiles) this.count(Statistics.tilesOverdue);
      return true;
    }
    // With one free context, a new tile could not be parked, and would run for its misses alone. Resuming a tile first
    // makes room.
    if (this.hasOneFree && this.takeParkedTile(0)) return true;
    // Without a free context, the worker leaves new tiles to other workers or to a later job.
    if (!again && !this.hasRoom) return this.takeParkedTile(0);
    for (let tile = claim(); tile < tiles; tile = claim()) {
      if (!this.hasRoom && this.states.get(tile, LateWork.context) === 0) continue;
      if (this.states.of(tile) === (again ? WORK_READY : WORK_NEW) && this.start(tile)) return true;
    }
    return this.takeParkedTile(0);
  }

  /**
   * JOB_FLAG_PREFETCH: takes a tile that has been ready for at least `forMs` milliseconds. Returns false if there is
   * none.
   */
  takeReady(forMs: number): boolean {
    const now = performance.now();
    for (let tile = 0, tiles = this.job.of(Job.tiles); tile < tiles; tile++) {
      if (!this.isReady(tile)) {
        this.ready.delete(tile);
        continue;
      }
      const since = this.ready.get(tile) ?? now;
      this.ready.set(tile, since);
      if (now - since < forMs || !this.start(tile)) continue;
      this.ready.delete(tile);
      if (forMs > 0) this.count(Statistics.tilesOverdue);
      return true;
    }
    return false;
  }

  /** Whether a tile is ready that no worker has taken. */
  get hasReady(): boolean {
    for (let tile = 0, tiles = this.job.of(Job.tiles); tile < tiles; tile++) if (this.isReady(tile)) return true;
    return false;
  }

  /**
   * Whether a new tile may begin. A tile that cannot be replayed from its beginning needs a context to be parked in.
   */
  private get hasRoom(): boolean {
    return !this.keepsProgress || this.free !== 0;
  }
  private get keepsProgress(): boolean {
    return this.job.get(this.misses + Misses.keepsProgress) !== 0;
  }

  /** The worker's contexts that hold no parked tile: bit i is set for context i. */
  private get free(): number {
    const { job } = this;
    return ~job.own(ExecutorRecord.kept) & (0xffffffff >>> (32 - job.own(ExecutorRecord.contextCount)));
  }
  private get hasOneFree(): boolean {
    const { free } = this;
    return (free & (free - 1)) === 0;
  }

  /** A tileRun call has ended with a status other than STATUS_YIELD. Returns false if the pass has failed. */
  end(status: number): boolean {
    const { tile, code, isResumed, states } = this;
    const event = endOfRun(status);
    this.tile = -1;
    if (event === WORK_FAILS) {
      states.happen(tile, event);
      return false;
    }
    if (event === WORK_PARKS) {
      if (!isResumed) this.mark(code, true);
      states.put(tile, LateWork.context, code);
      if (!this.kept.some((other) => other.tile === tile)) this.kept.push({ tile, since: null });
    } else if (isResumed) {
      states.put(tile, LateWork.context, 0);
      this.mark(code, false);
    }
    if (event === WORK_IS_UNDONE) this.restoreCounters(tile);
    this.report(tile, event);
    return true;
  }

  /**
   * Resumes the parked tile that was parked first, because it has waited longest and has made the least progress.
   * Tried: the reverse order is no faster for chains of four reads, 555 and 812 ms against 613 and 787.
   */
  private takeParkedTile(overdueMs: number): boolean {
    if (this.kept.length === 0) return false;
    const now = performance.now();
    for (const other of this.kept) {
      if (!this.isReady(other.tile)) continue;
      other.since ??= now;
      if (now - other.since < overdueMs || !this.start(other.tile)) continue;
      this.kept = this.kept.filter((each) => each !== other);
      return true;
    }
    return false;
  }

  private isReady(tile: number): boolean {
    return this.states.of(tile) === WORK_READY;
  }

  /** Claims a tile that is new or ready. Returns false if another worker has claimed it. */
  private start(tile: number): boolean {
    if (!this.states.happen(tile, WORK_BEGINS)) return false;
    const held = this.states.get(tile, LateWork.context);
    this.tile = tile;
    this.isResumed = held !== 0;
    this.flags = 0;
    this.code = held;
    if (held === 0) this.takeContext();
    this.attachWorker();
    this.putPart(tile);
    const { misses } = this;
    this.job.put(misses + Misses.waits, 0);
    this.job.put(misses + Misses.awaited, 0);
    this.job.put(misses + Misses.count, 0);
    this.before.set(this.counters);
    this.runsBefore = this.stageRuns.slice();
    this.eachCountRow(tile, (row, at) => this.countsBefore.set(row, at));
    return true;
  }

  /**
   * Attaches this worker's pass, warp pool and load/store unit to the context, which may have been used by another
   * worker.
   */
  private attachWorker(): void {
    const pass = this.job.own(ExecutorRecord.pass);
    this.context = this.contextOf(this.code);
    this.job.put(this.context + Tile.pass, pass);
    this.job.put(this.context + Tile.pool, this.job.own(ExecutorRecord.pool));
    this.job.put(this.context + Tile.loadStoreUnit, this.job.get(pass + Pass.loadStoreUnit));
  }

  /** Tells the context which part of the tile to run, and how its warps are resumed. */
  private putPart(tile: number): void {
    const { job, context, states } = this;
    const part = states.get(tile, LateWork.part);
    const isPart = part !== 0;
    this.hasMore = isPart && states.get(tile, LateWork.hasMore) !== 0;
    // Parts are never parked: they run to their end, or are replayed.
    if (isPart) this.flags = 0;
    const box = isPart ? part : WHOLE;
    job.put(context + Tile.partX0, box & 0xff);
    job.put(context + Tile.partY0, (box >>> 8) & 0xff);
    job.put(context + Tile.partX1, (box >>> 16) & 0xff);
    job.put(context + Tile.partY1, box >>> 24);
    job.put(context + Tile.isPart, isPart ? 1 : 0);
    job.put(context + Tile.partFirst, states.get(tile, LateWork.first));
    job.put(context + Tile.partEnd, states.get(tile, LateWork.end));
    job.put(context + Tile.maxResumedEntries, states.get(tile, LateWork.maxResumedEntries));
    job.put(context + Tile.warpsCompleted, 0);
  }

  /**
   * Address of a free context in which the worker can join another worker's tile. Only for passes whose tiles can be
   * replayed.
   */
  attachFreeContext(): number {
    this.code = this.codeOf(this.free);
    this.attachWorker();
    return this.context;
  }

  /** The code of the first free context. */
  private codeOf(free: number): number {
    return 1 + (31 - Math.clz32(free & -free)) + MAX_SLOTS * this.job.index;
  }

  /** Takes a free context. A tile that can be replayed may only be parked if another context remains free. */
  private takeContext(): void {
    const { free, misses } = this;
    this.code = this.codeOf(free);
    if (this.keepsProgress || (!this.hasOneFree && this.job.get(misses + Misses.isDryRun) === 0))
      this.flags = TILE_FLAG_PARKS;
  }

  /** Restores the counters, because the tile will be replayed. */
  private restoreCounters(tile: number): void {
    this.counters.set(this.before);
    this.stageRuns.set(this.runsBefore);
    this.eachCountRow(tile, (row, at) => row.set(this.countsBefore.subarray(at, at + row.length)));
  }

  /** Reports the tile's misses and the end of its run to the main thread. */
  private report(tile: number, event: number): void {
    const { job, misses, states, context } = this;
    for (const [to, from] of REPORTED) states.put(tile, to, job.get(context + from));
    // A dry run may only have used smaller levels.
    const isFound = event === WORK_IS_UNDONE && job.get(misses + Misses.waits) === 0;
    const first = (misses + Misses.entries) >>> 2;
    const count = isFound ? 0 : job.get(misses + Misses.count);
    states.report(tile, event, count === 0 ? NONE : job.words.subarray(first, first + count));
    if (event === WORK_ENDS && count === 0) return;
    if (Atomics.exchange(job.words, (job.address + Job.hasNewMisses) >>> 2, 1) === 0) this.late();
  }

  /** Address of the context that a LateWork.context value names. */
  private contextOf(code: number): number {
    const record = this.ownerOf(code);
    return (
      this.job.get(record + ExecutorRecord.contexts)
      + ((code - 1) % MAX_SLOTS) * this.job.get(record + ExecutorRecord.contextBytes)
    );
  }

  private mark(code: number, isKept: boolean): void {
    const at = (this.ownerOf(code) + ExecutorRecord.kept) >>> 2;
    const bit = 1 << ((code - 1) % MAX_SLOTS);
    if (isKept) Atomics.or(this.job.words, at, bit);
    else Atomics.and(this.job.words, at, ~bit);
  }

  private ownerOf(code: number): number {
    return this.job.recordOf(Math.floor((code - 1) / MAX_SLOTS));
  }

  /**
   * Visits the rows of the tile's invocation counts and the offsets of their copies. Visits none if the pass counts
   * none.
   */
  private eachCountRow(tile: number, row: (counts: Uint32Array, at: number) => void): void {
    const { job } = this;
    const pass = job.own(ExecutorRecord.pass);
    const counts = job.get(pass + Pass.counts);
    if (counts === 0) return;
    const tilesX = job.get(pass + Pass.tilesX);
    const rowBytes = job.get(pass + Pass.countsRowBytes);
    const x = (tile % tilesX) * TILE_SIZE;
    const y = Math.floor(tile / tilesX) * TILE_SIZE;
    const width = Math.min(TILE_SIZE, job.get(pass + Pass.width) - x);
    const bottom = Math.min(y + TILE_SIZE, job.get(pass + Pass.height));
    for (let at = y; at < bottom; at++)
      row(new Uint32Array(job.memory.buffer, counts + at * rowBytes + x * WORD, width), (at - y) * TILE_SIZE);
  }

  /** The worker's counters, and the warp counts of the pass's pixel stages. Views lose their length if memory grows. */
  private get counters(): Uint32Array {
    if (this.countersView.length === 0) {
      const at = this.job.own(ExecutorRecord.statistics);
      this.countersView = new Uint32Array(this.job.memory.buffer, at, this.before.length);
    }
    return this.countersView;
  }
  private get stageRuns(): Uint32Array {
    const pass = this.job.own(ExecutorRecord.pass);
    const count = this.job.get(pass + Pass.stageRunCount);
    if (this.stageRunsView.length !== count)
      this.stageRunsView = new Uint32Array(this.job.memory.buffer, this.job.get(pass + Pass.stageRuns), count);
    return this.stageRunsView;
  }

  private count(counter: number): void {
    const at = this.job.own(ExecutorRecord.statistics) + counter;
    this.job.put(at, this.job.get(at) + 1);
  }

  private get misses(): number {
    return this.job.get(this.job.own(ExecutorRecord.pool) + WarpPool.misses);
  }
}
