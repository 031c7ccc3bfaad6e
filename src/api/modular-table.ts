// What a table of shaders is made of, and whether a choice of its stages fits together (design §4). A choice is what
// draws run: the slots that are enabled, from the one on at which they enter. Messages name slots.

import { typeName, type EntryPoint, type InterfaceVariable, type Type } from './front-end';
import type { DeviceCore } from './device-core';
import type {
  BufferSinkDescriptor, ModularPipelineDescriptor, ModularStageDescriptor,
} from './modular-descriptor';
import {
  atLocation, checkFragmentInputs, interpolation, located, scalarOf, type Attributes, type No,
} from './pipeline-checks';
import type { StageProgram } from './pipeline-layout';
import {
  madeBy, verticesOf, type EmittedTopology, type Emission, type EvaluationStage, type IsWritten, type PatchStage,
  type TableProgram, type TessellatedTopology,
} from '../mpipe';
import type { InputTopology, PatchTopology, PipelineState } from '../render/types';
import { vertexFormatInfo } from './vertex-format';

/** A slot that holds a stage. */
export interface TableSlot {
  readonly index: number;
  readonly d: ModularStageDescriptor;
  readonly stage: StageProgram;
  readonly table: TableProgram;
}

export interface FragmentStage { readonly stage: StageProgram; readonly table: TableProgram }

/** What draws run: the slots that are on, one bit each, and the slot at which they enter. */
export interface Choice { readonly enabled: number; readonly entry: number }

export const MOST_SLOTS = 32;

export const isOn = ({ enabled, entry }: Choice, slot: number): boolean => slot >= entry
  && (enabled >>> slot & 1) === 1;

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

const EMITTED: readonly string[] = ['point-list', 'line-strip', 'triangle-strip'] satisfies EmittedTopology[];

