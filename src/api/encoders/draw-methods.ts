// GPURenderCommandsMixin, GPUBindingCommandsMixin and GPUDebugCommandsMixin as operations of GPURenderPassEncoder and
// GPURenderBundleEncoder: https://www.w3.org/TR/webgpu/#render-commands

import { bindGroupSlot } from '../resources/bind-group';
import { bufferSlot } from '../resources/buffer';
import type { DrawRecorder } from './draw-recorder';
import { indexFormat } from '../idl/enums';
import { boolean, i32, needArguments, nullable, object, sequence, text, u32, u64, type Convert } from '../idl/idl';
import { immediateRange } from '../pipelines/immediates';
import { modularPipelineSlot, type ModularDraws } from '../modular/modular-draws';
import { renderPipelineSlot, type RenderPipelineCore } from '../pipelines/pipeline';

const size = (value: unknown, at: string): number => (value === undefined ? 0 : u64(value, at));
const maybeSize = (value: unknown, at: string): number | undefined =>
  value === undefined ? undefined : u64(value, at);
const count = (value: unknown, fallback: number, at: string): number =>
  value === undefined ? fallback : u32(value, at);

const offsetList = sequence(u32);
const NO_OFFSETS: readonly number[] = [];
/** The result of `dynamicOffsets` if there are any, which the next call overwrites. */
const offsets: number[] = [];

function putOffset(offset: number): readonly number[] {
  // V8 sets a length in its runtime: a tenth of the time of a draw call with an offset.
  if (offsets.length !== 1) offsets.length = 1;
  offsets[0] = offset;
  return offsets;
}

/**
 * Converts both overloads: a sequence of offsets, or a part of a Uint32Array. `given`: number of arguments. The result
 * is valid until the next call.
 */
export function dynamicOffsets(data: unknown, from: unknown, amount: unknown, given: number): readonly number[] {
  const call = 'setBindGroup';
  if (data instanceof Uint32Array && given > 3) {
    needArguments(call, given, 5);
    const start = u64(from, 'setBindGroup: dynamicOffsetsDataStart');
    const length = u32(amount, 'setBindGroup: dynamicOffsetsDataLength');
    if (start + length > data.length)
      throw new RangeError(
        `${call}: start ${start} + length ${length} exceeds the ${data.length} elements of dynamicOffsetsData`
      );
    if (length === 1) return putOffset(data[start]!);
    offsets.length = length;
    for (let i = 0; i < length; i++) offsets[i] = data[start + i]!;
    return offsets;
  }
  if (data === undefined) return NO_OFFSETS;
  // The usual case without a list of its own.
  if (Array.isArray(data) && data.length === 1) return putOffset(u32(data[0], 'setBindGroup: dynamicOffsets[0]'));
  return offsetList(data, 'setBindGroup: dynamicOffsets');
}

const buffer = object(bufferSlot);
const maybeBuffer = nullable(buffer);
const maybeGroup = nullable(object(bindGroupSlot));
const renderPipeline = object(renderPipelineSlot);
const pipeline: Convert<RenderPipelineCore | ModularDraws> = (value, at) =>
  modularPipelineSlot.find(value) ?? renderPipeline(value, at);

