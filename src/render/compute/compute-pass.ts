// Executes a compute pass as a queue entry. Several dispatches form one job for the workers, which advance from one
// dispatch to the next without the main thread. A dispatch with very many workgroups is split into several jobs.
// Without workers, the calling thread runs the job in turns.
import { STATUS_DONE, STATUS_TIMEOUT } from '../../../assembly/layout/status';
import { ComputeStep, Dispatch, Job } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { alignUp, CACHE_LINE } from '../../base/bits';
import { clockMs } from '../../base/clock';
import { DeviceLostError } from '../../base/errors';
import { labelled } from '../../base/printable';
import { MissLists } from '../../late';
import type { Allocator } from '../../memory';
import type { ComputePipeline } from './compute-pipeline';
import type { ComputeSpace } from './compute-space';
import type { DispatchRecords } from './dispatch-records';
import { StreamedDispatch } from '../streaming/streamed-dispatch';
import type { PassContext } from '../pass-context';
import { MAX_CALLER_OPERATIONS } from '../shaders/stage-program';
import { dispatchStreams } from '../streaming/stream-rules';
import type { Stream } from '../resources/streams';
import type { BufferStore, ComputePassState, DispatchCommand, Three, Work } from '../types';
import { WorkWatch } from '../draws/work-watch';

export type ComputeContext = Pick<
  PassContext,
  | 'kernel'
  | 'memory'
  | 'commands'
  | 'workspace'
  | 'decoded'
  | 'ranges'
  | 'executor'
  | 'employ'
  | 'lost'
  | 'awaitWorkers'
  | 'alwaysUseWorkers'
  | 'publishModules'
  | 'startClock'
  | 'timeoutMs'
  | 'failed'
  | 'wake'
  | 'nextStreamPass'
  | 'late'
> & {
  readonly allocator: Allocator;
  readonly space: ComputeSpace;
  readonly records: DispatchRecords;
  /** Whether workgroups run in a fixed order if their order could be observed. */
  readonly deterministic: boolean;
  tryCompileSync(pipeline: ComputePipeline): void;
  onDispatchDone(): void;
};

/** Below this number of operations, the calling thread finishes a job faster than it can notify workers. */
const LITTLE = 200_000;
/** Below this number of operations, a job neither starts workers nor makes the compiler hurry. */
const SMALL = 2_000_000;
/**
 * Maximum number of dispatches in the first job, and in any job. Workers wait until all dispatches of a job are
 * written, which takes about 10 µs each. Moving from one job to the next takes 70 to 100 µs.
 */
const FIRST_STEPS = 4;
const MAX_STEPS = 256;
/** Maximum number of workgroups in a job. */
const MAX_GROUPS = 1 << 24;
/**
 * For jobs that may have to be replayed: workgroups in the first job, and the target duration of later ones in
 * milliseconds.
 */
const FIRST_GROUPS = 1 << 12;
const JOB_MS = 100;

/** Maximum total bytes of the buffers of a dispatch that each worker copies and joins at the end. */
const MOST_GATHERED = 1 << 14;

type Phase = 'start' | 'job' | 'alone' | 'awaiting' | 'awaited' | 'employed' | 'ended' | 'parked' | 'done';

/** A dispatch in a job. */
interface Step {
  /** Index of the dispatch in the pass. */
  readonly at: number;
  readonly count: Three;
  /** Total number of workgroups in the dispatch. */
  readonly all: number;
  /** The streamed textures that it reads. */
  readonly streams: readonly Stream[];
  /** Number of workgroups that are done. */
  done: number;
}

const noStreams: readonly Stream[] = [];
const NOTHING: Three = [0, 0, 0];

export class ComputePass implements Work {
  private phase: Phase = 'start';
  /** The next or current dispatch, and how many of its workgroups are done. */
  private at = 0;
  private done = 0;
  /** The dispatches of the current job, and the address of its first COMPUTE STEP. */
  private job: readonly Step[] = [];
  private steps = 0;
  private maxSteps = FIRST_STEPS;
  /** Number of workgroups from the first dispatch in the current job, and the maximum in the next job. */
  private jobGroups = 0;
  private nextGroups = MAX_GROUPS;
  private jobBegan = 0;
  private isAlone = false;
  private isSmall = false;
  /** Whether a single warp may run long. The job then waits for workers that are still starting. */
  private isLong = false;
  /** State of a dispatch that reads streamed textures, which gets a job to itself; otherwise null. */
  private late: StreamedDispatch | null = null;
  private readonly watch: WorkWatch;

