// The slots, sinks and choices of modular pipelines, and the rules for choices. A choice is what draw calls run: the
// enabled slots from the entry slot on. Messages name slots.

import { MAX_LEVEL } from '../../../assembly/layout/vertex/tessellation-codes';
import { typeName, type EntryPoint, type InterfaceVariable, type Type } from '../core/front-end';
import type { DeviceCore, Fail } from '../core/device-core';
import type { FragmentRate } from '../../ir';
import type { FragmentProgram } from '../pipelines/fragment-stages';
import type { BufferSinkDescriptor, ModularPipelineDescriptor, ModularStageDescriptor } from './modular-descriptor';
import {
  atLocation,
  checkFragmentInputs,
  exactScalarOf,
  interpolation,
  located,
  scalarOf,
  writtenVariables,
  type Attributes,
} from '../pipelines/pipeline-checks';
import type { StageProgram } from '../pipelines/pipeline-layout';
import {
  cornersOf,
  passesVerticesThrough,
  MAX_STREAMS,
  ofStream,
  emittedBy,
  MAX_PATCH_VERTICES,
  patchTopology,
  stagesOf,
  type Branch,
  type EmittedTopology,
  type Emission,
  type IsWritten,
  type PatchStage,
  type StageShader,
  type TessellatedTopology,
} from '../../mpipe';
import type { OutputDescriptor } from '../pipelines/pipeline';
import type { FragmentShader, InputTopology } from '../../render/types';
import { vertexFormatInfo } from '../pipelines/vertex-format';

/** A slot that holds a stage. */
export interface TableSlot {
  readonly index: number;
  readonly d: ModularStageDescriptor;
  readonly stage: StageProgram;
  readonly table: StageShader;
  /** Identifies the shader; null without a shader cache. */
  readonly key: string | null;
}

/** A fragment shader of the pipeline, with what its sink needs to know of it. */
export interface FragmentStage extends FragmentShader {
  /** Identifies the shader and what its stages depend on; null without a shader cache. */
  readonly key: string | null;
  readonly program: FragmentProgram;
}

export const MAX_SLOTS = 32;

/** A sink, with everything that does not depend on the stages before it. */
export type TableSink =
  | { readonly kind: 'raster'; readonly raster: OutputDescriptor; readonly fragment: FragmentStage | null }
  | { readonly kind: 'buffer'; readonly buffer: BufferSinkDescriptor };

/** An end of a choice: a sink, the fragment slots before it, and the fragment shader. */
export interface ChosenLeaf {
  readonly sink: number;
  readonly pixels: readonly TableSlot[];
  /** null for buffers, and if only depth is written. */
  readonly program: FragmentProgram | null;
}

/** Tree of the vertex stages that a choice runs. */
export type ChosenTree = Branch<TableSlot, ChosenLeaf>;

type Kind = ModularStageDescriptor['kind'];

/** How often a stage of a kind runs for a pixel; null for kinds of the vertex side. */
export const fragmentRateOf = (kind: Kind): FragmentRate | null =>
  kind === 'coarse' || kind === 'pixel' || kind === 'sample' ? kind : null;

/** The stage attribute that entry points of a kind have. */
export const attributeOf = (kind: Kind): Exclude<Kind, FragmentRate> | 'fragment' =>
  kind === 'coarse' || kind === 'pixel' || kind === 'sample' ? 'fragment' : kind;

/** Names a slot for messages. */
export const slotName = ({
  index,
  stage,
}: {
  readonly index: number;
  readonly stage: Pick<StageProgram, 'entry'>;
}): string => `slot ${index} ("${stage.entry.name}")`;

const located4 = (variable: InterfaceVariable): string => `@location(${variable.io.location}) ${variable.name}`;

/** Number of components of a location, at most four. */
export const sizeOf = (type: Type): number => (type.kind === 'vector' ? type.size : 1);

/** Whether vertex buffers provide an attribute of the first stage. */
export const attributeMap =
  (attributes: Attributes): IsWritten =>
  ({ location }) =>
    attributes.has(location);

