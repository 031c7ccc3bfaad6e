// Writes a DRAW record for each draw command: fills in everything that the pipeline's template leaves open.
import {
  DRAW_FLAG_DISJOINT_ACCESSES,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_DECLARED_UNORDERED,
  DRAW_FLAG_LATE_DEPTH,
} from '../../../assembly/layout/pass/draw-codes';
import { RATE_COARSE } from '../../../assembly/layout/program/stage-codes';
import { Attribute, CoarseStages, Draw, Resource, SampleSets, Stage } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { IrResource } from '../../ir';
import { shadingRates, type ShadingRate } from '../../shading-rate';
import { putImmediates, putResource, sameGroups, type WithDraw } from '../resources/bound-groups';
import type { CommandMemory } from '../memory/command-memory';
import { DrawOrder, orderOfSamples } from '../pipeline/draw-order';
import type { IndexRanges, IndexUse } from '../resources/index-ranges';
import { accessesDisjointElements, type TargetSize } from './disjoint-elements';
import type { Leaf, LeafPart, Pipeline } from '../pipeline/pipeline';
import type { Prologues } from './prologues';
import type { RateRecords } from './rate-records';
import type { StageProgram } from '../shaders/stage-program';
import type { DrawCommand, DrawState, DynamicState, QuerySlot, Viewport } from '../types';
import { Words } from '../memory/words';

/** The counts of a draw call, read from the indirect buffer if there is one. */
export interface DrawCounts {
  readonly count: number;
  readonly instanceCount: number;
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
}

/** The part of a stream output buffer that belongs to one draw call. */
export interface SinkRange {
  /** Byte offset in the buffer. */
  start: number;
  /** Maximum number of vertices; after a counting run, their exact number. */
  vertices: number;
  /** Maximum number of assembled primitives. */
  readonly primitives: number;
  /**
   * Values of Draw.sinkShare, Draw.sinkCounts and Draw.sinkCounted. There are no counts if each primitive produces
   * exactly one.
   */
  readonly share: number;
  counts: number;
  counted: number;
  /** Value of Draw.sinkStarts. */
  starts: number;
  /** Value of Draw.sinkCursor. Consecutive unordered draw calls share it. */
  readonly cursor: number;
  /** DRAW records that refer to this room, one for each path to the sink. */
  readonly records: number[];
}

/** Writes the room into a DRAW record. The sink's buffer has `size` bytes at `address`. */
export function putSinkRange(u32: Uint32Array, record: number, room: SinkRange, address: number, size: number): void {
  const start = Math.min(size, room.start);
  u32[(record + Draw.sink) >>> 2] = address + start;
  u32[(record + Draw.sinkBytes) >>> 2] = size - start;
  u32[(record + Draw.sinkShare) >>> 2] = room.share;
  u32[(record + Draw.sinkCounts) >>> 2] = room.counts;
  u32[(record + Draw.sinkCounted) >>> 2] = room.counted;
  u32[(record + Draw.sinkStarts) >>> 2] = room.starts;
  u32[(record + Draw.sinkCursor) >>> 2] = room.cursor;
}

/** Records shared by draw calls with the same state. */
export interface StateRecords {
  readonly dynamic: DynamicState;
  /** DRAW record. Its counts are undefined until a draw call takes it. */
  readonly record: number;
  /** For forked pipelines: the DRAW records of their sinks. */
  readonly ends: readonly number[];
  /** Whether a draw call has taken the record. Later ones get copies. */
  taken: boolean;
}

/** Addresses of a STAGE's program, resource table and uniform block; zeros if the pipeline has no such stage. */
interface BoundStage {
  readonly program: number;
  readonly resources: number;
  readonly uniforms: number;
  /** Draw calls with this stage have DRAW_FLAG_DISJOINT_ACCESSES. */
  readonly isApart: boolean;
}
type Links = readonly (readonly [number, number])[];
const NO_LINKS: Links = [];
const NO_ENDS: readonly number[] = [];
const NO_STAGE: BoundStage = { program: 0, resources: 0, uniforms: 0, isApart: false };

/**
 * The primitives of a draw call that get one DRAW record: those in one viewport, with one shading rate chosen by
 * stages.
 */
