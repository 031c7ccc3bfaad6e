// Executes a render pass as a queue entry. Draw calls become DRAW records and are split into geometry tasks. Chunk by
// chunk, these tasks and the pass's tiles form a job for the workers, or for the calling thread in turns if there are
// no workers. The commands and the size of the arena determine where a chunk ends; timing never does.
import { TILE_SIZE } from '../../assembly/layout/limits';
import { STATUS_DONE, STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_TOO_LONG } from '../../assembly/layout/status';
import { Draw, Job } from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs } from '../base/clock';
import { DeviceLostError } from '../base/errors';
import { labelled, plain } from '../base/printable';
import { accessUse, hasLoop, type AccessUse, type IrProgram } from '../ir';
import type { Kernel } from '../kernels';
import type { Allocator } from '../memory';
import { MAX_TIMEOUTS, type Executor } from '../schedule';
import type { RateFallback } from '../shading-rate';
import type { Surfaces } from '../surface';
import type { CommandMemory } from './memory/command-memory';
import type { DecodedBlocks } from './decoded-blocks';
import { recordDiscards, zeroDiscardedAttachments, zeroDiscardedResource, surfacesOf } from './resources/discarded';
import { DrawRecords, type StateRecords } from './draws/draw-records';
import { readDrawCounts } from './draws/draw-counts';
import type { SinkRange } from './draws/sink-ranges';
import { GeometryPlan, planDraw, type PlanMemory, type PlannedDraw } from './draws/geometry-plan';
import type { IndexRanges } from './resources/index-ranges';
import { StreamedPass, type Next } from './streaming/streamed-pass';
import { writePass } from './workspace/pass-record';
import type { Pipeline, Registers } from './pipeline/pipeline';
import { Prologues } from './draws/prologues';
import { hasRates, RateRecords } from './draws/rate-records';
import { Sinks } from './draws/sinks';
import { stoppedRegisterBytes, passStreams, passWriters } from './streaming/stream-rules';
import type { WaitCounts, Stream } from './resources/streams';
import { faultMessage, passGroups, passSurfaces, readFaults } from './resources/surface-record';
import type { DrawCommand, DrawState, DynamicState, PassState, Work } from './types';
import { sharedRangeBytes } from './memory/vertex-memory';
import type { View } from './resources/views';
import { WorkWatch } from './draws/work-watch';
import type { Workspace } from './workspace/workspace';

/**
 * Maximum bytes for shared ranges; bytes that a pass uses if it has enough ranges, so that workers need not wait for
 * each other between them.
 */
const MOST_POOL_BYTES = 64 << 20;
const POOL_BYTES = 16 << 20;

/** Maximum number of pixels of a pass without draw calls that always runs on the calling thread. */
const COPY_PIXELS = 1 << 21;

/** A pass with at most this many pixels and vertices neither starts workers nor makes the compiler hurry. */
const SMALL_PIXELS = 256 * 256;
const SMALL_VERTICES = 10_000;
/**
 * A pass with at most this many vertices runs on the calling thread, if it has one tile or at most this many pixel
 * operations.
 */
const LITTLE_VERTICES = 64;
const LITTLE_OPERATIONS = 1_250_000;

