// From a draw command to a DRAW record: what the pipeline's template leaves open.
import { DRAW_FLAG_APART, DRAW_FLAG_DEFERRED, DRAW_FLAG_FREE, DRAW_FLAG_LATE_DEPTH } from '../../assembly/layout/draw-codes';
import { RATE_COARSE } from '../../assembly/layout/stage-codes';
import { Attribute, CoarseStages, Draw, Resource, SampleSets, Stage } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { IrResource } from '../ir';
import { shadingRates, type ShadingRate } from '../shading-rate';
import { vertexFormatNumber } from './enums';
import type { CommandMemory } from './command-memory';
import { DrawOrder, orderOfSamples } from './draw-order';
import type { IndexRanges, IndexUse } from './index-ranges';
import { ownsElements, type TargetSize } from './own-elements';
import type { Leaf, LeafPart, Pipeline } from './pipeline';
import type { RateRecords } from './rate-records';
import type { StageProgram } from './stage-program';
import type { BoundGroup, BoundResource, DrawCommand, DrawState, DynamicState, QuerySlot, Viewport } from './types';
import { type Sampler, type View } from './views';
import { Words } from './words';

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
  vertices: number;
  /** As Draw.sinkShare, Draw.sinkCounts and Draw.sinkCounted; no counts where what comes of each primitive is one. */
  readonly share: number;
  readonly counts: number;
  readonly counted: number;
  /** As Draw.sinkCursor; draws without order that stand one behind the other have it together. */
  readonly cursor: number;
  /** A DRAW record that says so. */
  record: number;
}

/** Records shared by draws with the same state. */
export interface StateRecords {
  readonly dynamic: DynamicState;
  /** DRAW record: what counts it has is of no account until a draw takes it. */
  readonly record: number;
  /** Of a table that forks, those of its ends. */
  readonly ends: readonly number[];
  /** Whether a draw has taken it: others then have copies. */
  taken: boolean;
}

/** Addresses of a STAGE's program, resource table and uniform block; zeros where the pipeline has no such stage. */
interface BoundStage {
  readonly program: number; readonly resources: number; readonly uniforms: number;
  /** Its draws have DRAW_FLAG_APART. */
  readonly isApart: boolean;
}
type Links = readonly (readonly [number, number])[];
const NO_LINKS: Links = [], NO_ENDS: readonly number[] = [];
const NO_STAGE: BoundStage = { program: 0, resources: 0, uniforms: 0, isApart: false };

/** Primitives of a draw that have a DRAW record: those in a viewport, by its number, for which stages say a rate. */
interface PartOfDraw { readonly viewport: number; readonly rate: ShadingRate | null }
const WHOLE: PartOfDraw = { viewport: 0, rate: null };
/** In the order in which a list of primitives has their numbers (assembly/vertex/primitive.ts); of none, one record. */
const NO_RATES = [null] as const;

/** What a draw's stages read, beside vertices. */
type Read = Pick<DrawState, 'groups' | 'immediates'> & Pick<Bound, 'blendConstant'>;
/** Resources that come with a draw. */
type WithDraw = Extract<IrResource, { kind: 'immediate' | 'blend-constant' }>;

/** The stages of a pipeline with the same groups bound. */
interface Bound {
  readonly groups: DrawState['groups'];
  readonly immediates: DrawState['immediates'];
  /** Where programs read it; else null. */
  readonly blendConstant: DynamicState['blendConstant'] | null;
  /** Of the first vertex stage; and words of its STAGE record that name others, by field. */
  readonly vertex: BoundStage;
  readonly links: Links;
  /** Of each end of the vertex stages, and of the other parts of its program. */
  readonly fragments: readonly BoundFragment[];
}

interface BoundFirst extends BoundStage { readonly further: BoundStage }
interface BoundFragment extends BoundFirst {
  readonly coarse: { readonly first: BoundStage; readonly pixels: BoundFirst } | null;
}

/** The vertex buffers of a pipeline: addresses of its table of attributes and of where its varyings come from. */
interface Fetched {
  readonly buffers: DrawState['vertexBuffers'];
  readonly attributes: number;
  readonly sources: number;
}

