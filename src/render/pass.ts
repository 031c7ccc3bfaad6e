// Executes a render pass as a queue entry. Draw calls become DRAW records and are split into geometry tasks. Chunk by
// chunk, these tasks and the pass's tiles form a job for the workers, or for the calling thread in turns if there are
// no workers. The commands and the size of the arena determine where a chunk ends; timing never does.
import { STATUS_NEEDS_MEMORY, STATUS_TOO_LONG } from '../../assembly/layout/status';
import { Job } from '../../build/layout';
import { clockMs } from '../base/clock';
import { DeviceLostError } from '../base/errors';
import { labelled } from '../base/printable';
import { recordDiscards, zeroDiscardedInputs, surfacesOf } from './resources/discarded';
import { DrawRecords } from './draws/draw-records';
import { GeometryPlan, type Planned, type PlanMemory } from './draws/geometry-plan';
import { PassDraws } from './draws/pass-draws';
import { StreamedPass, type Next } from './streaming/streamed-pass';
import { writePass } from './workspace/pass-record';
import { provideVertexMemory } from './memory/vertex-memory';
import { passResources } from './draws/pass-resources';
import { PassSize } from './draws/pass-size';
import { checkStatus, nameOfDraw, tooLong } from './draws/pass-errors';
import type { Pipeline, Registers } from './pipeline/pipeline';
import { Prologues } from './draws/prologues';
import { hasRates, RateRecords } from './draws/rate-records';
import { markCounting, Sinks } from './draws/sinks';
import { stoppedRegisterBytes, passStreams, passWriters } from './streaming/stream-rules';
import type { Stream } from './resources/streams';
import { findFaults, passSurfaces } from './resources/surface-record';
import { AloneJob } from './alone-job';
import type { PassState, Work } from './types';
import type { View } from './resources/views';
import { WorkWatch } from './draws/work-watch';
import type { PassContext } from './pass-context';
import { passPipelines, accessUses, blendsOrMasks, isSerial, largestNeeds } from './draws/pass-analysis';

type Phase =
  'start' | 'records' | 'chunk' | 'alone' | 'awaiting' | 'awaited' | 'employed' | 'ended' | 'parked' | 'ready' | 'done';

export class RenderPass implements Work {
  private phase: Phase = 'start';
  /** Address of the PASS record. */
  private record = 0;
  private prologues: Prologues | null = null;
  private records: DrawRecords | null = null;
  private draws: PassDraws | null = null;
  private plan: GeometryPlan | null = null;
  private pipelines: ReadonlySet<Pipeline> = new Set();
  /** Multisampled surfaces that shaders access. */
  private surfaces: ReadonlySet<View> = new Set();
  private readonly sinks: Sinks;
  /** The actual plan while `plan` is that of a counting run for stream output; else null. */
  private uncounted: GeometryPlan | null = null;
  /** Registers of the two register files, except those before the last vertex stage's file. */
  private registers: Registers = { vertices: 1, pixels: 1 };
  private readonly size: PassSize;
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
  private readonly alone: AloneJob;
  private readonly watch: WorkWatch;

  constructor(
    private readonly context: PassContext,
    private readonly state: PassState
  ) {
    this.size = new PassSize(state);
    this.alone = new AloneJob(context, !this.size.isSmall);
    this.sinks = new Sinks(context);
    this.mayPrefetch = context.workspace.mayPrefetch;
    this.watch = new WorkWatch(context.timeoutMs);
  }

  /** Whether the pass waits for workers to end their job or to start, or for pages. */
  get waits(): boolean {
    return this.phase === 'employed' || this.phase === 'parked' || this.phase === 'awaiting';
  }

