// A compute pass as queue work: dispatch after dispatch. The workgroups of each are a job for the workers, or several
// one after the other where they are many; or for the calling thread, turn by turn.
import { JOB_FLAG_COMPUTE, JOB_FLAG_SERIAL } from '../../assembly/layout/job-codes';
import { STATUS_DONE, STATUS_TIMEOUT } from '../../assembly/layout/status';
import { Dispatch, Job, Resource } from '../../build/layout';
import { unreachable } from '../base/assert';
import { DeviceLostError } from '../base/lost';
import { plain } from '../base/printable';
import type { IrResource } from '../ir';
import type { Allocator } from '../memory';
import type { ComputePipeline } from './compute-pipeline';
import type { ComputeSpace } from './compute-space';
import { settleResource } from './discarded';
import { addressOf, putImmediates, wholeWords } from './draw-records';
import { LateGroups } from './late-groups';
import type { PassContext } from './pass';
import { dispatchStreams } from './stream-rules';
import type { ComputePassState, DispatchCommand, Work } from './types';
import { WorkWatch } from './work-watch';

export type ComputeContext = Pick<
  PassContext, 'kernel' | 'memory' | 'commands' | 'workspace' | 'ranges' | 'executor' | 'employ' | 'lost'
  | 'takeUpModules' | 'startClock' | 'timeoutMs' | 'failed' | 'wake' | 'nextStreamPass' | 'late'
> & {
  readonly allocator: Allocator;
  readonly space: ComputeSpace;
  /** Workgroups whose order can be seen run in it. */
  readonly deterministic: boolean;
  /** All programs are interpreted, or may be. */
  isInterpreted(pipeline: ComputePipeline): boolean;
  hurry(pipeline: ComputePipeline): void;
  dispatchDone(): void;
};

/** Operations of a dispatch that the calling thread does sooner than it has asked workers. */
const LITTLE = 200_000;
/** Of one that neither calls for workers nor waits for compiled programs. */
const SMALL = 2_000_000;
/** Workgroups of the first job of a dispatch; milliseconds that later ones are to take. */
const FIRST_GROUPS = 1 << 12;
const MOST_GROUPS = 1 << 24;
const JOB_MS = 100;

type Phase = 'start' | 'job' | 'alone' | 'employed' | 'ended' | 'late' | 'done';
type Three = readonly [number, number, number];

export class ComputePass implements Work {
  private phase: Phase = 'start';
  /** The dispatch under way, its DISPATCH record, its workgroups, and how many of them are done. */
  private at = -1;
  private record = 0;
  private groups = 0;
  private done = 0;
  /** Of the job under way, and of the next. */
  private jobGroups = 0;
  private nextGroups = FIRST_GROUPS;
  private jobBegan = 0;
  private isAlone = false;
  private isSmall = false;
  /** Null where the dispatch under way reads no streamed textures. */
  private late: LateGroups | null = null;
  private readonly watch: WorkWatch;

  constructor(private readonly context: ComputeContext, private readonly state: ComputePassState) {
    this.watch = new WorkWatch(context.timeoutMs);
  }

