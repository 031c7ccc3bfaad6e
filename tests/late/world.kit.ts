// A small world around the production state machine (src/late/): two workers, two tiles, and three pages of a streamed
// texture. Each method of a worker, of the main thread or of the source is one step, and steps happen in any order.
import {
  WORK_DONE,
  WORK_BEGINS,
  WORK_IS_UNDONE,
  WORK_NEW,
  WORK_READY,
  WORK_RUNNING,
} from '../../assembly/layout/late/work-codes';
import { STATUS_DONE, STATUS_PARKED, STATUS_WAITS } from '../../assembly/layout/status';
import { LateWork } from '../../build/layout';
import { endOfRun, workStates, type WorkStates } from '../../src/late/states';
import { TileParts, WarpByWarp, type Division } from '../../src/late/tile-parts';
import { WaitingWork, type PagedTexture, type WaitCounts } from '../../src/late/waiting-work';

const TILES = 2;
const WORKERS = 2;
/** Numbers of the page entries, as messages between threads have them. */
const FIRST_ENTRY = 100;

/**
 * What becomes of a tile that misses a page. `keeps`: it is parked and never replayed. `parks`: it is parked, but
 * replayed if it has to run in parts. `replays`: it is undone.
 */
export type Way = 'keeps' | 'parks' | 'replays';

/** `reads`: the pages that each tile reads. `room`: number of pages in the budget. `lost`: a page that never loads. */
export interface Scene {
  readonly ways: readonly [Way, Way];
  readonly reads: readonly [readonly number[], readonly number[]];
  readonly room: number;
  readonly lost: number | null;
}

/** A step that is possible now. */
interface Step {
  readonly name: string;
  readonly run: () => void;
}

/** `tile`: the one that it runs. `wanted`: the one that it has found and not yet claimed. */
interface Worker {
  tile: number | null;
  wanted: number | null;
  /** Reads that this run has still to make, those that it has made, and the pages that it has missed. */
  ahead: number[];
  made: number[];
  missed: number[];
}

interface TileState {
  /** Reads of a parked tile whose results are kept. */
  kept: number[];
  /** How often the results of each read have taken effect. */
  effects: number[];
}

export class World {
  readonly states: WorkStates;
  readonly queue: WaitingWork;
  /** All transitions of tiles: "running done". */
  readonly transitions = new Set<string>();
  phase: 'job' | 'waiting' | 'done' | 'failed' = 'job';
  readonly tiles: readonly TileState[];
  private readonly workers: Worker[];
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private isAgain = false;
  private hasChanged = false;
  private readonly resident = new Set<number>();
  private readonly requested = new Set<number>();
  private readonly failed = new Set<number>();
  private pinned: ReadonlySet<number> = new Set();
  private isRead = false;
  private readonly counts: WaitCounts = {
    parked: 0,
    undone: 0,
    replayed: 0,
    waiting: 0,
    divided: 0,
    stalls: { source: 0, loadLimit: 0, room: 0 },
  };

  constructor(private readonly scene: Scene) {
    this.tiles = scene.reads.map((reads) => ({ kept: [], effects: reads.map(() => 0) }));
    this.workers = Array.from({ length: WORKERS }, idle);
    const unitOf = (): string => 'one read';
    this.queue = new WaitingWork(this.memory, 0, [this.texture()], this.counts, unitOf, (tile) =>
      this.divisionOf(tile)
    );
    this.states = this.queue.states;
    const { happen } = this.states;
    this.states.happen = (tile, event) => {
      const before = workStates[this.states.of(tile)];
      const isDone = happen.call(this.states, tile, event);
      if (isDone) this.transitions.add(`${before} ${workStates[this.states.of(tile)]}`);
      return isDone;
    };
    this.queue.begin(TILES);
  }

  /** Everything on which the future depends. Counters that only grow are left out. */
  get key(): string {
    const skipped = new Set(['memory', 'streams', 'counts', 'states', 'discardedTiles', 'substituted', 'isStalled']);
    const plain = (name: string, value: unknown): unknown =>
      skipped.has(name) || typeof value === 'function'
        ? undefined
        : value instanceof Map || value instanceof Set
          ? [...(value as Iterable<unknown>)]
          : value;
    const words = [...new Uint32Array(this.memory.buffer, 0, (TILES * LateWork.bytes) >>> 2)].join(' ');
    const { queue, workers, tiles, phase, isAgain, hasChanged, resident, requested, failed, pinned, isRead } = this;
    const own = { queue, workers, tiles, phase, isAgain, hasChanged, isRead, waiting: this.counts.waiting };
    const sets = [resident, requested, failed, pinned].map((set) => [...set].sort().join());
    return JSON.stringify([own, sets, words], plain);
  }