interface PartOfDraw {
  readonly viewport: number;
  readonly rate: ShadingRate | null;
}
const WHOLE: PartOfDraw = { viewport: 0, rate: null };
/**
 * The rates in the order of the codes in primitive lists (assembly/vertex/primitive.ts). If no stage chooses rates,
 * there is one record.
 */
const NO_RATES = [null] as const;

/** What a draw call's stages read in addition to vertices. */
interface Read {
  readonly groups: DrawState['groups'];
  readonly immediates: DrawState['immediates'];
  /** Null if no shader reads it. */
  readonly blendConstant: DynamicState['blendConstant'] | null;
}

/** The stages of a pipeline, bound to particular bind groups. */
interface Bound {
  readonly read: Read;
  /** The first vertex stage, and the values of address fields in its STAGE record. */
  readonly vertex: BoundStage;
  readonly links: Links;
  /** The fragment stage of each sink, with the other parts of its shader. */
  readonly fragments: readonly BoundFragment[];
}

interface BoundFirst extends BoundStage {
  readonly secondPart: BoundStage;
}
interface BoundFragment extends BoundFirst {
  readonly coarse: { readonly first: BoundStage; readonly pixels: BoundFirst } | null;
}

/** The vertex buffers of a pipeline: addresses of its attribute table and of the table of varying sources. */
interface Fetched {
  readonly buffers: DrawState['vertexBuffers'];
  readonly attributes: number;
  readonly sources: number;
}

/**
 * What the last draw call of a pipeline used. One entry per pipeline, because draw calls of several materials may
 * alternate.
 */
interface Last {
  readonly bound: Bound;
  readonly fetched: Fetched;
  readonly records: StateRecords;
}

export class DrawRecords {
  /**
   * STAGE records with counters in the pass so far: vertex stages of modular pipelines, or of all pipelines if stages
   * are measured.
   */
  readonly counting: { readonly pipeline: Pipeline; readonly index: number | null; readonly record: number }[] = [];
  /** Pixel stages that count their warps, if stages are measured. The index is Stage.counter − 1. */
  readonly shading: StageProgram[] = [];
  private readonly last = new Map<Pipeline, Last>();
  private readonly order = new DrawOrder();
  /** Number of draw calls that may run out of order; how many of them the renderer found itself. */
  independent = 0;
  foundIndependent = 0;
  private readonly words: Words;

  /** `pass.countsStages`: all stages count their warps. */
  constructor(
    memory: WebAssembly.Memory,
    private readonly commands: CommandMemory,
    private readonly ranges: IndexRanges,
    private readonly prologues: Prologues,
    private readonly pass: TargetSize & { readonly countsStages: boolean },
    private readonly rates: RateRecords
  ) {
    this.words = new Words(memory);
  }

  /** Returns records with everything but the counts. */
  state(state: DrawState, dynamic: DynamicState): StateRecords {
    const pipeline = state.pipeline as Pipeline;
    const last = this.last.get(pipeline);
    const bound = this.bind(pipeline, state, dynamic, last?.bound);
    const fetched = this.fetch(pipeline, state, last?.fetched);
    const alike = last?.records.dynamic === dynamic ? last : null;
    if (alike && bound === alike.bound && fetched === alike.fetched) return alike.records;
    const records =
      alike && pipeline.isPlain
        ? this.changed(pipeline, alike.records, bound, fetched)
        : this.made(pipeline, dynamic, bound, fetched);
    this.last.set(pipeline, { bound, fetched, records });
    return records;
  }

  private made(pipeline: Pipeline, dynamic: DynamicState, bound: Bound, fetched: Fetched): StateRecords {
    const { leaves } = pipeline;
    const ends = pipeline.isForked
      ? leaves.map((leaf, i) => this.endRecord(leaf, bound.fragments[i]!, dynamic))
      : NO_ENDS;
    const record = this.record(leaves[0]!, bound.fragments[0]!, dynamic, WHOLE);
    const { u32 } = this.words.now();
    putStage(u32, record + Draw.vertex, bound.vertex);
    for (const [field, value] of bound.links) u32[(record + Draw.vertex + field) >>> 2] = value;
    u32[(record + Draw.attributeCount) >>> 2] = pipeline.attributes.length;
    putFetched(u32, record, fetched);
    return { dynamic, record, ends, taken: false };
  }

