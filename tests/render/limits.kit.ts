// Devices with raised limits, and shaders that use every binding.
import { pathToFileURL } from 'node:url';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { KERNELS, read, USAGE } from '../compute/kit';
import { GPUTextureUsage } from '../support/flags';

export const MOST = 64;
export const MAX_STORAGE_TEXTURES = 16;
export const MAX_DYNAMIC = 32;
export const ALIGNMENT = 32;
export const MAX_BYTES = 1 << 30;
const VERTICES_AND_LAYERS: Record<string, number> = {
  maxTextureArrayLayers: 2048,
  maxVertexBuffers: 16,
  maxVertexAttributes: 32,
};
export const STAGES = { compute: 4, vertex: 1, fragment: 2 } as const;
export type Stage = keyof typeof STAGES;

export const defaults: Record<string, number> = {
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBuffersInVertexStage: 8,
  maxStorageBuffersInFragmentStage: 8,
  maxUniformBuffersPerShaderStage: 12,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageTexturesPerShaderStage: 4,
  maxStorageTexturesInVertexStage: 4,
  maxStorageTexturesInFragmentStage: 4,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxUniformBufferBindingSize: 65536,
  maxStorageBufferBindingSize: 134217728,
  maxBufferSize: 268435456,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxTextureArrayLayers: 256,
  maxVertexBuffers: 8,
  maxVertexAttributes: 16,
};
export const raised: Record<string, number> = Object.fromEntries(
  Object.keys(defaults).map((name) => [
    name,
    Object.hasOwn(VERTICES_AND_LAYERS, name)
      ? VERTICES_AND_LAYERS[name]!
      : name.startsWith('min')
        ? ALIGNMENT
        : name.endsWith('Size')
          ? MAX_BYTES
          : name.includes('Dynamic')
            ? MAX_DYNAMIC
            : name.includes('StorageTextures')
              ? MAX_STORAGE_TEXTURES
              : MOST,
  ])
);

export const adapterOf = (options: CreateOptions): Promise<GPUAdapter | null> =>
  create(forCreate({ ...options, kernelUrl: KERNELS, workerUrl: pathToFileURL('build/worker.mjs') })).requestAdapter();
export async function open(
  options: CreateOptions,
  requiredLimits: Record<string, number> = raised
): Promise<GPUDevice> {
  return (await adapterOf(options))!.requestDevice({ requiredLimits });
}

/** A sum of these values shows which slot each one belongs to. */
export const valueOf = (kind: number, slot: number): number => Math.imul(slot * 4 + kind + 1, 0x9e3779b1) >>> 0;
export const sumOf = (count: number, value: (slot: number) => number): number => {
  let sum = 0;
  for (let slot = 0; slot < count; slot++) sum = (Math.imul(sum, 31) + value(slot)) | 0;
  return sum >>> 0;
};
export const slots = (count: number, text: (slot: number) => string): string =>
  Array.from({ length: count }, (_, slot) => text(slot)).join('\n');

/** Runs `all` in a stage and writes its result to a buffer, or to the only pixel of a target. */
export const programs: Readonly<Record<Stage, string>> = {
  compute: `
    @group(0) @binding(${MOST - 1}) var<storage, read_write> last: array<vec4u>;
    @compute @workgroup_size(1) fn cs() { last[1] = all(); }`,
  vertex: `
    struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat, either) value: vec4u }
    @vertex fn vs() -> Out { return Out(vec4f(0, 0, 0, 1), all()); }
    @fragment fn fs(@location(0) @interpolate(flat, either) value: vec4u) -> @location(0) vec4u { return value; }`,
  fragment: `
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(0, 0, 0, 1); }
    @fragment fn fs() -> @location(0) vec4u { return all(); }`,
};

/** Runs the stage over the groups and returns its vec4u. */
export async function resultOf(
  device: GPUDevice,
  stage: Stage,
  code: string,
  layout: GPUPipelineLayout,
  groups: readonly (readonly [GPUBindGroup, number[]?])[],
  out: GPUBuffer
): Promise<Uint32Array> {
  const module = device.createShaderModule({ code });
  const encoder = device.createCommandEncoder();
  if (stage === 'compute') {
    const pass = encoder.beginComputePass();
    pass.setPipeline(device.createComputePipeline({ layout, compute: { module } }));
    groups.forEach(([group, offsets], i) => pass.setBindGroup(i, group, offsets));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    return (await read(device, out)).slice(4, 8);
  }
  const target = device.createTexture({
    size: [1, 1],
    format: 'rgba32uint',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(
    device.createRenderPipeline({
      layout,
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
      primitive: { topology: 'point-list' },
    })
  );
  groups.forEach(([group, offsets], i) => pass.setBindGroup(i, group, offsets));
  pass.draw(1);
  pass.end();
  const buffer = device.createBuffer({ size: 16, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
  encoder.copyTextureToBuffer({ texture: target }, { buffer }, [1, 1]);
  device.queue.submit([encoder.finish()]);
  return read(device, buffer);
}
