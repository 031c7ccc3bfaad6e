// GPURenderPipeline: https://www.w3.org/TR/webgpu/#render-pipeline

import type { PipelineState, PipelineStore } from '../render/types';
import { ProgramTooLargeError } from '../base/lost';
import { finish, type Steps } from '../base/steps';
import { OutOfMemoryError } from '../memory';
import { BindGroupLayoutCore, bindGroupLayoutSlot } from './bind-layout';
import { ApiObject, Refusal, describe, freeWithCore, refuse, requireUsable, type DeviceCore } from './device-core';
import { GPUPipelineError } from './errors';
import { needArguments, promising, u32 } from './idl';
import { constructing, exposeLabelled, slot } from './interface';
import {
  checkDepthStencil, checkFragment, checkInterStage, checkMultisample, checkPrimitive, checkVertexBuffers, type No,
} from './pipeline-checks';
import { renderPipelineDescriptor, type RenderPipelineDescriptor, type StageDescriptor } from './pipeline-descriptor';
import { withoutOverflowing } from './front-end';
import {
  checkLayout, defaultLayout, lateSizes, writesSurfaces, type LateSize, type StageProgram,
} from './pipeline-layout';
import { inTurns } from '../schedule';
import { vertexFormatInfo } from './vertex-format';

/** What draws check a vertex buffer slot against. */
export interface SlotNeeds {
  readonly slot: number;
  readonly arrayStride: number;
  readonly perInstance: boolean;
  /** End of the last attribute in an element. */
  readonly lastEnd: number;
}

export interface PipelineParts {
  readonly state: PipelineState;
  readonly store: PipelineStore;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly lateSizes: readonly LateSize[];
  readonly slots: readonly SlotNeeds[];
  readonly stripIndexFormat: GPUIndexFormat | undefined;
}

export class RenderPipelineCore extends ApiObject {
  readonly #parts: PipelineParts | null;
  constructor(device: DeviceCore, label: string, parts: PipelineParts | null) {
    super(device, 'RenderPipeline', label, parts !== null);
    this.#parts = parts;
    if (parts !== null) freeWithCore(this, parts.store, parts.store.bytes);
  }
  /** Only of valid pipelines. */
  get parts(): PipelineParts {
    if (this.#parts === null) throw new TypeError('an invalid pipeline has no parts');
    return this.#parts;
  }
  group(index: number): BindGroupLayoutCore {
    const layout = this.device.guard(() => {
      requireUsable(this, this, this.device, 'getBindGroupLayout');
      const { maxBindGroups } = this.device.limits;
      if (index >= maxBindGroups)
        refuse(this, 'getBindGroupLayout', `index ${index} must be less than maxBindGroups ${maxBindGroups}`);
      return this.parts.groups[index] ?? new BindGroupLayoutCore(this.device, '', [], 0, true);
    });
    return layout ?? new BindGroupLayoutCore(this.device, '', [], 0, false);
  }
}
export const renderPipelineSlot = slot<RenderPipelineCore>('GPURenderPipeline');
export class GPURenderPipeline {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = renderPipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')));
  }
}
exposeLabelled('GPURenderPipeline', GPURenderPipeline, renderPipelineSlot);

/** What a message names: the pipeline, and the call that makes it. */
interface Making {
  readonly called: string;
  readonly call: 'createRenderPipeline' | 'createRenderPipelineAsync';
}

/** The entry point that a stage means, with constants put in. */
function stageProgram(
  stage: 'vertex' | 'fragment', d: StageDescriptor, who: Making, device: DeviceCore, no: No
): StageProgram {
  requireUsable(d.module, who, device, who.call);
  const { program } = d.module;
  const name = findEntry(program.checked.entryPoints, stage, d.entryPoint, `${stage}: ${d.module.called}`, no);
  const resolved = program.resolve(name, d.constants ?? new Map());
  if (typeof resolved === 'string') return no(`${stage}: ${d.module.called}: ${resolved}`);
  return { resolved, ...resolved, stage };
}

interface NamedEntry {
  readonly name: string;
  readonly stage: string;
}
function findEntry(
  entries: readonly NamedEntry[], stage: string, name: string | undefined, at: string, no: No
): string {
  const fitting = entries.filter((entry) => entry.stage === stage).map((entry) => entry.name);
  const names = fitting.length === 0
    ? `it has no @${stage} entry point`
    : `its @${stage} entry points are ${fitting.map((n) => `"${n}"`).join(', ')}`;
  if (name === undefined) return fitting.length === 1 ? fitting[0]! : no(`${at}: entryPoint is left out, but ${names}`);
  if (fitting.includes(name)) return name;
  const other = entries.find((entry) => entry.name === name);
  return no(
    other === undefined
      ? `${at} has no entry point "${name}"; ${names}`
      : `${at}: entry point "${name}" is @${other.stage}, not @${stage}; ${names}`
  );
}