  get waitsForPages(): boolean {
    return this.phase === 'parked';
  }

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.waits) return false;
      if (this.phase !== 'alone') this.doSerial(deadline);
      else this.advanceAlone(deadline);
      if (clockMs() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private advanceAlone(deadline: number): void {
    const state = this.alone.advance(deadline);
    if (state === 'ended') this.phase = 'ended';
    else if (state === 'left') this.runJob();
    else this.late?.look();
  }

  /** Does what the calling thread does itself while no task and no tile of the pass runs. */
  private doSerial(deadline: number): void {
    const began = clockMs();
    const part = this.phase === 'ended' ? 'finish' : 'prepare';
    if (this.phase === 'start') this.start(deadline);
    else if (this.phase === 'records') this.addDraws();
    else if (this.phase === 'chunk') this.beginChunk();
    else if (this.phase === 'awaited') this.runJob();
    else if (this.phase === 'ended') this.endChunk();
    else this.continueChunk(this.late!.next());
    this.context.onSerial(part, began);
  }

  private start(deadline: number): void {
    const { context, state } = this;
    const resources = passResources(state);
    if (!context.decoded.provide(resources, deadline)) return;
    context.workspace.busy = true;
    context.commands.reset();
    this.pipelines = passPipelines(state);
    if (!this.size.isSmall) for (const pipeline of this.pipelines) context.tryCompileSync(pipeline);
    const { vertices, pixels, before, inputs } = largestNeeds(this.pipelines);
    this.registers = { vertices, pixels };
    const uses = accessUses(this.pipelines);
    const rates = (this.hasRates = hasRates(state, this.pipelines));
    this.isSerial = isSerial(uses);
    const scratch = context.workspace.uniformScratch(Math.max(vertices, pixels));
    zeroDiscardedInputs(context.memory, state, resources);
    for (const resource of resources) if (resource.kind === 'buffer') context.ranges.written(resource.buffer);
    this.surfaces = passSurfaces(resources);
    const { memory, commands } = context;
    const { encodes } = context.surfaces;
    const blends = blendsOrMasks(this.pipelines);
    const pass = writePass(state, this.surfaces, { encodes, rates, blends }, memory, commands);
    this.record = pass.address;
    this.beginStreams(pass.tiles, passStreams(resources));
    // Tiles are not shared if effects outside a pixel have an order, if samples are loaded or stored, or if shaders
    // write and may wait for pages.
    this.shares = !this.late?.writes && !this.isSerial && this.surfaces.size === 0;
    context.workspace.beginPass(pass, { vertices: vertices + before, pixels }, inputs, this.late?.records ?? null);
    const rateRecords = new RateRecords(memory, commands, state.rates, context.onRateFallback);
    this.prologues = new Prologues(commands, (list, count) => {
      this.checkStatus(context.kernel.exports.runPrologues(list, count, scratch));
    });
    const size = { width: state.width, height: state.height, countsStages: context.countsStages() };
    this.records = new DrawRecords(memory, commands, context.ranges, this.prologues, size, rateRecords);
    this.draws = new PassDraws(context, state, this.records, this.sinks, this.size);
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
    const inOrder = this.isSerial && context.deterministic;
    const mayKeep = writers.length > 0 && !context.oracle && context.workspace.parks && !inOrder && !this.hasRates;
    const kept = mayKeep ? stoppedRegisterBytes(this.pipelines, writers, context.interprets) : null;
    const rules = { isCoarse: this.hasRates, inOrder };
    this.late = new StreamedPass(context, streams, { record: this.record, tiles, rules }, writers, kept);
    for (const stream of streams) stream.listener = () => this.onPagesArrived();
  }

  /** Pages have arrived: resumes tiles during a job, or continues the pass if tiles can run again. */
  private onPagesArrived(): void {
    if (this.phase === 'employed' || this.phase === 'alone') this.late!.onPagesArrived();
    if (this.phase !== 'parked') return;
    const { pages } = this.late!;
    pages.requestPages();
    if (this.late!.failure === null && !pages.hasReady) return;
    this.phase = 'ready';
    this.context.wake();
  }

  /** Writes the records of the next draw calls, and the plan after the last one. */
  private addDraws(): void {
    // Prologues have no loops, so all of them finish long before the time limit.
    this.context.startClock();
    const isDone = this.draws!.step();
    this.prologues!.runAll();
    if (isDone) this.makePlan();
  }

  private makePlan(): void {
    const { context } = this;
    const { workspace, memory, commands } = context;
    const { threads } = workspace;
    const pool = provideVertexMemory(this.planned, workspace);
    workspace.countStages(commands, this.records!.counters.pixelStages);
    const parts = { memory, pool, threads, commands };
    this.plan = new GeometryPlan(this.planned, parts, this.context.chunkEveryDraw);
    if (this.sinks.beginCounting()) this.beginCounting(parts);
    if (!this.size.isSmall) this.watch.begin(this.planned[0]?.number ?? -1);
    this.phase = 'chunk';
    if (this.isIdle && context.kernel.exports.tryFinishIdlePass(this.record)) this.finish();
  }

  /**
   * Draw calls whose stream output buffers are too small for gaps run before all others, in a counting run. They draw
   * nothing, and only the output of their primitives is counted.
   */
  private beginCounting(parts: PlanMemory): void {
    const tight = this.draws!.singles.filter((draw) => this.sinks.needsCounting(this.draws!.roomsOf(draw)));
    this.uncounted = this.plan;
    this.plan = new GeometryPlan(tight, parts, this.context.chunkEveryDraw);
    markCounting(this.context.memory, tight, 1);
  }

  private get planned(): readonly Planned[] {
    return this.draws!.planned;
  }

  /** Ends the counting run. The actual pass begins, and the counters of its stages start over. */
  private endCounting(): void {
    markCounting(this.context.memory, this.draws!.singles, 0);
    this.sinks.endCounting();
    this.records!.counters.reset();
    this.plan = this.uncounted;
    this.uncounted = null;
    if (!this.size.isSmall) this.watch.begin(this.planned[0]?.number ?? -1);
  }

  /** Whether nothing is drawn. */
  private get isIdle(): boolean {
    return this.planned.length === 0;
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
    const { workers } = plan;
    context.workspace.beginChunk(tasks, {
      last: plan.isDone && !this.uncounted,
      serial,
      shares,
      isPrefetched,
      workers,
    });
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
    // A warp of one of the shaders may block the calling thread for long.
    const mayTakeLong = [...this.pipelines].some((pipeline) => pipeline.mayTakeLong);
    const { namesWorkers } = this;
    const isLittle = this.size.isLittle && !context.alwaysUseWorkers && !namesWorkers;
    const isTiny = this.isIdle ? this.size.isCopy : isLittle;
    if (!isTiny) {
      if (
        context.employ(namesWorkers || (mayTakeLong && !this.size.isSmall), () => {
          this.phase = 'ended';
        })
      )
        return;
      if (
        !this.hasAwaited
        && (mayTakeLong || namesWorkers)
        && context.awaitWorkers(() => {
          this.phase = 'awaited';
        })
      ) {
        this.phase = 'awaiting';
        this.hasAwaited = true;
        return;
      }
    }
    this.alone.begin(!isTiny);
    this.phase = 'alone';
  }

  /** Whether only some workers run some of the draw calls, so that the calling thread must not. */
  private get namesWorkers(): boolean {
    for (const pipeline of this.pipelines) if (pipeline.namesWorkers) return true;
    return false;
  }

  private look(): void {
    this.context.workspace.put(Job.hasNewMisses, 0);
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
        this.phase = 'parked';
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
    const isSeen = this.isSerial || !this.sinks.isEmpty || this.namesWorkers;
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

  private endChunk(): void {
    const { context } = this;
    const { workspace } = context;
    context.surfaces.running = false;
    const lost = context.lost();
    if (lost !== null) throw new DeviceLostError(lost);
    const status = workspace.of(Job.status);
    if (status === STATUS_NEEDS_MEMORY)
      throw new DeviceLostError(`${labelled('render pass', this.state.label)}: ${context.surfaces.missed}`);
    if (status === STATUS_TOO_LONG)
      throw new DeviceLostError(tooLong(this.state, workspace.of(Job.longDraw), context.timeoutMs));
    this.checkStatus(status);
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
    const message = this.watch.look(progress, {
      work: nameOfDraw(this.state, progress.at),
      has: 'has drawn',
      units: 'vertices',
    });
    if (message !== null) throw new DeviceLostError(message);
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
    this.state.ownDraws.release();
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
    const faults = findFaults(memory, workspace.loadStoreUnitRecords, this.surfaces, this.state.label);
    if (faults) this.context.onFaults(faults.count, faults.message);
  }

  private checkStatus(status: number): void {
    checkStatus(status, this.state, this.pipelines, this.context.timeoutMs);
  }
}
