// Validation rules of render pipelines that do not depend on the layout: vertex buffers, interfaces between stages,
// targets, depth-stencil state and samples.
// https://www.w3.org/TR/webgpu/#abstract-opdef-validating-gpurenderpipelinedescriptor

import { needsFeature, supports } from '../resources/format-support';
import { checkSampleCount } from '../resources/sample-count';
import { limitText } from '../core/limits';
import { hasDepth, hasStencil, type FormatInfo } from '../../surface/formats';
import { typeName, type EntryPoint, type InterfaceVariable, type Type } from '../core/front-end';
import type { DeviceCore, Fail } from '../core/device-core';
import { isStrip } from '../../mpipe';
import type { DepthStencilDescriptor, RenderPipelineDescriptor, TargetDescriptor } from './pipeline-descriptor';
import { vertexFormatInfo } from './vertex-format';

export const exactScalarOf = (type: Type): string =>
  type.kind === 'scalar' || type.kind === 'vector' ? type.scalar : '';
/** The scalar type of a value. f16 counts as f32, because vertex formats and targets do not distinguish them. */
export const scalarOf = (type: Type): string => (exactScalarOf(type) === 'f16' ? 'f32' : exactScalarOf(type));
const componentsOf = (type: Type): number => (type.kind === 'vector' ? type.size : 1);

export const atLocation = (variables: readonly InterfaceVariable[], location: number): InterfaceVariable | undefined =>
  variables.find(({ io }) => io.location === location && io.blendSrc !== 1);
export const located = (
  variables: readonly InterfaceVariable[]
): (InterfaceVariable & { io: { location: number } })[] =>
  variables.filter((v): v is InterfaceVariable & { io: { location: number } } => v.io.location !== undefined);

/** Formats of the vertex attributes by shader location. */
export type Attributes = ReadonlyMap<number, GPUVertexFormat>;

/** Validates vertex buffers. `where` is the member of the descriptor that holds them. */
export function checkVertexBuffers(
  device: DeviceCore,
  buffers: RenderPipelineDescriptor['vertex']['buffers'],
  where: string,
  no: Fail
): Attributes {
  const { maxVertexBuffers, maxVertexAttributes } = device.limits;
  if (buffers.length > maxVertexBuffers)
    no(`${where}: ${buffers.length} buffers exceed ${limitText(device.limits, 'maxVertexBuffers')}`);
  const attributes = new Map<number, GPUVertexFormat>();
  buffers.forEach((buffer, slot) => {
    if (buffer === null) return;
    const at = `${where}[${slot}]`;
    const max = device.limits.maxVertexBufferArrayStride;
    if (buffer.arrayStride > max)
      no(`${at}: arrayStride ${buffer.arrayStride} exceeds maxVertexBufferArrayStride ${max}`);
    if (buffer.arrayStride % 4 !== 0) no(`${at}: arrayStride ${buffer.arrayStride} is not a multiple of 4`);
    buffer.attributes.forEach(({ format, offset, shaderLocation }, i) => {
      const { bytes } = vertexFormatInfo(format);
      const end = offset + bytes;
      const room = buffer.arrayStride === 0 ? max : buffer.arrayStride;
      if (end > room)
        no(
          `${at}.attributes[${i}]: offset ${offset} + ${bytes} bytes of ${format} exceed `
            + `${buffer.arrayStride === 0 ? 'maxVertexBufferArrayStride' : 'arrayStride'} ${room}`
        );
      if (offset % Math.min(4, bytes) !== 0)
        no(
          `${at}.attributes[${i}]: offset ${offset} is not a multiple of ${Math.min(4, bytes)}, as ${format} requires`
        );
      if (shaderLocation >= maxVertexAttributes) {
        const most = limitText(device.limits, 'maxVertexAttributes');
        no(`${at}.attributes[${i}]: shaderLocation ${shaderLocation} must be less than ${most}`);
      }
      if (attributes.has(shaderLocation))
        no(`${at}.attributes[${i}]: shaderLocation ${shaderLocation} is taken by another attribute`);
      attributes.set(shaderLocation, format);
    });
  });
  if (attributes.size > maxVertexAttributes)
    no(`${attributes.size} vertex attributes exceed ${limitText(device.limits, 'maxVertexAttributes')}`);
  return attributes;
}

