// What a table of shaders is made of, and whether a choice of its stages fits together (design §4). A choice is what
// draws run: the slots that are enabled, from the one on at which they enter. Messages name slots.

import { typeName, type EntryPoint, type InterfaceVariable, type Type } from './front-end';
import type { DeviceCore } from './device-core';
import type { FragmentProgram, FragmentTable } from './fragment-stages';
import type {
  BufferSinkDescriptor, ModularPipelineDescriptor, ModularStageDescriptor,
} from './modular-descriptor';
import {
  atLocation, checkFragmentInputs, exactScalarOf, interpolation, located, scalarOf, writtenVariables, type Attributes,
  type No,
} from './pipeline-checks';
import type { StageProgram } from './pipeline-layout';
import {
  cornersOf, isPassed, isStrip, madeBy, MOST_PATCH_VERTICES, patchTopology, primitivesOf, stagesOf, type Branch,
  type Emission, type EvaluationStage, type IsWritten, type MadeTopology, type PatchStage, type TableProgram,
  type TessellatedTopology,
} from '../mpipe';
import type { OutputDescriptor } from './pipeline';
import type { InputTopology } from '../render/types';
import { vertexFormatInfo } from './vertex-format';

/** A slot that holds a stage. */
export interface TableSlot {
  readonly index: number;
  readonly d: ModularStageDescriptor;
  readonly stage: StageProgram;
  readonly table: TableProgram;
}

export interface FragmentStage extends FragmentTable { readonly program: FragmentProgram }

/** What draws run: the slots that are on, one bit each, and the slot at which they enter; null: as edges have it. */
export interface Choice { readonly enabled: number; readonly entry: number | null }

export const MOST_SLOTS = 32;
export const MOST_SINKS = 32;

/** A sink of a table, with everything that does not hang on what leads there. */
export type TableSink =
  | { readonly kind: 'raster'; readonly raster: OutputDescriptor; readonly fragment: FragmentStage | null }
  | { readonly kind: 'buffer'; readonly buffer: BufferSinkDescriptor };

/** What a choice runs: of sinks, their numbers. */
export type ChosenTree = Branch<TableSlot, number>;

/** A slot as messages name it. */
export const slotName = (
  { index, stage }: { readonly index: number; readonly stage: Pick<StageProgram, 'entry'> }
): string => `slot ${index} ("${stage.entry.name}")`;

const located4 = (variable: InterfaceVariable): string => `@location(${variable.io.location}) ${variable.name}`;

/** Components that a location has, of the first four. */
const sizeOf = (type: Type): number => (type.kind === 'vector' ? type.size : 1);

/** What vertex buffers have for the first stage. */
export const attributesWritten = (attributes: Attributes): IsWritten => ({ location }) => attributes.has(location);

/** Scalars that a stage that emits may give for a primitive, and vertices. */
const MOST_EMITTED = 1024, MOST_VERTICES = 256;

/** What a stage emits, as its slot says; null: none. */
export function emissionOf(
  index: number, { kind, maxVertices, topology = 'triangle-strip' }: ModularStageDescriptor, { entry }: StageProgram, no: No
): Emission | null {
  const slot = slotName({ index, stage: { entry } });
  if (kind !== 'geometry') {
    if (maxVertices !== undefined && (kind === 'vertex' || kind === 'primitive'))
      no(`${slot} is a ${kind} stage, which keeps its vertices: leave maxVertices out`);
    if (maxVertices !== undefined)
      no(`${slot} is a ${kind} stage, of which maxLevel says how much may come: leave maxVertices out`);
    return null;
  }
  if (maxVertices === undefined)
    return no(`${slot} needs maxVertices: how many vertices it may emit for a primitive, 1 to ${MOST_VERTICES}`);
  if (maxVertices < 1 || maxVertices > MOST_VERTICES)
    no(`${slot}: maxVertices ${maxVertices} is not from 1 to ${MOST_VERTICES}`);
  const each = entry.outputs.reduce((sum, { type }) => sum + sizeOf(type), 0);
  if (each * maxVertices > MOST_EMITTED)
    no(`${slot} may emit ${maxVertices} vertices of ${each} scalars, together more than ${MOST_EMITTED}`);
  return { corners: entry.corners, maxVertices, topology };
}

