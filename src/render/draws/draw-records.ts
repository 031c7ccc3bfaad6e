// Writes a DRAW record for each draw command: fills in everything that the pipeline's template leaves open.
import {
  DRAW_FLAG_DISJOINT_ACCESSES,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_DECLARED_UNORDERED,
  DRAW_FLAG_LATE_DEPTH,
} from '../../../assembly/layout/pass/draw-codes';
import { RATE_COARSE } from '../../../assembly/layout/program/stage-codes';
import { CoarseStages, Draw, SampleSets, Stage } from '../../../build/layout';
import { shadingRates, type ShadingRate } from '../../shading-rate';
import type { CommandMemory } from '../memory/command-memory';
import { DrawOrder, orderOfSamples } from '../pipeline/draw-order';
import type { IndexRanges, IndexUse } from '../resources/index-ranges';
import type { TargetSize } from './disjoint-elements';
import type { Leaf, Pipeline } from '../pipeline/pipeline';
import type { Prologues } from './prologues';
import type { RateRecords } from './rate-records';
import type { DrawCommand, DrawState, DynamicState, QuerySlot, Viewport } from '../types';
import { CommandWords } from '../memory/command-words';
import { put } from '../memory/words';
import { StageCounters } from './stage-counters';
import {
  BoundStages,
  putFetched,
  putStage,
  type Bound,
  type BoundFirst,
  type BoundFragment,
  type BoundStage,
  type Fetched,
} from './bound-stages';
import { type DrawCounts, putCounts } from './draw-counts';
import { type SinkRange, putSinkRange } from './sink-ranges';

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

/**
 * The primitives of a draw call that get one DRAW record: those in one viewport, with one shading rate chosen by
 * stages.
 */
interface PartOfDraw {
  readonly viewport: number;
  readonly rate: ShadingRate | null;
}
const NO_ENDS: readonly number[] = [];
const WHOLE: PartOfDraw = { viewport: 0, rate: null };
/**
 * The rates in the order of the codes in primitive lists (assembly/vertex/primitive.ts). If no stage chooses rates,
 * there is one record.
 */
