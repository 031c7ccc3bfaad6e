// Device memory in which passes are rendered: the JOB record, what each worker has of its own, and the arena that they
// share.
import { JOB_FLAG_LAST, JOB_FLAG_SERIAL, SLAB_PARTS } from '../../assembly/layout/job-codes';
import { MAX_VARYINGS, REGISTER_BYTES } from '../../assembly/layout/limits';
import {
  Bin, BinBlock, ExecutorRecord, Geometry, GeometryTask, Job, Pass, Segment, Statistics, Triangle, Warp, WarpPool,
} from '../../build/layout';
import type { KernelExports } from '../kernels';
import { OutOfMemoryError, type Allocator } from '../memory';
import { MOST_SEGMENTS, MOST_TASKS } from './geometry-plan';
import type { PassRecord } from './pass-record';
import type { Registers } from './pipeline';
import { privateRangeBytes } from './vertex-memory';

/** A triangle with all varyings: value and two slopes of each. */
const LARGEST_TRIANGLE = Triangle.planes + MAX_VARYINGS * 12;
const SLAB_BYTES = 256 << 10;
/** Room for tasks that are not the oldest, beyond what the chunk has. */
const AHEAD_BYTES = 8 << 20;
/** Part of the arena that a task which is not the oldest may take. */
const SHARE = 16;
/** Warps of a worker's pool: the one that is run. No program waits for anything, so none is put aside. */
const POOL_WARPS = 1;
const aligned = (bytes: number): number => (bytes + 63) & ~63;

/** Scratch that outlives passes and grows as they need it; its contents are not kept. */
class Piece {
  address = 0;
  bytes = 0;
  constructor(private readonly allocator: Allocator, private readonly what: string) {}

  /** Throws OutOfMemoryError; then there is none. */
  atLeast(bytes: number): number {
    if (bytes > this.bytes) {
      this.release();
      this.address = this.allocator.allocate(bytes, this.what);
      this.bytes = bytes;
    }
    return this.address;
  }

  release(): boolean {
    if (this.bytes === 0) return false;
    this.allocator.free(this.address);
    this.address = this.bytes = 0;
    return true;
  }
}

export interface WorkspaceParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly exports: KernelExports;
  /** Workers, at least 1. */
  readonly threads: number;
  /** Bytes of triangles after which a chunk ends. */
  readonly arenaBytes: number;
  readonly timeoutMs: number;
  /** For tests: which warps are put aside; null: those that have to. */
  readonly overtaking: Overtaking | null;
  /** Tiles that a worker has in work at a time, at least 1. */
  readonly tileContexts: number;
}

/**
 * The testing build puts every so many of a worker's warps aside, until so many others have been handed over; `warps`:
 * that its pool has.
 */
export interface Overtaking { readonly every: number; readonly during: number; readonly warps: number }

export class Workspace {
  /** Address of the JOB record. */
  readonly job: number;
  readonly tasks: number;
  readonly segments: number;
  /** A pass is under way: what it uses is not given back. */
  busy = false;
  private readonly records: number;
  private readonly executors: number;
  private readonly lists: number;
  private readonly scratch: Piece;
  private readonly registers: Piece;
  private readonly warps: Piece;
  private readonly contexts: Piece;
  private readonly arena: Piece;
  private readonly privateRanges: Piece;
  private readonly pool: Piece;
  private readonly loadStore: Piece;
  private readonly stageInputs: Piece;
  private loadStoreUnits: readonly number[] = [];
  private passes = 0;
  private slabs = 0;

  constructor(private readonly parts: WorkspaceParts) {
    const { allocator, exports, threads } = parts;
    const piece = (what: string): Piece => new Piece(allocator, what);
    [
      this.scratch, this.registers, this.warps, this.contexts, this.arena, this.privateRanges, this.pool,
      this.loadStore, this.stageInputs,
    ] = [
      'uniform scratch', 'register files', 'warps', 'tile contexts', 'triangle arena', 'vertices of index ranges',
      'vertices of long index ranges', 'load/store units', 'inputs of stages that emit',
    ].map(piece) as [Piece, Piece, Piece, Piece, Piece, Piece, Piece, Piece, Piece];
    this.job = allocator.allocate(Job.bytes, 'job');
    this.executors = allocator.allocate(threads * ExecutorRecord.bytes, 'workers');
    this.records = allocator.allocate(threads * RECORD_BYTES, 'pass state');
    this.tasks = allocator.allocate(MOST_TASKS * GeometryTask.bytes, 'tasks of geometry');
    this.segments = allocator.allocate(MOST_SEGMENTS * Segment.bytes, 'parts of draws');
    this.lists = allocator.allocate(MOST_TASKS * 4, 'lists');
    const geometryBytes = aligned(exports.geometryBytes());
    const geometry = allocator.allocate(threads * geometryBytes, 'geometry state');
    const u32 = this.words();
    for (let index = 0; index < threads; index++) {
      const record = this.records + index * RECORD_BYTES, own = geometry + index * geometryBytes;
      const put = (field: number, value: number): void => {
        u32[(this.executors + index * ExecutorRecord.bytes + field) >>> 2] = value;
      };
      put(ExecutorRecord.pass, record + PASS_AT);
      put(ExecutorRecord.arena, record + ARENA_AT);
      put(ExecutorRecord.taskStatistics, record + TASK_STATISTICS_AT);
      put(ExecutorRecord.statistics, record + STATISTICS_AT);
      put(ExecutorRecord.geometry, own);
      u32[(own + Geometry.worker) >>> 2] = index;
    }
    this.put(Job.executors, this.executors);
    this.put(Job.tasks, this.tasks);
    this.put(Job.lists, this.lists);
    this.put(Job.timeoutMs, parts.timeoutMs);
  }

