// The dictionaries of modular pipelines: up to 32 stages, their input and their sinks.

import {
  boolean,
  defaulted,
  dictionary,
  enumeration,
  nullable,
  optional,
  required,
  sequence,
  text,
  u32,
  type Convert,
} from '../idl/idl';
import { frontFace, processingOrder } from '../idl/enums';
import {
  assembly,
  layoutOrAuto,
  output,
  primitive,
  sinkFragment,
  stage,
  vertexBuffer,
} from '../pipelines/pipeline-descriptor';
import { TOPOLOGIES, type EmittedTopology } from '../../mpipe';

/** Accepts any value; it is converted later. */
const whatever: Convert<unknown> = (value) => value;

/** One slot or a sequence of slots. */
const oneOrMore: Convert<number[]> = (value, at) =>
  typeof value === 'object' ? sequence(u32)(value, at) : [u32(value, at)];

const stageKind = enumeration('ModularStageKind', [
  'vertex',
  'tess_control',
  'tess_evaluation',
  'geometry',
  'primitive',
  'coarse',
  'pixel',
  'sample',
]);

const topology = enumeration('ModularTopology', TOPOLOGIES);
/** One topology, or one for each stream. */
const topologies: Convert<readonly EmittedTopology[]> = (value, at) =>
  typeof value === 'object' ? sequence(topology)(value, at) : [topology(value, at)];
const inputTopology = enumeration('ModularTopology', [...TOPOLOGIES, 'patch-list'] as const);

const domain = enumeration('TessellationDomain', ['triangles', 'quads', 'lines']);
const spacing = enumeration('TessellationSpacing', ['equal', 'fractional-odd', 'fractional-even']);

export const modularStage = dictionary('ModularStage', {
  kind: required(stageKind),
  ...stage,
  enabled: optional(boolean, true),
  maxVertices: optional(u32),
  topology: optional(topologies),
  domain: optional(domain),
  spacing: optional(spacing),
  winding: optional(frontFace),
  maxLevel: optional(u32),
});
export type ModularStageDescriptor = ReturnType<typeof modularStage>;

/** Formats with 32 bits per component: vertices are stored as they are computed. */
const sinkFormat = enumeration('BufferSinkFormat', [
  'float32',
  'float32x2',
  'float32x3',
  'float32x4',
  'uint32',
  'uint32x2',
  'uint32x3',
  'uint32x4',
  'sint32',
  'sint32x2',
  'sint32x3',
  'sint32x4',
]);

const sink = dictionary('ModularSink', {
  from: optional(oneOrMore),
  stream: optional(u32, 0),
  raster: optional(
    dictionary('RasterSink', {
      primitive: optional(dictionary('RasterPrimitive', primitive), {
        frontFace: 'ccw',
        cullMode: 'none',
        unclippedDepth: false,
      }),
      ...output,
      fragment: optional(sinkFragment, null),
    }),
    null
  ),
  buffer: optional(
    dictionary('BufferSink', {
      arrayStride: required(u32),
      attributes: required(
        sequence(
          dictionary('BufferSinkAttribute', {
            shaderLocation: optional(u32),
            builtin: optional(enumeration('BufferSinkBuiltin', ['primitive_vertices'])),
            offset: required(u32),
            format: required(sinkFormat),
          })
        )
      ),
    }),
    null
  ),
  pipeline: optional(nullable(whatever), null),
});

export const modularPipelineDescriptor = dictionary('ModularPipelineDescriptor', {
  label: optional(text, ''),
  layout: required(layoutOrAuto),
  input: required(
    dictionary('ModularInput', {
      buffers: optional(sequence(nullable(vertexBuffer)), []),
      ...assembly,
      topology: optional(inputTopology, 'triangle-list'),
      patchVertices: optional(u32),
    })
  ),
  stages: required(sequence(nullable(modularStage))),
  edges: optional(sequence(sequence(u32))),
  sinks: required(sequence(sink)),
  workers: optional(sequence(u32)),
  processingOrder: defaulted(
    dictionary('ModularProcessingOrder', {
      pixel: optional(processingOrder, 'auto'),
      vertex: optional(processingOrder, 'auto'),
      primitive: optional(processingOrder, 'auto'),
    })
  ),
});
export type ModularPipelineDescriptor = ReturnType<typeof modularPipelineDescriptor>;
export type RasterSinkDescriptor = NonNullable<ReturnType<typeof sink>['raster']>;
export type BufferSinkDescriptor = NonNullable<ReturnType<typeof sink>['buffer']>;