/** What the passes of one device share. */
export interface PassContext {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly commands: CommandMemory;
  readonly workspace: Workspace;
  readonly ranges: IndexRanges;
  readonly surfaces: Surfaces;
  readonly decoded: DecodedBlocks;
  /** For tests: whether a chunk ends after every draw call. */
  readonly chunkEveryDraw: boolean;
  /** For tests: whether the oracle is used, which does not support index ranges. */
  readonly oracle: boolean;
  /** Whether tiles run in order if their order could be observed. */
  readonly deterministic: boolean;
  /** Whether shaders are never compiled. */
  readonly interprets: boolean;
  /** Runs jobs on the calling thread. */
  readonly executor: Executor;
  /** Whether the stages of all pipelines count their warps, not only those of modular pipelines. */
  countsStages(): boolean;
  /**
   * Gives the job that the workspace describes to workers. `ended` is called in a separate macro-task. Returns false if
   * there are no workers, or none yet. `isSmall`: the job alone does not justify starting them.
   */
  employ(isSmall: boolean, ended: () => void): boolean;
  /**
   * Returns whether workers are starting. If so, `go` is called in a macro-task once they are ready or turn out to be
   * unavailable, or inside a call that waits for the pass.
   */
  awaitWorkers(go: () => void): boolean;
  /** Whether workers are used even when the calling thread would finish earlier. */
  readonly alwaysUseWorkers: boolean;
  /** Reports that the pass cannot be finished. The device continues. */
  failed(message: string): void;
  /** Sets a function that handles waiting tiles while workers run a job; null to stop. */
  onTilesWaiting(look: (() => void) | null): void;
  /** Continues the pass, which has waited for pages. Called in a macro-task. */
  wake(): void;
  /** A number that grows with each pass that reads streamed textures. */
  nextStreamPass(): number;
  readonly late: WaitCounts;
  /** Counts that the geometry of a chunk runs while tiles of the chunk before it wait. */
  onGeometryPrefetched(): void;
  /** Counts tiles that were abandoned, to be replayed. */
  onTilesDiscarded(count: number): void;
  /** An error message if the workers cannot continue, else null. */
  lost(): string | null;
  /** Compiles a waiting pipeline, if that is possible at once. */
  tryCompileSync(pipeline: Pipeline): void;
  /** Publishes newly compiled modules. Called before a chunk. */
  publishModules(): void;
  /** Starts the time limit of one kernel call. */
  startClock(): void;
  readonly timeoutMs: number;
  onChunkDone(): void;
  /** Reports `faults` ignored accesses to surfaces, described by `message`. */
  onFaults(faults: number, message: string): void;
  /** Counts a draw call that requests shading rates, but whose shader runs at 1×1. */
  onRateFallback(cause: RateFallback): void;
  /** Counts draw calls that may run out of order, and how many of them the renderer found itself. */
  onUnorderedDraws(independent: number, found: number): void;
  onPassDone(): void;
}

/** Estimates how often a draw call covers a pixel. Two neighbouring triangles are assumed to form a quad. */
const layersOf = ({ counts, primitives, amplification }: PlannedDraw): number =>
  Math.max(1, counts.instanceCount * Math.ceil((primitives * amplification) / 2));

/** Number of draw calls between two looks at the clock. */
const DRAWS_A_STEP = 64;

type Phase =
  'start' | 'records' | 'chunk' | 'alone' | 'awaiting' | 'awaited' | 'employed' | 'ended' | 'late' | 'again' | 'done';

/** Vertices of all draw calls; Infinity with indirect draw calls. */
function countVertices({ runs }: PassState): number {
  let vertices = 0;
  for (const { commands } of runs)
    for (const { indirect, count, instanceCount } of commands) vertices += indirect ? Infinity : count * instanceCount;
  return vertices;
}

/** The pipelines of a pass, without duplicates. */
function passPipelines({ runs }: PassState): Set<Pipeline> {
  const pipelines = new Set<Pipeline>();
  for (const { commands } of runs) for (const { state } of commands) pipelines.add(state.pipeline as Pipeline);
  return pipelines;
}

/** What each fragment shader of a pass accesses. */
function accessUses(pipelines: Iterable<Pipeline>): readonly AccessUse[] {
  const uses = new Map<IrProgram, AccessUse>();
  for (const { pixel } of pipelines) for (const { program } of pixel) uses.set(program, accessUse(program));
  return [...uses.values()];
}

/**
 * Whether the order of tiles in a pass can be observed: in what one shader writes to buffers or images, or because
 * several shaders access them.
 */
function isSerial(all: readonly AccessUse[]): boolean {
  return (
    all.some(({ serial }) => serial)
    || (all.length > 1 && all.some(({ shares }) => shares) && all.some(({ writes }) => writes))
  );
}

/** Maximum number of shaders that a message names. */
const MOST_SUSPECTS = 4;