  /**
   * Copies a state's record with other bind groups or vertex buffers. Only for plain pipelines, where no other part of
   * the record refers to those.
   */
  private changed(
    pipeline: Pipeline,
    { record: from, dynamic }: StateRecords,
    { vertex, fragments }: Bound,
    fetched: Fetched
  ): StateRecords {
    const leaf = pipeline.leaves[0]!;
    const fragment = fragments[0]!;
    const bytes = leaf.template.byteLength;
    const record = this.commands.take(bytes);
    const { u32 } = this.words.now();
    u32.copyWithin(record >>> 2, from >>> 2, (from + bytes) >>> 2);
    putStage(u32, record + Draw.vertex, vertex);
    putFetched(u32, record, fetched);
    this.putFragment(u32, record, leaf, fragment, dynamic, 0);
    return { dynamic, record, ends: NO_ENDS, taken: false };
  }

  /** Writes the record of a sink, without its vertex stages and counts. */
  private record(leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState, part: PartOfDraw): number {
    const record = this.setsRecord(leaf, leaf, fragment, dynamic, part);
    const { coarse } = leaf;
    const bound = fragment.coarse;
    if (!coarse || !bound || this.words.now().u32[(record + Draw.rates) >>> 2] === 0) return record;
    const first = this.partRecord(leaf, coarse.first, bound.first, dynamic, part);
    const pixels = this.setsRecord(leaf, coarse.pixels, bound.pixels, dynamic, part);
    const stages = this.wordsAt(coarse.stages);
    const { u32 } = this.words.now();
    u32[(stages + CoarseStages.coarse) >>> 2] = first;
    u32[(stages + CoarseStages.pixels) >>> 2] = pixels;
    u32[(record + Draw.stages) >>> 2] = stages;
    return record;
  }

  /** Writes the record of a shader, or of its pixel part, and the record of its second part. */
  private setsRecord(
    leaf: Leaf,
    own: Pick<Leaf, 'template' | 'destinations' | 'sets' | 'secondPart'>,
    fragment: BoundFirst,
    dynamic: DynamicState,
    part: PartOfDraw
  ): number {
    const second =
      own.sets && own.secondPart ? this.partRecord(leaf, own.secondPart, fragment.secondPart, dynamic, part) : 0;
    const sets = own.sets ? this.sampleSets(own.sets, second) : 0;
    const record = this.partRecord(leaf, own, fragment, dynamic, part);
    this.words.now().u32[(record + Draw.sets) >>> 2] = sets;
    return record;
  }

  /** Writes a SAMPLE SETS record. `second`: the DRAW record of the second part, or 0. */
  private sampleSets(words: Uint32Array, second: number): number {
    const sets = this.wordsAt(words);
    const { u32 } = this.words.now();
    u32[(sets + SampleSets.secondPart) >>> 2] = second;
    // Occlusion queries that are evaluated after the shader work on quads.
    if (second && u32[(second + Draw.flags) >>> 2]! & DRAW_FLAG_LATE_DEPTH) u32[(sets + SampleSets.byQuads) >>> 2] = 1;
    return sets;
  }

  /** Writes the record of a fragment shader, or of its second part. */
  private partRecord(
    leaf: Leaf,
    { template, destinations: read }: Pick<Leaf, 'template' | 'destinations'>,
    fragment: BoundStage,
    dynamic: DynamicState,
    { viewport, rate }: PartOfDraw
  ): number {
    const rates = this.ratesOf(leaf, dynamic, viewport, rate);
    const destinations = read ? this.wordsAt(read) : 0;
    const record = this.commands.take(template.byteLength);
    const { u32, f32 } = this.words.now();
    u32.set(template, record >>> 2);
    if (rates !== 0) {
      u32[(record + Draw.rates) >>> 2] = rates;
      u32[(record + Draw.fragment + Stage.rate) >>> 2] = RATE_COARSE;
    }
    u32[(record + Draw.destinations) >>> 2] = destinations;
    this.putFragment(u32, record, leaf, fragment, dynamic, viewport);
    u32[(record + Draw.stencilReference) >>> 2] = dynamic.stencilReference;
    put(f32, record + Draw.viewport, dynamic.viewports[viewport]!);
    const [x, y, width, height] = dynamic.scissor;
    const scissor = (record + Draw.scissor) >>> 2;
    u32[scissor] = x;
    u32[scissor + 1] = y;
    u32[scissor + 2] = x + width;
    u32[scissor + 3] = y + height;
    put(f32, record + Draw.blendConstant, dynamic.blendConstant);
    if (dynamic.query) putQuery(u32, record, dynamic.query, leaf);
    return record;
  }