const NO_RATES = [null] as const;

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
  /** The counters of stages in the pass so far. */
  readonly counters: StageCounters;
  private readonly last = new Map<Pipeline, Last>();
  private readonly order = new DrawOrder();
  /** Number of draw calls that may run out of order; how many of them the renderer found itself. */
  independent = 0;
  foundIndependent = 0;
  readonly words: CommandWords;
  private readonly stages: BoundStages;

  /** `pass.countsStages`: all stages count their warps. */
  constructor(
    memory: WebAssembly.Memory,
    commands: CommandMemory,
    private readonly ranges: IndexRanges,
    prologues: Prologues,
    private readonly pass: TargetSize & { readonly countsStages: boolean },
    private readonly rates: RateRecords
  ) {
    this.words = new CommandWords(memory, commands);
    this.counters = new StageCounters(this.words);
    this.stages = new BoundStages(this.words, prologues, pass, this.counters);
  }

  /** Returns records with everything but the counts. */
  state({ state, groups }: Pick<DrawCommand, 'state' | 'groups'>, dynamic: DynamicState): StateRecords {
    const pipeline = state.pipeline as Pipeline;
    const last = this.last.get(pipeline);
    const bound = this.stages.bind(pipeline, { groups, immediates: state.immediates }, dynamic, last?.bound);
    const fetched = this.stages.fetch(pipeline, state, last?.fetched);
    const alike = last?.records.dynamic === dynamic ? last : null;
    if (alike && bound === alike.bound && fetched === alike.fetched) return alike.records;
    const records =
      alike && pipeline.isPlain
        ? this.changed(pipeline, alike.records, bound, fetched)
        : this.made(pipeline, dynamic, bound, fetched);
    this.last.set(pipeline, { bound, fetched, records });
    return records;
  }

  /** Writes the table of attributes of draw calls with a state. */
  attributes({ pipeline, vertexBuffers }: DrawState): number {
    return this.stages.attributes(pipeline as Pipeline, vertexBuffers);
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
    const record = this.words.take(bytes);
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
    const stages = this.words.put(coarse.stages);
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
    const sets = this.words.put(words);
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
    const rates = this.rates.of(leaf, dynamic, viewport, rate);
    const destinations = read ? this.words.put(read) : 0;
    const record = this.words.take(template.byteLength);
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
   * Writes a DRAW record for each viewport and rate. They have no counts, so all draw calls with this sink may share
   * them.
   */
  private putViewports(end: number, leaf: Leaf, fragment: BoundFragment, dynamic: DynamicState): void {
    const { viewports } = dynamic;
    const rates = leaf.hasRates ? shadingRates : NO_RATES;
    const parts = viewports.flatMap((_, viewport) => rates.map((rate): PartOfDraw => ({ viewport, rate })));
    const table = this.words.table(parts.map((part) => this.record(leaf, fragment, dynamic, part)));
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
      this.counters.addVertexStage({ pipeline, index: program, record: record + Draw.vertex });
    }
    const { leaves } = pipeline;
    const { u32 } = this.words.now();
    putCounts(u32, record, command, counts, use);
    if (pipeline.namesWorkers) u32[(record + Draw.vertex + Stage.counter) >>> 2] = 1;
    for (const leaf of leaves) this.rates.note(leaf, shared.dynamic);
    if (rooms.some((room) => room?.cursor)) this.independent++;
    else if (u32[(record + Draw.independent) >>> 2] !== 0) this.noteOrder(leaves[0]!, shared.dynamic, 1);
    if (!pipeline.isForked) {
      this.putEnd(record, command.state, leaves[0]!, rooms[0] ?? null);
      return record;
    }
    const table = this.words.take(leaves.length * 4);
    leaves.forEach((leaf, i) => {
      const end = this.own(shared.ends[i]!, leaf.template.byteLength, isFirst);
      this.words.now().u32[(table >>> 2) + i] = end;
      putCounts(this.words.now().u32, end, command, counts, use);
      this.putEnd(end, command.state, leaf, rooms[i] ?? null);
    });
    this.words.now().u32.set([table, leaves.length], (record + Draw.sinkDraws) >>> 2);
    return record;
  }

  private noteOrder({ order: { requested } }: Leaf, { orders }: DynamicState, amount: number): void {
    this.independent += amount;
    if (requested === 'auto' && orders.pixel === 'received') this.foundIndependent += amount;
  }

  private putEnd(record: number, state: DrawState, leaf: Leaf, room: SinkRange | null): void {
    if (room) {
      const { buffer, offset, size } = state.sinks[leaf.state.number]!;
      putSinkRange(this.words.now().u32, record, room, buffer.address + offset, size);
      room.records.push(record);
    }
    if (this.pass.countsStages) this.counters.addPixelStages(leaf, record);
  }

  /** Returns the state's record for its first draw call, and a copy for each later one. */
  private own(record: number, bytes: number, isFirst: boolean): number {
    if (isFirst) return record;
    const copy = this.words.take(bytes);
    this.words.now().u32.copyWithin(copy >>> 2, record >>> 2, (record + bytes) >>> 2);
    return copy;
  }

  /** Notes `amount` draw calls with DRAW CALL records and this DRAW record. */
  note({ stages, leaves }: Pipeline, record: number, dynamic: DynamicState, amount: number): void {
    for (const stage of stages) stage.runs += amount;
    if (this.words.now().u32[(record + Draw.independent) >>> 2] !== 0) this.noteOrder(leaves[0]!, dynamic, amount);
  }

  /** The range of vertices that an indexed draw call's indices refer to; null if it is unknown or not needed. */
  indexUse({ index, pipeline }: DrawState, first: number, count: number): IndexUse | null {
    if (!index || pipeline.state.primitive.topology !== 'triangle-list') return null;
    const { vertexStages, hasDistances } = pipeline as Pipeline;
    if ((vertexStages.inputBytes > 0 && vertexStages.stored === null) || hasDistances) return null;
    if ((first + count) * index.bytes > index.size) return null;
    return this.ranges.of(index.buffer, index.offset + first * index.bytes, count, index.bytes);
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
