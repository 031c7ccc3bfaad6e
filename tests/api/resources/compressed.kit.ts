// Devices with compressed formats, and blocks of each format.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { formatInfo } from '../../../src/surface';
import { GPUMapMode } from '../../support/flags';

const KERNELS = pathToFileURL('build/');
export const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
export const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
export const FEATURES = [
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-etc2',
  'texture-compression-astc',
  'texture-compression-astc-sliced-3d',
] as GPUFeatureName[];
export const FORMATS: GPUTextureFormat[] = [
  'bc1-rgba-unorm',
  'bc2-rgba-unorm-srgb',
  'bc3-rgba-unorm',
  'bc4-r-unorm',
  'bc5-rg-snorm',
  'bc6h-rgb-ufloat',
  'bc7-rgba-unorm',
  'etc2-rgb8unorm',
  'etc2-rgba8unorm-srgb',
  'eac-r11unorm',
  'eac-rg11snorm',
  'astc-4x4-unorm',
  'astc-6x5-unorm-srgb',
  'astc-12x12-unorm',
];
export const engines: Record<string, CreateOptions> = {
  compiled: { engine: 'jit', threads: 2 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
};

export async function open(options: CreateOptions, features: readonly GPUFeatureName[] = FEATURES): Promise<GPUDevice> {
  const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: features });
}
export const noise = (bytes: number, seed = 7): Uint8Array<ArrayBuffer> => {
  let state = seed;
  return new Uint8Array(bytes).map(() => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
};

/** Random bytes are rarely valid blocks of ASTC. */
const astc = (
  JSON.parse(readFileSync(new URL('../../blocks/vectors.json', import.meta.url), 'utf8')) as Record<
    string,
    [string, string][]
  >
)['astc-6x5-unorm']!;
export function sampleBlocks(format: GPUTextureFormat): Uint8Array<ArrayBuffer> {
  if (!format.startsWith('astc')) return noise(15 * formatInfo(format)!.block!.bytes, 99);
  return Uint8Array.from(
    Array.from({ length: 15 }, (_, i) => [...Buffer.from(astc[i % astc.length]![0], 'hex')]).flat()
  );
}

/** Returns the blocks of a level, through a buffer. */
export async function blocksOf(
  device: GPUDevice,
  texture: GPUTexture,
  size: readonly [number, number, number?],
  at: Omit<GPUTexelCopyTextureInfo, 'texture'> = {}
): Promise<Uint8Array> {
  const { block } = formatInfo(texture.format)!;
  const [width, height, layers = 1] = size;
  const row = (width / block!.width) * block!.bytes;
  const rows = height / block!.height;
  const stride = Math.ceil(row / 256) * 256;
  const buffer = device.createBuffer({ size: stride * rows * layers, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture, ...at }, { buffer, bytesPerRow: stride, rowsPerImage: rows }, [
    width,
    height,
    layers,
  ]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const all = new Uint8Array(buffer.getMappedRange());
  return Uint8Array.from(
    Array.from({ length: rows * layers }, (_, y) => [...all.subarray(y * stride, y * stride + row)]).flat()
  );
}

/**
 * Returns the texels of a view's first level as floats, by a shader that loads them or samples them at their centers.
 */
export async function texels(
  device: GPUDevice,
  view: GPUTextureView,
  width: number,
  height: number,
  how: string
): Promise<Float32Array> {
  const out = device.createBuffer({ size: width * height * 16, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
  const read = device.createBuffer({ size: out.size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: {
      module: device.createShaderModule({
        code: `
    @group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
    @group(0) @binding(2) var s: sampler;
    @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= ${width} || id.y >= ${height}) { return; }
      let uv = (vec2f(id.xy) + 0.5) / vec2f(${width}, ${height});
      _ = uv;
      out[id.y * ${width} + id.x] = ${how};
    }`,
      }),
    },
  });
  const hasSampler = how.includes('textureSampleLevel');
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: view },
        { binding: 1, resource: { buffer: out } },
        ...(hasSampler
          ? [{ binding: 2, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) }]
          : []),
      ],
    })
  );
  pass.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
  pass.end();
  encoder.copyBufferToBuffer(out, 0, read, 0, out.size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return new Float32Array(read.getMappedRange().slice(0));
}
export const make = (
  device: GPUDevice,
  format: GPUTextureFormat,
  columns = 5,
  rows = 3,
  o: Partial<GPUTextureDescriptor> = {}
): GPUTexture => {
  const { block } = formatInfo(format)!;
  return device.createTexture({
    size: [columns * block!.width, rows * block!.height],
    format,
    usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
    ...o,
  });
};
export const write = (device: GPUDevice, texture: GPUTexture, data: Uint8Array<ArrayBuffer>, mipLevel = 0): void => {
  const { block } = formatInfo(texture.format)!;
  const width = Math.ceil(Math.max(1, texture.width >> mipLevel) / block!.width);
  const height = Math.ceil(Math.max(1, texture.height >> mipLevel) / block!.height);
  device.queue.writeTexture({ texture, mipLevel }, data, { bytesPerRow: width * block!.bytes, rowsPerImage: height }, [
    width * block!.width,
    height * block!.height,
  ]);
};