export class RenderPass implements Work {
  private phase: Phase = 'start';
  /** Address of the PASS record. */
  private record = 0;
  private prologues: Prologues | null = null;
  private records: DrawRecords | null = null;
  private shared: StateRecords | null = null;
  private sharing: DrawState | null = null;
  /** The draw calls in order; null for those that draw nothing. */
  private readonly planned: (PlannedDraw | null)[] = [];
  /** The next draw call to add: its run, and its command in the run. */
  private run = 0;
  private at = 0;
  private plan: GeometryPlan | null = null;
  private pipelines: ReadonlySet<Pipeline> = new Set();
  /** Multisampled surfaces that shaders access. */
  private surfaces: ReadonlySet<View> = new Set();
  private readonly sinks: Sinks;
  private readonly rooms = new Map<PlannedDraw, readonly (SinkRange | null)[]>();
  /** The actual plan while `plan` is that of a counting run for stream output; else null. */
  private uncounted: GeometryPlan | null = null;
  /** Registers of the two register files, except those before the last vertex stage's file. */
  private registers: Registers = { vertices: 1, pixels: 1 };
  private readonly vertices: number;
  /** Whether the calling thread, even if interpreting, takes no longer than workers and compilers need to get ready. */
  private readonly isSmall: boolean;
  /** Rough cost of a pixel that all draw calls cover, in simple operations. */
  private pixelCost = 0;
  /** Whether the order of tiles can be observed in what shaders write. */
  private isSerial = false;
  /** Whether some fragments may be shaded coarsely. */
  private hasRates = false;
  /** Whether several workers may share a tile of the pass. */
  private shares = false;
  /** Handles non-resident pages; null if no streamed textures are read, or if all their pages are resident. */
  private late: StreamedPass | null = null;
  /** The streamed textures that the pass reads, if all their pages are resident. */
  private whole: readonly Stream[] = [];
  /** Number of tasks in the next chunk, if its geometry runs while tiles of this chunk wait for pages; else null. */
  private prefetchedTasks: number | null = null;
  /** Whether that is allowed, until memory is short. */
  private mayPrefetch: boolean;
  /** Whether the pass has already waited for workers to start. */
  private hasAwaited = false;
  private readonly watch: WorkWatch;

  constructor(
    private readonly context: PassContext,
    private readonly state: PassState
  ) {
    this.vertices = countVertices(state);
    this.sinks = new Sinks(context);
    this.mayPrefetch = context.workspace.mayPrefetch;
    this.watch = new WorkWatch(context.timeoutMs);
    this.isSmall = state.width * state.height <= SMALL_PIXELS && this.vertices <= SMALL_VERTICES;
  }

  /** Whether the pass waits for workers to end their job or to start, or for pages. */
  get waits(): boolean {
    return this.phase === 'employed' || this.phase === 'late' || this.phase === 'awaiting';
  }

