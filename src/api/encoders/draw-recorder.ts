// Common base of render passes and render bundles: the state that draw calls need, and the draw calls.
// https://www.w3.org/TR/webgpu/#render-commands

import { DrawList } from '../../render/draws/draw-list';
import type { BoundGroup, DrawState } from '../../render/types';
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
import { knownVertices, MAX_SINKS, type Choice, type ModularDraws } from '../modular/modular-draws';
import { RenderPipelineCore, type BufferEnd } from '../pipelines/pipeline';
import { checkOffsets, setGroup, useGroup } from './set-group';
import { COUNTS_BYTES, MISSED_BYTES, SinkRegions, type SinkBinding } from './sink-regions';
import type { UsageScope } from './usage-scope';

/** Arguments of setSinkBuffer. */
interface SinkBuffer {
  readonly buffer: BufferCore;
  readonly offset: number;
  readonly size: number | undefined;
  readonly counts: BufferCore | null;
  readonly countsOffset: number;
  /** Where the number of vertices without room goes in `counts`; undefined: nowhere. */
  readonly missedOffset: number | undefined;
}

const NO_SINKS: DrawState['sinks'] = [];

/** A state of draw calls, as it was validated. */
interface RecordedState {
  readonly state: DrawState;
  /** Number of the state in the list; -1 if it has not been added. */
  number: number;
  /** The groups of the state with their current dynamic offsets. */
  readonly bound: readonly (BoundGroup | null)[];
  /** Whether shaders may write to resources of the state, so that new offsets must be checked for overlaps. */
  readonly mayWrite: boolean;
}

export abstract class DrawRecorder extends ApiObject {
  readonly debugGroups = new DebugGroups();
  /** Regions that draw calls write to sinks, including those of bundles. */
  readonly sinkRegions = new SinkRegions();
  #pipeline: RenderPipelineCore | null = null;
  /** The current modular pipeline and the enabled stages. Each draw call sets `#pipeline` to their variant. */
  #table: ModularDraws | null = null;
  #choice: Choice = { enabled: 0, entry: null, pixelEntry: null };
  #groups: (SetGroup | null)[] = [];
  #slots: (BoundSlot | null)[] = [];
  /** What `#slots` binds; null if they have changed since the last state. */
  #vertexBuffers: DrawState['vertexBuffers'] | null = null;
  #index: BoundIndex | null = null;
  readonly #immediates = new Immediates(this.device);
  /** Buffers that are set for stream output. */
  #sinks: (SinkBinding | null)[] = [];
  /** State that draw calls share until the next setter call; null if it must be made and validated anew. */
  #state: RecordedState | null = null;
  /** States that differ in the choice of the modular pipeline alone. */
  readonly #states = new Map<RenderPipelineCore, RecordedState>();
  /** Index of the current dynamic offsets in the list; null if they have not been added. */
  #offsets: number | null = null;
  /** Refuses the command `#call`. One function serves all commands, so that none of them allocates. */
  #call = '';
  readonly #refuse: Fail = (message) => this.no(this.#call, message);
  /** The draw calls that were recorded. */
  protected readonly list = new DrawList();

  /** Whether a command may be encoded. After the first error, further commands are ignored. */
  protected abstract begins(call: string): boolean;
  /** Keeps a Refusal as the first error, and throws any other error. */
  protected abstract refused(error: unknown): void;
  /** Layout that pipelines must match; only valid while a command is encoded. */
  protected abstract get layout(): RenderLayout;
  protected abstract get scope(): UsageScope;
  protected abstract get uses(): Uses;
  /** Called for each validated draw call, also for empty ones. */
  protected abstract onDraw(call: string): void;

  /** Encodes a command that `act` validates and records. */
  encode(call: string, act: () => void): void {
    if (!this.#starts(call)) return;
    try {
      act();
    } catch (error) {
      this.refused(error);
    }
  }

  #starts(call: string): boolean {
    if (!this.begins(call)) return false;
    this.#call = call;
    return true;
  }

  no(call: string, message: string): never {
    refuse(this, call, message);
  }

