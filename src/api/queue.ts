// GPUQueue: https://www.w3.org/TR/webgpu/#queues

import type { RenderDevice, Three, Work } from '../render/types';
import type { FormatInfo } from '../surface/formats';
import type { QueueEntry } from '../schedule';
import { bufferSlot, type BufferCore } from './resources/buffer';
import { commandBufferSlot, type Command, type CommandBufferCore, type Uses } from './encoders/command-buffer';
import * as copies from './resources/copies';
import { dataPart, copyUnshared } from './idl/data-part';
import { describe, refuse, requireUsable, type DeviceCore, type Fail } from './core/device-core';
import { copyExternal, externalSource, externalTarget } from './resources/external-image';
import { bufferSource, extent, needArguments, object, promising, sequence, u64 } from './idl/idl';
import { rejectConstruction, exposeLabelled, slot } from './idl/interface';

/**
 * One command of a submitted command buffer. It references everything that the command buffer uses, so that nothing is
 * freed before it has run.
 */
class CommandEntry implements QueueEntry {
  readonly #command: Command;
  readonly #render: RenderDevice;
  readonly uses: Uses;
  readonly endsSubmit: boolean;
  #work: Work | null | undefined;
  constructor(command: Command, render: RenderDevice, uses: Uses, endsSubmit: boolean) {
    this.#command = command;
    this.#render = render;
    this.uses = uses;
    this.endsSubmit = endsSubmit;
  }
  get waits(): boolean {
    return this.#work?.waits === true;
  }
  step(deadline: number): boolean {
    if (this.#work === undefined) this.#work = this.#command(this.#render);
    return this.#work === null || this.#work.step(deadline);
  }
}

export class QueueCore {
  label: string;
  readonly device: DeviceCore;
  constructor(device: DeviceCore, label: string) {
    this.device = device;
    this.label = label;
  }
  get called(): string {
    return describe('Queue', this.label);
  }

  submit(buffers: readonly CommandBufferCore[]): void {
    const valid = this.device.guard(() => {
      buffers.forEach((buffer, i) => this.#checkSubmit(buffer, buffers.indexOf(buffer) !== i));
      return true;
    });
    for (const buffer of buffers) buffer.submitted = true;
    if (valid !== true) return;
    const { render, queue } = this.device;
    let left = buffers.reduce((sum, { commands }) => sum + commands.length, 0);
    for (const { commands, uses } of buffers)
      for (const command of commands) queue.push(new CommandEntry(command, render, uses, --left === 0));
    queue.limit();
  }

  #checkSubmit(commands: CommandBufferCore, twice: boolean): void {
    const no = (message: string): never => refuse(this, 'submit', message);
    requireUsable(commands, this, this.device, 'submit');
    if (commands.submitted || twice) no(`${commands.called} was already submitted; encode the commands again`);
    for (const buffer of commands.uses.buffers)
      if (buffer.destroyed || buffer.held !== null)
        this.#checkBuffer(buffer, no, `${commands.called} uses ${buffer.called}`);
    for (const texture of commands.uses.textures)
      if (texture.destroyed) no(`${commands.called} uses ${texture.called}, which ${texture.fate}`);
    for (const set of commands.uses.querySets)
      if (set.destroyed) no(`${commands.called} uses ${set.called}, which is destroyed`);
  }

  #checkBuffer(buffer: BufferCore, no: Fail, what: string): void {
    if (buffer.destroyed) no(`${what}, which is destroyed`);
    if (buffer.held !== null) no(`${what}, which is ${buffer.held}; call unmap() first`);
  }

  writeBuffer(buffer: BufferCore, offset: number, data: Uint8Array): void {
    this.device.guard(() => {
      const no = (message: string): never => refuse(buffer, 'writeBuffer', message);
      copies.requireBufferUsage(buffer, 'COPY_DST', { device: this.device, caller: buffer, call: 'writeBuffer', no });
      this.#checkBuffer(buffer, no, 'the data goes into a buffer');
      if (offset % 4 !== 0) no(`offset ${offset} is not a multiple of 4`);
      if (offset + data.length > buffer.size)
        no(`offset ${offset} + size ${data.length} exceeds the buffer's size ${buffer.size}`);
      if (data.length === 0) return;
      const { store } = buffer;
      const { render, queue } = this.device;
      if (queue.tryWriteNow(() => render.writeBuffer(store, offset, data))) return;
      const staged = copyUnshared(data);
      this.device.enqueue(() => render.writeBuffer(store, offset, staged), buffer, staged.length);
    });
    this.device.queue.limit();
  }

