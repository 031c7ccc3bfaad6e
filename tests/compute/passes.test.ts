// Compute passes in the order of a queue with other work: indirect dispatches, textures, copies and render passes, and
// errors that lose the device.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, open, read, run, storage, USAGE } from './kit';
import { GPUShaderStage, GPUTextureUsage } from '../support/flags';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const DATA = '@group(0) @binding(0) var<storage, read_write> data: array<u32>;';
const COUNT = `
  @group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
  @compute @workgroup_size(1) fn main() { atomicAdd(&data[0], 1u); }`;

function pipelineOf(device: GPUDevice, code: string): GPUComputePipeline {
  return device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
}
const groupOf = (
  device: GPUDevice,
  pipeline: GPUComputePipeline | GPURenderPipeline,
  ...resources: GPUBindingResource[]
): GPUBindGroup =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: resources.map((resource, binding) => ({ binding, resource })),
  });

describe.each(['compiled', 'compiled, four workers', 'interpreted', 'scalar'])('%s', (name) => {
  test('indirect dispatches, which do nothing if they exceed the limit', async () => {
    const device = await deviceOf(name);
    const pipeline = pipelineOf(device, COUNT);
    const data = storage(device, zeros(1));
    const counts = storage(device, Uint32Array.of(9, 2, 3, 4, 65536, 1, 1, 0, 5, 5), USAGE.INDIRECT);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groupOf(device, pipeline, { buffer: data }));
    for (const offset of [4, 16, 28]) pass.dispatchWorkgroupsIndirect(counts, offset);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect(await read(device, data)).toEqual(Uint32Array.of(24));
  });

  test('storage textures that are written, read and written, sampled by the next pass, and drawn', async () => {
    const device = await deviceOf(name);
    const size = 32;
    const made = device.createTexture({
      size: [size, size],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    const sums = device.createTexture({
      size: [size],
      dimension: '1d',
      format: 'r32uint',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    const write = pipelineOf(
      device,
      `
      @group(0) @binding(0) var out: texture_storage_2d<rgba8unorm, write>;
      @group(0) @binding(1) var sums: texture_storage_1d<r32uint, read_write>;
      @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
        textureStore(out, id.xy, vec4f(vec2f(id.xy) * 8 / 255, 0, 1));
        if (id.y == 0u) { textureStore(sums, id.x, vec4u(textureLoad(sums, id.x).x + id.x)); }
      }`
    );
    const target = device.createTexture({
      size: [size, size],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var t: texture_2d<f32>;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
      }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        return textureLoad(t, vec2i(p.xy), 0).yxzw;
      }`,
    });
    const draw = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(write);
    pass.setBindGroup(0, groupOf(device, write, made.createView(), sums.createView()));
    for (let k = 0; k < 3; k++) pass.dispatchWorkgroups(size / 8, size / 4);
    pass.end();
    const render = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    render.setPipeline(draw);
    render.setBindGroup(0, groupOf(device, draw, made.createView()));
    render.draw(3);
    render.end();
    const pixels = storage(device, zeros(size * 64));
    const line = storage(device, zeros(64));
    encoder.copyTextureToBuffer({ texture: target }, { buffer: pixels, bytesPerRow: 256 }, [size, size]);
    encoder.copyTextureToBuffer({ texture: sums }, { buffer: line, bytesPerRow: 256 }, [size]);
    device.queue.submit([encoder.finish()]);
    const found = await read(device, pixels);
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) expect(found[y * 64 + x]).toBe((0xff000000 | (y * 8) | ((x * 8) << 8)) >>> 0);
    expect((await read(device, line)).subarray(0, size)).toEqual(Uint32Array.from({ length: size }, (_, i) => 3 * i));
  });

  test('sampled textures with an explicit level', async () => {
    const device = await deviceOf(name);
    const texture = device.createTexture({
      size: [4, 1],
      format: 'r8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture }, Uint8Array.of(0, 51, 102, 255), { bytesPerRow: 256 }, [4, 1]);
    const pipeline = pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read_write> out: array<f32>;
      @group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;
      @compute @workgroup_size(7) fn main(@builtin(local_invocation_index) i: u32) {
        out[i] = textureSampleLevel(t, s, vec2f(f32(i + 1u) / 8, 0.5), 0).x;
      }`
    );
    const out = storage(device, zeros(7));
    const sampler = device.createSampler({ magFilter: 'linear' });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groupOf(device, pipeline, { buffer: out }, texture.createView(), sampler));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const found = new Float32Array((await read(device, out)).buffer);
    [0, 0.1, 0.2, 0.3, 0.4, 0.7, 1].forEach((value, i) => expect(found[i]).toBeCloseTo(value, 2));
  });

  test('dynamic offsets, uniforms, queue writes between passes, and clears', async () => {
    const device = await deviceOf(name);
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage', hasDynamicOffset: true } },
        { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } },
      ],
    });
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: {
        module: device.createShaderModule({
          code: `${DATA}
          @group(0) @binding(1) var<uniform> added: vec4u;
          @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { data[i] += added[i % 4u]; }`,
        }),
      },
    });
    const data = storage(device, zeros(192));
    const uniform = device.createBuffer({ size: 16, usage: USAGE.UNIFORM | USAGE.COPY_DST });
    const group = device.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: { buffer: data, size: 16 } },
        { binding: 1, resource: { buffer: uniform } },
      ],
    });
    for (let k = 1; k <= 3; k++) {
      device.queue.writeBuffer(uniform, 0, Uint32Array.of(k, 10 * k, 100 * k, 1000 * k));
      const encoder = device.createCommandEncoder();
      if (k === 3) encoder.clearBuffer(data, 256, 8);
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const offset of [0, 256]) {
        pass.setBindGroup(0, group, [offset]);
        pass.dispatchWorkgroups(1);
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    const found = await read(device, data);
    expect([...found.subarray(0, 4), ...found.subarray(64, 68)]).toEqual([6, 60, 600, 6000, 3, 30, 600, 6000]);
    expect(found.filter((word) => word !== 0).length).toBe(8);
  });

  test('nothing outside of a binding is changed or read', async () => {
    const device = await deviceOf(name);
    const all = storage(device, new Uint32Array(192).fill(5));
    const pipeline = pipelineOf(
      device,
      `${DATA}
      var<workgroup> own: array<u32, 4>;
      @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
        let at = i * 0x10000011u;
        data[at] = data[at - 77u] + 100u;
        data[i32(at)] += 1u;
        own[at] = i;
        data[0] = max(data[0], own[at]);
      }`
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groupOf(device, pipeline, { buffer: all, offset: 256, size: 64 }));
    pass.dispatchWorkgroups(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const found = await read(device, all);
    expect(found.subarray(0, 64)).toEqual(new Uint32Array(64).fill(5));
    expect(found.subarray(80)).toEqual(new Uint32Array(112).fill(5));
  });
});

