// Modular pipelines and their linking. A pipeline is a table of slots in the caller's order. A slot holds a shader and
// an enable bit; empty and disabled slots are skipped; the output of the last stage goes to a sink. A WebGPU render
// pipeline is two such tables: [vertex] → setup and [fragment] → output.
//
// A table is linked from its end to its start. Of each stage's outputs, only those are kept that the next stage or the
// sink reads. Only these get memory in packets and planes, and only what they need
// is computed. Inputs that nothing writes read default values (defaults.ts). A table may fork: then the outputs are
// kept that any consumer reads.
import type { IrInput, IrNode, IrOutput, IrProgram } from '../ir';
import { assert } from '../base/assert';
import { missingInputs, writtenBy, type IsWritten, type StageShader } from './defaults';
import { cornerInputs } from './emission';
import { replaced } from './nodes';
import { controlPoints } from './patches';
import {
  isEdgeInput,
  isOfPrimitive,
  passesVerticesThrough,
  varyingsOf,
  type EdgeInput,
  type Stage,
  type VaryingInput,
} from './stage';
import type { Branch } from './tree';

export interface Slot extends StageShader {
  readonly enabled: boolean;
}

type Sink =
  | VertexSink
  /** `takes`: for each output of the last stage, whether a target or a test reads it. */
  | { readonly kind: 'output'; readonly takes: (output: IrOutput, index: number) => boolean };

export type VertexSink =
  /** Consumes positions, and passes on what the following table reads; null if there is none. */
  | { readonly kind: 'setup'; readonly behind: LinkedStages | null }
  /** Writes scalars of vertices to memory. */
  | { readonly kind: 'buffer'; readonly takes: readonly Place[] };

export interface Place {
  readonly location: number;
  readonly component: number;
}

interface StageTable {
  readonly slots: readonly (Slot | null)[];
  /** What is written for the first stage; null: everything that it reads, as WebGPU requires of render pipelines. */
  readonly source: IsWritten | null;
  readonly sink: Sink;
}

/** Stages in the order in which they run; adjacent stages share an edge (`edgeBefore`). */
export interface LinkedStages<S extends Stage = Stage> {
  readonly stages: readonly S[];
}

/** The scalars of a vertex that the consumers after an edge read: first the position, if setup reads it. */
export interface Packet {
  readonly hasPosition: boolean;
  readonly places: readonly Place[];
}

/** A linked table, or a part of one after a fork. `packet`: what its stages pass on where it forks. */
export interface LinkedBranch<S extends Stage, L> extends Branch<S, L> {
  readonly branches: readonly LinkedBranch<S, L>[];
  readonly packet: Packet | null;
}

/** What passes from one stage to the next: its varyings, in packet order. */
interface Edge {
  readonly varyings: readonly VaryingInput[];
  /** The number of varyings in each of VARYING_GROUPS. */
  readonly groups: readonly number[];
}

/**
 * Turns a shader into a stage. The stage has only the given outputs (indices, in this order) and default values for the
 * `missing` inputs (indices). It also accepts `points`, which it does not read: a control stage passes them to the next
 * stage.
 */
type ReduceProgram<S extends Stage> = (
  program: StageShader,
  outputs: readonly number[],
  missing: readonly number[],
  points: readonly EdgeInput[]
) => S;

/** The order of varyings in packets, planes and registers; see Draw.varyings in the layout. */
const VARYING_GROUPS = [
  'perspective center',
  'perspective centroid',
  'perspective sample',
  'linear center',
  'linear centroid',
  'linear sample',
  'flat',
] as const;

const placeKey = ({ location, component }: Place): number => location * 4 + component;

function groupOf(input: EdgeInput): number {
  if (input.kind === 'attribute') return 0;
  if (input.interpolation === 'flat') return 6;
  return (input.interpolation === 'linear' ? 3 : 0) + { center: 0, centroid: 1, sample: 2 }[input.sampling];
}

const packetOrder = (a: EdgeInput, b: EdgeInput): number => groupOf(a) - groupOf(b) || placeKey(a) - placeKey(b);

