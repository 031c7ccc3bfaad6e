// How a render pass handles non-resident pages of streamed textures (layout/texture/texture-stream.ts):
//
// - Vertices: the geometry of the chunk runs to its end, to find all missing pages. No tile runs, and all of the
//   geometry is replayed.
// - Tiles whose shaders do not write: a tile whose warps have missed pages is parked until they are resident, and then
//   resumes those warps. If it cannot be parked, it changes nothing and is replayed (src/late/waiting-work.ts).
// - Tiles whose shaders write, if all warps can be parked (Misses.keepsProgress): always parked. A warp that has missed
//   a page has written nothing and is replayed, or it stops and resumes at the same instruction. A tile for which no
//   worker has a free context begins when one becomes free.
// - Other tiles whose shaders write, such as compiled shaders that read pages after a write: the writes can neither be
//   left out nor done twice, so a dry run comes first. Everything that they may write is copied before
//   (write-backup.ts, surface-backup.ts) and restored afterwards, and attachments do not change. Once a dry run has
//   found all of its pages resident, residency is frozen, and the tiles run again with the same reads and with effect.
//   No dry run is made while all pages of all textures are resident.
//
// All geometry of a chunk, or all tiles of a dry run, wait as if they were one tile. If their pages do not fit
// into the textures' budgets, the chunk ends earlier, or fewer tiles run at a time. If the pages of a single tile do
// not fit, the tile runs in parts; if it cannot be replayed, it continues warp by warp (src/late/tile-parts.ts).
import { JOB_FLAG_READY_TILES } from '../../../assembly/layout/job/job-codes';
import {
  WORK_IS_READY,
  WORK_IS_UNDONE,
  WORK_NEW,
  WORK_READY,
  WORK_UNDONE,
} from '../../../assembly/layout/late/work-codes';
import { Job, LateWork, Stage } from '../../../build/layout';
import {
  MissLists,
  TileParts,
  WaitingWork,
  WarpByWarp,
  type Division,
  type PartRules,
  type WaitCounts,
} from '../../late';
import type { CommandMemory } from '../memory/command-memory';
import { CountBackup } from './count-backup';
import { SurfaceBackup, type SurfaceBackupParts } from './surface-backup';
import type { Stream } from '../resources/streams';
import { WriteBackup, type WriteBackupParts, type Writer } from './write-backup';
import type { StreamedRecords } from '../workspace/workspace-types';

/** The owner of the copies, for out-of-memory messages. */
const BACKUP_NAME = 'saved results of a pass that waits for pages';
/** LATE WORKs that follow those of the tiles: the geometry of a chunk, and the tiles of a dry run. */
const OTHERS = 2;

/** Counters of vertex STAGEs that kernels increment. They are restored when the geometry is replayed. */
const COUNTERS = [
  Stage.runs,
  Stage.verticesIn,
  Stage.primitivesIn,
  Stage.verticesOut,
  Stage.primitivesOut,
  Stage.dropped,
] as const;

/** The pass: address of its PASS record, number of tiles, and rules for parts of tiles. */
interface StreamedTarget {
  readonly record: number;
  readonly tiles: number;
  readonly rules: PartRules;
}

interface StreamedPassParts extends WriteBackupParts, SurfaceBackupParts {
  readonly commands: CommandMemory;
  readonly late: WaitCounts;
}

/** STAGE records of vertex stages with counters. */
type CountingStages = readonly { readonly record: number }[];

/**
 * What comes next: the chunk's geometry again, a job of tiles that is ready to run, nothing until pages arrive, or the
 * end of the chunk. `failed`: the pass has failed (WaitingWork.failure, tooLarge).
 */
export type Next = 'geometry' | 'tiles' | 'wait' | 'done' | 'failed';