  /** Writes the fragment stage, and which other draw calls may share its warps. Draw.rates must be set already. */
  private putFragment(
    u32: Uint32Array,
    record: number,
    leaf: Leaf,
    fragment: BoundStage,
    dynamic: DynamicState,
    viewport: number
  ): void {
    putStage(u32, record + Draw.fragment, fragment);
    // A resource table belongs to one pipeline with one set of bind groups, so its address identifies both.
    u32[(record + Draw.shading) >>> 2] = fragment.resources;
    // Coarsely shaded fragments wait in separate packers.
    const independent =
      u32[(record + Draw.rates) >>> 2] !== 0 ? 0 : this.order.of(leaf.order, fragment.resources, dynamic, viewport);
    u32[(record + Draw.independent) >>> 2] = independent;
    const isFree = independent !== 0 && orderOfSamples(leaf.order.requested, dynamic.orders.pixel) === 'independent';
    const flags = (record + Draw.flags) >>> 2;
    const others = u32[flags]! & ~(DRAW_FLAG_DECLARED_UNORDERED | DRAW_FLAG_DISJOINT_ACCESSES);
    u32[flags] =
      others | (isFree ? DRAW_FLAG_DECLARED_UNORDERED : 0) | (fragment.isApart ? DRAW_FLAG_DISJOINT_ACCESSES : 0);
  }

  /** Writes the record of one of several sinks. */
  private endRecord(leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState): number {
    const record = this.record(leaf, fragment, dynamic, WHOLE);
    if (leaf.hasViewports) this.putViewports(record, leaf, fragment, dynamic);
    return record;
  }

  /**
   * Address of the SHADING RATES record for a viewport; 0 if the rate is 1×1. `primitive`: the rate that a stage
   * chooses for primitives, or null.
   */
  private ratesOf(leaf: Leaf, dynamic: DynamicState, viewport: number, primitive: ShadingRate | null): number {
    return this.rates.of(leaf, dynamic, viewport, primitive);
  }

  /**
   * Writes a DRAW record for each viewport and rate. They have no counts, so all draw calls with this sink may share
   * them.
   */
  private putViewports(end: number, leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState): void {
    const { viewports } = dynamic;
    const rates = leaf.hasRates ? shadingRates : NO_RATES;
    const parts = viewports.flatMap((_, viewport) => rates.map((rate): PartOfDraw => ({ viewport, rate })));
    const table = this.table(parts.map((part) => this.record(leaf, fragment, dynamic, part)));
    const { u32 } = this.words.now();
    u32[(end + Draw.viewportDraws) >>> 2] = table;
    u32[(end + Draw.viewportCount) >>> 2] = viewports.length;
    u32[(end + Draw.viewportRates) >>> 2] = rates.length;
    u32[(end + Draw.viewportsOverlap) >>> 2] = overlap(viewports) ? 1 : 0;
  }

