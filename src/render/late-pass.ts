// What a render pass does about pages of streamed textures that are not there (layout/texture-stream.ts):
//
//   vertices     the chunk's geometry is run to its end, so that all is found that it misses; no tile is run, and all
//                of it is run again
//   tiles        one of which warps have missed pages is kept until these are there, and runs those warps again; if it
//                cannot be kept, it changes nothing, and is run again (late-tiles.ts)
//   tiles whose  are kept in any case: a warp that has missed a page has written nothing, and is run again, or it
//   programs     stops, and goes on from there. A tile for which no worker has a context is begun when one is free
//   write        (Misses.keeps)
//   tiles whose  what they write cannot be left out, nor done twice. So they are run dry: all that they may write is
//   programs     copied before (taken-back.ts, kept-surfaces.ts) and put back behind, attachments stay as they are.
//   write, read  When a dry run has found all of its pages, nothing comes or goes, and the tiles are run once more,
//   then, and    with the same reads, for good. Where all pages of all textures are there, nothing is run dry.
//   are compiled, or cannot be kept
//
// All of a chunk's geometry, or of its tiles that are run dry, waits as if it were one tile. If its pages do not fit
// into the textures' budgets, the chunk ends earlier, or fewer tiles are run at a time. Where those of one tile do not
// fit, it is run in parts, or, if it cannot be given up, goes on warp by warp (tile-parts.ts).
import { JOB_FLAG_AGAIN } from '../../assembly/layout/job-codes';
import { LATE_AGAIN, LATE_NONE, LATE_WAITS } from '../../assembly/layout/texture-stream-codes';
import { Job, LateTile, Misses, Stage } from '../../build/layout';
import type { CommandMemory } from './command-memory';
import { KeptCounts } from './kept-counts';
import { KeptSurfaces, type KeptSurfacesParts } from './kept-surfaces';
import { LateTiles } from './late-tiles';
import type { LateCounts, Stream } from './streams';
import { TileParts, WarpByWarp, type Division, type PartRules } from './tile-parts';
import { TakenBack, type TakenBackParts, type Writer } from './taken-back';
import type { LateRecords } from './workspace';

/** Pages that a worker notes for vertices; others are found when they are run again. */
const MOST_PAGES = 4096;
/** For messages that memory is short. */
const TAKEN_BACK = 'what a pass that waits for pages takes back';
/** Numbers of what waits that is no tile: a chunk's geometry; tiles that are run dry. */
const GEOMETRY = -1;
const DRY = -2;
const unitOf = (number: number): string => (number === GEOMETRY ? 'one task of geometry' : 'one quad of a triangle');

/** Counters of vertex STAGEs that kernels add up, which is undone with what they have counted. */
const COUNTERS = [
  Stage.runs, Stage.verticesIn, Stage.primitivesIn, Stage.verticesOut, Stage.primitivesOut, Stage.dropped,
] as const;

/** Of the pass: address of its PASS record, its tiles, and what parts of tiles may be. */
export interface LateTarget { readonly record: number; readonly tiles: number; readonly rules: PartRules }

export interface LatePassParts extends TakenBackParts, KeptSurfacesParts {
  readonly commands: CommandMemory;
  readonly late: LateCounts;
}

/** STAGE records of the vertex side that count. */
type CountingStages = readonly { readonly record: number }[];

/**
 * What comes next: the geometry of the chunk again, a job of tiles that is ready to be run, nothing before pages come,
 * the end of the chunk; or the pass has failed (LateTiles.failure, tooLarge).
 */
export type Next = 'geometry' | 'tiles' | 'wait' | 'done' | 'failed';

export class LatePass {
  readonly pages: LateTiles;
  readonly records: LateRecords;
  /** Tasks that a chunk may have. */
  mostTasks = Infinity;
  /** Null where no program of pixels writes; whether what is kept of it is what is there. */
  private readonly written: TakenBack | null;
  private readonly surfaces: KeptSurfaces;
  private readonly counts: KeptCounts;
  private isKept = false;
  /** The tiles that are run together where programs write; what is under way. */
  private first = 0;
  private count = 0;
  private mostTiles = Infinity;
  /** Of the only one of them, once its pages did not fit. */
  private dryParts: TileParts | null = null;
  private step: 'geometry' | 'dry' | 'tiles' = 'tiles';
  private tasks = 0;
  /** Tiles that nobody could keep, and has begun; whether some of them were begun in the last job. */
  private unbegun = 0;
  private begins = true;
  private readonly counters = new Map<number, readonly number[]>();
  private stages: CountingStages = [];
  /** The next chunk's geometry is run, or has been. */
  private isAhead = false;

