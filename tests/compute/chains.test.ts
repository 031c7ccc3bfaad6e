// Chains of dispatches in one pass: workers advance from one to the next without the calling thread. Each dispatch sees
// everything that the previous ones have written: in buffers, in values computed once per dispatch, and in the counts
// of indirect dispatches.
import { afterAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { deviceOf, open, read, storage, USAGE } from './kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const pipelineOf = (device: GPUDevice, code: string, label = ''): GPUComputePipeline =>
  device.createComputePipeline({ label, layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
const groupOf = (device: GPUDevice, pipeline: GPUComputePipeline, ...buffers: GPUBuffer[]): GPUBindGroup =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });

type Dispatch = readonly [pipeline: GPUComputePipeline, group: GPUBindGroup, groups: number | GPUBuffer];

function submit(device: GPUDevice, dispatches: readonly Dispatch[]): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const [pipeline, group, groups] of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    if (typeof groups === 'number') pass.dispatchWorkgroups(groups);
    else pass.dispatchWorkgroupsIndirect(groups, 0);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
}

const opened: GPUDevice[] = [];
async function opening(options: CreateOptions): Promise<GPUDevice> {
  const device = await open(options);
  opened.push(device);
  return device;
}
afterAll(() => {
  for (const device of opened) device.destroy();
});

/** Each word becomes three times the mirrored one, plus one. Another workgroup wrote that word. */
const MIRROR = `
  @group(0) @binding(0) var<storage, read> from_: array<u32>;
  @group(0) @binding(1) var<storage, read_write> to: array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    to[id.x] = from_[arrayLength(&from_) - 1 - id.x] * 3 + 1;
  }`;

describe.each(['compiled', 'compiled, one worker', 'compiled, four workers', 'interpreted, four workers'])(
  '%s',
  (name) => {
    test.each([3, 40, 700])('%i dispatches, each of which reads what the previous one wrote', async (times) => {
      const device = await deviceOf(name);
      const count = 1 << 13;
      const pipeline = pipelineOf(device, MIRROR);
      let wanted = Uint32Array.from({ length: count }, (_, i) => i * i);
      const a = storage(device, wanted);
      const b = storage(device, zeros(count));
      const there = groupOf(device, pipeline, a, b);
      const back = groupOf(device, pipeline, b, a);
      submit(
        device,
        Array.from({ length: times }, (_, k) => [pipeline, k % 2 ? back : there, count / 64])
      );
      for (let k = 0; k < times; k++) wanted = wanted.toReversed().map((word) => Math.imul(word, 3) + 1);
      expect(await read(device, times % 2 ? b : a)).toEqual(wanted);
    });

    test('uniforms that the previous dispatch wrote, with much computed once per dispatch', async () => {
      const device = await deviceOf(name);
      const count = 1 << 12;
      const step = pipelineOf(
        device,
        `
      @group(0) @binding(0) var<storage, read_write> next: vec4u;
      @compute @workgroup_size(1) fn main() { next = next.yzwx * 5 + 3; }`
      );
      const add = pipelineOf(
        device,
        `
      @group(0) @binding(0) var<uniform> now: vec4u;
      @group(0) @binding(1) var<storage, read_write> data: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        data[id.x] += ((now.x * now.y) ^ (now.z + now.w)) * id.x;
      }`
      );
      const now = storage(device, Uint32Array.of(1, 2, 3, 4), USAGE.UNIFORM);
      const data = storage(device, zeros(count));
      const one = groupOf(device, step, now);
      const two = groupOf(device, add, now, data);
      const dispatches = Array.from({ length: 60 }, (): Dispatch[] => [
        [step, one, 1],
        [add, two, count / 64],
      ]);
      submit(device, dispatches.flat());
      let [x, y, z, w] = [1, 2, 3, 4] as [number, number, number, number];
      let factor = 0;
      const of = (word: number): number => (Math.imul(word, 5) + 3) >>> 0;
      for (let k = 0; k < 60; k++) {
        [x, y, z, w] = [of(y), of(z), of(w), of(x)];
        factor += Math.imul(x, y) ^ (z + w);
      }
      expect(await read(device, data)).toEqual(Uint32Array.from({ length: count }, (_, i) => Math.imul(factor, i)));
    });

    test('indirect dispatches whose counts earlier ones write, also without workgroups', async () => {
      const device = await deviceOf(name);
      const count = pipelineOf(
        device,
        `
      @group(0) @binding(0) var<storage, read_write> counts: array<u32, 3>;
      @compute @workgroup_size(1) fn main() { counts[0] = (counts[0] + 7) % 20; counts[1] = 1; counts[2] = 1; }`
      );
      const mark = pipelineOf(
        device,
        `
      @group(0) @binding(0) var<storage, read_write> marks: array<atomic<u32>>;
      @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) { atomicAdd(&marks[id.x], 1u); }`
      );
      const counts = storage(device, zeros(3), USAGE.INDIRECT);
      const marks = storage(device, zeros(20));
      const one = groupOf(device, count, counts);
      const two = groupOf(device, mark, marks);
      const dispatches = Array.from({ length: 30 }, (): Dispatch[] => [
        [mark, two, counts],
        [count, one, 1],
        [mark, two, 0],
        [mark, two, 3],
      ]);
      submit(device, dispatches.flat());
      const wanted = zeros(20);
      for (let k = 0, groups = 0; k < 30; k++, groups = (groups + 7) % 20)
        for (let i = 0; i < 20; i++) wanted[i]! += (i < groups ? 1 : 0) + (i < 3 ? 1 : 0);
      expect(await read(device, marks)).toEqual(wanted);
    });
  }
);