  /**
   * Writes a separate DRAW record for each draw call, because triangles point to it. `use`: the indices that it reads.
   * `rooms`: its parts of stream output buffers, by sink.
   */
  draw(
    shared: StateRecords,
    command: DrawCommand,
    counts: DrawCounts,
    use: IndexUse | null,
    rooms: readonly (SinkRange | null)[]
  ): number {
    const pipeline = command.state.pipeline as Pipeline;
    for (const stage of pipeline.stages) stage.runs++;
    const isFirst = !shared.taken;
    const record = this.own(shared.record, pipeline.template.byteLength, isFirst);
    shared.taken = true;
    if (pipeline.hasStageCounters || this.pass.countsStages) {
      const { program } = pipeline.vertexStages.placed[0]!;
      this.counting.push({ pipeline, index: program, record: record + Draw.vertex });
    }
    const { leaves } = pipeline;
    const { u32 } = this.words.now();
    putCounts(u32, record, command, counts, use);
    for (const leaf of leaves) this.rates.note(leaf, shared.dynamic);
    if (rooms.some((room) => room?.cursor)) this.independent++;
    else if (u32[(record + Draw.independent) >>> 2] !== 0) this.noteOrder(leaves[0]!, shared.dynamic);
    if (!pipeline.isForked) {
      this.putEnd(record, command.state, leaves[0]!, rooms[0] ?? null);
      return record;
    }
    const table = this.commands.take(leaves.length * 4);
    leaves.forEach((leaf, i) => {
      const end = this.own(shared.ends[i]!, leaf.template.byteLength, isFirst);
      this.words.now().u32[(table >>> 2) + i] = end;
      putCounts(this.words.now().u32, end, command, counts, use);
      this.putEnd(end, command.state, leaf, rooms[i] ?? null);
    });
    this.words.now().u32.set([table, leaves.length], (record + Draw.sinkDraws) >>> 2);
    return record;
  }

  private noteOrder({ order: { requested } }: Leaf, { orders }: DynamicState): void {
    this.independent++;
    if (requested === 'auto' && orders.pixel === 'received') this.foundIndependent++;
  }

  private putEnd(record: number, state: DrawState, leaf: Leaf, room: SinkRange | null): void {
    if (room) {
      const { buffer, offset, size } = state.sinks[leaf.state.number]!;
      putSinkRange(this.words.now().u32, record, room, buffer.address + offset, size);
      room.records.push(record);
    }
    if (!leaf.fragment || !this.pass.countsStages) return;
    this.countStage(leaf.fragment, record);
    this.countSecond(record, leaf.secondPart);
    const { u32 } = this.words.now();
    const stages = u32[(record + Draw.stages) >>> 2]!;
    if (!leaf.coarse || stages === 0) return;
    const pixels = u32[(stages + CoarseStages.pixels) >>> 2]!;
    const first = u32[(stages + CoarseStages.coarse) >>> 2]!;
    this.countStage(leaf.coarse.first.fragment, first);
    this.countStage(leaf.coarse.pixels.fragment, pixels);
    this.countSecond(pixels, leaf.coarse.pixels.secondPart);
  }

  private countSecond(record: number, second: LeafPart | null): void {
    if (!second) return;
    const { u32 } = this.words.now();
    const sets = u32[(record + Draw.sets) >>> 2]!;
    this.countStage(second.fragment, u32[(sets + SampleSets.secondPart) >>> 2]!);
  }

  /** `record`: the DRAW record with this pixel stage. */
  private countStage(stage: StageProgram, record: number): void {
    this.words.now().u32[(record + Draw.fragment + Stage.counter) >>> 2] = this.shading.push(stage);
  }

  /** Returns the state's record for its first draw call, and a copy for each later one. */
  private own(record: number, bytes: number, isFirst: boolean): number {
    if (isFirst) return record;
    const copy = this.commands.take(bytes);
    this.words.now().u32.copyWithin(copy >>> 2, record >>> 2, (record + bytes) >>> 2);
    return copy;
  }

  /** Returns the pipeline's last tables if the vertex buffers are the same, else new ones. */
  private fetch(pipeline: Pipeline, { vertexBuffers: buffers }: DrawState, last: Fetched | undefined): Fetched {
    if (last && sameItems(last.buffers, buffers)) return last;
    const sources = last?.sources ?? this.table(pipeline.varyingSources);
    return { buffers, attributes: this.attributes(pipeline, buffers), sources };
  }

  /** Returns the last bound stages if everything that they read is the same, else new ones. */
  private bind(
    pipeline: Pipeline,
    { groups, immediates }: DrawState,
    dynamic: DynamicState,
    last: Bound | undefined
  ): Bound {
    const blendConstant = pipeline.readsBlendConstant ? dynamic.blendConstant : null;
    if (
      last?.read.immediates === immediates
      && last.read.blendConstant === blendConstant
      && sameGroups(last.read.groups, groups)
    )
      return last;
    const read = { groups, immediates, blendConstant };
    const fragments = pipeline.leaves.map((leaf) => this.bindLeaf(leaf, read));
    const {
      geometry,
      vertexStages: { placed },
    } = pipeline;
    const { program, sources } = placed[0]!;
    const vertex = this.bindStage(program === null ? null : geometry[program]!, read);
    const isAlone = placed.length === 1 && sources.length === 0;
    return { read, vertex, links: isAlone ? NO_LINKS : this.bindBehind(pipeline, read), fragments };
  }