/** Requires that every input of an entry point is an attribute. */
export function checkVertexInputs(entry: EntryPoint, attributes: Attributes, no: Fail): void {
  for (const input of located(entry.inputs)) {
    const format = attributes.get(input.io.location);
    if (format === undefined)
      no(
        `entry point "${entry.name}" reads @location(${input.io.location}) ${input.name}: `
          + `${typeName(input.type)}, but no attribute of vertex.buffers has shaderLocation ${input.io.location}`
      );
    const { scalar } = vertexFormatInfo(format);
    if (scalar !== scalarOf(input.type))
      no(
        `entry point "${entry.name}" reads @location(${input.io.location}) ${input.name} `
          + `as ${typeName(input.type)}, but the attribute's format ${format} gives ${scalar}`
      );
  }
}

export const interpolation = (v: InterfaceVariable): string => {
  const { type = scalarOf(v.type) === 'f32' ? 'perspective' : 'flat', sampling } = v.io.interpolation ?? {};
  const fallback = type === 'flat' ? 'first' : 'center';
  return `@interpolate(${type}, ${sampling ?? fallback})`;
};

/** Number of inter-stage variables that clip distances count as: one for four scalars. */
const distanceVariables = (outputs: readonly InterfaceVariable[]): number => {
  const type = outputs.find(({ io }) => io.builtin === 'clip_distances')?.type;
  return type?.kind === 'array' ? Math.ceil((type.count ?? 0) / 4) : 0;
};

/**
 * Counts the inter-stage variables that an entry point writes: its locations, its clip distances, and a shading rate,
 * which setup stores in the same way.
 */
export function writtenVariables({ outputs }: EntryPoint): { readonly count: number; readonly text: string } {
  const { length } = located(outputs);
  const hasRate = outputs.some(({ io }) => io.builtin === 'shading_rate');
  const distances = distanceVariables(outputs);
  const rate = hasRate ? ' and @builtin(shading_rate), which counts as one' : '';
  return {
    count: length + (hasRate ? 1 : 0) + distances,
    text:
      `${length} `
      + `locations${rate}${distances > 0 ? ` and @builtin(clip_distances), which counts as ${distances}` : ''}`,
  };
}

/**
 * Requires that the fragment stage's inputs match the vertex stage's outputs (WebGPU "inter-stage interface
 * validation").
 */
export function checkInterStage(
  device: DeviceCore,
  d: RenderPipelineDescriptor,
  vertex: EntryPoint,
  fragment: { readonly entry: EntryPoint; readonly stages: readonly { readonly entry: EntryPoint }[] } | null,
  no: Fail
): void {
  const max = device.limits.maxInterStageShaderVariables;
  const room = d.primitive.topology === 'point-list' ? max - 1 : max;
  const outputs = located(vertex.outputs);
  const written = writtenVariables(vertex);
  if (written.count > room)
    no(`entry point "${vertex.name}" writes ${written.text}; there are ${room} (maxInterStageShaderVariables)`);
  const distances = distanceVariables(vertex.outputs);
  const most = max - distances;
  for (const { io, name } of outputs)
    if (io.location >= most)
      no(
        `entry point "${vertex.name}" writes @location(${io.location}) ${name}; `
          + 'locations must be less than maxInterStageShaderVariables '
          + `${max}${distances > 0 ? ` - ${distances}, as @builtin(clip_distances) counts as ${distances}` : ''}`
      );
  if (fragment === null) return;
  checkFragmentInputs(device, fragment.entry, no);
  for (const { entry } of fragment.stages)
    for (const input of located(entry.inputs)) {
      const at = `@location(${input.io.location}) ${input.name}`;
      const output = atLocation(vertex.outputs, input.io.location);
      if (output === undefined)
        no(`entry point "${entry.name}" reads ${at}, which vertex entry point "${vertex.name}" does not write`);
      if (typeName(output.type) !== typeName(input.type))
        no(`${at} is ${typeName(output.type)} in "${vertex.name}", but ${typeName(input.type)} in "${entry.name}"`);
      if (interpolation(output) !== interpolation(input))
        no(`${at} is ${interpolation(output)} in "${vertex.name}", but ${interpolation(input)} in "${entry.name}"`);
    }
}

