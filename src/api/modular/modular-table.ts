// The slots of a modular pipeline: compiling the stage of a slot, and adding the slots of a pipeline that is a sink.
import type { Steps } from '../../base/steps';
import type { StageShader } from '../../mpipe';
import type { DeviceCore, Fail } from '../core/device-core';
import type { ModularStageDescriptor } from './modular-descriptor';
import { attributeOf, checkStage, emissionOf, patchOf, type TableSlot } from './modular-slots';
import { stageKey } from '../pipelines/pipeline-source';
import { shaderOf } from './modular-source';
import { stageProgram, compileStageProgram, type CreationCall } from '../pipelines/pipeline';
import type { ModularPipelineParts } from './modular-choice';
import type { Edge, IncomingEdges } from './modular-graph';

export function* slotOf(
  device: DeviceCore,
  index: number,
  d: ModularStageDescriptor,
  who: CreationCall,
  no: Fail
): Steps<TableSlot> {
  const noSlot: Fail = (message) => no(`stages[${index}]: ${message}`);
  const { kind } = d;
  const stage = stageProgram(attributeOf(kind), d, who, device, noSlot);
  checkStage(device, { index, d, stage }, no);
  const emission = emissionOf(index, d, stage, no);
  const patch = patchOf(index, d, stage, no);
  const compile = (): Steps<StageShader> => compileStageProgram(d, stage, emission, patch);
  return { index, d, stage, ...(yield* shaderOf(device, [kind, stageKey(d, stage), emission, patch], compile)) };
}

/**
 * The copy of a slot in a pipeline that ends in the slot's pipeline. The same pipeline may be used twice, so the copy
 * is a distinct stage.
 */
export const movedSlot = (slot: TableSlot, first: number): TableSlot => ({
  ...slot,
  index: slot.index + first,
  table: { ...slot.table },
});

/** Slots and sinks of another pipeline that is a sink of this one, numbered after the existing ones. */
export function appendPipeline(
  { slots, graph, sinks }: Omit<Table, 'chained'>,
  { slots: from, stream }: IncomingEdges,
  before: { readonly slots: number }
): Omit<Table, 'chained'> {
  const moved = (slot: number): number => slot + before.slots;
  const firsts = slots.flatMap((_, slot) => (graph.edges.some(([, to]) => to === slot) ? [] : [moved(slot)]));
  return {
    slots: slots.map((slot) => slot && movedSlot(slot, before.slots)),
    sinks,
    graph: {
      edges: [
        ...firsts.flatMap((to) => from.map((slot): Edge => [slot, to, stream])),
        ...graph.edges.map(([a, b, own]): Edge => [moved(a), moved(b), own]),
      ],
      sinks: graph.sinks.map(({ slots: own, stream: number }) => ({ slots: own.map(moved), stream: number })),
    },
  };
}

/** Slots and sinks, and the graph between them. */
export type Table = Pick<ModularPipelineParts, 'slots' | 'graph' | 'sinks' | 'chained'>;