export class StreamedPass {
  readonly pages: WaitingWork;
  readonly records: StreamedRecords;
  /** Maximum number of tasks in a chunk. */
  maxTasks = Infinity;
  /** Copies of what pixel shaders write; null if none writes, or if tiles keep their work. */
  private readonly writeBackup: WriteBackup | null;
  private readonly surfaces: SurfaceBackup;
  private readonly counts: CountBackup;
  private readonly misses: MissLists;
  /** Numbers of the LATE WORKs for geometry and for dry runs. */
  private readonly geometry: number;
  private readonly dry: number;
  private isKept = false;
  /** The tiles that run together if shaders write; the current step. */
  private first = 0;
  private count = 0;
  private maxTiles = Infinity;
  /** Parts of a single tile of a dry run whose pages do not fit into the budgets; null if it runs as a whole. */
  private dryParts: TileParts | null = null;
  private step: 'geometry' | 'dry' | 'tiles' = 'tiles';
  private tasks = 0;
  /** Number of tiles that were not begun for lack of a context; whether the last job has begun any of them. */
  private unbegun = 0;
  private begins = true;
  private readonly counters = new Map<number, readonly number[]>();
  private stages: CountingStages = [];
  /** Whether the geometry of the next chunk is running, or has run. */
  private isPrefetching = false;

  /** `writers`: pixel shaders that write, with their bindings. `kept`: see StreamedRecords. */
  constructor(
    private readonly parts: StreamedPassParts,
    private readonly streams: readonly Stream[],
    private readonly pass: StreamedTarget,
    private readonly writers: readonly Writer[],
    kept: number | null
  ) {
    const {
      memory,
      commands,
      late,
      workspace: { threads },
    } = parts;
    const { tiles } = pass;
    this.geometry = tiles;
    this.dry = tiles + 1;
    this.counts = new CountBackup(memory, pass.record);
    this.writeBackup = writers.length > 0 && kept === null ? new WriteBackup(parts, BACKUP_NAME) : null;
    this.surfaces = new SurfaceBackup(parts, writers, BACKUP_NAME);
    this.misses = new MissLists(memory, commands.take(threads * MissLists.BYTES), threads);
    const bytes = (tiles + OTHERS) * LateWork.bytes;
    this.records = { tiles: commands.take(bytes), geometry: this.misses.records, kept };
    const unitOf = (number: number): string =>
      number === this.geometry ? 'one task of geometry' : 'one quad of a triangle';
    this.pages = new WaitingWork(memory, this.records.tiles, streams, late, unitOf, (tile) => this.divisionOf(tile));
    this.pages.states.renew(0, tiles + OTHERS);
  }

  /** An error message if the pass cannot be finished, else null. */
  get failure(): string | null {
    return this.pages.failure ?? this.pages.tooLarge;
  }

  /** Whether pixel shaders write. Their effects at a tile happen once, or are undone as a whole. */
  get writes(): boolean {
    return this.writers.length > 0;
  }

  /** Whether tiles keep the work that they have done (Misses.keepsProgress). */
  get keepsProgress(): boolean {
    return this.records.kept !== null;
  }

  /** Whether all pages of all textures are resident. */
  get isFullyResident(): boolean {
    return this.streams.every(({ isFullyResident }) => isFullyResident);
  }

  /**
   * Starts a chunk with this many tasks, or replays one. `isPrefetched`: its geometry has already run (beginPrefetch).
   * Throws OutOfMemoryError.
   */
  begin(tasks: number, stages: CountingStages, isPrefetched: boolean): void {
    const { workspace } = this.parts;
    this.tasks = tasks;
    this.stages = stages;
    this.isPrefetching = false;
    this.pages.begin(workspace.of(Job.tiles));
    if (!isPrefetched) this.beginGeometry();
    this.first = 0;
    this.count = workspace.of(Job.tiles);
    this.step = 'tiles';
    this.isKept = false;
    this.unbegun = 0;
    this.dryParts = null;
    this.counts.save();
    if (this.writeBackup && tasks > 0 && !this.isFullyResident) this.beginDry();
    else workspace.workers.isDryRun = false;
  }

  private beginGeometry(): void {
    this.pages.begins(this.geometry);
    this.misses.clear();
    this.counters.clear();
    this.keepCounters();
  }

  /** Whether tiles wait, may resume at any time, and write nothing but attachments. */
  get allowsPrefetch(): boolean {
    return this.step === 'tiles' && !this.writes;
  }

