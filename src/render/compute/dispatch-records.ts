// Writes the DISPATCH record of a dispatch, and everything that it refers to, into command memory.
import { Dispatch, GatheredBuffer, Resource } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { alignUp, CACHE_LINE, WORD } from '../../base/bits';
import { putImmediates, putResource } from '../resources/bound-groups';
import type { ComputePipeline, DispatchPlan } from './compute-pipeline';
import { zeroDiscardedResource } from '../resources/discarded';
import type { PassContext } from '../pass-context';
import type { DispatchCommand, Three } from '../types';
import { Words } from '../memory/words';

/** Minimum number of invocations per word that workers copy. */
const LEAST_TIMES = 16;

export class DispatchRecords {
  private readonly memory: Words;

  constructor(private readonly context: Pick<PassContext, 'kernel' | 'memory' | 'commands' | 'ranges' | 'workspace'>) {
    this.memory = new Words(context.memory);
  }

  /** Device memory as words. Invalid once memory is allocated. */
  get words(): Uint32Array {
    return this.memory.now().u32;
  }

  /** Prepares the resources that the dispatch reads and writes. Called before its job. */
  settle({ groups }: DispatchCommand): void {
    const { memory, ranges } = this.context;
    for (const bound of groups)
      for (const resource of bound?.group.watched ?? []) {
        zeroDiscardedResource(memory, resource);
        if (resource.kind === 'buffer') ranges.written(resource.buffer);
      }
  }

  /**
   * Writes the record and returns its address. The workgroup range is not set yet, and the uniform block will be filled
   * by the dispatch's prologue.
   */
  write(command: DispatchCommand, pipeline: ComputePipeline, plan: DispatchPlan, count: Three): number {
    const { commands } = this.context;
    const resources = this.resources(command, pipeline, plan.resourceBytes);
    const uniforms = commands.take(Math.max(4, pipeline.stage.uniforms * 4));
    const dispatch = commands.take(Dispatch.bytes);
    const u32 = this.words;
    u32.set(plan.dispatch, dispatch >>> 2);
    u32[(dispatch + Dispatch.uniforms) >>> 2] = uniforms;
    u32[(dispatch + Dispatch.resources) >>> 2] = resources;
    u32[(dispatch + Dispatch.groupsX) >>> 2] = count[0];
    u32[(dispatch + Dispatch.groupsY) >>> 2] = count[1];
    u32[(dispatch + Dispatch.groupsZ) >>> 2] = count[2];
    return dispatch;
  }

  /**
   * Writes GATHERED BUFFERs for the dispatch. The copies begin at byte `at` of each COMPUTE UNIT and take at most
   * `most` bytes. Buffers are only copied if copying and joining costs little compared with the number of invocations.
   */
  gather(
    pipeline: ComputePipeline,
    dispatch: number,
    at: number,
    most: number
  ): { readonly address: number; readonly count: number; readonly bytes: number } {
    const { gathered } = pipeline;
    if (gathered.size === 0 || most === 0) return { address: 0, count: 0, bytes: 0 };
    const address = this.context.commands.take(gathered.size * GatheredBuffer.bytes);
    const u32 = this.words;
    const of = (field: number): number => u32[(dispatch + field) >>> 2]!;
    const groups = of(Dispatch.groupsX) * of(Dispatch.groupsY) * of(Dispatch.groupsZ);
    const room = Math.min(most, (WORD * groups * pipeline.invocations) / LEAST_TIMES);
    const table = of(Dispatch.resources);
    let count = 0;
    let bytes = 0;
    for (const [entry, operation] of gathered) {
      const size = u32[(table + entry * Resource.bytes + Resource.size) >>> 2]!;
      if (bytes + size > room) continue;
      const record = address + count++ * GatheredBuffer.bytes;
      u32[(record + GatheredBuffer.entry) >>> 2] = entry;
      u32[(record + GatheredBuffer.at) >>> 2] = at + bytes;
      u32[(record + GatheredBuffer.size) >>> 2] = size;
      u32[(record + GatheredBuffer.operation) >>> 2] = operation;
      // Copies do not share cache lines.
      bytes += alignUp(size, CACHE_LINE);
    }
    return { address, count, bytes };
  }

  /** Runs the prologue and returns its STATUS_*. `scratch`: address of the kernel's scratch memory. */
  runPrologue(dispatch: number, scratch: number): number {
    const u32 = this.words;
    const of = (field: number): number => u32[(dispatch + field) >>> 2]!;
    const { exports } = this.context.kernel;
    return exports.runPrologue(of(Dispatch.program), of(Dispatch.resources), of(Dispatch.uniforms), scratch);
  }

  private immediates({ immediates }: DispatchCommand): number {
    const words = immediates ?? unreachable('render: no immediate data');
    const address = this.context.commands.take(words.byteLength);
    this.words.set(words, address >>> 2);
    return address;
  }

  private resources(
    command: DispatchCommand,
    { stage: { resources }, gathered }: ComputePipeline,
    bytes: number
  ): number {
    const { commands, workspace } = this.context;
    const address = commands.take(bytes);
    const immediates = resources.some(({ kind }) => kind === 'immediate') ? this.immediates(command) : 0;
    const u32 = this.words;
    resources.forEach((resource, index) => {
      const at = address + index * Resource.bytes;
      // Each worker has its own.
      if (resource.kind === 'workgroup' || resource.kind === 'counters') return;
      if (resource.kind === 'blend-constant') return unreachable('render: a blend constant in a dispatch');
      if (resource.kind === 'immediate') return putImmediates(u32, at, immediates, resource);
      const bound = command.groups[resource.group];
      const found = bound?.group.entries.get(resource.binding);
      if (!bound || !found) unreachable(`render: group ${resource.group} binding ${resource.binding} is not bound`);
      putResource(u32, at, bound, found, resource.binding);
      u32[(at + Resource.own) >>> 2] = gathered.has(index) && workspace.threads < 2 ? 1 : 0;
    });
    return address;
  }
}
