// Pipelines as tables of shaders (design §4), and how they are linked. A table has slots in the caller's order; a slot
// holds a program and an enable bit; empty and disabled slots are skipped; what the last stage gives goes to a sink. A
// WebGPU render pipeline is two of them: [vertex] → setup and [fragment] → output.
//
// A table is linked from its end to its start. Of each stage's outputs those are kept that the stage behind it, or the
// sink, reads (the buffer map: produced AND consumed): only they get memory in packets and planes, and only what they
// need is computed. What is read and not written has a default (defaults.ts).
import type { IrInput, IrNode, IrOutput, IrProgram } from '../ir';
import { assert } from '../base/assert';
import { missingInputs, writtenBy, type IsWritten, type TableProgram } from './defaults';
import { cornerInputs } from './emission';
import { replaced } from './nodes';
import { controlPoints } from './patches';
import { isEdgeInput, varyingsOf, type EdgeInput, type Stage, type VaryingInput } from './stage';

export interface Slot extends TableProgram { readonly enabled: boolean }

export type Sink =
  /** Takes positions for itself, and hands on what the table behind it reads; null: there is none. */
  | { readonly kind: 'setup'; readonly behind: LinkedTable | null }
  /** `takes`: of each output of the last stage, whether a target or a test reads it. */
  | { readonly kind: 'output'; readonly takes: (output: IrOutput, index: number) => boolean }
  /** Takes scalars of a vertex to memory. */
  | { readonly kind: 'buffer'; readonly takes: readonly Place[] };

export interface Place { readonly location: number; readonly component: number }

export interface Table {
  readonly slots: readonly (Slot | null)[];
  /** What is written for the first stage; null: all that it reads, as WebGPU asks of render pipelines. */
  readonly source: IsWritten | null;
  readonly sink: Sink;
}

/** Stages in the order in which they run; neighbours meet at an edge (`edgeBefore`). */
export interface LinkedTable<S extends Stage = Stage> { readonly stages: readonly S[] }

/** What passes from one stage to the next: its varyings, in packet order. */
export interface Edge {
  readonly varyings: readonly VaryingInput[];
  /** How many of them each of VARYING_GROUPS has. */
  readonly groups: readonly number[];
}

/**
 * Makes a program a stage that gives these of its outputs, by their indices, in this order, and nothing else, and that
 * has defaults for those inputs that are `missing`, by their indices. A control stage also takes `points` for the stage
 * behind it.
 */
export type ReduceProgram<S extends Stage> = (
  program: TableProgram, outputs: readonly number[], missing: readonly number[], points: readonly EdgeInput[]
) => S;

/** The order in which varyings lie in packets, planes and registers: Draw.varyings of the layout. */
const VARYING_GROUPS = [
  'perspective center', 'perspective centroid', 'perspective sample', 'linear center', 'linear centroid',
  'linear sample', 'flat',
] as const;

const placeKey = ({ location, component }: Place): number =>
  location * 4 + component;

function groupOf(input: EdgeInput): number {
  if (input.kind === 'attribute') return 0;
  if (input.interpolation === 'flat') return 6;
  return (input.interpolation === 'linear' ? 3 : 0) + { center: 0, centroid: 1, sample: 2 }[input.sampling];
}

const packetOrder = (a: EdgeInput, b: EdgeInput): number => groupOf(a) - groupOf(b) || placeKey(a) - placeKey(b);

/** Links a table whose neighbours fit (types are checked by whoever puts it together). */
export function linkTable<S extends Stage>({ slots, source, sink }: Table, reduce: ReduceProgram<S>): LinkedTable<S> {
  const enabled = slots.filter((slot): slot is Slot => slot?.enabled === true), stages: S[] = [];
  for (let i = enabled.length - 1; i >= 0; i--) {
    const slot = enabled[i]!, { program } = slot, [next] = stages;
    const isWritten = i > 0 ? writtenBy(enabled[i - 1]!.program) : source;
    const outputs = next
      ? [...levelsOf(program.outputs), ...outputsRead(program.outputs, edgeInputs(next))]
      : takenBy(program, sink);
    // Control points of an evaluation stage are written two stages before it.
    const hasPoint = i > 1 ? writtenBy(enabled[i - 2]!.program) : source;
    const points = program.kind === 'tess_control' && next ? passedPoints(next.inputs) : [];
    stages.unshift(reduce(slot, outputs, missingInputs(program, isWritten, hasPoint), points));
  }
  return { stages };
}