export class DrawRecords {
  /** STAGE records that count, of vertex stages of tables, or of all pipelines: of the pass so far. */
  readonly counting: { readonly pipeline: Pipeline; readonly index: number | null; readonly record: number }[] = [];
  /** Stages of pixels that count, where all pipelines' do, by Stage.counter less one. */
  readonly shading: StageProgram[] = [];
  /** Of each pipeline, as it was last bound: draws of several materials may alternate. */
  private readonly bounds = new Map<Pipeline, Bound>();
  private readonly order = new DrawOrder();
  /** Draws that need not follow others, or store in any order; those of them of which nobody said so. */
  independent = 0;
  foundIndependent = 0;
  private readonly fetched = new Map<Pipeline, Fetched>();
  private readonly shared = new Map<Pipeline, StateRecords>();
  private readonly words: Words;

  /**
   * `runPrologue` fills a uniform block; all arguments are addresses. `pass.countsStages`: all stages count their
   * warps.
   */
  constructor(
    memory: WebAssembly.Memory,
    private readonly commands: CommandMemory,
    private readonly ranges: IndexRanges,
    private readonly runPrologue: (program: number, resources: number, block: number) => void,
    private readonly pass: TargetSize & { readonly countsStages: boolean },
    private readonly rates: RateRecords,
  ) {
    this.words = new Words(memory);
  }

  /** Everything but the counts. */
  state(state: DrawState, dynamic: DynamicState): StateRecords {
    const pipeline = state.pipeline as Pipeline;
    const blendConstant = pipeline.readsBlendConstant ? dynamic.blendConstant : null;
    const last = this.bounds.get(pipeline);
    const bound = last?.immediates === state.immediates && last.blendConstant === blendConstant
      && sameGroups(last.groups, state.groups)
      ? last
      : this.bind(pipeline, { ...state, blendConstant });
    const fetchedBefore = this.fetched.get(pipeline), fetched = this.fetch(pipeline, state, fetchedBefore);
    const shared = this.shared.get(pipeline);
    if (bound === last && fetched === fetchedBefore && shared?.dynamic === dynamic) return shared;
    this.bounds.set(pipeline, bound);
    this.fetched.set(pipeline, fetched);
    const { leaves } = pipeline, ends = pipeline.isForked
      ? leaves.map((leaf, i) => this.endRecord(leaf, bound.fragments[i]!, dynamic))
      : NO_ENDS;
    const record = this.record(leaves[0]!, bound.fragments[0]!, dynamic, WHOLE);
    const { u32 } = this.words.now(), { attributes, sources } = fetched;
    putStage(u32, record + Draw.vertex, bound.vertex);
    for (const [field, value] of bound.links) u32[(record + Draw.vertex + field) >>> 2] = value;
    u32[(record + Draw.attributeCount) >>> 2] = pipeline.attributes.length;
    u32[(record + Draw.attributes) >>> 2] = attributes;
    u32[(record + Draw.varyingSources) >>> 2] = sources;
    const records = { dynamic, record, ends, taken: false };
    this.shared.set(pipeline, records);
    return records;
  }

  /** Of an end of the vertex stages: everything but these, and counts. */
  private record(leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState, part: PartOfDraw): number {
    const record = this.setsRecord(leaf, leaf, fragment, dynamic, part);
    const { coarse } = leaf, bound = fragment.coarse;
    if (!coarse || !bound || this.words.now().u32[(record + Draw.rates) >>> 2] === 0) return record;
    const first = this.partRecord(leaf, coarse.first, bound.first, dynamic, part);
    const pixels = this.setsRecord(leaf, coarse.pixels, bound.pixels, dynamic, part);
    const stages = this.wordsAt(coarse.stages), { u32 } = this.words.now();
    u32[(stages + CoarseStages.coarse) >>> 2] = first;
    u32[(stages + CoarseStages.pixels) >>> 2] = pixels;
    u32[(record + Draw.stages) >>> 2] = stages;
    return record;
  }

  /** The record of a program, or of its part of pixels, with that of its second part. */
  private setsRecord(
    leaf: Leaf, own: Pick<Leaf, 'template' | 'destinations' | 'sets' | 'further'>,
    fragment: BoundFirst, dynamic: DynamicState, part: PartOfDraw
  ): number {
    const second = own.sets && own.further
      ? this.partRecord(leaf, own.further, fragment.further, dynamic, part) : 0;
    const sets = own.sets ? this.sampleSets(own.sets, second) : 0;
    const record = this.partRecord(leaf, own, fragment, dynamic, part);
    this.words.now().u32[(record + Draw.sets) >>> 2] = sets;
    return record;
  }

