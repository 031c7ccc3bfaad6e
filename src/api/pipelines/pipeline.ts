// GPURenderPipeline: https://www.w3.org/TR/webgpu/#render-pipeline

import { chain, pathsOf, type Emission, type PatchStage, type StageShader } from '../../mpipe';
import type {
  BufferSinkState,
  InputTopology,
  FragmentShader,
  OutputState,
  PipelineShaders,
  PipelineState,
  PipelineStore,
  TargetState,
} from '../../render/types';
import { isNamed } from '../../base/errors';
import { finish, type Steps } from '../../base/steps';
import { BindGroupLayoutCore, bindGroupLayoutSlot } from '../resources/bind-layout';
import {
  ApiObject,
  Refusal,
  describe,
  freeWithCore,
  refuse,
  requireUsable,
  type DeviceCore,
  type Fail,
  type Named,
} from '../core/device-core';
import { GPUPipelineError } from '../core/errors';
import { needArguments, promising, u32 } from '../idl/idl';
import { immediateWords, type ImmediateWords } from './immediates';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import {
  checkAlphaStage,
  checkStored,
  fragmentProgram,
  compileFragment,
  type FragmentPart,
  type FragmentProgram,
} from './fragment-stages';
import {
  checkDepthStencil,
  checkDestinations,
  checkFragment,
  checkInterStage,
  checkMultisample,
  checkPrimitive,
  checkVertexBuffers,
  checkVertexInputs,
  located,
  scalarOf,
} from './pipeline-checks';
import {
  renderPipelineDescriptor,
  requireOutputFormats,
  type FragmentDescriptor,
  type RenderPipelineDescriptor,
  type StageDescriptor,
} from './pipeline-descriptor';
import {
  checkLayout,
  defaultLayout,
  uncheckedBufferSizes,
  writesSurfaces,
  type UncheckedBufferSize,
  type StageProgram,
} from './pipeline-layout';
import { checkPixelOrder, requireProcessingOrder } from '../extensions/processing-order';
import { shadersOf } from './pipeline-source';
import { vertexFormatInfo } from './vertex-format';

/** Properties of a vertex buffer slot that draw calls validate. */
interface SlotNeeds {
  readonly slot: number;
  readonly arrayStride: number;
  readonly perInstance: boolean;
  /** End of the last attribute within an element, in bytes. */
  readonly lastEnd: number;
}

export interface PipelineParts {
  readonly state: PipelineState;
  readonly store: PipelineStore;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly uncheckedBufferSizes: readonly UncheckedBufferSize[];
  readonly immediates: ImmediateWords;
  readonly slots: readonly SlotNeeds[];
  readonly stripIndexFormat: GPUIndexFormat | undefined;
}

/** A buffer sink with its number and the stages that lead to it. */
export interface BufferEnd {
  readonly number: number;
  readonly stages: readonly StageShader[];
  readonly buffer: BufferSinkState;
}

export class RenderPipelineCore extends ApiObject {
  readonly #parts: PipelineParts | null;
  /** Raster and buffer ends of the pipeline, one for each path that leads to them. */
  readonly outputs: readonly OutputState[];
  readonly buffers: readonly BufferEnd[];
  /** `kind` is the name of the object's type in messages. */
  constructor(device: DeviceCore, label: string, parts: PipelineParts | null, kind = 'RenderPipeline') {
    super(device, kind, label, parts !== null);
    this.#parts = parts;
    const paths = parts ? pathsOf(parts.state.tree) : [];
    this.outputs = paths.flatMap(({ leaf }) => (leaf.kind === 'raster' ? leaf.output : []));
    this.buffers = paths.flatMap(({ stages, leaf }) => (leaf.kind === 'buffer' ? [{ ...leaf, stages }] : []));
    if (parts !== null) freeWithCore(this, parts.store, parts.store.bytes);
  }
  /** Throws for invalid pipelines. */
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
class GPURenderPipeline {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = renderPipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')).clone());
  }
}
exposeLabelled('GPURenderPipeline', GPURenderPipeline, renderPipelineSlot);

