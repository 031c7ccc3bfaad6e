// Pipelines that the caller puts together: device.createModularPipeline, with the feature "modular-pipelines"
// (design §4). A table compiles nothing itself: each choice of its stages is a pipeline of the renderer, linked when it
// is first drawn with, of programs that all of them share.

import type { BufferSinkState, InputTopology, PipelineStore, SinkState } from '../render/types';
import { isPassed, madeBy, mapTree, pathsOf, splitBefore, stagesOf, type BufferMap } from '../mpipe';
import { unreachable } from '../base/assert';
import { ProgramTooLargeError } from '../base/lost';
import { finish, type Steps } from '../base/steps';
import { OutOfMemoryError } from '../memory';
import { inTurns } from '../schedule';
import { bindGroupLayoutSlot, type BindGroupLayoutCore, type PipelineLayoutCore } from './bind-layout';
import { ApiObject, describe, refuse, requireUsable, type DeviceCore } from './device-core';
import { needArguments, nullable, object, promising, u32 } from './idl';
import { completeLabelled, constructing, slot } from './interface';
import {
  modularPipelineDescriptor, modularStage, type ModularPipelineDescriptor, type ModularStageDescriptor,
  type BufferSinkDescriptor, type RasterSinkDescriptor,
} from './modular-descriptor';
import { requireOutputFormats } from './pipeline-descriptor';
import { graphOf, treeOf, type Graph } from './modular-graph';
import {
  assembledTopology, attributesWritten, checkChoice, checkPairs, checkStage, emissionOf, headerOf, MOST_SINKS,
  MOST_SLOTS, patchOf, type Choice, type ChosenTree, type StageHeader, type TableSink, type TableSlot,
} from './modular-table';
import {
  checkDepthStencil, checkPrimitive, checkVertexBuffers, type Attributes, type No,
} from './pipeline-checks';
import { fragmentTable, type FragmentProgram } from './fragment-stages';
import { checkStageInputs } from './modular-budget';
import {
  checkFragmentOutput, compilePart, fragmentOf, layoutGroups, madeInTurns, madeNow, outputState, RenderPipelineCore,
  slotsOf, stageProgram, tableProgram, type Making, type OutputDescriptor,
} from './pipeline';
import { immediateWords } from './immediates';
import { checkLayout, lateSizes } from './pipeline-layout';
import { checkPixelOrder, checkTableOrder } from './processing-order';
import { vertexFormatInfo } from './vertex-format';

/** A table as it was asked for, with everything that does not hang on which of its stages are on. */
interface TableParts {
  readonly slots: readonly (TableSlot | null)[];
  readonly graph: Graph;
  /** What is on where nobody says otherwise. */
  readonly choice: Choice;
  readonly attributes: Attributes;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly layout: PipelineLayoutCore | 'auto';
  readonly sinks: readonly TableSink[];
  readonly input: Omit<ModularPipelineDescriptor['input'], 'topology'> & { readonly topology: InputTopology };
  readonly processingOrder: ModularPipelineDescriptor['processingOrder'];
}

/** An edge of a table as it stands: what is in its packets, what was dropped, what has its default. */
export interface EdgeMap extends BufferMap {
  /** A slot, or the vertex buffers. */
  readonly from: number | 'input';
  /** A slot, the fragment program behind setup, or the buffer of a sink. */
  readonly to: number | 'fragment' | 'buffer';
  /** Number of the sink, if it leads to one. */
  readonly sink: number | null;
  /** Of a packet, which all edges from there share; positions, which setup takes, are not in it. */
  readonly bytesPerVertex: number;
}

/** What a slot's stage has done, in all passes that are done. */
export interface SlotStatistics {
  /** Warps. */
  readonly runs: number;
  /**
   * Packets: vertices in and out, and primitives, which stages of kind `geometry` make anew, and of which those of kind
   * `primitive` drop some.
   */
  readonly verticesIn: number;
  readonly verticesOut: number;
  readonly primitivesIn: number;
  readonly primitivesOut: number;
  /** Emitted beyond `maxVertices`. */
  readonly verticesDropped: number;
  /** Its part of the table's `bytesHeld`. */
  readonly bytesHeld: number;
}