  private bindLeaf({ fragment, secondPart, coarse }: Leaf, read: Read): BoundFragment {
    const bound = this.bindFirst(fragment, secondPart, read);
    if (!coarse) return { ...bound, coarse };
    return {
      ...bound,
      coarse: {
        first: this.bindStage(coarse.first.fragment, read),
        pixels: this.bindFirst(coarse.pixels.fragment, coarse.pixels.secondPart, read),
      },
    };
  }

  private bindFirst(fragment: StageProgram | null, secondPart: LeafPart | null, read: Read): BoundFirst {
    const { program, resources, uniforms, isApart } = this.bindStage(fragment, read);
    return {
      program,
      resources,
      uniforms,
      isApart,
      secondPart: this.bindStage(secondPart && secondPart.fragment, read),
    };
  }

  /** Writes the STAGE records after the first vertex stage. Returns the fields of the first one that refer to them. */
  private bindBehind(pipeline: Pipeline, state: Read): Links {
    const {
      geometry,
      vertexStages: { placed },
    } = pipeline;
    const records: number[] = [];
    let links: Links = [];
    // Stages refer to later ones, so the last one is written first.
    for (let i = placed.length - 1; i >= 0; i--) {
      const { fields, program, next, branches, sources, words } = placed[i]!;
      links = [
        [Stage.next, next === null ? 0 : records[next]!],
        [Stage.branches, this.table(branches.map((branch) => records[branch]!))],
        [Stage.sources, this.table(sources)],
        [Stage.words, this.table(words)],
      ];
      if (i === 0) break;
      const bound = this.bindStage(program === null ? null : geometry[program]!, state);
      const record = (records[i] = this.commands.take(Stage.bytes));
      const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
      putStage(u32, record, bound);
      for (const [field, value] of [...fields, ...links]) u32[(record + field) >>> 2] = value;
      if (program !== null) this.counting.push({ pipeline, index: program, record });
    }
    return links;
  }

  /** Writes the numbers and returns their address; 0 if there are none. */
  private table(numbers: ArrayLike<number>): number {
    return numbers.length === 0 ? 0 : this.wordsAt(numbers);
  }

  private wordsAt(words: ArrayLike<number>): number {
    const address = this.commands.take(words.length * 4);
    this.words.now().u32.set(words, address >>> 2);
    return address;
  }

  private bindStage(stage: StageProgram | null, state: Read): BoundStage {
    if (!stage) return NO_STAGE;
    const resources = this.resources(stage.resources, state);
    const { memory } = stage;
    const uniforms = memory.hasPrologue ? this.uniforms(stage, resources) : memory.constants;
    // `accessesDisjointElements` reads what the prologues have computed.
    if (stage.needsQuadOrder) this.prologues.runAll();
    const isApart =
      stage.needsQuadOrder && accessesDisjointElements(stage, resources, uniforms, this.pass, this.words.now().u32);
    return { program: memory.address, resources, uniforms, isApart };
  }

  /** The range of vertices that the draw call's indices refer to; null if it is unknown or not needed. */
  indexUse(command: DrawCommand, counts: DrawCounts): IndexUse | null {
    const { index, pipeline } = command.state;
    if (!command.indexed || !index || pipeline.state.primitive.topology !== 'triangle-list') return null;
    const { vertexStages, hasDistances } = pipeline as Pipeline;
    if (vertexStages.inputBytes > 0 || hasDistances) return null;
    if ((counts.first + counts.count) * index.bytes > index.size) return null;
    return this.ranges.of(index.buffer, index.offset + counts.first * index.bytes, counts.count, index.bytes);
  }