/** The pipeline and the call that creates it, for messages. */
export interface CreationCall extends Named {
  readonly call: string;
}

/** Returns the entry point of a stage, with the values of pipeline constants. */
export function stageProgram(
  stage: StageProgram['stage'],
  d: StageDescriptor,
  who: CreationCall,
  device: DeviceCore,
  no: Fail
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
  entries: readonly NamedEntry[],
  stage: string,
  name: string | undefined,
  at: string,
  no: Fail
): string {
  const fitting = entries.filter((entry) => entry.stage === stage).map((entry) => entry.name);
  const names =
    fitting.length === 0
      ? `it has no @${stage} entry point`
      : `its @${stage} entry points are ${fitting.map((n) => `"${n}"`).join(', ')}`;
  if (name === undefined) return fitting.length === 1 ? fitting[0]! : no(`${at}: entryPoint is omitted, but ${names}`);
  if (fitting.includes(name)) return name;
  const other = entries.find((entry) => entry.name === name);
  return no(
    other === undefined
      ? `${at} has no entry point "${name}"; ${names}`
      : `${at}: entry point "${name}" is @${other.stage}, not @${stage}; ${names}`
  );
}

/** Validates the whole descriptor in the first step, then returns the parts of the pipeline. */
function* building(device: DeviceCore, d: RenderPipelineDescriptor, call: CreationCall['call']): Steps<PipelineParts> {
  const who = { called: describe('RenderPipeline', d.label), call };
  const no: Fail = (message) => refuse(who, call, message);
  const vertex = stageProgram('vertex', d.vertex, who, device, no);
  const fragment = d.fragment === null ? null : fragmentOf(d.fragment, who, device, no);
  checkVertexInputs(vertex.entry, checkVertexBuffers(device, d.vertex.buffers, 'vertex.buffers', no), no);
  if (!vertex.entry.outputs.some(({ io }) => io.builtin === 'position'))
    no(`vertex: entry point "${vertex.entry.name}" writes no @builtin(position)`);
  checkPrimitive(device, d, no);
  checkInterStage(device, d, vertex.entry, fragment, no);
  if (d.depthStencil !== null) checkDepthStencil(d, d.depthStencil, no);
  checkFragmentOutput(device, d, fragment, no);
  const programs = [vertex, ...(fragment?.stages ?? [])];
  const groups = layoutGroups(device, d, d.vertex.buffers.length, programs, who, no);
  const immediates = immediateWords(programs, { device, layout: d.layout }, no);
  const { state, store } = yield* compiling(device, d, vertex, fragment, no);
  return {
    state,
    store,
    groups,
    uncheckedBufferSizes: uncheckedBufferSizes(groups, programs),
    immediates,
    slots: slotsOf(d.vertex.buffers),
    stripIndexFormat: d.primitive.stripIndexFormat,
  };
}

function* compiling(
  device: DeviceCore,
  d: RenderPipelineDescriptor,
  vertex: StageProgram,
  fragment: FragmentProgram | null,
  no: Fail
): Steps<Pick<PipelineParts, 'state' | 'store'>> {
  const hasRates = device.features.has('shading-rate');
  const compile = function* (): Steps<PipelineShaders> {
    const program = yield* compileStageProgram(d.vertex, vertex);
    return {
      vertex: program,
      fragment: fragment && (yield* compileFragment(device, fragment, d, compilePart, hasRates, no)),
    };
  };
  const stateOf = (shaders: PipelineShaders): PipelineState => renderState(d, shaders);
  const { shaders, source } = yield* shadersOf(device, d, { vertex, fragment }, compile, stateOf);
  const state = stateOf(shaders);
  if (d.processingOrder !== 'auto') requireProcessingOrder(device, 'processingOrder', no);
  const store = yield* device.render.createPipeline(state, source);
  checkPixelOrder(store, 'processingOrder', no);
  return { state, store };
}

