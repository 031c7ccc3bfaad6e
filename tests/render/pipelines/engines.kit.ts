// Devices and draw calls for the tests of engines. They import the sources, so that tests can reach state shared by
// devices.
import { createHash } from 'node:crypto';
import { create, type DeviceStatistics, type StatisticsDevice } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { TEXTURE } from '../../images/scenes/kit';
import { GPUBufferUsage, GPUMapMode } from '../../support/flags';

export type Programs = DeviceStatistics['programs'];

export async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const adapter = await create(forCreate(options)).requestAdapter();
  return (await adapter!.requestDevice({ requiredFeatures: ['statistics' as GPUFeatureName] })) as StatisticsDevice;
}

export const SIZE = 64;

/**
 * Statements that depend on the bits of a number, so that shaders with different numbers have different code, not only
 * different constants.
 */
const statements = (seed: number): string =>
  Array.from({ length: 14 }, (_, bit) =>
    (seed >> bit) & 1 ? 'sum = sum * 0.9 + v.uv.x;' : 'sum = fract(sum + v.uv.y);'
  ).join(' ');

/**
 * Triangles over the whole target, one per instance, nearer ones later. Colors vary with position and instance. `seed`
 * makes shaders differ.
 */
export const wgsl = (seed = 0): string => `
  struct Vertex {
    @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) instance: u32
  }
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Vertex {
    let at = vec2f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1);
    return Vertex(vec4f(at, 1 - f32(k) * 0.001, 1), at * 0.5 + 0.5, k);
  }
  @fragment fn fs(v: Vertex) -> @location(0) vec4f {
    var sum = 0.0;
    ${statements(seed)}
    for (var n = 0u; n < 3u + (v.instance & 3u); n++) { sum += sin(v.uv.x * f32(n + 1u)) * v.uv.y; }
    if (sum > 0.5) { sum = sqrt(sum); }
    return vec4f(fract(sum), v.uv, 1);
  }`;

export const moduleOf = (device: GPUDevice, seed = 0): GPUShaderModule =>
  device.createShaderModule({ code: wgsl(seed) });

export const descriptor = (module: GPUShaderModule, label = ''): GPURenderPipelineDescriptor => ({
  label,
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
});

/** One draw call per pipeline, in one pass. */
export function drawInto(device: GPUDevice, texture: GPUTexture, pipelines: readonly GPURenderPipeline[]): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pipelines.forEach((pipeline, i) => {
    pass.setPipeline(pipeline);
    pass.draw(3, 1, 0, i);
  });
  pass.end();
  device.queue.submit([encoder.finish()]);
}

export const target = (device: GPUDevice): GPUTexture =>
  device.createTexture({ size: [SIZE, SIZE], format: 'rgba8unorm', usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC });

/** Returns the hash of the picture. */
export async function read(device: GPUDevice, texture: GPUTexture): Promise<string> {
  const buffer = device.createBuffer({
    size: SIZE * SIZE * 4,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  if (bytes.every((byte) => byte === bytes[0])) throw new Error('nothing was drawn');
  const hash = createHash('sha256').update(bytes).digest('hex');
  buffer.destroy();
  return hash;
}

/** Draws a frame with the pipelines in order. Returns a string, so that a failed test prints little. */
export async function frame(device: GPUDevice, pipelines: readonly GPURenderPipeline[]): Promise<string> {
  const texture = target(device);
  drawInto(device, texture, pipelines);
  const picture = await read(device, texture);
  texture.destroy();
  return picture;
}

/** Waits until no compilation is pending. */
export async function compiled(device: StatisticsDevice, pipelines: number): Promise<Programs> {
  for (let i = 0; i < 500; i++) {
    const { programs } = device.statistics();
    if (programs.compiled + programs.interpreted >= pipelines) return programs;
    await new Promise((turn) => setTimeout(turn, 2));
  }
  throw new Error('pipelines were not compiled within a second');
}
