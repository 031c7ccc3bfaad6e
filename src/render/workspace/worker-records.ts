// The records of each worker: EXECUTOR, PASS, ARENA, STATISTICS, MISSES and GEOMETRY.
import { WARP_QUADS } from '../../../assembly/layout/limits';
import { MAX_SLOTS } from '../../../assembly/layout/late/work-codes';
import { MAX_OPEN_WARPS, MAX_TRIANGLE_WARPS } from '../../../assembly/layout/warp/warp-codes';
import { Entry, ExecutorRecord, Geometry, Misses, Packer, ParkedWarp, Pass, Statistics } from '../../../build/layout';
import { alignUp, CACHE_LINE } from '../../base/bits';
import type { Words } from '../memory/words';
import type { WorkspaceParts } from './workspace-types';

const aligned = (bytes: number): number => alignUp(bytes, CACHE_LINE);

/** Offsets in a worker's record. Each worker's frequently written data has its own cache lines. */
const PASS_AT = 0;
const ARENA_AT = aligned(Pass.bytes);
const TASK_STATISTICS_AT = ARENA_AT + 64;
const STATISTICS_AT = TASK_STATISTICS_AT + aligned(Statistics.bytes);
const MISSES_AT = STATISTICS_AT + aligned(Statistics.bytes);
const RECORD_BYTES = MISSES_AT + aligned(Misses.bytes) + 64;

const parkedWarpBytes = (entries: number): number => ParkedWarp.packer + Packer.entries + entries * Entry.bytes;
export const FULL_WARP_BYTES = parkedWarpBytes(4 * WARP_QUADS);
/**
 * Minimum bytes for parked warps in a pass whose tiles keep their work, including those for the first divided warp.
 * `kept`: see StreamedRecords.kept.
 */
export const minParkedBytes = (kept: number | null): number =>
  kept === null
    ? 0
    : MAX_TRIANGLE_WARPS * (parkedWarpBytes(1) + kept)
      + WARP_QUADS * kept
      + MAX_OPEN_WARPS * FULL_WARP_BYTES
      + FULL_WARP_BYTES
      + WARP_QUADS * kept;

export class WorkerRecords {
  /** Address of the EXECUTOR records. */
  readonly executors: number;
  private readonly records: number;

  constructor(
    private readonly parts: Pick<WorkspaceParts, 'allocator' | 'exports' | 'kinds' | 'memory' | 'shuffle'>,
    private readonly words: Words
  ) {
    const { allocator, exports } = parts;
    const { threads } = this;
    this.executors = allocator.allocate(threads * ExecutorRecord.bytes, 'workers');
    this.records = allocator.allocate(threads * RECORD_BYTES, 'pass state');
    const geometryBytes = aligned(exports.geometryBytes());
    const geometry = allocator.allocate(threads * geometryBytes, 'geometry state');
    const { u32 } = this.words.now();
    for (let index = 0; index < threads; index++) {
      const record = this.records + index * RECORD_BYTES;
      const own = geometry + index * geometryBytes;
      const put = (field: number, value: number): void => {
        u32[(this.executors + index * ExecutorRecord.bytes + field) >>> 2] = value;
      };
      put(ExecutorRecord.pass, record + PASS_AT);
      put(ExecutorRecord.arena, record + ARENA_AT);
      put(ExecutorRecord.taskStatistics, record + TASK_STATISTICS_AT);
      put(ExecutorRecord.statistics, record + STATISTICS_AT);
      put(ExecutorRecord.geometry, own);
      u32[(own + Geometry.worker) >>> 2] = index;
      u32[(own + Geometry.seed) >>> 2] = parts.shuffle;
    }
  }

  private get threads(): number {
    return this.parts.kinds.length;
  }

  /** Address of a worker's EXECUTOR record. */
  executorOf(index: number): number {
    return this.executors + index * ExecutorRecord.bytes;
  }

  /** Address of a worker's MISSES record. */
  missesOf(index: number): number {
    return this.records + index * RECORD_BYTES + MISSES_AT;
  }

  /** Reads a field of a worker's EXECUTOR record. */
  own(index: number, field: number): number {
    return this.words.now().u32[(this.executorOf(index) + field) >>> 2]!;
  }

  /** Discards the tile that is parked in a context. Called between jobs. `code`: LateWork.context. */
  discardContext(code: number): void {
    const { memory, exports } = this.parts;
    const slot = (code - 1) % MAX_SLOTS;
    const index = Math.floor((code - 1) / MAX_SLOTS);
    const kept = this.executorOf(index) + ExecutorRecord.kept;
    Atomics.and(new Int32Array(memory.buffer), kept >>> 2, ~(1 << slot));
    const contexts = this.own(index, ExecutorRecord.contexts);
    const bytes = this.own(index, ExecutorRecord.contextBytes);
    exports.tileContextInit(
      contexts + slot * bytes,
      this.own(index, ExecutorRecord.pass),
      this.own(index, ExecutorRecord.pool)
    );
  }

  /** Whether workers run tiles for their misses alone, without changing anything. */
  set isDryRun(isDry: boolean) {
    const { u32 } = this.words.now();
    for (let index = 0; index < this.threads; index++)
      u32[(this.missesOf(index) + Misses.isDryRun) >>> 2] = isDry ? 1 : 0;
  }

  /** Resets the counts of tasks since the last `collect`, because the tasks will run again. */
  resetTaskCounts(): void {
    for (let index = 0; index < this.threads; index++) this.resetTaskCount(index);
  }

  resetTaskCount(index: number): void {
    this.words.now().u32[(this.executorOf(index) + ExecutorRecord.tasksDone) >>> 2] = 0;
  }

  /** Address of the STATISTICS record for a worker's tiles and workgroups. */
  statisticsOf(index: number): number {
    return this.own(index, ExecutorRecord.statistics);
  }

  /** STATISTICS records of all workers: first those of geometry, then those of tiles. */
  get statistics(): number[] {
    return [ExecutorRecord.taskStatistics, ExecutorRecord.statistics].flatMap((field) =>
      Array.from({ length: this.threads }, (_, index) => this.own(index, field))
    );
  }
}
