// Device memory in which passes run: the JOB record, each worker's own records, and the shared arena.
import {
  JOB_FLAG_READY_TILES,
  JOB_FLAG_PREFETCH,
  JOB_FLAG_COMPUTE,
  JOB_FLAG_LAST,
  JOB_FLAG_ALWAYS_SHARES,
  JOB_FLAG_SERIAL,
  JOB_FLAG_SHARES,
  JOB_FLAG_VERTICES_FIRST,
} from '../../../assembly/layout/job/job-codes';
import { MAX_MISSES } from '../../../assembly/layout/late/work-codes';
import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { POOL_WARPS } from '../../../assembly/layout/warp/warp-codes';
import {
  ExecutorRecord,
  Geometry,
  GeometryTask,
  Job,
  Misses,
  ParkedWarps,
  Pass,
  Share,
  Statistics,
  Warp,
  WarpPool,
} from '../../../build/layout';
import { OutOfMemoryError } from '../../memory';
import { fitArena, maxInputWorkers, type ArenaSizes, type PassMemory, type WorkerStatistics } from '../budgets';
import { ChunkMemory } from './chunk-memory';
import type { CommandMemory } from '../memory/command-memory';
import type { PassRecord } from './pass-record';
import { ScratchBuffer } from '../memory/scratch-buffer';
import type { Registers } from '../pipeline/pipeline';
import { privateRangeBytes } from '../memory/vertex-memory';
import { Words } from '../memory/words';
import { FULL_WARP_BYTES, minParkedBytes, WorkerRecords } from './worker-records';
import { WorkerRoles } from './worker-roles';
import type { ChunkKind, StreamedRecords, WorkspaceParts } from './workspace-types';

const aligned = (bytes: number): number => (bytes + 63) & ~63;
/**
 * Fraction of the free memory that may always be used to save time, even if pages of streamed textures may still need
 * it.
 */
const LEAST_SPARE = 1 / 8;

export class Workspace {
  /** Address of the JOB record. */
  readonly job: number;
  /** The chunk whose tiles run; the next chunk, if its geometry runs meanwhile. */
  chunk: ChunkMemory;
  nextChunk: ChunkMemory;
  /** Whether a pass is running. Its memory is then not released. */
  busy = false;
  /** The records of each worker. */
  readonly workers: WorkerRecords;
  private readonly roles: WorkerRoles;
  private readonly scratch: ScratchBuffer;
  private readonly registers: ScratchBuffer;
  private readonly warps: ScratchBuffer;
  private readonly contexts: ScratchBuffer;
  private readonly privateRanges: ScratchBuffer;
  private readonly pool: ScratchBuffer;
  private readonly loadStore: ScratchBuffer;
  private readonly stageInputs: ScratchBuffer;
  private loadStoreUnits: readonly number[] = [];
  private stageRuns = { address: 0, words: 0 };
  /** Work of each worker, in jobs that workers ran: geometry tasks, and tiles with something to draw. */
  private readonly done: { tasks: number; tiles: number }[];
  private passes = 0;
  /** Bytes of the current pass's arena. */
  private arenaBytes = 0;
  /** Minimum bytes of tile contexts for the last pass. */
  private minContextBytes = 0;
  private readonly memory: Words;