/** Maximum number of scalars that a geometry stage may emit per primitive, and maximum number of vertices. */
export const MAX_EMITTED_SCALARS = 1024;
export const MAX_VERTICES = 256;

/** What a geometry stage emits, from its slot; null for other stages. */
export function emissionOf(
  index: number,
  d: ModularStageDescriptor,
  { entry }: StageProgram,
  no: Fail
): Emission | null {
  const { kind, maxVertices } = d;
  const slot = slotName({ index, stage: { entry } });
  if (kind !== 'geometry') {
    if (maxVertices !== undefined && !kind.startsWith('tess'))
      no(`${slot} is a ${kind} stage, which does not emit vertices: leave maxVertices out`);
    if (maxVertices !== undefined)
      no(
        `${slot} is a ${kind} stage, whose output is limited by maxLevel of the tess_evaluation stage: `
          + 'leave maxVertices out'
      );
    return null;
  }
  if (maxVertices === undefined)
    return no(
      `${slot} needs maxVertices, the maximum number of vertices that it emits for a primitive, `
        + `from 1 to ${MAX_VERTICES}`
    );
  if (maxVertices < 1 || maxVertices > MAX_VERTICES)
    no(`${slot}: maxVertices ${maxVertices} must be from 1 to ${MAX_VERTICES}`);
  const each = entry.outputs.reduce((sum, { type }) => sum + sizeOf(type), 0);
  if (each * maxVertices > MAX_EMITTED_SCALARS)
    no(
      `${slot} may emit ${maxVertices} vertices of ${each} scalars, `
        + `which exceeds ${MAX_EMITTED_SCALARS} scalars in total`
    );
  const { length } = d.topology ?? [];
  if (d.topology && (length === 0 || length > MAX_STREAMS))
    no(`${slot}: topology has ${length} entries, one for each stream; there are up to ${MAX_STREAMS} streams`);
  return { corners: entry.corners, maxVertices, topology: topologyOf(d, 0) };
}

/** The topology of a geometry stage's stream. The last one that is given applies to further streams. */
function topologyOf({ topology = [] }: ModularStageDescriptor, stream: number): EmittedTopology {
  return topology[Math.min(stream, topology.length - 1)] ?? 'triangle-strip';
}

/** A slot with the vertices of one stream alone. Stages of other kinds have only stream 0. */
export function streamSlot(slot: TableSlot, stream: number): TableSlot | null {
  if (slot.d.kind !== 'geometry') return stream === 0 ? slot : null;
  const table = ofStream(slot.table, stream, topologyOf(slot.d, stream));
  if (stream === 0 && table.program === slot.table.program) return slot;
  return { ...slot, table, key: slot.key && `${slot.key} ${stream}` };
}

const EVALUATION_MEMBERS = ['domain', 'spacing', 'winding', 'maxLevel'] as const;

/** How a stage takes part in tessellation, from its slot; null for other stages. */
export function patchOf(
  index: number,
  d: ModularStageDescriptor,
  { entry }: StageProgram,
  no: Fail
): PatchStage | null {
  const slot = slotName({ index, stage: { entry } });
  const { corners } = entry;
  if (d.kind !== 'tess_evaluation') {
    const given = EVALUATION_MEMBERS.find((member) => d[member] !== undefined);
    if (given) no(`${slot}: ${given} is only for stages of kind "tess_evaluation": leave it out`);
    return d.kind === 'tess_control' ? { kind: 'control', corners } : null;
  }
  const { domain = 'triangles', spacing = 'equal', winding = 'ccw', maxLevel = MAX_LEVEL } = d;
  const list: TessellatedTopology = domain === 'lines' ? 'line-list' : 'triangle-list';
  const [topology = list, ...others] = d.topology ?? [];
  if (others.length > 0)
    no(`${slot}: topology has ${others.length + 1} entries, but only geometry stages have streams`);
  if (topology !== list && topology !== 'point-list')
    return no(`${slot}: topology must be "${list}" or "point-list" for domain "${domain}", not "${topology}"`);
  const least = spacing === 'fractional-even' ? 2 : 1;
  if (maxLevel < least || maxLevel > MAX_LEVEL)
    no(`${slot}: maxLevel ${maxLevel} must be from ${least} to ${MAX_LEVEL} for spacing "${spacing}"`);
  return { kind: 'evaluation', corners, domain, spacing, winding, maxLevel, topology };
}

