// The dictionaries of render pipelines: https://www.w3.org/TR/webgpu/#render-pipeline-creation

import { pipelineLayoutSlot, type PipelineLayoutCore } from '../resources/bind-layout';
import {
  blendFactor,
  blendOperation,
  compareFunction,
  cullMode,
  fragmentRate,
  frontFace,
  indexFormat,
  interlock,
  primitiveTopology,
  processingOrder,
  stencilOperation,
  vertexFormat,
  vertexStepMode,
} from '../idl/enums';
import {
  boolean,
  defaulted,
  dictionary,
  double,
  float,
  i32,
  nullable,
  object,
  optional,
  record,
  required,
  sequence,
  text,
  u32,
  u64,
  type Convert,
} from '../idl/idl';
import type { DeviceCore } from '../core/device-core';
import { requireFormats } from '../resources/format-support';
import { shaderModuleSlot } from './shader';
import { textureFormat } from '../resources/texture-descriptor';

export const layoutOrAuto: Convert<PipelineLayoutCore | 'auto'> = (value, at) => {
  if (value === 'auto') return 'auto';
  const layout = pipelineLayoutSlot.find(value);
  if (layout === undefined) throw new TypeError(`${at} must be a GPUPipelineLayout or "auto"`);
  return layout;
};

export const stage = {
  module: required(object(shaderModuleSlot)),
  entryPoint: optional(text),
  constants: optional(record(double), null),
};
const vertexAttribute = dictionary('GPUVertexAttribute', {
  format: required(vertexFormat),
  offset: required(u64),
  shaderLocation: required(u32),
});
export const vertexBuffer = dictionary('GPUVertexBufferLayout', {
  arrayStride: required(u64),
  stepMode: optional(vertexStepMode, 'vertex'),
  attributes: required(sequence(vertexAttribute)),
});
const stencilFace = dictionary('GPUStencilFaceState', {
  compare: optional(compareFunction, 'always'),
  failOp: optional(stencilOperation, 'keep'),
  depthFailOp: optional(stencilOperation, 'keep'),
  passOp: optional(stencilOperation, 'keep'),
});
const blendComponent = dictionary('GPUBlendComponent', {
  operation: optional(blendOperation, 'add'),
  srcFactor: optional(blendFactor, 'one'),
  dstFactor: optional(blendFactor, 'zero'),
});
const target = dictionary('GPUColorTargetState', {
  format: required(textureFormat),
  blend: optional(
    dictionary('GPUBlendState', { color: required(blendComponent), alpha: required(blendComponent) }),
    null
  ),
  writeMask: optional(u32, 0xf),
});
const depthStencil = dictionary('GPUDepthStencilState', {
  format: required(textureFormat),
  depthWriteEnabled: optional(boolean),
  depthCompare: optional(compareFunction),
  stencilFront: defaulted(stencilFace),
  stencilBack: defaulted(stencilFace),
  stencilReadMask: optional(u32, 0xffffffff),
  stencilWriteMask: optional(u32, 0xffffffff),
  depthBias: optional(i32, 0),
  depthBiasSlopeScale: optional(float, 0),
  depthBiasClamp: optional(float, 0),
});

/** Each fragment stage may have a separate module. */
const fragmentStage = dictionary('FragmentStage', {
  ...stage,
  module: optional(object(shaderModuleSlot), null),
  rate: required(fragmentRate),
});
/** The module may be omitted if each stage has one. */
const fragmentState = dictionary('GPUFragmentState', {
  ...stage,
  module: optional(object(shaderModuleSlot), null),
  targets: required(sequence(nullable(target))),
  stages: optional(sequence(fragmentStage), null),
  interlock: optional(interlock, 'ordered'),
});
const requireModule = (at: string): never => {
  throw new TypeError(`${at} lacks 'module', which a GPUFragmentState must have`);
};
const fragment: Convert<ReturnType<typeof fragmentState>> = (value, at) => {
  const state = fragmentState(value, at);
  return state.module === null && state.stages === null ? requireModule(at) : state;
};
/** The fragment state of a raster sink. Without any shader, the pipeline's slots are its stages. */
export const sinkFragment: typeof fragment = (value, at) => {
  const state = fragmentState(value, at);
  const hasEntry = state.entryPoint !== undefined || state.constants !== null;
  return hasEntry && state.module === null && state.stages === null ? requireModule(at) : state;
};

/** State of primitive assembly. */
export const assembly = {
  topology: optional(primitiveTopology, 'triangle-list'),
  stripIndexFormat: optional(indexFormat),
};
/** State of rasterization. */
export const primitive = {
  frontFace: optional(frontFace, 'ccw'),
  cullMode: optional(cullMode, 'none'),
  unclippedDepth: optional(boolean, false),
};
/** State of the stages after setup. */
export const output = {
  depthStencil: optional(depthStencil, null),
  multisample: defaulted(
    dictionary('GPUMultisampleState', {
      count: optional(u32, 1),
      mask: optional(u32, 0xffffffff),
      alphaToCoverageEnabled: optional(boolean, false),
    })
  ),
  fragment: optional(fragment, null),
};
export const renderPipelineDescriptor = dictionary('GPURenderPipelineDescriptor', {
  label: optional(text, ''),
  layout: required(layoutOrAuto),
  vertex: required(dictionary('GPUVertexState', { ...stage, buffers: optional(sequence(nullable(vertexBuffer)), []) })),
  primitive: defaulted(dictionary('GPUPrimitiveState', { ...assembly, ...primitive })),
  ...output,
  processingOrder: optional(processingOrder, 'auto'),
});
export type RenderPipelineDescriptor = ReturnType<typeof renderPipelineDescriptor>;
export type StageDescriptor = Pick<RenderPipelineDescriptor['vertex'], 'module' | 'entryPoint' | 'constants'>;

/** Throws a TypeError if a target's format needs a feature that the device lacks. */
export function requireOutputFormats(
  device: DeviceCore,
  call: string,
  d: Pick<RenderPipelineDescriptor, 'fragment' | 'depthStencil'>
): void {
  requireFormats(device, call, d.depthStencil?.format, ...(d.fragment?.targets ?? []).map((target) => target?.format));
}

export type FragmentDescriptor = ReturnType<typeof fragment>;
export type FragmentStageDescriptor = ReturnType<typeof fragmentStage>;
export type TargetDescriptor = ReturnType<typeof target>;
export type DepthStencilDescriptor = ReturnType<typeof depthStencil>;
