// GPURenderPassEncoder: https://www.w3.org/TR/webgpu/#render-passes

import type { DrawCommand, DrawState } from '../render/types';
import type { Attachments, RenderPassDescriptor } from './attachments';
import { bindGroupSlot, type BindGroupCore } from './bind-group';
import { bufferSlot, type BufferCore } from './buffer';
import { bundleSlot } from './bundle';
import { BufferUsage, flagNames } from './constants';
import { DebugGroups } from './debug-groups';
import { ApiObject, Refusal, refuse, requireUsable } from './device-core';
import {
  checkBindings, checkIndices, checkPipelineFits, checkVertices, type BoundIndex, type BoundSlot, type SetGroup,
} from './draw-checks';
import type { CommandEncoderCore } from './encoder-core';
import { indexFormat } from './enums';
import { color, float, i32, needArguments, nullable, object, sequence, text, u32, u64, type Color } from './idl';
import { constructing, exposeLabelled, slot } from './interface';
import { renderPipelineSlot, type RenderPipelineCore } from './pipeline';
import { UsageScope } from './usage-scope';

export class RenderPassCore extends ApiObject {
  readonly encoder: CommandEncoderCore;
  readonly debugGroups = new DebugGroups();
  readonly #maxDraws: number;
  #attachments: Attachments | null = null;
  #scope = new UsageScope([]);
  #ended = false;
  #failed = false;
  #draws: DrawCommand[] = [];
  #drawCount = 0;

  pipeline: RenderPipelineCore | null = null;
  readonly groups: (SetGroup | null)[] = [];
  readonly slots: (BoundSlot | null)[] = [];
  index: BoundIndex | null = null;
  #viewport: DrawState['viewport'] = [0, 0, 0, 0, 0, 1];
  #scissor: DrawState['scissor'] = [0, 0, 0, 0];
  #blendConstant: Color = [0, 0, 0, 0];
  #stencilReference = 0;
  /** The state that draws share until a setter is called; null asks for a new one, and for its checks. */
  #state: DrawState | null = null;

  constructor(encoder: CommandEncoderCore, d: RenderPassDescriptor) {
    super(encoder.device, 'RenderPassEncoder', d.label, true);
    this.encoder = encoder;
    this.#maxDraws = d.maxDrawCount;
  }

  begin(attachments: Attachments): void {
    this.#attachments = attachments;
    this.#scope = new UsageScope(attachments.held);
    const { width, height } = attachments.target;
    this.#viewport = [0, 0, width, height, 0, 1];
    this.#scissor = [0, 0, width, height];
    for (const { view } of attachments.held) {
      this.encoder.uses.textures.add(view.texture);
      this.encoder.uses.others.add(view);
    }
  }