/** The highest level of tessellation. */
const MOST_LEVEL = 64;
const OF_EVALUATION = ['domain', 'spacing', 'winding', 'maxLevel'] as const;

/** What a stage of tessellation is, as its slot says; null: it is none. */
export function patchOf(
  index: number, d: ModularStageDescriptor, { entry }: StageProgram, no: No
): PatchStage | null {
  const slot = slotName({ index, stage: { entry } }), { corners } = entry;
  if (d.kind !== 'tess_evaluation') {
    const given = OF_EVALUATION.find((member) => d[member] !== undefined);
    if (given) no(`${slot}: ${given} is of stages of kind "tess_evaluation": leave it out`);
    return d.kind === 'tess_control' ? { kind: 'control', corners } : null;
  }
  const { domain = 'triangles', spacing = 'equal', winding = 'ccw', maxLevel = MOST_LEVEL } = d;
  const list: TessellatedTopology = domain === 'lines' ? 'line-list' : 'triangle-list', { topology = list } = d;
  if (topology !== list && topology !== 'point-list')
    return no(`${slot}: topology is "${list}" or "point-list" for domain "${domain}", not "${topology}"`);
  const least = spacing === 'fractional-even' ? 2 : 1;
  if (maxLevel < least || maxLevel > MOST_LEVEL)
    no(`${slot}: maxLevel ${maxLevel} is not from ${least} to ${MOST_LEVEL}, for spacing "${spacing}"`);
  return { kind: 'evaluation', corners, domain, spacing, winding, maxLevel, topology };
}

/** What is assembled, as the table's input says. */
export function assembledTopology(
  { topology, patchVertices }: ModularPipelineDescriptor['input'], no: No
): InputTopology {
  if (topology !== 'patch-list') {
    if (patchVertices !== undefined) no(`input.patchVertices is for topology "patch-list", not "${topology}"`);
    return topology;
  }
  if (patchVertices === undefined || patchVertices < 1 || patchVertices > MOST_PATCH_VERTICES)
    return no(`input: topology "patch-list" needs patchVertices, 1 to ${MOST_PATCH_VERTICES}`);
  return patchTopology(patchVertices);
}

/**
 * Vertices that a draw puts into a buffer behind these stages, as far as it is known before it is run: of stages that
 * emit or drop primitives, and of strips whose indices may begin them anew, none.
 */
export function knownVertices(
  topology: InputTopology, stages: readonly TableProgram[], indexed: boolean, count: number, instances: number
): number {
  const varies = madeBy(stages).length > 0 || stages.some(({ program }) => isPassed(program));
  return varies || (indexed && isStrip(topology)) ? 0 : instances * primitivesOf(topology, count) * cornersOf(topology);
}

/**
 * What comes to a place of a table: primitives, of which topology, and who made them; the stage before it, and the one
 * before that.
 */
interface Before {
  readonly topology: InputTopology;
  readonly giver: string;
  readonly slot: TableSlot | null;
  readonly earlier: TableSlot | null;
}

/** A stage that takes primitives gets what it takes. */
function checkCorners(slot: TableSlot, { topology, giver }: Before, no: No): void {
  const { patch } = slot.table, { corners } = slot.stage.entry, given = cornersOf(topology);
  if (patch?.kind === 'evaluation' || corners === 0 || given === corners) return;
  const taken = patch ? `patches of ${corners}` : `${corners} vertices a primitive`;
  no(`${slotName(slot)} takes ${taken}, but ${giver} gives "${topology}", ${given} a primitive`);
}

