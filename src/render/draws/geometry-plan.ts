// Splits the draw calls of a pass into geometry tasks for workers (layout/job/job.ts). The split depends on the
// commands alone, never on the number of workers.
import { BATCH_VERTICES, RANGE_VERTICES } from '../../../assembly/layout/vertex/geometry-codes';
import {
  SEGMENT_CALLS,
  SEGMENT_EMIT,
  SEGMENT_FLAG_APPENDS,
  SEGMENT_FLAG_START,
  SEGMENT_LIST,
  SEGMENT_SHADE,
} from '../../../assembly/layout/job/job-codes';
import { WARP_QUADS } from '../../../assembly/layout/limits';
import { DrawCall, GeometryTask, Segment, VertexRange } from '../../../build/layout';
import { isStrip, primitivesOf, stepOf } from '../../mpipe';
import type { CommandMemory } from '../memory/command-memory';
import type { WorkProgress } from './work-watch';
import type { Pipeline } from '../pipeline/pipeline';
import type { WorkerSet } from '../pipeline/pipeline-types';
import type { DrawCounts } from './draw-counts';
import type { IndexUse } from '../resources/index-ranges';
import type { DrawCommand } from '../types';
import { writeSharedRange, sharedRangeBytes, type SharedRange } from '../memory/vertex-memory';
import { Words } from '../memory/words';
import { sameWorkers } from '../workspace/worker-roles';

/**
 * Bounds for the number of primitives in a task. Within them, the size is chosen so that a pass has a few dozen tasks
 * for workers to share. Each task has its own lists for all tiles: 500 000 triangles took 52 ms in tasks of 2048, 49 ms
 * in tasks of 8192, and 47 ms as one task.
 */
const LEAST_PRIMITIVES = 2048;
const MOST_PRIMITIVES = 8192;
const TASKS_WANTED = 24;
/** Number of vertices of a shared range that a task shades. */
const TASK_VERTICES = 4096;
/**
 * Maximum number of segments in a task. Small draw calls share a task, so that not every one of them needs its own
 * lists for all tiles.
 */
const TASK_SEGMENTS = 64;
/**
 * Maximum numbers of tasks and segments in a chunk. Each pass allocates memory for all of them. With 16 384 segments (1
 * MB), 10 000 small draw calls took 0.93 of the time, because each tile runs only once.
 */
export const MAX_TASKS = 512;
export const MAX_SEGMENTS = 2048;
/** What a DRAW CALL costs in addition to its primitives, in primitives. */
const CALL_WEIGHT = 8;
/** Maximum number of parts in which the vertices of a range are shaded. Parts are whole warps. */
const MOST_SHADES = 128;
const WARP = WARP_QUADS * 4;
/**
 * Instances with at least this many indices use index ranges. The kernel uses the same limit
 * (assembly/vertex/geometry.ts).
 */
export const RANGE_INDICES = 24;

/** Consecutive small draw calls with DRAW CALL records. Each is planned as a whole. */
export interface PlannedCalls {
  readonly number: number;
  /** Address of the first DRAW CALL, and how many there are. */
  readonly calls: number;
  readonly length: number;
  /** The sum of DrawCall.weight. */
  readonly weight: number;
  /** DrawCall.weight of each; 0 if they differ. */
  readonly each: number;
  /** The largest number of varyings. */
  readonly varyings: number;
  /** Whether some of them use index ranges. */
  readonly hasRange: boolean;
}

