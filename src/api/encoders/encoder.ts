// GPUCommandEncoder: https://www.w3.org/TR/webgpu/#command-encoding

import { checkAttachments, renderPassDescriptor } from './attachments';
import { bufferSlot, type BufferCore } from '../resources/buffer';
import { commandBufferSlot } from './command-buffer';
import { computePassDescriptor, computePassSlot, ComputePassCore } from './compute-pass';
import * as copies from '../resources/copies';
import { refuse, requireUsable, type DeviceCore } from '../core/device-core';
import { CommandEncoderCore } from './encoder-core';
import { dictionary, extent, needArguments, object, optional, text, u32, u64, type Extent } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { QUERY_BYTES, querySetSlot, type QuerySetCore } from '../resources/query-set';
import { renderPassSlot, RenderPassCore } from './render-pass';

const commandEncoderSlot = slot<CommandEncoderCore>('GPUCommandEncoder');
const labelOf = dictionary('GPUObjectDescriptorBase', { label: optional(text, '') });

class GPUCommandEncoder {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  beginRenderPass(...args: unknown[]): object {
    const core = commandEncoderSlot.of(this);
    needArguments('beginRenderPass', args.length, 1);
    const d = renderPassDescriptor(args[0], 'beginRenderPass: descriptor');
    const pass = new RenderPassCore(core, d);
    core.encode('beginRenderPass', () => {
      core.lock(pass);
      const attachments = checkAttachments(core.device, d, { called: pass.called });
      pass.begin(attachments);
      core.device.render.hints.onPass(attachments.target.width, attachments.target.height);
    });
    return renderPassSlot.make(pass);
  }
  beginComputePass(descriptor?: unknown): object {
    const core = commandEncoderSlot.of(this);
    const d = computePassDescriptor(descriptor, 'beginComputePass: descriptor');
    const pass = new ComputePassCore(core, d);
    core.encode('beginComputePass', () => {
      core.lock(pass);
      pass.begin();
    });
    return computePassSlot.make(pass);
  }
  copyBufferToBuffer(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('copyBufferToBuffer', args.length, 2);
    const short = args.length < 4 || bufferSlot.find(args[1]) !== undefined;
    const [source, sourceOffset, target, targetOffset, size] = short ? [args[0], 0, args[1], 0, args[2]] : args;
    copyBufferToBuffer(
      core,
      object(bufferSlot)(source, 'copyBufferToBuffer: source'),
      u64(sourceOffset, 'copyBufferToBuffer: sourceOffset'),
      object(bufferSlot)(target, 'copyBufferToBuffer: destination'),
      u64(targetOffset, 'copyBufferToBuffer: destinationOffset'),
      size === undefined ? undefined : u64(size, 'copyBufferToBuffer: size')
    );
  }
  copyBufferToTexture(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('copyBufferToTexture', args.length, 3);
    copyBufferToTexture(
      core,
      copies.bufferInfo(args[0], 'copyBufferToTexture: source'),
      copies.textureInfo(args[1], 'copyBufferToTexture: destination'),
      extent(args[2], 'copyBufferToTexture: copySize')
    );
  }
  copyTextureToBuffer(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('copyTextureToBuffer', args.length, 3);
    copyTextureToBuffer(
      core,
      copies.textureInfo(args[0], 'copyTextureToBuffer: source'),
      copies.bufferInfo(args[1], 'copyTextureToBuffer: destination'),
      extent(args[2], 'copyTextureToBuffer: copySize')
    );
  }
  copyTextureToTexture(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('copyTextureToTexture', args.length, 3);
    copyTextureToTexture(
      core,
      copies.textureInfo(args[0], 'copyTextureToTexture: source'),
      copies.textureInfo(args[1], 'copyTextureToTexture: destination'),
      extent(args[2], 'copyTextureToTexture: copySize')
    );
  }
  clearBuffer(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('clearBuffer', args.length, 1);
    const offset = args[1] === undefined ? 0 : u64(args[1], 'clearBuffer: offset');
    clearBuffer(
      core,
      object(bufferSlot)(args[0], 'clearBuffer: buffer'),
      offset,
      args[2] === undefined ? undefined : u64(args[2], 'clearBuffer: size')
    );
  }
  resolveQuerySet(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('resolveQuerySet', args.length, 5);
    resolveQuerySet(
      core,
      object(querySetSlot)(args[0], 'resolveQuerySet: querySet'),
      u32(args[1], 'resolveQuerySet: firstQuery'),
      u32(args[2], 'resolveQuerySet: queryCount'),
      object(bufferSlot)(args[3], 'resolveQuerySet: destination'),
      u64(args[4], 'resolveQuerySet: destinationOffset')
    );
  }
  pushDebugGroup(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('pushDebugGroup', args.length, 1);
    text(args[0], 'pushDebugGroup: groupLabel');
    core.encode('pushDebugGroup', () => core.debugGroups.push());
  }
  popDebugGroup(): undefined {
    const core = commandEncoderSlot.of(this);
    core.encode('popDebugGroup', () => {
      if (!core.debugGroups.pop()) refuse(core, 'popDebugGroup', 'no debug group is open');
    });
  }
  insertDebugMarker(...args: unknown[]): undefined {
    const core = commandEncoderSlot.of(this);
    needArguments('insertDebugMarker', args.length, 1);
    text(args[0], 'insertDebugMarker: markerLabel');
    core.encode('insertDebugMarker', () => undefined);
  }
  finish(descriptor?: unknown): object {
    const core = commandEncoderSlot.of(this);
    return commandBufferSlot.make(core.finish(labelOf(descriptor, 'finish: descriptor').label));
  }
}
exposeLabelled('GPUCommandEncoder', GPUCommandEncoder, commandEncoderSlot);

