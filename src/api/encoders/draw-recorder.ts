// Common base of render passes and render bundles: the state that draw calls need, and the draw calls.
// https://www.w3.org/TR/webgpu/#render-commands

import type { DrawCommand, DrawState } from '../../render/types';
import type { BindGroupCore, SetGroup } from '../resources/bind-group';
import type { BufferCore } from '../resources/buffer';
import type { Uses } from './command-buffer';
import { BufferUsage, flagNames } from '../idl/constants';
import { DebugGroups } from './debug-groups';
import { ApiObject, refuse, requireUsable, type Fail } from '../core/device-core';
import {
  checkBindings,
  checkIndices,
  checkPipelineFits,
  checkVertices,
  type BoundIndex,
  type BoundSlot,
} from './draw-checks';
import { Immediates, type ImmediateRange } from '../pipelines/immediates';
import { limitText } from '../core/limits';
import type { RenderLayout } from './render-layout';
import type { ModularPipelineCore } from '../modular/modular-pipeline';
import { knownVertices, MAX_SINKS, type Choice } from '../modular/modular-slots';
import { RenderPipelineCore, type BufferEnd } from '../pipelines/pipeline';
import { setGroup, useGroup } from './set-group';
import { COUNTS_BYTES, SinkRegions, type SinkBinding } from './sink-regions';
import type { UsageScope } from './usage-scope';

/** Arguments of setSinkBuffer. */
interface SinkBuffer {
  readonly buffer: BufferCore;
  readonly offset: number;
  readonly size: number | undefined;
  readonly counts: BufferCore | null;
  readonly countsOffset: number;
}

export abstract class DrawRecorder extends ApiObject {
  readonly debugGroups = new DebugGroups();
  /** Regions that draw calls write to sinks, including those of bundles. */
  readonly sinkRegions = new SinkRegions();
  #pipeline: RenderPipelineCore | null = null;
  /** The current modular pipeline and the enabled stages. Each draw call sets `#pipeline` to their variant. */
  #table: ModularPipelineCore | null = null;
  #choice: Choice = { enabled: 0, entry: null };
  #groups: (SetGroup | null)[] = [];
  #slots: (BoundSlot | null)[] = [];
  #index: BoundIndex | null = null;
  readonly #immediates = new Immediates(this.device);
  /** Buffers that are set for stream output. */
  #sinks: (SinkBinding | null)[] = [];
  /** State that draw calls share until the next setter call; null if it must be made and validated anew. */
  #state: DrawState | null = null;

  /** Encodes one command. After the first error, further commands are ignored. */
  abstract encode(call: string, act: () => void): void;
  /** Layout that pipelines must match; only valid inside `encode`. */
  protected abstract get layout(): RenderLayout;
  protected abstract get scope(): UsageScope;
  protected abstract get uses(): Uses;
  /** Records a validated draw call. */
  protected abstract push(command: DrawCommand): void;

  no(call: string, message: string): never {
    refuse(this, call, message);
  }

  /** Resets the state, as if nothing had been set. */
  protected forget(): void {
    this.#pipeline = this.#table = this.#index = this.#state = null;
    this.#sinks = [];
    this.#groups = [];
    this.#slots = [];
    this.#immediates.forget();
  }

  setPipeline(pipeline: RenderPipelineCore | ModularPipelineCore): void {
    this.encode('setPipeline', () => {
      requireUsable(pipeline, this, this.device, 'setPipeline');
      const no = (message: string): never => this.no('setPipeline', message);
      if (pipeline instanceof RenderPipelineCore) {
        this.#table = null;
        checkPipelineFits(pipeline, this.layout, no);
        this.#usePipeline(pipeline);
      } else {
        checkPipelineFits(pipeline.initial, this.layout, no);
        this.#table = pipeline;
        this.#choice = pipeline.choice;
        this.uses.others.add(pipeline);
      }
    });
  }

  #usePipeline(pipeline: RenderPipelineCore): void {
    if (this.#pipeline === pipeline) return;
    this.uses.others.add(pipeline);
    this.#pipeline = pipeline;
    this.#state = null;
  }

  setStageEnabled(slot: number, enabled: boolean): void {
    const { enabled: before, entry } = this.#choice;
    const bit = 1 << slot;
    this.#choose('setStageEnabled', slot, () => ({ entry, enabled: enabled ? before | bit : before & ~bit }));
  }

  setEntryStage(slot: number): void {
    this.#choose('setEntryStage', slot, () => ({ ...this.#choice, entry: slot }));
  }