/** A draw call that draws something. */
export interface PlannedDraw {
  /** Index of the draw call in the pass. */
  readonly number: number;
  /** Address of the DRAW record. */
  readonly record: number;
  readonly counts: DrawCounts;
  /** Whether an instance may be split anywhere. Not possible with a range, nor where indices may restart a strip. */
  readonly isDivisible: boolean;
  /** Number of vertices from one primitive to the next. */
  readonly step: number;
  /** Maximum number of primitives in an instance. */
  readonly primitives: number;
  /** Maximum number of output primitives per primitive, if stages emit. */
  readonly amplification: number;
  readonly varyings: number;
  /** Whether the indices form a range, shared or not. */
  readonly hasRange: boolean;
  /**
   * Number of vertices in the index range of an instance, if all workers share it; 0 if each worker shades what it
   * needs.
   */
  readonly sharedRange: number;
  readonly stored: SharedRange['stored'];
  /**
   * Whether the draw call only writes unordered stream output and draws nothing. A chunk has either only such draw
   * calls or none (SEGMENT_FLAG_APPENDS).
   */
  readonly appends: boolean;
  /** The workers that run it. A chunk has only draw calls with the same workers. */
  readonly workers: WorkerSet;
}

export type Planned = PlannedDraw | PlannedCalls;
export const isCalls = (planned: Planned): planned is PlannedCalls => 'calls' in planned;

/** The position in the planned draw calls at which geometry continues. */
interface Cursor {
  /** Index in the list. */
  readonly item: number;
  /** In PlannedCalls: the next DRAW CALL. */
  readonly call: number;
  readonly instance: number;
  readonly position: number;
  /** In a shared range: the next triangle. */
  readonly triangle: number;
  /** Copy of the segment that the last chunk stopped in, which comes first; null if there is none. */
  readonly begun: Uint32Array | null;
}
const START: Cursor = { item: 0, call: 0, instance: 0, position: 0, triangle: 0, begun: null };

/** Returns null if the draw call draws nothing. `oracle`: do not use index ranges. */
export function planDraw(
  { record, number }: Pick<PlannedDraw, 'record' | 'number'>,
  { state, indexed }: DrawCommand,
  counts: DrawCounts,
  use: IndexUse | null,
  { oracle, appends }: { readonly oracle: boolean; readonly appends: boolean }
): PlannedDraw | null {
  const pipeline = state.pipeline as Pipeline;
  const { stored, amplification } = pipeline.vertexStages;
  const { topology } = pipeline.state.primitive;
  const primitives = primitivesOf(topology, counts.count);
  if (primitives === 0 || counts.instanceCount === 0) return null;
  const range = use === null || oracle || (counts.instanceCount > 1 && counts.count < RANGE_INDICES) ? 0 : use.count;
  return {
    record,
    number,
    counts,
    isDivisible: (range === 0 || stored !== null) && !(indexed && isStrip(topology)),
    step: stepOf(topology),
    primitives,
    amplification,
    varyings: pipeline.varyingSources.length,
    hasRange: range > 0 && stored === null,
    sharedRange: range > (stored === null ? RANGE_VERTICES : BATCH_VERTICES) && !appends ? range : 0,
    stored,
    appends,
    workers: pipeline.state.workers ?? null,
  };
}

export interface PlanMemory {
  readonly memory: WebAssembly.Memory;
  /** Memory for shared ranges; null to use none. */
  readonly pool: { readonly address: number; readonly bytes: number } | null;
  readonly threads: number;
  readonly commands: CommandMemory;
}

/** Addresses of MAX_TASKS TASK records and MAX_SEGMENTS SEGMENTs. */
interface PlanRecords {
  readonly tasks: number;
  readonly segments: number;
}

/** Number of primitives in a task of a draw call, given its number of output primitives. */
const shareOf = ({ amplification }: PlannedDraw, share: number): number =>
  Math.max(WARP, Math.floor(share / amplification));
const weigh = ({ primitives, amplification }: PlannedDraw): number => primitives * amplification;
const weighAll = (planned: Planned): number =>
  isCalls(planned) ? planned.weight + planned.length * CALL_WEIGHT : weigh(planned) * planned.counts.instanceCount;

