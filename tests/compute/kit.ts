// Runs compute shaders: dispatches of one pipeline with storage buffers on every engine, and returns the contents of
// the buffers.
import { afterAll } from 'vitest';
import { engines, open } from './engines';
import { GPUMapMode } from '../support/flags';

export { engines, KERNELS, open } from './engines';

export const USAGE = {
  MAP_READ: 1,
  COPY_SRC: 4,
  COPY_DST: 8,
  UNIFORM: 64,
  STORAGE: 128,
  INDIRECT: 256,
  QUERY_RESOLVE: 512,
} as const;
export type Words = Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;

interface Run {
  /** WGSL with a compute function `main`; its buffers are bindings 0, 1 … of group 0. */
  readonly wgsl: string;
  /** Initial contents of the storage buffers; the shader declares their access modes. */
  readonly buffers: readonly Words[];
  readonly groups: readonly [number, number?, number?];
  readonly constants?: Record<string, number>;
  /** Number of consecutive dispatches. Default: 1. */
  readonly times?: number;
}

const devices = new Map<string, Promise<GPUDevice>>();
/** Returns one device per engine and test file. */
export function deviceOf(name: string): Promise<GPUDevice> {
  let device = devices.get(name);
  if (!device) devices.set(name, (device = open(engines[name]!)));
  return device;
}
afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
  devices.clear();
});

/** Reads a buffer back. */
export async function read(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array<ArrayBuffer>> {
  const copy = device.createBuffer({ size: buffer.size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}

export function storage(device: GPUDevice, words: Words, usage = 0): GPUBuffer {
  const buffer = device.createBuffer({
    size: words.byteLength,
    usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST | usage,
  });
  device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** Returns the contents of the buffers after the dispatches. */
export async function run(device: GPUDevice, program: Run): Promise<Uint32Array[]> {
  const {
    wgsl,
    groups: [x, y = 1, z = 1],
    constants,
    times = 1,
  } = program;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgsl });
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module, entryPoint: 'main', ...(constants && { constants }) },
  });
  const buffers = program.buffers.map((words) => storage(device, words));
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  for (let k = 0; k < times; k++) pass.dispatchWorkgroups(x, y, z);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const results: Uint32Array[] = [];
  for (const buffer of buffers) results.push(await read(device, buffer));
  for (const buffer of buffers) buffer.destroy();
  return results;
}

/** The bits of floats. */
export const bits = (floats: Iterable<number>): Uint32Array => new Uint32Array(Float32Array.from(floats).buffer);
