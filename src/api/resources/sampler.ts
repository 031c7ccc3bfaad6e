// GPUSampler: https://www.w3.org/TR/webgpu/#samplers

import type { SamplerStore } from '../../render/types';
import { ApiObject, describe, freeWithCore, refuse, type DeviceCore } from '../core/device-core';
import { addressMode, compareFunction, filterMode } from '../idl/enums';
import { clampedU16, dictionary, float, optional, text } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';

export class SamplerCore extends ApiObject {
  readonly #store: SamplerStore | null;
  readonly comparison: boolean;
  readonly filtering: boolean;

  constructor(device: DeviceCore, label: string, store: SamplerStore | null, comparison: boolean, filtering: boolean) {
    super(device, 'Sampler', label, store !== null);
    this.#store = store;
    this.comparison = comparison;
    this.filtering = filtering;
    if (store !== null) freeWithCore(this, store, 0);
  }
  /** Throws for invalid samplers. */
  get store(): SamplerStore {
    if (this.#store === null) throw new TypeError('an invalid sampler has no store');
    return this.#store;
  }
}

export const samplerSlot = slot<SamplerCore>('GPUSampler');
class GPUSampler {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUSampler', GPUSampler, samplerSlot);

const descriptorOf = dictionary('GPUSamplerDescriptor', {
  label: optional(text, ''),
  addressModeU: optional(addressMode, 'clamp-to-edge'),
  addressModeV: optional(addressMode, 'clamp-to-edge'),
  addressModeW: optional(addressMode, 'clamp-to-edge'),
  magFilter: optional(filterMode, 'nearest'),
  minFilter: optional(filterMode, 'nearest'),
  mipmapFilter: optional(filterMode, 'nearest'),
  lodMinClamp: optional(float, 0),
  lodMaxClamp: optional(float, 32),
  compare: optional(compareFunction),
  maxAnisotropy: optional(clampedU16, 1),
});

export function createSampler(device: DeviceCore, value: unknown): object {
  const { label, compare, ...rest } = descriptorOf(value, 'createSampler: descriptor');
  const filters = [rest.magFilter, rest.minFilter, rest.mipmapFilter];
  const store = device.guard(() => {
    const no = (message: string): never => refuse({ called: describe('Sampler', label) }, 'createSampler', message);
    if (rest.lodMinClamp < 0) no(`lodMinClamp ${rest.lodMinClamp} is negative`);
    if (rest.lodMaxClamp < rest.lodMinClamp)
      no(`lodMaxClamp ${rest.lodMaxClamp} is less than lodMinClamp ${rest.lodMinClamp}`);
    if (rest.maxAnisotropy < 1) no(`maxAnisotropy must be at least 1, not ${rest.maxAnisotropy}`);
    if (rest.maxAnisotropy > 1 && filters.includes('nearest'))
      no(`maxAnisotropy ${rest.maxAnisotropy} needs magFilter, minFilter and mipmapFilter "linear"`);
    return device.isLost ? null : device.render.createSampler({ ...rest, compare: compare ?? null });
  });
  return samplerSlot.make(
    new SamplerCore(device, label, store ?? null, compare !== undefined, filters.includes('linear'))
  );
}
