// From a draw command to a DRAW record: what the pipeline's template leaves open.
import { Attribute, Draw, Resource, Stage } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { IrResource } from '../ir';
import { vertexFormatNumber } from './enums';
import type { CommandMemory } from './command-memory';
import type { IndexRanges, IndexUse } from './index-ranges';
import type { Pipeline } from './pipeline';
import type { StageProgram } from './stage-program';
import type { BoundGroup, BoundResource, DrawCommand, DrawState } from './types';
import { type Sampler, type View } from './views';

/** Counts of one draw, after indirect buffers were read. */
export interface DrawCounts {
  readonly count: number;
  readonly instanceCount: number;
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
}

/** Records shared by consecutive draws with the same state. */
export interface StateRecords {
  readonly state: DrawState;
  /** DRAW record without counts. */
  readonly record: number;
}

/** Addresses of a STAGE's program, resource table and uniform block; zeros where the pipeline has no such stage. */
interface BoundStage { readonly program: number; readonly resources: number; readonly uniforms: number }
const NO_STAGE: BoundStage = { program: 0, resources: 0, uniforms: 0 };

/** The stages of a pipeline with the same groups bound. */
interface Bound {
  readonly pipeline: Pipeline;
  readonly groups: DrawState['groups'];
  readonly vertex: BoundStage;
  readonly fragment: BoundStage;
}

/** The vertex buffers of a pipeline: addresses of its table of attributes and of where its varyings come from. */
interface Fetched {
  readonly pipeline: Pipeline;
  readonly buffers: DrawState['vertexBuffers'];
  readonly attributes: number;
  readonly sources: number;
}

export class DrawRecords {
  private bound: Bound | null = null;
  private fetched: Fetched | null = null;

  /** `runPrologue` fills a uniform block; all arguments are addresses. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly commands: CommandMemory,
    private readonly ranges: IndexRanges,
    private readonly runPrologue: (program: number, resources: number, block: number) => void,
  ) {}

  /** Everything but the counts. */
  state(state: DrawState): StateRecords {
    const pipeline = state.pipeline as Pipeline;
    const bound = this.bound?.pipeline === pipeline && sameGroups(this.bound.groups, state.groups)
      ? this.bound
      : this.bind(pipeline, state);
    this.bound = bound;
    const { attributes, sources } = this.fetched = this.fetch(pipeline, state);
    const record = this.commands.take(Draw.bytes);
    new Uint8Array(this.memory.buffer, record, Draw.bytes).set(pipeline.template);
    const view = new DataView(this.memory.buffer, record, Draw.bytes);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    for (const [stage, { program, uniforms, resources }] of [
      [Draw.vertex, bound.vertex], [Draw.fragment, bound.fragment],
    ] as const) {
      put(stage + Stage.program, program);
      put(stage + Stage.uniforms, uniforms);
      put(stage + Stage.resources, resources);
    }
    // A table is one pipeline's with one set of groups: its address names them.
    put(Draw.shading, bound.fragment.resources);
    put(Draw.attributeCount, pipeline.attributes.length);
    put(Draw.attributes, attributes);
    put(Draw.varyingSources, sources);
    put(Draw.stencilReference, state.stencilReference | 0);
    state.viewport.forEach((value, i) => view.setFloat32(Draw.viewport + i * 4, value, true));
    const [x, y, width, height] = state.scissor;
    [x, y, x + width, y + height].forEach((value, i) => put(Draw.scissor + i * 4, value));
    state.blendConstant.forEach((value, i) => view.setFloat32(Draw.blendConstant + i * 4, value, true));
    return { state, record };
  }

  /** A DRAW record of its own for each draw, since triangles point at it. `use`: of the indices it reads. */
  draw(shared: StateRecords, command: DrawCommand, counts: DrawCounts, use: IndexUse | null): number {
    for (const stage of (command.state.pipeline as Pipeline).stages) stage.runs++;
    const record = this.commands.take(Draw.bytes);
    new Uint8Array(this.memory.buffer).copyWithin(record, shared.record, shared.record + Draw.bytes);
    const view = new DataView(this.memory.buffer, record, Draw.bytes);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    put(Draw.count, counts.count);
    put(Draw.instanceCount, counts.instanceCount);
    put(Draw.firstInstance, counts.firstInstance);
    const index = command.state.index;
    if (command.indexed && index) {
      const start = Math.min(counts.first * index.bytes, index.size);
      put(Draw.indexBytes, index.bytes);
      put(Draw.indexAddress, index.buffer.address + index.offset + start);
      put(Draw.indexLimit, Math.floor((index.size - start) / index.bytes));
      put(Draw.baseVertex, counts.baseVertex);
      put(Draw.rangeFirst, use?.first ?? 0);
      put(Draw.rangeCount, use?.count ?? 0);
      put(Draw.distinct, use?.distinct ?? 0);
    } else {
      put(Draw.indexBytes, 0);
      put(Draw.baseVertex, counts.first);
    }
    return record;
  }