  /** `writers`: programs of pixels that write, and what is bound to them. `kept`: as LateRecords has it. */
  constructor(
    private readonly parts: LatePassParts, private readonly streams: readonly Stream[],
    private readonly pass: LateTarget, private readonly writers: readonly Writer[], kept: number | null
  ) {
    const { memory, commands, late, workspace: { threads } } = parts, { tiles } = pass;
    this.pages = new LateTiles(memory, streams, late, unitOf, (tile, isKept) => this.divisionOf(tile, isKept));
    this.counts = new KeptCounts(memory, pass.record);
    this.written = writers.length > 0 && kept === null ? new TakenBack(parts, TAKEN_BACK) : null;
    this.surfaces = new KeptSurfaces(parts, writers, TAKEN_BACK);
    const bytes = (Misses.bytes + MOST_PAGES * 4 + 63) & ~63, first = commands.take(threads * bytes);
    this.records = {
      tiles: commands.take(tiles * LateTile.bytes),
      geometry: Array.from({ length: threads }, (_, index) => first + index * bytes), kept,
    };
  }

  /** A sentence, when the pass cannot be finished. */
  get failure(): string | null { return this.pages.failure ?? this.pages.tooLarge; }

  /** Whether programs of pixels write: what they do at a tile is done once, or taken back as a whole. */
  get writes(): boolean { return this.writers.length > 0; }

  /** Whether its tiles keep what they have done. */
  get keeps(): boolean { return this.records.kept !== null; }

  /** Whether all pages of all textures are there. */
  get isWhole(): boolean { return this.streams.every(({ isWhole }) => isWhole); }

  /**
   * A chunk of so many tasks begins, also one that is run again; `isThere`: its geometry has been run (beginAhead).
   * Throws OutOfMemoryError.
   */
  begin(tasks: number, stages: CountingStages, isThere: boolean): void {
    const { workspace } = this.parts;
    this.tasks = tasks;
    this.stages = stages;
    this.isAhead = false;
    this.pages.begin(this.records.tiles, workspace.of(Job.tiles));
    if (!isThere) this.beginGeometry();
    this.first = 0;
    this.count = workspace.of(Job.tiles);
    this.step = 'tiles';
    this.isKept = false;
    this.unbegun = 0;
    this.dryParts = null;
    this.counts.keep();
    if (this.written && tasks > 0 && !this.isWhole) this.beginDry();
    else workspace.dry = false;
  }