/** Control and evaluation stages stand behind each other in what a choice runs, and agree on their patches. */
export function checkPairs(tree: ChosenTree, slots: readonly (TableSlot | null)[], no: No): void {
  const held = slots.filter((slot) => slot !== null), chosen = stagesOf(tree);
  const isOf = (slot: TableSlot | undefined, kind: PatchStage['kind']): boolean => slot?.table.patch?.kind === kind;
  const check = ({ stages, branches }: ChosenTree): void => {
    stages.forEach((slot, i) => {
      const isControl = isOf(slot, 'control'), step = isControl ? 1 : -1, other = isControl ? 'evaluation' : 'control';
      if (!isControl && !isOf(slot, 'evaluation')) return;
      const meant = held[held.indexOf(slot) + step], neighbour = stages[i + step];
      const side = isControl ? 'behind' : 'before';
      if (!isOf(neighbour, other)) {
        if (meant && isOf(meant, other) && !chosen.includes(meant))
          no(`${slotName(slot)} is on, but ${slotName(meant)}, the tess_${other} stage ${side} it, is not: turn both on, or both off`);
        const there = isControl && !neighbour && branches.length > 0
          ? `${branches.length} edges lead from it`
          : neighbour ? `there is ${slotName(neighbour)} of kind "${neighbour.d.kind}"` : 'there is none';
        no(`${slotName(slot)} needs a stage of kind "tess_${other}" right ${side} it; ${there}`);
      }
      const { corners } = slot.table.patch!, others = neighbour!.table.patch!.corners;
      if (corners !== others)
        no(`${slotName(slot)} takes patches of ${corners}, but ${slotName(neighbour!)} takes patches of ${others}`);
    });
    branches.forEach(check);
  };
  check(tree);
}

/** Rules of one stage, whatever stands before and behind it. */
export function checkStage(device: DeviceCore, slot: Pick<TableSlot, 'index' | 'stage'>, no: No): void {
  const { maxInterStageShaderVariables: most } = device.limits, outputs = located(slot.stage.entry.outputs);
  const { count, text } = writtenVariables(slot.stage.entry);
  if (count > most)
    no(`${slotName(slot)} writes ${text}; there are ${most} (maxInterStageShaderVariables)`);
  const far = outputs.find(({ io }) => io.location >= most);
  if (far)
    no(
      `${slotName(slot)} writes ${located4(far)}; locations must be less than maxInterStageShaderVariables ${most}`
    );
}

/** A table as `checkChoice` looks at it. */
export interface CheckedTable {
  readonly sinks: readonly TableSink[];
  readonly attributes: Attributes;
  readonly input: { readonly topology: InputTopology };
}

/**
 * Whether what a choice runs fits together: the stages, what goes in and what is behind them. Gives the topology that
 * comes to each sink.
 */
export function checkChoice(
  device: DeviceCore, tree: ChosenTree, table: CheckedTable, no: No
): Map<number, InputTopology> {
  const givers = new Map<number, Before>(), { attributes, sinks } = table;
  const check = ({ stages, branches, leaf }: ChosenTree, given: Before): void => {
    let before = given;
    for (const slot of stages) {
      checkCorners(slot, before, no);
      checkInputs(slot, before, attributes, no);
      // What is behind a stage that vertices pass comes from the one before it.
      if (isPassed(slot.table.program)) continue;
      const [made] = madeBy([slot.table]), { topology, giver } = before;
      before = {
        topology: made?.topology ?? topology, giver: made ? slotName(slot) : giver, slot, earlier: before.slot,
      };
    }
    for (const branch of branches) check(branch, before);
    if (leaf === null) return;
    const other = givers.get(leaf), sink = sinks[leaf]!;
    if (sink.kind === 'buffer' && other && cornersOf(other.topology) !== cornersOf(before.topology))
      no(`sinks[${leaf}] is a buffer, but ${other.giver} gives it "${other.topology}" and ${before.giver} "${before.topology}"`);
    givers.set(leaf, before);
    if (!isStraight(tree)) checkWhole(sink, before, no);
    checkSink(device, leaf, sink, before, no);
  };
  check(tree, { topology: table.input.topology, giver: 'the input', slot: null, earlier: null });
  return new Map([...givers].map(([number, { topology }]) => [number, topology]));
}