  /** The last draws' tables, where this one has the same vertex buffers. */
  private fetch(pipeline: Pipeline, state: DrawState): Fetched {
    const last = this.fetched, buffers = state.vertexBuffers;
    if (last?.pipeline === pipeline && last.buffers.length === buffers.length
      && last.buffers.every((buffer, slot) => buffer === buffers[slot])) return last;
    const sources = this.commands.take(Math.max(4, pipeline.varyingSources.byteLength));
    new Int32Array(this.memory.buffer, sources, pipeline.varyingSources.length).set(pipeline.varyingSources);
    return { pipeline, buffers, attributes: this.attributes(pipeline, state), sources };
  }

  private bind(pipeline: Pipeline, state: DrawState): Bound {
    const vertex = pipeline.geometry[0]!, fragment = pipeline.pixel[0];
    return {
      pipeline, groups: state.groups, vertex: this.bindStage(vertex, state),
      fragment: fragment ? this.bindStage(fragment, state) : NO_STAGE,
    };
  }

  private bindStage(stage: StageProgram, state: DrawState): BoundStage {
    const resources = this.resources(stage.resources, state);
    return { program: stage.memory.address, resources, uniforms: this.uniforms(stage, resources) };
  }

  /** What is known of the draw's indices. */
  indexUse(command: DrawCommand, counts: DrawCounts): IndexUse | null {
    const { index, pipeline } = command.state;
    if (!command.indexed || !index || pipeline.state.primitive.topology !== 'triangle-list') return null;
    if ((counts.first + counts.count) * index.bytes > index.size) return null;
    return this.ranges.of(index.buffer, index.offset + counts.first * index.bytes, counts.count, index.bytes);
  }

  private resources(resources: readonly IrResource[], state: DrawState): number {
    const table = this.commands.take(Math.max(Resource.bytes, resources.length * Resource.bytes));
    const u32 = new Uint32Array(this.memory.buffer, table, resources.length * 2);
    resources.forEach((resource, i) => {
      const group = state.groups[resource.group];
      const bound = group?.group.entries.get(resource.binding);
      if (!group || !bound) unreachable(`render: group ${resource.group} binding ${resource.binding} is not bound`);
      const [address, size] = boundRange(bound, group.dynamicOffsets?.get(resource.binding) ?? 0);
      u32[i * 2 + Resource.address / 4] = address;
      u32[i * 2 + Resource.size / 4] = size;
    });
    return table;
  }

  private uniforms(stage: StageProgram, resources: number): number {
    const block = this.commands.take(Math.max(4, stage.uniforms * 4));
    this.runPrologue(stage.memory.address, resources, block);
    return block;
  }

  private attributes(pipeline: Pipeline, state: DrawState): number {
    const table = this.commands.take(Math.max(16, pipeline.attributes.length * Attribute.bytes));
    const i32 = new Int32Array(this.memory.buffer, table, pipeline.attributes.length * (Attribute.bytes / 4));
    pipeline.attributes.forEach((attribute, i) => {
      const bound = state.vertexBuffers[attribute.slot];
      const put = (field: number, value: number): void => { i32[(i * Attribute.bytes + field) / 4] = value; };
      put(Attribute.address, bound ? bound.buffer.address + bound.offset + attribute.offset : 0);
      put(Attribute.limit, bound ? Math.max(0, bound.size - attribute.offset) : 0);
      put(Attribute.stride, attribute.stride);
      put(Attribute.perInstance, attribute.perInstance ? 1 : 0);
      put(Attribute.format, vertexFormatNumber[attribute.format]);
      attribute.registers.forEach((register, component) => put(Attribute.registers + component * 4, register));
    });
    return table;
  }
}

/** Whether draws with these groups read the same resources. */
function sameGroups(a: DrawState['groups'], b: DrawState['groups']): boolean {
  return a.length === b.length && a.every((bound, i) => {
    const other = b[i] ?? null;
    return bound === other
      || (bound !== null && other !== null && bound.group === other.group
        && sameOffsets(bound.dynamicOffsets, other.dynamicOffsets));
  });
}

function sameOffsets(a: BoundGroup['dynamicOffsets'], b: BoundGroup['dynamicOffsets']): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every(([binding, offset]) => b.get(binding) === offset);
}

function boundRange(bound: BoundResource, dynamicOffset: number): [number, number] {
  if (bound.kind === 'buffer') {
    return [bound.buffer.address + bound.offset + dynamicOffset, bound.size];
  }
  if (bound.kind === 'surface') return [(bound.view as View).surface, 0];
  if (bound.kind === 'texture') return [(bound.view as View).address, 0];
  return [(bound.sampler as Sampler).address, 0];
}