/** Links a table whose adjacent stages match. The caller that assembled the table has checked the types. */
export function linkStageTable<S extends Stage>(
  { slots, source, sink }: StageTable,
  reduce: ReduceProgram<S>
): LinkedStages<S> {
  const enabled = slots.filter((slot): slot is Slot => slot?.enabled === true);
  const takenBySink = (program: IrProgram): number[] =>
    sink.kind === 'output'
      ? program.outputs.flatMap((output, index) => (sink.takes(output, index) ? [index] : []))
      : packetOutputs(program, packetOf(sink));
  return { stages: linkStages(enabled, source, takenBySink, reduce) };
}

/** `taken` returns the outputs of the last stage that are read. */
function linkStages<S extends Stage>(
  programs: readonly StageShader[],
  source: IsWritten | null,
  taken: (last: IrProgram) => readonly number[],
  reduce: ReduceProgram<S>
): S[] {
  const stages: S[] = [];
  for (let i = programs.length - 1; i >= 0; i--) {
    const { program } = programs[i]!;
    const [next] = stages;
    const isWritten = i > 0 ? writtenBy(programs[i - 1]!.program) : source;
    const outputs = next
      ? [...levelsOf(program.outputs), ...outputsRead(program.outputs, edgeInputs(next))]
      : taken(program);
    // The control points of an evaluation stage are written two stages earlier.
    const hasPoint = i > 1 ? writtenBy(programs[i - 2]!.program) : source;
    const points = program.kind === 'tess_control' && next ? passedPoints(next.inputs) : [];
    stages.unshift(reduce(programs[i]!, outputs, missingInputs(program, isWritten, hasPoint), points));
  }
  return stages;
}

/**
 * Links a table that may fork. Stages that pass vertices through (passesVerticesThrough) are the first ones of their
 * branches. Each leaf declares what it reads.
 */
export function linkStageTree<S extends Stage, L extends { readonly sink: VertexSink }>(
  { stages: programs, branches, leaf }: Branch<StageShader, L>,
  source: IsWritten | null,
  reduce: ReduceProgram<S>
): LinkedBranch<S, L> {
  const [first] = programs;
  const passed = first && passesVerticesThrough(first.program) ? first : null;
  const own = passed ? programs.slice(1) : programs;
  const last = own.at(-1);
  const written = last ? writtenBy(last.program) : source;
  const linked = branches.map((branch) => linkStageTree(branch, written, reduce));
  const packet = leaf ? packetOf(leaf.sink) : union(linked.map(packetBefore));
  const stages = linkStages(own, source, (program) => packetOutputs(program, packet), reduce);
  if (passed)
    stages.unshift(
      reduce(
        passed,
        passed.program.outputs.map((_, i) => i),
        missingInputs(passed.program, source, null),
        []
      )
    );
  return { stages, branches: linked, leaf, packet: leaf ? null : packet };
}

/** What a branch reads from the edge before it. */
export function packetBefore<L extends { readonly sink: VertexSink }>({
  stages: [first, ...rest],
  branches,
  leaf,
  packet,
}: LinkedBranch<Stage, L>): Packet {
  if (first && passesVerticesThrough(first)) {
    const behind = packetBefore({ stages: rest, branches, leaf, packet });
    return union([{ hasPosition: false, places: edgeInputs(first) }, behind]);
  }
  if (first) return { hasPosition: false, places: edgeInputs(first) };
  if (packet) return packet;
  assert(leaf !== null, 'mpipe: a branch leads nowhere');
  return packetOf(leaf.sink);
}

/** What a sink reads. */
function packetOf(sink: VertexSink): Packet {
  if (sink.kind === 'buffer') return { hasPosition: false, places: sink.takes };
  const first = sink.behind?.stages[0];
  return { hasPosition: true, places: first ? edgeInputs(first).filter((input) => !isOfPrimitive(input)) : [] };
}

function union(packets: readonly Packet[]): Packet {
  const places = new Map(packets.flatMap((packet) => packet.places.map((place) => [placeKey(place), place])));
  return {
    hasPosition: packets.some(({ hasPosition }) => hasPosition),
    places: [...places].sort(([a], [b]) => a - b).map(([, place]) => place),
  };
}

/** The number of scalars per vertex in a packet. */
export const scalarsIn = ({ hasPosition, places }: Packet): number => (hasPosition ? 4 : 0) + places.length;

/** The positions in `packet` of another packet's scalars; `packet` must contain all of them. */
export function placesIn(packet: Packet, { hasPosition, places }: Packet): number[] {
  const before = packet.hasPosition ? 4 : 0;
  return [
    ...(hasPosition ? [0, 1, 2, 3] : []),
    ...places.map((place) => before + packet.places.findIndex((other) => placeKey(other) === placeKey(place))),
  ];
}