export class GeometryPlan {
  /** Records of the current chunk. */
  private records: PlanRecords = { tasks: 0, segments: 0 };
  private cursor: Cursor = START;
  /** Where the current chunk began. */
  private start: Cursor = START;
  private tasks = 0;
  private segments = 0;
  /** Number of tasks at which the chunk is complete. */
  private maxTasks = MAX_TASKS;
  /** Whether the next draw call or range does not fit into the chunk as a whole. */
  private full = false;
  /** Whether the chunk's draw calls append (PlannedDraw.appends). */
  private appends = false;
  /** The workers that run the chunk. */
  workers: WorkerSet = null;
  /** Number of primitives in the task that is being filled; Infinity if nothing may be added. */
  private weight = 0;
  /**
   * Shared ranges are allocated consecutively in the pool. When the pool is full, allocation starts over, and new
   * ranges wait for all earlier tasks, those before number `epoch`.
   */
  private poolCursor = 0;
  private epoch = 0;
  /** Target number of primitives in a task. */
  private readonly share: number;
  private readonly memory: Words;

  /** `drawEnds`: end a chunk after each draw call. */
  constructor(
    private readonly draws: readonly Planned[],
    private readonly parts: PlanMemory,
    private readonly drawEnds: boolean
  ) {
    const all = draws.reduce((sum, draw) => sum + weighAll(draw), 0);
    this.memory = new Words(parts.memory);
    this.share = Math.max(LEAST_PRIMITIVES, Math.min(MOST_PRIMITIVES, Math.ceil(all / TASKS_WANTED)));
  }

  /** Whether all draw calls have been planned. */
  get isDone(): boolean {
    return this.cursor.item >= this.draws.length;
  }

  /** How much of the draw call at which the next chunk begins is done, in vertices; null if it has not begun. */
  get progress(): WorkProgress | null {
    const { item, call, instance, position, begun } = this.cursor;
    const draw = this.draws[item];
    if (!draw) return null;
    if (isCalls(draw))
      return begun ? { at: draw.number + call, done: position, all: begun[Segment.positionEnd >>> 2]! } : null;
    const { number, counts } = draw;
    const done = instance * counts.count + position;
    return done > 0 || begun ? { at: number, done, all: counts.count * counts.instanceCount } : null;
  }

  /** Plans and writes the next chunk, with `maxTasks` tasks or slightly more. Returns the number of tasks. */
  next(records: PlanRecords, maxTasks = Infinity): number {
    this.records = records;
    this.start = this.cursor;
    this.maxTasks = Math.min(MAX_TASKS, maxTasks);
    this.tasks = this.segments = this.weight = this.poolCursor = this.epoch = 0;
    this.full = false;
    while (!this.isDone && this.hasRoom) {
      const { item, begun } = this.cursor;
      const planned = this.draws[item]!;
      const appends = !isCalls(planned) && planned.appends;
      const workers = isCalls(planned) ? null : planned.workers;
      if (this.tasks > 0 && (appends !== this.appends || !sameWorkers(workers, this.workers))) break;
      this.appends = appends;
      this.workers = workers;
      if (isCalls(planned)) this.cutCalls(planned, begun);
      else if (begun) this.resume(planned, begun);
      else if (this.poolHolds(planned)) this.cutShared(planned);
      else this.cutList(planned);
      if (this.cursor.item === item) continue;
      if (this.drawEnds && this.tasks > 0) break;
    }
    return this.tasks;
  }

  /**
   * Plans the whole chunk again. Its records cannot be reused: where the arena was full, they say where geometry would
   * continue.
   */
  replan(): void {
    this.cursor = this.start;
  }

