// A render pass as queue work: its draws become records and are cut into tasks of geometry; chunk by chunk these and
// the pass's tiles are a job for the workers, or for the calling thread, turn by turn, where there are none. A chunk
// ends at a point fixed by the commands and the arena's size, never by timing.
import { TILE_SIZE } from '../../assembly/layout/limits';
import { STATUS_DONE, STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_TOO_LONG } from '../../assembly/layout/status';
import { Draw, Job, Stage } from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs } from '../base/clock';
import { DeviceLostError } from '../base/lost';
import { labelled, plain } from '../base/printable';
import { accessUse, hasLoop, type AccessUse, type IrProgram } from '../ir';
import type { Kernel } from '../kernels';
import type { Allocator } from '../memory';
import { MOST_TIMES, type Executor } from '../schedule';
import type { RateFallback } from '../shading-rate';
import type { Surfaces } from '../surface';
import type { CommandMemory } from './command-memory';
import type { DecodedBlocks } from './decoded-blocks';
import { recordDiscards, settleAttachments, settleResource, surfacesOf } from './discarded';
import { DrawRecords, type DrawCounts, type SinkRoom, type StateRecords } from './draw-records';
import { GeometryPlan, planDraw, type PlanMemory, type PlannedDraw } from './geometry-plan';
import type { IndexRanges } from './index-ranges';
import { LatePass, type Next } from './late-pass';
import { writePass } from './pass-record';
import type { Pipeline, Registers } from './pipeline';
import { Prologues } from './prologues';
import { hasRates, RateRecords } from './rate-records';
import { Sinks } from './sinks';
import { keptRegisterBytes, passStreams, passWriters } from './stream-rules';
import type { LateCounts, Stream } from './streams';
import { faultMessage, passGroups, passSurfaces, readFaults } from './surface-record';
import type { DrawCommand, DrawState, DynamicState, PassState, Work } from './types';
import { sharedRangeBytes } from './vertex-memory';
import type { View } from './views';
import { WorkWatch } from './work-watch';
import type { Workspace } from './workspace';

/**
 * Shared ranges take no more memory than this; and this much, if the pass has so many, so that workers need not wait
 * for each other between them.
 */
const MOST_POOL_BYTES = 64 << 20;
const POOL_BYTES = 16 << 20;

/** Pixels of the largest pass without draws that the calling thread takes itself. */
const COPY_PIXELS = 1 << 21;

/** Pixels and vertices of a pass that neither calls for workers nor waits for compiled programs. */
const SMALL_PIXELS = 256 * 256;
const SMALL_VERTICES = 10_000;
/** Vertices of a pass of one tile, or of so many operations of pixels, that the calling thread takes itself. */
const LITTLE_VERTICES = 64;
const LITTLE_OPERATIONS = 1_250_000;

/** What a STAGE record counts (tellCounts). */
const STAGE_COUNTS = [
  Stage.verticesIn, Stage.runs, Stage.primitivesIn, Stage.verticesOut, Stage.primitivesOut, Stage.dropped,
];

