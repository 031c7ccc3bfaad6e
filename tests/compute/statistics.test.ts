// What device.statistics() counts of compute passes.
import { afterAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import type { StatisticsDevice } from '../../src/api/statistics';
import { engines, KERNELS, run } from './kit';

const COUNTERS = ['workgroups', 'invocations', 'computeWarps', 'partsBehindBarriers', 'warpsOfParts'];
const devices: GPUDevice[] = [];
afterAll(() => { for (const device of devices) device.destroy(); });

/** By how much a program makes the counters grow, in their order. */
async function grown(device: GPUDevice, size: number, groups: number, body: string): Promise<number[]> {
  const count = (): number[] => {
    const { counters } = (device as unknown as StatisticsDevice).statistics();
    return COUNTERS.map((name) => counters[name]!);
  };
  const before = count();
  await run(device, {
    wgsl: `
      @group(0) @binding(0) var<storage, read_write> data: array<u32>;
      var<workgroup> shared_: array<u32, 256>;
      @compute @workgroup_size(${size}) fn main(
        @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32
      ) { ${body} }`,
    buffers: [new Uint32Array(size * groups)], groups: [groups],
  });
  return count().map((value, i) => value - before[i]!);
}

describe.each(['compiled', 'interpreted', 'scalar'])('%s', (name) => {
  const device = (async () => {
    const adapter = await create({ ...engines[name], kernelUrl: KERNELS }).requestAdapter();
    const opened = await adapter!.requestDevice({ requiredFeatures: ['statistics' as never] }) as unknown as GPUDevice;
    devices.push(opened);
    return opened;
  })();

  test('warps that workgroups fill, in part or whole', async () => {
    const store = 'data[id.x] = id.x;';
    expect(await grown(await device, 64, 3, store)).toEqual([3, 192, 3, 0, 0]);
    expect(await grown(await device, 100, 3, store)).toEqual([3, 300, 6, 0, 0]);
  });

  test('small workgroups that share warps', async () => {
    expect(await grown(await device, 16, 10, 'data[id.x] = id.x;')).toEqual([10, 160, 3, 0, 0]);
  });

  test('parts behind barriers', async () => {
    const exchange = `
      shared_[i] = id.x;
      workgroupBarrier();
      let other = shared_[i ^ 1];
      workgroupBarrier();
      shared_[i] = other + 1;
      workgroupBarrier();
      data[id.x] = shared_[i ^ 1];`;
    // Two warps a workgroup, and four parts for each of them.
    expect(await grown(await device, 128, 5, exchange)).toEqual([5, 640, 10, 15, 40]);
  });
});
