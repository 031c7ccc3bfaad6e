// The DISPATCH record of a dispatch, and all that it names, in command memory.
import { Dispatch, GatheredBuffer, Resource } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { ComputePipeline, Packing } from './compute-pipeline';
import { settleResource } from './discarded';
import { addressOf, putImmediates, wholeWords } from './draw-records';
import type { PassContext } from './pass';
import type { DispatchCommand } from './types';

const WORD = 4;
/** Copies have cache lines of their own. */
const LINE = 64;
/** Invocations of a dispatch for each word of which workers have copies, at the least. */
const LEAST_TIMES = 16;

export class DispatchRecords {
  constructor(private readonly context: Pick<PassContext, 'kernel' | 'memory' | 'commands' | 'ranges' | 'workspace'>) {}

  /** Readies what it reads and writes: before the job of which it is. */
  settle({ groups }: DispatchCommand): void {
    const { memory, ranges } = this.context;
    for (const bound of groups)
      for (const resource of bound?.group.entries.values() ?? []) {
        settleResource(memory, resource);
        if (resource.kind === 'buffer' && resource.writable) ranges.written(resource.buffer);
      }
  }

  /** Without workgroups to begin with, and with a uniform block that its prologue will fill. */
  write(
    command: DispatchCommand, pipeline: ComputePipeline, packing: Packing, count: readonly [number, number, number]
  ): { readonly dispatch: number; readonly resourceBytes: number } {
    const { commands, memory } = this.context, { stage } = pipeline, [x, y, z] = count;
    const resources = this.resources(command, pipeline);
    const uniforms = commands.take(Math.max(4, stage.uniforms * 4));
    const dispatch = commands.take(Dispatch.bytes), u32 = new Uint32Array(memory.buffer);
    const put = (field: number, value: number): void => { u32[(dispatch + field) >>> 2] = value; };
    pipeline.put(put);
    put(Dispatch.uniforms, uniforms);
    put(Dispatch.resources, resources.address);
    put(Dispatch.resourceBytes, resources.bytes);
    put(Dispatch.groupsX, x);
    put(Dispatch.groupsY, y);
    put(Dispatch.groupsZ, z);
    for (const [field, value] of Object.entries(packing)) put(Dispatch[field as keyof typeof packing], value);
    return { dispatch, resourceBytes: resources.bytes };
  }

  /**
   * GATHERED BUFFERs of the dispatch, of `most` bytes in all, whose copies lie from `at` on in units: where its
   * invocations are so many that copying and joining is little beside them.
   */
  gather(
    pipeline: ComputePipeline, dispatch: number, at: number, most: number
  ): { readonly address: number; readonly count: number; readonly bytes: number } {
    const { commands, memory } = this.context, entries = [...pipeline.gathered];
    if (entries.length === 0) return { address: 0, count: 0, bytes: 0 };
    const address = commands.take(entries.length * GatheredBuffer.bytes), u32 = new Uint32Array(memory.buffer);
    const of = (field: number): number => u32[(dispatch + field) >>> 2]!;
    const groups = of(Dispatch.groupsX) * of(Dispatch.groupsY) * of(Dispatch.groupsZ);
    const room = Math.min(most, (WORD * groups * pipeline.invocations) / LEAST_TIMES), table = of(Dispatch.resources);
    let count = 0, bytes = 0;
    for (const [entry, operation] of entries) {
      const size = u32[(table + entry * Resource.bytes + Resource.size) >>> 2]!;
      if (bytes + size > room) continue;
      const record = address + count++ * GatheredBuffer.bytes;
      u32[(record + GatheredBuffer.entry) >>> 2] = entry;
      u32[(record + GatheredBuffer.at) >>> 2] = at + bytes;
      u32[(record + GatheredBuffer.size) >>> 2] = size;
      u32[(record + GatheredBuffer.operation) >>> 2] = operation;
      bytes += (size + LINE - 1) & -LINE;
    }
    return { address, count, bytes };
  }

  /** STATUS_*. `scratch`: as the kernel wants it. */
  runPrologue(dispatch: number, scratch: number): number {
    const { kernel, memory } = this.context, u32 = new Uint32Array(memory.buffer);
    const of = (field: number): number => u32[(dispatch + field) >>> 2]!;
    return kernel.exports.runPrologue(of(Dispatch.program), of(Dispatch.resources), of(Dispatch.uniforms), scratch);
  }

  private immediates({ immediates }: DispatchCommand): number {
    const words = immediates ?? unreachable('render: no immediate data');
    const address = this.context.commands.take(words.byteLength);
    new Uint32Array(this.context.memory.buffer).set(words, address >>> 2);
    return address;
  }

  private resources(
    command: DispatchCommand, { stage: { resources }, gathered }: ComputePipeline
  ): { readonly address: number; readonly bytes: number } {
    const bytes = Math.max(1, resources.length) * Resource.bytes, address = this.context.commands.take(bytes);
    const u32 = new Uint32Array(this.context.memory.buffer);
    resources.forEach((resource, index) => {
      const at = address + index * Resource.bytes;
      // Each worker has its own.
      if (resource.kind === 'workgroup' || resource.kind === 'counters') return;
      if (resource.kind === 'blend-constant') return unreachable('render: a blend constant in a dispatch');
      if (resource.kind === 'immediate') return putImmediates(u32, at, this.immediates(command), resource);
      const bound = command.groups[resource.group], found = bound?.group.entries.get(resource.binding);
      if (!bound || !found) unreachable(`render: group ${resource.group} binding ${resource.binding} is not bound`);
      u32[(at + Resource.address) >>> 2] = addressOf(found) + (bound.dynamicOffsets?.get(resource.binding) ?? 0);
      u32[(at + Resource.size) >>> 2] = found.kind === 'buffer' ? wholeWords(found.size) : 0;
      u32[(at + Resource.own) >>> 2] = gathered.has(index) && this.context.workspace.threads < 2 ? 1 : 0;
    });
    return { address, bytes };
  }
}