/** The assembled topology, from the input of the pipeline. */
export function assembledTopology(
  { topology, patchVertices }: ModularPipelineDescriptor['input'],
  no: Fail
): InputTopology {
  if (topology !== 'patch-list') {
    if (patchVertices !== undefined) no(`input.patchVertices is only for topology "patch-list", not "${topology}"`);
    return topology;
  }
  if (patchVertices === undefined || patchVertices < 1 || patchVertices > MAX_PATCH_VERTICES)
    return no(`input: topology "patch-list" needs patchVertices, from 1 to ${MAX_PATCH_VERTICES}`);
  return patchTopology(patchVertices);
}

/**
 * What reaches a place of a modular pipeline: primitives with their topology and origin, the preceding stage, and the
 * one before that.
 */
interface PrecedingStage {
  readonly topology: InputTopology;
  readonly producer: string;
  readonly slot: TableSlot | null;
  readonly earlier: TableSlot | null;
}

/** Requires that a stage gets primitives with the number of vertices that it takes. */
function checkCorners(slot: TableSlot, { topology, producer }: PrecedingStage, no: Fail): void {
  const { patch } = slot.table;
  const { corners } = slot.stage.entry;
  const given = cornersOf(topology);
  if (patch?.kind === 'evaluation' || corners === 0 || given === corners) return;
  const taken = patch ? `patches of ${corners}` : `${corners} vertices per primitive`;
  no(`${slotName(slot)} takes ${taken}, but ${producer} provides "${topology}", ${given} per primitive`);
}

/**
 * Requires that each control stage is directly followed by its evaluation stage, and that both agree on their patches.
 */
export function checkPairs(tree: ChosenTree, slots: readonly (TableSlot | null)[], no: Fail): void {
  const held = slots.filter((slot) => slot !== null);
  const chosen = stagesOf(tree);
  const isOf = (slot: TableSlot | undefined, kind: PatchStage['kind']): boolean => slot?.table.patch?.kind === kind;
  const check = ({ stages, branches }: ChosenTree): void => {
    stages.forEach((slot, i) => {
      const isControl = isOf(slot, 'control');
      const step = isControl ? 1 : -1;
      const other = isControl ? 'evaluation' : 'control';
      if (!isControl && !isOf(slot, 'evaluation')) return;
      const meant = held[held.indexOf(slot) + step];
      const neighbour = stages[i + step];
      const side = isControl ? 'after' : 'before';
      if (!isOf(neighbour, other)) {
        if (meant && isOf(meant, other) && !chosen.includes(meant))
          no(
            `${slotName(slot)} is enabled, but ${slotName(meant)}, the tess_${other} stage ${side} it, is not: `
              + 'enable or disable both'
          );
        const there =
          isControl && !neighbour && branches.length > 0
            ? `${branches.length} edges lead from it`
            : neighbour
              ? `there is ${slotName(neighbour)} of kind "${neighbour.d.kind}"`
              : 'there is none';
        no(`${slotName(slot)} needs a stage of kind "tess_${other}" right ${side} it; ${there}`);
      }
      const { corners } = slot.table.patch!;
      const others = neighbour!.table.patch!.corners;
      if (corners !== others)
        no(`${slotName(slot)} takes patches of ${corners}, but ${slotName(neighbour!)} takes patches of ${others}`);
    });
    branches.forEach(check);
  };
  check(tree);
}

/** Validates one stage, independent of its neighbours. */
export function checkStage(device: DeviceCore, slot: Pick<TableSlot, 'index' | 'd' | 'stage'>, no: Fail): void {
  const { kind } = slot.d;
  if (fragmentRateOf(kind) !== null) {
    if (!device.features.has('fragment-stages'))
      no(
        `${slotName(slot)}: stages of kind "${kind}" need the feature "fragment-stages"; `
          + 'ask for it in requestDevice({ requiredFeatures })'
      );
    return;
  }
  const { maxInterStageShaderVariables: most } = device.limits;
  const outputs = located(slot.stage.entry.outputs);
  const { count, text } = writtenVariables(slot.stage.entry);
  if (count > most) no(`${slotName(slot)} writes ${text}; there are ${most} (maxInterStageShaderVariables)`);
  const far = outputs.find(({ io }) => io.location >= most);
  if (far)
    no(`${slotName(slot)} writes ${located4(far)}; locations must be less than maxInterStageShaderVariables ${most}`);
}