function renderState(d: RenderPipelineDescriptor, { vertex, fragment }: PipelineShaders): PipelineState {
  const output = outputState(d, fragment);
  return {
    ...output,
    label: d.label,
    processingOrder: { pixel: d.processingOrder },
    buffers: d.vertex.buffers,
    source: null,
    tree: chain([vertex], { number: 0, kind: 'raster', output }),
  };
}

/** Returns the entry points of a fragment state. */
export function fragmentOf(d: FragmentDescriptor, who: CreationCall, device: DeviceCore, no: Fail): FragmentProgram {
  return fragmentProgram(device, d, (part) => stageProgram('fragment', part as StageDescriptor, who, device, no), no);
}

export function compilePart({ d, stage }: FragmentPart): Steps<StageShader> {
  return compileStageProgram(d as StageDescriptor, stage);
}

/** Requires that the outputs of the fragment shader match the state after it. */
export function checkFragmentOutput(
  device: DeviceCore,
  d: Pick<RenderPipelineDescriptor, 'fragment' | 'depthStencil' | 'multisample'>,
  fragment: FragmentProgram | null,
  no: Fail
): void {
  const entry = fragment?.entry ?? null;
  checkFragment(device, d, entry, fragment?.stages.some(writesSurfaces) ?? false, no);
  checkMultisample(device, d, entry, no);
  if (fragment === null) return;
  for (const { entry: each } of fragment.stages) checkDestinations(d.fragment?.targets ?? [], each, no);
  checkStored(d, fragment, no);
  if (d.multisample.alphaToCoverageEnabled) checkAlphaStage(fragment, no);
}

/** Compiles an entry point to IR, and finds its inputs that are single floats. */
export function* compileStageProgram(
  { module }: StageDescriptor,
  { resolved, entry }: StageProgram,
  emission: Emission | null = null,
  patch: PatchStage | null = null
): Steps<StageShader> {
  const program = yield* module.program.lowering(resolved);
  const scalars = located(entry.inputs).filter(({ type }) => type.kind === 'scalar' && scalarOf(type) === 'f32');
  const locationsOf = (points: boolean): Set<number> =>
    new Set(
      scalars
        .filter(({ parameter }) => (patch?.kind === 'evaluation' && parameter === entry.cornersParameter) === points)
        .map(({ io }) => io.location)
    );
  return { program, scalars: locationsOf(false), pointScalars: locationsOf(true), emission, patch };
}

/** Returns the bind group layouts. `buffers` is the number of vertex buffers. */
export function layoutGroups(
  device: DeviceCore,
  d: Pick<RenderPipelineDescriptor, 'layout'>,
  buffers: number,
  programs: readonly StageProgram[],
  who: CreationCall,
  no: Fail
): readonly (BindGroupLayoutCore | null)[] {
  const groups = groupsOf(device, d, programs, who, no);
  const { maxBindGroupsPlusVertexBuffers: most } = device.limits;
  if (groups.length + buffers > most)
    no(`${groups.length} bind groups and ${buffers} vertex buffers exceed maxBindGroupsPlusVertexBuffers ${most}`);
  return groups;
}

export function groupsOf(
  device: DeviceCore,
  d: Pick<RenderPipelineDescriptor, 'layout'>,
  programs: readonly StageProgram[],
  who: CreationCall,
  no: Fail
): readonly (BindGroupLayoutCore | null)[] {
  if (d.layout === 'auto') return defaultLayout(device, programs, who, who.call, no);
  requireUsable(d.layout, who, device, who.call);
  checkLayout(d.layout.groups, programs, no);
  return d.layout.groups;
}

type VertexBuffers = RenderPipelineDescriptor['vertex']['buffers'];

