// GPUComputePassEncoder: https://www.w3.org/TR/webgpu/#compute-passes

import type { BoundGroup, DispatchCommand } from '../../render/types';
import { bindGroupSlot, type BindGroupCore, type SetGroup } from '../resources/bind-group';
import { bufferSlot, type BufferCore } from '../resources/buffer';
import { computePipelineSlot, type ComputePipelineCore } from '../pipelines/compute-pipeline';
import { BufferUsage, flagNames } from '../idl/constants';
import { DebugGroups } from './debug-groups';
import { ApiObject, Refusal, refuse, requireUsable, type Fail } from '../core/device-core';
import { checkBindings } from './draw-checks';
import { dynamicOffsets } from './draw-methods';
import type { CommandEncoderCore } from './encoder-core';
import { dictionary, needArguments, nullable, object, optional, text, u32, u64 } from '../idl/idl';
import { Immediates, immediateRange, type ImmediateRange } from '../pipelines/immediates';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { setGroup, useGroup } from './set-group';
import { checkTimestampWrites, stamp, timestampWrites, type TimestampWrites } from './timestamps';
import { UsageScope } from './usage-scope';

export const computePassDescriptor = dictionary('GPUComputePassDescriptor', {
  label: optional(text, ''),
  timestampWrites: optional(timestampWrites('GPUComputePassTimestampWrites'), null),
});
type ComputePassDescriptor = ReturnType<typeof computePassDescriptor>;

/** Size in bytes of the arguments of an indirect dispatch. */
const INDIRECT_BYTES = 12;

/** The state that dispatches share until the next setter call. */
interface DispatchState {
  readonly pipeline: ComputePipelineCore;
  readonly groups: readonly (BoundGroup | null)[];
  readonly immediates: Uint32Array | null;
}

export class ComputePassCore extends ApiObject {
  readonly encoder: CommandEncoderCore;
  readonly debugGroups = new DebugGroups();
  readonly #timestamps: TimestampWrites | null;
  readonly #dispatches: DispatchCommand[] = [];
  readonly #groups: (SetGroup | null)[] = [];
  readonly #immediates: Immediates;
  #pipeline: ComputePipelineCore | null = null;
  #state: DispatchState | null = null;
  #begun = false;
  #ended = false;
  #failed = false;

  constructor(encoder: CommandEncoderCore, d: ComputePassDescriptor) {
    super(encoder.device, 'ComputePassEncoder', d.label, true);
    this.encoder = encoder;
    this.#timestamps = d.timestampWrites;
    this.#immediates = new Immediates(this.device);
  }

  /** Must be called inside the encoder's `encode`. */
  begin(): void {
    const call = 'beginComputePass';
    const { device, called } = this;
    const times = this.#timestamps;
    if (times !== null) {
      checkTimestampWrites(device, times, { called, call, no: (message) => refuse(this, call, message) });
      this.encoder.uses.querySets.add(times.querySet);
    }
    this.#begun = true;
  }

  #encode(call: string, act: (no: Fail) => void): void {
    if (this.#ended) {
      this.device.report('validation', `${this.called} ${call}: the pass has ended; begin a new one`);
      return;
    }
    if (!this.#begun || this.#failed) return;
    try {
      act((message) => refuse(this, call, message));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failed = true;
      this.encoder.fail(error.message);
    }
  }