  /** Encodes one command of the pass. After the first mistake, nothing more is looked at. */
  encode(call: string, act: (attachments: Attachments) => void): void {
    if (this.#ended) {
      this.device.report('validation', `${this.called} ${call}: the pass has ended; begin a new one`);
      return;
    }
    const attachments = this.#attachments;
    if (attachments === null || this.#failed) return;
    try {
      act(attachments);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failed = true;
      this.encoder.fail(error.message);
    }
  }

  no(call: string, message: string): never {
    refuse(this, call, message);
  }

  setPipeline(pipeline: RenderPipelineCore): void {
    this.encode('setPipeline', ({ target, formats, depthFormat }) => {
      requireUsable(pipeline, this, this.device, 'setPipeline');
      checkPipelineFits(pipeline, formats, depthFormat, target, (message) => this.no('setPipeline', message));
      if (this.pipeline === pipeline) return;
      this.encoder.uses.others.add(pipeline);
      this.pipeline = pipeline;
      this.#state = null;
    });
  }

  setBindGroup(index: number, group: BindGroupCore | null, offsets: readonly number[]): void {
    const call = 'setBindGroup';
    this.encode(call, () => {
      const { maxBindGroups } = this.device.limits;
      if (index >= maxBindGroups) this.no(call, `index ${index} must be less than maxBindGroups ${maxBindGroups}`);
      if (group !== null) this.#checkGroup(group, offsets);
      else if (offsets.length > 0) this.no(call, `${offsets.length} dynamic offsets without a bind group`);
      while (this.groups.length <= index) this.groups.push(null);
      this.groups[index] = group === null
        ? null
        : {
          group, offsets,
          bound: {
            group: group.store,
            dynamicOffsets: offsets.length === 0
              ? null
              : new Map(group.layout.dynamic.map(({ binding }, i) => [binding, offsets[i]!])),
          },
        };
      this.#state = null;
    });
  }

  #checkGroup(group: BindGroupCore, offsets: readonly number[]): void {
    const call = 'setBindGroup';
    requireUsable(group, this, this.device, call);
    const { dynamic } = group.layout;
    if (offsets.length !== dynamic.length)
      this.no(call, `${group.called} takes ${dynamic.length} dynamic offsets, not ${offsets.length}`);
    dynamic.forEach(({ binding, resource }, i) => {
      const offset = offsets[i]!;
      const alignment = resource.kind === 'buffer' && resource.type === 'uniform'
        ? this.device.limits.minUniformBufferOffsetAlignment
        : this.device.limits.minStorageBufferOffsetAlignment;
      if (offset % alignment !== 0)
        this.no(call, `dynamic offset ${offset} of binding ${binding} is not a multiple of ${alignment}`);
      const bound = group.bufferAt(binding);
      if (bound !== undefined && bound.offset + offset + bound.size > bound.buffer.size)
        this.no(
          call,
          `dynamic offset ${offset} + offset ${bound.offset} + size ${bound.size} of binding ${binding} exceeds the size ${bound.buffer.size} of ${bound.buffer.called}`
        );
    });
    const conflict = this.#scope.addGroup(group);
    if (conflict !== null) this.no(call, conflict);
    const { uses } = this.encoder;
    if (uses.others.has(group)) return;
    uses.others.add(group);
    for (const { buffer } of group.buffers) uses.buffers.add(buffer);
    for (const texture of group.textures) uses.textures.add(texture);
  }