/** Of a table, since it was made or a stage of it was replaced. */
export interface TableStatistics {
  /** Null for empty slots. A table of one vertex stage counts nothing: it is a render pipeline. */
  readonly slots: readonly (SlotStatistics | null)[];
  /** Bytes of packets that went to memory, for stages of other kinds and buffers; between vertex stages none do. */
  readonly bytesCopied: number;
  /** Bytes of vertices in buffers that were moved to close the gaps between what stages emitted. */
  readonly bytesCompacted: number;
  /**
   * Of memory for what waits for such stages, of each thread that runs them, as the table is: what
   * `create({ budgets: { stageInputBytes } })` bounds.
   */
  readonly bytesHeld: number;
  /** Choices of slots that were drawn with, each linked once. */
  readonly mapsMade: number;
  /** Programs that these are made of and that are compiled by now; others are interpreted. */
  readonly programsCompiled: number;
}

const NOTHING: SlotStatistics = {
  runs: 0, verticesIn: 0, verticesOut: 0, primitivesIn: 0, primitivesOut: 0, verticesDropped: 0,
  bytesHeld: 0,
};

const NO_STATISTICS: TableStatistics = {
  slots: [], bytesCopied: 0, bytesCompacted: 0, bytesHeld: 0, mapsMade: 0, programsCompiled: 0,
};

export class ModularPipelineCore extends ApiObject {
  #parts: TableParts | null;
  /** By choice; what no choice of the table as it is now has is forgotten. */
  readonly #variants = new Map<number, RenderPipelineCore>();
  /** That of the last draw: most draws have the choice of the one before. */
  #latest: { readonly choice: Choice; readonly core: RenderPipelineCore } | null = null;
  #initial: RenderPipelineCore | null;

  constructor(device: DeviceCore, label: string, made: { parts: TableParts; store: PipelineStore } | null) {
    super(device, 'ModularPipeline', label, made !== null);
    this.#parts = made?.parts ?? null;
    this.#initial = made && this.#keep(this.choice, variant(this, made.parts, made.store));
  }

  get #table(): TableParts {
    if (this.#parts === null) throw new TypeError('an invalid pipeline has no parts');
    return this.#parts;
  }