  /** Starts the next chunk's geometry while tiles of this one wait. Its misses are handled when that chunk begins. */
  beginPrefetch(): void {
    this.isPrefetching = true;
    this.beginGeometry();
    this.pages.beginReads();
  }

  /** Called during a job, so that tiles request pages at once. */
  look(): void {
    if (this.step === 'tiles') this.pages.look();
  }

  /** Called during a job when pages have arrived. */
  onPagesArrived(): void {
    if (this.step !== 'tiles') return;
    this.pages.requestPages();
    this.pages.makeReady(!this.isPrefetching);
    if (this.isPrefetching) this.parts.workspace.wakeWorkers();
  }

  /** Called when the job has run. */
  ended(): Next {
    const {
      pages,
      parts: { workspace },
    } = this;
    if (workspace.of(Job.missed) !== 0) {
      this.step = 'geometry';
      this.pages.isUndone(this.geometry, this.misses.take());
      this.putCounters();
      workspace.workers.resetTaskCounts();
      if (this.writeBackup) this.freezeResidency(false);
      pages.jobEnded();
    } else if (this.step === 'dry') this.endDry();
    else {
      if (!this.isPrefetching) this.endGeometry();
      pages.jobEnded();
      if (this.writeBackup) this.freezeResidency(false);
      if (this.keepsProgress) this.countUnbegun();
    }
    return this.next();
  }

  /** Called after a job, or when pages have arrived. */
  next(): Next {
    const {
      pages,
      parts: { workspace },
    } = this;
    if (pages.failure === null && pages.tooLarge !== null && this.step !== 'tiles' && this.divide()) {
      pages.forget();
      if (this.step === 'geometry') return 'geometry';
      this.beginDry();
      return 'tiles';
    }
    if (this.step === 'tiles' && pages.failure === null && pages.tooLarge !== null) pages.divide();
    if (this.failure !== null) return 'failed';
    if (pages.isWaiting || this.unbegun > 0) {
      if (this.step === 'tiles' && this.writeBackup) {
        pages.failure = 'its shaders read other pages in their final run than in the run before';
        return 'failed';
      }
      // A context is free if the last job has begun a tile, or if no tile is parked.
      if (!pages.scheduleReady() && !(this.unbegun > 0 && (this.begins || !pages.isWaiting))) return 'wait';
      if (this.step === 'geometry') return 'geometry';
      if (this.step === 'dry') this.beginDry();
      else {
        pages.beginReads();
        workspace.beginReadyTiles();
      }
      return 'tiles';
    }
    if (this.step === 'dry') {
      this.beginTiles('tiles');
      return 'tiles';
    }
    if (!this.writeBackup || this.tasks === 0) return 'done';
    this.isKept = false;
    if (this.dryParts?.advance()) {
      this.beginDry();
      return 'tiles';
    }
    this.dryParts = null;
    this.first += this.count;
    if (this.first >= workspace.of(Job.tiles)) return 'done';
    this.beginDry();
    return 'tiles';
  }

  /** Called when the pass is done or has failed. */
  end(): void {
    this.parts.workspace.workers.isDryRun = false;
    if (this.writeBackup) this.freezeResidency(false);
    this.writeBackup?.free();
    this.surfaces.free();
    this.pages.end();
  }

  /** Makes the tiles ready that no worker has begun, so that the next job runs them. */
  private countUnbegun(): void {
    const {
      unbegun,
      pages: { states },
      parts: { workspace },
    } = this;
    const isFirst = (workspace.of(Job.flags) & JOB_FLAG_READY_TILES) === 0;
    this.unbegun = 0;
    // Without geometry, tiles are only stored.
    const tiles = workspace.of(Job.end) === 0 ? 0 : workspace.of(Job.tiles);
    for (let tile = 0; tile < tiles; tile++) {
      if (isFirst && states.of(tile) === WORK_NEW) states.happen(tile, WORK_IS_READY);
      if (states.of(tile) === WORK_READY) this.unbegun++;
    }
    this.begins = isFirst || this.unbegun < unbegun;
  }