  /** A SAMPLE SETS record; `second`: the DRAW record of the second part, or 0. */
  private sampleSets(words: Uint32Array, second: number): number {
    const sets = this.wordsAt(words), { u32 } = this.words.now();
    u32[(sets + SampleSets.further) >>> 2] = second;
    // What a query asks after the program goes by quads.
    if (second && u32[(second + Draw.flags) >>> 2]! & DRAW_FLAG_LATE_DEPTH) u32[(sets + SampleSets.byQuads) >>> 2] = 1;
    return sets;
  }

  /** The record of a fragment program, or of its second part. */
  private partRecord(
    leaf: Leaf, { template, destinations: read }: Pick<Leaf, 'template' | 'destinations'>, fragment: BoundStage,
    dynamic: DynamicState, { viewport, rate }: PartOfDraw
  ): number {
    const rates = this.ratesOf(leaf, dynamic, viewport, rate);
    const destinations = read ? this.wordsAt(read) : 0;
    const record = this.commands.take(template.byteLength), { u32, f32 } = this.words.now();
    u32.set(template, record >>> 2);
    putStage(u32, record + Draw.fragment, fragment);
    if (rates !== 0) {
      u32[(record + Draw.rates) >>> 2] = rates;
      u32[(record + Draw.fragment + Stage.rate) >>> 2] = RATE_COARSE;
    }
    u32[(record + Draw.destinations) >>> 2] = destinations;
    // A table is one pipeline's with one set of groups: its address names them.
    u32[(record + Draw.shading) >>> 2] = fragment.resources;
    // What is shaded coarsely waits in packers of its own.
    const independent = rates !== 0 ? 0 : this.order.of(leaf.order, fragment.resources, dynamic, viewport);
    u32[(record + Draw.independent) >>> 2] = independent;
    if (independent !== 0 && orderOfSamples(leaf.order.asked, dynamic.orders.pixel) === 'independent')
      u32[(record + Draw.flags) >>> 2]! |= DRAW_FLAG_FREE;
    if (fragment.isApart) u32[(record + Draw.flags) >>> 2]! |= DRAW_FLAG_APART;
    u32[(record + Draw.stencilReference) >>> 2] = dynamic.stencilReference;
    put(f32, record + Draw.viewport, dynamic.viewports[viewport]!);
    const [x, y, width, height] = dynamic.scissor, scissor = (record + Draw.scissor) >>> 2;
    u32[scissor] = x;
    u32[scissor + 1] = y;
    u32[scissor + 2] = x + width;
    u32[scissor + 3] = y + height;
    put(f32, record + Draw.blendConstant, dynamic.blendConstant);
    if (dynamic.query) putQuery(u32, record, dynamic.query, leaf);
    return record;
  }

  /** Of one of several ends. */
  private endRecord(leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState): number {
    const record = this.record(leaf, fragment, dynamic, WHOLE);
    if (leaf.hasViewports) this.putViewports(record, leaf, fragment, dynamic);
    return record;
  }

  /**
   * The address of the SHADING RATES record of draws in a viewport; 0: they run at 1×1. `primitive`: of primitives for
   * which a stage says one.
   */
  private ratesOf(leaf: Leaf, dynamic: DynamicState, viewport: number, primitive: ShadingRate | null): number {
    return this.rates.of(leaf, dynamic, viewport, primitive);
  }

  /** A DRAW record for each viewport and rate, which draws that have the end may share: they have no counts. */
  private putViewports(end: number, leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState): void {
    const { viewports } = dynamic, rates = leaf.hasRates ? shadingRates : NO_RATES;
    const parts = viewports.flatMap((_, viewport) => rates.map((rate): PartOfDraw => ({ viewport, rate })));
    const table = this.table(parts.map((part) => this.record(leaf, fragment, dynamic, part)));
    const { u32 } = this.words.now();
    u32[(end + Draw.viewportDraws) >>> 2] = table;
    u32[(end + Draw.viewportCount) >>> 2] = viewports.length;
    u32[(end + Draw.viewportRates) >>> 2] = rates.length;
    u32[(end + Draw.viewportsOverlap) >>> 2] = overlap(viewports) ? 1 : 0;
  }