  constructor(
    private readonly context: ComputeContext,
    private readonly state: ComputePassState
  ) {
    this.watch = new WorkWatch(context.timeoutMs);
  }

  get waits(): boolean {
    return this.phase === 'employed' || this.phase === 'parked' || this.phase === 'awaiting';
  }

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.waits) return false;
      if (this.phase === 'start') this.startNext(deadline);
      else if (this.phase === 'job') this.beginJob();
      else if (this.phase === 'awaited') this.runJob();
      else if (this.phase === 'ended') this.endJob();
      else if (this.context.executor.advance(deadline)) this.phase = 'ended';
      if (clockMs() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private command(at: number): DispatchCommand {
    return this.state.dispatches[at]!;
  }
  private pipeline(at: number): ComputePipeline {
    return this.command(at).pipeline as ComputePipeline;
  }

  private startNext(deadline: number): void {
    const job = (this.job = this.gather());
    if (job.length === 0) {
      this.phase = 'done';
      return;
    }
    const { context } = this;
    const watched = job.flatMap(({ at }) => this.command(at).groups.flatMap((group) => group?.group.watched ?? []));
    if (!context.decoded.provide(watched, deadline)) return;
    let operations = 0;
    let bound = 0;
    this.isLong = false;
    for (const { at, all, done } of job) {
      const pipeline = this.pipeline(at);
      const { invocations, cost, maxOperations } = pipeline;
      operations += (all - done) * invocations * cost;
      bound += pipeline.warpsOf(all - done) * maxOperations;
      this.isLong ||= maxOperations > MAX_CALLER_OPERATIONS;
    }
    this.isAlone = operations <= LITTLE && bound <= MAX_CALLER_OPERATIONS && !context.alwaysUseWorkers;
    this.isSmall = operations <= SMALL;
    if (!this.isSmall) for (const { at } of job) context.tryCompileSync(this.pipeline(at));
    this.nextGroups = MAX_GROUPS;
    this.write(job, deadline);
    this.phase = 'job';
  }

  /** Collects consecutive dispatches that need no work of the calling thread between them. */
  private gather(): Step[] {
    const { dispatches } = this.state;
    const job: Step[] = [];
    for (let { at } = this; at < dispatches.length && job.length < this.maxSteps; at++) {
      const command = this.command(at);
      // The workgroup count of an indirect dispatch may be written by an earlier dispatch of the same job.
      if (command.indirect && this.writes(job, command.indirect.buffer)) break;
      const {
        readsTextures,
        stage: { program },
      } = this.pipeline(at);
      const streams = readsTextures ? dispatchStreams(program, command.groups) : noStreams;
      const isStreamed = streams.length > 0;
      if (isStreamed && job.length > 0) break;
      const count = this.count(command);
      const done = at === this.at ? this.done : 0;
      const all = count[0] * count[1] * count[2];
      if (all > 0) job.push({ at, count, all, streams, done });
      else if (job.length === 0) this.at = at + 1;
      if (all > 0 && (isStreamed || all > MAX_GROUPS)) break;
    }
    return job;
  }

  private writes(job: readonly Step[], buffer: BufferStore): boolean {
    return job.some(({ at }) =>
      this.command(at).groups.some((bound) =>
        bound?.group.watched.some((resource) => resource.kind === 'buffer' && resource.buffer === buffer)
      )
    );
  }

  /**
   * The workgroup counts. Indirect dispatches beyond the limits do nothing (WebGPU §16.3.3), and neither do shaders
   * without effects.
   */
  private count({ pipeline, indirect, count, maxPerDimension: most, maxGroups }: DispatchCommand): Three {
    if (!(pipeline as ComputePipeline).hasEffects) return NOTHING;
    if (!indirect) return count;
    const [x, y, z] = new Uint32Array(this.context.memory.buffer, indirect.buffer.address + indirect.offset, 3);
    return x! > most || y! > most || z! > most || x! * y! * z! > maxGroups ? NOTHING : [x!, y!, z!];
  }

  /**
   * Writes the COMPUTE STEPs and everything that they refer to. Steps that do not fit into the time are left for the
   * next job.
   */
  private write(job: readonly Step[], deadline: number): void {
    const { context } = this;
    const { commands, workspace, records } = context;
    commands.reset();
    workspace.busy = true;
    // Steps do not share cache lines.
    this.steps = alignUp(commands.take((job.length + 1) * ComputeStep.bytes), CACHE_LINE);
    context.publishModules();
    let unitBytes = 0;
    let registers = 0;
    let written = 0;
    for (const { at, count, streams } of job) {
      if (written > 0 && clockMs() >= deadline) break;
      const command = this.command(at);
      const pipeline = this.pipeline(at);
      const { stage } = pipeline;
      records.settle(command);
      stage.switchToCompiled(Infinity);
      const { plan } = pipeline;
      const dispatch = records.write(command, pipeline, plan, count);
      this.beginStreams(streams);
      const isShared = workspace.threads > 1 && !this.late;
      const gathered = records.gather(pipeline, dispatch, plan.unitBytes, isShared ? MOST_GATHERED : 0);
      const step = this.steps + written++ * ComputeStep.bytes;
      const u32 = records.words;
      u32.set(plan.step, step >>> 2);
      u32[(step + ComputeStep.dispatch) >>> 2] = dispatch;
      u32[(step + ComputeStep.serial) >>> 2] = context.deterministic && pipeline.isSerial ? 1 : 0;
      u32[(step + ComputeStep.misses) >>> 2] = this.late?.records ?? 0;
      u32[(step + ComputeStep.missesBytes) >>> 2] = MissLists.BYTES;
      u32[(step + ComputeStep.gathered) >>> 2] = gathered.address;
      u32[(step + ComputeStep.gatheredCount) >>> 2] = gathered.count;
      unitBytes = Math.max(unitBytes, plan.unitBytes + gathered.bytes);
      registers = Math.max(registers, stage.registers);
    }
    this.job = job.slice(0, written);
    context.space.provide(unitBytes);
    workspace.put(Job.scratch, workspace.uniformScratch(registers));
    context.startClock();
    this.check(records.runPrologue(this.stepOf(0, ComputeStep.dispatch), workspace.of(Job.scratch)), this.at);
  }

  /** Workers are ready, or have turned out to be unavailable. */
  private stopWaiting(): void {
    this.isLong = false;
    this.phase = 'awaited';
  }

  private stepOf(step: number, field: number): number {
    return this.context.records.words[(this.steps + step * ComputeStep.bytes + field) >>> 2]!;
  }

  /** Prepares the streamed textures. */
  private beginStreams(streams: readonly Stream[]): void {
    const { context } = this;
    this.late = null;
    if (streams.length === 0) return;
    this.late = new StreamedDispatch(context, context.commands, streams, context.nextStreamPass());
    this.nextGroups = FIRST_GROUPS;
    for (const stream of streams) stream.listener = () => this.onPagesArrived();
  }

  private onPagesArrived(): void {
    if (this.phase !== 'parked') return;
    const { pages } = this.late!;
    pages.requestPages();
    if ((pages.failure ?? pages.tooLarge) === null && !pages.hasReady) return;
    this.continueJob(pages);
    if (this.phase !== 'parked') this.context.wake();
  }

  /** Number of this dispatch's workgroups that share a warp. */
  private get groupsPerWarp(): number {
    return this.pipeline(this.at).plan.packing.groupsPerWarp;
  }

  /** Continues after a job whose results were undone. */
  private continueJob(pages: StreamedDispatch['pages']): void {
    const { groupsPerWarp } = this;
    if (pages.failure === null && pages.tooLarge !== null && this.jobGroups > groupsPerWarp) {
      pages.forget();
      this.nextGroups = groupsPerWarp * Math.ceil(this.jobGroups / 2 / groupsPerWarp);
    }
    const failure = pages.failure ?? pages.tooLarge;
    if (failure !== null) {
      this.context.failed(`${this.name(this.at)} failed: ${failure}`);
      this.endStreams();
      this.context.workspace.busy = false;
      this.phase = 'done';
    } else if (!pages.isWaiting || pages.scheduleReady()) this.phase = 'job';
    else {
      pages.stalls();
      this.phase = 'parked';
    }
  }

  private endStreams(): void {
    this.late?.end();
    this.late = null;
  }

  private beginJob(): void {
    const { context, job } = this;
    const { workspace } = context;
    const u32 = context.records.words;
    job.forEach(({ all, done }, index) => {
      const step = this.steps + index * ComputeStep.bytes;
      u32[(step + ComputeStep.groups) >>> 2] = Math.min(all - done, this.nextGroups);
      u32[(step + ComputeStep.nextGroup) >>> 2] = 0;
      u32[(step + ComputeStep.left) >>> 2] = workspace.threads;
      const base = (u32[(step + ComputeStep.dispatch) >>> 2]! + Dispatch.base) >>> 2;
      u32[base] = done % 2 ** 32;
      u32[base + 1] = Math.floor(done / 2 ** 32);
    });
    this.jobGroups = this.stepOf(0, ComputeStep.groups);
    try {
      const {
        stage: { program, resources },
      } = this.pipeline(this.at);
      const { groups } = this.command(this.at);
      this.late?.begin({ program, resources, groups });
    } catch (error) {
      this.endStreams();
      throw error;
    }
    workspace.beginSteps(this.steps, job.length);
    this.runJob();
  }

  /** Runs the job that the workspace describes, on workers or on this thread. */
  private runJob(): void {
    const { context } = this;
    this.jobBegan = clockMs();
    this.phase = 'employed';
    if (
      !this.isAlone
      && context.employ(!this.isSmall, () => {
        this.phase = 'ended';
      })
    )
      return;
    if (this.isLong && context.awaitWorkers(() => this.stopWaiting())) {
      this.phase = 'awaiting';
      return;
    }
    context.executor.begin();
    this.phase = 'alone';
  }

  private endJob(): void {
    const { context, job } = this;
    const { workspace } = context;
    const lost = context.lost();
    if (lost !== null) throw new DeviceLostError(lost);
    this.check(workspace.of(Job.status), job[Math.min(workspace.of(Job.step), job.length - 1)]!.at);
    if (this.late && !this.late.ended()) return this.continueJob(this.late.pages);
    context.onDispatchDone();
    const finished = job.filter((step, index) => {
      // Workers leave a job that takes too long, so a dispatch may be incomplete.
      const { groups, next } = this.progressOf(index);
      step.done += Math.min(groups, next);
      return step.done === step.all;
    });
    for (const { at } of finished) this.pipeline(at).stage.runs++;
    this.maxSteps = Math.max(FIRST_STEPS, Math.min(MAX_STEPS, 2 * finished.length));
    const underWay = job[finished.length];
    if (underWay) this.continueDispatch(underWay, finished.length === 0);
    else {
      this.endStreams();
      this.at = job.at(-1)!.at + 1;
      this.done = 0;
      this.phase = 'start';
    }
    context.workspace.busy = this.late !== null;
  }

  private progressOf(index: number): { readonly groups: number; readonly next: number } {
    return { groups: this.stepOf(index, ComputeStep.groups), next: this.stepOf(index, ComputeStep.nextGroup) };
  }

  /**
   * Continues with the rest of a dispatch. `looks`: the job consisted of this dispatch alone, so its progress can be
   * judged.
   */
  private continueDispatch({ at, all, done }: Step, looks: boolean): void {
    this.at = at;
    if (looks) this.lookAhead(done, all);
    this.phase = 'start';
    if (this.late) {
      // Jobs consist of whole warps of workgroups.
      const { groupsPerWarp } = this;
      const took = clockMs() - this.jobBegan;
      const wanted = (done - this.done) * Math.max(0.25, Math.min(4, JOB_MS / Math.max(1, took)));
      this.nextGroups = groupsPerWarp * Math.ceil(Math.max(1, Math.min(MAX_GROUPS, wanted)) / groupsPerWarp);
      this.phase = 'job';
    }
    this.done = done;
  }

  /** "dispatch 0 with pipeline …", for messages. */
  private name(at: number): string {
    const { label } = this.pipeline(at).state;
    return `dispatch ${at} with ${labelled('pipeline', label)} in ${labelled('compute pass', this.state.label)}`;
  }

  /** Throws a DeviceLostError if the dispatch would take forever. */
  private lookAhead(done: number, all: number): void {
    const message = this.watch.look(
      { at: this.at, done, all },
      { work: this.name(this.at), has: 'has run', units: 'workgroups' }
    );
    if (message !== null) throw new DeviceLostError(message);
  }

  /** Throws a DeviceLostError if a shader has not ended in time. */
  private check(status: number, at: number): void {
    if (status === STATUS_TIMEOUT) {
      const { timeoutMs } = this.context;
      throw new DeviceLostError(
        `the shader of ${this.name(at)} ran for more than ${timeoutMs} ms: `
          + 'does a loop never end? (create({ timeoutMs }) sets the limit)'
      );
    }
    if (status !== STATUS_DONE) unreachable(`render: kernel status ${status}`);
  }
}
