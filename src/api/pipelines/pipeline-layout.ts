// Resources of a pipeline's shaders and its layout: the default layout of `layout: 'auto'`, and the validation of an
// explicit one. https://www.w3.org/TR/webgpu/#abstract-opdef-default-pipeline-layout

import { unreachable } from '../../base/assert';
import { formatInfo } from '../../surface/formats';
import { ShaderStage } from '../idl/constants';
import { BindGroupLayoutCore, checkEntry, checkGroups, type Binding, type LayoutEntry } from '../resources/bind-layout';
import type { DeviceCore, Fail, Named } from '../core/device-core';
import type { GlobalVariable, ResolvedEntry } from '../core/front-end';

/** An entry point and its module, with the values of pipeline constants. */
export interface StageProgram extends ResolvedEntry {
  readonly resolved: ResolvedEntry;
  readonly stage: 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';
}

/** Shader stage that resources must be visible to. All stages before setup count as VERTEX. */
const visibilityOf = ({ stage }: StageProgram): 'VERTEX' | 'FRAGMENT' | 'COMPUTE' =>
  stage === 'fragment' ? 'FRAGMENT' : stage === 'compute' ? 'COMPUTE' : 'VERTEX';

const variable = (program: StageProgram, global: number): GlobalVariable => program.hir.globals[global]!;
const bindingName = (v: GlobalVariable): string =>
  `@group(${v.binding?.group}) @binding(${v.binding?.binding}) ${v.name}`;

const ACCESS = { read: 'read-only', write: 'write-only', read_write: 'read-write' } as const;

/** Whether a shader's texture may be filtered. In default layouts, every sampled float texture is filterable. */
const isFilterable = ({ type }: GlobalVariable): boolean =>
  type.kind === 'texture' && (type.sampled === 'f32' || type.sampled === 'external');

/** A sampler that is used with integer or depth textures cannot filter. */
function samplerType(program: StageProgram, global: number, isComparison: boolean): GPUSamplerBindingType {
  if (isComparison) return 'comparison';
  const matchesOtherUses = program.entry.samplingPairs.some(
    ([texture, sampler]) => sampler === global && !isFilterable(variable(program, texture))
  );
  return matchesOtherUses ? 'non-filtering' : 'filtering';
}

/** Returns the layout entry that a shader's variable needs. */
function bindingOf(program: StageProgram, global: number, v: GlobalVariable): Binding {
  if (v.type.kind === 'sampler') return { kind: 'sampler', type: samplerType(program, global, v.type.comparison) };
  if (v.type.kind === 'texture') {
    const { sampled, multisampled, dimension } = v.type;
    if (sampled === 'external') return { kind: 'external texture' };
    const filtered = !multisampled && program.entry.samplingPairs.some(([texture]) => texture === global);
    const sampleType =
      sampled === 'depth'
        ? 'depth'
        : sampled === 'i32'
          ? 'sint'
          : sampled === 'u32'
            ? 'uint'
            : filtered
              ? 'float'
              : 'unfilterable-float';
    return { kind: 'texture', sampleType, viewDimension: dimension, multisampled };
  }
  if (v.type.kind === 'storage-texture')
    return {
      kind: 'storage texture',
      access: ACCESS[v.type.access],
      viewDimension: v.type.dimension,
      multisampled: v.type.multisampled,
      format: formatInfo(v.type.format) ?? unreachable(`api: no format ${v.type.format}`),
    };
  const type = v.space === 'uniform' ? 'uniform' : v.access === 'read' ? 'read-only-storage' : 'storage';
  return { kind: 'buffer', type, hasDynamicOffset: false, minBindingSize: program.sizes.binding(global) };
}

