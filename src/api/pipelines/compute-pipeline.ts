// GPUComputePipeline: https://www.w3.org/TR/webgpu/#compute-pipeline

import { finish, type Steps } from '../../base/steps';
import type { CachedCompute, ComputePipelineStore } from '../../render/types';
import type { SetGroup } from '../resources/bind-group';
import { bindGroupLayoutSlot, BindGroupLayoutCore } from '../resources/bind-layout';
import {
  ApiObject,
  describe,
  freeWithCore,
  refuse,
  requireUsable,
  type DeviceCore,
  type Fail,
} from '../core/device-core';
import { SUBGROUP_SIZE } from '../core/front-end';
import { dictionary, needArguments, optional, promising, required, text, u32 } from '../idl/idl';
import { immediateWords, type ImmediateWords } from './immediates';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { limitText } from '../core/limits';
import { groupsOf, createInSlices, createSync, stageProgram, type CreationCall } from './pipeline';
import { layoutOrAuto, stage } from './pipeline-descriptor';
import { stageKey } from './pipeline-source';
import { uncheckedBufferSizes, type UncheckedBufferSize, type StageProgram } from './pipeline-layout';

interface ComputeParts {
  readonly store: ComputePipelineStore;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly uncheckedBufferSizes: readonly UncheckedBufferSize[];
  readonly immediates: ImmediateWords;
  /** Null if the entry point reads neither `workgroup_index` nor `global_invocation_index`. */
  readonly indexing: Indexing | null;
  /** A compute pipeline has no vertex buffers. */
  readonly slots: readonly [];
}

/**
 * A built-in value that numbers all workgroups or invocations of a dispatch, and the maximum number of workgroups for
 * it.
 */
interface Indexing {
  readonly builtin: 'workgroup_index' | 'global_invocation_index';
  readonly groups: number;
}

const MAX_U32 = 2 ** 32 - 1;

function indexingOf({ entry }: StageProgram): Indexing | null {
  const uses = (builtin: Indexing['builtin']): boolean => entry.inputs.some(({ io }) => io.builtin === builtin);
  const [x, y, z] = entry.workgroupSize ?? [1, 1, 1];
  if (uses('global_invocation_index'))
    return { builtin: 'global_invocation_index', groups: Math.floor(MAX_U32 / (x * y * z)) };
  return uses('workgroup_index') ? { builtin: 'workgroup_index', groups: MAX_U32 } : null;
}

export class ComputePipelineCore extends ApiObject {
  readonly #parts: ComputeParts | null;
  /** Groups that passed validation with this pipeline as its only group; they need no further check. */
  readonly fitting = new WeakSet<SetGroup>();
  constructor(device: DeviceCore, label: string, parts: ComputeParts | null) {
    super(device, 'ComputePipeline', label, parts !== null);
    this.#parts = parts;
    if (parts !== null) freeWithCore(this, parts.store, parts.store.bytes);
  }
  /** Throws for invalid pipelines. */
  get parts(): ComputeParts {
    if (this.#parts === null) throw new TypeError('an invalid pipeline has no parts');
    return this.#parts;
  }
  group(index: number): BindGroupLayoutCore {
    const { device } = this;
    const layout = device.guard(() => {
      requireUsable(this, this, device, 'getBindGroupLayout');
      const { maxBindGroups } = device.limits;
      if (index >= maxBindGroups)
        refuse(this, 'getBindGroupLayout', `index ${index} must be less than maxBindGroups ${maxBindGroups}`);
      return this.parts.groups[index] ?? new BindGroupLayoutCore(device, '', [], 0, true);
    });
    return layout ?? new BindGroupLayoutCore(device, '', [], 0, false);
  }
}
export const computePipelineSlot = slot<ComputePipelineCore>('GPUComputePipeline');
class GPUComputePipeline {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = computePipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')).clone());
  }
}
exposeLabelled('GPUComputePipeline', GPUComputePipeline, computePipelineSlot);

const descriptorOf = dictionary('GPUComputePipelineDescriptor', {
  label: optional(text, ''),
  layout: required(layoutOrAuto),
  compute: required(dictionary('GPUProgrammableStage', stage)),
});
type Descriptor = ReturnType<typeof descriptorOf>;