  /** Reduces the work that waits together. Returns false if it is minimal already. */
  private divide(): boolean {
    if (this.step === 'geometry') {
      if (Math.min(this.maxTasks, this.tasks) <= 1) return false;
      this.maxTasks = Math.ceil(Math.min(this.maxTasks, this.tasks) / 2);
      return true;
    }
    if (this.count <= 1) {
      if (!this.dryParts) {
        this.dryParts = new TileParts(this.parts.memory, this.recordOf(this.first), this.pass.rules);
        this.parts.late.divided++;
      }
      return this.dryParts.divide();
    }
    this.maxTiles = Math.ceil(this.count / 2);
    return true;
  }

  /**
   * Returns how to divide a tile whose pages do not fit into the budgets: warp by warp if the pass keeps the progress
   * of tiles, else in parts. A parked tile that is divided into parts loses its context and is replayed.
   */
  private divisionOf(tile: number): Division | null {
    const {
      parts: { memory, workspace },
      pages: { states },
    } = this;
    const record = this.recordOf(tile);
    if (this.keepsProgress) return new WarpByWarp(memory, record);
    const context = states.get(tile, LateWork.context);
    if (context !== 0) {
      workspace.workers.discardContext(context);
      states.put(tile, LateWork.context, 0);
      states.happen(tile, WORK_IS_UNDONE);
      this.counts.restore(tile);
      this.pages.discardedTiles++;
    }
    return new TileParts(memory, record, this.pass.rules);
  }

  private recordOf(tile: number): number {
    return this.records.tiles + tile * LateWork.bytes;
  }

  /** Freezes residency: between a dry run and the final run, no page is added or evicted. */
  private freezeResidency(isFrozen: boolean): void {
    for (const { loads } of this.streams) loads.isFrozen = isFrozen;
  }

  private beginDry(): void {
    if (!this.isKept) {
      this.writeBackup!.save(this.writers);
      this.surfaces.save();
    }
    this.isKept = true;
    this.count = Math.min(this.maxTiles, this.parts.workspace.of(Job.tiles) - this.first);
    this.freezeResidency(true);
    this.beginTiles('dry');
  }

  /** Starts a job of the current tiles. */
  private beginTiles(step: 'dry' | 'tiles'): void {
    const { workspace } = this.parts;
    this.step = step;
    workspace.workers.isDryRun = step === 'dry';
    if (step === 'dry') this.pages.begins(this.dry);
    for (let tile = this.first; tile < this.first + this.count; tile++) this.pages.states.happen(tile, WORK_IS_READY);
    workspace.beginReadyTiles();
    this.pages.beginReads();
  }

  /** Undoes all effects of a dry run, and notes what it has missed. */
  private endDry(): void {
    const { pages, first, count, dry } = this;
    // Tiles run only when no vertex has missed a page.
    pages.ends(this.geometry);
    const missed = new Set<number>();
    for (let tile = first; tile < first + count; tile++)
      if (pages.states.of(tile) === WORK_UNDONE)
        for (const entry of pages.states.takeReport(tile) ?? []) missed.add(entry);
    this.writeBackup!.restore();
    this.surfaces.restore();
    this.dryParts?.missed();
    if (missed.size > 0) {
      pages.isUndone(dry, [...missed], this.dryParts?.isExact);
      this.freezeResidency(false);
      pages.jobEnded();
    } else pages.ends(dry);
  }

  /** Records the pages in place of which vertex shaders have used smaller mip levels. */
  private endGeometry(): void {
    for (const entry of this.misses.take()) this.pages.noteSubstituted(entry);
    this.pages.ends(this.geometry);
  }

  private keepCounters(): void {
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const { record } of this.stages)
      this.counters.set(
        record,
        COUNTERS.map((counter) => words[(record + counter) >>> 2]!)
      );
  }

  private putCounters(): void {
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const { record } of this.stages)
      this.counters.get(record)!.forEach((value, i) => {
        words[(record + COUNTERS[i]!) >>> 2] = value;
      });
  }
}