  /**
   * A DRAW record of its own for each draw, since triangles point at it. `use`: of the indices it reads; `rooms`:
   * in its sinks, by the ends of its vertex stages.
   */
  draw(
    shared: StateRecords, command: DrawCommand, counts: DrawCounts, use: IndexUse | null,
    rooms: readonly (SinkRoom | null)[]
  ): number {
    const pipeline = command.state.pipeline as Pipeline;
    for (const stage of pipeline.stages) stage.runs++;
    const isFirst = !shared.taken, record = this.own(shared.record, pipeline.template.byteLength, isFirst);
    shared.taken = true;
    if (pipeline.isTable || this.pass.countsStages) {
      const { program } = pipeline.vertexStages.placed[0]!;
      this.counting.push({ pipeline, index: program, record: record + Draw.vertex });
    }
    this.putCounts(record, command, counts, use);
    const { leaves } = pipeline;
    for (const leaf of leaves) this.rates.note(leaf, shared.dynamic);
    if (rooms.some((room) => room?.cursor)) this.independent++;
    else this.noteOrder(record, leaves[0]!, shared.dynamic);
    if (!pipeline.isForked) {
      this.putEnd(record, command.state, leaves[0]!, rooms[0] ?? null);
      return record;
    }
    const table = this.commands.take(leaves.length * 4);
    leaves.forEach((leaf, i) => {
      const end = this.own(shared.ends[i]!, leaf.template.byteLength, isFirst);
      this.words.now().u32[(table >>> 2) + i] = end;
      this.putCounts(end, command, counts, use);
      this.putEnd(end, command.state, leaf, rooms[i] ?? null);
    });
    const { u32 } = this.words.now();
    u32[(record + Draw.sinkDraws) >>> 2] = table;
    u32[(record + Draw.sinkDrawCount) >>> 2] = leaves.length;
    return record;
  }

  private noteOrder(record: number, { order: { asked } }: Leaf, { orders }: DynamicState): void {
    if (this.words.now().u32[(record + Draw.independent) >>> 2] === 0) return;
    this.independent++;
    if (asked === 'auto' && orders.pixel === 'received') this.foundIndependent++;
  }

  private putEnd(record: number, state: DrawState, leaf: Leaf, room: SinkRoom | null): void {
    if (room) this.putRoom(record, state, leaf, room);
    if (!leaf.fragment || !this.pass.countsStages) return;
    this.countStage(leaf.fragment, record);
    this.countSecond(record, leaf.further);
    const { u32 } = this.words.now(), stages = u32[(record + Draw.stages) >>> 2]!;
    if (!leaf.coarse || stages === 0) return;
    const pixels = u32[(stages + CoarseStages.pixels) >>> 2]!, first = u32[(stages + CoarseStages.coarse) >>> 2]!;
    this.countStage(leaf.coarse.first.fragment, first);
    this.countStage(leaf.coarse.pixels.fragment, pixels);
    this.countSecond(pixels, leaf.coarse.pixels.further);
  }

  private countSecond(record: number, second: LeafPart | null): void {
    if (!second) return;
    const { u32 } = this.words.now(), sets = u32[(record + Draw.sets) >>> 2]!;
    this.countStage(second.fragment, u32[(sets + SampleSets.further) >>> 2]!);
  }

  /** `record`: the DRAW whose stage of pixels it is. */
  private countStage(stage: StageProgram, record: number): void {
    this.words.now().u32[(record + Draw.fragment + Stage.counter) >>> 2] = this.shading.push(stage);
  }

  private putRoom(record: number, { sinks }: DrawState, { state: { number } }: Leaf, room: SinkRoom): void {
    const { buffer, offset, size } = sinks[number]!, start = Math.min(size, room.start), { u32 } = this.words.now();
    u32[(record + Draw.sink) >>> 2] = buffer.address + offset + start;
    u32[(record + Draw.sinkBytes) >>> 2] = size - start;
    u32[(record + Draw.sinkShare) >>> 2] = room.share;
    u32[(record + Draw.sinkCounts) >>> 2] = room.counts;
    u32[(record + Draw.sinkCounted) >>> 2] = room.counted;
    u32[(record + Draw.sinkCursor) >>> 2] = room.cursor;
    room.record = record;
  }

