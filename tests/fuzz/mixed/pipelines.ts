// Pipelines of the mixed frames on one device, kept from frame to frame.
import type { ModularPipelineDevice } from '../../../src/index';
import { hasDepth, hasStencil, type Look, type Rate, type Setup } from './looks';
import { shaderOf } from './shader';
import { SINK_BYTES, stagesOf } from './tables';

/** Bytes per vertex: position, number, color, and padding. */
export const VERTEX_BYTES = 32;
const BUFFERS: GPUVertexBufferLayout[] = [
  {
    arrayStride: VERTEX_BYTES,
    attributes: [
      { shaderLocation: 0, offset: 0, format: 'float32x4' },
      { shaderLocation: 1, offset: 16, format: 'uint32' },
      { shaderLocation: 3, offset: 20, format: 'float32x2' },
    ],
  },
];
const SINK = {
  arrayStride: SINK_BYTES,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x4' },
    { shaderLocation: 1, offset: 16, format: 'uint32' },
  ],
} as const;

/** A rejected pipeline has an error message instead. */
export interface Made {
  readonly pipeline: GPURenderPipeline | null;
  readonly refusal: string | null;
  /** Of a modular pipeline: the stages that are enabled or disabled with each slot after the first. */
  readonly slots: readonly (readonly number[])[];
}

function fragmentState(
  { fragment, blends, writeMasks }: Look,
  { targets }: Setup,
  module: GPUShaderModule
): GPUFragmentState {
  const { stages, isWhole, isUnordered } = fragment;
  return {
    module,
    ...(isWhole
      ? { entryPoint: 'f0' }
      : { stages: stages.map(({ rate }, i) => ({ entryPoint: `f${i}`, rate: rate as Rate })) }),
    ...(isUnordered && { interlock: 'unordered' as const }),
    targets: targets.map((format, i) => ({
      format,
      writeMask: writeMasks[i]!,
      ...(blends[i] && { blend: blends[i] }),
    })),
  };
}

function depthState(look: Look, { depth }: Setup): GPUDepthStencilState | undefined {
  if (depth === null) return undefined;
  const {
    compare,
    writesDepth,
    stencil,
    bias,
    vertex: { topology },
  } = look;
  return {
    format: depth,
    ...(hasDepth(depth) && { depthCompare: compare, depthWriteEnabled: writesDepth }),
    ...(bias !== 0 && topology.startsWith('triangle') && { depthBias: bias, depthBiasSlopeScale: bias / 100 }),
    ...(hasStencil(depth) && stencil && { stencilFront: stencil, stencilBack: { ...stencil, compare: 'always' } }),
  };
}

function make(device: GPUDevice, look: Look, setup: Setup): { pipeline: GPURenderPipeline; slots: number[][] } {
  const module = device.createShaderModule({ code: shaderOf(look, setup) });
  const { vertex } = look;
  const fragment = fragmentState(look, setup, module);
  const depthStencil = depthState(look, setup);
  const multisample = { count: setup.samples, mask: look.sampleMask, alphaToCoverageEnabled: look.alphaToCoverage };
  const { cullMode, unclippedDepth } = look;
  const isStrip = vertex.topology === 'triangle-strip';
  const primitive = { cullMode, unclippedDepth };
  const ofDepth = depthStencil ? { depthStencil } : {};
  if (!vertex.slots)
    return {
      slots: [],
      pipeline: device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, entryPoint: 's0', buffers: BUFFERS },
        fragment,
        multisample,
        ...ofDepth,
        primitive: { ...primitive, topology: vertex.topology, ...(isStrip && { stripIndexFormat: 'uint16' }) },
      }),
    };
  const { stages, places, edges } = stagesOf(vertex.slots, module);
  // Stages without an outgoing edge.
  const leaves = stages.flatMap((_, at) => (edges.some(([from]) => from === at) ? [] : [at]));
  const raster = { from: leaves, raster: { fragment, multisample, primitive, ...ofDepth } };
  const pipeline = (device as GPUDevice & ModularPipelineDevice).createModularPipeline({
    layout: 'auto',
    input: { buffers: BUFFERS, topology: 'triangle-list' },
    stages,
    edges,
    sinks: vertex.sinkFrom === null ? [raster] : [raster, { from: places[vertex.sinkFrom]!, buffer: SINK }],
  });
  return {
    pipeline,
    slots: vertex.slots.map(({ kind }, at) =>
      kind === 'tessellation' ? [places[at + 1]! - 1, places[at + 1]!] : [places[at + 1]!]
    ),
  };
}

export class Pipelines {
  private readonly made = new Map<string, Promise<Made>>();
  constructor(private readonly device: GPUDevice) {}

  forget(): void {
    this.made.clear();
  }

  of(look: Look, setup: Setup): Promise<Made> {
    const key = JSON.stringify([look, setup]);
    const kept = this.made.get(key) ?? this.make(look, setup);
    this.made.set(key, kept);
    return kept;
  }

  private async make(look: Look, setup: Setup): Promise<Made> {
    const { device } = this;
    device.pushErrorScope('validation');
    const { pipeline, slots } = make(device, look, setup);
    const error = await device.popErrorScope();
    return { pipeline: error ? null : pipeline, refusal: error?.message ?? null, slots };
  }
}