  get waits(): boolean { return this.phase === 'employed' || this.phase === 'late'; }

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.waits) return false;
      if (this.phase === 'start') this.startNext();
      else if (this.phase === 'job') this.beginJob();
      else if (this.phase === 'ended') this.endJob();
      else if (this.context.executor.advance(deadline)) this.phase = 'ended';
      if (performance.now() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private get command(): DispatchCommand { return this.state.dispatches[this.at]!; }
  private get pipeline(): ComputePipeline { return this.command.pipeline as ComputePipeline; }

  private startNext(): void {
    if (++this.at === this.state.dispatches.length) {
      this.phase = 'done';
      return;
    }
    const count = this.count(), [x, y, z] = count;
    this.groups = x * y * z;
    if (this.groups === 0) return;
    const { pipeline, context } = this;
    const operations = this.groups * pipeline.invocations * pipeline.cost;
    this.isAlone = operations <= LITTLE;
    this.isSmall = operations <= SMALL;
    if (!this.isSmall) context.hurry(pipeline);
    this.done = 0;
    this.nextGroups = FIRST_GROUPS;
    this.watch.begin(this.at);
    this.write(count);
    this.phase = 'job';
  }

  /** Indirect dispatches beyond the limit do nothing (WebGPU §16.3.3). */
  private count(): Three {
    const { indirect, count, most } = this.command;
    if (!indirect) return count;
    const [x, y, z] = new Uint32Array(this.context.memory.buffer, indirect.buffer.address + indirect.offset, 3);
    return x! > most || y! > most || z! > most ? [0, 0, 0] : [x!, y!, z!];
  }

  /** The DISPATCH record, and all that it names. */
  private write([x, y, z]: Three): void {
    const { context, pipeline, pipeline: { stage } } = this, { commands, kernel, memory, workspace, space } = context;
    commands.reset();
    workspace.busy = true;
    this.settle();
    context.takeUpModules();
    stage.changeOver(Infinity);
    stage.runs++;
    const resources = this.resources(stage.resources), uniforms = commands.take(Math.max(4, stage.uniforms * 4));
    const scratch = workspace.uniformScratch(stage.registers);
    context.startClock();
    this.check(kernel.exports.runPrologue(stage.memory.address, resources.address, uniforms, scratch));
    const misses = this.beginStreams(), packing = pipeline.packing(context.isInterpreted(pipeline));
    this.record = commands.take(Dispatch.bytes);
    const u32 = new Uint32Array(memory.buffer);
    const put = (field: number, value: number): void => { u32[(this.record + field) >>> 2] = value; };
    pipeline.put(put);
    put(Dispatch.uniforms, uniforms);
    put(Dispatch.resources, resources.address);
    put(Dispatch.resourceBytes, resources.bytes);
    put(Dispatch.groupsX, x);
    put(Dispatch.groupsY, y);
    put(Dispatch.groupsZ, z);
    for (const [field, value] of Object.entries(packing)) put(Dispatch[field as keyof typeof packing], value);
    space.provide({
      dispatch: this.record, warps: packing.warpsPerGroup, groupsPerWarp: packing.groupsPerWarp,
      fileBytes: pipeline.fileBytes, resourceBytes: resources.bytes, workgroupBytes: pipeline.workgroupBytes,
      misses,
    });
  }

  /** MISSES of the workers. */
  private beginStreams(): readonly number[] {
    const { context, command: { groups } } = this, streams = dispatchStreams(this.pipeline.stage.program, groups);
    this.late = streams.length > 0 ? new LateGroups(context, streams, context.nextStreamPass()) : null;
    for (const stream of streams) stream.listener = () => this.pagesCame();
    return this.late?.provide(context.commands) ?? [];
  }

  private pagesCame(): void {
    if (this.phase !== 'late') return;
    const { pages } = this.late!;
    pages.ask();
    if ((pages.failure ?? pages.tooLarge) === null && !pages.hasReady) return;
    this.goOn(pages);
    if (this.phase !== 'late') this.context.wake();
  }

  /** After a job that was taken back. */
  private goOn(pages: LateGroups['pages']): void {
    const { groupsPerWarp } = this.pipeline.packing(this.context.isInterpreted(this.pipeline));
    if (pages.failure === null && pages.tooLarge !== null && this.jobGroups > groupsPerWarp) {
      pages.forget();
      this.nextGroups = groupsPerWarp * Math.ceil(this.jobGroups / 2 / groupsPerWarp);
    }
    const failure = pages.failure ?? pages.tooLarge;
    if (failure !== null) {
      this.context.failed(`${this.name} is not finished: ${failure}`);
      this.endStreams();
      this.context.workspace.busy = false;
      this.phase = 'done';
    } else if (!pages.isWaiting || pages.takeReady()) this.phase = 'job';
    else {
      pages.stalls();
      this.phase = 'late';
    }
  }

  private endStreams(): void {
    this.late?.end();
    this.late = null;
  }

  private settle(): void {
    const { memory, ranges } = this.context;
    for (const bound of this.command.groups)
      for (const resource of bound?.group.entries.values() ?? []) {
        settleResource(memory, resource);
        if (resource.kind === 'buffer' && resource.writable) ranges.written(resource.buffer);
      }
  }

  private immediates(): number {
    const words = this.command.immediates ?? unreachable('render: no immediate data');
    const address = this.context.commands.take(words.byteLength);
    new Uint32Array(this.context.memory.buffer).set(words, address >>> 2);
    return address;
  }

  private resources(resources: readonly IrResource[]): { readonly address: number; readonly bytes: number } {
    const bytes = Math.max(1, resources.length) * Resource.bytes, address = this.context.commands.take(bytes);
    const u32 = new Uint32Array(this.context.memory.buffer);
    resources.forEach((resource, index) => {
      const at = address + index * Resource.bytes;
      // Each worker has its own.
      if (resource.kind === 'workgroup' || resource.kind === 'counters') return;
      if (resource.kind === 'blend-constant') return unreachable('render: a blend constant in a dispatch');
      if (resource.kind === 'immediate') return putImmediates(u32, at, this.immediates(), resource);
      const bound = this.command.groups[resource.group], found = bound?.group.entries.get(resource.binding);
      if (!bound || !found) unreachable(`render: group ${resource.group} binding ${resource.binding} is not bound`);
      u32[(at + Resource.address) >>> 2] = addressOf(found) + (bound.dynamicOffsets?.get(resource.binding) ?? 0);
      u32[(at + Resource.size) >>> 2] = found.kind === 'buffer' ? wholeWords(found.size) : 0;
    });
    return { address, bytes };
  }

  private beginJob(): void {
    const { context } = this, { workspace, memory } = context;
    this.jobGroups = Math.min(this.groups - this.done, this.nextGroups);
    const base = new Uint32Array(memory.buffer, this.record + Dispatch.base, 2);
    base[0] = this.done % 2 ** 32;
    base[1] = Math.floor(this.done / 2 ** 32);
    const isSerial = context.deterministic && this.pipeline.isSerial;
    try {
      this.late?.begin(this.pipeline.stage.resources, this.command.groups);
    } catch (error) {
      this.endStreams();
      throw error;
    }
    workspace.beginGroups(this.jobGroups, JOB_FLAG_COMPUTE | (isSerial ? JOB_FLAG_SERIAL : 0));
    this.jobBegan = performance.now();
    this.phase = 'employed';
    if (!this.isAlone && context.employ(this.isSmall, () => { this.phase = 'ended'; })) return;
    context.executor.begin();
    this.phase = 'alone';
  }

  private endJob(): void {
    const { context, pipeline } = this, lost = context.lost();
    if (lost !== null) throw new DeviceLostError(lost);
    this.check(context.workspace.of(Job.status));
    // Workers leave a job that takes too long.
    const done = Math.min(this.jobGroups, context.workspace.of(Job.nextGroup));
    if (this.late && !this.late.ended()) return this.goOn(this.late.pages);
    this.done += done;
    context.dispatchDone();
    const took = performance.now() - this.jobBegan;
    // Whole warps of workgroups.
    const { groupsPerWarp } = pipeline.packing(context.isInterpreted(pipeline));
    const wanted = done * Math.max(0.25, Math.min(4, JOB_MS / Math.max(1, took)));
    this.nextGroups = groupsPerWarp * Math.ceil(Math.max(1, Math.min(MOST_GROUPS, wanted)) / groupsPerWarp);
    if (this.done < this.groups) {
      this.lookAhead();
      this.phase = 'job';
      return;
    }
    context.workspace.busy = false;
    this.endStreams();
    this.phase = 'start';
  }

  /** "dispatch 0 with pipeline …", for messages. */
  private get name(): string {
    const { label } = this.pipeline.state;
    return `dispatch ${this.at} with pipeline "${plain(label)}" in compute pass "${plain(this.state.label)}"`;
  }

  /** A dispatch that would take for ever loses the device. */
  private lookAhead(): void {
    const progress = { at: this.at, done: this.done, all: this.groups };
    const message = this.watch.look(progress, { work: this.name, has: 'has run', units: 'workgroups' });
    if (message !== null) throw new DeviceLostError(message);
  }

  /** A program that does not end loses the device. */
  private check(status: number): void {
    if (status === STATUS_TIMEOUT) {
      const { timeoutMs } = this.context;
      throw new DeviceLostError(
        `the shader of ${this.name} ran for more than ${timeoutMs} ms: does a loop never end? (create({ timeoutMs }) sets the limit)`
      );
    }
    if (status !== STATUS_DONE) unreachable(`render: kernel status ${status}`);
  }
}
