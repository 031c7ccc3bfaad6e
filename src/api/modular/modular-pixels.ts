// The pixel side of a modular pipeline: slots that hold fragment stages. A choice's enabled fragment slots on the way
// to a raster sink are joined into one shader (src/ir/fragment-stages.ts). Unlike the stages of fragment.stages, a slot
// may write a link again that earlier slots have written, and links that no earlier slot writes have default values.
import type { Steps } from '../../base/steps';
import { withLinkDefaults, type Branch, type IsWritten, type StageShader } from '../../mpipe';
import { typeName, type InterfaceVariable } from '../core/front-end';
import type { DeviceCore, Fail } from '../core/device-core';
import {
  called,
  combinedProgram,
  linksOf,
  type FragmentPart,
  type FragmentProgram,
} from '../pipelines/fragment-stages';
import { checkFragmentOutput, type OutputDescriptor } from '../pipelines/pipeline';
import { exactScalarOf, scalarOf } from '../pipelines/pipeline-checks';
import {
  fragmentRateOf,
  sizeOf,
  slotName,
  type ChosenLeaf,
  type ChosenTree,
  type FragmentStage,
  type TableSink,
  type TableSlot,
} from './modular-slots';
import { fragmentShaderOf } from './modular-source';

/** Whether a slot holds a fragment stage. */
export const isPixelSlot = ({ d }: TableSlot): boolean => fragmentRateOf(d.kind) !== null;

/** Separates the vertex side of a choice from its pixel side, and completes the fragment shader of each sink. */
export function splitSides(
  device: DeviceCore,
  tree: Branch<TableSlot, number>,
  sinks: readonly TableSink[],
  no: Fail
): ChosenTree {
  const leafOf = (sink: number, pixels: readonly TableSlot[]): ChosenTree => ({
    stages: [],
    branches: [],
    leaf: { sink, pixels, program: programOf(device, sink, sinks[sink]!, pixels, no) },
  });
  /** Several branches if fragment slots fork: setup then follows several times. */
  const split = (of: Branch<TableSlot, number>, before: readonly TableSlot[]): ChosenTree[] => {
    const own = of.stages.filter((slot) => !isPixelSlot(slot));
    const pixels = [...before, ...of.stages.filter(isPixelSlot)];
    checkSides([...before, ...of.stages], no);
    const behind =
      of.leaf === null ? of.branches.flatMap((branch) => split(branch, pixels)) : [leafOf(of.leaf, pixels)];
    if (own.length === 0) return behind;
    const [only] = behind;
    if (behind.length === 1 && only) return [{ ...only, stages: [...own, ...only.stages] }];
    return [{ stages: own, branches: behind, leaf: null }];
  };
  const branches = split(tree, []);
  const [only] = branches;
  return branches.length === 1 && only ? only : { stages: [], branches, leaf: null };
}

/** Requires that only fragment slots follow a fragment slot. */
function checkSides(slots: readonly TableSlot[], no: Fail): void {
  const first = slots.findIndex(isPixelSlot);
  const wrong = first < 0 ? undefined : slots.slice(first).find((slot) => !isPixelSlot(slot));
  if (wrong)
    no(
      `${slotName(wrong)} of kind "${wrong.d.kind}" follows ${slotName(slots[first]!)} of kind `
        + `"${slots[first]!.d.kind}": stages of kinds "coarse", "pixel" and "sample" come last`
    );
}

