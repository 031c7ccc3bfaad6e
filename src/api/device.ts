// GPUDevice: https://www.w3.org/TR/webgpu/#gpu-device

import { createBindGroup } from './resources/bind-group';
import { createBindGroupLayout, createPipelineLayout } from './resources/bind-layout';
import { createBuffer } from './resources/buffer';
import { createRenderBundleEncoder } from './encoders/bundle';
import { createComputePipeline, createComputePipelineAsync } from './pipelines/compute-pipeline';
import type { DeviceCore } from './core/device-core';
import { createCommandEncoder } from './encoders/encoder';
import { errorFilter } from './idl/enums';
import { importExternalTexture } from './resources/external-texture';
import { needArguments, promising } from './idl/idl';
import { rejectConstruction, exposeLabelled, slot } from './idl/interface';
import { createRenderPipeline, createRenderPipelineAsync } from './pipelines/pipeline';
import { createQuerySet } from './resources/query-set';
import { createSampler } from './resources/sampler';
import { createShaderModule } from './pipelines/shader';
import { createTexture } from './resources/texture';

/** The device and its associated objects, which are created once. */
export interface DeviceParts {
  readonly core: DeviceCore;
  readonly features: object;
  readonly limits: object;
  readonly adapterInfo: object;
  readonly queue: object;
  label: string;
}
export const deviceSlot = slot<DeviceParts>('GPUDevice');

/** Value of an event handler attribute: a function, or an object that is stored but never called. */
type Handler = object;

class GPUDevice extends EventTarget {
  #handler: Handler | null = null;
  /** Registered once, so that a replaced handler keeps its place among the listeners. */
  readonly #listener = (event: Event): void => {
    if (typeof this.#handler === 'function') Reflect.apply(this.#handler, this, [event]);
  };

  constructor(...args: unknown[]) {
    rejectConstruction(args);
    super();
  }
  get features(): object {
    return deviceSlot.of(this).features;
  }
  get limits(): object {
    return deviceSlot.of(this).limits;
  }
  get adapterInfo(): object {
    return deviceSlot.of(this).adapterInfo;
  }
  get queue(): object {
    return deviceSlot.of(this).queue;
  }
  get lost(): Promise<object> {
    return deviceSlot.of(this).core.lost;
  }
  destroy(): undefined {
    deviceSlot.of(this).core.lose('destroyed', 'GPUDevice.destroy() was called');
  }
  get onuncapturederror(): Handler | null {
    deviceSlot.of(this);
    return this.#handler;
  }
  set onuncapturederror(value: unknown) {
    deviceSlot.of(this);
    const handler = (typeof value === 'object' || typeof value === 'function') && value !== null ? value : null;
    if (handler === null) this.removeEventListener('uncapturederror', this.#listener);
    else if (this.#handler === null) this.addEventListener('uncapturederror', this.#listener);
    this.#handler = handler;
  }
  createBuffer(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createBuffer', args.length, 1);
    return createBuffer(core, args[0]);
  }
  createTexture(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createTexture', args.length, 1);
    return createTexture(core, args[0]);
  }
  createSampler(descriptor?: unknown): object {
    return createSampler(deviceSlot.of(this).core, descriptor);
  }
  importExternalTexture(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('importExternalTexture', args.length, 1);
    return importExternalTexture(core, args[0]);
  }
  createBindGroupLayout(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createBindGroupLayout', args.length, 1);
    return createBindGroupLayout(core, args[0]);
  }
  createPipelineLayout(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createPipelineLayout', args.length, 1);
    return createPipelineLayout(core, args[0]);
  }
  createBindGroup(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createBindGroup', args.length, 1);
    return createBindGroup(core, args[0]);
  }
  createShaderModule(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createShaderModule', args.length, 1);
    return createShaderModule(core, args[0]);
  }
  createComputePipeline(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createComputePipeline', args.length, 1);
    return createComputePipeline(core, args[0]);
  }
  createRenderPipeline(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createRenderPipeline', args.length, 1);
    return createRenderPipeline(core, args[0]);
  }
  createComputePipelineAsync(...args: unknown[]): Promise<object> {
    return promising(() => {
      const { core } = deviceSlot.of(this);
      needArguments('createComputePipelineAsync', args.length, 1);
      return createComputePipelineAsync(core, args[0]);
    });
  }
  createRenderPipelineAsync(...args: unknown[]): Promise<object> {
    return promising(() => {
      const { core } = deviceSlot.of(this);
      needArguments('createRenderPipelineAsync', args.length, 1);
      return createRenderPipelineAsync(core, args[0]);
    });
  }
  createCommandEncoder(descriptor?: unknown): object {
    return createCommandEncoder(deviceSlot.of(this).core, descriptor);
  }
  createRenderBundleEncoder(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createRenderBundleEncoder', args.length, 1);
    return createRenderBundleEncoder(core, args[0]);
  }
  createQuerySet(...args: unknown[]): object {
    const { core } = deviceSlot.of(this);
    needArguments('createQuerySet', args.length, 1);
    return createQuerySet(core, args[0]);
  }
  pushErrorScope(...args: unknown[]): undefined {
    const { core } = deviceSlot.of(this);
    needArguments('pushErrorScope', args.length, 1);
    core.pushScope(errorFilter(args[0], 'pushErrorScope: filter'));
  }
  popErrorScope(): Promise<object | null> {
    return promising(() => {
      const { core } = deviceSlot.of(this);
      // Answers come in the order of the events, so `lost` resolves first.
      if (core.isLost) return core.lost.then(() => null);
      const error = core.popScope();
      if (error === undefined)
        throw new DOMException('popErrorScope: no error scope is open; call pushErrorScope() first', 'OperationError');
      return error;
    });
  }
}
exposeLabelled('GPUDevice', GPUDevice, deviceSlot);