  #useBuffer(buffer: BufferCore, usage: 'VERTEX' | 'INDEX' | 'INDIRECT', call: string): void {
    requireUsable(buffer, this, this.device, call);
    if ((buffer.usage & BufferUsage[usage]) === 0)
      this.no(call, `${buffer.called} needs usage ${usage}; it has ${flagNames(buffer.usage, BufferUsage)}`);
    const conflict = this.#scope.addBuffer(buffer, 'read');
    if (conflict !== null) this.no(call, conflict);
    this.encoder.uses.buffers.add(buffer);
  }

  setVertexBuffer(slotNumber: number, buffer: BufferCore | null, offset: number, wanted: number | undefined): void {
    const call = 'setVertexBuffer';
    this.encode(call, () => {
      const { maxVertexBuffers } = this.device.limits;
      if (slotNumber >= maxVertexBuffers)
        this.no(call, `slot ${slotNumber} must be less than maxVertexBuffers ${maxVertexBuffers}`);
      while (this.slots.length <= slotNumber) this.slots.push(null);
      this.#state = null;
      if (buffer === null) {
        if (offset !== 0 || (wanted ?? 0) !== 0)
          this.no(call, `offset ${offset} and size ${wanted ?? 0} must be 0 without a buffer`);
        this.slots[slotNumber] = null;
        return;
      }
      this.#useBuffer(buffer, 'VERTEX', call);
      const size = wanted ?? Math.max(0, buffer.size - offset);
      if (offset % 4 !== 0) this.no(call, `offset ${offset} is not a multiple of 4`);
      if (offset + size > buffer.size)
        this.no(call, `offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
      this.slots[slotNumber] = { buffer, bound: { buffer: buffer.store, offset, size } };
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
      this.index = { buffer, format, bound: { buffer: buffer.store, offset, size, bytes } };
      this.#state = null;
    });
  }

  setViewport(x: number, y: number, width: number, height: number, minDepth: number, maxDepth: number): void {
    this.encode('setViewport', () => {
      const max = this.device.limits.maxTextureDimension2D;
      const no = (message: string): never => this.no('setViewport', message);
      if (width < 0 || height < 0 || width > max || height > max)
        no(`size ${width}×${height} must be from 0 to maxTextureDimension2D ${max}`);
      if (x < -2 * max || y < -2 * max || x + width > 2 * max - 1 || y + height > 2 * max - 1)
        no(`${x}, ${y} with size ${width}×${height} lies outside ${-2 * max}…${2 * max - 1}`);
      if (!(minDepth >= 0 && minDepth <= 1 && maxDepth >= 0 && maxDepth <= 1))
        no(`minDepth ${minDepth} and maxDepth ${maxDepth} must be from 0 to 1`);
      if (minDepth > maxDepth) no(`minDepth ${minDepth} is greater than maxDepth ${maxDepth}`);
      this.#viewport = [x, y, width, height, minDepth, maxDepth];
      this.#state = null;
    });
  }
  setScissorRect(x: number, y: number, width: number, height: number): void {
    this.encode('setScissorRect', ({ target }) => {
      if (x + width > target.width || y + height > target.height)
        this.no(
          'setScissorRect',
          `${x}, ${y} with size ${width}×${height} exceeds the attachments' ${target.width}×${target.height}`
        );
      this.#scissor = [x, y, width, height];
      this.#state = null;
    });
  }
  setBlendConstant(value: Color): void {
    this.encode('setBlendConstant', () => {
      this.#blendConstant = value;
      this.#state = null;
    });
  }
  setStencilReference(value: number): void {
    this.encode('setStencilReference', () => {
      this.#stencilReference = value;
      this.#state = null;
    });
  }

  /** The state as it is now, checked once for all draws that share it. */
  #drawState(call: string): DrawState {
    if (this.#state !== null) return this.#state;
    const pipeline = this.pipeline;
    if (pipeline === null) return this.no(call, 'no pipeline is set; call setPipeline() first');
    checkBindings(pipeline, this.groups, this.slots, (message) => this.no(call, message));
    this.#state = {
      pipeline: pipeline.parts.store, groups: pipeline.parts.groups.map((_, i) => this.groups[i]?.bound ?? null),
      vertexBuffers: this.slots.map((bound) => bound?.bound ?? null), index: this.index?.bound ?? null,
      viewport: this.#viewport, scissor: this.#scissor, blendConstant: this.#blendConstant,
      stencilReference: this.#stencilReference,
    };
    return this.#state;
  }

  #push(command: DrawCommand): void {
    this.#drawCount++;
    if (command.indirect !== null || (command.count > 0 && command.instanceCount > 0)) this.#draws.push(command);
  }

  draw(
    indexed: boolean, count: number, instanceCount: number, first: number, baseVertex: number, firstInstance: number
  ): void {
    const call = indexed ? 'drawIndexed' : 'draw';
    this.encode(call, () => {
      const state = this.#drawState(call);
      const no = (message: string): never => this.no(call, message);
      const { parts } = this.pipeline!;
      if (indexed) checkIndices(parts, this.index, first, count, no);
      checkVertices(parts, this.slots, indexed ? null : first + count, firstInstance + instanceCount, no);
      this.#push({ state, indexed, count, instanceCount, first, baseVertex, firstInstance, indirect: null });
    });
  }

  drawIndirect(indexed: boolean, buffer: BufferCore, offset: number): void {
    const call = indexed ? 'drawIndexedIndirect' : 'drawIndirect';
    this.encode(call, () => {
      const state = this.#drawState(call);
      const no = (message: string): never => this.no(call, message);
      if (indexed) checkIndices(this.pipeline!.parts, this.index, 0, 0, no);
      this.#useBuffer(buffer, 'INDIRECT', call);
      const bytes = indexed ? 20 : 16;
      if (offset % 4 !== 0) no(`indirectOffset ${offset} is not a multiple of 4`);
      if (offset + bytes > buffer.size)
        no(`indirectOffset ${offset} + ${bytes} bytes of arguments exceed the size ${buffer.size} of ${buffer.called}`);
      this.#push({
        state, indexed, count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0,
        indirect: { buffer: buffer.store, offset },
      });
    });
  }

  end(): void {
    this.encode('end', ({ target }) => {
      if (this.debugGroups.open > 0)
        this.no('end', `${this.debugGroups.open} debug group(s) are open; call popDebugGroup()`);
      if (this.#drawCount > this.#maxDraws)
        this.no('end', `${this.#drawCount} draws exceed maxDrawCount ${this.#maxDraws}`);
      const state = { ...target, draws: this.#draws };
      if (!this.encoder.failed) this.encoder.commands.push((render) => render.renderPass(state));
    });
    if (this.#ended) return;
    this.#ended = true;
    if (!this.encoder.finished) this.encoder.unlock();
    else this.device.report('validation', `${this.called} end: ${this.encoder.called} is finished already`);
  }
}

export const renderPassSlot = slot<RenderPassCore>('GPURenderPassEncoder');

const size = (value: unknown, at: string): number => (value === undefined ? 0 : u64(value, at));
const maybeSize = (value: unknown, at: string): number | undefined => (value === undefined
  ? undefined
  : u64(value, at));
const count = (
  value: unknown, fallback: number, at: string
): number => (value === undefined ? fallback : u32(value, at));

/** Both overloads: a sequence of offsets, or a part of a Uint32Array. */
export function dynamicOffsets(args: readonly unknown[]): readonly number[] {
  const data = args[2];
  if (!(data instanceof Uint32Array) || args.length < 4)
    return data === undefined ? [] : sequence(u32)(data, 'setBindGroup: dynamicOffsets');
  needArguments('setBindGroup', args.length, 5);
  const start = u64(args[3], 'setBindGroup: dynamicOffsetsDataStart');
  const length = u32(args[4], 'setBindGroup: dynamicOffsetsDataLength');
  if (start + length > data.length)
    throw new RangeError(
      `setBindGroup: start ${start} + length ${length} exceeds the ${data.length} elements of dynamicOffsetsData`
    );
  return [...data.subarray(start, start + length)];
}

const buffer = object(bufferSlot);
const maybeBuffer = nullable(buffer);
const maybeGroup = nullable(object(bindGroupSlot));
const pipeline = object(renderPipelineSlot);
const bundles = sequence(object(bundleSlot));

export class GPURenderPassEncoder {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  setPipeline(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setPipeline', args.length, 1);
    core.setPipeline(pipeline(args[0], 'setPipeline: pipeline'));
  }
  setBindGroup(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setBindGroup', args.length, 2);
    core.setBindGroup(
      u32(args[0], 'setBindGroup: index'), maybeGroup(args[1], 'setBindGroup: bindGroup'), dynamicOffsets(args)
    );
  }
  setVertexBuffer(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setVertexBuffer', args.length, 2);
    core.setVertexBuffer(
      u32(args[0], 'setVertexBuffer: slot'), maybeBuffer(args[1], 'setVertexBuffer: buffer'),
      size(args[2], 'setVertexBuffer: offset'), maybeSize(args[3], 'setVertexBuffer: size')
    );
  }
  setIndexBuffer(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setIndexBuffer', args.length, 2);
    core.setIndexBuffer(
      buffer(args[0], 'setIndexBuffer: buffer'), indexFormat(args[1], 'setIndexBuffer: indexFormat'),
      size(args[2], 'setIndexBuffer: offset'), maybeSize(args[3], 'setIndexBuffer: size')
    );
  }
  setImmediates(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setImmediates', args.length, 2);
    core.encode(
      'setImmediates',
      () => core.no(
        'setImmediates', 'Rasterloom does not have immediate data yet (maxImmediateSize is 0): use a uniform buffer'
      )
    );
  }
  setViewport(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setViewport', args.length, 6);
    const [x, y, width, height, near, far] = [
      'x', 'y', 'width', 'height', 'minDepth', 'maxDepth',
    ].map((name, i) => float(args[i], `setViewport: ${name}`));
    core.setViewport(x!, y!, width!, height!, near!, far!);
  }
  setScissorRect(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setScissorRect', args.length, 4);
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name, i) => u32(
      args[i], `setScissorRect: ${name}`
    ));
    core.setScissorRect(x!, y!, width!, height!);
  }
  setBlendConstant(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setBlendConstant', args.length, 1);
    core.setBlendConstant(color(args[0], 'setBlendConstant: color'));
  }
  setStencilReference(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setStencilReference', args.length, 1);
    core.setStencilReference(u32(args[0], 'setStencilReference: reference'));
  }
  draw(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('draw', args.length, 1);
    core.draw(
      false, u32(args[0], 'draw: vertexCount'), count(args[1], 1, 'draw: instanceCount'),
      count(args[2], 0, 'draw: firstVertex'), 0, count(args[3], 0, 'draw: firstInstance')
    );
  }
  drawIndexed(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('drawIndexed', args.length, 1);
    const baseVertex = args[3] === undefined ? 0 : i32(args[3], 'drawIndexed: baseVertex');
    core.draw(
      true, u32(args[0], 'drawIndexed: indexCount'), count(args[1], 1, 'drawIndexed: instanceCount'),
      count(args[2], 0, 'drawIndexed: firstIndex'), baseVertex, count(args[4], 0, 'drawIndexed: firstInstance')
    );
  }
  drawIndirect(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('drawIndirect', args.length, 2);
    core.drawIndirect(
      false, buffer(args[0], 'drawIndirect: indirectBuffer'), u64(args[1], 'drawIndirect: indirectOffset')
    );
  }
  drawIndexedIndirect(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('drawIndexedIndirect', args.length, 2);
    core.drawIndirect(
      true, buffer(args[0], 'drawIndexedIndirect: indirectBuffer'), u64(args[1], 'drawIndexedIndirect: indirectOffset')
    );
  }
  beginOcclusionQuery(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('beginOcclusionQuery', args.length, 1);
    u32(args[0], 'beginOcclusionQuery: queryIndex');
    core.encode('beginOcclusionQuery', () => core.no('beginOcclusionQuery', 'Rasterloom does not have queries yet'));
  }
  endOcclusionQuery(): undefined {
    const core = renderPassSlot.of(this);
    core.encode('endOcclusionQuery', () => core.no('endOcclusionQuery', 'Rasterloom does not have queries yet'));
  }
  executeBundles(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('executeBundles', args.length, 1);
    bundles(args[0], 'executeBundles: bundles');
    core.encode(
      'executeBundles',
      () => core.no('executeBundles', 'Rasterloom does not have render bundles yet: encode the draws in the pass')
    );
  }
  pushDebugGroup(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('pushDebugGroup', args.length, 1);
    text(args[0], 'pushDebugGroup: groupLabel');
    core.encode('pushDebugGroup', () => core.debugGroups.push());
  }
  popDebugGroup(): undefined {
    const core = renderPassSlot.of(this);
    core.encode('popDebugGroup', () => {
      if (!core.debugGroups.pop()) core.no('popDebugGroup', 'no debug group is open');
    });
  }
  insertDebugMarker(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('insertDebugMarker', args.length, 1);
    text(args[0], 'insertDebugMarker: markerLabel');
    core.encode('insertDebugMarker', () => undefined);
  }
  end(): undefined {
    renderPassSlot.of(this).end();
  }
}
exposeLabelled('GPURenderPassEncoder', GPURenderPassEncoder, renderPassSlot);