/** The members of a modular pipeline that `checkChoice` needs. */
interface CheckedPipeline {
  readonly sinks: readonly TableSink[];
  readonly attributes: Attributes;
  readonly input: { readonly topology: InputTopology };
}

/**
 * Requires that a choice's stages, its input and its sinks fit together. Returns the topology that reaches each sink.
 */
export function checkChoice(
  device: DeviceCore,
  tree: ChosenTree,
  table: CheckedPipeline,
  no: Fail
): Map<number, InputTopology> {
  const producersOfSinks = new Map<number, PrecedingStage>();
  const { attributes, sinks } = table;
  const check = ({ stages, branches, leaf }: ChosenTree, given: PrecedingStage): void => {
    let before = given;
    for (const slot of stages) {
      checkCorners(slot, before, no);
      checkInputs(slot, before, attributes, no);
      // Vertices bypass primitive stages, so later stages read the output of the stage before.
      if (passesVerticesThrough(slot.table.program)) continue;
      const [made] = emittedBy([slot.table]);
      const { topology, producer } = before;
      before = {
        topology: made?.topology ?? topology,
        producer: made ? slotName(slot) : producer,
        slot,
        earlier: before.slot,
      };
    }
    for (const branch of branches) check(branch, before);
    if (leaf === null) return;
    const other = producersOfSinks.get(leaf.sink);
    const sink = sinks[leaf.sink]!;
    if (
      sink.kind === 'buffer'
      && other
      && cornersOf(other.topology) !== cornersOf(before.topology)
      && !sink.buffer.attributes.some(({ builtin }) => builtin)
    )
      no(
        `sinks[${leaf.sink}] is a buffer, but gets "${other.topology}" from ${other.producer} `
          + `and "${before.topology}" from ${before.producer}: add an attribute with builtin "primitive_vertices"`
      );
    producersOfSinks.set(leaf.sink, before);
    if (!isVertexChain(tree)) checkDirectOutputs(sink, leaf, before, no);
    checkSink(device, leaf, sink, before, no);
  };
  check(tree, { topology: table.input.topology, producer: 'the input', slot: null, earlier: null });
  return new Map([...producersOfSinks].map(([number, { topology }]) => [number, topology]));
}

function checkInputs(slot: TableSlot, { slot: last, earlier }: PrecedingStage, attributes: Attributes, no: Fail): void {
  for (const input of located(slot.stage.entry.inputs)) {
    // Control points bypass the control stage.
    const before = isPoint(slot, input) ? earlier : last;
    if (!before) {
      checkAttribute(slot, input, attributes, no);
      continue;
    }
    const output = atLocation(before.stage.entry.outputs, input.io.location);
    if (output && exactScalarOf(output.type) !== exactScalarOf(input.type))
      no(
        `${slotName(before)} writes ${located4(output)} as ${typeName(output.type)}, `
          + `but ${slotName(slot)} after it reads ${input.name} as ${typeName(input.type)}`
      );
  }
}

/** Whether only a sequence of vertex stages precedes setup. */
const isVertexChain = (tree: ChosenTree): boolean =>
  tree.leaf !== null && tree.stages.every(({ d }) => d.kind === 'vertex');

/** Refuses vertex and primitive data that only reach setup directly, if stages that take primitives come before it. */
function checkDirectOutputs(sink: TableSink, { program }: ChosenLeaf, { slot }: PrecedingStage, no: Fail): void {
  if (sink.kind !== 'raster') return;
  const what = 'is only supported with vertex stages alone and one sink';
  if (slot?.stage.entry.outputs.some(({ io }) => io.builtin === 'clip_distances'))
    no(`${slotName(slot)} writes @builtin(clip_distances), which ${what}`);
  for (const { entry } of program?.stages ?? [])
    if (entry.inputs.some(({ io }) => io.builtin === 'primitive_index'))
      no(`the fragment entry point "${entry.name}" reads @builtin(primitive_index), which ${what}`);
}