  private putCounts(record: number, command: DrawCommand, counts: DrawCounts, use: IndexUse | null): void {
    const { index } = command.state, { u32 } = this.words.now();
    u32[(record + Draw.count) >>> 2] = counts.count;
    u32[(record + Draw.instanceCount) >>> 2] = counts.instanceCount;
    u32[(record + Draw.firstInstance) >>> 2] = counts.firstInstance;
    u32[(record + Draw.rangeFirst) >>> 2] = use?.first ?? 0;
    u32[(record + Draw.rangeCount) >>> 2] = use?.count ?? 0;
    u32[(record + Draw.distinct) >>> 2] = use?.distinct ?? 0;
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
  }

  /** A record for the state's first draw, a copy of it for each other. */
  private own(record: number, bytes: number, isFirst: boolean): number {
    if (isFirst) return record;
    const copy = this.commands.take(bytes);
    this.words.now().u32.copyWithin(copy >>> 2, record >>> 2, (record + bytes) >>> 2);
    return copy;
  }

  /** The tables of the pipeline's `last` draws, where these have the same vertex buffers. */
  private fetch(pipeline: Pipeline, state: DrawState, last: Fetched | undefined): Fetched {
    const buffers = state.vertexBuffers;
    if (last?.buffers.length === buffers.length && last.buffers.every((buffer, slot) => buffer === buffers[slot]))
      return last;
    const sources = this.commands.take(Math.max(4, pipeline.varyingSources.byteLength));
    this.words.now().u32.set(pipeline.varyingSources, sources >>> 2);
    return { buffers, attributes: this.attributes(pipeline, state), sources };
  }

  private bind(pipeline: Pipeline, state: Read): Bound {
    const bound = (part: LeafPart | null): BoundStage => (part ? this.bindStage(part.fragment, state) : NO_STAGE);
    const fragments = pipeline.leaves.map(({ fragment, further, coarse }): BoundFragment => ({
      ...(fragment ? this.bindStage(fragment, state) : NO_STAGE), further: bound(further),
      coarse: coarse && {
        first: bound(coarse.first), pixels: { ...bound(coarse.pixels), further: bound(coarse.pixels.further) },
      },
    }));
    const { geometry, vertexStages: { placed } } = pipeline, first = placed[0]!;
    const vertex = first.program === null ? NO_STAGE : this.bindStage(geometry[first.program]!, state);
    const isAlone = placed.length === 1 && first.sources.length === 0;
    const links = isAlone ? NO_LINKS : this.bindBehind(pipeline, state);
    const { groups, immediates, blendConstant } = state;
    return { groups, immediates, blendConstant, vertex, links, fragments };
  }

  /** STAGE records of what is behind the first of the vertex stages; gives what names them there. */
  private bindBehind(pipeline: Pipeline, state: Read): Links {
    const { geometry, vertexStages: { placed } } = pipeline, records: number[] = [];
    let links: Links = [];
    // What a stage names is behind it.
    for (let i = placed.length - 1; i >= 0; i--) {
      const { fields, program, next, branches, sources, words } = placed[i]!;
      links = [
        [Stage.next, next === null ? 0 : records[next]!],
        [Stage.branches, this.table(branches.map((branch) => records[branch]!))],
        [Stage.sources, this.table(sources)], [Stage.words, this.table(words)],
      ];
      if (i === 0) break;
      const bound = program === null ? NO_STAGE : this.bindStage(geometry[program]!, state);
      const record = records[i] = this.commands.take(Stage.bytes);
      const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
      putStage(u32, record, bound);
      for (const [field, value] of [...fields, ...links]) u32[(record + field) >>> 2] = value;
      if (program !== null) this.counting.push({ pipeline, index: program, record });
    }
    return links;
  }

  /** The address of these numbers; 0: there are none. */
  private table(numbers: readonly number[]): number {
    return numbers.length === 0 ? 0 : this.wordsAt(numbers);
  }

  private wordsAt(words: ArrayLike<number>): number {
    const address = this.commands.take(words.length * 4);
    this.words.now().u32.set(words, address >>> 2);
    return address;
  }

  private bindStage(stage: StageProgram, state: Read): BoundStage {
    const resources = this.resources(stage.resources, state);
    const uniforms = this.uniforms(stage, resources);
    const isApart = ownsElements(stage, resources, uniforms, this.pass, this.words.now().u32);
    return { program: stage.memory.address, resources, uniforms, isApart };
  }