  /**
   * Continues where the chunk ended: before its task `end`, or with `stopped` inside that segment of the task before.
   */
  continueFrom(end: number, stopped: number | null): void {
    const u32 = this.words();
    const task = (this.records.tasks + (stopped === null ? end : end - 1) * GeometryTask.bytes) >>> 2;
    const segment = (u32[task + (GeometryTask.segments >>> 2)]! + (stopped ?? 0) * Segment.bytes) >>> 2;
    const of = (field: number): number => u32[segment + (field >>> 2)]!;
    const kind = of(Segment.kind);
    const item = this.itemOf(of(Segment.number));
    const cursor = {
      item,
      call: of(Segment.number) - this.draws[item]!.number,
      instance: of(Segment.instance),
      position: of(Segment.position),
      triangle: 0,
    };
    if (kind === SEGMENT_SHADE) this.cursor = { ...cursor, begun: null };
    else
      this.cursor = {
        ...cursor,
        triangle: kind === SEGMENT_EMIT ? of(Segment.first) : 0,
        begun: u32.slice(segment, segment + (Segment.bytes >>> 2)),
      };
  }

  /** The item with a draw call. */
  private itemOf(number: number): number {
    let low = 0;
    for (let high = this.draws.length; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (this.draws[middle]!.number <= number) low = middle;
      else high = middle;
    }
    return low;
  }

  private get hasRoom(): boolean {
    return !this.full && this.tasks < this.maxTasks && this.segments < MAX_SEGMENTS;
  }

  private poolHolds(draw: PlannedDraw): boolean {
    const { pool, threads } = this.parts;
    return draw.sharedRange > 0 && pool !== null && sharedRangeBytes(draw, threads) <= pool.bytes;
  }

  /** Continues the segment that the last chunk stopped in. */
  private resume(draw: PlannedDraw, begun: Uint32Array): void {
    const of = (field: number): number => begun[field >>> 2]!;
    if (of(Segment.kind) === SEGMENT_EMIT) {
      this.cutShared(draw, begun);
      return;
    }
    const segment = this.addSegment(Math.min(this.share, weigh(draw)));
    this.words().set(begun, segment >>> 2);
    this.advanceCursor(draw, of(Segment.instanceEnd), of(Segment.positionEnd));
  }

  /** Moves the cursor past a segment of a list. */
  private advanceCursor(
    { counts: { count, instanceCount } }: PlannedDraw,
    instanceEnd: number,
    positionEnd: number
  ): void {
    const { item } = this.cursor;
    if (positionEnd < count) this.goTo(item, instanceEnd - 1, positionEnd);
    else if (instanceEnd < instanceCount) this.goTo(item, instanceEnd, 0);
    else this.goTo(item + 1, 0, 0);
  }

  private goTo(item: number, instance: number, position: number): void {
    this.cursor = { ...START, item, instance, position };
  }

  /** Adds draw calls, as many per segment as have a task's share of work. */
  private cutCalls(planned: PlannedCalls, begun: Uint32Array | null): void {
    const { number, calls, length } = planned;
    const { item } = this.cursor;
    while (this.cursor.item === item && this.hasRoom) {
      const { call } = this.cursor;
      const room = this.tasks > 0 && this.weight < this.share ? this.share - this.weight : this.share;
      const { end, weight } = this.fill(planned, call, begun ? begun[Segment.end >>> 2]! : length, room);
      const segment = this.addSegment(Math.min(weight, room));
      const u32 = this.words();
      if (begun) u32.set(begun, segment >>> 2);
      else {
        u32.fill(0, segment >>> 2, (segment + Segment.bytes) >>> 2);
        u32[(segment + Segment.kind) >>> 2] = SEGMENT_CALLS;
        u32[(segment + Segment.number) >>> 2] = number + call;
        u32[(segment + Segment.range) >>> 2] = calls;
        u32[(segment + Segment.first) >>> 2] = call;
      }
      u32[(segment + Segment.end) >>> 2] = end;
      begun = null;
      this.cursor = end < length ? { ...START, item, call: end } : { ...START, item: item + 1 };
    }
  }