function copyBufferToBuffer(
  core: CommandEncoderCore,
  source: BufferCore,
  sourceOffset: number,
  target: BufferCore,
  targetOffset: number,
  wanted: number | undefined
): void {
  core.encode('copyBufferToBuffer', () => {
    const caller = core.caller('copyBufferToBuffer');
    const { no } = caller;
    copies.requireBufferUsage(source, 'COPY_SRC', caller);
    copies.requireBufferUsage(target, 'COPY_DST', caller);
    if (wanted === undefined && sourceOffset > source.size)
      no(`source offset ${sourceOffset} exceeds the size ${source.size} of ${source.called}`);
    const size = wanted ?? source.size - sourceOffset;
    for (const [name, value] of [
      ['source offset', sourceOffset],
      ['destination offset', targetOffset],
      ['size', size],
    ] as const)
      if (value % 4 !== 0) no(`${name} ${value} is not a multiple of 4`);
    copies.checkBufferRange(source, sourceOffset, size, 'source', no);
    copies.checkBufferRange(target, targetOffset, size, 'destination', no);
    if (source === target) no(`source and destination are both ${source.called}; copy through another buffer`);
    core.useBuffers(source, target);
    if (size === 0) return;
    const from = source.store;
    const to = target.store;
    core.commands.push((render) => (render.copyBufferToBuffer(from, sourceOffset, to, targetOffset, size), null));
  });
}

function copyBufferToTexture(
  core: CommandEncoderCore,
  source: copies.BufferInfo,
  target: copies.TextureInfo,
  size: Extent
): void {
  core.encode('copyBufferToTexture', () => {
    const caller = core.caller('copyBufferToTexture');
    copies.requireBufferUsage(source.buffer, 'COPY_SRC', caller);
    copies.checkTextureInfo(target, size, 'COPY_DST', 'destination', caller);
    const { bytesPerRow, rowsPerImage } = copies.checkBufferInfo(
      source,
      copies.copyFormat(target, 'write', caller),
      size,
      caller
    );
    core.useBuffers(source.buffer);
    core.uses.textures.add(target.texture);
    if (copies.isEmpty(size)) return;
    const from = { buffer: source.buffer.store, offset: source.offset, bytesPerRow, rowsPerImage };
    const to = copies.viewOf(target);
    const extent3 = copies.sizeOf(size);
    core.commands.push((render) => (render.copyBufferToTexture(from, to, extent3), null));
  });
}