test('timestamps and debug groups', async () => {
  const { engine, threads } = { engine: 'jit', threads: 0 } as const;
  const { create } = await import('../../src/index');
  const { KERNELS } = await import('./kit');
  const adapter = (await create({ engine, threads, kernelUrl: KERNELS }).requestAdapter())!;
  const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'] });
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const pipeline = pipelineOf(device, COUNT);
  const data = storage(device, zeros(1));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass({
    timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
  });
  pass.pushDebugGroup('counting');
  pass.insertDebugMarker('here');
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, groupOf(device, pipeline, { buffer: data }));
  pass.dispatchWorkgroups(100, 10);
  pass.popDebugGroup();
  pass.end();
  const times = device.createBuffer({ size: 16, usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC });
  encoder.resolveQuerySet(querySet, 0, 2, times, 0);
  device.queue.submit([encoder.finish()]);
  const [begin, end] = new BigUint64Array((await read(device, times)).buffer);
  expect(end! > begin! && begin! > 0n).toBe(true);
  expect(await read(device, data)).toEqual(Uint32Array.of(1000));
  device.destroy();
});

describe.each([
  ['jit', 0],
  ['jit', 2],
  ['interpreter', 0],
] as const)('%s with %i threads', (engine, threads) => {
  test.each([
    [
      'a loop',
      `${DATA} @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
      for (var k = 0u; k < 2u; k += data[0]) { data[1] = k; }
    }`,
    ],
    [
      'a loop with a barrier',
      `var<workgroup> go: u32;
      @compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32) {
        loop { if (workgroupUniformLoad(&go) == 1u) { break; } }
      }`,
    ],
  ])('%s that never ends loses the device with a message', async (_, code) => {
    const device = await open({ engine, threads, timeoutMs: 200 });
    const pipeline = pipelineOf(device, code);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass({ label: 'endless' });
    pass.setPipeline(pipeline);
    if (code.includes('data')) pass.setBindGroup(0, groupOf(device, pipeline, { buffer: storage(device, zeros(2)) }));
    pass.dispatchWorkgroups(4);
    pass.end();
    const began = performance.now();
    device.queue.submit([encoder.finish()]);
    void device.queue.onSubmittedWorkDone();
    const { reason, message } = await device.lost;
    expect([reason, message]).toEqual([
      'unknown',
      expect.stringContaining(
        'the shader of dispatch 0 with pipeline (unlabeled) in compute pass "endless" ran for more than 200 ms'
      ),
    ]);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('a dispatch of 65 535³ workgroups finishes or loses the device', async () => {
    for (const destroyed of [false, true]) {
      const device = await open({ engine, threads, timeoutMs: destroyed ? 10_000 : 300 });
      const pipeline = pipelineOf(device, COUNT);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass({ label: 'huge' });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, groupOf(device, pipeline, { buffer: storage(device, zeros(1)) }));
      pass.dispatchWorkgroups(65535, 65535, 65535);
      pass.end();
      device.queue.submit([encoder.finish()]);
      void device.queue.onSubmittedWorkDone();
      if (destroyed) setTimeout(() => device.destroy(), 50);
      const { reason, message } = await device.lost;
      if (destroyed) expect(reason).toBe('destroyed');
      else
        expect(message).toMatch(
          new RegExp(
            /^dispatch 0 with pipeline \(unlabeled\) in compute pass "huge" has run \d+ of 281\d+ /.source
              + /workgroups in \d+ ms, and would take more/.source
          )
        );
    }
  });
});

test.each([0, 2])('workgroups of a shader without effects take no time (%i threads)', async (threads) => {
  const device = await open({ threads });
  const codes = [
    '@compute @workgroup_size(1) fn main() { }',
    `var<workgroup> own: array<u32, 8>;
     @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
       for (var k = 0u; k < 90u; k++) { own[i] += k; workgroupBarrier(); }
     }`,
  ];
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const code of codes) {
    pass.setPipeline(pipelineOf(device, code));
    pass.dispatchWorkgroups(65535, 65535, 2);
    pass.dispatchWorkgroups(65535, 65535, 65535);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  device.destroy();
  expect((await device.lost).reason).toBe('destroyed');
});

test.each([0, 2])('slow workgroups after quick ones in a block are timed separately (%i threads)', async (threads) => {
  const timeoutMs = 250;
  const quick = 60_000;
  const slow = 64;
  for (const endless of [false, true]) {
    const device = await open({ threads, timeoutMs });
    // A slow workgroup takes some 15 ms; all of them together take several times the time limit of one.
    const pipeline = pipelineOf(
      device,
      `@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
      @compute @workgroup_size(64) fn main(
        @builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) index: u32
      ) {
        if id.x < ${quick}u { if index == 0u { atomicAdd(&data[0], 1u); } return; }
        var x = id.x + index;
        for (var i = 0u; i < 400000u; i += ${endless ? 0 : 1}u) { x = x * 1664525u + i; }
        if index == 0u { atomicAdd(&data[1], 1u); }
        atomicMax(&data[2], x);
      }`
    );
    const data = storage(device, zeros(3));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass({ label: 'uneven' });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groupOf(device, pipeline, { buffer: data }));
    pass.dispatchWorkgroups(quick + slow);
    pass.end();
    device.queue.submit([encoder.finish()]);
    if (endless) expect((await device.lost).message).toContain(`ran for more than ${timeoutMs} ms`);
    else expect((await read(device, data)).slice(0, 2)).toEqual(Uint32Array.of(quick, slow));
    device.destroy();
  }
});

