// Pipelines that the caller puts together: device.createModularPipeline, with the feature "modular-pipelines"
// (design §4). A table compiles nothing itself: each choice of its stages is a pipeline of the renderer, linked when it
// is first drawn with, of programs that all of them share.

import type { InputTopology, PipelineStore } from '../render/types';
import { madeBy, type BufferMap } from '../mpipe';
import { ProgramTooLargeError } from '../base/lost';
import { finish, type Steps } from '../base/steps';
import { OutOfMemoryError } from '../memory';
import { inTurns } from '../schedule';
import { bindGroupLayoutSlot, type BindGroupLayoutCore } from './bind-layout';
import { ApiObject, describe, refuse, requireUsable, type DeviceCore } from './device-core';
import { needArguments, nullable, promising, u32 } from './idl';
import { completeLabelled, constructing, slot } from './interface';
import {
  modularPipelineDescriptor, modularStage, type ModularPipelineDescriptor, type ModularStageDescriptor,
  type BufferSinkDescriptor, type RasterSinkDescriptor,
} from './modular-descriptor';
import {
  assembledTopology, attributesWritten, checkChoice, checkPairs, checkStage, emissionOf, headerOf, isOn, MOST_SLOTS,
  patchOf, type Choice, type FragmentStage, type StageHeader, type TableSlot,
} from './modular-table';
import {
  checkDepthStencil, checkFragment, checkMultisample, checkPrimitive, checkVertexBuffers, type Attributes, type No,
} from './pipeline-checks';
import { withoutOverflowing } from './front-end';
import {
  layoutGroups, madeInTurns, madeNow, RenderPipelineCore, slotsOf, stageProgram, stateOf, tableProgram, type Making,
  type OutputDescriptor,
} from './pipeline';
import type { StageDescriptor } from './pipeline-descriptor';
import { checkLayout, lateSizes, writesSurfaces } from './pipeline-layout';
import { vertexFormatInfo } from './vertex-format';

/** A table as it was asked for, with everything that does not hang on which of its stages are on. */
interface TableParts {
  readonly slots: readonly (TableSlot | null)[];
  /** What is on where nobody says otherwise. */
  readonly choice: Choice;
  readonly attributes: Attributes;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly fragment: FragmentStage | null;
  /** The sink's, as a render pipeline has it. */
  readonly raster: OutputDescriptor;
  /** Where vertices go instead of there; else null. */
  readonly sink: BufferSinkDescriptor | null;
  readonly input: Omit<ModularPipelineDescriptor['input'], 'topology'> & { readonly topology: InputTopology };
}

/** An edge of a table as it stands: what is in its packets, what was dropped, what has its default. */
export interface EdgeMap extends BufferMap {
  /** A slot, or the vertex buffers. */
  readonly from: number | 'input';
  /** A slot, the fragment program behind setup, or the buffer of a sink. */
  readonly to: number | 'fragment' | 'buffer';
  /** Of a packet; positions, which setup takes, are not in it. */
  readonly bytesPerVertex: number;
}

/** What a slot's stage has done, in all passes that are done. */
export interface SlotStatistics {
  /** Warps. */
  readonly runs: number;
  /** Packets: vertices in and out, and primitives, which stages of kind `geometry` make anew. */
  readonly verticesIn: number;
  readonly verticesOut: number;
  readonly primitivesIn: number;
  readonly primitivesOut: number;
  /** Emitted beyond `maxVertices`. */
  readonly verticesDropped: number;
}

/** Of a table, since it was made or a stage of it was replaced. */
export interface TableStatistics {
  /** Null for empty slots. A table of one vertex stage counts nothing: it is a render pipeline. */
  readonly slots: readonly (SlotStatistics | null)[];
  /** Bytes of packets that went to memory, for stages of kind `geometry` and buffers; between vertex stages none do. */
  readonly bytesCopied: number;
  /** Of memory for what waits for such stages, of each thread that renders, as the table is. */
  readonly bytesHeld: number;
  /** Choices of slots that were drawn with, each linked once. */
  readonly mapsMade: number;
}

const NOTHING: SlotStatistics = {
  runs: 0, verticesIn: 0, verticesOut: 0, primitivesIn: 0, primitivesOut: 0, verticesDropped: 0,
};