/** What passes of one device share. */
export interface PassContext {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly commands: CommandMemory;
  readonly workspace: Workspace;
  readonly ranges: IndexRanges;
  readonly surfaces: Surfaces;
  readonly decoded: DecodedBlocks;
  /** A chunk after every draw, for tests. */
  readonly chunkEveryDraw: boolean;
  /** The oracle, which shades no index ranges, for tests. */
  readonly oracle: boolean;
  /** Where it shows in which order tiles are run, they are run in order. */
  readonly deterministic: boolean;
  /** It compiles no programs. */
  readonly interprets: boolean;
  /** Runs jobs on the calling thread. */
  readonly executor: Executor;
  /** Whether stages of all pipelines count their warps, not only those of tables. */
  countsStages(): boolean;
  /**
   * Gives the job that the workspace describes to workers; `ended` is called in a macro-task of its own. False: there
   * are none, or not yet. `isSmall`: the job alone is not worth starting them.
   */
  employ(isSmall: boolean, ended: () => void): boolean;
  /**
   * Whether workers are starting: then `go` is called, in a macro-task, when they are ready or cannot be had, or inside
   * a call that waits for the pass.
   */
  awaitWorkers(go: () => void): boolean;
  /** Also of what the calling thread would be done with sooner. */
  readonly alwaysEmploys: boolean;
  /** The pass cannot be finished; the device goes on. */
  failed(message: string): void;
  /** Works on tiles that are late while a job is under way, by workers; null: no more. */
  whenLate(look: (() => void) | null): void;
  /** In a macro-task: the pass, which waited for pages, can go on. */
  wake(): void;
  /** A number that grows with each pass that reads streamed textures. */
  nextStreamPass(): number;
  readonly late: LateCounts;
  /** A chunk's geometry is run while tiles of the one before wait. */
  wentAhead(): void;
  /** So many tiles were given up, to be run again. */
  tilesGiven(count: number): void;
  /** A sentence, if the workers cannot go on. */
  lost(): string | null;
  /** Compiles a pipeline that waits for it, if that can be done at once. */
  hurry(pipeline: Pipeline): void;
  /** Before a chunk: what compiled meanwhile is put where programs find it. */
  takeUpModules(): void;
  /** Starts the clock of one kernel call. */
  startClock(): void;
  readonly timeoutMs: number;
  chunkDone(): void;
  /** `faults`: accesses of surfaces that were ignored; `message` tells of them. */
  faulted(faults: number, message: string): void;
  /** A draw asked for shading rates, and its program runs at 1×1 all the same. */
  fellBack(cause: RateFallback): void;
  /** So many draws needed not follow others; of some of them nobody had said so. */
  wentWithoutOrder(independent: number, found: number): void;
  passDone(): void;
}

/** How often a draw may cover a pixel: two triangles next to each other are taken for one quad. */
const layersOf = ({ counts, primitives, amplification }: PlannedDraw): number =>
  Math.max(1, counts.instanceCount * Math.ceil((primitives * amplification) / 2));

/** Draws between looks at the clock. */
const DRAWS_A_STEP = 64;

type Phase = 'start' | 'records' | 'chunk' | 'alone' | 'awaiting' | 'awaited' | 'employed' | 'ended' | 'late' | 'again' | 'done';

/** Vertices of all draws; infinite where buffers say how many. */
function countVertices({ runs }: PassState): number {
  let vertices = 0;
  for (const { commands } of runs)
    for (const { indirect, count, instanceCount } of commands) vertices += indirect ? Infinity : count * instanceCount;
  return vertices;
}

/** Pipelines that the draws of a pass have, each once. */
function passPipelines({ runs }: PassState): Set<Pipeline> {
  const pipelines = new Set<Pipeline>();
  for (const { commands } of runs) for (const { state } of commands) pipelines.add(state.pipeline as Pipeline);
  return pipelines;
}

/** What each fragment program of a pass accesses. */
function accessUses(pipelines: Iterable<Pipeline>): readonly AccessUse[] {
  const uses = new Map<IrProgram, AccessUse>();
  for (const { pixel } of pipelines) for (const { program } of pixel) uses.set(program, accessUse(program));
  return [...uses.values()];
}

/**
 * Whether it can be seen in which order the tiles of a pass are run: in what a program writes to buffers or images, or
 * since several programs access those.
 */
function isSerial(all: readonly AccessUse[]): boolean {
  return all.some(({ serial }) => serial)
    || (all.length > 1 && all.some(({ shares }) => shares) && all.some(({ writes }) => writes));
}

/** Programs that a message names. */
const MOST_SUSPECTS = 4;