  get choice(): Choice { return this.#table.choice; }

  /** What another table is told that has this one for a sink. */
  get parts(): TableParts { return this.#table; }

  /** Numbers of its sinks that are buffers. */
  get bufferSinks(): readonly number[] {
    return this.#table.sinks.flatMap(({ kind }, number) => (kind === 'buffer' ? [number] : []));
  }

  /** With its own choice. Only of valid pipelines. */
  get initial(): RenderPipelineCore { return this.#initial!; }

  /** The slot must hold a stage. */
  checkSlot(index: number, no: No): void {
    const { slots } = this.#table;
    if (slots[index]) return;
    no(index < slots.length
      ? `slot ${index} of ${this.called} is empty`
      : `${this.called} has ${slots.length} slots, and no slot ${index}`);
  }

  /**
   * The pipeline that a choice is: linked when it is asked for first. Nothing is compiled on this path, but where that
   * is forced (`engine: 'jit'`).
   */
  variant(choice: Choice, no: No): RenderPipelineCore {
    if (this.#latest?.choice === choice) return this.#latest.core;
    const core = this.#variants.get(keyOf(choice)) ?? this.#link(choice, no);
    this.#latest = { choice, core };
    return core;
  }

  #link(choice: Choice, no: No): RenderPipelineCore {
    const parts = this.#table, { device } = this, tree = checkedTree(device, parts, choice, no);
    try {
      const store = finish(linking(this, parts, tree, no));
      device.render.compile(store);
      return this.#keep(choice, variant(this, parts, store));
    } catch (error) {
      if (error instanceof ProgramTooLargeError || error instanceof OutOfMemoryError) no(error.message);
      throw error;
    }
  }

  #keep(choice: Choice, core: RenderPipelineCore): RenderPipelineCore {
    this.#variants.set(keyOf(choice), core);
    return core;
  }

  group(index: number): BindGroupLayoutCore {
    if (this.valid) return this.initial.group(index);
    return new RenderPipelineCore(this.device, this.label, null).group(index);
  }

  replace(index: number, d: ModularStageDescriptor | null): void {
    const call = 'replaceStage', no: No = (message) => refuse(this, call, message), { device } = this;
    madeNow(device, { called: this.called, call }, () => {
      requireUsable(this, this, device, call);
      const old = this.#table, slots = [...old.slots];
      if (index >= slots.length) no(`there are ${slots.length} slots, and no slot ${index}`);
      const made = d && finish(slotOf(device, index, d, { called: this.called, call }, no));
      if (made) {
        const noSlot: No = (message) => no(`slot ${index}: ${message}`);
        checkLayout(old.groups, [made.stage], noSlot);
        immediateWords([made.stage], { device, layout: old.layout }, noSlot);
      }
      slots[index] = made;
      const choice = choiceOf(slots), parts = { ...old, slots, choice };
      const store = finish(linking(this, parts, checkedTree(device, parts, choice, no), no));
      device.render.compile(store);
      this.#parts = parts;
      this.#variants.clear();
      this.#latest = null;
      this.#initial = this.#keep(choice, variant(this, parts, store));
    });
  }

  get headers(): readonly (StageHeader | null)[] {
    const { registersOfStages } = this.initial.parts.store, chosen = this.#chosen(this.initial);
    return this.#table.slots.map((slot, index) => {
      const registers = registersOfStages.filter((_, i) => chosen[i] === index);
      return slot && headerOf(slot, registers.length > 0 ? Math.max(...registers) : null);
    });
  }

