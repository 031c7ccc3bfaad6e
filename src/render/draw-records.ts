// From a draw command to a DRAW record: what the pipeline's template leaves open.
import { DRAW_FLAG_DEFERRED, DRAW_FLAG_LATE_DEPTH } from '../../assembly/layout/draw-codes';
import { Attribute, Draw, Resource, Stage } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { IrResource } from '../ir';
import { vertexFormatNumber } from './enums';
import type { CommandMemory } from './command-memory';
import type { IndexRanges, IndexUse } from './index-ranges';
import type { Pipeline } from './pipeline';
import type { StageProgram } from './stage-program';
import type {
  BoundGroup, BoundResource, BufferSinkState, DrawCommand, DrawState, DynamicState, QuerySlot,
} from './types';
import { sinkWords, type PlacedStage } from './vertex-stages';
import { type Sampler, type View } from './views';

/** Counts of one draw, after indirect buffers were read. */
export interface DrawCounts {
  readonly count: number;
  readonly instanceCount: number;
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
}

/** Room of a draw in its sink. */
export interface SinkRoom {
  /** Bytes before it. */
  readonly start: number;
  /** Vertices that it may write. */
  readonly vertices: number;
  /** As Draw.sinkShare and Draw.sinkCounts: 0 where no stage emits. */
  readonly share: number;
  readonly counts: number;
}

/** Records shared by consecutive draws with the same state. */
export interface StateRecords {
  readonly state: DrawState;
  readonly dynamic: DynamicState;
  /** DRAW record: what counts it has is of no account until a draw takes it. */
  readonly record: number;
  /** Whether a draw has taken it: others then have copies. */
  taken: boolean;
}

/** Device memory in words. */
class Words {
  private buffer: ArrayBufferLike | null = null;
  u32 = new Uint32Array(0);
  f32 = new Float32Array(0);

  constructor(private readonly memory: WebAssembly.Memory) {}

  /** As large as the memory is now. */
  now(): this {
    const { buffer } = this.memory;
    if (buffer === this.buffer) return this;
    this.buffer = buffer;
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    return this;
  }
}

/** Addresses of a STAGE's program, resource table and uniform block; zeros where the pipeline has no such stage. */
interface BoundStage { readonly program: number; readonly resources: number; readonly uniforms: number }
const NO_STAGE: BoundStage = { program: 0, resources: 0, uniforms: 0 };

/** The stages of a pipeline with the same groups bound. */
interface Bound {
  readonly pipeline: Pipeline;
  readonly groups: DrawState['groups'];
  readonly vertex: BoundStage;
  /** Address of the second vertex stage; 0: there is none. */
  readonly next: number;
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
  /** STAGE records that count, of tables: of the pass so far. */
  readonly counting: { readonly pipeline: Pipeline; readonly index: number; readonly record: number }[] = [];
  private bound: Bound | null = null;
  private fetched: Fetched | null = null;
  private readonly words: Words;

  /** `runPrologue` fills a uniform block; all arguments are addresses. */
  constructor(
    memory: WebAssembly.Memory,
    private readonly commands: CommandMemory,
    private readonly ranges: IndexRanges,
    private readonly runPrologue: (program: number, resources: number, block: number) => void,
  ) {
    this.words = new Words(memory);
  }

  /** Everything but the counts. */
  state(state: DrawState, dynamic: DynamicState): StateRecords {
    const pipeline = state.pipeline as Pipeline;
    const bound = this.bound?.pipeline === pipeline && sameGroups(this.bound.groups, state.groups)
      ? this.bound
      : this.bind(pipeline, state);
    this.bound = bound;
    const { attributes, sources } = this.fetched = this.fetch(pipeline, state);
    const record = this.commands.take(pipeline.template.byteLength);
    const { u32, f32 } = this.words.now();
    u32.set(pipeline.template, record >>> 2);
    putStage(u32, record + Draw.vertex, bound.vertex);
    u32[(record + Draw.vertex + Stage.next) >>> 2] = bound.next;
    putStage(u32, record + Draw.fragment, bound.fragment);
    // A table is one pipeline's with one set of groups: its address names them.
    u32[(record + Draw.shading) >>> 2] = bound.fragment.resources;
    u32[(record + Draw.attributeCount) >>> 2] = pipeline.attributes.length;
    u32[(record + Draw.attributes) >>> 2] = attributes;
    u32[(record + Draw.varyingSources) >>> 2] = sources;
    u32[(record + Draw.stencilReference) >>> 2] = dynamic.stencilReference;
    put(f32, record + Draw.viewport, dynamic.viewport);
    const [x, y, width, height] = dynamic.scissor, scissor = (record + Draw.scissor) >>> 2;
    u32[scissor] = x;
    u32[scissor + 1] = y;
    u32[scissor + 2] = x + width;
    u32[scissor + 3] = y + height;
    put(f32, record + Draw.blendConstant, dynamic.blendConstant);
    if (dynamic.query) putQuery(u32, record, dynamic.query, pipeline);
    return { state, dynamic, record, taken: false };
  }