/** Adds the draw operations to a class. `of` returns the recorder of an object. */
export function addDrawMethods(prototype: object, of: (self: unknown) => DrawRecorder): void {
  const methods = {
    setPipeline(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setPipeline', args.length, 1);
      core.setPipeline(pipeline(args[0], 'setPipeline: pipeline'));
    },
    setBindGroup(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setBindGroup', args.length, 2);
      core.setBindGroup(
        u32(args[0], 'setBindGroup: index'),
        maybeGroup(args[1], 'setBindGroup: bindGroup'),
        dynamicOffsets(args[2], args[3], args[4], args.length)
      );
    },
    setVertexBuffer(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setVertexBuffer', args.length, 2);
      core.setVertexBuffer(
        u32(args[0], 'setVertexBuffer: slot'),
        maybeBuffer(args[1], 'setVertexBuffer: buffer'),
        size(args[2], 'setVertexBuffer: offset'),
        maybeSize(args[3], 'setVertexBuffer: size')
      );
    },
    setIndexBuffer(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setIndexBuffer', args.length, 2);
      core.setIndexBuffer(
        buffer(args[0], 'setIndexBuffer: buffer'),
        indexFormat(args[1], 'setIndexBuffer: indexFormat'),
        size(args[2], 'setIndexBuffer: offset'),
        maybeSize(args[3], 'setIndexBuffer: size')
      );
    },
    setImmediates(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      core.setImmediates(immediateRange(args));
    },
    draw(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('draw', args.length, 1);
      core.draw(
        false,
        u32(args[0], 'draw: vertexCount'),
        count(args[1], 1, 'draw: instanceCount'),
        count(args[2], 0, 'draw: firstVertex'),
        0,
        count(args[3], 0, 'draw: firstInstance')
      );
    },
    drawIndexed(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('drawIndexed', args.length, 1);
      const baseVertex = args[3] === undefined ? 0 : i32(args[3], 'drawIndexed: baseVertex');
      core.draw(
        true,
        u32(args[0], 'drawIndexed: indexCount'),
        count(args[1], 1, 'drawIndexed: instanceCount'),
        count(args[2], 0, 'drawIndexed: firstIndex'),
        baseVertex,
        count(args[4], 0, 'drawIndexed: firstInstance')
      );
    },
    drawIndirect(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('drawIndirect', args.length, 2);
      core.drawIndirect(
        false,
        buffer(args[0], 'drawIndirect: indirectBuffer'),
        u64(args[1], 'drawIndirect: indirectOffset')
      );
    },
    drawIndexedIndirect(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('drawIndexedIndirect', args.length, 2);
      core.drawIndirect(
        true,
        buffer(args[0], 'drawIndexedIndirect: indirectBuffer'),
        u64(args[1], 'drawIndexedIndirect: indirectOffset')
      );
    },
    pushDebugGroup(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('pushDebugGroup', args.length, 1);
      text(args[0], 'pushDebugGroup: groupLabel');
      core.encode('pushDebugGroup', () => core.debugGroups.push());
    },
    popDebugGroup(this: unknown): undefined {
      const core = of(this);
      core.encode('popDebugGroup', () => {
        if (!core.debugGroups.pop()) core.no('popDebugGroup', 'no debug group is open');
      });
    },
    insertDebugMarker(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('insertDebugMarker', args.length, 1);
      text(args[0], 'insertDebugMarker: markerLabel');
      core.encode('insertDebugMarker', () => undefined);
    },
  };
  define(prototype, methods);
  addModularMethods(prototype, of);
}

/** Adds Rasterloom's operations for modular pipelines. */
function addModularMethods(prototype: object, of: (self: unknown) => DrawRecorder): void {
  const methods = {
    setStageEnabled(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setStageEnabled', args.length, 2);
      core.setStageEnabled(u32(args[0], 'setStageEnabled: slot'), boolean(args[1], 'setStageEnabled: enabled'));
    },
    setEntryStage(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      needArguments('setEntryStage', args.length, 1);
      core.setEntryStage(u32(args[0], 'setEntryStage: slot'));
    },
    setSinkBuffer(this: unknown, ...args: unknown[]): undefined {
      const core = of(this);
      const call = 'setSinkBuffer';
      needArguments(call, args.length, 1);
      core.setSinkBuffer(
        {
          buffer: buffer(args[0], `${call}: buffer`),
          offset: size(args[1], `${call}: offset`),
          size: maybeSize(args[2], `${call}: size`),
          counts: maybeBuffer(args[3], `${call}: counts`),
          countsOffset: size(args[4], `${call}: countsOffset`),
          missedOffset: maybeSize(args[6], `${call}: missedOffset`),
        },
        args[5] === undefined ? undefined : u32(args[5], `${call}: sink`)
      );
    },
  };
  define(prototype, methods);
}

function define(prototype: object, methods: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
}