export function slotsOf(buffers: VertexBuffers): SlotNeeds[] {
  return buffers.flatMap((buffer, slot) => {
    if (buffer === null) return [];
    const lastEnd = buffer.attributes.reduce(
      (end, { offset, format }) => Math.max(end, offset + vertexFormatInfo(format).bytes),
      0
    );
    return [{ slot, arrayStride: buffer.arrayStride, perInstance: buffer.stepMode === 'instance', lastEnd }];
  });
}

/** State of the stages after the vertex stages; `topology` is the assembled topology. */
export type OutputDescriptor = Pick<RenderPipelineDescriptor, 'label' | 'depthStencil' | 'multisample' | 'fragment'> & {
  readonly primitive: Omit<RenderPipelineDescriptor['primitive'], 'topology'> & { readonly topology: InputTopology };
};

export function outputState(d: OutputDescriptor, fragment: FragmentShader | null): OutputState {
  const depth = d.depthStencil;
  const { stripIndexFormat: _, ...primitive } = d.primitive;
  const blends = fragment?.blends ?? false;
  return {
    fragment: fragment?.table ?? null,
    staged: fragment?.staged ?? null,
    isUnordered: d.fragment?.interlock === 'unordered',
    primitive,
    // Shaders with a second source perform the blending themselves.
    targets: (d.fragment?.targets ?? []).map(
      (target) => target && { ...target, blend: blends ? null : (target.blend as TargetState['blend']) }
    ),
    depthStencil:
      depth === null
        ? null
        : {
            ...depth,
            depthWriteEnabled: depth.depthWriteEnabled ?? false,
            depthCompare: depth.depthCompare ?? 'always',
          },
    multisample: {
      count: d.multisample.count,
      mask: d.multisample.mask,
      alphaToCoverageEnabled: d.multisample.alphaToCoverageEnabled && !blends,
    },
  };
}

/** Creates a pipeline synchronously and reports errors; returns null if there were any. */
export function createSync<T>(device: DeviceCore, who: CreationCall, make: () => T): T | null {
  device.render.hints.onShaders();
  const made = device.guard(() => {
    try {
      return device.isLost ? null : make();
    } catch (error) {
      if (!isNamed(error, 'ProgramTooLargeError')) throw error;
      device.report('internal', `${who.called} ${who.call}: ${error.message}`);
      return null;
    }
  });
  return made ?? null;
}

/** Creates a pipeline in time slices and rejects with its error; resolves to null if the device is lost. */
export async function createInSlices<T>(device: DeviceCore, make: () => Promise<T>): Promise<T | null> {
  try {
    return device.isLost ? null : await make();
  } catch (error) {
    if (error instanceof Refusal) throw new GPUPipelineError(error.message, { reason: 'validation' });
    if (isNamed(error, 'ProgramTooLargeError') || isNamed(error, 'OutOfMemoryError'))
      throw new GPUPipelineError(error.message, { reason: 'internal' });
    throw error;
  }
}

export function createRenderPipeline(device: DeviceCore, value: unknown): object {
  const call = 'createRenderPipeline';
  const d = renderPipelineDescriptor(value, `${call}: descriptor`);
  requireOutputFormats(device, call, d);
  const parts = createSync(device, { called: describe('RenderPipeline', d.label), call }, () => {
    const built = finish(building(device, d, call));
    device.render.compile(built.store);
    return built;
  });
  return renderPipelineSlot.make(new RenderPipelineCore(device, d.label, parts));
}

export function createRenderPipelineAsync(device: DeviceCore, value: unknown): Promise<object> {
  const call = 'createRenderPipelineAsync';
  return promising(async () => {
    const d = renderPipelineDescriptor(value, `${call}: descriptor`);
    requireOutputFormats(device, call, d);
    const parts = await createInSlices(device, async () => {
      const built = await device.engine.runInSlices(building(device, d, call));
      await device.render.prepare(built.store);
      return built;
    });
    return renderPipelineSlot.make(new RenderPipelineCore(device, d.label, parts));
  });
}