/** All rules of the descriptor, in the first step; the parts of the pipeline when they hold. */
function* building(device: DeviceCore, d: RenderPipelineDescriptor, call: Making['call']): Steps<PipelineParts> {
  const who = { called: describe('RenderPipeline', d.label), call };
  const no: No = (message) => refuse(who, call, message);
  const vertex = stageProgram('vertex', d.vertex, who, device, no);
  const fragment = d.fragment === null ? null : stageProgram('fragment', d.fragment, who, device, no);
  checkVertexBuffers(device, d, vertex.entry, no);
  checkPrimitive(device, d, no);
  checkInterStage(device, d, vertex.entry, fragment?.entry ?? null, no);
  if (d.depthStencil !== null) checkDepthStencil(d, d.depthStencil, no);
  checkFragment(device, d, fragment?.entry ?? null, fragment !== null && writesSurfaces(fragment), no);
  checkMultisample(device, d, fragment?.entry ?? null, no);
  const programs = fragment === null ? [vertex] : [vertex, fragment];
  const groups = layoutGroups(device, d, programs, who, no);
  const used = groups.length + d.vertex.buffers.length;
  const { maxBindGroupsPlusVertexBuffers: most } = device.limits;
  if (used > most)
    no(
      `${groups.length} bind groups and ${d.vertex.buffers.length} vertex buffers exceed maxBindGroupsPlusVertexBuffers ${most}`
    );
  const { state, store } = yield* withoutOverflowing(compiling(device, d, vertex, fragment));
  return {
    state, store, groups, lateSizes: lateSizes(groups, programs), slots: slotsOf(d),
    stripIndexFormat: d.primitive.stripIndexFormat,
  };
}

function* compiling(
  device: DeviceCore, d: RenderPipelineDescriptor, vertex: StageProgram, fragment: StageProgram | null
): Steps<Pick<PipelineParts, 'state' | 'store'>> {
  const programs = {
    vertex: yield* d.vertex.module.program.lowering(vertex.resolved),
    fragment: d.fragment && fragment ? yield* d.fragment.module.program.lowering(fragment.resolved) : null,
  };
  const state = stateOf(d, programs);
  return { state, store: yield* device.render.createPipeline(state) };
}

function layoutGroups(
  device: DeviceCore, d: RenderPipelineDescriptor, programs: readonly StageProgram[], who: Making, no: No
): readonly (BindGroupLayoutCore | null)[] {
  if (d.layout === 'auto') return defaultLayout(device, programs, who, who.call, no);
  requireUsable(d.layout, who, device, who.call);
  checkLayout(d.layout.groups, programs, no);
  return d.layout.groups;
}

function slotsOf(d: RenderPipelineDescriptor): SlotNeeds[] {
  return d.vertex.buffers.flatMap((buffer, slot) => {
    if (buffer === null) return [];
    const lastEnd = buffer.attributes.reduce((end, { offset, format }) => Math.max(
      end, offset + vertexFormatInfo(format).bytes
    ), 0);
    return [{ slot, arrayStride: buffer.arrayStride, perInstance: buffer.stepMode === 'instance', lastEnd }];
  });
}

function stateOf(
  d: RenderPipelineDescriptor, programs: Pick<PipelineState, 'vertex' | 'fragment'>
): PipelineState {
  const depth = d.depthStencil;
  const { stripIndexFormat: _, ...primitive } = d.primitive;
  return {
    label: d.label, ...programs, buffers: d.vertex.buffers, targets: d.fragment?.targets ?? [], primitive,
    depthStencil: depth === null
      ? null
      : { ...depth, depthWriteEnabled: depth.depthWriteEnabled ?? false, depthCompare: depth.depthCompare ?? 'always' },
    multisample: {
      count: d.multisample.count, mask: d.multisample.mask,
      alphaToCoverageEnabled: d.multisample.alphaToCoverageEnabled,
    },
  };
}

export function createRenderPipeline(device: DeviceCore, value: unknown): object {
  const d = renderPipelineDescriptor(value, 'createRenderPipeline: descriptor');
  const parts = device.guard(() => {
    try {
      if (device.isLost) return null;
      const built = finish(building(device, d, 'createRenderPipeline'));
      device.render.compile(built.store);
      return built;
    } catch (error) {
      if (!(error instanceof ProgramTooLargeError)) throw error;
      device.report('internal', `${describe('RenderPipeline', d.label)} createRenderPipeline: ${error.message}`);
      return null;
    }
  });
  return renderPipelineSlot.make(new RenderPipelineCore(device, d.label, parts ?? null));
}

export function createRenderPipelineAsync(device: DeviceCore, value: unknown): Promise<object> {
  return promising(async () => {
    const d = renderPipelineDescriptor(value, 'createRenderPipelineAsync: descriptor');
    try {
      const parts = device.isLost ? null : await inTurns(building(device, d, 'createRenderPipelineAsync'));
      if (parts !== null) await device.render.prepare(parts.store);
      return renderPipelineSlot.make(new RenderPipelineCore(device, d.label, parts));
    } catch (error) {
      if (error instanceof Refusal) throw new GPUPipelineError(error.message, { reason: 'validation' });
      if (error instanceof ProgramTooLargeError || error instanceof OutOfMemoryError)
        throw new GPUPipelineError(error.message, { reason: 'internal' });
      throw error;
    }
  });
}