export class RenderPass implements Work {
  private phase: Phase = 'start';
  /** Address of the PASS record. */
  private record = 0;
  private prologues: Prologues | null = null;
  private records: DrawRecords | null = null;
  private shared: StateRecords | null = null;
  private sharing: DrawState | null = null;
  /** Draws in order; null for those that draw nothing. */
  private readonly planned: (PlannedDraw | null)[] = [];
  /** The next draw to be added: of this run, its command. */
  private run = 0;
  private at = 0;
  private plan: GeometryPlan | null = null;
  private pipelines: ReadonlySet<Pipeline> = new Set();
  /** That programs access. */
  private surfaces: ReadonlySet<View> = new Set();
  private readonly sinks: Sinks;
  private readonly rooms = new Map<PlannedDraw, readonly (SinkRoom | null)[]>();
  /** The plan of the pass itself, while what comes to sinks is counted (`plan`); else null. */
  private uncounted: GeometryPlan | null = null;
  /** Registers of the two files; those before the last stages' own apart. */
  private registers: Registers = { vertices: 1, pixels: 1 };
  private readonly vertices: number;
  /** It takes the calling thread, interpreting, no longer than workers and compilers to get ready. */
  private readonly isSmall: boolean;
  /** Of a pixel that all draws cover, with all that they have: in simple operations, roughly. */
  private pixelCost = 0;
  /** What programs write shows in which order tiles are run. */
  private isSerial = false;
  /** Some of it may be shaded coarsely. */
  private hasRates = false;
  /** Several workers may be at one of its tiles. */
  private shares = false;
  /** Null where no streamed textures are read, or all of their pages are there. */
  private late: LatePass | null = null;
  /** Streamed textures that it reads, where all of their pages are there. */
  private whole: readonly Stream[] = [];
  /** Tasks of the next chunk, whose geometry is run while tiles of this one wait for pages; null: it is not. */
  private ahead: number | null = null;
  /** Whether that may be: until memory is short. */
  private goesAhead: boolean;
  /** It has waited for workers to start. */
  private hasAwaited = false;
  private readonly watch: WorkWatch;

  constructor(private readonly context: PassContext, private readonly state: PassState) {
    this.vertices = countVertices(state);
    this.sinks = new Sinks(context);
    this.goesAhead = context.workspace.goesAhead;
    this.watch = new WorkWatch(context.timeoutMs);
    this.isSmall = state.width * state.height <= SMALL_PIXELS && this.vertices <= SMALL_VERTICES;
  }

  /** Nothing is to be done here until the workers have ended their job, or pages have come. */
  get waits(): boolean { return this.phase === 'employed' || this.phase === 'late' || this.phase === 'awaiting'; }

