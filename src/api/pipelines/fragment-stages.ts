// Fragment shaders of pipelines: one entry point, or several stages with separate rates (the feature
// "fragment-stages"). Validates the rules between them. src/ir/fragment-stages.ts joins them into one program.

import {
  hasDispatches,
  hasSecondSource,
  hasSets,
  isTargetContents,
  type FragmentRate,
  type IrProgram,
  type DualSourceBlend,
} from '../../ir';
import type { StageShader } from '../../mpipe';
import type { FragmentShader } from '../../render/types';
import { hasDepth, hasStencil } from '../../surface/formats';
import type { Steps } from '../../base/steps';
import type { DeviceCore, Fail } from '../core/device-core';
import { typeName, type EntryPoint, type InterfaceVariable } from '../core/front-end';
import { asksSecond } from './pipeline-checks';
import type { FragmentDescriptor, FragmentStageDescriptor, RenderPipelineDescriptor } from './pipeline-descriptor';
import type { StageProgram } from './pipeline-layout';

/** Maximum number of fragment stages of a pipeline. */
const MAX_STAGES = 8;
const RATES: readonly FragmentRate[] = ['coarse', 'pixel', 'sample'];

/** One entry point of a pipeline's fragment shader. `at` is the member of the descriptor that names it. */
export interface FragmentPart {
  readonly at: string;
  readonly d: Omit<FragmentStageDescriptor, 'rate'>;
  /** null: the only entry point of a pipeline without stages. */
  readonly rate: FragmentRate | null;
  readonly stage: StageProgram;
}

/** The fragment shader of a pipeline, with all its parts. */
export interface FragmentProgram {
  readonly parts: readonly FragmentPart[];
  readonly stages: readonly StageProgram[];
  /** Combined inputs from outside and results for render targets and tests, of all stages. */
  readonly entry: EntryPoint;
}

/** The state that follows the fragment shader. */
type FragmentOutputState = Pick<RenderPipelineDescriptor, 'fragment' | 'multisample'>;

export const called = ({ at, stage }: FragmentPart): string => `${at} ("${stage.entry.name}")`;

/** Finds the entry points of a descriptor with `program`, and validates the rules between them. */
export function fragmentProgram(
  device: DeviceCore,
  d: FragmentDescriptor,
  program: (d: FragmentPart['d']) => StageProgram,
  no: Fail
): FragmentProgram {
  const { stages, targets: _, interlock, ...own } = d;
  const found = findProgram(device, d, stages, own, program, no);
  if (interlock === 'ordered') return found;
  if (!device.features.has('fragment-stages'))
    no('fragment.interlock needs the feature "fragment-stages"; ask for it in requestDevice({ requiredFeatures })');
  if (!found.entry.inputs.some(readsStored))
    no(
      `fragment.interlock is "unordered", but entry point "${found.entry.name}" reads no stored value (@color, `
        + '@builtin(sample_depth) or @builtin(sample_stencil)): leave it out'
    );
  return found;
}

const readsStored = ({ io }: InterfaceVariable): boolean =>
  io.color !== undefined || io.builtin === 'sample_depth' || io.builtin === 'sample_stencil';

/** The fragment shader of several stages. `checkLinks` requires that their links match. */
export function combinedProgram(
  parts: readonly FragmentPart[],
  checkLinks: (parts: readonly FragmentPart[], no: Fail) => void,
  no: Fail
): FragmentProgram {
  checkRates(parts, no);
  checkLinks(parts, no);
  checkResults(parts, no);
  return { parts, stages: parts.map(({ stage }) => stage), entry: joinedEntry(parts) };
}

function findProgram(
  device: DeviceCore,
  d: FragmentDescriptor,
  stages: FragmentDescriptor['stages'],
  own: FragmentPart['d'],
  program: (d: FragmentPart['d']) => StageProgram,
  no: Fail
): FragmentProgram {
  if (stages !== null && !device.features.has('fragment-stages'))
    no(`fragment.stages needs the feature "fragment-stages"; ask for it in requestDevice({ requiredFeatures })`);
  if (stages === null) {
    const part: FragmentPart = { at: 'fragment', d: own, rate: null, stage: program(own) };
    for (const { name, io } of [...part.stage.entry.inputs, ...part.stage.entry.outputs])
      if (io.link !== undefined)
        no(
          `entry point "${part.stage.entry.name}" has @link(${io.link}) ${name}: links connect fragment.stages, `
            + 'and this pipeline has none'
        );
    return { parts: [part], stages: [part.stage], entry: part.stage.entry };
  }
  if (d.entryPoint !== undefined || d.constants !== null)
    no('fragment: entryPoint and constants cannot be combined with stages; set them in each of fragment.stages');
  if (stages.length === 0 || stages.length > MAX_STAGES)
    no(`fragment.stages: ${stages.length} stages; a pipeline can have 1 to ${MAX_STAGES}`);
  const parts = stages.map(({ rate, ...stage }, i): FragmentPart => {
    const module = stage.module ?? d.module;
    if (!module) return no(`fragment.stages[${i}]: neither this stage nor fragment has a module`);
    const named = { ...stage, module };
    return { at: `fragment.stages[${i}]`, d: named, rate, stage: program(named) };
  });
  return combinedProgram(parts, checkGivenLinks, no);
}