/** Each invocation runs a number of rounds. */
const SLOW = `
  @group(0) @binding(0) var<storage, read_write> data: array<u32>;
  override rounds: u32;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    var x = data[id.x];
    for (var k = 0u; k < rounds; k++) { x = (x ^ (x << 5)) * 9 + k; }
    data[id.x] = x;
  }`;

test.each([0, 2])('work longer than a job continues in the next, in order (%i workers)', async (threads) => {
  const device = await opening({ engine: 'jit', threads });
  const count = 1 << 12;
  const rounds = 30_000;
  const times = 12;
  const module = device.createShaderModule({ code: SLOW });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, constants: { rounds } } });
  const data = storage(
    device,
    Uint32Array.from({ length: count }, (_, i) => i)
  );
  const group = groupOf(device, pipeline, data);
  submit(
    device,
    Array.from({ length: times }, () => [pipeline, group, count / 64])
  );
  const found = await read(device, data);
  for (const i of [0, 1, 77, count - 1]) {
    let x = i;
    for (let k = 0; k < times; k++) for (let r = 0; r < rounds; r++) x = Math.imul(x ^ (x << 5), 9) + r;
    expect(found[i]).toBe(x >>> 0);
  }
});

test('deterministic devices run workgroups in order, dispatch after dispatch', async () => {
  const device = await opening({ engine: 'jit', threads: 3, deterministic: true });
  const groups = 512;
  const pipeline = pipelineOf(
    device,
    `
    @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> order: array<u32>;
    @compute @workgroup_size(64) fn main(
      @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32
    ) {
      let at = atomicAdd(&next, 1u);
      order[at] = w.x * 64 + l;
    }`
  );
  const order = storage(device, zeros(groups * 64 * 10));
  const group = groupOf(device, pipeline, storage(device, zeros(1)), order);
  submit(
    device,
    Array.from({ length: 10 }, () => [pipeline, group, groups])
  );
  expect(await read(device, order)).toEqual(Uint32Array.from({ length: groups * 640 }, (_, i) => i % (groups * 64)));
});

test.each([0, 2])('an endless dispatch among others is named (%i workers)', async (threads) => {
  const device = await opening({ engine: 'jit', threads, timeoutMs: 300 });
  const count = 1 << 14;
  const mirror = pipelineOf(device, MIRROR);
  const endless = pipelineOf(
    device,
    `
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      while (data[id.x] != 7777) { data[id.x] = (data[id.x] + 2) & 0xfff; }
    }`,
    'round and round'
  );
  const a = storage(device, zeros(count));
  const b = storage(device, zeros(count));
  const ends = [mirror, groupOf(device, mirror, a, b), count / 64] as const;
  submit(device, [ends, ends, [endless, groupOf(device, endless, a), count / 64], ends]);
  const { reason, message } = await device.lost;
  expect(reason).toBe('unknown');
  expect(message).toMatch(
    /^the shader of dispatch 2 with pipeline "round and round" in compute pass \(unlabeled\) ran for more than 300 ms/
  );
});
