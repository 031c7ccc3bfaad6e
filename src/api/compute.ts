// Compute comes later. The classes are there for instanceof, and every way to make one says so by name.

import { bindGroupLayoutSlot, BindGroupLayoutCore } from './bind-layout';
import type { CommandEncoderCore } from './encoder-core';
import { ApiObject, describe, refuse, requireUsable, type DeviceCore } from './device-core';
import { GPUPipelineError } from './errors';
import { dictionary, needArguments, object, optional, promising, required, text, u32 } from './idl';
import { constructing, exposeLabelled, slot } from './interface';
import { shaderModuleSlot } from './shader';

const missing = 'Rasterloom does not have compute pipelines yet: vertex and fragment stages are there';

export class ComputePipelineCore extends ApiObject {
  constructor(device: DeviceCore, label: string) {
    super(device, 'ComputePipeline', label, false);
  }
}
const computePipelineSlot = slot<ComputePipelineCore>('GPUComputePipeline');
export class GPUComputePipeline {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = computePipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    u32(args[0], 'getBindGroupLayout: index');
    core.device.guard(() => requireUsable(core, core, core.device, 'getBindGroupLayout'));
    return bindGroupLayoutSlot.make(new BindGroupLayoutCore(core.device, '', [], 0, false));
  }
}
exposeLabelled('GPUComputePipeline', GPUComputePipeline, computePipelineSlot);

const descriptorOf = dictionary('GPUComputePipelineDescriptor', {
  label: optional(text, ''),
  compute: required(
    dictionary('GPUProgrammableStage', { module: required(object(shaderModuleSlot)), entryPoint: optional(text) })
  ),
});

export function createComputePipeline(device: DeviceCore, value: unknown): object {
  const { label } = descriptorOf(value, 'createComputePipeline: descriptor');
  device.guard(() => refuse({ called: describe('ComputePipeline', label) }, 'createComputePipeline', missing));
  return computePipelineSlot.make(new ComputePipelineCore(device, label));
}
export function createComputePipelineAsync(device: DeviceCore, value: unknown): Promise<object> {
  return promising(() => {
    const { label } = descriptorOf(value, 'createComputePipelineAsync: descriptor');
    if (device.isLost) return computePipelineSlot.make(new ComputePipelineCore(device, label));
    throw new GPUPipelineError(
      `${describe('ComputePipeline', label)} createComputePipelineAsync: ${missing}`, { reason: 'validation' }
    );
  });
}

/** An encoder that cannot compute: its encoder has failed when it is made, so commands are taken and forgotten. */
export class ComputePassCore extends ApiObject {
  readonly encoder: CommandEncoderCore;
  ended = false;
  constructor(encoder: CommandEncoderCore, label: string) {
    super(encoder.device, 'ComputePassEncoder', label, false);
    this.encoder = encoder;
  }
  ignore(call: string): void {
    if (this.ended) this.device.report('validation', `${this.called} ${call}: the pass has ended`);
  }
}
export const computePassSlot = slot<ComputePassCore>('GPUComputePassEncoder');
export class GPUComputePassEncoder {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  setPipeline(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('setPipeline', args.length, 1);
    object(computePipelineSlot)(args[0], 'setPipeline: pipeline');
    core.ignore('setPipeline');
  }
  setBindGroup(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('setBindGroup', args.length, 2);
    core.ignore('setBindGroup');
  }
  setImmediates(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('setImmediates', args.length, 2);
    core.ignore('setImmediates');
  }
  dispatchWorkgroups(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('dispatchWorkgroups', args.length, 1);
    core.ignore('dispatchWorkgroups');
  }
  dispatchWorkgroupsIndirect(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('dispatchWorkgroupsIndirect', args.length, 2);
    core.ignore('dispatchWorkgroupsIndirect');
  }
  pushDebugGroup(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('pushDebugGroup', args.length, 1);
    core.ignore('pushDebugGroup');
  }
  popDebugGroup(): undefined {
    computePassSlot.of(this).ignore('popDebugGroup');
  }
  insertDebugMarker(...args: unknown[]): undefined {
    const core = computePassSlot.of(this);
    needArguments('insertDebugMarker', args.length, 1);
    core.ignore('insertDebugMarker');
  }
  end(): undefined {
    const core = computePassSlot.of(this);
    core.ignore('end');
    if (!core.ended) core.encoder.unlock();
    core.ended = true;
  }
}
exposeLabelled('GPUComputePassEncoder', GPUComputePassEncoder, computePassSlot);
