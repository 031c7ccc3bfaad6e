// From a draw command to a DRAW record: what the pipeline's template leaves open.
import { DRAW_FLAG_APART, DRAW_FLAG_DEFERRED, DRAW_FLAG_FREE, DRAW_FLAG_LATE_DEPTH } from '../../assembly/layout/draw-codes';
import { RATE_COARSE } from '../../assembly/layout/stage-codes';
import { Attribute, CoarseStages, Draw, Resource, SampleSets, Stage } from '../../build/layout';
import { unreachable } from '../base/assert';
import type { IrResource } from '../ir';
import { shadingRates, type ShadingRate } from '../shading-rate';
import { putImmediates, putResource, sameGroups, type WithDraw } from './bound-groups';
import type { CommandMemory } from './command-memory';
import { DrawOrder, orderOfSamples } from './draw-order';
import type { IndexRanges, IndexUse } from './index-ranges';
import { ownsElements, type TargetSize } from './own-elements';
import type { Leaf, LeafPart, Pipeline } from './pipeline';
import type { Prologues } from './prologues';
import type { RateRecords } from './rate-records';
import type { StageProgram } from './stage-program';
import type { DrawCommand, DrawState, DynamicState, QuerySlot, Viewport } from './types';
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
  start: number;
  /** Vertices that it may write; when they have been counted, those that it writes. */
  vertices: number;
  /** Primitives that may be assembled. */
  readonly primitives: number;
  /** As Draw.sinkShare, Draw.sinkCounts and Draw.sinkCounted; no counts where what comes of each primitive is one. */
  readonly share: number;
  counts: number;
  counted: number;
  /** As Draw.sinkStarts. */
  starts: number;
  /** As Draw.sinkCursor; draws without order that stand one behind the other have it together. */
  readonly cursor: number;
  /** DRAW records that say so, one for each path to the sink. */
  readonly records: number[];
}