  constructor(private readonly parts: WorkspaceParts) {
    this.memory = new Words(parts.memory);
    const { allocator, kinds } = parts;
    const threads = kinds.length;
    this.done = kinds.map(() => ({ tasks: 0, tiles: 0 }));
    this.scratch = new ScratchBuffer(allocator, 'uniform scratch');
    this.registers = new ScratchBuffer(allocator, 'register files');
    this.warps = new ScratchBuffer(allocator, 'warps');
    this.contexts = new ScratchBuffer(allocator, 'tile contexts');
    this.privateRanges = new ScratchBuffer(allocator, 'vertices of index ranges');
    this.pool = new ScratchBuffer(allocator, 'vertices of long index ranges');
    this.loadStore = new ScratchBuffer(allocator, 'load/store units');
    this.stageInputs = new ScratchBuffer(allocator, 'inputs of stages that emit');
    this.chunk = new ChunkMemory(allocator);
    this.nextChunk = new ChunkMemory(allocator);
    this.job = allocator.allocate(Job.bytes, 'job');
    this.workers = new WorkerRecords(parts, this.memory);
    this.roles = new WorkerRoles(kinds, this.workers, this.memory);
    this.put(Job.executors, this.workers.executors);
    this.put(Job.timeoutMs, parts.timeoutMs);
    this.put(Job.overdueMs, parts.scheduler.timeoutMs);
    this.put(Job.maxVertexWorkers, parts.scheduler.budgets.vertex);
    this.put(Job.maxPixelWorkers, parts.scheduler.budgets.pixel);
    if (!this.sharesTiles) return;
    this.put(Job.shares, allocator.allocate(threads * Share.bytes, 'tiles with several workers'));
    this.put(Job.shareCount, threads);
    this.words().fill(0, this.of(Job.shares) >>> 2, (this.of(Job.shares) + threads * Share.bytes) >>> 2);
  }

  get threads(): number {
    return this.parts.kinds.length;
  }

  /** Whether several workers may share a tile. */
  get sharesTiles(): boolean {
    return this.parts.sharesTiles && this.threads > 1;
  }

  /** Bytes held for passes, by budget. */
  get held(): Omit<PassMemory, 'decodedBytes'> {
    return {
      arenaBytes: this.chunk.arenaBytes + this.nextChunk.arenaBytes,
      stageInputBytes: this.stageInputs.bytes,
      vertexBytes: this.privateRanges.bytes + this.pool.bytes,
    };
  }

  /** The work that each worker has done. */
  get work(): readonly WorkerStatistics[] {
    return this.parts.kinds.map((kind, index) => ({ kind, ...this.done[index]! }));
  }

  /** Sets the address of the module directory, which workers read before each job. */
  set directory(address: number) {
    this.put(Job.directory, address);
  }

