// Counters of compute passes in device.statistics().
import { afterAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import type { StatisticsDevice } from '../../src/api/extensions/statistics';
import { engines, KERNELS, run } from './kit';

const COUNTERS = ['workgroups', 'invocations', 'computeWarps', 'partsAfterBarriers', 'partWarps'];
const devices: GPUDevice[] = [];
afterAll(() => {
  for (const device of devices) device.destroy();
});

const ACCESSES = ['atomics', 'barriers', 'bytesLoaded', 'bytesStored', 'workgroupBytesLoaded', 'workgroupBytesStored'];

/** Returns by how much a shader increases the counters, in order. */
async function grown(
  device: GPUDevice,
  size: number,
  groups: number,
  body: string,
  names: readonly string[] = COUNTERS
): Promise<number[]> {
  const count = (): number[] => {
    const { counters } = (device as unknown as StatisticsDevice).statistics();
    return names.map((name) => counters[name]!);
  };
  const before = count();
  await run(device, {
    wgsl: `
      @group(0) @binding(0) var<storage, read_write> data: array<u32>;
      var<workgroup> shared_: array<u32, 256>;
      var<workgroup> sum: atomic<u32>;
      @compute @workgroup_size(${size}) fn main(
        @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32
      ) { ${body} }`,
    buffers: [new Uint32Array(size * groups)],
    groups: [groups],
  });
  return count().map((value, i) => value - before[i]!);
}

describe.each(['compiled', 'interpreted', 'scalar'])('%s', (name) => {
  const device = (async () => {
    const adapter = await create(forCreate({ ...engines[name], kernelUrl: KERNELS })).requestAdapter();
    const opened = (await adapter!.requestDevice({
      requiredFeatures: ['statistics' as never],
    })) as unknown as GPUDevice;
    devices.push(opened);
    return opened;
  })();

  test('warps filled by workgroups, partly or entirely', async () => {
    const store = 'data[id.x] = id.x;';
    expect(await grown(await device, 64, 3, store)).toEqual([3, 192, 3, 0, 0]);
    expect(await grown(await device, 100, 3, store)).toEqual([3, 300, 6, 0, 0]);
  });

  test('small workgroups that share warps', async () => {
    expect(await grown(await device, 16, 10, 'data[id.x] = id.x;')).toEqual([10, 160, 3, 0, 0]);
  });

  test('parts between barriers', async () => {
    const exchange = `
      shared_[i] = id.x;
      workgroupBarrier();
      let other = shared_[i ^ 1];
      workgroupBarrier();
      shared_[i] = other + 1;
      workgroupBarrier();
      data[id.x] = shared_[i ^ 1];`;
    // Two warps per workgroup, and four parts for each of them.
    expect(await grown(await device, 128, 5, exchange)).toEqual([5, 640, 10, 15, 40]);
    // Each invocation stores three words to shared memory and loads two, and stores one to the buffer.
    expect(await grown(await device, 128, 5, exchange, ACCESSES)).toEqual([0, 15, 0, 640 * 4, 640 * 8, 640 * 8]);
  });

  test('atomic operations and bytes of active invocations', async () => {
    const some = 'if (i < 10u) { atomicAdd(&sum, id.x); } if (i % 3u == 0u) { data[id.x] = data[id.x ^ 1u]; }';
    // 30 of 64, 4 bytes each, and 22 of them: 0, 3 … 63.
    expect(await grown(await device, 64, 3, some, ACCESSES)).toEqual([30, 0, 22 * 3 * 4, 22 * 3 * 4, 0, 0]);
    expect(await grown(await device, 16, 10, 'data[id.x] = 1;', ACCESSES)).toEqual([0, 0, 0, 640, 0, 0]);
  });

  test('loop iterations of active invocations', async () => {
    const rounds = 'for (var k = 0u; k < i; k++) { data[id.x] += k; if (k == 20u) { return; } }';
    const times = Array.from({ length: 48 }, (_, i) => Math.min(i, 21)).reduce((sum, each) => sum + each, 0) * 2;
    expect(await grown(await device, 48, 2, rounds, ACCESSES)).toEqual([0, 0, times * 4, times * 4, 0, 0]);
  });

  test('barriers in a loop, and loads of both kinds of memory', async () => {
    const rounds = `
      for (var step = 1u; step < 64u; step *= 2u) {
        let x = shared_[i ^ step];
        workgroupBarrier();
        shared_[i] = x + data[id.x];
        workgroupBarrier();
      }`;
    expect(await grown(await device, 64, 4, rounds, ACCESSES)).toEqual([
      0,
      12 * 4,
      256 * 6 * 4,
      0,
      256 * 6 * 4,
      256 * 6 * 4,
    ]);
  });

  test('byte counts beyond 32 bits', async () => {
    if (name !== 'compiled') return;
    const many = 'for (var k = 0u; k < 70000u; k++) { data[id.x] += k; }';
    expect(await grown(await device, 256, 64, many, ACCESSES)).toEqual([
      0,
      0,
      70000 * 16384 * 4,
      70000 * 16384 * 4,
      0,
      0,
    ]);
  });

  test('texels of storage textures, by size', async () => {
    const opened = await device;
    const usage = 8;
    const texture = opened.createTexture({ size: [8, 8], format: 'rgba16float', usage });
    const module = opened.createShaderModule({
      code: `
        @group(0) @binding(0) var to: texture_storage_2d<rgba16float, write>;
        @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
          if (id.x < 5u) { textureStore(to, id.xy, vec4f(id.xyzz)); }
        }`,
    });
    const pipeline = opened.createComputePipeline({ layout: 'auto', compute: { module } });
    const before = (opened as unknown as StatisticsDevice).statistics().counters['bytesStored']!;
    const encoder = opened.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      opened.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: texture.createView() }],
      })
    );
    pass.dispatchWorkgroups(1, 2);
    pass.end();
    opened.queue.submit([encoder.finish()]);
    await opened.queue.onSubmittedWorkDone();
    expect((opened as unknown as StatisticsDevice).statistics().counters['bytesStored']! - before).toBe(5 * 8 * 8);
  });
});
