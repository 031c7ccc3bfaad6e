// What a table of shaders is made of, and whether a choice of its stages fits together (design §4). A choice is what
// draws run: the slots that are enabled, from the one on at which they enter. Messages name slots.

import { typeName, type EntryPoint, type InterfaceVariable, type Type } from './front-end';
import type { DeviceCore } from './device-core';
import type { BufferSinkDescriptor, ModularStageDescriptor } from './modular-descriptor';
import {
  atLocation, checkFragmentInputs, interpolation, located, scalarOf, type Attributes, type No,
} from './pipeline-checks';
import type { StageProgram } from './pipeline-layout';
import {
  cornersOf, mostPrimitives, primitivesOf, type Emission, type IsWritten, type TableProgram, type Topology,
} from '../mpipe';
import type { InputTopology, PipelineState } from '../render/types';
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

/** What a stage emits, as its slot says; null: none. */
export function emissionOf(
  index: number, { kind, maxVertices, topology }: ModularStageDescriptor, { entry }: StageProgram, no: No
): Emission | null {
  const slot = slotName({ index, stage: { entry } });
  if (kind !== 'geometry') {
    if (maxVertices !== undefined) no(`${slot} is a vertex stage, which keeps its vertices: leave maxVertices out`);
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

/** Vertices that draws may put into the buffer that a table ends in: with stages that emit, at the most. */
export function mostVertices({ primitive, geometry }: PipelineState, count: number, instances: number): number {
  const emissions = geometry.flatMap(({ emission }) => emission ?? []);
  const primitives = instances * primitivesOf(primitive.topology, count);
  return emissions.reduce((all, emission) => all * mostPrimitives(emission), primitives)
    * cornersOf(emissions.at(-1)?.topology ?? primitive.topology);
}

/** Stages that emit get what they take; gives what reaches setup, which must be able to take it. */
function checkTopologies(
  slots: readonly TableSlot[], assembled: InputTopology, toBuffer: boolean, no: No
): InputTopology {
  let topology = assembled, giver = 'the input';
  for (const slot of slots) {
    const { emission } = slot.table;
    if (!emission) continue;
    if (cornersOf(topology) !== emission.corners)
      no(`${slotName(slot)} takes ${emission.corners} vertices a primitive, but ${giver} gives "${topology}", ${cornersOf(topology)} a primitive`);
    ({ topology } = emission);
    giver = slotName(slot);
  }
  // Buffers hold the vertices of whole primitives, whatever these are.
  if (!toBuffer && topology.endsWith('adjacency'))
    no(`${giver} gives "${topology}", but the raster sink cannot take "${topology}": enable a stage of kind "geometry" behind it, which makes something else of it`);
  return topology;
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
  checkAttributes(first, attributes, no);
  for (let i = 1; i < slots.length; i++) {
    const before = slots[i - 1]!, slot = slots[i]!;
    for (const input of located(slot.stage.entry.inputs)) {
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

function checkAttributes(slot: TableSlot, attributes: Attributes, no: No): void {
  for (const input of located(slot.stage.entry.inputs)) {
    const format = attributes.get(input.io.location);
    if (format !== undefined && vertexFormatInfo(format).scalar !== scalarOf(input.type))
      no(`${slotName(slot)} reads ${located4(input)} as ${typeName(input.type)}, but the attribute's format ${format} gives ${vertexFormatInfo(format).scalar}`);
  }
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
  readonly kind: 'vertex' | 'geometry';
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
  readonly topology: 'kept' | Topology;
  /** Of a stage of kind `geometry`: vertices that it may emit for a primitive; of others 1. */
  readonly maxVertices: number;
  /** Registers that a lane of a warp needs; null while it is disabled. */
  readonly registers: number | null;
}

export function headerOf(
  { d, stage: { entry }, table: { emission } }: TableSlot, registers: number | null
): StageHeader {
  const list = (variables: readonly InterfaceVariable[]): HeaderEntry[] => located(variables).map((variable) => ({
    location: variable.io.location, name: variable.name.replace(/^result\./, ''), type: typeName(variable.type),
  }));
  const scalars = (variables: readonly InterfaceVariable[]): number =>
    located(variables).reduce((sum, { type }) => sum + sizeOf(type), 0);
  return {
    kind: emission ? 'geometry' : 'vertex', entryPoint: entry.name, enabled: d.enabled, inputs: list(entry.inputs),
    outputs: list(entry.outputs), writesPosition: entry.outputs.some(({ io }) => io.builtin === 'position'),
    inputScalars: scalars(entry.inputs), outputScalars: scalars(entry.outputs), registers,
    topology: emission?.topology ?? 'kept', maxVertices: emission?.maxVertices ?? 1,
  };
}