  get waitsForPages(): boolean {
    return this.phase === 'late';
  }

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.waits) return false;
      if (this.phase === 'start') this.start(deadline);
      else if (this.phase === 'records') this.addDraws();
      else if (this.phase === 'chunk') this.beginChunk();
      else if (this.phase === 'awaited') this.runJob();
      else if (this.phase === 'ended') this.endChunk();
      else if (this.phase === 'again') this.continueChunk(this.late!.next());
      else if (this.context.executor.advance(deadline)) this.phase = 'ended';
      else this.late?.look();
      if (clockMs() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private start(deadline: number): void {
    const { context, state } = this;
    const groups = passGroups(state);
    if (
      !context.decoded.provide(
        [...groups].flatMap(({ watched }) => watched),
        deadline
      )
    )
      return;
    context.workspace.busy = true;
    context.commands.reset();
    this.pipelines = passPipelines(state);
    if (!this.isSmall) for (const pipeline of this.pipelines) context.tryCompileSync(pipeline);
    let vertices = 1;
    let pixels = 1;
    let inputs = 0;
    let before = 0;
    for (const {
      registers,
      vertexStages: { registersBefore, inputBytes },
    } of this.pipelines) {
      vertices = Math.max(vertices, registers.vertices);
      pixels = Math.max(pixels, registers.pixels);
      before = Math.max(before, registersBefore);
      inputs = Math.max(inputs, inputBytes);
    }
    this.registers = { vertices, pixels };
    const uses = accessUses(this.pipelines);
    const rates = (this.hasRates = hasRates(state, this.pipelines));
    this.isSerial = isSerial(uses);
    const scratch = context.workspace.uniformScratch(Math.max(vertices, pixels));
    zeroDiscardedAttachments(context.memory, state);
    const region = state.rates?.region;
    if (region) zeroDiscardedResource(context.memory, { kind: 'texture', view: region.view });
    for (const group of groups)
      for (const resource of group.watched) {
        zeroDiscardedResource(context.memory, resource);
        if (resource.kind === 'buffer') context.ranges.written(resource.buffer);
      }
    this.surfaces = passSurfaces(groups);
    const {
      memory,
      commands,
      surfaces: { encodes },
    } = context;
    const pass = writePass(state, this.surfaces, { encodes, rates }, memory, commands);
    this.record = pass.address;
    this.beginStreams(pass.tiles, passStreams(groups));
    // Tiles are not shared if effects outside a pixel have an order, if samples are loaded or stored, or if shaders
    // write and may wait for pages.
    this.shares = !this.late?.writes && !this.isSerial && this.surfaces.size === 0;
    context.workspace.beginPass(pass, { vertices: vertices + before, pixels }, inputs, this.late?.records ?? null);
    const rateRecords = new RateRecords(memory, commands, state.rates, context.onRateFallback);
    this.prologues = new Prologues(commands, (list, count) => {
      this.check(context.kernel.exports.runPrologues(list, count, scratch));
    });
    const size = { width: state.width, height: state.height, countsStages: context.countsStages() };
    this.records = new DrawRecords(memory, commands, context.ranges, this.prologues, size, rateRecords);
    this.phase = 'records';
  }

  private beginStreams(tiles: number, streams: readonly Stream[]): void {
    const { context } = this;
    if (streams.length === 0) return;
    const pass = context.nextStreamPass();
    for (const stream of streams) stream.begin(pass);
    // Nothing will wait as long as no page is evicted.
    if (streams.every(({ isFullyResident }) => isFullyResident)) {
      this.whole = streams;
      for (const { loads } of streams) loads.read = true;
      return;
    }
    const writers = passWriters(this.state);
    // If the order of tiles can be observed and must be kept, tiles run dry instead of being parked.
    const mayKeep =
      writers.length > 0
      && !context.oracle
      && context.workspace.parks
      && !(this.isSerial && context.deterministic)
      && !this.hasRates;
    const kept = mayKeep ? stoppedRegisterBytes(this.pipelines, writers, context.interprets) : null;
    const rules = { isCoarse: this.hasRates, inOrder: this.isSerial && context.deterministic };
    this.late = new StreamedPass(context, streams, { record: this.record, tiles, rules }, writers, kept);
    for (const stream of streams) stream.listener = () => this.onPagesArrived();
  }

  /** Pages have arrived: resumes tiles during a job, or continues the pass if tiles can run again. */
  private onPagesArrived(): void {
    if (this.phase === 'employed' || this.phase === 'alone') this.late!.onPagesArrived();
    if (this.phase !== 'late') return;
    const { pages } = this.late!;
    pages.requestPages();
    if (this.late!.failure === null && !pages.hasReady) return;
    this.phase = 'again';
    this.context.wake();
  }

  /** Writes the records of the next draw calls, and the plan after the last one. */
  private addDraws(): void {
    const {
      state: { runs },
    } = this;
    // Prologues have no loops, so all of them finish long before the time limit.
    this.context.startClock();
    for (let left = DRAWS_A_STEP; left > 0 && this.run < runs.length; left--) {
      const { commands, dynamic } = runs[this.run]!;
      if (this.at < commands.length) this.addDraw(commands[this.at++]!, dynamic);
      else {
        this.run++;
        this.at = 0;
      }
    }
    this.prologues!.runAll();
    if (this.run === runs.length) this.makePlan();
  }

  private addDraw(command: DrawCommand, dynamic: DynamicState): void {
    const counts = readDrawCounts(this.context.memory, command);
    if (counts.count === 0 || counts.instanceCount === 0) {
      this.planned.push(null);
      return;
    }
    if (this.sharing !== command.state || this.shared?.dynamic !== dynamic) {
      this.sharing = command.state;
      this.shared = this.records!.state(command.state, dynamic);
    }
    const use = this.records!.indexUse(command, counts);
    const rooms = this.sinks.rooms(command, counts, dynamic);
    const record = this.records!.draw(this.shared, command, counts, use, rooms);
    const { oracle } = this.context;
    const appends = rooms.some((room) => room?.cursor);
    const draw = planDraw(record, command, counts, use, { oracle, appends });
    this.planned.push(draw);
    if (draw && rooms.length > 0) this.rooms.set(draw, rooms);
    if (this.isSmall && draw) this.pixelCost += (command.state.pipeline as Pipeline).pixelCost * layersOf(draw);
  }

  private makePlan(): void {
    const { context } = this;
    const { workspace, memory, commands } = context;
    const { threads } = workspace;
    const varyings = this.planned.reduce((most, draw) => Math.max(most, draw?.varyings ?? 0), 0);
    if (this.planned.some((draw) => draw?.hasRange)) workspace.provideRanges(varyings);
    let longest = 0;
    let all = 0;
    const most = Math.min(MOST_POOL_BYTES, workspace.maxPoolBytes);
    for (const draw of this.planned) {
      if (!draw || draw.sharedRange === 0) continue;
      const bytes = sharedRangeBytes(draw.sharedRange, draw.varyings, threads);
      if (bytes > most) continue;
      longest = Math.max(longest, bytes);
      all += bytes * draw.counts.instanceCount;
    }
    const pool = longest > 0 ? workspace.providePool(Math.max(longest, Math.min(all, POOL_BYTES, most))) : null;
    workspace.countStages(commands, this.records!.counters.pixelStages);
    const parts = { memory, pool, threads, commands };
    this.plan = new GeometryPlan(this.planned, parts, this.context.chunkEveryDraw);
    if (this.sinks.beginCounting()) this.beginCounting(parts);
    if (!this.isSmall) this.watch.begin(this.planned.findIndex((draw) => draw !== null));
    this.phase = 'chunk';
    if (this.isIdle && context.kernel.exports.tryFinishIdlePass(this.record)) this.finish();
  }

  /**
   * Draw calls whose stream output buffers are too small for gaps run before all others, in a counting run. They draw
   * nothing, and only the output of their primitives is counted.
   */
  private beginCounting(parts: PlanMemory): void {
    const tight = this.planned.map((draw) =>
      draw && this.sinks.needsCounting(this.rooms.get(draw) ?? []) ? draw : null
    );
    this.uncounted = this.plan;
    this.plan = new GeometryPlan(tight, parts, this.context.chunkEveryDraw);
    this.sayCounting(tight, 1);
  }

  private sayCounting(draws: readonly (PlannedDraw | null)[], counts: 0 | 1): void {
    const u32 = new Uint32Array(this.context.memory.buffer);
    for (const draw of draws) if (draw) u32[(draw.record + Draw.sinkCounting) >>> 2] = counts;
  }

  /** Ends the counting run. The actual pass begins, and the counters of its stages start over. */
  private endCounting(): void {
    this.sayCounting(this.planned, 0);
    this.sinks.endCounting();
    this.records!.counters.reset();
    this.plan = this.uncounted;
    this.uncounted = null;
    if (!this.isSmall) this.watch.begin(this.planned.findIndex((draw) => draw !== null));
  }

  /** Whether nothing is drawn. */
  private get isIdle(): boolean {
    return this.planned.every((draw) => draw === null);
  }

  private beginChunk(): void {
    const { context, prefetchedTasks } = this;
    const plan = this.plan!;
    const isPrefetched = prefetchedTasks !== null;
    context.publishModules();
    for (const pipeline of this.pipelines) pipeline.switchToCompiled(this.registers);
    const tasks = prefetchedTasks ?? plan.next(context.workspace.chunk, this.late?.maxTasks);
    this.prefetchedTasks = null;
    this.sinks.saveCursors();
    // Parked tiles may be overtaken by others, so the job need not be serial.
    const { late, shares } = this;
    const serial = this.isSerial && !(late?.keepsProgress && !late.isFullyResident);
    context.workspace.beginChunk(tasks, { last: plan.isDone && !this.uncounted, serial, shares, isPrefetched });
    try {
      this.late?.begin(tasks, this.records!.counters.vertex, isPrefetched);
    } catch (error) {
      this.endStreams();
      context.workspace.busy = false;
      throw error;
    }
    this.runJob();
  }

  /** Runs the job that the workspace describes. */
  private runJob(): void {
    const { context } = this;
    context.surfaces.provide([
      ...new Set([...surfacesOf(this.state), ...[...this.surfaces].flatMap(({ plane }) => plane.surface ?? [])]),
    ]);
    context.surfaces.running = true;
    this.phase = 'employed';
    if (this.late) context.onTilesWaiting(() => this.look());
    if (!this.isCopy && !this.isLittle) {
      if (
        context.employ(this.isSmall, () => {
          this.phase = 'ended';
        })
      )
        return;
      if (
        !this.hasAwaited
        && this.mayTakeLong
        && context.awaitWorkers(() => {
          this.phase = 'awaited';
        })
      ) {
        this.phase = 'awaiting';
        this.hasAwaited = true;
        return;
      }
    }
    context.executor.begin();
    this.phase = 'alone';
  }

  /** Whether a warp of one of its shaders may block the calling thread for long. */
  private get mayTakeLong(): boolean {
    return [...this.pipelines].some(({ mayTakeLong }) => mayTakeLong);
  }

  private look(): void {
    this.context.workspace.put(Job.hasNewWaitingTiles, 0);
    this.late!.look();
  }

  /** Continues a chunk that reads streamed textures. Returns whether anything of it is left. */
  private continueChunk(next: Next): boolean {
    const { context } = this;
    if (next === 'failed') {
      context.failed(`${labelled('render pass', this.state.label)} failed: ${this.late!.failure}`);
      context.onChunkDone();
      this.finish('failed');
    } else if (next === 'geometry') {
      this.plan!.replan();
      this.sinks.restoreCursors();
      this.phase = 'chunk';
    } else if (next !== 'done') {
      const hasGeometry = this.prefetchGeometry();
      if (hasGeometry || next === 'tiles') this.runJob();
      else {
        this.late!.pages.stalls();
        this.phase = 'late';
      }
    }
    return next !== 'done';
  }

  /**
   * While tiles wait, starts the next chunk's geometry in separate memory. Only if there is a next chunk and memory for
   * it, and if the geometry has no effects except pixels. Returns whether the job has geometry.
   */
  private prefetchGeometry(): boolean {
    const { context, late, plan } = this;
    const { workspace } = context;
    const isSeen = this.isSerial || !this.sinks.isEmpty;
    if (this.prefetchedTasks !== null || !this.mayPrefetch || isSeen || !late?.allowsPrefetch || !this.hasMore)
      return false;
    this.mayPrefetch = workspace.provideNextChunk();
    if (!this.mayPrefetch) return false;
    this.closeGeometry();
    const tasks = (this.prefetchedTasks = plan!.next(workspace.nextChunk, late.maxTasks));
    workspace.beginPrefetch(tasks);
    late.beginPrefetch();
    context.onGeometryPrefetched();
    return tasks > 0;
  }

  /**
   * Whether nothing is drawn and few pixels are cleared or resolved. Like copies, this takes no longer here than
   * notifying the workers: clearing a screen took 0.2 ms instead of 0.35.
   */
  private get isCopy(): boolean {
    const { width, height } = this.state;
    return width * height <= COPY_PIXELS && this.isIdle;
  }

  /**
   * Whether there is so little to do that notifying the workers would take longer: one tile, few vertices and no loops,
   * or few pixel operations. A level of a mip chain is an example.
   */
  private get isLittle(): boolean {
    const { width, height, samples } = this.state;
    if (!this.isSmall || this.vertices > LITTLE_VERTICES || this.pixelCost === Infinity) return false;
    if (this.context.alwaysUseWorkers) return false;
    return (
      (width <= TILE_SIZE && height <= TILE_SIZE) || width * height * samples * this.pixelCost <= LITTLE_OPERATIONS
    );
  }

  private endChunk(): void {
    const { context } = this;
    const { workspace } = context;
    context.surfaces.running = false;
    const lost = context.lost();
    if (lost !== null) throw new DeviceLostError(lost);
    const status = workspace.of(Job.status);
    if (status === STATUS_NEEDS_MEMORY)
      throw new DeviceLostError(`${labelled('render pass', this.state.label)}: ${context.surfaces.missed}`);
    if (status === STATUS_TOO_LONG) throw new DeviceLostError(this.tooLong(workspace.of(Job.longDraw)));
    this.check(status);
    if (this.late && this.continueChunk(this.late.ended())) return;
    context.onChunkDone();
    if (this.prefetchedTasks === null) {
      if (!this.hasMore && this.uncounted) {
        this.endCounting();
        this.phase = 'chunk';
        return;
      }
      if (!this.hasMore) {
        if (this.isIdle) context.kernel.exports.markUniformSurfaces(this.record);
        this.finish();
        return;
      }
      this.closeGeometry();
    }
    this.phase = 'chunk';
  }

  /** Whether another chunk follows the one whose geometry has run. */
  private get hasMore(): boolean {
    const { workspace } = this.context;
    const end = workspace.of(Job.end);
    const stop = workspace.of(Job.stop);
    return !this.plan!.isDone || (stop !== 0 && stop === end) || end < workspace.of(Job.taskCount);
  }

  /** Lets the plan continue where the chunk's geometry has ended. */
  private closeGeometry(): void {
    const { workspace } = this.context;
    const plan = this.plan!;
    const end = workspace.of(Job.end);
    const stop = workspace.of(Job.stop);
    // A stop inside a task of the chunk is the end of the chunk.
    if (stop !== 0 && stop === end) plan.continueFrom(end, workspace.of(Job.stopSegment));
    else if (end < workspace.of(Job.taskCount)) plan.continueFrom(end, null);
    this.watchDraw(plan);
  }

  /** Throws a DeviceLostError if the draw call would take forever. */
  private watchDraw(plan: GeometryPlan): void {
    const { progress } = plan;
    if (!progress) return;
    const message = this.watch.look(progress, { work: this.nameOf(progress.at), has: 'has drawn', units: 'vertices' });
    if (message !== null) throw new DeviceLostError(message);
  }

  /** "draw 0 with pipeline …", for messages. */
  private nameOf(draw: number): string {
    const commands = this.state.runs.flatMap((run) => run.commands);
    const { label } = commands[draw]!.state.pipeline.state;
    return `draw ${draw} with ${labelled('pipeline', label)} in ${labelled('render pass', this.state.label)}`;
  }

  private tooLong(draw: number): string {
    const { timeoutMs } = this.context;
    return `${this.nameOf(draw)} has taken more than ${MAX_TIMEOUTS} times the ${timeoutMs} ms that a shader may run: do its stages emit too many primitives? (create({ timeoutMs }) sets the limit)`;
  }

  private finish(how: 'whole' | 'failed' = 'whole'): void {
    const { context } = this;
    this.phase = 'done';
    context.workspace.busy = false;
    this.endStreams();
    recordDiscards(this.state);
    context.surfaces.settle();
    this.reportFaults();
    this.reportCounts();
    if (how === 'failed') this.sinks.fail();
    else this.sinks.finish();
    if (this.records) context.onUnorderedDraws(this.records.independent, this.records.foundIndependent);
    context.onPassDone();
  }

  private endStreams(): void {
    for (const { loads } of this.whole) loads.read = false;
    if (!this.late) return;
    this.late.end();
    this.context.onTilesWaiting(null);
    this.context.onTilesDiscarded(this.late.pages.discardedTiles);
  }

  /** Collects the counters of stages, and reports the first stage that has emitted too many vertices. */
  private reportCounts(): void {
    const { context, records } = this;
    const message = records?.counters.collect(this.state.label, (counter) => context.workspace.warpsOf(counter));
    if (message) context.onFaults(0, message);
  }

  private reportFaults(): void {
    const { memory, workspace } = this.context;
    const faults = readFaults(memory, workspace.loadStoreUnitRecords);
    if (faults === null) return;
    const view =
      [...this.surfaces].find(({ surface }) => surface === faults.surface)
      ?? unreachable('render: a fault of no surface');
    this.context.onFaults(faults.count, faultMessage(faults, view, this.state.label));
  }

  /** Names the shaders with loops and their draw calls, for messages. */
  private suspects(): string {
    const draws = this.state.runs.flatMap(({ commands }) => commands.map(({ state }) => state.pipeline as Pipeline));
    const found = [...this.pipelines].flatMap((pipeline) =>
      pipeline.stages
        .filter(({ program }) => hasLoop(program.body))
        .map(
          ({ kind, program }) =>
            `the ${kind} shader "${plain(program.name)}" of ${labelled('pipeline', pipeline.state.label)} (draw ${draws.indexOf(pipeline)})`
        )
    );
    return found.length === 0 ? 'a shader' : found.slice(0, MOST_SUSPECTS).join(' or ');
  }

  /** Throws a DeviceLostError if a shader has not ended in time. */
  private check(status: number): void {
    if (status === STATUS_TIMEOUT) {
      throw new DeviceLostError(
        `${this.suspects()} in ${labelled('render pass', this.state.label)} ran for more than ${this.context.timeoutMs} ms: does a loop never end? (create({ timeoutMs }) sets the limit)`
      );
    }
    if (status !== STATUS_DONE) unreachable(`render: kernel status ${status}`);
  }
}