  setPipeline(pipeline: ComputePipelineCore): void {
    this.#encode('setPipeline', () => {
      requireUsable(pipeline, this, this.device, 'setPipeline');
      this.encoder.uses.others.add(pipeline);
      this.#pipeline = pipeline;
      this.#state = null;
    });
  }

  setBindGroup(index: number, group: BindGroupCore | null, offsets: readonly number[]): void {
    this.#encode('setBindGroup', (no) => {
      setGroup(this, this.#groups, index, group, offsets, no);
      if (group !== null) useGroup(this.encoder.uses, group);
      this.#state = null;
    });
  }

  setImmediates(range: ImmediateRange): void {
    this.#encode('setImmediates', (no) => {
      this.#immediates.set(range, no);
      this.#state = null;
    });
  }

  /**
   * Returns the current state, validated once for all dispatches that share it. Each dispatch is a separate usage
   * scope.
   */
  #dispatchState(no: Fail): DispatchState {
    if (this.#state !== null) return this.#state;
    const pipeline = this.#pipeline ?? no('no pipeline is set; call setPipeline() first');
    this.#check(pipeline, no);
    const groups = pipeline.parts.groups.map((_, i) => this.#groups[i]?.bound ?? null);
    this.#state = { pipeline, groups, immediates: this.#immediates.for(pipeline, no) };
    return this.#state;
  }

  #check(pipeline: ComputePipelineCore, no: Fail): void {
    const {
      parts: { groups },
      fitting,
    } = pipeline;
    const [first] = this.#groups;
    const only = groups.length === 1 && first?.group.withoutDynamicOffsets === first ? first : null;
    if (only && fitting.has(only)) return;
    checkBindings(pipeline, this.#groups, [], no);
    this.#scope(pipeline, no);
    if (only) fitting.add(only);
  }

  #scope({ parts }: ComputePipelineCore, no: Fail): UsageScope {
    const scope = new UsageScope([]);
    parts.groups.forEach((layout, i) => {
      const group = layout === null ? undefined : this.#groups[i]?.group;
      const conflict = group === undefined ? null : scope.addGroup(group);
      if (conflict !== null) no(conflict);
    });
    return scope;
  }

  dispatch(count: readonly [number, number, number]): void {
    this.#encode('dispatchWorkgroups', (no) => {
      const state = this.#dispatchState(no);
      const most = this.device.limits.maxComputeWorkgroupsPerDimension;
      if (count.some((extent) => extent > most))
        no(`${count.join(' × ')} workgroups: ${Math.max(...count)} exceeds maxComputeWorkgroupsPerDimension ${most}`);
      const { indexing } = state.pipeline.parts;
      const all = count[0] * count[1] * count[2];
      if (indexing && all > indexing.groups) {
        const least =
          `builtin(${indexing.builtin}), which the entry point uses, `
          + `has 32 bits and allows at most ${indexing.groups}`;
        no(`${count.join(' × ')} workgroups: @${least} workgroups of this size; dispatch fewer at a time`);
      }
      if (!count.includes(0)) this.#push(state, { count, indirect: null });
    });
  }

  dispatchIndirect(buffer: BufferCore, offset: number): void {
    const call = 'dispatchWorkgroupsIndirect';
    this.#encode(call, (no) => {
      const state = this.#dispatchState(no);
      requireUsable(buffer, this, this.device, call);
      if ((buffer.usage & BufferUsage.INDIRECT) === 0)
        no(`${buffer.called} needs usage INDIRECT; it has ${flagNames(buffer.usage, BufferUsage)}`);
      if (offset % 4 !== 0) no(`indirectOffset ${offset} is not a multiple of 4`);
      if (offset + INDIRECT_BYTES > buffer.size)
        no(
          `indirectOffset ${offset} + ${INDIRECT_BYTES} bytes of arguments `
            + `exceed the size ${buffer.size} of ${buffer.called}`
        );
      const conflict = this.#scope(state.pipeline, no).addBuffer(buffer, 'read');
      if (conflict !== null) no(conflict);
      this.encoder.uses.buffers.add(buffer);
      this.#push(state, { count: [0, 0, 0], indirect: { buffer: buffer.store, offset } });
    });
  }

  #push({ pipeline, groups, immediates }: DispatchState, command: Pick<DispatchCommand, 'count' | 'indirect'>): void {
    const most = this.device.limits.maxComputeWorkgroupsPerDimension;
    const { store, indexing } = pipeline.parts;
    const maxGroups = indexing?.groups ?? Infinity;
    this.#dispatches.push({ pipeline: store, groups, immediates, maxPerDimension: most, maxGroups, ...command });
  }

  pushDebugGroup(): void {
    this.#encode('pushDebugGroup', () => this.debugGroups.push());
  }
  popDebugGroup(): void {
    this.#encode('popDebugGroup', (no) => {
      if (!this.debugGroups.pop()) no('no debug group is open');
    });
  }
  insertDebugMarker(): void {
    this.#encode('insertDebugMarker', () => undefined);
  }

  end(): void {
    this.#encode('end', (no) => {
      if (this.debugGroups.open > 0) no(`${this.debugGroups.open} debug group(s) are open; call popDebugGroup()`);
      const times = this.#timestamps;
      const state = { label: this.label, dispatches: this.#dispatches };
      if (this.encoder.failed) return;
      this.encoder.commands.push(
        ...(times ? stamp(times, times.beginningOfPassWriteIndex) : []),
        (render) => render.computePass(state),
        ...(times ? stamp(times, times.endOfPassWriteIndex) : [])
      );
    });
    if (this.#ended) return;
    this.#ended = true;
    this.encoder.endPass(this);
  }
}

export const computePassSlot = slot<ComputePassCore>('GPUComputePassEncoder');
const maybeGroup = nullable(object(bindGroupSlot));
const extentOf = (value: unknown, at: string): number => (value === undefined ? 1 : u32(value, at));

class GPUComputePassEncoder {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  setPipeline(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('setPipeline', args.length, 1);
    core.setPipeline(object(computePipelineSlot)(args[0], 'setPipeline: pipeline'));
  }
  setBindGroup(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('setBindGroup', args.length, 2);
    core.setBindGroup(
      u32(args[0], 'setBindGroup: index'),
      maybeGroup(args[1], 'setBindGroup: bindGroup'),
      dynamicOffsets(args[2], args[3], args[4], args.length)
    );
  }
  setImmediates(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    core.setImmediates(immediateRange(args));
  }
  dispatchWorkgroups(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    const call = 'dispatchWorkgroups';
    needArguments(call, args.length, 1);
    core.dispatch([
      u32(args[0], `${call}: workgroupCountX`),
      extentOf(args[1], `${call}: workgroupCountY`),
      extentOf(args[2], `${call}: workgroupCountZ`),
    ]);
  }
  dispatchWorkgroupsIndirect(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    const call = 'dispatchWorkgroupsIndirect';
    needArguments(call, args.length, 2);
    core.dispatchIndirect(
      object(bufferSlot)(args[0], `${call}: indirectBuffer`),
      u64(args[1], `${call}: indirectOffset`)
    );
  }
  pushDebugGroup(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('pushDebugGroup', args.length, 1);
    text(args[0], 'pushDebugGroup: groupLabel');
    core.pushDebugGroup();
  }
  popDebugGroup(): undefined {
    computePassSlot.of(this).popDebugGroup();
  }
  insertDebugMarker(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('insertDebugMarker', args.length, 1);
    text(args[0], 'insertDebugMarker: markerLabel');
    core.insertDebugMarker();
  }
  end(): undefined {
    computePassSlot.of(this).end();
  }
}
exposeLabelled('GPUComputePassEncoder', GPUComputePassEncoder, computePassSlot);
