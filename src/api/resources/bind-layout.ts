// GPUBindGroupLayout and GPUPipelineLayout: https://www.w3.org/TR/webgpu/#bindgrouplayout

import type { FormatInfo } from '../../surface/formats';
import { ShaderStage } from '../idl/constants';
import {
  ApiObject,
  describe,
  refuse,
  requireUsable,
  type DeviceCore,
  type Fail,
  type Named,
} from '../core/device-core';
import { needsFeature, requireFormats, supports } from './format-support';
import {
  bufferBindingType,
  samplerBindingType,
  storageTextureAccess,
  textureSampleType,
  viewDimension,
} from '../idl/enums';
import { boolean, dictionary, nullable, object, optional, required, sequence, text, u32, u64 } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { limitText, requireMultisampleStorage, type LimitName } from '../core/limits';
import { checkStorageFormat, textureFormat } from './texture-descriptor';

export interface BufferBinding {
  readonly kind: 'buffer';
  readonly type: GPUBufferBindingType;
  readonly hasDynamicOffset: boolean;
  readonly minBindingSize: number;
}
export interface SamplerBinding {
  readonly kind: 'sampler';
  readonly type: GPUSamplerBindingType;
}
export interface TextureBinding {
  readonly kind: 'texture';
  readonly sampleType: GPUTextureSampleType;
  readonly viewDimension: GPUTextureViewDimension;
  readonly multisampled: boolean;
}
export interface StorageTextureBinding {
  readonly kind: 'storage texture';
  readonly access: GPUStorageTextureAccess;
  readonly format: FormatInfo;
  readonly viewDimension: GPUTextureViewDimension;
  readonly multisampled: boolean;
}
interface ExternalTextureBinding {
  readonly kind: 'external texture';
}
export type Binding = BufferBinding | SamplerBinding | TextureBinding | StorageTextureBinding | ExternalTextureBinding;
export interface LayoutEntry {
  readonly binding: number;
  readonly visibility: number;
  readonly resource: Binding;
}

const bindingKey = (b: Binding): string => {
  if (b.kind === 'buffer') return `${b.type} ${b.hasDynamicOffset} ${b.minBindingSize}`;
  if (b.kind === 'storage texture') return `${b.access} ${b.format.name} ${b.viewDimension} ${b.multisampled}`;
  if (b.kind === 'external texture') return '';
  return b.kind === 'sampler' ? b.type : `${b.sampleType} ${b.viewDimension} ${b.multisampled}`;
};

export class BindGroupLayoutCore extends ApiObject {
  /** Sorted by binding number. */
  readonly entries: readonly LayoutEntry[];
  /** Entries with dynamic offsets, in ascending order like the offsets of setBindGroup. */
  readonly dynamic: readonly LayoutEntry[];
  readonly dynamicBindings: readonly number[];
  readonly byBinding: ReadonlyMap<number, LayoutEntry>;
  /** Whether shaders may write to a resource that one of the entries binds. */
  readonly mayWrite: boolean;
  /** Layouts with equal keys are equivalent. */
  readonly key: string;
  readonly #pipeline: number;