  get threads(): number { return this.parts.threads; }

  /** Where modules are listed that workers take up before a job. */
  set directory(address: number) { this.put(Job.directory, address); }

  /** Address of scratch that holds a WARP record and `registers` registers. */
  uniformScratch(registers: number): number { return this.scratch.atLeast(Warp.bytes + registers * REGISTER_BYTES); }

  /** Scratch of `bytes` for looking at indices; 0 where memory is short. */
  indexScratch(bytes: number): number {
    return this.provide(this.privateRanges, bytes) ? this.privateRanges.address : 0;
  }

  /**
   * Memory for ranges of up to so many varyings (scalars) in each worker's own memory; without it vertices are shaded
   * in batches.
   */
  provideRanges(varyings: number): void {
    const bytes = privateRangeBytes(varyings), there = this.provide(this.privateRanges, bytes * this.threads);
    const u32 = this.words();
    for (let index = 0; index < this.threads; index++) {
      const geometry = this.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.range) >>> 2] = there ? this.privateRanges.address + index * bytes : 0;
      u32[(geometry + Geometry.rangeBytes) >>> 2] = there ? bytes : 0;
    }
  }

  /** Memory for ranges that all workers share; null where it is short. */
  providePool(bytes: number): { readonly address: number; readonly bytes: number } | null {
    return this.provide(this.pool, bytes) ? this.pool : null;
  }

  /** Gives back what only saves time, if no pass needs it now; whether there was any. */
  release(): boolean {
    if (this.busy) return false;
    const some = this.privateRanges.release();
    return this.pool.release() || some;
  }

  /**
   * Readies all workers for a pass whose programs have files of so many registers, and of whose tables the stages that
   * emit have inputs of so many bytes. Throws OutOfMemoryError.
   */
  beginPass(pass: PassRecord, registers: Registers, inputBytes: number): void {
    const { memory, exports, threads, tileContexts, overtaking } = this.parts;
    // Vertices and pixels each have files of their own: they keep their constants bound while the others run.
    const fileBytes = registers.vertices * REGISTER_BYTES;
    const warpBytes = aligned(Warp.bytes) + registers.pixels * REGISTER_BYTES;
    const warps = overtaking?.warps ?? POOL_WARPS, poolBytes = WarpPool.warps + warps * warpBytes;
    const files = this.registers.atLeast(threads * fileBytes), pools = this.warps.atLeast(threads * poolBytes);
    const inputs = inputBytes > 0 ? this.stageInputs.atLeast(threads * aligned(inputBytes)) : 0;
    const contextBytes = aligned(exports.tileContextBytes(pass.address));
    const contexts = this.contexts.atLeast(threads * tileContexts * contextBytes);
    this.sizeArena(pass.tiles);
    this.loadStoreUnits = this.makeLoadStoreUnits(pass.pixelBytes);
    const u32 = this.words();
    for (let index = 0; index < threads; index++) {
      const executor = (this.executors + index * ExecutorRecord.bytes) >>> 2;
      const own = this.own(index, ExecutorRecord.pass);
      new Uint8Array(memory.buffer).copyWithin(own, pass.address, pass.address + Pass.bytes);
      u32[(own + Pass.arena) >>> 2] = this.own(index, ExecutorRecord.arena);
      u32[(own + Pass.loadStoreUnit) >>> 2] = this.loadStoreUnits[index] ?? 0;
      u32[executor + (ExecutorRecord.contexts >>> 2)] = contexts + index * tileContexts * contextBytes;
      u32[executor + (ExecutorRecord.contextCount >>> 2)] = tileContexts;
      u32[executor + (ExecutorRecord.contextBytes >>> 2)] = contextBytes;
      u32[executor + (ExecutorRecord.pool >>> 2)] = pools + index * poolBytes;
      this.writePool(pools + index * poolBytes, warps, warpBytes);
      const geometry = this.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.registers) >>> 2] = files + index * fileBytes;
      u32[(geometry + Geometry.stageInputs) >>> 2] = inputs && inputs + index * aligned(inputBytes);
    }
    this.passes = (this.passes + 1) >>> 0 || 1;
    this.put(Job.pass, this.passes);
    this.put(Job.tiles, pass.tiles);
  }

  private writePool(pool: number, warps: number, warpBytes: number): void {
    const { overtaking } = this.parts, u32 = this.words().fill(0, pool >>> 2, (pool + WarpPool.warps) >>> 2);
    u32[(pool + WarpPool.count) >>> 2] = warps;
    u32[(pool + WarpPool.warpBytes) >>> 2] = warpBytes;
    u32[(pool + WarpPool.every) >>> 2] = overtaking?.every ?? 0;
    u32[(pool + WarpPool.during) >>> 2] = overtaking?.during ?? 0;
  }

  /** Load/store units of the pass, one a worker; none where no program accesses surfaces. */
  get loadStoreUnitRecords(): readonly number[] { return this.loadStoreUnits; }

  private makeLoadStoreUnits(pixelBytes: number): readonly number[] {
    if (pixelBytes === 0) return [];
    const { exports, threads } = this.parts;
    const bytes = aligned(exports.unitBytes(pixelBytes)), first = this.loadStore.atLeast(threads * bytes);
    const records = Array.from({ length: threads }, (_, index) => first + index * bytes);
    for (const record of records) exports.unitInit(record, pixelBytes);
    return records;
  }

  /** Writes the JOB record for `tasks` tasks; `last`: no geometry follows. */
  beginChunk(tasks: number, last: boolean, serial: boolean): void {
    this.put(Job.taskCount, tasks);
    this.put(Job.flags, (last ? JOB_FLAG_LAST : 0) | (serial ? JOB_FLAG_SERIAL : 0));
    for (const field of [Job.nextTask, Job.nextTile, Job.status, Job.stop, Job.stopSegment, Job.end])
      this.put(field, 0);
    this.put(Job.slab, this.slabs);
  }

  /** A field of the JOB record. */
  of(field: number): number { return this.words()[(this.job + field) >>> 2]!; }

  /** STATISTICS records of all workers: those of geometry, then those of tiles. */
  get statistics(): number[] {
    return [
      ExecutorRecord.taskStatistics, ExecutorRecord.statistics,
    ].flatMap((field) => Array.from({ length: this.threads }, (_, index) => this.own(index, field)));
  }

  /** Takes the counters that the chunk has added up, and empties them: `add` gets the words of one record at a time. */
  collect(add: (counters: Uint32Array) => void): void {
    const words = Statistics.flags / 4, { buffer } = this.parts.memory;
    for (let task = 0, end = this.of(Job.end); task < end; task++)
      add(new Uint32Array(buffer, this.tasks + task * GeometryTask.bytes + GeometryTask.counters, words));
    for (let index = 0; index < this.threads; index++) {
      const counters = new Uint32Array(buffer, this.own(index, ExecutorRecord.statistics), words);
      add(counters);
      counters.fill(0);
    }
  }

  private sizeArena(tiles: number): void {
    const { arenaBytes, threads } = this.parts;
    const bins = tiles * Bin.bytes + 16, triangle = LARGEST_TRIANGLE + tiles * BinBlock.bytes;
    const slab = aligned(Math.max(SLAB_PARTS * Math.max(bins, triangle), Math.min(SLAB_BYTES, arenaBytes / SHARE)));
    const share = Math.max(bins + triangle, Math.floor(arenaBytes / SHARE)), hard = arenaBytes + share;
    const ahead = threads > 1 ? Math.min(arenaBytes, AHEAD_BYTES) : 0;
    const all = Math.ceil((((hard * SLAB_PARTS) / (SLAB_PARTS - 1)) + ahead) / slab) + 2 * threads;
    this.slabs = this.arena.atLeast(all * slab);
    this.put(Job.slabBytes, slab);
    this.put(Job.slabsEnd, this.slabs + all * slab);
    this.put(Job.softBytes, arenaBytes);
    this.put(Job.hardBytes, hard);
    this.put(Job.shareBytes, share);
  }

  private provide(piece: Piece, bytes: number): boolean {
    try {
      piece.atLeast(bytes);
      return true;
    } catch (error) {
      // Geometry goes on in batches, which need no memory of their own.
      if (!(error instanceof OutOfMemoryError)) throw error;
      return false;
    }
  }

  private own(index: number, field: number): number {
    return this.words()[(this.executors + index * ExecutorRecord.bytes + field) >>> 2]!;
  }
  private put(field: number, value: number): void { this.words()[(this.job + field) >>> 2] = value; }
  private words(): Uint32Array { return new Uint32Array(this.parts.memory.buffer); }
}

/** What a worker writes all the time lies on cache lines of its own. */
const PASS_AT = 0;
const ARENA_AT = aligned(Pass.bytes);
const TASK_STATISTICS_AT = ARENA_AT + 64;
const STATISTICS_AT = TASK_STATISTICS_AT + aligned(Statistics.bytes);
const RECORD_BYTES = STATISTICS_AT + aligned(Statistics.bytes) + 64;