  /** The slots of the vertex stages of a choice, in the order in which these are numbered. */
  #chosen({ parts: { state } }: RenderPipelineCore): number[] {
    const { slots } = this.#table;
    return stagesOf(state.tree).map((program) => slots.findIndex((slot) => slot?.table === program));
  }

  get statistics(): TableStatistics {
    const slots: (SlotStatistics | null)[] = this.#table.slots.map((slot) => (slot ? NOTHING : null));
    const compiled = new Set<object>();
    let bytesCopied = 0, bytesCompacted = 0;
    for (const core of this.#variants.values()) {
      const { store } = core.parts, { flow } = store, chosen = this.#chosen(core);
      bytesCopied += flow.bytesCopied;
      bytesCompacted += flow.bytesMoved;
      for (const program of store.compiled) compiled.add(program);
      flow.stages.forEach(({ dropped, ...counts }, i) => {
        const slot = chosen[i]!, emits = madeBy([this.#table.slots[slot]!.table]).length > 0;
        slots[slot] = sum(slots[slot]!, {
          ...counts, verticesOut: emits ? counts.verticesOut : counts.verticesIn, verticesDropped: dropped,
          bytesHeld: 0,
        });
      });
    }
    const { inputBytes: bytesHeld, inputsOfStages } = this.initial.parts.store, chosen = this.#chosen(this.initial);
    for (const { of, bytes } of inputsOfStages) {
      if (!('stage' in of)) continue;
      const slot = chosen[of.stage]!, counted = slots[slot]!;
      slots[slot] = { ...counted, bytesHeld: counted.bytesHeld + bytes };
    }
    return {
      slots, bytesCopied, bytesCompacted, bytesHeld, mapsMade: this.#variants.size, programsCompiled: compiled.size,
    };
  }

  get edges(): readonly EdgeMap[] {
    const chosen = this.#chosen(this.initial);
    return this.initial.parts.store.edges.map(({ from, to, sink, map, bytesPerVertex }) => ({
      from: from === null ? 'input' : chosen[from]!,
      to: to === null ? (sink!.kind === 'buffer' ? 'buffer' : 'fragment') : chosen[to]!, sink: sink?.number ?? null,
      ...map, bytesPerVertex,
    }));
  }
}

const sum = (a: SlotStatistics, b: SlotStatistics): SlotStatistics => ({
  runs: a.runs + b.runs, verticesIn: a.verticesIn + b.verticesIn, verticesOut: a.verticesOut + b.verticesOut,
  primitivesIn: a.primitivesIn + b.primitivesIn, primitivesOut: a.primitivesOut + b.primitivesOut,
  verticesDropped: a.verticesDropped + b.verticesDropped, bytesHeld: a.bytesHeld + b.bytesHeld,
});

const keyOf = ({ enabled, entry }: Choice): number => (enabled >>> 0) * (MOST_SLOTS + 1) + (entry ?? MOST_SLOTS);

function choiceOf(slots: TableParts['slots']): Choice {
  let enabled = 0;
  for (const slot of slots) if (slot?.d.enabled) enabled |= 1 << slot.index;
  return { enabled, entry: null };
}

/** What a choice runs, if that fits together. */
function checkedTree(device: DeviceCore, parts: TableParts, choice: Choice, no: No): ChosenTree {
  const { graph, slots } = parts;
  const tree = treeOf(graph, slots, choice, no) ?? no('no edges lead from where draws enter to a sink: add some, or choose another entry stage');
  checkPairs(tree, slots, no);
  for (const [number, topology] of checkChoice(device, tree, parts, no)) {
    const sink = parts.sinks[number]!;
    if (sink.kind !== 'raster' || sink.raster.depthStencil === null) continue;
    const primitive = { ...sink.raster.primitive, topology };
    checkDepthStencil({ primitive }, sink.raster.depthStencil, (message) => no(`sinks[${number}].raster: ${message}`));
  }
  return tree;
}

function* linking(
  { device, label }: Pick<ModularPipelineCore, 'device' | 'label'>, parts: TableParts, tree: ChosenTree, no: No
): Steps<PipelineStore> {
  const { input, attributes, sinks, processingOrder } = parts;
  const states = sinks.map((sink, number): SinkState => (sink.kind === 'buffer'
    ? { kind: 'buffer', number, buffer: bufferState(sink.buffer) }
    : { kind: 'raster', number, output: outputState(sink.raster, sink.fragment) }));
  const chosen = splitBefore(
    mapTree(tree, ({ table }) => table, (number) => states[number]!), ({ program }) => isPassed(program)
  );
  const first = pathsOf(chosen).flatMap(({ leaf }) => (leaf.kind === 'raster' ? leaf.output : []))[0];
  const store = yield* device.render.createPipeline({
    ...first ?? outputState(noRaster(input), null), label, processingOrder, buffers: input.buffers,
    source: attributesWritten(attributes), tree: chosen,
  });
  checkPixelOrder(store, 'processingOrder.pixel', no);
  checkStageInputs(device, store, stagesOf(tree).map(({ index }) => index), no);
  return store;
}

const bufferState = ({ arrayStride, attributes }: BufferSinkDescriptor): BufferSinkState => ({
  arrayStride, attributes: attributes.map(({ shaderLocation, offset, format }) => ({
    location: shaderLocation, offset, size: vertexFormatInfo(format).bytes / 4,
  })),
});

function variant(
  { device, label }: ModularPipelineCore, parts: TableParts, store: PipelineStore
): RenderPipelineCore {
  const { groups, layout, sinks, input } = parts, programs = new Set(stagesOf(store.state.tree));
  const chosen = parts.slots.flatMap((slot) => (slot && programs.has(slot.table) ? [slot.stage] : []));
  const fragments = sinks.flatMap((sink) => (sink.kind === 'raster' ? sink.fragment?.program.stages ?? [] : []));
  const stages = [...chosen, ...fragments];
  return new RenderPipelineCore(device, label, {
    state: store.state, store, groups, lateSizes: lateSizes(groups, stages),
    immediates: immediateWords(stages, { device, layout }, unreachable),
    slots: slotsOf(input.buffers), stripIndexFormat: input.stripIndexFormat,
  }, 'ModularPipeline');
}

function* slotOf(
  device: DeviceCore, index: number, d: ModularStageDescriptor, who: Making, no: No
): Steps<TableSlot> {
  const noSlot: No = (message) => no(`stages[${index}]: ${message}`);
  const { kind } = d;
  const stage = stageProgram(kind, d, who, device, noSlot);
  checkStage(device, { index, stage }, no);
  const emission = emissionOf(index, d, stage, no);
  return { index, d, stage, table: yield* tableProgram(d, stage, emission, patchOf(index, d, stage, no)) };
}

/** A raster sink that draws nothing: what stands behind the vertices of a table that ends in buffers alone. */
function noRaster({ topology }: TableParts['input']): OutputDescriptor {
  return {
    label: '', depthStencil: null, fragment: null, multisample: { count: 1, mask: 0xffffffff, alphaToCoverageEnabled: false },
    primitive: { frontFace: 'ccw', cullMode: 'none', unclippedDepth: false, topology, stripIndexFormat: undefined },
  };
}

function checkSinkBuffer(
  { arrayStride, attributes }: BufferSinkDescriptor, number: number, device: DeviceCore, no: No
): void {
  const at = `sinks[${number}].buffer`, { maxVertexBufferArrayStride: most } = device.limits;
  if (arrayStride === 0 || arrayStride % 4 !== 0 || arrayStride > most)
    no(`${at}: arrayStride ${arrayStride} must be a multiple of 4, from 4 to maxVertexBufferArrayStride ${most}`);
  if (attributes.length === 0) no(`${at}: attributes is empty; name what vertices keep`);
  attributes.forEach(({ shaderLocation, offset, format }, i) => {
    const { bytes } = vertexFormatInfo(format);
    if (offset % 4 !== 0 || offset + bytes > arrayStride)
      no(`${at}.attributes[${i}]: offset ${offset} must be a multiple of 4, with ${bytes} bytes before arrayStride ${arrayStride}`);
    if (attributes.findIndex((other) => other.shaderLocation === shaderLocation) !== i)
      no(`${at}.attributes[${i}]: shaderLocation ${shaderLocation} is taken by another attribute`);
  });
}

function rasterSink(
  device: DeviceCore, { label, input }: Descriptor, sink: RasterSinkDescriptor, who: Making, no: No
): { readonly raster: OutputDescriptor; readonly program: FragmentProgram | null } {
  const { frontFace, cullMode, unclippedDepth } = sink.primitive, { topology, stripIndexFormat } = input;
  const raster = {
    ...sink, label, primitive: { frontFace, cullMode, unclippedDepth, topology, stripIndexFormat },
  };
  requireOutputFormats(device, who.call, raster);
  checkPrimitive(device, raster, no);
  const program = sink.fragment && fragmentOf(sink.fragment, who, device, no);
  checkFragmentOutput(device, raster, program, no);
  return { raster, program };
}

/** All raster sinks of a table draw into the same pass. */
function checkAttachments(sinks: readonly TableSink[], no: No): void {
  const text = ({ fragment, depthStencil, multisample }: OutputDescriptor): string => [
    ...(fragment?.targets ?? []).map((target) => target?.format.name ?? 'none'), depthStencil?.format.name ?? 'no depth',
    `${multisample.count} sample(s)`,
  ].join(', ');
  let first: { readonly number: number; readonly attachments: string } | null = null;
  for (const [number, sink] of sinks.entries()) {
    if (sink.kind !== 'raster') continue;
    const attachments = text(sink.raster);
    first ??= { number, attachments };
    if (attachments !== first.attachments)
      no(`sinks[${number}] draws to ${attachments}, but sinks[${first.number}] to ${first.attachments}; a pass has the same for all`);
  }
}

/** A descriptor, with the tables among its sinks. */
type GivenDescriptor = Omit<ModularPipelineDescriptor, 'sinks'> & { readonly sinks: readonly SinkDescriptor[] };
/** And with what is assembled. */
type Descriptor = Omit<GivenDescriptor, 'input'> & Pick<TableParts, 'input'>;
type SinkDescriptor = Omit<ModularPipelineDescriptor['sinks'][number], 'pipeline'> & {
  readonly pipeline: ModularPipelineCore | null;
};

function descriptorOf(value: unknown, call: string): GivenDescriptor {
  const d = modularPipelineDescriptor(value, `${call}: descriptor`), core = nullable(object(modularPipelineSlot));
  return {
    ...d, sinks: d.sinks.map((sink, i) => ({ ...sink, pipeline: core(sink.pipeline, `${call}: sinks[${i}].pipeline`) })),
  };
}

function checkKind(sink: SinkDescriptor, number: number, no: No): void {
  const kinds = (['raster', 'buffer', 'pipeline'] as const).filter((kind) => (sink[kind] ?? null) !== null);
  if (kinds.length !== 1) no(`sinks[${number}] must have one of raster, buffer and pipeline; it has ${kinds.length}`);
}

/** Slots and sinks of another table that is a sink of this one, numbered behind those that there are. */
function appended(
  { slots, graph, sinks }: TableParts, from: readonly number[], before: { readonly slots: number }
): Pick<TableParts, 'slots' | 'graph' | 'sinks'> {
  const moved = (slot: number): number => slot + before.slots;
  const firsts = slots.flatMap((_, slot) => (graph.edges.some(([, to]) => to === slot) ? [] : [moved(slot)]));
  return {
    // The same table may be there twice, and statistics tell its slots by their programs.
    slots: slots.map((slot) => slot && { ...slot, index: moved(slot.index), table: { ...slot.table } }), sinks,
    graph: {
      edges: [
        ...firsts.flatMap((to) => from.map((slot): [number, number] => [slot, to])),
        ...graph.edges.map(([a, b]): [number, number] => [moved(a), moved(b)]),
      ],
      sinks: graph.sinks.map((slotsBefore) => slotsBefore.map(moved)),
    },
  };
}

type Table = Pick<TableParts, 'slots' | 'graph' | 'sinks'>;

/** The slots of a descriptor, its sinks, and how they hang together. */
function* tableOf(device: DeviceCore, d: Descriptor, who: Making, no: No): Steps<Table> {
  d.sinks.forEach((sink, number) => checkKind(sink, number, no));
  if (d.sinks.length === 0) no('sinks is empty; give it one, { raster: … } or { buffer: … }');
  const own: (TableSlot | null)[] = [];
  for (const [index, stage] of d.stages.entries())
    own.push(stage && (yield* slotOf(device, index, stage, who, no)));
  const graph = graphOf(own, d.edges, d.sinks, no);
  let slots: Table['slots'] = own, edges = graph.edges;
  const sinks: TableSink[] = [], before: (readonly number[])[] = [];
  for (const [number, { raster, buffer, pipeline }] of d.sinks.entries()) {
    const inSink: No = (message) => no(`sinks[${number}].raster: ${message}`), from = graph.sinks[number]!;
    if (pipeline) {
      requireUsable(pipeline, who, device, who.call);
      const more = appended(pipeline.parts, from, { slots: slots.length });
      slots = [...slots, ...more.slots];
      edges = [...edges, ...more.graph.edges];
      sinks.push(...more.sinks);
      before.push(...more.graph.sinks);
      continue;
    }
    before.push(from);
    if (buffer) {
      checkSinkBuffer(buffer, number, device, no);
      sinks.push({ kind: 'buffer', buffer });
    } else {
      const { raster: output, program } = rasterSink(device, d, raster!, who, inSink);
      const fragment = program && {
        program,
        ...yield* fragmentTable(program, output, compilePart, device.features.has('shading-rate'), inSink),
      };
      sinks.push({ kind: 'raster', raster: output, fragment });
    }
  }
  if (slots.length > MOST_SLOTS) no(`${slots.length} stages; a table has ${MOST_SLOTS} slots`);
  if (sinks.length > MOST_SINKS) no(`${sinks.length} sinks; a table has ${MOST_SINKS}`);
  return { slots, graph: { edges, sinks: before }, sinks };
}

function* building(
  device: DeviceCore, given: GivenDescriptor, who: Making
): Steps<{ parts: TableParts; store: PipelineStore }> {
  const no: No = (message) => refuse(who, who.call, message);
  const input = { ...given.input, topology: assembledTopology(given.input, no) }, d: Descriptor = { ...given, input };
  const attributes = checkVertexBuffers(device, input.buffers, 'input.buffers', no);
  const table = yield* tableOf(device, d, who, no), { slots, sinks } = table, { processingOrder } = d;
  checkAttachments(sinks, no);
  checkTableOrder(device, processingOrder, sinks, no);
  const programs = [
    ...slots.flatMap((slot) => slot?.stage ?? []),
    ...sinks.flatMap((sink) => (sink.kind === 'raster' ? sink.fragment?.program.stages ?? [] : [])),
  ];
  const groups = layoutGroups(device, d, input.buffers.length, programs, who, no), choice = choiceOf(slots);
  immediateWords(programs, { device, layout: d.layout }, no);
  const parts: TableParts = { ...table, choice, attributes, groups, layout: d.layout, input, processingOrder };
  const tree = checkedTree(device, parts, choice, no);
  return { parts, store: yield* linking({ device, label: d.label }, parts, tree, no) };
}

export const modularPipelineSlot = slot<ModularPipelineCore>('ModularPipeline');
class ModularPipeline {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = modularPipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')).again());
  }
  replaceStage(...args: unknown[]): undefined {
    const core = modularPipelineSlot.of(this);
    needArguments('replaceStage', args.length, 2);
    core.replace(u32(args[0], 'replaceStage: slot'), nullable(modularStage)(args[1], 'replaceStage: stage'));
  }
  get stages(): readonly (StageHeader | null)[] {
    const core = modularPipelineSlot.of(this);
    return core.valid ? core.headers : [];
  }
  statistics(): TableStatistics {
    const core = modularPipelineSlot.of(this);
    return core.valid ? core.statistics : NO_STATISTICS;
  }
  get edges(): readonly EdgeMap[] {
    const core = modularPipelineSlot.of(this);
    return core.valid ? core.edges : [];
  }
}
completeLabelled('ModularPipeline', ModularPipeline, modularPipelineSlot);

/** Gives a device the calls that make tables. */
export function installModularPipelines(device: object, core: DeviceCore): void {
  const createModularPipeline = (value?: unknown): object => {
    const call = 'createModularPipeline', d = descriptorOf(value, call);
    const who = { called: describe('ModularPipeline', d.label), call };
    const made = madeNow(core, who, () => {
      const built = finish(building(core, d, who));
      core.render.compile(built.store);
      return built;
    });
    return modularPipelineSlot.make(new ModularPipelineCore(core, d.label, made));
  };
  const createModularPipelineAsync = (value?: unknown): Promise<object> => promising(async () => {
    const call = 'createModularPipelineAsync', d = descriptorOf(value, call);
    const made = await madeInTurns(core, async () => {
      const built = await inTurns(building(core, d, { called: describe('ModularPipeline', d.label), call }));
      await core.render.prepare(built.store);
      return built;
    });
    return modularPipelineSlot.make(new ModularPipelineCore(core, d.label, made));
  });
  for (const [name, value] of Object.entries({ createModularPipeline, createModularPipelineAsync }))
    Object.defineProperty(device, name, { value, enumerable: false, configurable: true });
}
