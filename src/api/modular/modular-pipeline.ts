// Modular pipelines: device.createModularPipeline, with the feature "modular-pipelines". The modular pipeline itself
// compiles nothing. Each choice of its stages is a pipeline of the renderer. It is linked at its first draw call from
// programs that all choices share.
import type { PipelineStore } from '../../render/types';
import { pathsOf, stagesOf } from '../../mpipe';
import { unreachable } from '../../base/assert';
import { isNamed } from '../../base/errors';
import { finish, type Steps } from '../../base/steps';
import { bindGroupLayoutSlot, type BindGroupLayoutCore } from '../resources/bind-layout';
import { ApiObject, describe, refuse, Refusal, requireUsable, type DeviceCore, type Fail } from '../core/device-core';
import { needArguments, nullable, object, promising, u32 } from '../idl/idl';
import { completeLabelled, rejectConstruction, type Slot } from '../idl/interface';
import {
  modularPipelineDescriptor,
  modularStage,
  type ModularPipelineDescriptor,
  type ModularStageDescriptor,
} from './modular-descriptor';
import { graphOf, type IncomingEdges } from './modular-graph';
import { LikelyChoices } from './likely-choices';
import { MAX_SINKS, modularPipelineSlot, type Choice, type ModularDraws } from './modular-draws';
import { isPixelSlot } from './modular-pixels';
import { assembledTopology, MAX_SLOTS, type ChosenTree, type TableSink, type TableSlot } from './modular-slots';
import { stageDescriptionOf, type StageDescription } from './stage-description';
import { checkVertexBuffers } from '../pipelines/pipeline-checks';
import {
  layoutGroups,
  createInSlices,
  createSync,
  RenderPipelineCore,
  slotsOf,
  type CreationCall,
} from '../pipelines/pipeline';
import { immediateWords } from '../pipelines/immediates';
import { checkLayout, uncheckedBufferSizes } from '../pipelines/pipeline-layout';
import { checkModularOrder } from '../extensions/processing-order';
import { fragmentShaderOf } from './modular-source';
import {
  checkedTree,
  choiceOf,
  keyOf,
  linking,
  type ChainedPipeline,
  type ModularPipelineParts,
} from './modular-choice';
import {
  edgesOf,
  NO_STATISTICS,
  statisticsOf,
  type EdgeDescription,
  type LinkedChoice,
  type ModularPipelineStatistics,
} from './modular-statistics';
import { checkKind, checkSinkBuffer, rasterSink, checkAttachments } from './modular-sinks';
import { workerSet } from './modular-budget';
import { appendPipeline, movedSlot, slotOf, type Table } from './modular-table';

class ModularPipelineCore extends ApiObject implements ModularDraws {
  #parts: ModularPipelineParts | null;
  /** Pipelines by choice; cleared when a stage is replaced. */
  readonly #variants = new Map<number, Variant>();
  /** The pipeline of the last draw call: most draw calls have the same choice as the one before. */
  #latest: { readonly choice: Choice; readonly core: RenderPipelineCore } | null = null;
  #initial: Variant | null;
  /** Choices that no draw call has used yet. */
  readonly #likely: LikelyChoices<Variant>;
  /** Pipelines that end in this one. */
  readonly #users = new Set<WeakRef<ModularPipelineCore>>();