  /**
   * A DRAW record of its own for each draw, since triangles point at it. `use`: of the indices it reads; `room`:
   * in its sink.
   */
  draw(
    shared: StateRecords, command: DrawCommand, counts: DrawCounts, use: IndexUse | null, room: SinkRoom | null
  ): number {
    const pipeline = command.state.pipeline as Pipeline, { index } = command.state;
    for (const stage of pipeline.stages) stage.runs++;
    const record = this.ownRecord(shared, pipeline.template.byteLength), { u32 } = this.words.now();
    if (pipeline.isTable) this.counting.push({ pipeline, index: 0, record: record + Draw.vertex });
    u32[(record + Draw.count) >>> 2] = counts.count;
    u32[(record + Draw.instanceCount) >>> 2] = counts.instanceCount;
    u32[(record + Draw.firstInstance) >>> 2] = counts.firstInstance;
    u32[(record + Draw.rangeFirst) >>> 2] = use?.first ?? 0;
    u32[(record + Draw.rangeCount) >>> 2] = use?.count ?? 0;
    u32[(record + Draw.distinct) >>> 2] = use?.distinct ?? 0;
    if (command.state.sink && room) {
      const { buffer, offset, size } = command.state.sink, start = Math.min(size, room.start);
      u32[(record + Draw.sink) >>> 2] = buffer.address + offset + start;
      u32[(record + Draw.sinkBytes) >>> 2] = size - start;
      u32[(record + Draw.sinkShare) >>> 2] = room.share;
      u32[(record + Draw.sinkCounts) >>> 2] = room.counts;
    }
    if (command.indexed && index) {
      const start = Math.min(counts.first * index.bytes, index.size);
      u32[(record + Draw.indexBytes) >>> 2] = index.bytes;
      u32[(record + Draw.indexAddress) >>> 2] = index.buffer.address + index.offset + start;
      u32[(record + Draw.indexLimit) >>> 2] = Math.floor((index.size - start) / index.bytes);
      u32[(record + Draw.baseVertex) >>> 2] = counts.baseVertex;
    } else {
      u32[(record + Draw.indexBytes) >>> 2] = 0;
      u32[(record + Draw.baseVertex) >>> 2] = counts.first;
    }
    return record;
  }

  /** The state's record for its first draw, a copy for each other. */
  private ownRecord(shared: StateRecords, bytes: number): number {
    if (!shared.taken) {
      shared.taken = true;
      return shared.record;
    }
    const record = this.commands.take(bytes);
    this.words.now().u32.copyWithin(record >>> 2, shared.record >>> 2, (shared.record + bytes) >>> 2);
    return record;
  }

  /** The last draws' tables, where this one has the same vertex buffers. */
  private fetch(pipeline: Pipeline, state: DrawState): Fetched {
    const last = this.fetched, buffers = state.vertexBuffers;
    if (last?.pipeline === pipeline && last.buffers.length === buffers.length
      && last.buffers.every((buffer, slot) => buffer === buffers[slot])) return last;
    const sources = this.commands.take(Math.max(4, pipeline.varyingSources.byteLength));
    this.words.now().u32.set(pipeline.varyingSources, sources >>> 2);
    return { pipeline, buffers, attributes: this.attributes(pipeline, state), sources };
  }

  private bind(pipeline: Pipeline, state: DrawState): Bound {
    const vertex = pipeline.geometry[0]!, fragment = pipeline.pixel[0];
    return {
      pipeline, groups: state.groups, vertex: this.bindStage(vertex, state), next: this.bindNext(pipeline, state),
      fragment: fragment ? this.bindStage(fragment, state) : NO_STAGE,
    };
  }

  /** STAGE records of the vertex stages behind the first, each of which names the next. */
  private bindNext(pipeline: Pipeline, state: DrawState): number {
    const { geometry, vertexStages: { placed } } = pipeline, { sink } = pipeline.state;
    let next = sink ? this.bindSink(placed.at(-1)!, sink) : 0;
    for (let i = geometry.length - 1; i > 0; i--) {
      const bound = this.bindStage(geometry[i]!, state), record = this.commands.take(Stage.bytes);
      const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
      putStage(u32, record, bound);
      for (const [field, value] of placed[i]!.fields) u32[(record + field) >>> 2] = value;
      u32[(record + Stage.next) >>> 2] = next;
      const words = this.wordTable(placed[i]!);
      this.words.now().u32[(record + Stage.words) >>> 2] = words;
      this.counting.push({ pipeline, index: i, record });
      next = record;
    }
    return next;
  }

  /** A table of what a stage takes, where it has one; else 0. */
  private wordTable({ words }: PlacedStage): number {
    if (!words) return 0;
    const table = this.commands.take(Math.max(16, words.length * 4));
    this.words.now().u32.set(words, table >>> 2);
    return table;
  }