/** What a stage reads of the edge before it, of any corner, in the order in which it lies there. */
export function edgeInputs({ inputs }: Pick<Stage, 'inputs'>): EdgeInput[] {
  const all = inputs.filter(isEdgeInput);
  return all.filter((input, i) => all.findIndex((other) => placeKey(other) === placeKey(input)) === i);
}

/** The edge before a stage. */
export function edgeBefore(stage: Stage | null): Edge {
  const varyings = stage ? varyingsOf(stage) : [];
  return { varyings, groups: VARYING_GROUPS.map((_, group) => varyings.filter((v) => groupOf(v) === group).length) };
}

/** Outputs that the sink takes. */
function takenBy({ outputs }: IrProgram, sink: Sink): number[] {
  if (sink.kind === 'output') return outputs.flatMap((output, index) => (sink.takes(output, index) ? [index] : []));
  if (sink.kind === 'buffer') return outputsRead(outputs, sink.takes);
  const positions = [0, 1, 2, 3].map((component) => outputs.findIndex((output) => output.kind === 'position'
    && output.component === component));
  assert(!positions.includes(-1), 'mpipe: nothing writes a position that setup takes');
  const first = sink.behind?.stages[0];
  return first ? [...positions, ...outputsRead(outputs, edgeInputs(first))] : positions;
}

/** What an evaluation stage reads of control points, each once: the edge before its control stage has it. */
function passedPoints(inputs: readonly IrInput[]): EdgeInput[] {
  const points = new Map(controlPoints(inputs).map(
    ({ location, component, type }) => [location * 4 + component, { kind: 'attribute', location, component, type } as const]
  ));
  return [...points.values()];
}

/** Levels that a control stage gives, outer ones first; other stages have none. */
function levelsOf(outputs: readonly IrOutput[]): number[] {
  return outputs.flatMap((output, index) => (output.kind === 'tess_level' ? [{ level: output.level, index }] : []))
    .sort((a, b) => a.level - b.level).map(({ index }) => index);
}

function outputsRead(outputs: readonly IrOutput[], read: readonly Place[]): number[] {
  return read.map((input) => {
    const index = outputs.findIndex((output) => output.kind === 'varying'
      && placeKey(output) === placeKey(input));
    assert(index >= 0, `mpipe: nothing writes location ${input.location} component ${input.component}`);
    return index;
  });
}

/** The program with these of its outputs, by their indices, in this order; what was computed for others stays. */
export function arrangeOutputs(program: IrProgram, order: readonly number[]): IrProgram {
  if (order.length === program.outputs.length && order.every((old, index) => old === index)) return program;
  const places = new Map(order.map((old, index) => [old, index]));
  return {
    ...program, outputs: order.map((old) => program.outputs[old]!), body: renumber(program.body, 'output', places),
  };
}

/**
 * The program with its inputs in the order of the edge before it, and behind them those that come from elsewhere.
 * `corners`: of primitives that it takes; `points`: what of them it takes besides.
 */
export function arrangeInputs(program: IrProgram, corners = 0, points: readonly EdgeInput[] = []): IrProgram {
  const read = edgeInputs({ inputs: [...program.inputs, ...points] }).sort(packetOrder), { inputs } = program;
  const order: IrInput[] = corners > 0
    ? cornerInputs(inputs, read, corners)
    : [
      ...read, ...controlPoints(inputs),
      ...inputs.filter((input) => !isEdgeInput(input) && input.kind !== 'control_point'),
    ];
  if (order.length === inputs.length && order.every((input, i) => input === inputs[i])) return program;
  const places = new Map(inputs.map((input, index) => [index, order.indexOf(input)]));
  return { ...program, inputs: order, body: renumber(program.body, 'input', places) };
}

/** Numbers the inputs or outputs that a node list names anew; those without a place are dropped. */
const renumber = (
  nodes: readonly IrNode[], op: 'input' | 'output', places: ReadonlyMap<number, number>
): IrNode[] => replaced(nodes, (node) => {
  const place = node.op === op ? places.get(node.imm) : node.imm;
  return place === undefined ? null : place === node.imm ? node : { ...node, imm: place };
});