/** Says where in a sink of `size` bytes at `address` a DRAW record's vertices go. */
export function putRoom(u32: Uint32Array, record: number, room: SinkRoom, address: number, size: number): void {
  const start = Math.min(size, room.start);
  u32[(record + Draw.sink) >>> 2] = address + start;
  u32[(record + Draw.sinkBytes) >>> 2] = size - start;
  u32[(record + Draw.sinkShare) >>> 2] = room.share;
  u32[(record + Draw.sinkCounts) >>> 2] = room.counts;
  u32[(record + Draw.sinkCounted) >>> 2] = room.counted;
  u32[(record + Draw.sinkStarts) >>> 2] = room.starts;
  u32[(record + Draw.sinkCursor) >>> 2] = room.cursor;
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
interface Read {
  readonly groups: DrawState['groups'];
  readonly immediates: DrawState['immediates'];
  /** Where programs read it; else null. */
  readonly blendConstant: DynamicState['blendConstant'] | null;
}

/** The stages of a pipeline with the same groups bound. */
interface Bound {
  readonly read: Read;
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

/** What the last draw of a pipeline had: draws of several materials may alternate. */
interface Last { readonly bound: Bound; readonly fetched: Fetched; readonly records: StateRecords }

export class DrawRecords {
  /** STAGE records that count, of vertex stages of tables, or of all pipelines: of the pass so far. */
  readonly counting: { readonly pipeline: Pipeline; readonly index: number | null; readonly record: number }[] = [];
  /** Stages of pixels that count, where all pipelines' do, by Stage.counter less one. */
  readonly shading: StageProgram[] = [];
  private readonly last = new Map<Pipeline, Last>();
  private readonly order = new DrawOrder();
  /** Draws that need not follow others, or store in any order; those of them of which nobody said so. */
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
    private readonly rates: RateRecords,
  ) {
    this.words = new Words(memory);
  }

  /** Everything but the counts. */
  state(state: DrawState, dynamic: DynamicState): StateRecords {
    const pipeline = state.pipeline as Pipeline, last = this.last.get(pipeline);
    const bound = this.bind(pipeline, state, dynamic, last?.bound);
    const fetched = this.fetch(pipeline, state, last?.fetched);
    const alike = last?.records.dynamic === dynamic ? last : null;
    if (alike && bound === alike.bound && fetched === alike.fetched) return alike.records;
    const records = alike && pipeline.isPlain
      ? this.changed(pipeline, alike.records, bound, fetched)
      : this.made(pipeline, dynamic, bound, fetched);
    this.last.set(pipeline, { bound, fetched, records });
    return records;
  }

  private made(pipeline: Pipeline, dynamic: DynamicState, bound: Bound, fetched: Fetched): StateRecords {
    const { leaves } = pipeline, ends = pipeline.isForked
      ? leaves.map((leaf, i) => this.endRecord(leaf, bound.fragments[i]!, dynamic))
      : NO_ENDS;
    const record = this.record(leaves[0]!, bound.fragments[0]!, dynamic, WHOLE), { u32 } = this.words.now();
    putStage(u32, record + Draw.vertex, bound.vertex);
    for (const [field, value] of bound.links) u32[(record + Draw.vertex + field) >>> 2] = value;
    u32[(record + Draw.attributeCount) >>> 2] = pipeline.attributes.length;
    putFetched(u32, record, fetched);
    return { dynamic, record, ends, taken: false };
  }

  /** The same with other groups or vertex buffers, of a pipeline whose record has nothing else that names those. */
  private changed(
    pipeline: Pipeline, { record: from, dynamic }: StateRecords, { vertex, fragments }: Bound, fetched: Fetched
  ): StateRecords {
    const leaf = pipeline.leaves[0]!, fragment = fragments[0]!, bytes = leaf.template.byteLength;
    const record = this.commands.take(bytes), { u32 } = this.words.now();
    u32.copyWithin(record >>> 2, from >>> 2, (from + bytes) >>> 2);
    putStage(u32, record + Draw.vertex, vertex);
    putFetched(u32, record, fetched);
    this.putFragment(u32, record, leaf, fragment, dynamic, 0);
    return { dynamic, record, ends: NO_ENDS, taken: false };
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
    if (rates !== 0) {
      u32[(record + Draw.rates) >>> 2] = rates;
      u32[(record + Draw.fragment + Stage.rate) >>> 2] = RATE_COARSE;
    }
    u32[(record + Draw.destinations) >>> 2] = destinations;
    this.putFragment(u32, record, leaf, fragment, dynamic, viewport);
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

  /** Its program, and with which others its fragments may go; its rates are there. */
  private putFragment(
    u32: Uint32Array, record: number, leaf: Leaf, fragment: BoundStage, dynamic: DynamicState, viewport: number
  ): void {
    putStage(u32, record + Draw.fragment, fragment);
    // A table is one pipeline's with one set of groups: its address names them.
    u32[(record + Draw.shading) >>> 2] = fragment.resources;
    // What is shaded coarsely waits in packers of its own.
    const independent = u32[(record + Draw.rates) >>> 2] !== 0
      ? 0 : this.order.of(leaf.order, fragment.resources, dynamic, viewport);
    u32[(record + Draw.independent) >>> 2] = independent;
    const isFree = independent !== 0 && orderOfSamples(leaf.order.asked, dynamic.orders.pixel) === 'independent';
    const flags = (record + Draw.flags) >>> 2, others = u32[flags]! & ~(DRAW_FLAG_FREE | DRAW_FLAG_APART);
    u32[flags] = others | (isFree ? DRAW_FLAG_FREE : 0) | (fragment.isApart ? DRAW_FLAG_APART : 0);
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
    const { leaves } = pipeline, { u32 } = this.words.now();
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

  private noteOrder({ order: { asked } }: Leaf, { orders }: DynamicState): void {
    this.independent++;
    if (asked === 'auto' && orders.pixel === 'received') this.foundIndependent++;
  }

  private putEnd(record: number, state: DrawState, leaf: Leaf, room: SinkRoom | null): void {
    if (room) {
      const { buffer, offset, size } = state.sinks[leaf.state.number]!;
      putRoom(this.words.now().u32, record, room, buffer.address + offset, size);
      room.records.push(record);
    }
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

  /** A record for the state's first draw, a copy of it for each other. */
  private own(record: number, bytes: number, isFirst: boolean): number {
    if (isFirst) return record;
    const copy = this.commands.take(bytes);
    this.words.now().u32.copyWithin(copy >>> 2, record >>> 2, (record + bytes) >>> 2);
    return copy;
  }

  /** The tables of the pipeline's `last` draws, where these have the same vertex buffers. */
  private fetch(pipeline: Pipeline, { vertexBuffers: buffers }: DrawState, last: Fetched | undefined): Fetched {
    if (last && sameItems(last.buffers, buffers)) return last;
    const sources = last?.sources ?? this.table(pipeline.varyingSources);
    return { buffers, attributes: this.attributes(pipeline, buffers), sources };
  }

  /** The same of what stages read. */
  private bind(
    pipeline: Pipeline, { groups, immediates }: DrawState, dynamic: DynamicState, last: Bound | undefined
  ): Bound {
    const blendConstant = pipeline.readsBlendConstant ? dynamic.blendConstant : null;
    if (last?.read.immediates === immediates && last.read.blendConstant === blendConstant
      && sameGroups(last.read.groups, groups)) return last;
    const read = { groups, immediates, blendConstant };
    const fragments = pipeline.leaves.map((leaf) => this.bindLeaf(leaf, read));
    const { geometry, vertexStages: { placed } } = pipeline, { program, sources } = placed[0]!;
    const vertex = this.bindStage(program === null ? null : geometry[program]!, read);
    const isAlone = placed.length === 1 && sources.length === 0;
    return { read, vertex, links: isAlone ? NO_LINKS : this.bindBehind(pipeline, read), fragments };
  }

  private bindLeaf({ fragment, further, coarse }: Leaf, read: Read): BoundFragment {
    const bound = this.bindFirst(fragment, further, read);
    if (!coarse) return { ...bound, coarse };
    return {
      ...bound, coarse: {
        first: this.bindStage(coarse.first.fragment, read),
        pixels: this.bindFirst(coarse.pixels.fragment, coarse.pixels.further, read),
      },
    };
  }

  private bindFirst(fragment: StageProgram | null, further: LeafPart | null, read: Read): BoundFirst {
    const { program, resources, uniforms, isApart } = this.bindStage(fragment, read);
    return { program, resources, uniforms, isApart, further: this.bindStage(further && further.fragment, read) };
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
      const bound = this.bindStage(program === null ? null : geometry[program]!, state);
      const record = records[i] = this.commands.take(Stage.bytes);
      const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
      putStage(u32, record, bound);
      for (const [field, value] of [...fields, ...links]) u32[(record + field) >>> 2] = value;
      if (program !== null) this.counting.push({ pipeline, index: program, record });
    }
    return links;
  }

  /** The address of these numbers; 0: there are none. */
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
    const resources = this.resources(stage.resources, state), { memory } = stage;
    const uniforms = memory.hasPrologue ? this.uniforms(stage, resources) : memory.constants;
    // Then what it has computed is looked at.
    if (stage.takesTurns) this.prologues.runAll();
    const isApart = stage.takesTurns && ownsElements(stage, resources, uniforms, this.pass, this.words.now().u32);
    return { program: memory.address, resources, uniforms, isApart };
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
    const table = this.commands.take(Math.max(1, resources.length) * Resource.bytes);
    let { u32 } = this.words.now(), at = table;
    for (const resource of resources) {
      if (resource.kind === 'workgroup' || resource.kind === 'counters')
        return unreachable(`render: ${resource.kind} in a draw`);
      if (resource.kind === 'immediate' || resource.kind === 'blend-constant') {
        const address = this.given(resource, state);
        u32 = this.words.now().u32;
        putImmediates(u32, at, address, resource);
      } else {
        const { group: index, binding } = resource, group = state.groups[index];
        const bound = group?.group.entries.get(binding);
        if (!group || !bound) unreachable(`render: group ${index} binding ${binding} is not bound`);
        putResource(u32, at, group, bound, binding);
      }
      at += Resource.bytes;
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
    this.prologues.add(this.words.now().u32, stage.memory.address, resources, block);
    return block;
  }

  private attributes({ attributes, attributeTable }: Pipeline, buffers: DrawState['vertexBuffers']): number {
    if (attributes.length === 0) return 0;
    const table = this.wordsAt(attributeTable), { u32 } = this.words.now();
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
  u32: Uint32Array, record: number, command: DrawCommand, counts: DrawCounts, use: IndexUse | null
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