/** What a stage reads from the edge before it, at any corner, in the order of the edge. */
export function edgeInputs({ inputs }: Pick<Stage, 'inputs'>): EdgeInput[] {
  const all = inputs.filter(isEdgeInput);
  return all.filter((input, i) => all.findIndex((other) => placeKey(other) === placeKey(input)) === i);
}

/** The edge before a stage. */
export function edgeBefore(stage: Stage | null): Edge {
  const varyings = stage ? varyingsOf(stage) : [];
  return { varyings, groups: VARYING_GROUPS.map((_, group) => varyings.filter((v) => groupOf(v) === group).length) };
}

/** The outputs that a packet contains, in packet order. */
function packetOutputs({ outputs }: IrProgram, { hasPosition, places }: Packet): number[] {
  const read = outputsRead(outputs, places);
  if (!hasPosition) return read;
  const positions = [0, 1, 2, 3].map((component) =>
    outputs.findIndex((output) => output.kind === 'position' && output.component === component)
  );
  assert(!positions.includes(-1), 'mpipe: nothing writes a position that setup takes');
  const distances = outputs.flatMap(({ kind }, index) => (kind === 'clip_distance' ? [index] : []));
  return [...positions, ...read, ...distances];
}

/**
 * The control point scalars that an evaluation stage reads, each once, as they are on the edge before the control
 * stage.
 */
function passedPoints(inputs: readonly IrInput[]): EdgeInput[] {
  const points = new Map(
    controlPoints(inputs).map(({ location, component, type }) => [
      location * 4 + component,
      { kind: 'attribute', location, component, type } as const,
    ])
  );
  return [...points.values()];
}

/** Indices of the tessellation levels of a control stage, outer ones first; empty for other stages. */
function levelsOf(outputs: readonly IrOutput[]): number[] {
  return outputs
    .flatMap((output, index) => (output.kind === 'tess_level' ? [{ level: output.level, index }] : []))
    .sort((a, b) => a.level - b.level)
    .map(({ index }) => index);
}

function outputsRead(outputs: readonly IrOutput[], read: readonly Place[]): number[] {
  return read.map((input) => {
    const index = outputs.findIndex((output) => output.kind === 'varying' && placeKey(output) === placeKey(input));
    assert(index >= 0, `mpipe: nothing writes location ${input.location} component ${input.component}`);
    return index;
  });
}

/** The shader with the given outputs (indices, in this order). Computations for dropped outputs remain. */
export function arrangeOutputs(program: IrProgram, order: readonly number[]): IrProgram {
  if (order.length === program.outputs.length && order.every((old, index) => old === index)) return program;
  const places = new Map(order.map((old, index) => [old, index]));
  return {
    ...program,
    outputs: order.map((old) => program.outputs[old]!),
    body: renumber(program.body, 'output', places),
  };
}

/**
 * The shader with its inputs in the order of the edge before it, followed by those that come from elsewhere. `corners`
 * is the number of corners of its input primitives; `points` are control point inputs that it passes on.
 */
export function arrangeInputs(
  program: IrProgram,
  corners = program.corners ?? 0,
  points: readonly EdgeInput[] = []
): IrProgram {
  const read = edgeInputs({ inputs: [...program.inputs, ...points] }).sort(packetOrder);
  const { inputs } = program;
  const order: IrInput[] =
    corners > 0
      ? cornerInputs(inputs, read, corners)
      : [
          ...read,
          ...controlPoints(inputs),
          ...inputs.filter((input) => !isEdgeInput(input) && input.kind !== 'control_point'),
        ];
  if (order.length === inputs.length && order.every((input, i) => input === inputs[i])) return program;
  const places = new Map(inputs.map((input, index) => [index, order.indexOf(input)]));
  return { ...program, inputs: order, body: renumber(program.body, 'input', places) };
}

/** Renumbers the inputs or outputs in a node list; instructions without a new number are dropped. */
const renumber = (nodes: readonly IrNode[], op: 'input' | 'output', places: ReadonlyMap<number, number>): IrNode[] =>
  replaced(nodes, (node) => {
    const place = node.op === op ? places.get(node.imm) : node.imm;
    return place === undefined ? null : place === node.imm ? node : { ...node, imm: place };
  });