  /** All steps that are possible now. */
  get steps(): Step[] {
    if (this.phase === 'done' || this.phase === 'failed') return [];
    return [
      ...this.workers.flatMap((worker, index) => this.stepsOf(worker, index)),
      ...this.ownSteps(),
      ...this.source(),
    ];
  }

  /** Throws if the states, the workers and the effects contradict each other. */
  check(): void {
    for (let tile = 0; tile < TILES; tile++) {
      const state = this.states.of(tile);
      const running = this.workers.filter((worker) => worker.tile === tile).length;
      if (running !== (state === WORK_RUNNING ? 1 : 0)) throw new Error(`${running} workers run tile ${tile}`);
      if (this.tiles[tile]!.effects.some((times) => times > 1)) throw new Error(`tile ${tile} has taken effect twice`);
      if (this.phase !== 'done') continue;
      if (state !== WORK_DONE) throw new Error(`tile ${tile} is in state ${state} at the end`);
      if (this.tiles[tile]!.effects.some((times) => times !== 1)) throw new Error(`an effect of tile ${tile} is lost`);
    }
    const ended = this.phase === 'done' || this.phase === 'failed';
    if (ended && (this.queue.isWaiting || this.counts.waiting !== 0)) throw new Error('work waits after the end');
  }

  private stepsOf(worker: Worker, index: number): Step[] {
    const name = `worker ${index}`;
    if (worker.tile !== null) {
      const [next] = worker.ahead;
      if (next !== undefined) return [{ name: `${name} reads page ${next}`, run: () => this.read(worker, next) }];
      return [{ name: `${name} ends its run`, run: () => this.endRun(worker) }];
    }
    if (this.phase !== 'job') return [];
    if (worker.wanted !== null)
      return [{ name: `${name} claims tile ${worker.wanted}`, run: () => this.claim(worker) }];
    return [...this.claimable()].map((tile) => ({
      name: `${name} finds tile ${tile}`,
      run: () => {
        worker.wanted = tile;
      },
    }));
  }

  /** As TileRuns.take: new tiles in the first job, and ready ones at any time. */
  private *claimable(): Iterable<number> {
    for (let tile = 0; tile < TILES; tile++) {
      const state = this.states.of(tile);
      if (state === WORK_READY || (state === WORK_NEW && !this.isAgain)) yield tile;
    }
  }

  private claim(worker: Worker): void {
    const tile = worker.wanted!;
    worker.wanted = null;
    if (!this.states.happen(tile, WORK_BEGINS)) return;
    const reads = this.scene.reads[tile]!;
    worker.tile = tile;
    const isPart = this.states.get(tile, LateWork.part) !== 0;
    const part = isPart
      ? reads.slice(this.states.get(tile, LateWork.first), this.states.get(tile, LateWork.end))
      : reads;
    worker.ahead = part.filter((page) => !this.tiles[tile]!.kept.includes(page));
  }

  /** One warp reads one page. A tile that continues warp by warp stops at the first miss. */
  private read(worker: Worker, page: number): void {
    worker.ahead.shift();
    if (this.resident.has(page)) worker.made.push(page);
    else {
      worker.missed.push(page);
      if (this.states.get(worker.tile!, LateWork.maxResumedEntries) !== 0) worker.ahead = [];
    }
  }

  private endRun(worker: Worker): void {
    const { tile, made, missed } = worker;
    const { states, scene } = this;
    const { kept, effects } = this.tiles[tile!]!;
    const reads = scene.reads[tile!]!;
    const isPart = states.get(tile!, LateWork.part) !== 0;
    const parks = scene.ways[tile!] !== 'replays' && !isPart;
    const event = endOfRun(missed.length === 0 ? STATUS_DONE : parks ? STATUS_PARKED : STATUS_WAITS);
    // What a parked tile that may still be replayed has drawn takes effect when it is done.
    const takesEffect = scene.ways[tile!] === 'keeps' || missed.length === 0;
    if (parks) kept.push(...made);
    if (takesEffect)
      for (const page of parks && scene.ways[tile!] === 'parks' ? kept : made) effects[reads.indexOf(page)]!++;
    states.put(tile!, LateWork.context, parks && missed.length > 0 ? 1 : 0);
    states.put(tile!, LateWork.entryCount, reads.length);
    states.put(tile!, LateWork.warpsCompleted, made.length);
    states.report(
      tile!,
      event,
      Int32Array.from(missed, (page) => FIRST_ENTRY + page)
    );
    Object.assign(worker, idle());
  }