function checkRates(parts: readonly FragmentPart[], no: Fail): void {
  parts.forEach((part, i) => {
    const before = parts[i - 1];
    if (before && RATES.indexOf(part.rate!) < RATES.indexOf(before.rate!))
      no(
        `${called(part)} of rate "${part.rate}" follows ${called(before)} of rate "${before.rate}"; `
          + 'the order is coarse, pixel, sample'
      );
    if (part.rate === 'sample') return;
    for (const { name, io } of part.stage.entry.inputs) {
      const what =
        io.color !== undefined
          ? `@color(${io.color})`
          : io.builtin === 'sample_depth' || io.builtin === 'sample_stencil' || io.builtin === 'sample_index'
            ? `@builtin(${io.builtin})`
            : null;
      if (what !== null) no(differs(part, `${what} ${name}`));
    }
  });
}

const differs = (part: FragmentPart, what: string): string =>
  `${called(part)} of rate "${part.rate}" reads ${what}, which differs between the samples of a pixel; `
  + 'only stages of rate "sample" can read it';

/**
 * Stages may share their varyings in one struct with per-sample varyings; pixel and coarse stages must not use those.
 */
function checkUsed(part: FragmentPart, { program }: StageShader, no: Fail): void {
  if (part.rate === null || part.rate === 'sample') return;
  for (const input of program.inputs)
    if (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat')
      no(differs(part, `@location(${input.location}) @interpolate(${input.interpolation}, sample)`));
}

type Linked = InterfaceVariable & { readonly io: { readonly link: number } };
export const linksOf = (variables: readonly InterfaceVariable[]): Linked[] =>
  variables.filter((variable): variable is Linked => variable.io.link !== undefined);

/** Requires that an earlier stage gives each link, and only one. */
function checkGivenLinks(parts: readonly FragmentPart[], no: Fail): void {
  const given = new Map<number, { readonly part: FragmentPart; readonly variable: InterfaceVariable }>();
  for (const part of parts) {
    for (const {
      io: { link },
      name,
      type,
    } of linksOf(part.stage.entry.inputs)) {
      const producer = given.get(link);
      if (producer === undefined) {
        const later = parts.find(({ stage }) => linksOf(stage.entry.outputs).some(({ io }) => io.link === link));
        return no(
          `${called(part)} reads @link(${link}) ${name}, which no earlier stage `
            + `outputs${later ? `; ${called(later)} does` : ''}`
        );
      }
      if (typeName(producer.variable.type) !== typeName(type))
        no(
          `${called(part)} reads @link(${link}) ${name} as ${typeName(type)}, but ${called(producer.part)} `
            + `outputs ${typeName(producer.variable.type)}`
        );
    }
    for (const variable of linksOf(part.stage.entry.outputs)) {
      const other = given.get(variable.io.link);
      if (other) no(`${called(part)} outputs @link(${variable.io.link}), and so does ${called(other.part)}`);
      given.set(variable.io.link, { part, variable });
    }
  }
}

/** Requires that each result for a render target or a test comes from only one stage. */
function checkResults(parts: readonly FragmentPart[], no: Fail): void {
  const given = new Map<string, FragmentPart>();
  const sender = parts.find(({ stage: { entry } }) => entry.dispatches);
  const last = parts.at(-1)!;
  if (sender && sender !== last)
    no(`${called(sender)} uses dispatchSamples, which is only allowed in the last stage, ${called(last)}`);
  const lastPixelPart = parts.findLast(({ rate }) => rate !== 'sample');
  for (const part of parts)
    for (const { io } of part.stage.entry.outputs) {
      if (io.link !== undefined) continue;
      const what = io.location === undefined ? `@builtin(${io.builtin})` : `@location(${io.location})`;
      const other = given.get(what);
      if (other) no(`${called(part)} outputs ${what}, and so does ${called(other)}`);
      given.set(what, part);
      if (sender && part !== sender)
        no(
          `${called(part)} outputs ${what}, but ${called(sender)} `
            + 'outputs the results of all stages with dispatchSamples'
        );
      if (io.builtin === 'sample_mask' && part !== lastPixelPart)
        no(
          `${called(part)} outputs @builtin(sample_mask), which is only allowed in the last stage of rate `
            + `"coarse" or "pixel"${lastPixelPart ? `, ${called(lastPixelPart)}` : ''}`
        );
    }
}

function joinedEntry(parts: readonly FragmentPart[]): EntryPoint {
  const [first] = parts as [FragmentPart];
  const entries = parts.map(({ stage: { entry } }) => entry);
  const keyOf = ({ io }: InterfaceVariable): string => `${io.location} ${io.color} ${io.builtin}`;
  const ofAll = (read: (entry: EntryPoint) => readonly InterfaceVariable[]): InterfaceVariable[] => [
    ...new Map(
      entries
        .flatMap(read)
        .filter(({ io }) => io.link === undefined)
        .map((variable) => [keyOf(variable), variable])
    ).values(),
  ];
  return {
    ...first.stage.entry,
    name: entries.map(({ name }) => name).join(' + '),
    inputs: ofAll(({ inputs }) => inputs),
    outputs: ofAll(({ outputs }) => outputs),
  };
}

/** Requires a depth or stencil aspect if stages read the stored value. */
export function checkStored(
  { depthStencil }: Pick<RenderPipelineDescriptor, 'depthStencil'>,
  { stages }: FragmentProgram,
  no: Fail
): void {
  for (const { entry } of stages)
    for (const {
      io: { builtin },
    } of entry.inputs) {
      if (builtin !== 'sample_depth' && builtin !== 'sample_stencil') continue;
      const has = builtin === 'sample_depth' ? hasDepth : hasStencil;
      if (!depthStencil || !has(depthStencil.format))
        no(
          `entry point "${entry.name}" reads @builtin(${builtin}), but the pipeline has no depthStencil format `
            + `with ${builtin.slice('sample_'.length)}`
        );
    }
}

/** Alpha-to-coverage is evaluated per pixel, so its alpha must not come from a sample stage. */
export function checkAlphaStage({ parts }: FragmentProgram, no: Fail): void {
  const part = parts.find(({ stage: { entry } }) => entry.outputs.some(({ io }) => io.location === 0));
  if (part?.rate === 'sample')
    no(
      'multisample.alphaToCoverageEnabled needs @location(0) from a stage of rate "coarse" or "pixel", '
        + `but ${called(part)} of rate "sample" outputs it`
    );
}

/** How the two sources of target 0 are blended; null if its blending does not use the second one. */
function dualSourceBlend({
  fragment,
  multisample: { count, alphaToCoverageEnabled },
}: FragmentOutputState): DualSourceBlend | null {
  const target = fragment?.targets[0] ?? null;
  if (target === null || !asksSecond(target)) return null;
  const {
    format: { name, channels },
    blend,
  } = target;
  const range = name.includes('unorm') ? ([0, 1] as const) : name.includes('snorm') ? ([-1, 1] as const) : null;
  return { ...blend!, range, channels, coverage: alphaToCoverageEnabled ? count : null };
}

/** Programs with blending, by program and blend state, so that pipelines share them. */
const blended = new WeakMap<IrProgram, Map<string, IrProgram>>();
function blendedBy({ engine }: DeviceCore, program: IrProgram, sources: DualSourceBlend | null): IrProgram {
  const known = blended.get(program) ?? new Map<string, IrProgram>();
  const key = JSON.stringify(sources);
  const made = known.get(key) ?? engine.lowerDualSource(program, sources);
  blended.set(program, known.set(key, made));
  return made;
}

/** The program of a part. If the part has a second blend source, the program performs the blending. */
function* withBlendSources(
  device: DeviceCore,
  part: FragmentPart,
  made: StageShader,
  behind: FragmentOutputState,
  no: Fail
): Steps<StageShader> {
  if (!hasSecondSource(made.program)) return made;
  if (part.rate !== null)
    no(`${called(part)} outputs @blend_src(1): dual-source blending cannot be combined with fragment.stages`);
  if (hasDispatches(made.program))
    no(`${called(part)} outputs @blend_src(1), which cannot be combined with dispatchSamples`);
  yield;
  return { ...made, program: blendedBy(device, made.program, dualSourceBlend(behind)) };
}

/**
 * Joins the parts into one program. `compile` compiles a part. `hasRates` says whether coarse stages may run at other
 * rates than 1×1.
 */
export function* compileFragment(
  device: DeviceCore,
  { parts }: FragmentProgram,
  behind: FragmentOutputState,
  compile: (part: FragmentPart) => Steps<StageShader>,
  hasRates: boolean,
  no: Fail
): Steps<FragmentShader> {
  const { isWorthSplitting, joinStages } = device.engine;
  const tables: StageShader[] = [];
  for (const part of parts) {
    const table = yield* withBlendSources(device, part, yield* compile(part), behind, no);
    checkUsed(part, table, no);
    tables.push(table);
  }
  const blends = dualSourceBlend(behind) !== null;
  const [first] = tables as [StageShader];
  const rate = parts[0]!.rate;
  // A shader without stages becomes a sample stage if it reads stored values.
  const { program } = first;
  const usesDispatch = hasDispatches(program);
  if (rate === null && !program.inputs.some(isTargetContents) && !usesDispatch) {
    // A shader that runs per sample may be faster in parts.
    const staged =
      hasSets(program) && isWorthSplitting(program)
        ? { ...joinStages([{ program, rate: 'sample' }]), isPerSampleShader: true }
        : null;
    return { table: first, staged, blends };
  }
  const staged = joinStages(tables.map((table, i) => ({ program: table.program, rate: parts[i]!.rate ?? 'sample' })));
  const scalars = new Set(tables.flatMap((table) => [...table.scalars]));
  const table = { ...first, program: staged.program, scalars };
  return { table, staged: hasRates ? staged : { ...staged, coarseNodes: 0 }, blends };
}