  /** Returns the end of at least one DRAW CALL, and more if they have at most this weight. */
  private fill(
    { calls, each }: PlannedCalls,
    first: number,
    last: number,
    room: number
  ): { end: number; weight: number } {
    if (each > 0) {
      const length = Math.min(last - first, Math.max(1, Math.floor(room / (each + CALL_WEIGHT))));
      return { end: first + length, weight: length * (each + CALL_WEIGHT) };
    }
    const u32 = this.words();
    let weight = 0;
    let end = first;
    for (; end < last; end++) {
      const more = u32[(calls + end * DrawCall.bytes + DrawCall.weight) >>> 2]! + CALL_WEIGHT;
      if (end > first && weight + more > room) break;
      weight += more;
    }
    return { end, weight };
  }

  /**
   * Adds several whole instances per segment, or parts of an instance if it is long. Indexed strips cannot be split,
   * because strip restarts define their corners. Instances with an index range cannot be split either, because the
   * vertices of the range are shaded together.
   */
  private cutList(draw: PlannedDraw): void {
    const { counts, step, primitives, isDivisible, amplification } = draw;
    const { item } = this.cursor;
    const share = shareOf(draw, this.share);
    const inParts = isDivisible && primitives > share * 1.5;
    const instances = Math.max(1, Math.floor(share / primitives));
    while (this.cursor.item === item && this.hasRoom) {
      const { instance, position } = this.cursor;
      const instanceEnd = inParts ? instance + 1 : Math.min(counts.instanceCount, instance + instances);
      const partEnd = position + share * step;
      // Avoid tiny parts: a rest of less than half a task is added to the part before.
      const positionEnd = inParts && partEnd + (share >> 1) * step < counts.count ? partEnd : counts.count;
      const weight = inParts ? (positionEnd - position) / step : primitives * (instanceEnd - instance);
      const segment = this.addSegment(weight * amplification);
      this.write(segment, SEGMENT_LIST, draw, instance === 0 && position === 0);
      this.writePart(segment, instanceEnd, position, positionEnd);
      const u32 = this.words();
      u32[(segment + Segment.instance) >>> 2] = instance;
      // In a part of a strip, all vertices before it belong to the same strip.
      u32[(segment + Segment.stripLength) >>> 2] = position;
      this.advanceCursor(draw, instanceEnd, positionEnd);
    }
  }

  /**
   * Adds instances whose vertices all workers share: first segments that shade the vertices in parts, then segments
   * that emit triangles in parts and wait for the shading.
   */
  private cutShared(draw: PlannedDraw, begun: Uint32Array | null = null): void {
    const { item } = this.cursor;
    const { sharedRange: vertices, primitives: triangles } = draw;
    const share = shareOf(draw, this.share);
    const part = Math.max(TASK_VERTICES, Math.ceil(vertices / MOST_SHADES / WARP) * WARP);
    const shades = Math.ceil(vertices / part);
    while (this.cursor.item === item && this.hasRoom) {
      // A chunk must also contain the shading of its triangles' vertices.
      if (
        this.tasks > 0
        && Math.max(this.tasks + shades, this.segments + shades - MAX_SEGMENTS + MAX_TASKS) >= MAX_TASKS
      ) {
        this.full = true;
        return;
      }
      const { instance } = this.cursor;
      let { triangle } = this.cursor;
      const range = this.takeRange(draw, shades);
      for (let vertex = 0; vertex < vertices; vertex += part) {
        const segment = this.addSegment(Infinity, this.epoch);
        this.write(segment, SEGMENT_SHADE, draw, instance === 0 && vertex === 0 && triangle === 0 && begun === null);
        this.writeRange(segment, range, instance, vertex, Math.min(vertices, vertex + part));
      }
      for (const shaded = this.tasks; triangle < triangles && (this.hasRoom || this.tasks === shaded); begun = null) {
        const end = begun ? begun[Segment.end >>> 2]! : Math.min(triangles, triangle + share);
        const segment = this.addSegment(Infinity, shaded);
        if (begun) this.words().set(begun, segment >>> 2);
        else {
          this.write(segment, SEGMENT_EMIT, draw, false);
          this.writePart(segment, instance + 1, triangle * 3, end * 3);
        }
        this.writeRange(segment, range, instance, triangle, end);
        triangle = end;
      }
      if (triangle < triangles) this.cursor = { ...START, item, instance, triangle };
      else if (instance + 1 < draw.counts.instanceCount) this.goTo(item, instance + 1, 0);
      else this.goTo(item + 1, 0, 0);
    }
  }