/** Requires that a sink can take the output of the stage before it. */
function checkSink(
  device: DeviceCore,
  { sink: number, program }: ChosenLeaf,
  sink: TableSink,
  { topology, producer, slot: last }: PrecedingStage,
  no: Fail
): void {
  if (!last) return no(`no enabled stage outputs vertices to sinks[${number}]; enable one`);
  // Buffers store the vertices of whole primitives of any topology.
  if (sink.kind === 'buffer') return checkBufferSink(last, number, sink.buffer, no);
  if (topology.endsWith('adjacency'))
    no(
      `${producer} provides "${topology}", which the raster sink cannot draw: `
        + 'enable a stage of kind "geometry" after it that emits points, lines or triangles'
    );
  if (topology.startsWith('patch'))
    no(
      `${producer} provides "${topology}", which the raster sink cannot draw: `
        + 'enable stages of kinds "tess_control" and "tess_evaluation" to tessellate the patches'
    );
  const { outputs } = last.stage.entry;
  if (!outputs.some(({ io }) => io.builtin === 'position'))
    no(`${slotName(last)} is the last enabled stage before setup, but writes no @builtin(position)`);
  const { maxInterStageShaderVariables: most } = device.limits;
  const { count, text } = writtenVariables(last.stage.entry);
  if (topology === 'point-list' && count > most - 1)
    no(`${slotName(last)} writes ${text}; for points there are ${most - 1} (maxInterStageShaderVariables)`);
  if (!program) return;
  const { entry, stages } = program;
  checkFragmentInputs(device, entry, no);
  for (const stage of stages) checkVaryings(last, stage.entry, no);
}

function checkBufferSink(last: TableSlot, sink: number, { attributes }: BufferSinkDescriptor, no: Fail): void {
  attributes.forEach(({ shaderLocation, format }, i) => {
    const at = `sinks[${sink}].buffer.attributes[${i}]`;
    const output = shaderLocation === undefined ? null : atLocation(last.stage.entry.outputs, shaderLocation);
    // What is not written has default values.
    if (output && vertexFormatInfo(format).scalar !== scalarOf(output.type))
      no(
        `${at}: format ${format} does not fit ${located4(output)} of ${slotName(last)}, `
          + `which is ${typeName(output.type)}`
      );
  });
}

/** Whether an input of an evaluation stage belongs to its control points. */
const isPoint = ({ table: { patch }, stage: { entry } }: TableSlot, input: InterfaceVariable): boolean =>
  patch?.kind === 'evaluation' && input.parameter === entry.cornersParameter;

function checkAttribute(
  slot: TableSlot,
  input: ReturnType<typeof located>[number],
  attributes: Attributes,
  no: Fail
): void {
  const format = attributes.get(input.io.location);
  if (format !== undefined && vertexFormatInfo(format).scalar !== scalarOf(input.type))
    no(
      `${slotName(slot)} reads ${located4(input)} as ${typeName(input.type)}, `
        + `but the attribute's format ${format} gives ${vertexFormatInfo(format).scalar}`
    );
}

function checkVaryings(last: TableSlot, fragment: EntryPoint, no: Fail): void {
  for (const input of located(fragment.inputs)) {
    const output = atLocation(last.stage.entry.outputs, input.io.location);
    if (!output) continue;
    const reads = `the fragment entry point "${fragment.name}" reads ${input.name}`;
    if (exactScalarOf(output.type) !== exactScalarOf(input.type))
      no(
        `${slotName(last)} writes ${located4(output)} as ${typeName(output.type)}, `
          + `but ${reads} as ${typeName(input.type)}`
      );
    if (interpolation(output) !== interpolation(input))
      no(`${slotName(last)} writes ${located4(output)} ${interpolation(output)}, but ${reads} ${interpolation(input)}`);
  }
}