/** Built-in inputs of fragment stages that count as inter-stage variables. */
const COUNTED_BUILTINS: ReadonlySet<string> = new Set([
  'front_facing',
  'sample_index',
  'sample_mask',
  'shading_rate',
  'primitive_index',
  'subgroup_invocation_id',
  'subgroup_size',
]);

/** Requires that a fragment stage's inputs fit the limit. */
export function checkFragmentInputs(device: DeviceCore, fragment: EntryPoint, no: Fail): void {
  const { maxInterStageShaderVariables: max } = device.limits;
  const inputs = located(fragment.inputs);
  const builtins = fragment.inputs.filter(({ io }) => COUNTED_BUILTINS.has(io.builtin ?? '')).length;
  if (inputs.length + builtins > max)
    no(
      `entry point "${fragment.name}" reads ${inputs.length + builtins} locations and builtins; `
        + `there are ${max} (maxInterStageShaderVariables)`
    );
}

const isTriangles = (topology: string): boolean => topology.startsWith('triangle');

type Primitive = Omit<RenderPipelineDescriptor['primitive'], 'topology'> & { readonly topology: string };

export function checkPrimitive(device: DeviceCore, d: { readonly primitive: Primitive }, no: Fail): void {
  const { topology, stripIndexFormat, unclippedDepth } = d.primitive;
  if (stripIndexFormat !== undefined && !isStrip(topology))
    no(`primitive.stripIndexFormat is only for strips, not for topology "${topology}"`);
  if (unclippedDepth && !device.features.has('depth-clip-control'))
    no(
      'primitive.unclippedDepth needs the feature "depth-clip-control"; '
        + 'ask for it in requestDevice({ requiredFeatures })'
    );
}

export function checkDepthStencil(d: { readonly primitive: Primitive }, state: DepthStencilDescriptor, no: Fail): void {
  const { format, depthWriteEnabled, depthCompare, stencilFront, stencilBack } = state;
  const at = `depthStencil (${format.name})`;
  if (format.aspect === 'color') no(`depthStencil.format ${format.name} is neither a depth nor a stencil format`);
  const faces = [stencilFront, stencilBack];
  if (hasDepth(format)) {
    if (depthWriteEnabled === undefined) no(`${at}: depthWriteEnabled must be given for formats with depth`);
    const needed = depthWriteEnabled || faces.some((face) => face.depthFailOp !== 'keep');
    if (depthCompare === undefined && needed)
      no(`${at}: depthCompare must be given when depth is written or a depthFailOp is not "keep"`);
  } else if (depthWriteEnabled === true || (depthCompare !== undefined && depthCompare !== 'always'))
    no(`${at} has no depth: omit depthWriteEnabled and depthCompare`);
  const usesStencil = faces.some(
    (face) =>
      face.compare !== 'always' || face.failOp !== 'keep' || face.depthFailOp !== 'keep' || face.passOp !== 'keep'
  );
  if (!hasStencil(format) && usesStencil)
    no(`${at} has no stencil: stencilFront and stencilBack must be left at their defaults`);
  const biased = state.depthBias !== 0 || state.depthBiasSlopeScale !== 0 || state.depthBiasClamp !== 0;
  if (biased && !isTriangles(d.primitive.topology))
    no(`${at}: depth bias is only for triangles, not for topology "${d.primitive.topology}"`);
}