  private ownSteps(): Step[] {
    const steps: Step[] = [];
    const isBusy = this.workers.some(({ tile, wanted }) => tile !== null || wanted !== null);
    if (this.phase === 'job') {
      steps.push({ name: 'the main thread looks', run: () => this.queue.look() });
      // In a later job, tiles may become ready after the workers have looked for them.
      const isBegun = this.isAgain || this.tiles.every((_, tile) => this.states.of(tile) !== WORK_NEW);
      if (!isBusy && isBegun) steps.push({ name: 'the job ends', run: () => this.endJob() });
    }
    if (this.hasChanged)
      for (const onlyParked of [true, false])
        steps.push({ name: 'the main thread hears of pages', run: () => this.hear(onlyParked) });
    return steps;
  }

  /** Undone tiles are replayed in a job that has geometry besides. */
  private hear(onlyParked: boolean): void {
    const { queue } = this;
    this.hasChanged = false;
    queue.requestPages();
    if (this.phase === 'job') queue.makeReady(onlyParked);
    else this.next();
  }

  private endJob(): void {
    this.queue.jobEnded();
    this.next();
  }

  /** As StreamedPass.next. */
  private next(): void {
    const { queue } = this;
    if (queue.failure === null && queue.tooLarge !== null) queue.divide();
    if (queue.failure !== null || queue.tooLarge !== null) {
      this.phase = 'failed';
      queue.end();
    } else if (!queue.isWaiting) {
      this.phase = 'done';
      queue.end();
    } else {
      this.phase = queue.scheduleReady() ? 'job' : 'waiting';
      this.isAgain = true;
    }
  }

  /** A requested page arrives or fails, for which there is room. Any other page may be evicted if nothing needs it. */
  private source(): Step[] {
    const steps: Step[] = [];
    for (const page of this.requested) {
      const arrives = (): void => {
        this.requested.delete(page);
        if (page === this.scene.lost) this.failed.add(page);
        else this.resident.add(page);
        this.hasChanged = true;
      };
      if (this.resident.size < this.scene.room) steps.push({ name: `page ${page} arrives`, run: arrives });
    }
    if (this.isRead) return steps;
    for (const page of this.resident)
      if (!this.pinned.has(FIRST_ENTRY + page))
        steps.push({ name: `page ${page} is evicted`, run: () => this.resident.delete(page) });
    return steps;
  }

  /** As StreamedPass.divisionOf. */
  private divisionOf(tile: number): Division {
    const record = tile * LateWork.bytes;
    if (this.scene.ways[tile] === 'keeps') return new WarpByWarp(this.memory, record);
    if (this.states.get(tile, LateWork.context) !== 0) {
      this.states.put(tile, LateWork.context, 0);
      this.states.happen(tile, WORK_IS_UNDONE);
      this.tiles[tile]!.kept.length = 0;
    }
    return new TileParts(this.memory, record, { isCoarse: false, inOrder: false });
  }

  private texture(): PagedTexture {
    const { resident, requested, failed, scene } = this;
    const setRead = (isRead: boolean): void => {
      this.isRead = isRead;
    };
    return {
      waits: true,
      isStopped: false,
      shape: { label: 'texture' },
      table: { has: () => true, bytesOf: () => 1, placeOf: (entry) => ({ level: 0, x: entry, y: 0, layer: 0 }) },
      loads: {
        budgetBytes: scene.room,
        roomBytes: scene.room,
        hasQueue: false,
        set read(isRead: boolean) {
          setRead(isRead);
        },
        isResident: (entry) => resident.has(entry - FIRST_ENTRY),
        failureOf: (entry) => (failed.has(entry - FIRST_ENTRY) ? 'the page is lost' : null),
        request: (entry) => {
          if (!resident.has(entry - FIRST_ENTRY)) requested.add(entry - FIRST_ENTRY);
        },
        pin: (entries) => {
          this.pinned = entries;
        },
        cancelWaits: () => requested.clear(),
      },
      listener: null,
      isInMipTail: () => false,
      requestSubstituted: () => undefined,
    };
  }
}

const idle = (): Worker => ({ tile: null, wanted: null, ahead: [], made: [], missed: [] });