  /** Makes another object of the same layout, with its own label. */
  clone(): BindGroupLayoutCore {
    return new BindGroupLayoutCore(this.device, this.label, this.entries, this.#pipeline, this.valid);
  }

  /**
   * `pipeline` is the number of the pipeline whose `layout: 'auto'` created this layout, or 0 for layouts from
   * createBindGroupLayout.
   */
  constructor(device: DeviceCore, label: string, entries: readonly LayoutEntry[], pipeline: number, valid: boolean) {
    super(device, 'BindGroupLayout', label, valid);
    this.#pipeline = pipeline;
    this.entries = [...entries].sort((a, b) => a.binding - b.binding);
    this.dynamic = this.entries.filter(({ resource }) => resource.kind === 'buffer' && resource.hasDynamicOffset);
    this.dynamicBindings = this.dynamic.map(({ binding }) => binding);
    this.byBinding = new Map(entries.map((entry) => [entry.binding, entry]));
    this.mayWrite = entries.some(mayWrite);
    // Empty layouts are always equivalent.
    const keys = this.entries.map((e) => `${e.binding} ${e.visibility} ${e.resource.kind} ${bindingKey(e.resource)}`);
    this.key = entries.length === 0 ? '' : `${pipeline};${keys.join(';')}`;
  }
}
/** Whether shaders may write to the resource that an entry binds. */
export const mayWrite = ({ resource }: LayoutEntry): boolean =>
  (resource.kind === 'buffer' && resource.type === 'storage')
  || (resource.kind === 'storage texture' && resource.access !== 'read-only');
export const bindGroupLayoutSlot = slot<BindGroupLayoutCore>('GPUBindGroupLayout');
class GPUBindGroupLayout {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUBindGroupLayout', GPUBindGroupLayout, bindGroupLayoutSlot);

const entryOf = dictionary('GPUBindGroupLayoutEntry', {
  binding: required(u32),
  visibility: required(u32),
  buffer: optional(
    dictionary('GPUBufferBindingLayout', {
      type: optional(bufferBindingType, 'uniform'),
      hasDynamicOffset: optional(boolean, false),
      minBindingSize: optional(u64, 0),
    })
  ),
  sampler: optional(dictionary('GPUSamplerBindingLayout', { type: optional(samplerBindingType, 'filtering') })),
  texture: optional(
    dictionary('GPUTextureBindingLayout', {
      sampleType: optional(textureSampleType, 'float'),
      viewDimension: optional(viewDimension, '2d'),
      multisampled: optional(boolean, false),
    })
  ),
  storageTexture: optional(
    dictionary('GPUStorageTextureBindingLayout', {
      access: optional(storageTextureAccess, 'write-only'),
      format: required(textureFormat),
      viewDimension: optional(viewDimension, '2d'),
      multisampled: optional(boolean, false),
    })
  ),
  externalTexture: optional(dictionary('GPUExternalTextureBindingLayout', {})),
});
const layoutOf = dictionary('GPUBindGroupLayoutDescriptor', {
  label: optional(text, ''),
  entries: required(sequence(entryOf)),
});
type EntryDescriptor = ReturnType<typeof entryOf>;
function checkStorageTexture(device: DeviceCore, binding: number, given: StorageTextureBinding, no: Fail): void {
  const { access, format, viewDimension: dimension, multisampled } = given;
  if (!multisampled) {
    checkStorageFormat(device, format, (message) => no(`binding ${binding}: ${message}`));
    // WebGPU §26.1: bgra8unorm is the only storage format that shaders cannot read.
    if (access === 'read-only' && format.name === 'bgra8unorm')
      no(`binding ${binding}: format bgra8unorm does not support access "read-only"; use "write-only", or rgba8unorm`);
    if (access === 'read-write' && !supports(device, format.readWrite))
      no(
        `binding ${binding}: format ${format.name} does not support access `
          + `"read-write"${needsFeature(format.readWrite) || '; r32uint, r32sint and r32float do'}`
      );
    if (dimension === 'cube' || dimension === 'cube-array')
      no(`binding ${binding}: storage textures cannot have viewDimension "${dimension}"; use "2d-array"`);
    return;
  }
  requireMultisampleStorage(device, `binding ${binding}: a multisampled storage texture`, no);
  if (dimension !== '2d')
    no(`binding ${binding}: multisampled storage textures must have viewDimension "2d", not "${dimension}"`);
  if (format.aspect !== 'color' || !supports(device, format.renderable))
    no(`binding ${binding}: format ${format.name} cannot be rendered to, which multisampled storage textures require`);
}

function resourceOf(e: EntryDescriptor, no: Fail): Binding {
  const given = ['buffer', 'sampler', 'texture', 'storageTexture', 'externalTexture'].filter(
    (key) => e[key as keyof EntryDescriptor] !== undefined
  );
  if (given.length !== 1)
    no(
      `binding ${e.binding} must have exactly one of buffer, sampler, texture, `
        + `storageTexture and externalTexture, not ${given.length === 0 ? 'none' : given.join(' and ')}`
    );
  if (e.buffer !== undefined) return { kind: 'buffer', ...e.buffer };
  if (e.sampler !== undefined) return { kind: 'sampler', ...e.sampler };
  if (e.texture !== undefined) return { kind: 'texture', ...e.texture };
  if (e.storageTexture !== undefined) return { kind: 'storage texture', ...e.storageTexture };
  return { kind: 'external texture' };
}

/** Checks one entry alone, for a layout descriptor as well as for a pipeline with `layout: 'auto'`. */
export function checkEntry(device: DeviceCore, e: LayoutEntry, no: Fail): void {
  const { resource, visibility, binding } = e;
  const { maxBindingsPerBindGroup: most } = device.limits;
  if (binding >= most) no(`binding ${binding} must be less than maxBindingsPerBindGroup ${most}`);
  if (resource.kind === 'storage texture') checkStorageTexture(device, binding, resource, no);
  if ((visibility & ~7) !== 0)
    no(`binding ${binding}: visibility has unknown bits 0x${(visibility & ~7).toString(16)}`);
  if (resource.kind === 'buffer' && resource.type === 'storage' && (visibility & ShaderStage.VERTEX) !== 0)
    no(`binding ${binding}: a vertex stage cannot write; use type "read-only-storage" or omit GPUShaderStage.VERTEX`);
  if (
    resource.kind === 'storage texture'
    && resource.access !== 'read-only'
    && !resource.multisampled
    && (visibility & ShaderStage.VERTEX) !== 0
  )
    no(`binding ${binding}: a vertex stage cannot write; use access "read-only" or omit GPUShaderStage.VERTEX`);
  if (resource.kind === 'storage texture' && resource.multisampled && (visibility & ~ShaderStage.FRAGMENT) !== 0)
    no(`binding ${binding}: multisampled storage textures are only for GPUShaderStage.FRAGMENT`);
  if (resource.kind !== 'texture' || !resource.multisampled) return;
  if (resource.viewDimension !== '2d')
    no(`binding ${binding}: multisampled textures must have viewDimension "2d", not "${resource.viewDimension}"`);
  if (resource.sampleType === 'float')
    no(`binding ${binding}: multisampled textures cannot be filtered; use sampleType "unfilterable-float"`);
}

/** Returns the limits that a binding counts against in one stage. */
function stageLimits(b: Binding): LimitName[] {
  if (b.kind === 'sampler') return ['maxSamplersPerShaderStage'];
  if (b.kind === 'texture') return ['maxSampledTexturesPerShaderStage'];
  if (b.kind === 'storage texture') return ['maxStorageTexturesPerShaderStage'];
  // External textures count as in implementations that use several planes (WebGPU §3.6.2).
  if (b.kind === 'external texture')
    return [
      ...Array<LimitName>(4).fill('maxSampledTexturesPerShaderStage'),
      'maxSamplersPerShaderStage',
      'maxUniformBuffersPerShaderStage',
    ];
  return [b.type === 'uniform' ? 'maxUniformBuffersPerShaderStage' : 'maxStorageBuffersPerShaderStage'];
}

/** Checks the numbers of bindings per stage and of dynamic offsets against the device's limits. */
function checkCounts(device: DeviceCore, entries: readonly LayoutEntry[], no: Fail): void {
  for (const [stage, bit] of Object.entries(ShaderStage)) {
    const counts = new Map<LimitName, number>();
    for (const entry of entries) {
      if ((entry.visibility & bit) === 0) continue;
      const limits = stageLimits(entry.resource);
      if (limits[0] === 'maxStorageBuffersPerShaderStage' && bit === ShaderStage.VERTEX)
        limits.push('maxStorageBuffersInVertexStage');
      if (limits[0] === 'maxStorageTexturesPerShaderStage' && bit === ShaderStage.VERTEX)
        limits.push('maxStorageTexturesInVertexStage');
      if (limits[0] === 'maxStorageTexturesPerShaderStage' && bit === ShaderStage.FRAGMENT)
        limits.push('maxStorageTexturesInFragmentStage');
      if (limits[0] === 'maxStorageBuffersPerShaderStage' && bit === ShaderStage.FRAGMENT)
        limits.push('maxStorageBuffersInFragmentStage');
      for (const limit of limits) counts.set(limit, (counts.get(limit) ?? 0) + 1);
    }
    for (const [limit, count] of counts)
      if (count > device.limits[limit])
        no(`${count} bindings of the ${stage.toLowerCase()} stage exceed ${limitText(device.limits, limit)}`);
  }
  const dynamic = entries
    .map((e) => e.resource)
    .filter((r): r is BufferBinding => r.kind === 'buffer' && r.hasDynamicOffset);
  const uniforms = dynamic.filter((r) => r.type === 'uniform').length;
  for (const [kind, count, limit] of [
    ['uniform', uniforms, 'maxDynamicUniformBuffersPerPipelineLayout'],
    ['storage', dynamic.length - uniforms, 'maxDynamicStorageBuffersPerPipelineLayout'],
  ] as const)
    if (count > device.limits[limit]) no(`${count} dynamic ${kind} buffers exceed ${limitText(device.limits, limit)}`);
}

export function createBindGroupLayout(device: DeviceCore, value: unknown): object {
  const d = layoutOf(value, 'createBindGroupLayout: descriptor');
  requireFormats(device, 'createBindGroupLayout', ...d.entries.map(({ storageTexture: given }) => given?.format));
  const entries = device.guard(() => {
    const no: Fail = (message) =>
      refuse({ called: describe('BindGroupLayout', d.label) }, 'createBindGroupLayout', message);
    const seen = new Set<number>();
    const result = d.entries.map((e): LayoutEntry => {
      if (seen.has(e.binding)) no(`binding ${e.binding} is given twice`);
      seen.add(e.binding);
      const entry = { binding: e.binding, visibility: e.visibility, resource: resourceOf(e, no) };
      checkEntry(device, entry, no);
      return entry;
    });
    checkCounts(device, result, no);
    return result;
  });
  return bindGroupLayoutSlot.make(
    new BindGroupLayoutCore(device, d.label, entries ?? [], 0, entries !== undefined && !device.isLost)
  );
}

export class PipelineLayoutCore extends ApiObject {
  /** Bind group layouts by group index; null if a group has no layout. */
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  /** Size of the immediate data in bytes. */
  readonly immediateSize: number;
  constructor(
    device: DeviceCore,
    d: Pick<ReturnType<typeof pipelineLayoutOf>, 'label' | 'bindGroupLayouts' | 'immediateSize'>,
    valid: boolean
  ) {
    super(device, 'PipelineLayout', d.label, valid);
    this.groups = d.bindGroupLayouts;
    this.immediateSize = d.immediateSize;
  }
}
export const pipelineLayoutSlot = slot<PipelineLayoutCore>('GPUPipelineLayout');
class GPUPipelineLayout {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUPipelineLayout', GPUPipelineLayout, pipelineLayoutSlot);

/**
 * Checks the limits that apply to all bind groups of a pipeline together: maxBindGroups and the numbers of resources
 * per shader stage. `who.called` names the pipeline layout, or the pipeline if its layout is the default one.
 */
export function checkGroups(
  device: DeviceCore,
  groups: readonly (BindGroupLayoutCore | null)[],
  who: Named,
  call: string
): void {
  const no: Fail = (message) => refuse(who, call, message);
  if (groups.length > device.limits.maxBindGroups)
    no(`${groups.length} bind groups exceed maxBindGroups ${device.limits.maxBindGroups}`);
  checkCounts(
    device,
    groups.flatMap((group) => group?.entries ?? []),
    no
  );
}

const pipelineLayoutOf = dictionary('GPUPipelineLayoutDescriptor', {
  label: optional(text, ''),
  bindGroupLayouts: required(sequence(nullable(object(bindGroupLayoutSlot)))),
  immediateSize: optional(u32, 0),
});

export function createPipelineLayout(device: DeviceCore, value: unknown): object {
  const d = pipelineLayoutOf(value, 'createPipelineLayout: descriptor');
  const valid = device.guard(() => {
    const who = { called: describe('PipelineLayout', d.label) };
    d.bindGroupLayouts.forEach((layout, group) => {
      if (layout === null) return;
      requireUsable(layout, who, device, 'createPipelineLayout');
      if (layout.key !== '' && !layout.key.startsWith('0;'))
        refuse(
          who,
          'createPipelineLayout',
          `bindGroupLayouts[${group}] ${layout.called} was created by layout: `
            + '"auto" and only fits its own pipeline; create one with createBindGroupLayout'
        );
    });
    if (d.immediateSize > device.limits.maxImmediateSize)
      refuse(
        who,
        'createPipelineLayout',
        `immediateSize ${d.immediateSize} exceeds maxImmediateSize ${device.limits.maxImmediateSize}`
      );
    if (d.immediateSize % 4 !== 0)
      refuse(who, 'createPipelineLayout', `immediateSize ${d.immediateSize} is not a multiple of 4`);
    checkGroups(device, d.bindGroupLayouts, who, 'createPipelineLayout');
    return true;
  });
  return pipelineLayoutSlot.make(new PipelineLayoutCore(device, d, valid === true && !device.isLost));
}
