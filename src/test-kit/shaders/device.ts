// The device on which shaders of tests run, and the mistakes that it reports.
import type { create } from '../../index';

/** Features of WGSL that modules may enable, and formats of textures. */
const FEATURES = [
  'shader-f16',
  'subgroups',
  'clip-distances',
  'primitive-index',
  'float32-filterable',
  'texture-formats-tier2',
  'bgra8unorm-storage',
] as readonly GPUFeatureName[];

/**
 * Opens the device of all tests of this process. It has no workers: most dispatches of tests are shorter than the start
 * of a worker, and test runners complain about workers that outlive a test.
 */
export async function openDevice(open: typeof create): Promise<GPUDevice> {
  const adapter = await open({ threads: 0 }).requestAdapter();
  if (adapter === null) throw new Error('wgsl: there is no adapter');
  return adapter.requestDevice({ requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)) });
}

/** Runs `work` and throws the validation error that it causes. */
export async function validated<T>(device: GPUDevice, what: string, work: () => T): Promise<T> {
  device.pushErrorScope('validation');
  let result: T;
  let error: GPUError | null;
  try {
    result = work();
  } finally {
    error = await device.popErrorScope();
  }
  if (error !== null) throw new Error(`${what}: ${error.message}`);
  return result;
}

/** Copies a buffer of the device. */
export async function readBuffer(device: GPUDevice, buffer: GPUBuffer): Promise<DataView> {
  const copy = device.createBuffer({ size: buffer.size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  const bytes = copy.getMappedRange().slice(0);
  copy.destroy();
  return new DataView(bytes);
}

/** GPUBufferUsage, whose globals an application may not have defined. */
export const BUFFER = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 } as const;
/** GPUTextureUsage. */
export const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, TEXTURE_BINDING: 4, STORAGE_BINDING: 8, RENDER: 16 } as const;
/** GPUShaderStage. */
export const STAGE = { fragment: 2, compute: 4 } as const;