/** The fragment shader before a sink; null for buffers, and if only depth is written. */
function programOf(
  device: DeviceCore,
  number: number,
  sink: TableSink,
  pixels: readonly TableSlot[],
  no: Fail
): FragmentProgram | null {
  const inSink: Fail = (message) => no(`sinks[${number}].raster: ${message}`);
  const [first] = pixels;
  if (sink.kind === 'buffer' || sink.fragment !== null || !sink.raster.fragment) {
    if (!first) return sink.kind === 'raster' ? (sink.fragment?.program ?? null) : null;
    const which = `${slotName(first)} of kind "${first.d.kind}" leads to sinks[${number}]`;
    if (sink.kind === 'buffer') return no(`${which}, which is a buffer: let only stages of other kinds lead to it`);
    return no(
      sink.fragment
        ? `${which}, whose raster.fragment has a shader: leave out its module, entryPoint, constants and stages`
        : `${which}, whose raster has no fragment: add fragment: { targets }`
    );
  }
  const { raster } = sink;
  checkTargets(raster, pixels, inSink);
  const parts = pixels.map((slot): FragmentPart => ({
    at: `slot ${slot.index}`,
    d: slot.d,
    rate: fragmentRateOf(slot.d.kind),
    stage: slot.stage,
  }));
  const program = first ? combinedProgram(parts, checkLinkTypes, no) : null;
  checkFragmentOutput(device, raster, program, inSink);
  return program;
}

/** Requires that an enabled slot writes each target. */
function checkTargets({ fragment }: OutputDescriptor, pixels: readonly TableSlot[], no: Fail): void {
  if (pixels.some(({ stage }) => stage.entry.dispatches)) return;
  fragment?.targets.forEach((target, location) => {
    if (!target || target.writeMask === 0) return;
    if (pixels.some(({ stage }) => stage.entry.outputs.some(({ io }) => io.location === location))) return;
    no(
      `fragment.targets[${location}] (${target.format.name}) is written, but no enabled slot outputs `
        + `@location(${location}): enable one that does, or set writeMask: 0`
    );
  });
}

/** Requires that a link has the scalar type that the last slot before it wrote. */
function checkLinkTypes(parts: readonly FragmentPart[], no: Fail): void {
  const given = new Map<number, { readonly part: FragmentPart; readonly variable: InterfaceVariable }>();
  for (const part of parts) {
    for (const { io, name, type } of linksOf(part.stage.entry.inputs)) {
      const producer = given.get(io.link);
      if (producer && exactScalarOf(producer.variable.type) !== exactScalarOf(type))
        no(
          `${called(producer.part)} outputs @link(${io.link}) as ${typeName(producer.variable.type)}, `
            + `but ${called(part)} after it reads ${name} as ${typeName(type)}`
        );
    }
    for (const variable of linksOf(part.stage.entry.outputs)) given.set(variable.io.link, { part, variable });
  }
}

/** The shaders of fragment slots, with default values of links that no earlier slot writes. */
function linkedSlots(pixels: readonly TableSlot[]): StageShader[] {
  return pixels.map(({ stage, table }, i) => {
    const scalars = linksOf(stage.entry.inputs).filter(
      ({ type }) => type.kind === 'scalar' && scalarOf(type) === 'f32'
    );
    const single = new Set(scalars.map(({ io }) => io.link));
    return { ...table, program: withLinkDefaults(table.program, writtenLinks(pixels.slice(0, i)), single) };
  });
}

/** The components of links that slots write; each link has those of the last slot that writes it. */
function writtenLinks(pixels: readonly TableSlot[]): IsWritten {
  return ({ location, component }) => {
    const last = pixels.findLast(({ stage }) => linksOf(stage.entry.outputs).some(({ io }) => io.link === location));
    const variable = last && linksOf(last.stage.entry.outputs).find(({ io }) => io.link === location);
    return variable !== undefined && component < sizeOf(variable.type);
  };
}

/** Joins the enabled fragment slots before a sink into one shader. */
export function fragmentOfSlots(
  device: DeviceCore,
  { program, pixels }: Pick<ChosenLeaf, 'pixels'> & { readonly program: FragmentProgram },
  raster: OutputDescriptor,
  no: Fail
): Steps<FragmentStage> {
  const shaders = linkedSlots(pixels);
  return fragmentShaderOf(device, program, raster, no, function* (part) {
    return shaders[program.parts.indexOf(part)]!;
  });
}
