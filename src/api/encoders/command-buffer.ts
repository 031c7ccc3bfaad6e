// Recorded commands, and GPUCommandBuffer: https://www.w3.org/TR/webgpu/#command-buffers

import type { RenderDevice, Work } from '../../render/types';
import type { BufferCore } from '../resources/buffer';
import { ApiObject, type DeviceCore } from '../core/device-core';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import type { QuerySetCore } from '../resources/query-set';
import type { TextureCore } from '../resources/texture';

/** A recorded command. Returns work that takes more than one time slice, or null if the command has finished. */
export type Command = (render: RenderDevice) => Work | null;

/** All objects that commands use. submit() checks them; they are kept alive until the commands have run. */
export class Uses {
  readonly buffers = new Set<BufferCore>();
  readonly textures = new Set<TextureCore>();
  readonly querySets = new Set<QuerySetCore>();
  /** Pipelines, bind groups, samplers and views. */
  readonly others = new Set<ApiObject>();

  add({ buffers, textures, others }: Uses): void {
    for (const buffer of buffers) this.buffers.add(buffer);
    for (const texture of textures) this.textures.add(texture);
    for (const other of others) this.others.add(other);
  }
}

export class CommandBufferCore extends ApiObject {
  readonly commands: readonly Command[];
  readonly uses: Uses;
  submitted = false;
  constructor(device: DeviceCore, label: string, commands: readonly Command[], uses: Uses, valid: boolean) {
    super(device, 'CommandBuffer', label, valid);
    this.commands = commands;
    this.uses = uses;
  }
}
export const commandBufferSlot = slot<CommandBufferCore>('GPUCommandBuffer');
class GPUCommandBuffer {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUCommandBuffer', GPUCommandBuffer, commandBufferSlot);