  /**
   * Address of scratch memory for a WARP record and `registers` registers, with which the calling thread runs
   * prologues. Each worker gets such memory, too.
   */
  uniformScratch(registers: number): number {
    const bytes = aligned(Warp.bytes + registers * REGISTER_BYTES);
    const first = this.scratch.reserve((this.threads + 1) * bytes);
    const u32 = this.words();
    for (let index = 0; index < this.threads; index++) {
      const geometry = this.workers.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.prologueScratch) >>> 2] = first + (index + 1) * bytes;
    }
    return first;
  }

  /** Address of scratch memory of `bytes` for analysing indices; 0 if memory or the budget is short. */
  indexScratch(bytes: number): number {
    return this.providePrivate(bytes) ? this.privateRanges.address : 0;
  }

  /** Provides memory for the workers' private ranges within the budget. Releases the shared pool if necessary. */
  private providePrivate(bytes: number): boolean {
    const { vertexBytes } = this.parts.budgets;
    if (vertexBytes !== null) {
      if (bytes > vertexBytes) return false;
      if (bytes + this.pool.bytes > vertexBytes) this.pool.release();
    }
    return this.provide(this.privateRanges, bytes);
  }

  /**
   * Provides memory for ranges of vertices with up to `varyings` scalars, separately for each worker. Without it,
   * vertices are shaded in batches.
   */
  provideRanges(varyings: number): void {
    const bytes = privateRangeBytes(varyings);
    const there = this.providePrivate(bytes * this.threads);
    const u32 = this.words();
    for (let index = 0; index < this.threads; index++) {
      const geometry = this.workers.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.range) >>> 2] = there ? this.privateRanges.address + index * bytes : 0;
      u32[(geometry + Geometry.rangeBytes) >>> 2] = there ? bytes : 0;
    }
  }

  /** Maximum bytes for shared ranges, once workers have their private memory. */
  get maxPoolBytes(): number {
    const { vertexBytes } = this.parts.budgets;
    return vertexBytes === null ? Infinity : vertexBytes - this.privateRanges.bytes;
  }

  /** Provides memory for shared ranges; null if memory is short. */
  providePool(bytes: number): { readonly address: number; readonly bytes: number } | null {
    return this.provide(this.pool, bytes) ? this.pool : null;
  }

  /** Releases memory that only saves time, unless a pass is running. Returns whether there was any. */
  release(): boolean {
    if (this.busy) return false;
    const some = this.privateRanges.release();
    const others = this.pool.release();
    const { minContextBytes } = this;
    const slots = this.contexts.bytes > minContextBytes && this.contexts.release();
    if (slots) this.contexts.reserve(minContextBytes);
    return this.nextChunk.release() || some || others || slots;
  }

  /**
   * Prepares all workers for a pass whose shaders need register files of these sizes, and whose emitting stages need
   * `inputBytes` for their inputs. `late`: records for misses of streamed textures; null if it reads none. Throws
   * OutOfMemoryError.
   */
  beginPass(pass: PassRecord, registers: Registers, inputBytes: number, late: StreamedRecords | null): void {
    const { memory, exports, forcedParking, scheduler } = this.parts;
    const { threads } = this;
    // Vertices and pixels have separate register files, so that each keeps its constants bound while the other runs.
    const fileBytes = registers.vertices * REGISTER_BYTES;
    const warpBytes = aligned(Warp.bytes) + registers.pixels * REGISTER_BYTES;
    const poolBytes = WarpPool.warps + POOL_WARPS * warpBytes;
    const parks = forcedParking ? forcedParking.warps : late && this.parks ? scheduler.warps : 0;
    const kept = late?.kept ?? null;
    const least = minParkedBytes(kept);
    const parkedBytes = parks && ParkedWarps.bytes + parks * FULL_WARP_BYTES + least;
    this.words()[(pass.address + Pass.parkedBytes) >>> 2] = parkedBytes;
    this.words()[(pass.address + Pass.parkedMinRoom) >>> 2] = least;
    const quadsInLockstep = scheduler.lockstepQuads && kept !== null;
    this.words()[(pass.address + Pass.quadsInLockstep) >>> 2] = quadsInLockstep ? 1 : 0;
    const files = this.registers.reserve(threads * fileBytes);
    const pools = this.warps.reserve(threads * poolBytes);
    const contextBytes = aligned(exports.tileContextBytes(pass.address));
    const tileContexts = this.provideContexts(contextBytes, late !== null);
    const contexts = this.contexts.address;
    const holders = this.provideHolders(pass.tiles, inputBytes);
    const bytes = aligned(inputBytes);
    this.roles.begin({ address: bytes > 0 ? this.stageInputs.reserve(holders * bytes) : 0, bytes, holders });
    this.loadStoreUnits = this.makeLoadStoreUnits(pass);
    const u32 = this.words();
    for (let index = 0; index < threads; index++) {
      const executor = this.workers.executorOf(index) >>> 2;
      const own = this.workers.own(index, ExecutorRecord.pass);
      new Uint8Array(memory.buffer).copyWithin(own, pass.address, pass.address + Pass.bytes);
      u32[(own + Pass.arena) >>> 2] = this.workers.own(index, ExecutorRecord.arena);
      u32[(own + Pass.loadStoreUnit) >>> 2] = this.loadStoreUnits[index] ?? 0;
      u32[executor + (ExecutorRecord.contexts >>> 2)] = contexts + index * tileContexts * contextBytes;
      u32[executor + (ExecutorRecord.contextCount >>> 2)] = tileContexts;
      u32[executor + (ExecutorRecord.contextBytes >>> 2)] = contextBytes;
      u32[executor + (ExecutorRecord.kept >>> 2)] = 0;
      u32[executor + (ExecutorRecord.pool >>> 2)] = pools + index * poolBytes;
      this.writePool(pools + index * poolBytes, warpBytes);
      const misses = this.workers.missesOf(index);
      u32[(misses + Misses.limit) >>> 2] = MAX_MISSES;
      u32[(misses + Misses.keepsProgress) >>> 2] = kept === null ? 0 : 1;
      u32[(pools + index * poolBytes + WarpPool.misses) >>> 2] = late ? misses : 0;
      u32[(pools + index * poolBytes + WarpPool.worker) >>> 2] = index;
      u32[(pools + index * poolBytes + WarpPool.decoded) >>> 2] = this.decodedOf(index);
      const geometry = this.workers.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.misses) >>> 2] = late?.geometry[index] ?? 0;
      u32[(geometry + Geometry.decoded) >>> 2] = this.decodedOf(index);
      u32[(geometry + Geometry.registers) >>> 2] = files + index * fileBytes;
    }
    this.passes = (this.passes + 1) >>> 0 || 1;
    this.put(Job.pass, this.passes);
    this.put(Job.tiles, pass.tiles);
    this.put(Job.late, late?.tiles ?? 0);
  }

  /** Address of a worker's BLOCK CACHE; 0 if there are none. */
  private decodedOf(index: number): number {
    const first = this.of(Job.blockCaches);
    return first && first + index * this.of(Job.blockCacheBytes);
  }

  /** Whether warps that wait for pages are parked. */
  get parks(): boolean {
    return this.parts.scheduler.slots > 1;
  }

  /**
   * Provides tile contexts for all workers, and returns their number per worker. If memory is short, fewer tiles can
   * wait.
   */
  private provideContexts(contextBytes: number, late: boolean): number {
    const { tileContexts, scheduler } = this.parts;
    const each = this.threads * contextBytes;
    this.minContextBytes = tileContexts * each;
    const room = Math.floor((this.contexts.bytes + this.spareBytes) / each);
    const slots = late ? Math.min(scheduler.slots, room) : tileContexts;
    if (slots > tileContexts && this.provide(this.contexts, slots * each)) return slots;
    this.contexts.reserve(this.minContextBytes);
    return tileContexts;
  }

  /**
   * Bytes that are neither in use nor promised, but at least a fraction (LEAST_SPARE) of the free bytes, because
   * budgets may promise more than exists.
   */
  private get spareBytes(): number {
    const {
      allocator: { uncommitted },
      promisedBytes,
    } = this.parts;
    return Math.max(uncommitted - promisedBytes(), uncommitted * LEAST_SPARE);
  }

  /** Gives each worker counters for the warps of `stages` pixel stages (Stage.counter), starting at zero. */
  countStages(commands: CommandMemory, stages: number): void {
    const { threads } = this;
    const words = aligned((stages + 1) * 4) >>> 2;
    this.stageRuns = { address: commands.take(threads * words * 4), words };
    const u32 = this.words().fill(0, this.stageRuns.address >>> 2, (this.stageRuns.address >>> 2) + threads * words);
    for (let index = 0; index < threads; index++) {
      const pass = this.workers.own(index, ExecutorRecord.pass);
      u32[(pass + Pass.stageRuns) >>> 2] = this.stageRuns.address + index * words * 4;
      u32[(pass + Pass.stageRunCount) >>> 2] = stages + 1;
    }
    if (this.sharesTiles && this.of(Job.late)) this.countJoined(commands, Statistics.flags + words * 4);
  }

  /** Gives each worker counters for what others count at its tile. */
  private countJoined(commands: CommandMemory, ownBytes: number): void {
    const { threads } = this;
    const bytes = aligned(ownBytes);
    const first = commands.take(threads * bytes);
    const u32 = this.words();
    u32.fill(0, first >>> 2, (first + threads * bytes) >>> 2);
    for (let index = 0; index < threads; index++)
      u32[(this.of(Job.shares) + index * Share.bytes + Share.counted) >>> 2] = first + index * bytes;
  }

  /** Warps of a pixel stage that each worker has run, by its Stage.counter. */
  warpsOf(counter: number): readonly number[] {
    const { address, words } = this.stageRuns;
    const u32 = this.words();
    return this.parts.kinds.map((_, index) => u32[(address >>> 2) + index * words + counter]!);
  }

  private writePool(pool: number, warpBytes: number): void {
    const { forcedParking, shuffle } = this.parts;
    const u32 = this.words().fill(0, pool >>> 2, (pool + WarpPool.warps) >>> 2);
    u32[(pool + WarpPool.warpBytes) >>> 2] = warpBytes;
    u32[(pool + WarpPool.every) >>> 2] = forcedParking?.every ?? 0;
    u32[(pool + WarpPool.seed) >>> 2] = shuffle;
    u32[(pool + WarpPool.during) >>> 2] = forcedParking?.during ?? 0;
  }

  /** Load/store units of the pass, one per worker. Empty if no shader accesses surfaces. */
  get loadStoreUnitRecords(): readonly number[] {
    return this.loadStoreUnits;
  }

  /** Provides the arena. Returns the number of workers that the budgets allow to run geometry. */
  private provideHolders(tiles: number, inputBytes: number): number {
    const { kinds, budgets, arenaBytes } = this.parts;
    const able = kinds.filter((kind) => kind !== 'pixels').length;
    const limit = maxInputWorkers(aligned(inputBytes), able, budgets.stageInputBytes);
    const arena = fitArena(tiles, arenaBytes, limit, budgets.arenaBytes);
    this.provideArena(arena);
    return arena.holders;
  }

  private makeLoadStoreUnits({ pixelBytes, cachedTiles }: PassRecord): readonly number[] {
    if (pixelBytes === 0) return [];
    const { exports } = this.parts;
    const { threads } = this;
    const bytes = aligned(exports.unitBytes(pixelBytes, cachedTiles));
    const first = this.loadStore.reserve(threads * bytes);
    const records = Array.from({ length: threads }, (_, index) => first + index * bytes);
    for (const record of records) exports.unitInit(record, pixelBytes, cachedTiles);
    return records;
  }

  /** Writes the JOB record for `tasks` tasks. */
  beginChunk(tasks: number, { last, serial, shares, isPrefetched, workers }: ChunkKind): void {
    this.roles.assign(workers);
    if (isPrefetched) [this.chunk, this.nextChunk] = [this.nextChunk, this.chunk];
    else this.beginGeometry(this.chunk, tasks);
    this.put(Job.tileLists, this.chunk.lists);
    const sharing =
      shares && this.sharesTiles ? JOB_FLAG_SHARES | (this.parts.alwaysShareTiles ? JOB_FLAG_ALWAYS_SHARES : 0) : 0;
    this.put(Job.flags, (last ? JOB_FLAG_LAST : 0) | (serial ? JOB_FLAG_SERIAL : 0) | sharing);
    for (const field of [Job.nextTile, Job.status, Job.end, Job.hasNewMisses, Job.missed, Job.idle]) this.put(field, 0);
  }

  private beginGeometry({ tasks, lists, slabs }: ChunkMemory, count: number): void {
    this.put(Job.tasks, tasks);
    this.put(Job.lists, lists);
    this.put(Job.taskCount, count);
    for (const field of [Job.nextTask, Job.stop, Job.stopSegment]) this.put(field, 0);
    this.put(Job.slab, slabs);
    this.put(Job.slabsEnd, slabs + this.arenaBytes);
  }

  /**
   * Provides memory for the next chunk's geometry in addition to this chunk's. Returns false if memory or the budget is
   * short.
   */
  provideNextChunk(): boolean {
    const { arenaBytes: limit } = this.parts.budgets;
    if (limit !== null && this.chunk.arenaBytes + Math.max(this.arenaBytes, this.nextChunk.arenaBytes) > limit)
      return false;
    const isPrefetched = this.nextChunk.arenaBytes >= this.arenaBytes;
    return (isPrefetched || this.spareBytes >= this.arenaBytes) && this.provide(this.nextChunk, this.arenaBytes);
  }

  /** Writes the JOB record for `tasks` tasks of the next chunk, together with the tiles of this one that can resume. */
  beginPrefetch(tasks: number): void {
    this.beginGeometry(this.nextChunk, tasks);
    const isFirst = this.parts.scheduler.priority === 'vertex';
    this.put(Job.flags, JOB_FLAG_PREFETCH | (isFirst ? JOB_FLAG_VERTICES_FIRST : 0));
    this.put(Job.vertexWorkers, 0);
    this.put(Job.pixelWorkers, 0);
  }

  /** Whether the next chunk's geometry may run while tiles wait. */
  get mayPrefetch(): boolean {
    return this.parts.scheduler.budgets.vertex > 0;
  }

  /** Wakes workers of a job, because what they wait for may have arrived. */
  wakeWorkers(): void {
    const words = new Int32Array(this.parts.memory.buffer);
    const changeCounter = (this.job + Job.changeCounter) >>> 2;
    Atomics.add(words, changeCounter, 1);
    Atomics.notify(words, changeCounter);
  }

  /** Writes the JOB record for the tiles of the chunk that are WORK_READY. */
  beginReadyTiles(): void {
    this.put(Job.flags, this.of(Job.flags) | JOB_FLAG_READY_TILES);
    this.put(Job.nextTile, 0);
    this.put(Job.idle, 0);
  }

  /** Writes the JOB record for dispatches: `count` COMPUTE STEPs. */
  beginSteps(steps: number, count: number): void {
    this.put(Job.steps, steps);
    this.put(Job.stepCount, count);
    this.put(Job.flags, JOB_FLAG_COMPUTE);
    for (const field of [Job.step, Job.status, Job.end]) this.put(field, 0);
  }

  /** Reads a field of the JOB record. */
  of(field: number): number {
    return this.words()[(this.job + field) >>> 2]!;
  }

  /**
   * Reads and resets the counters of the chunk. `add` receives the words of one record at a time. `employed`: workers
   * ran the chunk.
   */
  collect(employed: boolean, add: (counters: Uint32Array) => void): void {
    const words = Statistics.flags / 4;
    const { buffer } = this.parts.memory;
    for (let task = 0, end = this.of(Job.end); task < end; task++)
      add(new Uint32Array(buffer, this.chunk.tasks + task * GeometryTask.bytes + GeometryTask.counters, words));
    for (let index = 0; index < this.threads; index++) {
      const counters = new Uint32Array(buffer, this.workers.own(index, ExecutorRecord.statistics), words);
      add(counters);
      if (employed) {
        this.done[index]!.tasks += this.workers.own(index, ExecutorRecord.tasksDone);
        this.done[index]!.tiles += counters[Statistics.tilesRun / 4]!;
      }
      this.workers.resetTaskCount(index);
      counters.fill(0);
    }
  }

  private provideArena({ bytes, slabBytes, softBytes, hardBytes, shareBytes }: ArenaSizes): void {
    const { arenaBytes: limit } = this.parts.budgets;
    if (limit !== null && bytes + this.nextChunk.arenaBytes > limit) this.nextChunk.release();
    this.chunk.reserve(bytes);
    this.arenaBytes = bytes;
    this.put(Job.slabBytes, slabBytes);
    this.put(Job.softBytes, softBytes);
    this.put(Job.hardBytes, hardBytes);
    this.put(Job.shareBytes, shareBytes);
  }

  private provide(piece: ScratchBuffer | ChunkMemory, bytes: number): boolean {
    try {
      piece.reserve(bytes);
      return true;
    } catch (error) {
      // The memory only saves time.
      if (!(error instanceof OutOfMemoryError)) throw error;
      return false;
    }
  }

  put(field: number, value: number): void {
    this.words()[(this.job + field) >>> 2] = value;
  }
  private words(): Uint32Array {
    return this.memory.now().u32;
  }
}