/** https://www.w3.org/TR/webgpu/#abstract-opdef-device-validating-compute-pipeline-descriptor */
function checkWorkgroup(device: DeviceCore, { entry, sizes }: StageProgram, no: Fail): void {
  const { limits } = device;
  const size = entry.workgroupSize;
  if (size === null) return no(`compute: entry point "${entry.name}" has no workgroup size`);
  const what = `compute: entry point "${entry.name}": @workgroup_size(${size.join(', ')})`;
  (['X', 'Y', 'Z'] as const).forEach((axis, i) => {
    const name = `maxComputeWorkgroupSize${axis}` as const;
    if (size[i]! > limits[name]) no(`${what}: ${size[i]} exceeds ${limitText(limits, name)}`);
  });
  const [x, y, z] = size;
  const all = x * y * z;
  if (all > limits.maxComputeInvocationsPerWorkgroup)
    no(`${what}: ${all} invocations exceed ${limitText(limits, 'maxComputeInvocationsPerWorkgroup')}`);
  const subgroup = entry.subgroupSize;
  if (subgroup !== null && subgroup !== SUBGROUP_SIZE)
    no(`${what}: @subgroup_size(${subgroup}) is not this device's subgroup size, ${SUBGROUP_SIZE}`);
  if (subgroup !== null && x % subgroup !== 0)
    no(`${what}: ${x} invocations in x are not a multiple of @subgroup_size(${subgroup})`);
  const bytes = sizes.workgroup;
  if (bytes > limits.maxComputeWorkgroupStorageSize) {
    const most = limitText(limits, 'maxComputeWorkgroupStorageSize');
    no(`compute: entry point "${entry.name}": workgroup variables take ${bytes} bytes, more than ${most}`);
  }
}

/** Validates the whole descriptor in the first step, then returns the parts of the pipeline. */
function* building(device: DeviceCore, d: Descriptor, call: CreationCall['call']): Steps<ComputeParts> {
  const who = { called: describe('ComputePipeline', d.label), call };
  const no: Fail = (message) => refuse(who, call, message);
  const program = stageProgram('compute', d.compute, who, device, no);
  checkWorkgroup(device, program, no);
  const programs = [program];
  const groups = groupsOf(device, d, programs, who, no);
  const immediates = immediateWords(programs, { device, layout: d.layout }, no);
  const store = yield* compiling(device, d, program);
  const indexing = indexingOf(program);
  return {
    store,
    groups,
    uncheckedBufferSizes: uncheckedBufferSizes(groups, programs),
    immediates,
    indexing,
    slots: [],
  };
}

function* compiling(device: DeviceCore, d: Descriptor, stage: StageProgram): Steps<ComputePipelineStore> {
  const { render, features } = device;
  const { program: module } = d.compute.module;
  const { pipelineCache: cache } = render;
  if (cache === null) {
    const program = yield* module.lowering(stage.resolved);
    return yield* render.createComputePipeline({ label: d.label, program }, null);
  }
  // With statistics, shaders count their operations.
  const counts = features.has('statistics') ? 'counts' : '';
  const key = cache.key('compute pipeline', counts, stageKey(d.compute, stage));
  const whole = (): CachedCompute => {
    const program = module.lower(stage.resolved);
    return { program, linked: cache.linkCompute(program) };
  };
  const found = cache.findCompute(key, whole);
  const program = found?.program ?? (yield* module.lowering(stage.resolved));
  const source = { key, linked: found?.linked ?? null };
  return yield* render.createComputePipeline({ label: d.label, program }, source);
}

export function createComputePipeline(device: DeviceCore, value: unknown): object {
  const call = 'createComputePipeline';
  const d = descriptorOf(value, `${call}: descriptor`);
  const parts = createSync(device, { called: describe('ComputePipeline', d.label), call }, () => {
    const built = finish(building(device, d, call));
    device.render.compile(built.store);
    return built;
  });
  return computePipelineSlot.make(new ComputePipelineCore(device, d.label, parts));
}

export function createComputePipelineAsync(device: DeviceCore, value: unknown): Promise<object> {
  const call = 'createComputePipelineAsync';
  return promising(async () => {
    const d = descriptorOf(value, `${call}: descriptor`);
    const parts = await createInSlices(device, async () => {
      const built = await device.engine.runInSlices(building(device, d, call));
      await device.render.prepare(built.store);
      return built;
    });
    return computePipelineSlot.make(new ComputePipelineCore(device, d.label, parts));
  });
}