  /** Writes a RANGE record and allocates its memory in the pool. */
  private takeRange(draw: PlannedDraw, shades: number): number {
    const { pool, threads, commands } = this.parts;
    const bytes = sharedRangeBytes(draw, threads);
    if (this.poolCursor + bytes > pool!.bytes) {
      this.poolCursor = 0;
      this.epoch = this.tasks;
    }
    const range = commands.take(VertexRange.bytes);
    const u32 = this.words();
    writeSharedRange(u32, range, pool!.address + this.poolCursor, draw, threads);
    u32[(range + VertexRange.codes) >>> 2] = 0;
    u32[(range + VertexRange.segments) >>> 2] = this.records.segments + this.segments * Segment.bytes;
    u32[(range + VertexRange.segmentCount) >>> 2] = shades;
    this.poolCursor += bytes;
    return range;
  }

  /**
   * Adds a segment to the last task if that has less than its share of work. Otherwise adds it to a new task, which
   * waits for the tasks before number `after`.
   */
  private addSegment(weight: number, after = 0): number {
    const u32 = this.words();
    const last = (this.records.tasks + (this.tasks - 1) * GeometryTask.bytes) >>> 2;
    const count = last + (GeometryTask.segmentCount >>> 2);
    const segment = this.records.segments + this.segments++ * Segment.bytes;
    if (this.tasks > 0 && this.weight + weight <= this.share && u32[count]! < TASK_SEGMENTS) {
      u32[count]! += 1;
      this.weight += weight;
      return segment;
    }
    const task = (this.records.tasks + this.tasks++ * GeometryTask.bytes) >>> 2;
    u32.fill(0, task, task + (GeometryTask.bytes >>> 2));
    u32[task + (GeometryTask.after >>> 2)] = after;
    u32[task + (GeometryTask.segments >>> 2)] = segment;
    u32[task + (GeometryTask.segmentCount >>> 2)] = 1;
    this.weight = weight;
    return segment;
  }

  private write(segment: number, kind: number, { record, number, appends }: PlannedDraw, isStart: boolean): void {
    const u32 = this.words().fill(0, segment >>> 2, (segment + Segment.bytes) >>> 2);
    u32[(segment + Segment.draw) >>> 2] = record;
    u32[(segment + Segment.kind) >>> 2] = kind;
    u32[(segment + Segment.flags) >>> 2] = (isStart ? SEGMENT_FLAG_START : 0) | (appends ? SEGMENT_FLAG_APPENDS : 0);
    u32[(segment + Segment.number) >>> 2] = number;
  }

  /** Writes where a part of a list begins and ends. */
  private writePart(segment: number, instanceEnd: number, position: number, positionEnd: number): void {
    const u32 = this.words();
    u32[(segment + Segment.position) >>> 2] = position;
    u32[(segment + Segment.instanceEnd) >>> 2] = instanceEnd;
    u32[(segment + Segment.positionEnd) >>> 2] = positionEnd;
  }

  private writeRange(segment: number, range: number, instance: number, first: number, end: number): void {
    const u32 = this.words();
    u32[(segment + Segment.range) >>> 2] = range;
    u32[(segment + Segment.instance) >>> 2] = instance;
    u32[(segment + Segment.first) >>> 2] = first;
    u32[(segment + Segment.end) >>> 2] = end;
  }

  private words(): Uint32Array {
    return this.memory.now().u32;
  }
}
