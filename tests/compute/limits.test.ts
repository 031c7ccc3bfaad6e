// Workgroups of the maximum size that an adapter supports, and one more.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { engines, KERNELS, run } from './kit';

const INVOCATIONS = 1024;
const WORDS = 65536 / 4;
const requiredLimits = {
  maxComputeInvocationsPerWorkgroup: INVOCATIONS,
  maxComputeWorkgroupSizeX: INVOCATIONS,
  maxComputeWorkgroupSizeY: INVOCATIONS,
  maxComputeWorkgroupSizeZ: INVOCATIONS,
  maxComputeWorkgroupStorageSize: 4 * WORDS,
};

async function open(name: string, limits?: Record<string, number>): Promise<GPUDevice> {
  const workerUrl = new URL('worker.mjs', KERNELS);
  const adapter = await create(forCreate({ ...engines[name], kernelUrl: KERNELS, workerUrl })).requestAdapter();
  return adapter!.requestDevice(limits && { requiredLimits: limits });
}

test('adapters report their limits, devices have the defaults unless they request more', async () => {
  const adapter = await create(forCreate({ ...engines['compiled'] })).requestAdapter();
  expect(adapter!.limits).toMatchObject(requiredLimits);
  const device = await open('compiled');
  expect(device.limits).toMatchObject({
    maxComputeInvocationsPerWorkgroup: 256,
    maxComputeWorkgroupSizeX: 256,
    maxComputeWorkgroupSizeY: 256,
    maxComputeWorkgroupSizeZ: 64,
    maxComputeWorkgroupStorageSize: 16384,
  });
  device.destroy();
  for (const [limit, value] of Object.entries(requiredLimits))
    await expect(open('compiled', { [limit]: value + 1 })).rejects.toThrow(
      `requiredLimits.${limit}: ${value + 1} is more than this adapter's ${value}`
    );
});

/** Each invocation fills its share of the workgroup's memory and reads the opposite share after a barrier. */
const program = (size: readonly number[], words: number): string => `
  @group(0) @binding(0) var<storage, read_write> to: array<u32>;
  var<workgroup> all: array<u32, ${words}>;
  @compute @workgroup_size(${size.join(', ')}) fn main(
    @builtin(local_invocation_index) i: u32, @builtin(local_invocation_id) id: vec3u,
      @builtin(workgroup_id) group: vec3u
  ) {
    let at = id.x + ${size[0]}u * (id.y + ${size[1]}u * id.z);
    for (var k = at; k < ${words}u; k += ${INVOCATIONS}u) { all[k] = (k + 1u) * 0x9e3779b1u + group.x; }
    workgroupBarrier();
    var sum = 0u;
    for (var k = ${INVOCATIONS - 1}u - at; k < ${words}u; k += ${INVOCATIONS}u) { sum = sum * 31u + all[k]; }
    to[group.x * ${INVOCATIONS}u + i] = sum;
  }`;

function expected(groups: number, words: number): Uint32Array {
  return Uint32Array.from({ length: groups * INVOCATIONS }, (_, n) => {
    const group = Math.floor(n / INVOCATIONS);
    let sum = 0;
    for (let k = INVOCATIONS - 1 - (n % INVOCATIONS); k < words; k += INVOCATIONS)
      sum = (Math.imul(sum, 31) + Math.imul(k + 1, 0x9e3779b1) + group) | 0;
    return sum >>> 0;
  });
}

describe.each(Object.keys(engines))('%s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(name, requiredLimits);
  });
  afterAll(() => device.destroy());

  test.each([
    [1024, 1, 1],
    [1, 1024, 1],
    [1, 1, 1024],
    [32, 32, 1],
    [16, 4, 16],
    [8, 128, 1],
  ])('%i × %i × %i invocations with all workgroup memory', async (...size) => {
    const [found] = await run(device, {
      wgsl: program(size, WORDS),
      buffers: [new Uint32Array(3 * INVOCATIONS)],
      groups: [3],
    });
    expect(found).toEqual(expected(3, WORDS));
  });
  test('the maximum number of invocations without workgroup memory', async () => {
    const [found] = await run(device, {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(1024) fn main(@builtin(global_invocation_id) id: vec3u) { to[id.x] = id.x * id.x; }`,
      buffers: [new Uint32Array(2 * INVOCATIONS)],
      groups: [2],
    });
    expect(found).toEqual(Uint32Array.from({ length: 2 * INVOCATIONS }, (_, i) => i * i));
  });
});

describe('exceeding a limit by one', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open('compiled', requiredLimits);
  });
  afterAll(() => device.destroy());

  test.each<[string, readonly number[], number]>([
    ['@workgroup_size(1025, 1, 1): 1025 exceeds maxComputeWorkgroupSizeX 1024', [1025, 1, 1], 4],
    ['@workgroup_size(1, 1025, 1): 1025 exceeds maxComputeWorkgroupSizeY 1024', [1, 1025, 1], 4],
    ['@workgroup_size(1, 1, 1025): 1025 exceeds maxComputeWorkgroupSizeZ 1024', [1, 1, 1025], 4],
    ['@workgroup_size(5, 5, 41): 1025 invocations exceed maxComputeInvocationsPerWorkgroup 1024', [5, 5, 41], 4],
    ['workgroup variables take 65552 bytes, more than maxComputeWorkgroupStorageSize 65536', [1024, 1, 1], WORDS + 1],
  ])('%s', async (message, size, words) => {
    const made = run(device, { wgsl: program(size, words), buffers: [new Uint32Array(1)], groups: [1] });
    await expect(made).rejects.toThrow(message);
    // No higher limit can be requested.
    await expect(made).rejects.not.toThrow('requiredLimits');
  });
});