  private resources(resources: readonly IrResource[], state: Read): number {
    const table = this.commands.take(Math.max(1, resources.length) * Resource.bytes);
    let { u32 } = this.words.now();
    let at = table;
    for (const resource of resources) {
      if (resource.kind === 'workgroup' || resource.kind === 'counters')
        return unreachable(`render: ${resource.kind} in a draw`);
      if (resource.kind === 'immediate' || resource.kind === 'blend-constant') {
        const address = this.given(resource, state);
        u32 = this.words.now().u32;
        putImmediates(u32, at, address, resource);
      } else {
        const { group: index, binding } = resource;
        const group = state.groups[index];
        const bound = group?.group.entries.get(binding);
        if (!group || !bound) unreachable(`render: group ${index} binding ${binding} is not bound`);
        putResource(u32, at, group, bound, binding);
      }
      at += Resource.bytes;
    }
    return table;
  }

  /** Address of data that comes with a draw call. */
  private given({ kind }: WithDraw, { immediates, blendConstant }: Read): number {
    if (kind === 'immediate') return this.wordsAt(immediates ?? unreachable('render: no immediate data'));
    const address = this.commands.take(16);
    put(this.words.now().f32, address, blendConstant ?? unreachable('render: no blend constant'));
    return address;
  }

  private uniforms(stage: StageProgram, resources: number): number {
    const block = this.commands.take(Math.max(4, stage.uniforms * 4));
    this.prologues.add(this.words.now().u32, stage.memory.address, resources, block);
    return block;
  }

  private attributes({ attributes, attributeTable }: Pipeline, buffers: DrawState['vertexBuffers']): number {
    if (attributes.length === 0) return 0;
    const table = this.wordsAt(attributeTable);
    const { u32 } = this.words.now();
    let at = table;
    for (const { slot, offset } of attributes) {
      const bound = buffers[slot];
      u32[(at + Attribute.address) >>> 2] = bound ? bound.buffer.address + bound.offset + offset : 0;
      u32[(at + Attribute.limit) >>> 2] = bound ? Math.max(0, bound.size - offset) : 0;
      at += Attribute.bytes;
    }
    return table;
  }
}

/** Whether two viewports may have a pixel in common. Setup rounds in the same way (assembly/vertex/prepare.ts). */
function overlap(viewports: readonly Viewport[]): boolean {
  const end = (start: number, length: number): number => Math.ceil(Math.fround(start + length));
  const rectangles = viewports.map(([x, y, width, height]) => ({
    left: Math.floor(x),
    top: Math.floor(y),
    right: end(x, width),
    bottom: end(y, height),
  }));
  return rectangles.some((a, i) =>
    rectangles.slice(i + 1).some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
  );
}

/** TypedArray.set with a plain array takes several times as long. */
function put(words: Float32Array, address: number, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) words[(address >>> 2) + i] = values[i]!;
}

/**
 * If the sample mask excludes some samples, counting quads during rasterisation is not enough. The query is then
 * evaluated after the shader, from the samples that remain. A draw call without a fragment shader has no query to
 * evaluate and writes no colour.
 */
function putQuery(u32: Uint32Array, record: number, { buffer, offset }: QuerySlot, { state, fragment }: Leaf): void {
  if (state.kind !== 'raster') return;
  u32[(record + Draw.query) >>> 2] = buffer.address + offset;
  const { count, mask } = state.output.multisample;
  const all = 2 ** count - 1;
  const selected = (mask & all) >>> 0;
  if (!fragment || selected === 0 || selected === all) return;
  const flags = (record + Draw.flags) >>> 2;
  u32[flags] = (u32[flags]! & ~DRAW_FLAG_DEFERRED) | DRAW_FLAG_LATE_DEPTH;
}

function putStage(u32: Uint32Array, stage: number, { program, uniforms, resources }: BoundStage): void {
  u32[(stage + Stage.program) >>> 2] = program;
  u32[(stage + Stage.uniforms) >>> 2] = uniforms;
  u32[(stage + Stage.resources) >>> 2] = resources;
}

function putFetched(u32: Uint32Array, record: number, { attributes, sources }: Fetched): void {
  u32[(record + Draw.attributes) >>> 2] = attributes;
  u32[(record + Draw.varyingSources) >>> 2] = sources;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function putCounts(
  u32: Uint32Array,
  record: number,
  command: DrawCommand,
  counts: DrawCounts,
  use: IndexUse | null
): void {
  const { index } = command.state;
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