  writeTexture(
    info: copies.TextureInfo,
    data: Uint8Array,
    layout: copies.BufferLayout,
    size: ReturnType<typeof extent>
  ): void {
    const { texture } = info;
    this.device.guard(() => {
      const call = 'writeTexture';
      const no = (message: string): never => refuse(texture, call, message);
      const caller = { device: this.device, caller: texture, call, no };
      copies.checkTextureInfo(info, size, 'COPY_DST', 'destination', caller);
      if (texture.destroyed) no('the texture is destroyed');
      const linear = copies.linearLayout(layout, copies.copyFormat(info, 'write', caller), size, false, no);
      if (layout.offset + linear.bytes > data.length)
        no(
          `offset ${layout.offset} + ${linear.bytes} bytes of `
            + `${size.width}×${size.height}×${size.depthOrArrayLayers} texels exceed the ${data.length} bytes of data`
        );
      if (copies.isEmpty(size)) return;
      const part = data.subarray(layout.offset, layout.offset + linear.bytes);
      const { render, queue } = this.device;
      const target = copies.viewOf(info);
      const extents = copies.sizeOf(size);
      const { bytesPerRow, rowsPerImage } = linear;
      const write = (origin: Three, from: Uint8Array, extent3: Three): void =>
        render.writeTexture({ ...target, origin }, from, bytesPerRow, rowsPerImage, extent3);
      if (queue.tryRunNow(() => write(target.origin, part, extents))) return;
      const staged = copyUnshared(part);
      for (const { origin, from, extent3 } of piecesOf(texture.format, target.origin, extents, linear))
        this.device.enqueue(
          () => write(origin, staged.subarray(from), extent3),
          texture,
          ((bytesPerRow * extent3[1]) / copies.blockOf(texture.format).height) * extent3[2]
        );
    });
    this.device.queue.limit();
  }

  workDone(): Promise<undefined> {
    return new Promise((resolve) => {
      const settle = (): void => resolve(undefined);
      this.device.push({ settles: true, leavesBuffers: true, step: () => (settle(), true), dropped: settle });
    });
  }
}

/** Bytes that one step of the queue copies, which takes about a millisecond. Other events run between the steps. */
const PIECE_BYTES = 4 << 20;

/** Splits a write into pieces: the whole write, or some rows of a layer each, with their targets and source offsets. */
function piecesOf(
  format: FormatInfo,
  [x, y, z]: Three,
  [width, height, layers]: Three,
  { bytesPerRow, rowsPerImage }: copies.Linear
): { origin: Three; from: number; extent3: Three }[] {
  const { height: high } = copies.blockOf(format);
  const rows = height / high;
  if (layers * rows * bytesPerRow <= PIECE_BYTES)
    return [{ origin: [x, y, z], from: 0, extent3: [width, height, layers] }];
  const most = Math.max(1, Math.floor(PIECE_BYTES / bytesPerRow));
  const pieces = [];
  for (let layer = 0; layer < layers; layer++)
    for (let row = 0; row < rows; row += most)
      pieces.push({
        origin: [x, y + row * high, z + layer] as const,
        from: (layer * rowsPerImage + row) * bytesPerRow,
        extent3: [width, Math.min(most, rows - row) * high, 1] as const,
      });
  return pieces;
}

export const queueSlot = slot<QueueCore>('GPUQueue');
class GPUQueue {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  submit(...args: unknown[]): undefined {
    const core = queueSlot.of(this);
    needArguments('submit', args.length, 1);
    core.submit(sequence(object(commandBufferSlot))(args[0], 'submit: commandBuffers'));
  }
  onSubmittedWorkDone(): Promise<undefined> {
    return promising(() => queueSlot.of(this).workDone());
  }
  writeBuffer(...args: unknown[]): undefined {
    const core = queueSlot.of(this);
    needArguments('writeBuffer', args.length, 3);
    core.writeBuffer(
      object(bufferSlot)(args[0], 'writeBuffer: buffer'),
      u64(args[1], 'writeBuffer: bufferOffset'),
      dataPart('writeBuffer', args.slice(2))
    );
  }
  writeTexture(...args: unknown[]): undefined {
    const core = queueSlot.of(this);
    needArguments('writeTexture', args.length, 4);
    core.writeTexture(
      copies.textureInfo(args[0], 'writeTexture: destination'),
      bufferSource(args[1], 'writeTexture: data').bytes,
      copies.bufferLayout(args[2], 'writeTexture: dataLayout'),
      extent(args[3], 'writeTexture: size')
    );
  }
  copyExternalImageToTexture(...args: unknown[]): undefined {
    const core = queueSlot.of(this);
    const call = 'copyExternalImageToTexture';
    needArguments(call, args.length, 3);
    copyExternal({
      device: core.device,
      source: externalSource(args[0], `${call}: source`),
      target: externalTarget(args[1], `${call}: destination`),
      size: extent(args[2], `${call}: copySize`),
    });
  }
}
exposeLabelled('GPUQueue', GPUQueue, queueSlot);