  /** The STAGE record of a sink that is a buffer; where the buffer lies, each draw says. */
  private bindSink({ fields }: PlacedStage, sink: BufferSinkState): number {
    const words = sinkWords(sink).flat(), table = this.commands.take(Math.max(16, words.length * 4));
    const record = this.commands.take(Stage.bytes);
    const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
    u32.set(words, table >>> 2);
    for (const [field, value] of fields) u32[(record + field) >>> 2] = value;
    u32[(record + Stage.words) >>> 2] = table;
    return record;
  }

  private bindStage(stage: StageProgram, state: DrawState): BoundStage {
    const resources = this.resources(stage.resources, state);
    return { program: stage.memory.address, resources, uniforms: this.uniforms(stage, resources) };
  }

  /** What is known of the draw's indices. */
  indexUse(command: DrawCommand, counts: DrawCounts): IndexUse | null {
    const { index, pipeline } = command.state;
    if (!command.indexed || !index || pipeline.state.primitive.topology !== 'triangle-list') return null;
    if ((pipeline as Pipeline).vertexStages.inputBytes > 0) return null;
    if ((counts.first + counts.count) * index.bytes > index.size) return null;
    return this.ranges.of(index.buffer, index.offset + counts.first * index.bytes, counts.count, index.bytes);
  }

  private resources(resources: readonly IrResource[], state: DrawState): number {
    const table = this.commands.take(Math.max(Resource.bytes, resources.length * Resource.bytes));
    const { u32 } = this.words.now();
    for (let i = 0; i < resources.length; i++) {
      const { group: index, binding } = resources[i]!, group = state.groups[index];
      const bound = group?.group.entries.get(binding);
      if (!group || !bound) unreachable(`render: group ${index} binding ${binding} is not bound`);
      const at = table + i * Resource.bytes;
      u32[(at + Resource.address) >>> 2] = addressOf(bound) + (group.dynamicOffsets?.get(binding) ?? 0);
      u32[(at + Resource.size) >>> 2] = bound.kind === 'buffer' ? bound.size : 0;
    }
    return table;
  }

  private uniforms(stage: StageProgram, resources: number): number {
    const block = this.commands.take(Math.max(4, stage.uniforms * 4));
    this.runPrologue(stage.memory.address, resources, block);
    return block;
  }

  private attributes(pipeline: Pipeline, state: DrawState): number {
    const table = this.commands.take(Math.max(16, pipeline.attributes.length * Attribute.bytes));
    const { u32 } = this.words.now();
    pipeline.attributes.forEach((attribute, i) => {
      const bound = state.vertexBuffers[attribute.slot];
      const put = (field: number, value: number): void => { u32[(table + i * Attribute.bytes + field) >>> 2] = value; };
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

/** `set` of a plain array takes several times as long. */
function put(words: Float32Array, address: number, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) words[(address >>> 2) + i] = values[i]!;
}

/**
 * Where a sample mask leaves some out, the quads that the walk counts are not enough: what remains is asked after the
 * program. A program that is missing has nothing to ask, and writes no colour.
 */
function putQuery(u32: Uint32Array, record: number, { buffer, offset }: QuerySlot, { state, pixel }: Pipeline): void {
  u32[(record + Draw.query) >>> 2] = buffer.address + offset;
  const { count, mask } = state.multisample, all = 2 ** count - 1, selected = (mask & all) >>> 0;
  if (pixel.length === 0 || selected === 0 || selected === all) return;
  const flags = (record + Draw.flags) >>> 2;
  u32[flags] = (u32[flags]! & ~DRAW_FLAG_DEFERRED) | DRAW_FLAG_LATE_DEPTH;
}

function putStage(u32: Uint32Array, stage: number, { program, uniforms, resources }: BoundStage): void {
  u32[(stage + Stage.program) >>> 2] = program;
  u32[(stage + Stage.uniforms) >>> 2] = uniforms;
  u32[(stage + Stage.resources) >>> 2] = resources;
}

/** Whether draws with these groups read the same resources. */
function sameGroups(a: DrawState['groups'], b: DrawState['groups']): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i] ?? null, other = b[i] ?? null;
    if (one === other) continue;
    if (one === null || other === null || one.group !== other.group
      || !sameOffsets(one.dynamicOffsets, other.dynamicOffsets)) return false;
  }
  return true;
}

function sameOffsets(a: BoundGroup['dynamicOffsets'], b: BoundGroup['dynamicOffsets']): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every(([binding, offset]) => b.get(binding) === offset);
}

function addressOf(bound: BoundResource): number {
  switch (bound.kind) {
    case 'buffer': return bound.buffer.address + bound.offset;
    case 'surface': return (bound.view as View).surface;
    case 'texture': case 'image': return (bound.view as View).address;
    case 'sampler': return (bound.sampler as Sampler).address;
  }
}