function checkInputs(slot: TableSlot, { slot: last, earlier }: Before, attributes: Attributes, no: No): void {
  for (const input of located(slot.stage.entry.inputs)) {
    // Control points come past the control stage.
    const before = isPoint(slot, input) ? earlier : last;
    if (!before) {
      checkAttribute(slot, input, attributes, no);
      continue;
    }
    const output = atLocation(before.stage.entry.outputs, input.io.location);
    if (output && exactScalarOf(output.type) !== exactScalarOf(input.type))
      no(`${slotName(before)} writes ${located4(output)} as ${typeName(output.type)}, but ${slotName(slot)} behind it reads ${input.name} as ${typeName(input.type)}`);
  }
}

/** Whether nothing but vertex stages, one behind the other, is before setup. */
const isStraight = (tree: ChosenTree): boolean => tree.leaf !== null
  && tree.stages.every(({ d }) => d.kind === 'vertex');

/** What setup has of vertices and primitives that go straight to it is not there behind stages that take primitives. */
function checkWhole(sink: TableSink, { slot }: Before, no: No): void {
  if (sink.kind !== 'raster') return;
  const what = 'goes with vertex stages alone, whose vertices lead to one sink';
  if (slot?.stage.entry.outputs.some(({ io }) => io.builtin === 'clip_distances'))
    no(`${slotName(slot)} writes @builtin(clip_distances), which ${what}`);
  for (const { entry } of sink.fragment?.program.stages ?? [])
    if (entry.inputs.some(({ io }) => io.builtin === 'primitive_index'))
      no(`the fragment entry point "${entry.name}" reads @builtin(primitive_index), which ${what}`);
}

/** Whether a sink can take what comes to it. */
function checkSink(
  device: DeviceCore, number: number, sink: TableSink, { topology, giver, slot: last }: Before, no: No
): void {
  if (!last) return no(`no stage is enabled that gives vertices to sinks[${number}]; enable one`);
  // Buffers hold the vertices of whole primitives, whatever these are.
  if (sink.kind === 'buffer') return checkBufferSink(last, number, sink.buffer, no);
  if (topology.endsWith('adjacency'))
    no(`${giver} gives "${topology}", but the raster sink cannot take "${topology}": enable a stage of kind "geometry" behind it, which makes something else of it`);
  if (topology.startsWith('patch'))
    no(`${giver} gives "${topology}", but the raster sink cannot take "${topology}": enable stages of kinds "tess_control" and "tess_evaluation", which make something else of it`);
  const { outputs } = last.stage.entry;
  if (!outputs.some(({ io }) => io.builtin === 'position'))
    no(`${slotName(last)} is the last enabled stage before setup, but writes no @builtin(position)`);
  const { maxInterStageShaderVariables: most } = device.limits, { count, text } = writtenVariables(last.stage.entry);
  if (topology === 'point-list' && count > most - 1)
    no(`${slotName(last)} writes ${text}; for points there are ${most - 1} (maxInterStageShaderVariables)`);
  if (!sink.fragment) return;
  const { entry, stages } = sink.fragment.program;
  checkFragmentInputs(device, entry, no);
  for (const stage of stages) checkVaryings(last, stage.entry, no);
}

function checkBufferSink(last: TableSlot, sink: number, { attributes }: BufferSinkDescriptor, no: No): void {
  attributes.forEach(({ shaderLocation, format }, i) => {
    const at = `sinks[${sink}].buffer.attributes[${i}]`, output = atLocation(last.stage.entry.outputs, shaderLocation);
    if (!output)
      return no(`${at}: ${slotName(last)}, the last enabled stage, writes no @location(${shaderLocation})`);
    const { scalar } = vertexFormatInfo(format), size = vertexFormatInfo(format).bytes / 4;
    if (scalar !== scalarOf(output.type) || size > sizeOf(output.type))
      no(`${at}: format ${format} does not fit ${located4(output)} of ${slotName(last)}, which is ${typeName(output.type)}`);
  });
}

/** Whether an evaluation stage reads it of its control points. */
const isPoint = ({ table: { patch }, stage: { entry } }: TableSlot, input: InterfaceVariable): boolean =>
  patch?.kind === 'evaluation' && input.parameter === entry.cornersParameter;