  #choose(call: string, slot: number, choice: () => Choice): void {
    this.encode(call, () => {
      const no = (message: string): never => this.no(call, message);
      const table = this.#table ?? no('no modular pipeline is set; call setPipeline() with one first');
      table.checkSlot(slot, no);
      this.#choice = choice();
    });
  }

  setBindGroup(index: number, group: BindGroupCore | null, offsets: readonly number[]): void {
    const call = 'setBindGroup';
    this.encode(call, () => {
      setGroup(this, this.#groups, index, group, offsets, (message) => this.no(call, message));
      this.#state = null;
      if (group === null) return;
      const conflict = this.scope.addGroup(group);
      if (conflict !== null) this.no(call, conflict);
      useGroup(this.uses, group);
    });
  }

  setImmediates(range: ImmediateRange): void {
    this.encode('setImmediates', () => {
      this.#immediates.set(range, (message) => this.no('setImmediates', message));
      this.#state = null;
    });
  }

  #useBuffer(buffer: BufferCore, usage: 'VERTEX' | 'INDEX' | 'INDIRECT', call: string): void {
    requireUsable(buffer, this, this.device, call);
    if ((buffer.usage & BufferUsage[usage]) === 0)
      this.no(call, `${buffer.called} needs usage ${usage}; it has ${flagNames(buffer.usage, BufferUsage)}`);
    const conflict = this.scope.addBuffer(buffer, 'read');
    if (conflict !== null) this.no(call, conflict);
    this.uses.buffers.add(buffer);
  }

  setVertexBuffer(slotNumber: number, buffer: BufferCore | null, offset: number, wanted: number | undefined): void {
    const call = 'setVertexBuffer';
    this.encode(call, () => {
      const { limits } = this.device;
      if (slotNumber >= limits.maxVertexBuffers)
        this.no(call, `slot ${slotNumber} must be less than ${limitText(limits, 'maxVertexBuffers')}`);
      while (this.#slots.length <= slotNumber) this.#slots.push(null);
      this.#state = null;
      if (buffer === null) {
        if (offset !== 0 || (wanted ?? 0) !== 0)
          this.no(call, `offset ${offset} and size ${wanted ?? 0} must be 0 without a buffer`);
        this.#slots[slotNumber] = null;
        return;
      }
      this.#useBuffer(buffer, 'VERTEX', call);
      const size = wanted ?? Math.max(0, buffer.size - offset);
      if (offset % 4 !== 0) this.no(call, `offset ${offset} is not a multiple of 4`);
      if (offset + size > buffer.size)
        this.no(call, `offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
      this.#slots[slotNumber] = { buffer, bound: { buffer: buffer.store, offset, size } };
    });
  }

  setIndexBuffer(buffer: BufferCore, format: GPUIndexFormat, offset: number, wanted: number | undefined): void {
    const call = 'setIndexBuffer';
    this.encode(call, () => {
      this.#useBuffer(buffer, 'INDEX', call);
      const bytes = format === 'uint16' ? 2 : 4;
      const size = wanted ?? Math.max(0, buffer.size - offset);
      if (offset % bytes !== 0)
        this.no(call, `offset ${offset} is not a multiple of ${bytes}, the size of a ${format}`);
      if (offset + size > buffer.size)
        this.no(call, `offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
      this.#index = { buffer, format, bound: { buffer: buffer.store, offset, size, bytes } };
      this.#state = null;
    });
  }

  /** Returns the current state, validated once for all draw calls that share it. */
  #drawState(call: string): DrawState {
    if (this.#table) this.#usePipeline(this.#table.variant(this.#choice, (message) => this.no(call, message)));
    if (this.#state !== null) return this.#state;
    const pipeline = this.#pipeline;
    if (pipeline === null) return this.no(call, 'no pipeline is set; call setPipeline() first');
    checkBindings(pipeline, this.#groups, this.#slots, (message) => this.no(call, message));
    const { buffers } = pipeline;
    for (const { number } of buffers) {
      if (!this.#sinks[number])
        this.no(call, `${pipeline.called} has a buffer sink; call setSinkBuffer() for sinks[${number}] first`);
    }
    // Several paths of a modular pipeline may lead to the same sink.
    const numbers = [...new Set(buffers.map(({ number }) => number))];
    this.sinkRegions.take(
      numbers.map((number) => [number, this.#sinks[number]!] as const),
      (message) => this.no(call, message)
    );
    this.#state = {
      pipeline: pipeline.parts.store,
      groups: pipeline.parts.groups.map((_, i) => this.#groups[i]?.bound ?? null),
      immediates: this.#immediates.for(pipeline, (message) => this.no(call, message)),
      vertexBuffers: this.#slots.map((bound) => bound?.bound ?? null),
      index: this.#index?.bound ?? null,
      sinks: buffers.length > 0 ? this.#sinks.map((sink) => sink?.bound ?? null) : [],
    };
    return this.#state;
  }

  draw(
    indexed: boolean,
    count: number,
    instanceCount: number,
    first: number,
    baseVertex: number,
    firstInstance: number
  ): void {
    const call = indexed ? 'drawIndexed' : 'draw';
    this.encode(call, () => {
      const state = this.#drawState(call);
      const no = (message: string): never => this.no(call, message);
      const { parts } = this.#pipeline!;
      if (indexed) checkIndices(parts, this.#index, first, count, no);
      checkVertices(parts, this.#slots, indexed ? null : first + count, firstInstance + instanceCount, no);
      for (const end of this.#pipeline!.buffers) this.#takeSink(end, { indexed, count, instanceCount }, no);
      this.push({ state, indexed, count, instanceCount, first, baseVertex, firstInstance, indirect: null });
    });
  }

  /**
   * Refuses draw calls whose vertices are known to exceed the sink. Vertices that exceed it only when the pass runs are
   * dropped.
   */
  #takeSink(
    { number, stages, buffer }: BufferEnd,
    { indexed, count, instanceCount }: Pick<DrawCommand, 'indexed' | 'count' | 'instanceCount'>,
    no: Fail
  ): void {
    const sink = this.#sinks[number]!;
    const { size } = sink.bound;
    const { topology } = this.#pipeline!.parts.state.primitive;
    sink.usedBytes += knownVertices(topology, stages, indexed, count, instanceCount) * buffer.arrayStride;
    if (sink.usedBytes > size)
      no(
        `${sink.usedBytes} bytes of vertices so far exceed the ${size} bytes of ${sink.buffer.called} `
          + 'that setSinkBuffer() provides'
      );
  }

  /** Resolves a sink number. The default is the pipeline's first buffer sink, or else sink 0. */
  #sinkNumber(number: number | undefined, call: string): number {
    const sinks = this.#table?.bufferSinks ?? [];
    if (number === undefined) return sinks[0] ?? 0;
    if (number >= MAX_SINKS) this.no(call, `sink ${number}: a modular pipeline has at most ${MAX_SINKS} sinks`);
    return number;
  }

  setSinkBuffer({ buffer, offset, size: wanted, counts, countsOffset }: SinkBuffer, number: number | undefined): void {
    const call = 'setSinkBuffer';
    this.encode(call, () => {
      const parts = [
        [buffer, offset, wanted ?? 4],
        [counts, countsOffset, COUNTS_BYTES],
      ] as const;
      for (const [each, from, bytes] of parts) {
        if (!each) continue;
        requireUsable(each, this, this.device, call);
        if ((each.usage & BufferUsage.STORAGE) === 0)
          this.no(call, `${each.called} needs usage STORAGE; it has ${flagNames(each.usage, BufferUsage)}`);
        if (from % 4 !== 0) this.no(call, `offset ${from} is not a multiple of 4`);
        if (from + bytes > each.size)
          this.no(call, `offset ${from} + ${bytes} bytes exceed the size ${each.size} of ${each.called}`);
        const conflict = this.scope.addBuffer(each, 'write');
        if (conflict !== null) this.no(call, conflict);
        this.uses.buffers.add(each);
      }
      const size = wanted ?? buffer.size - offset;
      this.#sinks[this.#sinkNumber(number, call)] = {
        buffer,
        counts,
        usedBytes: 0,
        bound: { buffer: buffer.store, offset, size, counts: counts && { buffer: counts.store, offset: countsOffset } },
      };
      this.#state = null;
    });
  }

  drawIndirect(indexed: boolean, buffer: BufferCore, offset: number): void {
    const call = indexed ? 'drawIndexedIndirect' : 'drawIndirect';
    this.encode(call, () => {
      const state = this.#drawState(call);
      const no = (message: string): never => this.no(call, message);
      if (indexed) checkIndices(this.#pipeline!.parts, this.#index, 0, 0, no);
      this.#useBuffer(buffer, 'INDIRECT', call);
      const bytes = indexed ? 20 : 16;
      if (offset % 4 !== 0) no(`indirectOffset ${offset} is not a multiple of 4`);
      if (offset + bytes > buffer.size)
        no(`indirectOffset ${offset} + ${bytes} bytes of arguments exceed the size ${buffer.size} of ${buffer.called}`);
      this.push({
        state,
        indexed,
        count: 0,
        instanceCount: 0,
        first: 0,
        baseVertex: 0,
        firstInstance: 0,
        indirect: { buffer: buffer.store, offset, firstInstance: this.device.features.has('indirect-first-instance') },
      });
    });
  }
}
