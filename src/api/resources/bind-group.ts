// GPUBindGroup: https://www.w3.org/TR/webgpu/#bind-groups

import type { BindGroupStore, BoundGroup, BoundResource } from '../../render/types';
import {
  bindGroupLayoutSlot,
  type BindGroupLayoutCore,
  type BufferBinding,
  type LayoutEntry,
  type SamplerBinding,
  type StorageTextureBinding,
  type TextureBinding,
} from './bind-layout';
import { bufferSlot, type BufferCore } from './buffer';
import { BufferUsage, TextureUsage, flagNames } from '../idl/constants';
import {
  ApiObject,
  describe,
  refuse,
  requireUsable,
  type DeviceCore,
  type Fail,
  type Named,
} from '../core/device-core';
import { sampleTypes } from './format-support';
import { dictionary, object, optional, required, sequence, text, u32, u64, type Convert } from '../idl/idl';
import { externalTextureSlot, type ExternalTextureCore } from './external-texture';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { limitText } from '../core/limits';
import { samplerSlot, type SamplerCore } from './sampler';
import { requireOwnChannels, textureSlot, viewSlot, type TextureCore, type ViewCore } from './texture';

/** A buffer binding as draw calls see it. */
export interface BoundBuffer {
  readonly entry: LayoutEntry;
  readonly buffer: BufferCore;
  readonly offset: number;
  readonly size: number;
}

/** A bind group together with the dynamic offsets that it was set with. */
export interface SetGroup {
  readonly group: BindGroupCore;
  readonly bound: BoundGroup & { readonly dynamicOffsets: number[] | null };
}

/** A buffer binding with a dynamic offset. */
interface DynamicBuffer {
  readonly binding: number;
  readonly alignment: number;
  readonly bound: BoundBuffer;
  /** The largest offset with which the binding stays inside the buffer. */
  readonly maxOffset: number;
}

/** A storage texture as passes see it. */
interface BoundSurface {
  readonly view: ViewCore;
  readonly access: GPUStorageTextureAccess;
}

export class BindGroupCore extends ApiObject {
  readonly layout: BindGroupLayoutCore;
  readonly store: BindGroupStore;
  /** The group set without dynamic offsets. */
  readonly withoutDynamicOffsets: SetGroup;
  readonly buffers: readonly BoundBuffer[];
  /** The buffers with dynamic offsets, in the order of the offsets. */
  readonly dynamic: readonly DynamicBuffer[];
  readonly views: readonly ViewCore[];
  /** Storage textures. */
  readonly surfaces: readonly BoundSurface[];
  /** Textures that the group keeps alive; submit() checks them. */
  readonly textures: readonly TextureCore[];
  readonly samplers: readonly SamplerCore[];
  constructor(device: DeviceCore, label: string, layout: BindGroupLayoutCore, bound: Bound, valid: boolean) {
    super(device, 'BindGroup', label, valid);
    this.layout = layout;
    this.store = {
      entries: bound.entries,
      dynamic: layout.dynamicBindings,
      watched: [...bound.entries.values()].filter(isWatched),
      words: null,
    };
    this.withoutDynamicOffsets = { group: this, bound: { group: this.store, dynamicOffsets: null } };
    this.buffers = bound.buffers;
    this.views = bound.views;
    this.surfaces = bound.surfaces;
    this.textures = [...bound.views, ...bound.surfaces.map(({ view }) => view)].map((view) => view.texture);
    this.samplers = bound.samplers;
    const { minUniformBufferOffsetAlignment, minStorageBufferOffsetAlignment } = device.limits;
    this.dynamic = layout.dynamic.flatMap(({ binding, resource }): DynamicBuffer[] => {
      const buffer = this.bufferAt(binding);
      const isUniform = resource.kind === 'buffer' && resource.type === 'uniform';
      const alignment = isUniform ? minUniformBufferOffsetAlignment : minStorageBufferOffsetAlignment;
      if (!buffer) return [];
      return [{ binding, alignment, bound: buffer, maxOffset: buffer.buffer.size - buffer.offset - buffer.size }];
    });
  }
  bufferAt(binding: number): BoundBuffer | undefined {
    return this.buffers.find(({ entry }) => entry.binding === binding);
  }
}
interface Bound {
  readonly entries: Map<number, BoundResource>;
  readonly buffers: BoundBuffer[];
  readonly views: ViewCore[];
  readonly surfaces: BoundSurface[];
  readonly samplers: SamplerCore[];
}
const emptyBindings = (): Bound => ({ entries: new Map(), buffers: [], views: [], surfaces: [], samplers: [] });