function copyTextureToBuffer(
  core: CommandEncoderCore,
  source: copies.TextureInfo,
  target: copies.BufferInfo,
  size: Extent
): void {
  core.encode('copyTextureToBuffer', () => {
    const caller = core.caller('copyTextureToBuffer');
    copies.requireBufferUsage(target.buffer, 'COPY_DST', caller);
    copies.checkTextureInfo(source, size, 'COPY_SRC', 'source', caller);
    const { bytesPerRow, rowsPerImage } = copies.checkBufferInfo(
      target,
      copies.copyFormat(source, 'read', caller),
      size,
      caller
    );
    core.useBuffers(target.buffer);
    core.uses.textures.add(source.texture);
    if (copies.isEmpty(size)) return;
    const from = copies.viewOf(source);
    const to = { buffer: target.buffer.store, offset: target.offset, bytesPerRow, rowsPerImage };
    const extent3 = copies.sizeOf(size);
    core.commands.push((render) => (render.copyTextureToBuffer(from, to, extent3), null));
  });
}

function copyTextureToTexture(
  core: CommandEncoderCore,
  source: copies.TextureInfo,
  target: copies.TextureInfo,
  size: Extent
): void {
  core.encode('copyTextureToTexture', () => {
    copies.checkTextureCopy(source, target, size, core.caller('copyTextureToTexture'));
    core.uses.textures.add(source.texture);
    core.uses.textures.add(target.texture);
    if (copies.isEmpty(size)) return;
    const from = copies.viewOf(source);
    const to = copies.viewOf(target);
    const extent3 = copies.sizeOf(size);
    core.commands.push((render) => (render.copyTextureToTexture(from, to, extent3), null));
  });
}

function clearBuffer(core: CommandEncoderCore, buffer: BufferCore, offset: number, wanted: number | undefined): void {
  core.encode('clearBuffer', () => {
    const caller = core.caller('clearBuffer');
    const { no } = caller;
    copies.requireBufferUsage(buffer, 'COPY_DST', caller);
    const size = wanted ?? Math.max(0, buffer.size - offset);
    if (offset % 4 !== 0) no(`offset ${offset} is not a multiple of 4`);
    if (size % 4 !== 0) no(`size ${size} is not a multiple of 4`);
    copies.checkBufferRange(buffer, offset, size, '', no);
    core.useBuffers(buffer);
    if (size === 0) return;
    const { store } = buffer;
    core.commands.push((render) => (render.clearBuffer(store, offset, size), null));
  });
}

function resolveQuerySet(
  core: CommandEncoderCore,
  set: QuerySetCore,
  first: number,
  count: number,
  target: BufferCore,
  offset: number
): void {
  const call = 'resolveQuerySet';
  core.encode(call, () => {
    const caller = core.caller(call);
    const { no } = caller;
    requireUsable(set, core, core.device, call);
    copies.requireBufferUsage(target, 'QUERY_RESOLVE', caller);
    if (first >= set.count) no(`firstQuery ${first} does not exist: ${set.called} has ${set.count} queries`);
    if (first + count > set.count)
      no(`firstQuery ${first} + queryCount ${count} exceeds the ${set.count} queries of ${set.called}`);
    if (offset % 256 !== 0) no(`destinationOffset ${offset} is not a multiple of 256`);
    copies.checkBufferRange(target, offset, count * QUERY_BYTES, 'destination', no);
    core.uses.querySets.add(set);
    core.useBuffers(target);
    if (count === 0) return;
    const from = set.store;
    const to = target.store;
    core.commands.push(
      (render) => (render.copyBufferToBuffer(from, first * QUERY_BYTES, to, offset, count * QUERY_BYTES), null)
    );
  });
}

const encoderOf = dictionary('GPUCommandEncoderDescriptor', { label: optional(text, '') });
export function createCommandEncoder(device: DeviceCore, value: unknown): object {
  return commandEncoderSlot.make(
    new CommandEncoderCore(device, encoderOf(value, 'createCommandEncoder: descriptor').label)
  );
}