  /** Resets the state, as if nothing had been set. */
  protected forget(): void {
    this.#pipeline = this.#table = this.#index = null;
    this.#forgetState();
    this.#sinks = [];
    this.#groups = [];
    this.#slots = [];
    this.#vertexBuffers = null;
    this.#immediates.forget();
  }

  setPipeline(pipeline: RenderPipelineCore | ModularDraws): void {
    this.encode('setPipeline', () => {
      if (pipeline === this.#pipeline && this.#table === null) return;
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
    this.#state = (this.#table && this.#states.get(pipeline)) ?? null;
    this.#offsets = null;
  }

  #forgetState(): void {
    this.#state = null;
    if (this.#states.size > 0) this.#states.clear();
  }

  setStageEnabled(slot: number, enabled: boolean): void {
    if (!this.#starts('setStageEnabled')) return;
    try {
      this.#tableWith(slot);
      const { enabled: before, entry, pixelEntry } = this.#choice;
      const bit = 1 << slot;
      this.#choice = { enabled: enabled ? before | bit : before & ~bit, entry, pixelEntry };
    } catch (error) {
      this.refused(error);
    }
  }

  setEntryStage(slot: number): void {
    if (!this.#starts('setEntryStage')) return;
    try {
      const isPixel = this.#tableWith(slot).isPixelSlot(slot);
      this.#choice = { ...this.#choice, ...(isPixel ? { pixelEntry: slot } : { entry: slot }) };
    } catch (error) {
      this.refused(error);
    }
  }

  /** The current modular pipeline, whose slot must hold a stage. */
  #tableWith(slot: number): ModularDraws {
    const table = this.#table ?? this.#refuse('no modular pipeline is set; call setPipeline() with one first');
    table.checkSlot(slot, this.#refuse);
    return table;
  }

  setBindGroup(index: number, group: BindGroupCore | null, offsets: ArrayLike<number>): void {
    if (!this.#starts('setBindGroup')) return;
    try {
      const set = this.#groups[index];
      // The group itself was validated when it was set.
      if (set && set.group === group) this.#setOffsets(set, offsets);
      else this.#setGroup(index, group, offsets);
    } catch (error) {
      this.refused(error);
    }
  }

  #setOffsets({ group, bound }: SetGroup, offsets: ArrayLike<number>): void {
    checkOffsets(group, offsets, this.#refuse);
    const { dynamicOffsets } = bound;
    if (dynamicOffsets === null) return;
    for (let i = 0; i < dynamicOffsets.length; i++) {
      if (dynamicOffsets[i] === offsets[i]) continue;
      dynamicOffsets[i] = offsets[i]!;
      this.#offsets = null;
    }
  }

  #setGroup(index: number, group: BindGroupCore | null, offsets: ArrayLike<number>): void {
    setGroup(this, this.#groups, index, group, offsets, this.#refuse);
    this.#forgetState();
    if (group === null) return;
    const conflict = this.scope.addGroup(group);
    if (conflict !== null) this.#refuse(conflict);
    useGroup(this.uses, group);
  }

  setImmediates(range: ImmediateRange): void {
    this.encode('setImmediates', () => {
      this.#immediates.set(range, (message) => this.no('setImmediates', message));
      this.#forgetState();
    });
  }

  #useBuffer(buffer: BufferCore, usage: 'VERTEX' | 'INDEX' | 'INDIRECT'): void {
    requireUsable(buffer, this, this.device, this.#call);
    if ((buffer.usage & BufferUsage[usage]) === 0)
      this.#refuse(`${buffer.called} needs usage ${usage}; it has ${flagNames(buffer.usage, BufferUsage)}`);
    const conflict = this.scope.addBuffer(buffer, 'read');
    if (conflict !== null) this.#refuse(conflict);
    this.uses.buffers.add(buffer);
  }

  setVertexBuffer(slotNumber: number, buffer: BufferCore | null, offset: number, wanted: number | undefined): void {
    if (!this.#starts('setVertexBuffer')) return;
    try {
      const { limits } = this.device;
      if (slotNumber >= limits.maxVertexBuffers)
        this.#refuse(`slot ${slotNumber} must be less than ${limitText(limits, 'maxVertexBuffers')}`);
      this.#setSlot(slotNumber, buffer, offset, wanted);
    } catch (error) {
      this.refused(error);
    }
  }

  #setSlot(slotNumber: number, buffer: BufferCore | null, offset: number, wanted: number | undefined): void {
    const slots = this.#slots;
    while (slots.length <= slotNumber) slots.push(null);
    if (buffer === null) {
      if (offset !== 0 || (wanted ?? 0) !== 0)
        this.#refuse(`offset ${offset} and size ${wanted ?? 0} must be 0 without a buffer`);
      slots[slotNumber] = null;
      this.#vertexBuffers = null;
      this.#forgetState();
      return;
    }
    const size = wanted ?? Math.max(0, buffer.size - offset);
    const before = slots[slotNumber];
    // Many engines set all buffers for each draw call.
    if (before?.buffer === buffer && before.bound.offset === offset && before.bound.size === size) return;
    this.#useBuffer(buffer, 'VERTEX');
    if (offset % 4 !== 0) this.#refuse(`offset ${offset} is not a multiple of 4`);
    if (offset + size > buffer.size)
      this.#refuse(`offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
    slots[slotNumber] = { buffer, bound: { buffer: buffer.store, offset, size } };
    this.#vertexBuffers = null;
    this.#forgetState();
  }

  setIndexBuffer(buffer: BufferCore, format: GPUIndexFormat, offset: number, wanted: number | undefined): void {
    if (!this.#starts('setIndexBuffer')) return;
    try {
      const size = wanted ?? Math.max(0, buffer.size - offset);
      const before = this.#index;
      if (
        before?.buffer === buffer
        && before.format === format
        && before.bound.offset === offset
        && before.bound.size === size
      )
        return;
      this.#useBuffer(buffer, 'INDEX');
      const bytes = format === 'uint16' ? 2 : 4;
      if (offset % bytes !== 0) this.#refuse(`offset ${offset} is not a multiple of ${bytes}, the size of a ${format}`);
      if (offset + size > buffer.size)
        this.#refuse(`offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
      this.#index = { buffer, format, bound: { buffer: buffer.store, offset, size, bytes } };
      this.#forgetState();
    } catch (error) {
      this.refused(error);
    }
  }

  /** Makes and validates the current state, once for all draw calls that share it. */
  #checkState(): void {
    if (this.#table) this.#usePipeline(this.#table.variant(this.#choice, this.#refuse));
    if (this.#state === null) this.#makeState();
    else if (this.#state.mayWrite && this.#offsets === null)
      checkBindings(this.#pipeline!, this.#groups, this.#slots, this.#refuse);
  }

  /** Not in `#checkState`, which would allocate a context for these closures at each draw call. */
  #makeState(): void {
    const pipeline = this.#pipeline;
    if (pipeline === null) return this.#refuse('no pipeline is set; call setPipeline() first');
    checkBindings(pipeline, this.#groups, this.#slots, this.#refuse);
    const { buffers, parts } = pipeline;
    if (buffers.length > 0) this.#takeSinks(pipeline);
    const immediates = this.#immediates.for(pipeline, this.#refuse);
    const bound: (BoundGroup | null)[] = [];
    const groups: (BoundGroup | null)[] = [];
    let dynamicOffsets = 0;
    let writes = false;
    for (let i = 0; i < parts.groups.length; i++) {
      const set = this.#groups[i];
      bound.push(set?.bound ?? null);
      groups.push(set?.group.withoutDynamicOffsets.bound ?? null);
      dynamicOffsets += set?.group.dynamic.length ?? 0;
      writes ||= parts.groups[i]?.mayWrite === true;
    }
    this.#offsets = null;
    const state = {
      pipeline: parts.store,
      groups,
      dynamicOffsets,
      immediates,
      vertexBuffers: (this.#vertexBuffers ??= this.#slots.map((slot) => slot?.bound ?? null)),
      index: this.#index?.bound ?? null,
      sinks: buffers.length > 0 ? this.#sinks.map((sink) => sink?.bound ?? null) : NO_SINKS,
    };
    this.#state = { state, number: -1, bound, mayWrite: writes };
    if (this.#table && buffers.length === 0) this.#states.set(pipeline, this.#state);
  }

  /** Takes the regions of the pipeline's buffer sinks. */
  #takeSinks(pipeline: RenderPipelineCore): void {
    const { buffers } = pipeline;
    for (const { number } of buffers) {
      if (!this.#sinks[number])
        this.#refuse(`${pipeline.called} has a buffer sink; call setSinkBuffer() for sinks[${number}] first`);
    }
    // Several paths of a modular pipeline may lead to the same sink.
    const numbers = [...new Set(buffers.map(({ number }) => number))];
    this.sinkRegions.take(
      numbers.map((number) => [number, this.#sinks[number]!] as const),
      this.#refuse
    );
  }

  /** Adds a draw call without counts to the list. */
  #add(isIndexed: boolean): void {
    const { list } = this;
    const recorded = this.#state!;
    const { state, bound } = recorded;
    if (recorded.number < 0) recorded.number = list.addState(state);
    if (state.dynamicOffsets > 0) this.#offsets ??= list.addOffsets(bound, state.dynamicOffsets);
    list.add(recorded.number, isIndexed, this.#offsets ?? 0);
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
    if (!this.#starts(call)) return;
    try {
      this.#checkState();
      const { parts, buffers } = this.#pipeline!;
      if (indexed) checkIndices(parts, this.#index, first, count, this.#refuse);
      checkVertices(parts, this.#slots, indexed ? null : first + count, firstInstance + instanceCount, this.#refuse);
      for (const end of buffers) this.#takeSink(end, indexed, count, instanceCount);
      this.onDraw(call);
      // Empty draw calls are validated but not recorded.
      if (count === 0 || instanceCount === 0) return;
      this.#add(indexed);
      this.list.put(count, instanceCount, first, baseVertex, firstInstance);
    } catch (error) {
      this.refused(error);
    }
  }

  /**
   * Refuses draw calls whose vertices are known to exceed the sink. Vertices that exceed it only when the pass runs are
   * dropped.
   */
  #takeSink({ number, stages, buffer }: BufferEnd, indexed: boolean, count: number, instanceCount: number): void {
    const sink = this.#sinks[number]!;
    const { size } = sink.bound;
    const { topology } = this.#pipeline!.parts.state.primitive;
    sink.usedBytes += knownVertices(topology, stages, indexed, count, instanceCount) * buffer.arrayStride;
    if (sink.usedBytes > size)
      this.#refuse(
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

  setSinkBuffer(
    { buffer, offset, size: wanted, counts, countsOffset, missedOffset }: SinkBuffer,
    number: number | undefined
  ): void {
    const call = 'setSinkBuffer';
    this.encode(call, () => {
      if (missedOffset !== undefined && !counts)
        this.no(call, 'missedOffset is a place in counts: give counts as well');
      const parts = [
        [buffer, offset, wanted ?? 4],
        [counts, countsOffset, COUNTS_BYTES],
        [missedOffset === undefined ? null : counts, missedOffset ?? 0, MISSED_BYTES],
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
        bound: {
          buffer: buffer.store,
          offset,
          size,
          counts: counts && { buffer: counts.store, offset: countsOffset, missed: missedOffset ?? null },
        },
      };
      this.#forgetState();
    });
  }

  drawIndirect(indexed: boolean, buffer: BufferCore, offset: number): void {
    const call = indexed ? 'drawIndexedIndirect' : 'drawIndirect';
    this.encode(call, () => {
      this.#checkState();
      if (indexed) checkIndices(this.#pipeline!.parts, this.#index, 0, 0, this.#refuse);
      this.#useBuffer(buffer, 'INDIRECT');
      const bytes = indexed ? 20 : 16;
      if (offset % 4 !== 0) this.#refuse(`indirectOffset ${offset} is not a multiple of 4`);
      if (offset + bytes > buffer.size)
        this.#refuse(
          `indirectOffset ${offset} + ${bytes} bytes of arguments exceed the size ${buffer.size} of ${buffer.called}`
        );
      this.onDraw(call);
      this.#add(indexed);
      const firstInstance = this.device.features.has('indirect-first-instance');
      this.list.putIndirect({ buffer: buffer.store, offset, firstInstance });
    });
  }
}