export class ModularPipelineCore extends ApiObject {
  #parts: TableParts | null;
  /** By choice; what no choice of the table as it is now has is forgotten. */
  readonly #variants = new Map<number, { readonly core: RenderPipelineCore; readonly chosen: readonly number[] }>();
  /** That of the last draw: most draws have the choice of the one before. */
  #latest: { readonly choice: Choice; readonly core: RenderPipelineCore } | null = null;
  #initial: RenderPipelineCore | null;

  constructor(device: DeviceCore, label: string, made: { parts: TableParts; store: PipelineStore } | null) {
    super(device, 'ModularPipeline', label, made !== null);
    this.#parts = made?.parts ?? null;
    this.#initial = made && this.#keep(this.choice, variant(this, made.parts, this.choice, made.store));
  }

  get #table(): TableParts {
    if (this.#parts === null) throw new TypeError('an invalid pipeline has no parts');
    return this.#parts;
  }

  get choice(): Choice { return this.#table.choice; }

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
    const core = this.#variants.get(keyOf(choice))?.core ?? this.#link(choice, no);
    this.#latest = { choice, core };
    return core;
  }

  #link(choice: Choice, no: No): RenderPipelineCore {
    const parts = this.#table, { device } = this;
    checkParts(device, parts, choice, no);
    try {
      const store = finish(linking(device, parts, choice));
      device.render.compile(store);
      return this.#keep(choice, variant(this, parts, choice, store));
    } catch (error) {
      if (error instanceof ProgramTooLargeError || error instanceof OutOfMemoryError) no(error.message);
      throw error;
    }
  }

  #keep(choice: Choice, core: RenderPipelineCore): RenderPipelineCore {
    this.#variants.set(keyOf(choice), { core, chosen: chosenOf(this.#table, choice).map(({ index }) => index) });
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
      if (made) checkLayout(old.groups, [made.stage], (message) => no(`slot ${index}: ${message}`));
      slots[index] = made;
      const choice = choiceOf(slots), parts = { ...old, slots, choice };
      checkParts(device, parts, choice, no);
      const store = finish(linking(device, parts, choice));
      device.render.compile(store);
      this.#parts = parts;
      this.#variants.clear();
      this.#latest = null;
      this.#initial = this.#keep(choice, variant(this, parts, choice, store));
    });
  }

  get headers(): readonly (StageHeader | null)[] {
    const { registersOfStages } = this.initial.parts.store, { choice } = this;
    let at = 0;
    return this.#table.slots.map((slot, index) => (slot
      ? headerOf(slot, isOn(choice, index) ? registersOfStages[at++] ?? null : null)
      : null));
  }

  get statistics(): TableStatistics {
    const slots: (SlotStatistics | null)[] = this.#table.slots.map((slot) => (slot ? NOTHING : null));
    let bytesCopied = 0;
    for (const { core: { parts: { store, state } }, chosen } of this.#variants.values()) {
      let vertices = store.counts[0]!.verticesIn;
      store.counts.forEach(({ runs, primitivesIn, verticesOut, primitivesOut, dropped }, i) => {
        const stage = state.geometry[i]!, emits = madeBy([stage]).length > 0, slot = chosen[i]!;
        slots[slot] = sum(slots[slot]!, {
          runs, verticesIn: vertices, verticesOut: emits ? verticesOut : vertices, primitivesIn, primitivesOut,
          verticesDropped: dropped,
        });
        // Control points wait for the first of a pair.
        if (stage.emission ?? stage.patch?.kind === 'control') bytesCopied += vertices * bytesOf(store.maps[i]!);
        if (emits) vertices = verticesOut;
      });
      if (state.sink) bytesCopied += vertices * bytesOf(store.maps.at(-1)!);
    }
    return { slots, bytesCopied, bytesHeld: this.initial.parts.store.inputBytes, mapsMade: this.#variants.size };
  }

  get edges(): readonly EdgeMap[] {
    const { maps } = this.initial.parts.store, chosen = chosenOf(this.#table, this.choice).map(({ index }) => index);
    return maps.map((map, i) => ({
      from: chosen[i - 1] ?? 'input', to: chosen[i] ?? (this.#table.sink ? 'buffer' : 'fragment'), ...map,
      bytesPerVertex: bytesOf(map),
    }));
  }
}

const bytesOf = ({ live }: BufferMap): number => 4 * live.reduce((all, { components }) => all + components.length, 0);

const sum = (a: SlotStatistics, b: SlotStatistics): SlotStatistics => ({
  runs: a.runs + b.runs, verticesIn: a.verticesIn + b.verticesIn, verticesOut: a.verticesOut + b.verticesOut,
  primitivesIn: a.primitivesIn + b.primitivesIn, primitivesOut: a.primitivesOut + b.primitivesOut,
  verticesDropped: a.verticesDropped + b.verticesDropped,
});

const keyOf = ({ enabled, entry }: Choice): number => (enabled >>> 0) * MOST_SLOTS + entry;

function choiceOf(slots: TableParts['slots']): Choice {
  let enabled = 0;
  for (const slot of slots) if (slot?.d.enabled) enabled |= 1 << slot.index;
  return { enabled, entry: 0 };
}

function chosenOf({ slots }: TableParts, choice: Choice): TableSlot[] {
  return slots.filter((slot): slot is TableSlot => slot !== null && isOn(choice, slot.index));
}

function checkParts(device: DeviceCore, parts: TableParts, choice: Choice, no: No): void {
  const { attributes, input, fragment, sink } = parts, end = { fragment: fragment?.stage.entry ?? null, sink };
  checkPairs(parts.slots, choice, no);
  checkChoice(device, chosenOf(parts, choice), attributes, input.topology, end, no);
}

function linking(device: DeviceCore, parts: TableParts, choice: Choice): Steps<PipelineStore> {
  const { raster, input, attributes, fragment, sink } = parts;
  const state = stateOf(raster, input.buffers, {
    geometry: chosenOf(parts, choice).map(({ table }) => table), source: attributesWritten(attributes),
    fragment: fragment?.table ?? null,
  }, sink && {
    arrayStride: sink.arrayStride, attributes: sink.attributes.map(({ shaderLocation, offset, format }) => ({
      location: shaderLocation, offset, size: vertexFormatInfo(format).bytes / 4,
    })),
  });
  return withoutOverflowing(device.render.createPipeline(state));
}

function variant(
  { device, label }: ModularPipelineCore, parts: TableParts, choice: Choice, store: PipelineStore
): RenderPipelineCore {
  const { groups, fragment, input } = parts, chosen = chosenOf(parts, choice).map(({ stage }) => stage);
  return new RenderPipelineCore(device, label, {
    state: store.state, store, groups, lateSizes: lateSizes(groups, fragment ? [...chosen, fragment.stage] : chosen),
    slots: slotsOf(input.buffers), stripIndexFormat: input.stripIndexFormat,
  }, 'ModularPipeline');
}

function* slotOf(
  device: DeviceCore, index: number, d: ModularStageDescriptor, who: Making, no: No
): Steps<TableSlot> {
  const noSlot: No = (message) => no(`stages[${index}]: ${message}`);
  const { kind } = d;
  if (kind === 'primitive')
    return noSlot(`Rasterloom does not have stages of kind "${kind}" yet; there are "vertex", "geometry", "tess_control" and "tess_evaluation"`);
  const stage = stageProgram(kind, d, who, device, noSlot);
  checkStage(device, { index, stage }, no);
  const emission = emissionOf(index, d, stage, no);
  return { index, d, stage, table: yield* tableProgram(d, stage, emission, patchOf(index, d, stage, no)) };
}

type SinkDescriptor = Pick<ModularPipelineDescriptor['sinks'][number], 'raster' | 'buffer'>;

/** The one sink that there is yet. */
function oneSink(d: ModularPipelineDescriptor, no: No): SinkDescriptor {
  if (d.edges !== undefined)
    no('Rasterloom does not have `edges` yet: leave them out, and each enabled slot goes to the next');
  d.sinks.forEach((sink, i) => {
    const kinds = (['raster', 'buffer', 'pipeline'] as const).filter((kind) => (sink[kind] ?? null) !== null);
    if (kinds.length !== 1) no(`sinks[${i}] must have one of raster, buffer and pipeline; it has ${kinds.length}`);
    if (kinds[0] === 'pipeline')
      no(`sinks[${i}]: Rasterloom does not have pipeline sinks yet; there are raster and buffer`);
    if (sink.from !== undefined)
      no(`sinks[${i}]: Rasterloom does not have \`from\` yet: the last enabled slot goes there`);
  });
  if (d.sinks.length > 1) no(`${d.sinks.length} sinks: Rasterloom does not have several sinks yet; give it one`);
  return d.sinks[0] ?? no('sinks is empty; give it one, { raster: … } or { buffer: … }');
}

/** A raster sink that draws nothing: what stands behind the vertices of a table that ends in a buffer. */
const NO_RASTER: RasterSinkDescriptor = {
  primitive: { frontFace: 'ccw', cullMode: 'none', unclippedDepth: false }, depthStencil: null, fragment: null,
  multisample: { count: 1, mask: 0xffffffff, alphaToCoverageEnabled: false },
};

function checkSinkBuffer({ arrayStride, attributes }: BufferSinkDescriptor, device: DeviceCore, no: No): void {
  const at = 'sinks[0].buffer', { maxVertexBufferArrayStride: most } = device.limits;
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

/** With the topology that reaches setup where stages are as the table has them. */
function drawnBy(raster: OutputDescriptor, { stages }: ModularPipelineDescriptor): OutputDescriptor {
  const last = stages.findLast((stage) => stage?.enabled && /^(geometry|tess_evaluation)$/.test(stage.kind));
  if (!last) return raster;
  const usual = last.kind === 'geometry' ? 'triangle-strip' : last.domain === 'lines' ? 'line-list' : 'triangle-list';
  return { ...raster, primitive: { ...raster.primitive, topology: last.topology ?? usual } };
}

function* building(
  device: DeviceCore, d: ModularPipelineDescriptor, who: Making
): Steps<{ parts: TableParts; store: PipelineStore }> {
  const no: No = (message) => refuse(who, who.call, message);
  const { raster: given, buffer: stream } = oneSink(d, no), sink = given ?? NO_RASTER;
  if (stream) checkSinkBuffer(stream, device, no);
  if (d.stages.length > MOST_SLOTS) no(`${d.stages.length} stages; a table has ${MOST_SLOTS} slots`);
  const topology = assembledTopology(d.input, no), input = { ...d.input, topology }, attributes = checkVertexBuffers(device, input.buffers, 'input.buffers', no);
  const inRaster: No = (message) => no(`sinks[0].raster: ${message}`);
  const { frontFace, cullMode, unclippedDepth } = sink.primitive, { stripIndexFormat } = input;
  const raster = {
    ...sink, label: d.label, primitive: { frontFace, cullMode, unclippedDepth, topology, stripIndexFormat },
  };
  checkPrimitive(device, raster, inRaster);
  if (sink.depthStencil !== null) checkDepthStencil(drawnBy(raster, d), sink.depthStencil, inRaster);
  const fragmentStage = sink.fragment && stageProgram('fragment', sink.fragment, who, device, inRaster);
  const entry = fragmentStage?.entry ?? null;
  if (given) {
    checkFragment(device, raster, entry, fragmentStage !== null && writesSurfaces(fragmentStage), inRaster);
    checkMultisample(device, raster, entry, inRaster);
  }
  const slots: (TableSlot | null)[] = [];
  for (const [index, stage] of d.stages.entries())
    slots.push(stage && (yield* withoutOverflowing(slotOf(device, index, stage, who, no))));
  const stages = slots.flatMap((slot) => slot?.stage ?? []);
  const groups = layoutGroups(
    device, d, input.buffers.length, fragmentStage ? [...stages, fragmentStage] : stages, who, no
  );
  const fragment = fragmentStage && {
    stage: fragmentStage,
    table: yield* withoutOverflowing(tableProgram(sink.fragment as StageDescriptor, fragmentStage)),
  };
  const choice = choiceOf(slots);
  const parts: TableParts = { slots, choice, attributes, groups, fragment, raster, input, sink: stream };
  checkParts(device, parts, choice, no);
  return { parts, store: yield* linking(device, parts, choice) };
}

export const modularPipelineSlot = slot<ModularPipelineCore>('ModularPipeline');
class ModularPipeline {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = modularPipelineSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')));
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
    return core.valid ? core.statistics : { slots: [], bytesCopied: 0, bytesHeld: 0, mapsMade: 0 };
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
    const call = 'createModularPipeline', d = modularPipelineDescriptor(value, `${call}: descriptor`);
    const who = { called: describe('ModularPipeline', d.label), call };
    const made = madeNow(core, who, () => {
      const built = finish(building(core, d, who));
      core.render.compile(built.store);
      return built;
    });
    return modularPipelineSlot.make(new ModularPipelineCore(core, d.label, made));
  };
  const createModularPipelineAsync = (value?: unknown): Promise<object> => promising(async () => {
    const call = 'createModularPipelineAsync', d = modularPipelineDescriptor(value, `${call}: descriptor`);
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