function checkAttribute(
  slot: TableSlot, input: ReturnType<typeof located>[number], attributes: Attributes, no: No
): void {
  const format = attributes.get(input.io.location);
  if (format !== undefined && vertexFormatInfo(format).scalar !== scalarOf(input.type))
    no(`${slotName(slot)} reads ${located4(input)} as ${typeName(input.type)}, but the attribute's format ${format} gives ${vertexFormatInfo(format).scalar}`);
}

function checkVaryings(last: TableSlot, fragment: EntryPoint, no: No): void {
  for (const input of located(fragment.inputs)) {
    const output = atLocation(last.stage.entry.outputs, input.io.location);
    if (!output) continue;
    const reads = `the fragment entry point "${fragment.name}" reads ${input.name}`;
    if (exactScalarOf(output.type) !== exactScalarOf(input.type))
      no(`${slotName(last)} writes ${located4(output)} as ${typeName(output.type)}, but ${reads} as ${typeName(input.type)}`);
    if (interpolation(output) !== interpolation(input))
      no(`${slotName(last)} writes ${located4(output)} ${interpolation(output)}, but ${reads} ${interpolation(input)}`);
  }
}

/** A location as headers show it. */
export interface HeaderEntry { readonly location: number; readonly name: string; readonly type: string }

/** The header of a stage: what it is, takes and gives. */
export interface StageHeader {
  readonly kind: 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation';
  /** The entry point. */
  readonly entryPoint: string;
  /** As the table has it; passes may say otherwise. */
  readonly enabled: boolean;
  readonly inputs: readonly HeaderEntry[];
  readonly outputs: readonly HeaderEntry[];
  readonly writesPosition: boolean;
  /** Scalars of a vertex that it takes and gives, when nothing is left out. */
  readonly inputScalars: number;
  readonly outputScalars: number;
  /**
   * `kept`: what it gives has the topology of what it takes, a vertex for a vertex. Of a stage of kind `primitive` all
   * outputs of the stage before it pass it by: `outputs` are none.
   */
  readonly topology: 'kept' | MadeTopology;
  /** Of a stage of kind `geometry`: vertices that it may emit for a primitive; of others 1. */
  readonly maxVertices: number;
  /** Of a stage of tessellation: control points of a patch; of others 0. */
  readonly patchVertices: number;
  /** Of a stage of kind `tess_evaluation`: how patches are cut up; of others null. */
  readonly tessellation: Pick<EvaluationStage, 'domain' | 'spacing' | 'winding' | 'maxLevel'> | null;
  /** Registers that a lane of a warp needs; null while it is disabled. */
  readonly registers: number | null;
}

const cuttingOf = (
  { domain, spacing, winding, maxLevel }: EvaluationStage
): NonNullable<StageHeader['tessellation']> => ({ domain, spacing, winding, maxLevel });

export function headerOf(
  { d, stage: { entry }, table: { emission, patch } }: TableSlot, registers: number | null
): StageHeader {
  const evaluation = patch?.kind === 'evaluation' ? patch : null;
  const list = (variables: readonly InterfaceVariable[]): HeaderEntry[] => located(variables).map((variable) => ({
    location: variable.io.location, name: variable.name.replace(/^result\./, ''), type: typeName(variable.type),
  }));
  const scalars = (variables: readonly InterfaceVariable[]): number =>
    located(variables).reduce((sum, { type }) => sum + sizeOf(type), 0);
  return {
    kind: d.kind as StageHeader['kind'], entryPoint: entry.name, enabled: d.enabled, inputs: list(entry.inputs),
    outputs: list(entry.outputs), writesPosition: entry.outputs.some(({ io }) => io.builtin === 'position'),
    inputScalars: scalars(entry.inputs), outputScalars: scalars(entry.outputs), registers,
    topology: emission?.topology ?? evaluation?.topology ?? 'kept', maxVertices: emission?.maxVertices ?? 1,
    patchVertices: patch?.corners ?? 0,
    tessellation: evaluation && cuttingOf(evaluation),
  };
}