  private beginGeometry(): void {
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const misses of this.records.geometry) {
      words[(misses + Misses.waits) >>> 2] = words[(misses + Misses.count) >>> 2] = 0;
      words[(misses + Misses.most) >>> 2] = MOST_PAGES;
    }
    this.counters.clear();
    this.keepCounters();
  }

  /** Whether tiles wait, may go on at any time, and write nothing but the picture. */
  get isAtTiles(): boolean { return this.step === 'tiles' && !this.writes; }

  /** The next chunk's geometry is run beside these tiles. What it misses is looked at when that chunk begins. */
  beginAhead(): void {
    this.isAhead = true;
    this.beginGeometry();
    this.pages.reads();
  }

  /** While a job is under way: tiles ask for pages at once. */
  look(): void {
    if (this.step === 'tiles') this.pages.look();
  }

  /** While a job is under way, and pages have come. */
  pagesCame(): void {
    if (this.step !== 'tiles') return;
    this.pages.ask();
    this.pages.resumeReady(this.isAhead);
    if (this.isAhead) this.parts.workspace.ring();
  }

  /** The job has been run. */
  ended(): Next {
    const { pages, parts: { workspace } } = this;
    if (workspace.of(Job.missed) !== 0) {
      this.step = 'geometry';
      this.noteGeometry();
      this.putCounters();
      workspace.forgetTasks();
      if (this.written) this.hold(false);
      pages.jobEnded();
    } else if (this.step === 'dry') this.endDry();
    else {
      if (!this.isAhead) this.noteWishes();
      pages.jobEnded();
      if (this.written) this.hold(false);
      if (this.keeps) this.countUnbegun();
    }
    return this.next();
  }

  /** After a job, or when pages have come. */
  next(): Next {
    const { pages, parts: { workspace } } = this;
    if (pages.failure === null && pages.tooLarge !== null && this.step !== 'tiles' && this.divide()) {
      pages.forget();
      if (this.step === 'geometry') return 'geometry';
      this.beginDry();
      return 'tiles';
    }
    if (this.step === 'tiles' && pages.failure === null && pages.tooLarge !== null) pages.divide();
    if (this.failure !== null) return 'failed';
    if (pages.isWaiting || this.unbegun > 0) {
      if (this.step === 'tiles' && this.written) {
        pages.failure = 'its programs have read other pages when they were run for good than before';
        return 'failed';
      }
      // Another context is free where some tile was begun in the last job, or none is kept.
      if (!pages.takeReady() && !(this.unbegun > 0 && (this.begins || !pages.isWaiting))) return 'wait';
      if (this.step === 'geometry') return 'geometry';
      if (this.step === 'dry') this.beginDry();
      else workspace.beginAgain();
      return 'tiles';
    }
    if (this.step === 'dry') {
      this.beginTiles('tiles');
      return 'tiles';
    }
    if (!this.written || this.tasks === 0) return 'done';
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

  /** The pass is done, or has failed. */
  end(): void {
    this.parts.workspace.dry = false;
    if (this.written) this.hold(false);
    this.written?.free();
    this.surfaces.free();
    this.pages.end();
  }

  /** What no worker has begun is to be run in the next job. */
  private countUnbegun(): void {
    const { records, unbegun, parts: { memory, workspace } } = this, words = new Int32Array(memory.buffer);
    const isFirst = (workspace.of(Job.flags) & JOB_FLAG_AGAIN) === 0, claimed = workspace.of(Job.nextTile);
    this.unbegun = 0;
    for (let tile = 0, tiles = workspace.of(Job.tiles); tile < tiles; tile++) {
      const at = (records.tiles + tile * LateTile.bytes) >>> 2;
      if (isFirst && tile >= claimed) Atomics.store(words, at, LATE_AGAIN);
      if (Atomics.load(words, at) === LATE_AGAIN) this.unbegun++;
    }
    this.begins = isFirst || this.unbegun < unbegun;
  }

  /** Less at a time; false: it is the least already. */
  private divide(): boolean {
    if (this.step === 'geometry') {
      if (Math.min(this.mostTasks, this.tasks) <= 1) return false;
      this.mostTasks = Math.ceil(Math.min(this.mostTasks, this.tasks) / 2);
      return true;
    }
    if (this.count <= 1) {
      if (!this.dryParts) {
        this.dryParts = new TileParts(this.parts.memory, this.recordOf(this.first), this.pass.rules);
        this.parts.late.divided++;
      }
      return this.dryParts.divide();
    }
    this.mostTiles = Math.ceil(this.count / 2);
    return true;
  }

  /** How a tile goes on whose pages do not fit; one that is kept, and can be run from its beginning, is given up. */
  private divisionOf(tile: number, isKept: boolean): Division | null {
    const { memory, workspace } = this.parts, record = this.recordOf(tile);
    if (this.keeps) return new WarpByWarp(memory, record);
    if (isKept) {
      const words = new Int32Array(memory.buffer), context = (record + LateTile.context) >>> 2;
      workspace.dropContext(words[context]!);
      words[context] = 0;
      this.counts.putBack(tile);
      this.pages.given++;
    }
    return new TileParts(memory, record, this.pass.rules);
  }

  private recordOf(tile: number): number { return this.records.tiles + tile * LateTile.bytes; }

  /** What is there stays so, and nothing is added to it, from a dry run to that for good. */
  private hold(holds: boolean): void {
    for (const { loads } of this.streams) loads.holds = holds;
  }

  private beginDry(): void {
    if (!this.isKept) {
      this.written!.keep(this.writers);
      this.surfaces.keep();
    }
    this.isKept = true;
    this.count = Math.min(this.mostTiles, this.parts.workspace.of(Job.tiles) - this.first);
    this.hold(true);
    this.beginTiles('dry');
  }

  /** Has the tiles run whose turn it is. */
  private beginTiles(step: 'dry' | 'tiles'): void {
    const { memory, workspace } = this.parts, words = new Int32Array(memory.buffer);
    this.step = step;
    workspace.dry = step === 'dry';
    for (let tile = this.first; tile < this.first + this.count; tile++)
      Atomics.store(words, (this.records.tiles + tile * LateTile.bytes) >>> 2, LATE_AGAIN);
    workspace.beginAgain();
    this.pages.reads();
  }

  /** A dry run is over: nothing of it is left but what it has missed. */
  private endDry(): void {
    const { pages, first, count, records, parts: { memory } } = this, words = new Int32Array(memory.buffer);
    const entries = new Set<number>();
    let waits = false;
    for (let tile = first; tile < first + count; tile++) {
      const at = (records.tiles + tile * LateTile.bytes) >>> 2;
      if (Atomics.load(words, at) === LATE_WAITS) {
        waits = true;
        const from = at + (LateTile.entries >>> 2);
        for (const entry of words.subarray(from, from + words[at + (LateTile.count >>> 2)]!)) entries.add(entry >>> 0);
      }
      Atomics.store(words, at, LATE_NONE);
    }
    this.written!.putBack();
    this.surfaces.putBack();
    this.dryParts?.missed();
    if (waits) {
      pages.note(DRY, [...entries], { isExact: this.dryParts?.isExact ?? false });
      this.hold(false);
      pages.jobEnded();
    } else pages.settle();
  }

  private noteGeometry(): void { this.pages.note(GEOMETRY, this.geometryMisses()); }

  /** Vertices that take smaller levels do not wait. */
  private noteWishes(): void {
    for (const entry of this.geometryMisses()) this.pages.noteWish(entry);
  }

  /** Once: pages that vertices have missed. */
  private geometryMisses(): number[] {
    const words = new Uint32Array(this.parts.memory.buffer), entries = new Set<number>();
    for (const misses of this.records.geometry) {
      const from = (misses + Misses.entries) >>> 2, count = (misses + Misses.count) >>> 2;
      for (const entry of words.subarray(from, from + words[count]!)) entries.add(entry);
      words[count] = 0;
    }
    return [...entries];
  }

  private keepCounters(): void {
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const { record } of this.stages)
      this.counters.set(record, COUNTERS.map((counter) => words[(record + counter) >>> 2]!));
  }

  private putCounters(): void {
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const { record } of this.stages)
      this.counters.get(record)!.forEach((value, i) => { words[(record + COUNTERS[i]!) >>> 2] = value; });
  }
}