const isWatched = (resource: BoundResource): boolean =>
  resource.kind === 'buffer' ? resource.writable : resource.kind !== 'sampler';

export const bindGroupSlot = slot<BindGroupCore>('GPUBindGroup');
class GPUBindGroup {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUBindGroup', GPUBindGroup, bindGroupSlot);

type Resource =
  | { readonly kind: 'buffer'; readonly buffer: BufferCore; readonly offset: number; readonly size: number | undefined }
  | { readonly kind: 'sampler'; readonly sampler: SamplerCore }
  | { readonly kind: 'texture'; readonly view: ViewCore }
  | { readonly kind: 'external texture'; readonly external: ExternalTextureCore };

const bufferBinding = dictionary('GPUBufferBinding', {
  buffer: required(object(bufferSlot)),
  offset: optional(u64, 0),
  size: optional(u64),
});
const resourceOf: Convert<Resource> = (value, at) => {
  const sampler = samplerSlot.find(value);
  if (sampler !== undefined) return { kind: 'sampler', sampler };
  const view = viewSlot.find(value) ?? textureSlot.find(value)?.defaultView;
  if (view !== undefined) return { kind: 'texture', view };
  const external = externalTextureSlot.find(value);
  if (external !== undefined) return { kind: 'external texture', external };
  const whole = bufferSlot.find(value);
  if (whole !== undefined) return { kind: 'buffer', buffer: whole, offset: 0, size: undefined };
  return { kind: 'buffer', ...bufferBinding(value, at) };
};
const groupOf = dictionary('GPUBindGroupDescriptor', {
  label: optional(text, ''),
  layout: required(object(bindGroupLayoutSlot)),
  entries: required(
    sequence(dictionary('GPUBindGroupEntry', { binding: required(u32), resource: required(resourceOf) }))
  ),
});
function bindBuffer(
  entry: LayoutEntry,
  layout: BufferBinding,
  resource: Extract<Resource, { kind: 'buffer' }>,
  device: DeviceCore,
  no: Fail
): BoundBuffer {
  const { buffer, offset } = resource;
  const at = `binding ${entry.binding}, ${buffer.called}`;
  const size = resource.size ?? Math.max(0, buffer.size - offset);
  const uniform = layout.type === 'uniform';
  const usage = uniform ? 'UNIFORM' : 'STORAGE';
  if ((buffer.usage & BufferUsage[usage]) === 0)
    no(
      `${at}: a ${layout.type} binding needs a buffer with usage ${usage}; `
        + `this one has ${flagNames(buffer.usage, BufferUsage)}`
    );
  const alignment = uniform
    ? device.limits.minUniformBufferOffsetAlignment
    : device.limits.minStorageBufferOffsetAlignment;
  if (offset % alignment !== 0) no(`${at}: offset ${offset} is not a multiple of ${alignment}`);
  if (offset + size > buffer.size)
    no(`${at}: offset ${offset} + size ${size} exceeds the buffer's size ${buffer.size}`);
  if (size === 0) no(`${at}: the bound size is 0`);
  const limit = uniform ? 'maxUniformBufferBindingSize' : 'maxStorageBufferBindingSize';
  if (size > device.limits[limit]) no(`${at}: size ${size} exceeds ${limitText(device.limits, limit)}`);
  if (!uniform && size % 4 !== 0) no(`${at}: size ${size} of a storage binding is not a multiple of 4`);
  if (size < layout.minBindingSize)
    no(`${at}: size ${size} is less than the ${layout.minBindingSize} bytes that the layout requires`);
  return { entry, buffer, offset, size };
}

function checkSampler(entry: LayoutEntry, layout: SamplerBinding, sampler: SamplerCore, no: Fail): void {
  const at = `binding ${entry.binding}, ${sampler.called}`;
  if (layout.type === 'comparison' && !sampler.comparison)
    no(`${at}: the layout wants a comparison sampler; create it with \`compare\``);
  if (layout.type !== 'comparison' && sampler.comparison)
    no(`${at}: the layout wants a ${layout.type} sampler, but this is a comparison sampler`);
  if (layout.type === 'non-filtering' && sampler.filtering)
    no(`${at}: the layout wants a non-filtering sampler, but this one has filter "linear"`);
}

function checkView(entry: LayoutEntry, layout: TextureBinding, view: ViewCore, no: Fail): void {
  const at = `binding ${entry.binding}, ${view.called}`;
  if ((view.usage & TextureUsage.TEXTURE_BINDING) === 0)
    no(`${at}: a texture binding needs usage TEXTURE_BINDING; this one has ${flagNames(view.usage, TextureUsage)}`);
  if (view.shape.format.aspect === 'depth-stencil')
    no(`${at}: choose one aspect of ${view.shape.format.name} with aspect: "depth-only" or "stencil-only"`);
  if (view.shape.dimension !== layout.viewDimension)
    no(`${at}: the layout wants viewDimension "${layout.viewDimension}", not "${view.shape.dimension}"`);
  if (layout.multisampled !== view.samples > 1)
    no(
      `${at}: the layout wants ${layout.multisampled ? 'more than one sample' : 'one sample'}, `
        + `but the texture has ${view.samples}`
    );
  if (!sampleTypes(view.device, view.shape.format).includes(layout.sampleType))
    no(
      `${at}: format ${view.shape.format.name} has sample type "${view.shape.format.sampleType}", `
        + `but the layout wants "${layout.sampleType}"`
    );
}

/** A texture view may be bound in place of an external texture. */
function checkExternal(entry: LayoutEntry, view: ViewCore, no: Fail): void {
  const at = `binding ${entry.binding}, ${view.called}`;
  const { format, dimension, mipLevelCount } = view.shape;
  if ((view.usage & TextureUsage.TEXTURE_BINDING) === 0)
    no(`${at}: a texture binding needs usage TEXTURE_BINDING; this one has ${flagNames(view.usage, TextureUsage)}`);
  if (
    dimension !== '2d'
    || mipLevelCount !== 1
    || view.samples !== 1
    || !['rgba8unorm', 'bgra8unorm', 'rgba16float'].includes(format.name)
  )
    no(
      `${at}: a view for an external texture must have dimension "2d", one mip level, one sample, `
        + 'and format rgba8unorm, bgra8unorm or rgba16float'
    );
}

function checkStorageTexture(entry: LayoutEntry, layout: StorageTextureBinding, view: ViewCore, no: Fail): void {
  const at = `binding ${entry.binding}, ${view.called}`;
  if ((view.usage & TextureUsage.STORAGE_BINDING) === 0)
    no(`${at}: a storage texture needs usage STORAGE_BINDING; this one has ${flagNames(view.usage, TextureUsage)}`);
  requireOwnChannels(view, `binding ${entry.binding}`, no);
  if (layout.multisampled !== view.samples > 1)
    no(
      `${at}: the layout wants ${layout.multisampled ? 'more than one sample' : 'one sample'}, `
        + `but the texture has ${view.samples}`
    );
  if (view.shape.dimension !== layout.viewDimension)
    no(`${at}: the layout wants viewDimension "${layout.viewDimension}", not "${view.shape.dimension}"`);
  if (view.shape.mipLevelCount !== 1)
    no(
      `${at}: a storage texture binding takes one mip level, but the view has ${view.shape.mipLevelCount} `
        + '(createView({ baseMipLevel, mipLevelCount: 1 }))'
    );
  if (layout.multisampled && view.shape.format !== view.texture.format)
    no(
      `${at}: a storage texture must be viewed in its own format ${view.texture.format.name}, `
        + `not ${view.shape.format.name}`
    );
  if (view.shape.format !== layout.format)
    no(`${at}: the layout wants format ${layout.format.name}, not ${view.shape.format.name}`);
}

function bindEntry(entry: LayoutEntry, resource: Resource, device: DeviceCore, who: Named, bound: Bound): void {
  const no: Fail = (message) => refuse(who, 'createBindGroup', message);
  const wanted = entry.resource;
  const given =
    resource.kind === 'buffer'
      ? resource.buffer
      : resource.kind === 'sampler'
        ? resource.sampler
        : resource.kind === 'external texture'
          ? resource.external
          : resource.view;
  requireUsable(given, who, device, 'createBindGroup');
  if (wanted.kind === 'buffer' && resource.kind === 'buffer') {
    const buffer = bindBuffer(entry, wanted, resource, device, no);
    bound.buffers.push(buffer);
    bound.entries.set(entry.binding, {
      kind: 'buffer',
      buffer: buffer.buffer.store,
      offset: buffer.offset,
      size: buffer.size,
      writable: wanted.type === 'storage',
    });
  } else if (wanted.kind === 'sampler' && resource.kind === 'sampler') {
    checkSampler(entry, wanted, resource.sampler, no);
    bound.samplers.push(resource.sampler);
    bound.entries.set(entry.binding, { kind: 'sampler', sampler: resource.sampler.store });
  } else if (wanted.kind === 'texture' && resource.kind === 'texture') {
    checkView(entry, wanted, resource.view, no);
    bound.views.push(resource.view);
    bound.entries.set(entry.binding, { kind: 'texture', view: resource.view.store });
  } else if (wanted.kind === 'external texture' && resource.kind === 'external texture') {
    const view = resource.external.view!;
    bound.views.push(view);
    bound.entries.set(entry.binding, { kind: 'texture', view: view.store });
  } else if (wanted.kind === 'external texture' && resource.kind === 'texture') {
    checkExternal(entry, resource.view, no);
    bound.views.push(resource.view);
    bound.entries.set(entry.binding, { kind: 'texture', view: resource.view.store });
  } else if (wanted.kind === 'storage texture' && resource.kind === 'texture') {
    checkStorageTexture(entry, wanted, resource.view, no);
    bound.surfaces.push({ view: resource.view, access: wanted.access });
    const kind = wanted.multisampled ? 'surface' : wanted.access === 'read-only' ? 'texture' : 'image';
    bound.entries.set(entry.binding, { kind, view: resource.view.store });
  } else no(`binding ${entry.binding}: the layout wants a ${wanted.kind}, not ${given.called}`);
}

export function createBindGroup(device: DeviceCore, value: unknown): object {
  const { label, layout, entries } = groupOf(value, 'createBindGroup: descriptor');
  const bound = device.guard(() => {
    const who = { called: describe('BindGroup', label) };
    requireUsable(layout, who, device, 'createBindGroup');
    const result = emptyBindings();
    for (const { binding, resource } of entries) {
      const entry = layout.byBinding.get(binding);
      if (entry === undefined)
        refuse(
          who,
          'createBindGroup',
          `binding ${binding} is not in ${layout.called}, which has `
            + `${layout.entries.length === 0 ? 'none' : layout.entries.map((e) => e.binding).join(', ')}`
            + (layout.key.startsWith('0;') ? '' : ' (layout: "auto" leaves out what the shaders do not use)')
        );
      if (result.entries.has(binding)) refuse(who, 'createBindGroup', `binding ${binding} is given twice`);
      bindEntry(entry, resource, device, who, result);
    }
    const missing = layout.entries
      .filter((e) => !result.entries.has(e.binding))
      .map((e) => `${e.binding} (${e.resource.kind})`);
    if (missing.length > 0)
      refuse(
        who,
        'createBindGroup',
        `${layout.called} also has binding ${missing.join(', ')}; each binding of the layout needs an entry`
      );
    return result;
  });
  return bindGroupSlot.make(
    new BindGroupCore(device, label, layout, bound ?? emptyBindings(), bound !== undefined && !device.isLost)
  );
}