function checkTarget(device: DeviceCore, target: TargetDescriptor, i: number, no: Fail): void {
  const { format, blend, writeMask } = target;
  const at = `fragment.targets[${i}] (${format.name})`;
  if (format.aspect !== 'color') no(`${at} is not a colour format; depth and stencil formats belong in depthStencil`);
  if (!supports(device, format.renderable)) no(`${at} cannot be rendered to${needsFeature(format.renderable)}`);
  if (writeMask > 0xf) no(`${at}: writeMask 0x${writeMask.toString(16)} has unknown bits; GPUColorWrite.ALL is 0xf`);
  if (blend === null) return;
  if (!supports(device, format.blendable)) no(`${at} cannot be blended${needsFeature(format.blendable)}`);
  for (const [part, component] of Object.entries(blend)) {
    if (
      (component.operation === 'min' || component.operation === 'max')
      && (component.srcFactor !== 'one' || component.dstFactor !== 'one')
    )
      no(
        `${at}: blend.${part} operation "${component.operation}" needs srcFactor and dstFactor "one", `
          + `not "${component.srcFactor}" and "${component.dstFactor}"`
      );
  }
}

/** Byte cost of a target's texel, and its alignment (WebGPU §26.1.1 "render target pixel byte cost"). */
function targetCost(format: FormatInfo): readonly [number, number] {
  const wide = /^(rgba8unorm|bgra8unorm|rgb10a2|rg11b10)/.test(format.name);
  if (wide) return [8, format.name.startsWith('rg') && !format.name.startsWith('rgba8') ? 4 : 1];
  return [format.bytes, format.bytes / format.channels];
}
export function checkTargetBytes(device: DeviceCore, formats: readonly (FormatInfo | null)[], no: Fail): void {
  let bytes = 0;
  for (const format of formats) {
    if (format === null) continue;
    const [cost, alignment] = targetCost(format);
    bytes = Math.ceil(bytes / alignment) * alignment + cost;
  }
  if (bytes > device.limits.maxColorAttachmentBytesPerSample) {
    const most = limitText(device.limits, 'maxColorAttachmentBytesPerSample');
    no(`the colour targets take ${bytes} bytes per sample, more than ${most}`);
  }
}

const scalarOfFormat = (format: FormatInfo): string =>
  format.sampleType === 'uint' ? 'u32' : format.sampleType === 'sint' ? 'i32' : 'f32';
const readsSourceAlpha = (factor: string): boolean => /src1?-alpha/.test(factor);
/** Whether a target's blend state uses a second source. */
export const asksSecond = ({ blend }: TargetDescriptor): boolean =>
  blend !== null
  && Object.values(blend).some(({ srcFactor, dstFactor }) => srcFactor.includes('src1') || dstFactor.includes('src1'));

/** https://www.w3.org/TR/webgpu/#abstract-opdef-validating-gpufragmentstate */
function checkSources(
  device: DeviceCore,
  targets: readonly (TargetDescriptor | null)[],
  fragment: EntryPoint | null,
  no: Fail
): void {
  const asking = targets.findIndex((target) => target !== null && asksSecond(target));
  const gives = fragment?.outputs.some(({ io }) => io.blendSrc === 1) ?? false;
  if (asking >= 0 && !device.features.has('dual-source-blending'))
    no(
      `fragment.targets[${asking}]: blending with a second source needs the feature "dual-source-blending"; `
        + 'ask for it in requestDevice({ requiredFeatures })'
    );
  if (asking >= 0 && fragment !== null && !gives)
    no(
      `fragment.targets[${asking}] blends with a second source, but `
        + `entry point "${fragment.name}" has no output @blend_src(1)`
    );
  if ((asking >= 0 || gives) && targets.length !== 1)
    no(`${targets.length} fragment.targets: dual-source blending supports only one`);
}

function checkOutput(target: TargetDescriptor, i: number, fragment: EntryPoint, no: Fail): void {
  const at = `fragment.targets[${i}] (${target.format.name})`;
  const output = atLocation(fragment.outputs, i);
  if (output === undefined) {
    if (target.writeMask !== 0)
      no(
        `${at} is written, but entry point "${fragment.name}" has no `
          + `output @location(${i}); add the output, or set writeMask: 0`
      );
    return;
  }
  const wanted = scalarOfFormat(target.format);
  if (scalarOf(output.type) !== wanted)
    no(`${at} takes ${wanted}, but entry point "${fragment.name}" outputs ${typeName(output.type)} at @location(${i})`);
  const components = componentsOf(output.type);
  if (components < target.format.channels)
    no(
      `${at} has ${target.format.channels} channels, but entry point "${fragment.name}" outputs `
        + `${typeName(output.type)} at @location(${i})`
    );
  const { blend } = target;
  if (
    blend !== null
    && components < 4
    && (readsSourceAlpha(blend.color.srcFactor) || readsSourceAlpha(blend.color.dstFactor))
  )
    no(
      `${at}: blending reads the source's alpha, but entry point "${fragment.name}" outputs `
        + `${typeName(output.type)} at @location(${i}); return a vec4`
    );
}