function merge(a: Binding, b: Binding): Binding | null {
  if (a.kind === 'buffer' && b.kind === 'buffer' && a.type === b.type)
    return { ...a, minBindingSize: Math.max(a.minBindingSize, b.minBindingSize) };
  if (a.kind === 'sampler' && b.kind === 'sampler') {
    if (a.type === b.type) return a;
    return a.type === 'comparison' || b.type === 'comparison' ? null : { kind: 'sampler', type: 'non-filtering' };
  }
  if (
    a.kind === 'storage texture'
    && b.kind === 'storage texture'
    && a.format === b.format
    && a.access === b.access
    && a.viewDimension === b.viewDimension
    && a.multisampled === b.multisampled
  )
    return a;
  if (a.kind === 'external texture' && b.kind === 'external texture') return a;
  if (
    a.kind !== 'texture'
    || b.kind !== 'texture'
    || a.viewDimension !== b.viewDimension
    || a.multisampled !== b.multisampled
  )
    return null;
  if (a.sampleType === b.sampleType) return a;
  const floats = [a.sampleType, b.sampleType];
  return floats.includes('float') && floats.includes('unfilterable-float') ? { ...a, sampleType: 'float' } : null;
}

let pipelines = 0;

/** Makes bind group layouts with exactly the resources that the shaders use. They fit only this pipeline. */
export function defaultLayout(
  device: DeviceCore,
  programs: readonly StageProgram[],
  who: Named,
  call: string,
  no: Fail
): BindGroupLayoutCore[] {
  const groups: Map<number, LayoutEntry>[] = [];
  for (const program of programs) {
    const visibility = ShaderStage[visibilityOf(program)];
    for (const global of program.entry.resources) {
      const v = variable(program, global);
      const { group, binding } = v.binding!;
      if (group >= device.limits.maxBindGroups)
        no(`${bindingName(v)}: groups must be less than maxBindGroups ${device.limits.maxBindGroups}`);
      while (groups.length <= group) groups.push(new Map());
      const entries = groups[group]!;
      const known = entries.get(binding);
      const resource = bindingOf(program, global, v);
      const merged = known === undefined ? resource : merge(known.resource, resource);
      if (merged === null)
        no(`${bindingName(v)} is a different kind of resource in the other stage; use another binding for one of them`);
      entries.set(binding, { binding, visibility: visibility | (known?.visibility ?? 0), resource: merged });
    }
  }
  groups.forEach((entries, group) =>
    entries.forEach((entry) => checkEntry(device, entry, (message) => no(`@group(${group}): ${message}`)))
  );
  const pipeline = ++pipelines;
  const layouts = groups.map(
    (entries, i) =>
      new BindGroupLayoutCore(device, `group ${i} of ${who.called.slice(1, -1)}`, [...entries.values()], pipeline, true)
  );
  checkGroups(device, layouts, who, call);
  return layouts;
}

function mismatch(wanted: Binding, given: Binding): string | null {
  if (wanted.kind !== given.kind) return `is a ${wanted.kind}, but the layout has a ${given.kind}`;
  if (wanted.kind === 'buffer' && given.kind === 'buffer') {
    if (wanted.type !== given.type) return `is a ${wanted.type} buffer, but the layout has type "${given.type}"`;
    if (given.minBindingSize !== 0 && given.minBindingSize < wanted.minBindingSize)
      return `needs ${wanted.minBindingSize} bytes, but the layout's minBindingSize is ${given.minBindingSize}`;
  }
  if (
    wanted.kind === 'sampler'
    && given.kind === 'sampler'
    && (wanted.type === 'comparison') !== (given.type === 'comparison')
  )
    return (
      `is a ${wanted.type === 'comparison' ? 'comparison sampler' : 'sampler'}, `
      + `but the layout has type "${given.type}"`
    );
  if (wanted.kind === 'storage texture' && given.kind === 'storage texture') {
    if (wanted.format !== given.format)
      return `has format ${wanted.format.name}, but the layout has ${given.format.name}`;
    if (wanted.viewDimension !== given.viewDimension)
      return `has dimension "${wanted.viewDimension}", but the layout has viewDimension "${given.viewDimension}"`;
    if (wanted.multisampled !== given.multisampled)
      return (
        `is ${wanted.multisampled ? '' : 'not '}multisampled, but the layout's texture `
        + `is${given.multisampled ? '' : ' not'}`
      );
    // A read-write binding also fits write-only access.
    if (wanted.access !== given.access && !(given.access === 'read-write' && wanted.access === 'write-only'))
      return `has access ${wanted.access}, but the layout has "${given.access}"`;
  }
  if (wanted.kind !== 'texture' || given.kind !== 'texture') return null;
  if (wanted.viewDimension !== given.viewDimension)
    return `has dimension "${wanted.viewDimension}", but the layout has viewDimension "${given.viewDimension}"`;
  if (wanted.multisampled !== given.multisampled)
    return (
      `is ${wanted.multisampled ? '' : 'not '}multisampled, but the layout's texture `
      + `is${given.multisampled ? '' : ' not'}`
    );
  const float = wanted.sampleType === 'float' || wanted.sampleType === 'unfilterable-float';
  const fits = float
    ? given.sampleType === 'float' || given.sampleType === 'unfilterable-float'
    : given.sampleType === wanted.sampleType;
  return fits ? null : `has sample type "${wanted.sampleType}", but the layout has "${given.sampleType}"`;
}