  /** What is known of the draw's indices. */
  indexUse(command: DrawCommand, counts: DrawCounts): IndexUse | null {
    const { index, pipeline } = command.state;
    if (!command.indexed || !index || pipeline.state.primitive.topology !== 'triangle-list') return null;
    const { vertexStages, hasDistances } = pipeline as Pipeline;
    if (vertexStages.inputBytes > 0 || hasDistances) return null;
    if ((counts.first + counts.count) * index.bytes > index.size) return null;
    return this.ranges.of(index.buffer, index.offset + counts.first * index.bytes, counts.count, index.bytes);
  }

  private resources(resources: readonly IrResource[], state: Read): number {
    const table = this.commands.take(Math.max(Resource.bytes, resources.length * Resource.bytes));
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i]!;
      if (resource.kind === 'workgroup' || resource.kind === 'counters')
        return unreachable(`render: ${resource.kind} in a draw`);
      if (resource.kind === 'immediate' || resource.kind === 'blend-constant') {
        const address = this.given(resource, state);
        putImmediates(this.words.now().u32, table + i * Resource.bytes, address, resource);
        continue;
      }
      const { group: index, binding } = resource, group = state.groups[index];
      const bound = group?.group.entries.get(binding);
      if (!group || !bound) unreachable(`render: group ${index} binding ${binding} is not bound`);
      const at = table + i * Resource.bytes, { u32 } = this.words.now();
      u32[(at + Resource.address) >>> 2] = addressOf(bound) + (group.dynamicOffsets?.get(binding) ?? 0);
      u32[(at + Resource.size) >>> 2] = bound.kind === 'buffer' ? wholeWords(bound.size) : 0;
    }
    return table;
  }

  /** The address of words that come with a draw. */
  private given({ kind }: WithDraw, { immediates, blendConstant }: Read): number {
    if (kind === 'immediate') return this.wordsAt(immediates ?? unreachable('render: no immediate data'));
    const address = this.commands.take(16);
    put(this.words.now().f32, address, blendConstant ?? unreachable('render: no blend constant'));
    return address;
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

/** Whether two of them may have a pixel in common: setup rounds likewise (assembly/vertex/prepare.ts). */
function overlap(viewports: readonly Viewport[]): boolean {
  const end = (start: number, length: number): number => Math.ceil(Math.fround(start + length));
  const rectangles = viewports.map(([x, y, width, height]) => (
    { left: Math.floor(x), top: Math.floor(y), right: end(x, width), bottom: end(y, height) }
  ));
  return rectangles.some((a, i) => rectangles.slice(i + 1).some((b) => a.left < b.right && b.left < a.right
    && a.top < b.bottom && b.top < a.bottom));
}

/** `set` of a plain array takes several times as long. */
function put(words: Float32Array, address: number, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) words[(address >>> 2) + i] = values[i]!;
}

/**
 * Where a sample mask leaves some out, the quads that the walk counts are not enough: what remains is asked after the
 * program. A program that is missing has nothing to ask, and writes no colour.
 */
function putQuery(
  u32: Uint32Array, record: number, { buffer, offset }: QuerySlot, { state, fragment }: Leaf
): void {
  if (state.kind !== 'raster') return;
  u32[(record + Draw.query) >>> 2] = buffer.address + offset;
  const { count, mask } = state.output.multisample, all = 2 ** count - 1, selected = (mask & all) >>> 0;
  if (!fragment || selected === 0 || selected === all) return;
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

/**
 * Bytes of a binding as programs access it, in words: those of a uniform that ends in half a word, an f16, lie in the
 * buffer's own memory, and no program gets more than its half.
 */
export const wholeWords = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/** A RESOURCE record of what comes with a draw or dispatch and lies at `address`. */
export function putImmediates(u32: Uint32Array, record: number, address: number, { minSize }: WithDraw): void {
  u32[(record + Resource.address) >>> 2] = address;
  u32[(record + Resource.size) >>> 2] = wholeWords(minSize);
}

export function addressOf(bound: BoundResource): number {
  switch (bound.kind) {
    case 'buffer': return bound.buffer.address + bound.offset;
    case 'surface': return (bound.view as View).surface;
    case 'texture': case 'image': return (bound.view as View).address;
    case 'sampler': return (bound.sampler as Sampler).address;
  }
}