  constructor(device: DeviceCore, label: string, made: Built | null) {
    super(device, 'ModularPipeline', label, made !== null);
    this.#parts = made?.parts ?? null;
    this.#initial = made && this.#keep(this.choice, variant(this, made));
    this.#likely = new LikelyChoices(device, {
      link: async (choice) => {
        const parts = this.#table;
        const tree = checkedTree(device, parts, choice, unlikely);
        const store = await device.engine.runInSlices(linking(this, parts, tree, unlikely));
        device.render.compile(store);
        return variant(this, { parts, tree, store });
      },
      isUsed: (choice) => this.#variants.has(keyOf(choice)),
    });
    const self = new WeakRef(this);
    for (const { pipeline } of made?.parts.chained ?? []) (pipeline as ModularPipelineCore).#users.add(self);
  }

  get #table(): ModularPipelineParts {
    if (this.#parts === null) throw new TypeError('an invalid pipeline has no parts');
    return this.#parts;
  }

  get choice(): Choice {
    return this.#table.choice;
  }

  /** The parts that another modular pipeline needs to use this one as a sink. */
  get parts(): ModularPipelineParts {
    return this.#table;
  }

  get bufferSinks(): readonly number[] {
    return this.#table.sinks.flatMap(({ kind }, number) => (kind === 'buffer' ? [number] : []));
  }

  get initial(): RenderPipelineCore {
    return this.#initial!.core;
  }

  isPixelSlot(index: number): boolean {
    const slot = this.#table.slots[index];
    return slot ? isPixelSlot(slot) : false;
  }

  checkSlot(index: number, no: Fail): void {
    const { slots } = this.#table;
    if (slots[index]) return;
    no(
      index < slots.length
        ? `slot ${index} of ${this.called} is empty`
        : `${this.called} has ${slots.length} slots, but no slot ${index}`
    );
  }

  variant(choice: Choice, no: Fail): RenderPipelineCore {
    if (this.#latest?.choice === choice) return this.#latest.core;
    const { core } = this.#variants.get(keyOf(choice)) ?? this.#first(choice, no);
    this.#latest = { choice, core };
    return core;
  }

  #first(choice: Choice, no: Fail): Variant {
    const likely = this.#likely.take(choice);
    const made = likely ? this.#keep(choice, likely) : this.#link(choice, no);
    this.#likely.follow(choice, this.choice);
    return made;
  }

  #link(choice: Choice, no: Fail): Variant {
    const parts = this.#table;
    const { device } = this;
    const tree = checkedTree(device, parts, choice, no);
    try {
      const store = finish(linking(this, parts, tree, no));
      device.render.compile(store);
      return this.#keep(choice, variant(this, { parts, tree, store }));
    } catch (error) {
      if (isNamed(error, 'ProgramTooLargeError') || isNamed(error, 'OutOfMemoryError')) no(error.message);
      throw error;
    }
  }

  #keep(choice: Choice, made: Variant): Variant {
    this.#variants.set(keyOf(choice), made);
    return made;
  }

  group(index: number): BindGroupLayoutCore {
    if (this.valid) return this.initial.group(index);
    return new RenderPipelineCore(this.device, this.label, null).group(index);
  }

  /** Puts a stage into a slot, also in pipelines that end in this one. All of them stay as they are if one refuses. */
  replace(index: number, d: ModularStageDescriptor | null): void {
    const call = 'replaceStage';
    const no: Fail = (message) => refuse(this, call, message);
    const { device } = this;
    createSync(device, { called: this.called, call }, () => {
      requireUsable(this, this, device, call);
      const { slots } = this.#table;
      if (index >= slots.length) no(`there are ${slots.length} slots, but no slot ${index}`);
      const made = d && finish(slotOf(device, index, d, { called: this.called, call }, no));
      const changes = new Map<ModularPipelineCore, Map<number, TableSlot | null>>();
      this.#gather(index, made, changes);
      const built: (readonly [ModularPipelineCore, Built])[] = [];
      try {
        for (const [core, slotsOfCore] of changes) {
          const inCore: Fail = (message) =>
            core === this ? no(message) : no(`${core.called}, which ends in it, cannot take the stage: ${message}`);
          built.push([core, core.#rebuilt(slotsOfCore, inCore)]);
        }
      } catch (error) {
        for (const [, { store }] of built) store.destroy();
        throw error;
      }
      for (const [core, of] of built) core.#use(of);
    });
  }

  /** Notes a changed slot, and its copies in pipelines that end in this one. */
  #gather(
    index: number,
    slot: TableSlot | null,
    changes: Map<ModularPipelineCore, Map<number, TableSlot | null>>
  ): void {
    const own = changes.get(this) ?? new Map<number, TableSlot | null>();
    changes.set(this, own.set(index, slot));
    for (const ref of this.#users) {
      const user = ref.deref();
      if (!user) this.#users.delete(ref);
      for (const { pipeline, first } of user?.parts.chained ?? [])
        if (pipeline === this) user!.#gather(first + index, slot && movedSlot(slot, first), changes);
    }
  }

  /** Links the default choice with other stages in some slots. */
  #rebuilt(changed: ReadonlyMap<number, TableSlot | null>, no: Fail): Built {
    const { device } = this;
    const old = this.#table;
    const slots = old.slots.map((slot, index) => (changed.has(index) ? changed.get(index)! : slot));
    for (const [index, slot] of changed) {
      if (!slot) continue;
      const noSlot: Fail = (message) => no(`slot ${index}: ${message}`);
      checkLayout(old.groups, [slot.stage], noSlot);
      immediateWords([slot.stage], { device, layout: old.layout }, noSlot);
    }
    const parts = { ...old, slots, choice: choiceOf(slots) };
    const tree = checkedTree(device, parts, parts.choice, no);
    const store = finish(linking(this, parts, tree, no));
    device.render.compile(store);
    return { parts, tree, store };
  }

  #use(built: Built): void {
    this.#parts = built.parts;
    this.#variants.clear();
    this.#likely.clear();
    this.#latest = null;
    this.#initial = this.#keep(built.parts.choice, variant(this, built));
  }

  get headers(): readonly (StageDescription | null)[] {
    const { core, tree } = this.#initial!;
    const { registersOfStages } = core.parts.store;
    const chosen = stagesOf(tree);
    return this.#table.slots.map((slot, index) => {
      const registers = registersOfStages.filter((_, i) => chosen[i]!.index === index);
      return slot && stageDescriptionOf(slot, registers.length > 0 ? Math.max(...registers) : null);
    });
  }

  get statistics(): ModularPipelineStatistics {
    const choices = [...this.#variants.values()].map(linkedOf);
    return { ...statisticsOf(this.#table.slots, choices, linkedOf(this.#initial!)), choicesUnused: this.#likely.count };
  }

  get edges(): readonly EdgeDescription[] {
    return edgesOf(linkedOf(this.#initial!));
  }
}

/** Refuses a choice that no draw call has asked for. */
const unlikely: Fail = (message) => {
  throw new Refusal(message);
};
const linkedOf = ({ tree, core }: Variant): LinkedChoice => ({ tree, store: core.parts.store });

/** A choice that is linked: its stages and its pipeline. */
interface Variant {
  readonly tree: ChosenTree;
  readonly core: RenderPipelineCore;
}

/** Everything that a modular pipeline is created from, linked for its default choice. */
interface Built {
  readonly parts: ModularPipelineParts;
  readonly tree: ChosenTree;
  readonly store: PipelineStore;
}

function variant({ device, label }: ModularPipelineCore, { parts, tree, store }: Built): Variant {
  const { groups, layout, input } = parts;
  const stages = [
    ...stagesOf(tree).map(({ stage }) => stage),
    ...pathsOf(tree).flatMap(({ leaf }) => leaf.program?.stages ?? []),
  ];
  const core = new RenderPipelineCore(
    device,
    label,
    {
      state: store.state,
      store,
      groups,
      uncheckedBufferSizes: uncheckedBufferSizes(groups, stages),
      immediates: immediateWords(stages, { device, layout }, unreachable),
      slots: slotsOf(input.buffers),
      stripIndexFormat: input.stripIndexFormat,
    },
    'ModularPipeline'
  );
  return { tree, core };
}

/** A descriptor whose pipeline sinks are converted to their cores. */
type GivenDescriptor = Omit<ModularPipelineDescriptor, 'sinks'> & { readonly sinks: readonly SinkDescriptor[] };
/** A descriptor that also has its assembled topology. */
type Descriptor = Omit<GivenDescriptor, 'input'> & Pick<ModularPipelineParts, 'input'>;
type SinkDescriptor = Omit<ModularPipelineDescriptor['sinks'][number], 'pipeline'> & {
  readonly pipeline: ModularPipelineCore | null;
};

function descriptorOf(value: unknown, call: string): GivenDescriptor {
  const d = modularPipelineDescriptor(value, `${call}: descriptor`);
  const core = nullable(object(ownSlot));
  return {
    ...d,
    sinks: d.sinks.map((sink, i) => ({ ...sink, pipeline: core(sink.pipeline, `${call}: sinks[${i}].pipeline`) })),
  };
}

/** Builds the slots and sinks of a descriptor, and the graph between them. */
function* buildGraph(device: DeviceCore, d: Descriptor, who: CreationCall, no: Fail): Steps<Table> {
  d.sinks.forEach((sink, number) => checkKind(sink, number, no));
  if (d.sinks.length === 0) no('sinks is empty; add at least one, { raster: … } or { buffer: … }');
  const own: (TableSlot | null)[] = [];
  for (const [index, stage] of d.stages.entries()) own.push(stage && (yield* slotOf(device, index, stage, who, no)));
  const graph = graphOf(own, d.edges, d.sinks, no);
  let slots: Table['slots'] = own;
  let edges = graph.edges;
  const sinks: TableSink[] = [];
  const before: IncomingEdges[] = [];
  const chained: ChainedPipeline[] = [];
  for (const [number, { raster, buffer, pipeline }] of d.sinks.entries()) {
    const inSink: Fail = (message) => no(`sinks[${number}].raster: ${message}`);
    const from = graph.sinks[number]!;
    if (pipeline) {
      requireUsable(pipeline, who, device, who.call);
      const more = appendPipeline(pipeline.parts, from, { slots: slots.length });
      chained.push({ pipeline, first: slots.length });
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
      const fragment = program && (yield* fragmentShaderOf(device, program, output, inSink));
      sinks.push({ kind: 'raster', raster: output, fragment });
    }
  }
  if (slots.length > MAX_SLOTS) no(`${slots.length} stages; a modular pipeline has at most ${MAX_SLOTS} slots`);
  if (sinks.length > MAX_SINKS) no(`${sinks.length} sinks; a modular pipeline has at most ${MAX_SINKS}`);
  return { slots, graph: { edges, sinks: before }, sinks, chained };
}

function* building(device: DeviceCore, given: GivenDescriptor, who: CreationCall): Steps<Built> {
  const no: Fail = (message) => refuse(who, who.call, message);
  const input = { ...given.input, topology: assembledTopology(given.input, no) };
  const d: Descriptor = { ...given, input };
  const attributes = checkVertexBuffers(device, input.buffers, 'input.buffers', no);
  const table = yield* buildGraph(device, d, who, no);
  const { slots, sinks } = table;
  const { processingOrder } = d;
  checkAttachments(sinks, no);
  checkModularOrder(device, processingOrder, sinks, no);
  const programs = [
    ...slots.flatMap((slot) => slot?.stage ?? []),
    ...sinks.flatMap((sink) => (sink.kind === 'raster' ? (sink.fragment?.program.stages ?? []) : [])),
  ];
  const groups = layoutGroups(device, d, input.buffers.length, programs, who, no);
  const choice = choiceOf(slots);
  immediateWords(programs, { device, layout: d.layout }, no);
  const parts: ModularPipelineParts = {
    ...table,
    choice,
    attributes,
    groups,
    layout: d.layout,
    input,
    processingOrder,
    workers: workerSet(device, d.workers, sinks, no),
  };
  const tree = checkedTree(device, parts, choice, no);
  return { parts, tree, store: yield* linking({ device, label: d.label }, parts, tree, no) };
}

/** Every object of the interface has a core of this class. */
const ownSlot = modularPipelineSlot as Slot<ModularPipelineCore>;
class ModularPipeline {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  getBindGroupLayout(...args: unknown[]): object {
    const core = ownSlot.of(this);
    needArguments('getBindGroupLayout', args.length, 1);
    return bindGroupLayoutSlot.make(core.group(u32(args[0], 'getBindGroupLayout: index')).clone());
  }
  replaceStage(...args: unknown[]): undefined {
    const core = ownSlot.of(this);
    needArguments('replaceStage', args.length, 2);
    core.replace(u32(args[0], 'replaceStage: slot'), nullable(modularStage)(args[1], 'replaceStage: stage'));
  }
  get stages(): readonly (StageDescription | null)[] {
    const core = ownSlot.of(this);
    return core.valid ? core.headers : [];
  }
  statistics(): ModularPipelineStatistics {
    const core = ownSlot.of(this);
    return core.valid ? core.statistics : NO_STATISTICS;
  }
  get edges(): readonly EdgeDescription[] {
    const core = ownSlot.of(this);
    return core.valid ? core.edges : [];
  }
}
completeLabelled('ModularPipeline', ModularPipeline, ownSlot);

/** Adds the calls that create modular pipelines to a device. */
export function installModularPipelines(device: object, core: DeviceCore): void {
  const createModularPipeline = (value?: unknown): object => {
    const call = 'createModularPipeline';
    const d = descriptorOf(value, call);
    const who = { called: describe('ModularPipeline', d.label), call };
    const made = createSync(core, who, () => {
      const built = finish(building(core, d, who));
      core.render.compile(built.store);
      return built;
    });
    return ownSlot.make(new ModularPipelineCore(core, d.label, made));
  };
  const createModularPipelineAsync = (value?: unknown): Promise<object> =>
    promising(async () => {
      const call = 'createModularPipelineAsync';
      const d = descriptorOf(value, call);
      const made = await createInSlices(core, async () => {
        const built = await core.engine.runInSlices(
          building(core, d, { called: describe('ModularPipeline', d.label), call })
        );
        await core.render.prepare(built.store);
        return built;
      });
      return ownSlot.make(new ModularPipelineCore(core, d.label, made));
    });
  for (const [name, value] of Object.entries({ createModularPipeline, createModularPipelineAsync }))
    Object.defineProperty(device, name, { value, enumerable: false, configurable: true });
}
