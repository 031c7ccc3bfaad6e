// Choices of a modular pipeline: which slots are enabled. Each choice is linked to a pipeline of the renderer.
import type { InputTopology, PipelineStore, SinkState, WorkerSet } from '../../render/types';
import { passesVerticesThrough, mapTree, pathsOf, splitBefore, stagesOf } from '../../mpipe';
import type { Steps } from '../../base/steps';
import type { BindGroupLayoutCore, PipelineLayoutCore } from '../resources/bind-layout';
import type { DeviceCore, Fail } from '../core/device-core';
import type { ModularPipelineDescriptor } from './modular-descriptor';
import { treeOf, type Graph } from './modular-graph';
import type { Choice } from './modular-draws';
import { fragmentOfSlots, splitSides } from './modular-pixels';
import { bufferState, verticesAfter, type IncomingVertices } from './sink-words';
import { treeSource } from './modular-source';
import {
  attributeMap,
  checkChoice,
  checkPairs,
  MAX_SLOTS,
  type ChosenLeaf,
  type ChosenTree,
  type FragmentStage,
  type TableSink,
  type TableSlot,
} from './modular-slots';
import { checkDepthStencil, type Attributes } from '../pipelines/pipeline-checks';
import { checkStageInputs } from './modular-budget';
import { outputState, type OutputDescriptor } from '../pipelines/pipeline';
import { checkPixelOrder } from '../extensions/processing-order';

/** The validated descriptor, with everything that does not depend on which stages are enabled. */
export interface ModularPipelineParts {
  readonly slots: readonly (TableSlot | null)[];
  readonly graph: Graph;
  /** The slots that are enabled by default. */
  readonly choice: Choice;
  readonly attributes: Attributes;
  readonly groups: readonly (BindGroupLayoutCore | null)[];
  readonly layout: PipelineLayoutCore | 'auto';
  readonly sinks: readonly TableSink[];
  readonly input: Omit<ModularPipelineDescriptor['input'], 'topology'> & { readonly topology: InputTopology };
  readonly processingOrder: ModularPipelineDescriptor['processingOrder'];
  /** The workers that run its stages. */
  readonly workers: WorkerSet;
  /** Pipelines that are sinks of this one. Their slots are copied here, and follow `replaceStage`. */
  readonly chained: readonly ChainedPipeline[];
}

/** The core of a modular pipeline that is a sink of another one. `first`: the number that its slot 0 has there. */
export interface ChainedPipeline {
  readonly pipeline: object;
  readonly first: number;
}

export const keyOf = ({ enabled, entry, pixelEntry }: Choice): number =>
  ((enabled >>> 0) * (MAX_SLOTS + 1) + (entry ?? MAX_SLOTS)) * (MAX_SLOTS + 1) + (pixelEntry ?? MAX_SLOTS);

export function choiceOf(slots: ModularPipelineParts['slots']): Choice {
  let enabled = 0;
  for (const slot of slots) if (slot?.d.enabled) enabled |= 1 << slot.index;
  return { enabled, entry: null, pixelEntry: null };
}

/** Validates a choice and returns its tree of stages. */
export function checkedTree(device: DeviceCore, parts: ModularPipelineParts, choice: Choice, no: Fail): ChosenTree {
  const { graph, slots, sinks } = parts;
  const unfolded =
    treeOf(graph, slots, choice, no)
    ?? no('no edges lead from the entry stage to a sink: add edges, or choose another entry stage');
  const tree = splitSides(device, unfolded, sinks, no);
  checkPairs(tree, slots, no);
  for (const [number, topology] of checkChoice(device, tree, parts, no)) {
    const sink = sinks[number]!;
    if (sink.kind !== 'raster' || sink.raster.depthStencil === null) continue;
    const primitive = { ...sink.raster.primitive, topology };
    checkDepthStencil({ primitive }, sink.raster.depthStencil, (message) => no(`sinks[${number}].raster: ${message}`));
  }
  return tree;
}

export function* linking(
  { device, label }: { readonly device: DeviceCore; readonly label: string },
  parts: ModularPipelineParts,
  tree: ChosenTree,
  no: Fail
): Steps<PipelineStore> {
  const { input, attributes, sinks, processingOrder, workers } = parts;
  const fragments = new Map<ChosenLeaf, FragmentStage>();
  for (const { leaf } of pathsOf(tree)) {
    const fragment = yield* fragmentOf(device, leaf, sinks[leaf.sink]!, no);
    if (fragment) fragments.set(leaf, fragment);
  }
  const paths = new Map(pathsOf(tree).map(({ leaf, stages }) => [leaf, stages]));
  const givenTo = (leaf: ChosenLeaf): IncomingVertices => verticesAfter(paths.get(leaf)!, input.topology);
  const stateOf = (leaf: ChosenLeaf): SinkState => {
    const { sink: number } = leaf;
    const sink = sinks[number]!;
    return sink.kind === 'buffer'
      ? { kind: 'buffer', number, buffer: bufferState(sink.buffer, givenTo(leaf)) }
      : { kind: 'raster', number, output: outputState(sink.raster, fragments.get(leaf) ?? null) };
  };
  const chosen = splitBefore(
    mapTree(tree, ({ table }) => table, stateOf),
    ({ program }) => passesVerticesThrough(program)
  );
  const first = pathsOf(chosen).flatMap(({ leaf }) => (leaf.kind === 'raster' ? leaf.output : []))[0];
  const state = {
    ...(first ?? outputState(noRaster(input), null)),
    label,
    processingOrder,
    workers,
    buffers: input.buffers,
    source: attributeMap(attributes),
    tree: chosen,
  };
  const store = yield* device.render.createPipeline(
    state,
    treeSource(device, state, { tree, attributes, sinks, fragments })
  );
  checkPixelOrder(store, 'processingOrder.pixel', no);
  checkStageInputs(
    device,
    store,
    stagesOf(tree).map(({ index }) => index),
    no
  );
  return store;
}

/** The fragment shader before a sink; null if there is none. */
function* fragmentOf(
  device: DeviceCore,
  { program, pixels }: ChosenLeaf,
  sink: TableSink,
  no: Fail
): Steps<FragmentStage | null> {
  if (sink.kind === 'buffer') return null;
  if (sink.fragment || !program) return sink.fragment;
  return yield* fragmentOfSlots(device, { program, pixels }, sink.raster, no);
}

/** A raster sink that draws nothing, for a pipeline that ends only in buffers. */
function noRaster({ topology }: ModularPipelineParts['input']): OutputDescriptor {
  return {
    label: '',
    depthStencil: null,
    fragment: null,
    multisample: { count: 1, mask: 0xffffffff, alphaToCoverageEnabled: false },
    primitive: { frontFace: 'ccw', cullMode: 'none', unclippedDepth: false, topology, stripIndexFormat: undefined },
  };
}