/** Validates framebuffer fetch: the inputs of a fragment shader that read render targets. */
export function checkDestinations(targets: readonly (TargetDescriptor | null)[], fragment: EntryPoint, no: Fail): void {
  for (const {
    io: { color },
    name,
    type,
  } of fragment.inputs) {
    if (color === undefined) continue;
    const what = `entry point "${fragment.name}" reads @color(${color}) as "${name}"`;
    const target = targets[color] ?? null;
    if (target === null)
      return no(`${what}, but fragment.targets[${color}] does not exist; the pipeline has ${targets.length} targets`);
    const at = `fragment.targets[${color}] (${target.format.name})`;
    const held = scalarOfFormat(target.format);
    if (scalarOf(type) !== held) no(`${what} of type ${typeName(type)}, but ${at} contains ${held}`);
    if (target.blend !== null)
      no(`${what}, and ${at} has a blend state: a shader that reads its target must blend itself, so omit \`blend\``);
  }
}

/** Validates the fragment state. `stores` says whether the fragment shader can write to a storage texture. */
export function checkFragment(
  device: DeviceCore,
  d: Pick<RenderPipelineDescriptor, 'fragment' | 'depthStencil'>,
  fragment: EntryPoint | null,
  stores: boolean,
  no: Fail
): void {
  const targets = d.fragment?.targets ?? [];
  const max = device.limits.maxColorAttachments;
  if (targets.length > max) no(`fragment.targets: ${targets.length} targets exceed maxColorAttachments ${max}`);
  if (d.depthStencil === null && !targets.some((target) => target !== null) && !stores)
    no('the pipeline writes nothing: add a fragment target or a depthStencil state');
  targets.forEach((target, i) => {
    if (target === null) return;
    checkTarget(device, target, i, no);
    if (fragment !== null) checkOutput(target, i, fragment, no);
  });
  checkSources(device, targets, fragment, no);
  checkTargetBytes(
    device,
    targets.map((target) => target?.format ?? null),
    no
  );
  if (fragment === null) return;
  const writesDepth = fragment.outputs.some(({ io }) => io.builtin === 'frag_depth');
  if (writesDepth && (d.depthStencil === null || !hasDepth(d.depthStencil.format)))
    no(
      `entry point "${fragment.name}" writes @builtin(frag_depth), `
        + 'but the pipeline has no depthStencil format with depth'
    );
}

export function checkMultisample(
  device: DeviceCore,
  d: Pick<RenderPipelineDescriptor, 'fragment' | 'multisample'>,
  fragment: EntryPoint | null,
  no: Fail
): void {
  const { count, alphaToCoverageEnabled } = d.multisample;
  checkSampleCount(device, 'multisample.count', count, no);
  if (!alphaToCoverageEnabled) return;
  if (count === 1) no('multisample.alphaToCoverageEnabled needs more than one sample');
  const first = d.fragment?.targets[0] ?? null;
  if (first === null || !supports(device, first.format.blendable) || first.format.channels < 4)
    no('multisample.alphaToCoverageEnabled needs a first target with alpha that can be blended');
  if (fragment?.outputs.some(({ io }) => io.builtin === 'sample_mask'))
    no(
      `multisample.alphaToCoverageEnabled cannot be used with entry point "${fragment.name}", `
        + 'which writes @builtin(sample_mask)'
    );
  const output = fragment === null ? undefined : atLocation(fragment.outputs, 0);
  if (output === undefined || componentsOf(output.type) < 4)
    no('multisample.alphaToCoverageEnabled needs a vec4<f32> output at @location(0)');
}