/** What a stage emits, as its slot says; null: none. */
export function emissionOf(
  index: number, { kind, maxVertices, topology = 'triangle-strip' }: ModularStageDescriptor, { entry }: StageProgram, no: No
): Emission | null {
  const slot = slotName({ index, stage: { entry } });
  if (kind !== 'geometry') {
    if (maxVertices !== undefined && kind === 'vertex')
      no(`${slot} is a vertex stage, which keeps its vertices: leave maxVertices out`);
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
  if (!isEmitted(topology))
    return no(`${slot}: topology is ${EMITTED.map((name) => `"${name}"`).join(', ')}, not "${topology}"`);
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

const isEmitted = (topology: string): topology is EmittedTopology => EMITTED.includes(topology);

const MOST_PATCH_VERTICES = 32;
const patchTopology = (vertices: number): PatchTopology => `patch-list of ${vertices}`;

const CORNERS: Readonly<Record<InputTopology, number>> = {
  'point-list': 1, 'line-list': 2, 'line-strip': 2, 'triangle-list': 3, 'triangle-strip': 3, 'line-list-adjacency': 4,
  'triangle-list-adjacency': 6,
  ...Object.fromEntries(Array.from({ length: MOST_PATCH_VERTICES }, (_, i) => [patchTopology(i + 1), i + 1])),
};

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

/** Vertices that draws may put into the buffer that a table ends in: with stages that emit, at the most. */
export function mostVertices({ primitive, geometry }: PipelineState, count: number, instances: number): number {
  const corners = CORNERS[primitive.topology], strip = primitive.topology.endsWith('strip');
  const primitives = instances * (strip ? Math.max(0, count - corners + 1) : Math.floor(count / corners));
  const made = madeBy(geometry), last = made.at(-1);
  return made.reduce((all, { most }) => all * most, primitives) * (last ? verticesOf(last.topology) : corners);
}

/** Stages that emit get what they take; gives what reaches setup, which must be able to take it. */
function checkTopologies(
  slots: readonly TableSlot[], assembled: InputTopology, toBuffer: boolean, no: No
): InputTopology {
  let topology = assembled, giver = 'the input';
  for (const slot of slots) {
    const { emission, patch } = slot.table;
    if (patch?.kind === 'control' && CORNERS[topology] !== patch.corners)
      no(`${slotName(slot)} takes patches of ${patch.corners}, but ${giver} gives "${topology}", ${CORNERS[topology]} a primitive`);
    if (patch?.kind === 'evaluation') {
      ({ topology } = patch);
      giver = slotName(slot);
    }
    if (!emission) continue;
    if (CORNERS[topology] !== emission.corners)
      no(`${slotName(slot)} takes ${emission.corners} vertices a primitive, but ${giver} gives "${topology}", ${CORNERS[topology]} a primitive`);
    ({ topology } = emission);
    giver = slotName(slot);
  }
  if (toBuffer) {
    if (topology.endsWith('strip') && giver === 'the input')
      no(`the buffer sink cannot take "${topology}": its vertices are those of lists`);
    return topology;
  }
  if (topology.endsWith('adjacency'))
    no(`the raster sink cannot take "${topology}": enable a stage of kind "geometry", which makes something else of it`);
  if (topology.startsWith('patch'))
    no(`the raster sink cannot take "${topology}": enable stages of kinds "tess_control" and "tess_evaluation", which make something else of it`);
  return topology;
}

/** Control and evaluation stages stand behind each other among those that are chosen, and agree on their patches. */
export function checkPairs(slots: readonly (TableSlot | null)[], choice: Choice, no: No): void {
  const held = slots.filter((slot) => slot !== null), chosen = held.filter(({ index }) => isOn(choice, index));
  const isOf = (slot: TableSlot | undefined, kind: PatchStage['kind']): boolean => slot?.table.patch?.kind === kind;
  chosen.forEach((slot, i) => {
    const isControl = isOf(slot, 'control'), step = isControl ? 1 : -1, other = isControl ? 'evaluation' : 'control';
    const meant = held[held.indexOf(slot) + step], neighbour = chosen[i + step];
    if (!isControl && !isOf(slot, 'evaluation')) return;
    const side = isControl ? 'behind' : 'before';
    if (!isOf(neighbour, other)) {
      if (meant && isOf(meant, other))
        no(`${slotName(slot)} is on, but ${slotName(meant)}, the tess_${other} stage ${side} it, is not: turn both on, or both off`);
      no(`${slotName(slot)} needs a stage of kind "tess_${other}" right ${side} it; ${neighbour ? `there is ${slotName(neighbour)} of kind "${neighbour.d.kind}"` : 'there is none'}`);
    }
    const { corners } = slot.table.patch!, others = neighbour!.table.patch!.corners;
    if (corners !== others)
      no(`${slotName(slot)} takes patches of ${corners}, but ${slotName(neighbour!)} takes patches of ${others}`);
  });
}

/** Rules of one stage, whatever stands before and behind it. */
export function checkStage(device: DeviceCore, slot: Pick<TableSlot, 'index' | 'stage'>, no: No): void {
  const { maxInterStageShaderVariables: most } = device.limits, outputs = located(slot.stage.entry.outputs);
  if (outputs.length > most)
    no(`${slotName(slot)} writes ${outputs.length} locations; there are ${most} (maxInterStageShaderVariables)`);
  const far = outputs.find(({ io }) => io.location >= most);
  if (far)
    no(
      `${slotName(slot)} writes ${located4(far)}; locations must be less than maxInterStageShaderVariables ${most}`
    );
}

/** What stands at the end of a table. */
export interface TableEnd { readonly fragment: EntryPoint | null; readonly sink: BufferSinkDescriptor | null }

/** Whether the chosen slots, in their order, fit each other, what goes in and what is behind them. */
export function checkChoice(
  device: DeviceCore, slots: readonly TableSlot[], attributes: Attributes, assembled: InputTopology,
  { fragment, sink }: TableEnd, no: No
): void {
  const [first] = slots, last = slots.at(-1);
  if (!first || !last) return no('no stage is enabled; enable one with a @builtin(position)');
  const topology = checkTopologies(slots, assembled, sink !== null, no);
  for (const [i, slot] of slots.entries()) {
    for (const input of located(slot.stage.entry.inputs)) {
      // Control points come past the control stage.
      const before = slots[isPoint(slot, input) ? i - 2 : i - 1];
      if (!before) {
        checkAttribute(slot, input, attributes, no);
        continue;
      }
      const output = atLocation(before.stage.entry.outputs, input.io.location);
      if (output && scalarOf(output.type) !== scalarOf(input.type))
        no(`${slotName(before)} writes ${located4(output)} as ${typeName(output.type)}, but ${slotName(slot)} behind it reads ${input.name} as ${typeName(input.type)}`);
    }
  }
  const { outputs } = last.stage.entry;
  if (sink) {
    checkBufferSink(last, sink, no);
    return;
  }
  if (!outputs.some(({ io }) => io.builtin === 'position'))
    no(`${slotName(last)} is the last enabled stage before setup, but writes no @builtin(position)`);
  const { maxInterStageShaderVariables: most } = device.limits, written = located(outputs).length;
  if (topology === 'point-list' && written > most - 1)
    no(`${slotName(last)} writes ${written} locations; for points there are ${most - 1} (maxInterStageShaderVariables)`);
  if (fragment) checkVaryings(device, last, fragment, no);
}

function checkBufferSink(last: TableSlot, { attributes }: BufferSinkDescriptor, no: No): void {
  attributes.forEach(({ shaderLocation, format }, i) => {
    const at = `sinks[0].buffer.attributes[${i}]`, output = atLocation(last.stage.entry.outputs, shaderLocation);
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

function checkVaryings(device: DeviceCore, last: TableSlot, fragment: EntryPoint, no: No): void {
  checkFragmentInputs(device, fragment, no);
  for (const input of located(fragment.inputs)) {
    const output = atLocation(last.stage.entry.outputs, input.io.location);
    if (!output) continue;
    const reads = `the fragment entry point "${fragment.name}" reads ${input.name}`;
    if (scalarOf(output.type) !== scalarOf(input.type))
      no(`${slotName(last)} writes ${located4(output)} as ${typeName(output.type)}, but ${reads} as ${typeName(input.type)}`);
    if (interpolation(output) !== interpolation(input))
      no(`${slotName(last)} writes ${located4(output)} ${interpolation(output)}, but ${reads} ${interpolation(input)}`);
  }
}

/** A location as headers show it. */
export interface HeaderEntry { readonly location: number; readonly name: string; readonly type: string }

/** The header of a stage: what it is, takes and gives. */
export interface StageHeader {
  readonly kind: 'vertex' | 'geometry' | 'tess_control' | 'tess_evaluation';
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
  /** `kept`: what it gives has the topology of what it takes, a vertex for a vertex. */
  readonly topology: 'kept' | EmittedTopology | TessellatedTopology;
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
