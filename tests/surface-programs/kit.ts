// Devices, textures and draw calls for the tests of shaders that load from surfaces and store to them.
import type { EmptyRenderPassDescriptor, StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

export const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
/** Four tiles, three of which are partial. */
export const SIZE = 80;
const PATIENCE_MS = 20_000;

export async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const features: readonly string[] = [
    'statistics',
    'multisample-storage-textures',
    'multisample-32bit',
    'extended-sample-counts',
    'fragment-stages',
  ];
  const device = (await adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] })) as StatisticsDevice;
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return device;
}

/** A pass without attachments. */
export const emptyPass = (label: string, sampleCount = 4): EmptyRenderPassDescriptor => ({
  label,
  colorAttachments: [],
  size: [SIZE, SIZE],
  sampleCount,
});

export function surface(
  device: GPUDevice,
  format: GPUTextureFormat,
  usage = USAGE.STORAGE | USAGE.SAMPLED,
  sampleCount = 4
): GPUTexture {
  return device.createTexture({ label: `the ${format}`, size: [SIZE, SIZE], sampleCount, format, usage });
}

export interface Triangle {
  readonly corners: readonly number[];
  readonly color: readonly number[];
}

/** Clip coordinates and a color for each vertex. */
export function vertices(device: GPUDevice, triangles: readonly Triangle[]): GPUBuffer {
  const data = Float32Array.from(
    triangles.flatMap(({ corners, color }) =>
      [0, 1, 2].flatMap((k) => [corners[2 * k]!, corners[2 * k + 1]!, ...color])
    )
  );
  const buffer = device.createBuffer({
    size: Math.max(24, data.byteLength),
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.VERTEX,
  });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}
export const VERTICES: GPUVertexBufferLayout = {
  arrayStride: 24,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x2' },
    { shaderLocation: 1, offset: 8, format: 'float32x4' },
  ],
};

export const VERTEX = `
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f }
  @vertex fn vs(@location(0) at: vec2f, @location(1) color: vec4f) -> Corner {
    return Corner(vec4f(at, 0.5, 1), color);
  }`;

const SCALARS: Readonly<Record<string, string>> = { uint: 'u32', sint: 'i32' };
const scalarOf = (format: GPUTextureFormat): string => SCALARS[/[us]int$/.exec(format)?.[0] ?? ''] ?? 'f32';

/** All samples as images side by side, in the texture's own texels: bytes of rows of SIZE · samples texels. */
export async function samplesOf(device: GPUDevice, texture: GPUTexture): Promise<Uint8Array> {
  const { width, height, sampleCount, format } = texture;
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var t: texture_multisampled_2d<${scalarOf(format)}>;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
      }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4<${scalarOf(format)}> {
        let at = vec2u(p.xy);
        return textureLoad(t, vec2u(at.x % ${width}u, at.y), at.x / ${width}u);
      }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const target = device.createTexture({
    size: [width * sampleCount, height],
    format,
    usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: texture.createView() }],
  });
  const texel = { r32uint: 4, rgba8unorm: 4, rgba16float: 8, rgba32float: 16 }[format as string]!;
  const bytesPerRow = Math.ceil((width * sampleCount * texel) / 256) * 256;
  const buffer = device.createBuffer({
    size: bytesPerRow * height,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow }, [width * sampleCount, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(buffer.getMappedRange());
  const rowBytes = width * sampleCount * texel;
  const bytes = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) bytes.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + rowBytes), y * rowBytes);
  buffer.destroy();
  target.destroy();
  return bytes;
}