  get waitsForPages(): boolean { return this.phase === 'late'; }

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.waits) return false;
      if (this.phase === 'start') this.start(deadline);
      else if (this.phase === 'records') this.addDraws();
      else if (this.phase === 'chunk') this.beginChunk();
      else if (this.phase === 'awaited') this.runJob();
      else if (this.phase === 'ended') this.endChunk();
      else if (this.phase === 'again') this.goOn(this.late!.next());
      else if (this.context.executor.advance(deadline)) this.phase = 'ended';
      else this.late?.look();
      if (clockMs() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private start(deadline: number): void {
    const { context, state } = this, groups = passGroups(state);
    if (!context.decoded.provide([...groups].flatMap(({ watched }) => watched), deadline)) return;
    context.workspace.busy = true;
    context.commands.reset();
    this.pipelines = passPipelines(state);
    if (!this.isSmall) for (const pipeline of this.pipelines) context.hurry(pipeline);
    let vertices = 1, pixels = 1, inputs = 0, before = 0;
    for (const { registers, vertexStages: { registersBefore, inputBytes } } of this.pipelines) {
      vertices = Math.max(vertices, registers.vertices);
      pixels = Math.max(pixels, registers.pixels);
      before = Math.max(before, registersBefore);
      inputs = Math.max(inputs, inputBytes);
    }
    this.registers = { vertices, pixels };
    const uses = accessUses(this.pipelines), rates = this.hasRates = hasRates(state, this.pipelines);
    this.isSerial = isSerial(uses);
    const scratch = context.workspace.uniformScratch(Math.max(vertices, pixels));
    settleAttachments(context.memory, state);
    const region = state.rates?.region;
    if (region) settleResource(context.memory, { kind: 'texture', view: region.view });
    for (const group of groups)
      for (const resource of group.watched) {
        settleResource(context.memory, resource);
        if (resource.kind === 'buffer') context.ranges.written(resource.buffer);
      }
    this.surfaces = passSurfaces(groups);
    const { memory, commands, surfaces: { encodes } } = context;
    const pass = writePass(state, this.surfaces, { encodes, rates }, memory, commands);
    this.record = pass.address;
    this.beginStreams(pass.tiles, passStreams(groups));
    // What has to be done in order elsewhere than at its own pixel, what loads and stores samples, and what writes, and
    // may wait for pages, belong to one worker.
    this.shares = !this.late?.writes && !this.isSerial && this.surfaces.size === 0;
    context.workspace.beginPass(pass, { vertices: vertices + before, pixels }, inputs, this.late?.records ?? null);
    const rateRecords = new RateRecords(memory, commands, state.rates, context.fellBack);
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
    // Nothing will be late, if nothing goes.
    if (streams.every(({ isWhole }) => isWhole)) {
      this.whole = streams;
      for (const { loads } of streams) loads.read = true;
      return;
    }
    const writers = passWriters(this.state);
    // Where the order of tiles shows, and was asked for, they are run dry.
    const mayKeep = writers.length > 0 && !context.oracle && context.workspace.parks
      && !(this.isSerial && context.deterministic) && !this.hasRates;
    const kept = mayKeep ? keptRegisterBytes(this.pipelines, writers, context.interprets) : null;
    const rules = { isCoarse: this.hasRates, inOrder: this.isSerial && context.deterministic };
    this.late = new LatePass(context, streams, { record: this.record, tiles, rules }, writers, kept);
    for (const stream of streams) stream.listener = () => this.pagesCame();
  }

  /** Are there tiles that can be run again, or, while a job is under way, go on? */
  private pagesCame(): void {
    if (this.phase === 'employed' || this.phase === 'alone') this.late!.pagesCame();
    if (this.phase !== 'late') return;
    const { pages } = this.late!;
    pages.ask();
    if (this.late!.failure === null && !pages.hasReady) return;
    this.phase = 'again';
    this.context.wake();
  }

  /** Makes the records of the next draws; after the last one, the plan. */
  private addDraws(): void {
    const { state: { runs } } = this;
    // Prologues have no loops: all of these are done long before it runs out.
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
    const counts = this.counts(command);
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
    const { oracle } = this.context, appends = rooms.some((room) => room?.cursor);
    const draw = planDraw(record, command, counts, use, { oracle, appends });
    this.planned.push(draw);
    if (draw && rooms.length > 0) this.rooms.set(draw, rooms);
    if (this.isSmall && draw) this.pixelCost += (command.state.pipeline as Pipeline).pixelCost * layersOf(draw);
  }

  private makePlan(): void {
    const { context } = this, { workspace, memory, commands } = context, { threads } = workspace;
    const varyings = this.planned.reduce((most, draw) => Math.max(most, draw?.varyings ?? 0), 0);
    if (this.planned.some((draw) => draw?.hasRange)) workspace.provideRanges(varyings);
    let longest = 0, all = 0;
    const most = Math.min(MOST_POOL_BYTES, workspace.mostPoolBytes);
    for (const draw of this.planned) {
      if (!draw || draw.sharedRange === 0) continue;
      const bytes = sharedRangeBytes(draw.sharedRange, draw.varyings, threads);
      if (bytes > most) continue;
      longest = Math.max(longest, bytes);
      all += bytes * draw.counts.instanceCount;
    }
    const pool = longest > 0 ? workspace.providePool(Math.max(longest, Math.min(all, POOL_BYTES, most))) : null;
    workspace.countStages(commands, this.records!.shading.length);
    const parts = { memory, pool, threads, commands };
    this.plan = new GeometryPlan(this.planned, parts, this.context.chunkEveryDraw);
    if (this.sinks.beginCounting()) this.beginCounting(parts);
    if (!this.isSmall) this.watch.begin(this.planned.findIndex((draw) => draw !== null));
    this.phase = 'chunk';
    if (this.isIdle && context.kernel.exports.settleIdle(this.record)) this.finish();
  }

  /**
   * Draws into sinks that are too small for gaps are run before all others, and draw nothing: what comes of their
   * primitives is counted.
   */
  private beginCounting(parts: PlanMemory): void {
    const tight = this.planned.map((draw) => (draw && this.sinks.isTight(this.rooms.get(draw) ?? []) ? draw : null));
    this.uncounted = this.plan;
    this.plan = new GeometryPlan(tight, parts, this.context.chunkEveryDraw);
    this.sayCounting(tight, 1);
  }

  private sayCounting(draws: readonly (PlannedDraw | null)[], counts: 0 | 1): void {
    const u32 = new Uint32Array(this.context.memory.buffer);
    for (const draw of draws) if (draw) u32[(draw.record + Draw.sinkCounting) >>> 2] = counts;
  }

  /** All is counted: the pass itself begins, and so do the counts of its stages. */
  private endCounting(): void {
    const u32 = new Uint32Array(this.context.memory.buffer);
    this.sayCounting(this.planned, 0);
    this.sinks.endCounting();
    for (const { record } of this.records!.counting)
      for (const field of STAGE_COUNTS) u32[(record + field) >>> 2] = 0;
    this.plan = this.uncounted;
    this.uncounted = null;
    if (!this.isSmall) this.watch.begin(this.planned.findIndex((draw) => draw !== null));
  }

  /** Nothing is drawn. */
  private get isIdle(): boolean { return this.planned.every((draw) => draw === null); }

  private beginChunk(): void {
    const { context, ahead } = this, plan = this.plan!, isThere = ahead !== null;
    context.takeUpModules();
    for (const pipeline of this.pipelines) pipeline.changeOver(this.registers);
    const tasks = ahead ?? plan.next(context.workspace.chunk, this.late?.mostTasks);
    this.ahead = null;
    this.sinks.chunkBegins();
    // Tiles that wait for pages are overtaken by others.
    const { late, shares } = this, serial = this.isSerial && !(late?.keeps && !late.isWhole);
    context.workspace.beginChunk(tasks, { last: plan.isDone && !this.uncounted, serial, shares, isThere });
    try {
      this.late?.begin(tasks, this.records!.counting, isThere);
    } catch (error) {
      this.endStreams();
      context.workspace.busy = false;
      throw error;
    }
    this.runJob();
  }

  /** Has the job done that the workspace describes. */
  private runJob(): void {
    const { context } = this;
    context.surfaces.provide([
      ...new Set([...surfacesOf(this.state), ...[...this.surfaces].flatMap(({ plane }) => plane.surface ?? [])]),
    ]);
    context.surfaces.running = true;
    this.phase = 'employed';
    if (this.late) context.whenLate(() => this.look());
    if (!this.isCopy && !this.isLittle) {
      if (context.employ(this.isSmall, () => { this.phase = 'ended'; })) return;
      if (!this.hasAwaited && this.mayTakeLong && context.awaitWorkers(() => { this.phase = 'awaited'; })) {
        this.phase = 'awaiting';
        this.hasAwaited = true;
        return;
      }
    }
    context.executor.begin();
    this.phase = 'alone';
  }

  /** Whether a warp of one of its shaders may hold up the calling thread. */
  private get mayTakeLong(): boolean { return [...this.pipelines].some(({ mayTakeLong }) => mayTakeLong); }

  private look(): void {
    this.context.workspace.put(Job.lateBell, 0);
    this.late!.look();
  }

  /** With a chunk that reads streamed textures; whether there is anything left of it. */
  private goOn(next: Next): boolean {
    const { context } = this;
    if (next === 'failed') {
      context.failed(`${labelled('render pass', this.state.label)} is not finished: ${this.late!.failure}`);
      context.chunkDone();
      this.finish('failed');
    } else if (next === 'geometry') {
      this.plan!.again();
      this.sinks.chunkAgain();
      this.phase = 'chunk';
    } else if (next !== 'done') {
      const hasGeometry = this.goAhead();
      if (hasGeometry || next === 'tiles') this.runJob();
      else {
        this.late!.pages.stalls();
        this.phase = 'late';
      }
    }
    return next !== 'done';
  }

  /**
   * While tiles wait: has the next chunk's geometry run in memory of its own, if there is one, and memory for it, and
   * nothing of it is seen but pixels. Returns whether the job has any.
   */
  private goAhead(): boolean {
    const { context, late, plan } = this, { workspace } = context;
    const isSeen = this.isSerial || !this.sinks.isEmpty;
    if (this.ahead !== null || !this.goesAhead || isSeen || !late?.isAtTiles || !this.hasMore) return false;
    this.goesAhead = workspace.provideNext();
    if (!this.goesAhead) return false;
    this.closeGeometry();
    const tasks = this.ahead = plan!.next(workspace.nextChunk, late.mostTasks);
    workspace.beginAhead(tasks);
    late.beginAhead();
    context.wentAhead();
    return tasks > 0;
  }

  /**
   * Nothing is drawn, and little is cleared or resolved: what costs no more here, as copies do, than asking the
   * workers. A screen: 0.35 ms → 0.2.
   */
  private get isCopy(): boolean {
    const { width, height } = this.state;
    return width * height <= COPY_PIXELS && this.isIdle;
  }

  /**
   * One tile and a few vertices, of programs without loops, or little to do at some pixels: a level of a mip chain.
   * Asking the workers takes longer.
   */
  private get isLittle(): boolean {
    const { width, height, samples } = this.state;
    if (!this.isSmall || this.vertices > LITTLE_VERTICES || this.pixelCost === Infinity) return false;
    if (this.context.alwaysEmploys) return false;
    return (width <= TILE_SIZE && height <= TILE_SIZE)
      || width * height * samples * this.pixelCost <= LITTLE_OPERATIONS;
  }

  private endChunk(): void {
    const { context } = this, { workspace } = context;
    context.surfaces.running = false;
    const lost = context.lost();
    if (lost !== null) throw new DeviceLostError(lost);
    const status = workspace.of(Job.status);
    if (status === STATUS_NEEDS_MEMORY)
      throw new DeviceLostError(`${labelled('render pass', this.state.label)}: ${context.surfaces.missed}`);
    if (status === STATUS_TOO_LONG) throw new DeviceLostError(this.tooLong(workspace.of(Job.longDraw)));
    this.check(status);
    if (this.late && this.goOn(this.late.ended())) return;
    context.chunkDone();
    if (this.ahead === null) {
      if (!this.hasMore && this.uncounted) {
        this.endCounting();
        this.phase = 'chunk';
        return;
      }
      if (!this.hasMore) {
        if (this.isIdle) context.kernel.exports.noteIdle(this.record);
        this.finish();
        return;
      }
      this.closeGeometry();
    }
    this.phase = 'chunk';
  }

  /** Whether another chunk comes after the one whose geometry has been run. */
  private get hasMore(): boolean {
    const { workspace } = this.context, end = workspace.of(Job.end), stop = workspace.of(Job.stop);
    return !this.plan!.isDone || (stop !== 0 && stop === end) || end < workspace.of(Job.taskCount);
  }

  /** Has the plan go on where the chunk's geometry has ended. */
  private closeGeometry(): void {
    const { workspace } = this.context, plan = this.plan!;
    const end = workspace.of(Job.end), stop = workspace.of(Job.stop);
    // A stop in a task that the chunk has ends it.
    if (stop !== 0 && stop === end) plan.endedAt(end, workspace.of(Job.stopSegment));
    else if (end < workspace.of(Job.taskCount)) plan.endedAt(end, null);
    this.watchDraw(plan);
  }

  /** A draw that would take for ever loses the device. */
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
    return `${this.nameOf(draw)} has taken more than ${MOST_TIMES} times the ${timeoutMs} ms that a shader may run: do its stages emit too many primitives? (create({ timeoutMs }) sets the limit)`;
  }

  private finish(how: 'whole' | 'failed' = 'whole'): void {
    const { context } = this;
    this.phase = 'done';
    context.workspace.busy = false;
    this.endStreams();
    recordDiscards(this.state);
    context.surfaces.settle();
    this.tellFaults();
    this.tellCounts();
    if (how === 'failed') this.sinks.fail();
    else this.sinks.finish();
    if (this.records) context.wentWithoutOrder(this.records.independent, this.records.foundIndependent);
    context.passDone();
  }

  private endStreams(): void {
    for (const { loads } of this.whole) loads.read = false;
    if (!this.late) return;
    this.late.end();
    this.context.whenLate(null);
    this.context.tilesGiven(this.late.pages.given);
  }

  /** What stages of tables have counted; and a word of the first one that emitted more than it may. */
  private tellCounts(): void {
    const { memory, workspace } = this.context, u32 = new Uint32Array(memory.buffer);
    let message: string | null = null;
    for (const { pipeline, index, record } of this.records?.counting ?? []) {
      const of = (field: number): number => u32[(record + field) >>> 2]!;
      pipeline.countVertices(of(Stage.verticesIn));
      if (index === null) continue;
      const dropped = of(Stage.dropped), stage = pipeline.geometry[index]!, { program: { name }, emission } = stage;
      stage.warps += of(Stage.runs);
      if (!pipeline.isTable) continue;
      pipeline.count(index, {
        runs: of(Stage.runs), primitivesIn: of(Stage.primitivesIn), verticesOut: of(Stage.verticesOut),
        primitivesOut: of(Stage.primitivesOut), dropped,
      });
      if (dropped > 0 && emission)
        message ??= `${labelled('render pass', this.state.label)}: entry point "${name}" of ${labelled('pipeline', pipeline.state.label)} emitted ${dropped} vertices more than its maxVertices ${emission.maxVertices} allow; they were dropped`;
    }
    this.records?.shading.forEach((stage, index) => { stage.warps += workspace.warpsOf(index + 1); });
    if (message !== null) this.context.faulted(0, message);
  }

  private tellFaults(): void {
    const { memory, workspace } = this.context;
    const faults = readFaults(memory, workspace.loadStoreUnitRecords);
    if (faults === null) return;
    const view = [...this.surfaces].find(({ surface }) => surface === faults.surface)
      ?? unreachable('render: a fault of no surface');
    this.context.faulted(faults.count, faultMessage(faults, view, this.state.label));
  }

  /** Indirect draws whose numbers leave their buffers draw nothing, as WebGPU asks. */
  private counts(command: DrawCommand): DrawCounts {
    const { indirect } = command;
    if (!indirect) return command;
    const u32 = new Uint32Array(
      this.context.memory.buffer, indirect.buffer.address + indirect.offset, command.indexed ? 5 : 4
    );
    const [count, instanceCount, first] = [u32[0]!, u32[1]!, u32[2]!];
    const nothing: DrawCounts = { count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0 };
    // Without the feature indirect-first-instance another first instance makes the draw nothing (WebGPU §17.1.3).
    const firstInstance = u32[command.indexed ? 4 : 3]!;
    if (firstInstance !== 0 && !indirect.firstInstance) return nothing;
    if (!command.indexed) return { count, instanceCount, first, baseVertex: 0, firstInstance };
    const index = command.state.index;
    if (!index || (first + count) * index.bytes > index.size) return nothing;
    return { count, instanceCount, first, baseVertex: u32[3]! | 0, firstInstance };
  }

  /** The programs that have loops, with their draws. */
  private suspects(): string {
    const draws = this.state.runs.flatMap(({ commands }) => commands.map(({ state }) => state.pipeline as Pipeline));
    const found = [...this.pipelines].flatMap((pipeline) => pipeline.stages
      .filter(({ program }) => hasLoop(program.body))
      .map(({ kind, program }) => `the ${kind} program "${plain(program.name)}" of ${labelled('pipeline', pipeline.state.label)} (draw ${draws.indexOf(pipeline)})`));
    return found.length === 0 ? 'a shader' : found.slice(0, MOST_SUSPECTS).join(' or ');
  }

  /** A program that does not end loses the device. */
  private check(status: number): void {
    if (status === STATUS_TIMEOUT) {
      throw new DeviceLostError(
        `${this.suspects()} in ${labelled('render pass', this.state.label)} ran for more than ${this.context.timeoutMs} ms: does a loop never end? (create({ timeoutMs }) sets the limit)`
      );
    }
    if (status !== STATUS_DONE) unreachable(`render: kernel status ${status}`);
  }
}