/** Requires that the explicit layout contains every resource of the shaders, with a matching type and visibility. */
export function checkLayout(
  groups: readonly (BindGroupLayoutCore | null)[],
  programs: readonly StageProgram[],
  no: Fail
): void {
  for (const program of programs) {
    const bit = ShaderStage[visibilityOf(program)];
    for (const global of program.entry.resources) {
      const v = variable(program, global);
      const entry = groups[v.binding!.group]?.byBinding.get(v.binding!.binding);
      if (entry === undefined)
        no(`entry point "${program.entry.name}" uses ${bindingName(v)}, which the layout does not have`);
      if ((entry.visibility & bit) === 0)
        no(
          `entry point "${program.entry.name}" uses ${bindingName(v)}, but the layout does not make it visible `
            + `to GPUShaderStage.${visibilityOf(program)}`
        );
      const problem = mismatch(bindingOf(program, global, v), entry.resource);
      if (problem !== null) no(`${bindingName(v)} of entry point "${program.entry.name}" ${problem}`);
    }
    checkPairs(groups, program, no);
  }
}

/** Refuses filtering samplers for textures that are not filterable. */
function checkPairs(groups: readonly (BindGroupLayoutCore | null)[], program: StageProgram, no: Fail): void {
  for (const [texture, sampler] of program.entry.samplingPairs) {
    const t = variable(program, texture);
    const s = variable(program, sampler);
    const textureEntry = groups[t.binding!.group]?.byBinding.get(t.binding!.binding)?.resource;
    const samplerEntry = groups[s.binding!.group]?.byBinding.get(s.binding!.binding)?.resource;
    if (
      textureEntry?.kind === 'texture'
      && samplerEntry?.kind === 'sampler'
      && textureEntry.sampleType !== 'float'
      && samplerEntry.type === 'filtering'
    )
      no(
        `entry point "${program.entry.name}" samples ${bindingName(t)}, `
          + `whose sampleType in the layout is "${textureEntry.sampleType}", `
          + `with the filtering sampler ${bindingName(s)}; use sampler type "non-filtering"`
      );
  }
}

/** Whether a shader can write to a storage texture. */
export function writesSurfaces(program: StageProgram): boolean {
  return program.entry.resources.some((global) => {
    const { type } = variable(program, global);
    return type.kind === 'storage-texture' && type.access !== 'read';
  });
}

/** A buffer binding whose size is checked by draw calls, because the layout has no minBindingSize. */
export interface UncheckedBufferSize {
  readonly group: number;
  readonly binding: number;
  readonly bytes: number;
  readonly name: string;
}
export function uncheckedBufferSizes(
  groups: readonly (BindGroupLayoutCore | null)[],
  programs: readonly StageProgram[]
): UncheckedBufferSize[] {
  const late: UncheckedBufferSize[] = [];
  for (const program of programs) {
    for (const global of program.entry.resources) {
      const v = variable(program, global);
      const { group, binding } = v.binding!;
      const entry = groups[group]?.byBinding.get(binding);
      if (entry?.resource.kind === 'buffer' && entry.resource.minBindingSize === 0)
        late.push({ group, binding, bytes: program.sizes.binding(global), name: v.name });
    }
  }
  return late;
}