test('too many slow workgroups lose the device', async () => {
  const device = await open({ threads: 2, timeoutMs: 300 });
  const pipeline = pipelineOf(
    device,
    `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      var x = id.x; for (var i = 0u; i < 100000u; i++) { x = x * 1664525u + i; } data[0] = x;
    }`
  );
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass({ label: 'slow' });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, groupOf(device, pipeline, { buffer: storage(device, zeros(2)) }));
  pass.dispatchWorkgroups(65535, 16);
  pass.end();
  const began = performance.now();
  device.queue.submit([encoder.finish()]);
  void device.queue.onSubmittedWorkDone();
  expect((await device.lost).message).toMatch(
    new RegExp(
      /^dispatch 0 with pipeline \(unlabeled\) in compute pass "slow" has run \d+ of 1048560 /.source
        + /workgroups in \d+ ms, and would take more/.source
    )
  );
  expect(performance.now() - began).toBeLessThan(20_000);
});

describe('deterministic devices', () => {
  const CHAIN = `
    @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> order: array<u32>;
    @compute @workgroup_size(24) fn main(@builtin(global_invocation_id) id: vec3u) {
      order[atomicAdd(&next, 1u)] = id.x;
    }`;
  test('atomic results have the same bits for any number of threads, on all engines', async () => {
    const results: Uint32Array[] = [];
    for (const options of Object.values(engines)) {
      const device = await open({ ...options, deterministic: true });
      results.push((await run(device, { wgsl: CHAIN, buffers: [zeros(1), zeros(24 * 400)], groups: [400] }))[1]!);
      device.destroy();
    }
    expect(results[0]).toEqual(Uint32Array.from({ length: 24 * 400 }, (_, i) => i));
    for (const result of results) expect(result).toEqual(results[0]);
  });

  test('without the option, every number is returned once', async () => {
    const device = await deviceOf('compiled, four workers');
    const [count, order] = await run(device, { wgsl: CHAIN, buffers: [zeros(1), zeros(24 * 400)], groups: [400] });
    expect(count).toEqual(Uint32Array.of(9600));
    expect(order!.slice().sort()).toEqual(Uint32Array.from({ length: 9600 }, (_, i) => i));
  });
});
