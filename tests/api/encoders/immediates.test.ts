// Immediate data: the values that setImmediates gives to draw calls and dispatches on all engines, and its rules.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, read, storage } from '../../compute/kit';
import { apiDevice } from '../fake';
import { GPUBufferUsage, GPUTextureUsage } from '../../support/flags';

const layoutOf = (device: GPUDevice, immediateSize: number): GPUPipelineLayout =>
  device.createPipelineLayout({ bindGroupLayouts: [], immediateSize });

async function valid<T>(device: GPUDevice, run: () => T): Promise<T> {
  device.pushErrorScope('validation');
  const result = run();
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  return result;
}

describe.each(Object.keys(engines))('%s', (name) => {
  test('dispatches get the last values, word by word', async () => {
    const device = await deviceOf(name);
    const out = storage(device, new Uint32Array(3 * 16));
    await valid(device, () => {
      const module = device.createShaderModule({
        code: `requires immediate_address_space;
        struct Inner { v: vec3f, k: i32 }
        struct Data { a: u32, inner: Inner, m: mat2x2f, list: vec3u }
        var<immediate> data: Data;
        var<immediate> other: u32;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        fn at(p: ptr<immediate, vec3u>, i: u32) -> u32 { return (*p)[i]; }
        @compute @workgroup_size(4) fn main(
          @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u
        ) {
          let to = data.a * 16;
          if (i < 3) {
            out[to + i] = bitcast<u32>(data.inner.v[i]);
            out[to + 8 + i] = at(&data.list, i);
          } else {
            out[to + 3] = u32(data.inner.k);
            let c = data.m * vec2f(1, 2);
            out[to + 4] = bitcast<u32>(c.x);
            out[to + 5] = bitcast<u32>(c.y);
          }
        }
        @compute @workgroup_size(1) fn small() { out[47] = other; }`,
      });
      const [main, small] = ['main', 'small'].map((entryPoint) =>
        device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint } })
      );
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      const use = (pipeline: GPUComputePipeline): void => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(
          0,
          device.createBindGroup({
            layout: pipeline.getBindGroupLayout(0),
            entries: [{ binding: 0, resource: { buffer: out } }],
          })
        );
      };
      use(main!);
      const bytes = new DataView(new ArrayBuffer(64));
      [1.5, -2, 1e30].forEach((v, i) => bytes.setFloat32(16 + i * 4, v, true));
      bytes.setInt32(28, -7, true);
      [1, 2, 3, 4].forEach((v, i) => bytes.setFloat32(32 + i * 4, v, true));
      [7, 8, 9].forEach((v, i) => bytes.setUint32(48 + i * 4, v, true));
      // Padding is skipped: bytes 4 to 16 are never set.
      pass.setImmediates(0, bytes, 0, 4);
      pass.setImmediates(16, bytes.buffer, 16, 44);
      // Later changes to the caller's data have no effect on the pass.
      bytes.setUint32(48, 99, true);
      pass.dispatchWorkgroups(1);
      pass.setImmediates(0, Uint32Array.of(1, 0, 0));
      pass.setImmediates(52, new Uint16Array([5, 0x1234, 6, 0, 9]), 1, 2);
      pass.dispatchWorkgroups(1);
      use(small!);
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    const found = await read(device, out);
    const floats = new Float32Array(found.buffer);
    const first = [1.5, -2, Math.fround(1e30)];
    expect([...floats.subarray(0, 3)]).toEqual(first);
    expect([...floats.subarray(16, 19)]).toEqual(first);
    expect([found[3], found[19]]).toEqual([0xfffffff9, 0xfffffff9]);
    expect([...floats.subarray(4, 6)]).toEqual([7, 10]);
    expect([...found.subarray(8, 11)]).toEqual([7, 8, 9]);
    expect([...found.subarray(24, 27)]).toEqual([7, 0x00061234, 9]);
    expect(found[47]).toBe(1);
  });

  test('draw calls and bundles have their own', async () => {
    const device = await deviceOf(name);
    const width = 6;
    const texture = device.createTexture({
      size: [width, 1],
      format: 'rgba32uint',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const copy = device.createBuffer({ size: 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    await valid(device, () => {
      const module = device.createShaderModule({
        code: `
        struct Place { x: u32 }
        struct Colour { place: u32, @align(8) colour: vec2u }
        var<immediate> place: Place;
        var<immediate> colour: Colour;
        @vertex fn vertex() -> @builtin(position) vec4f {
          return vec4f((f32(place.x) + 0.5) / ${width} * 2 - 1, 0, 0, 1);
        }
        @fragment fn fragment() -> @location(0) vec4u { return vec4u(colour.colour, colour.place, 1); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: layoutOf(device, 16),
        vertex: { module },
        primitive: { topology: 'point-list' },
        fragment: { module, targets: [{ format: 'rgba32uint' }] },
      });
      const bundle = (x: number): GPURenderBundle => {
        const encoder = device.createRenderBundleEncoder({ colorFormats: ['rgba32uint'] });
        encoder.setPipeline(pipeline);
        encoder.setImmediates(0, Uint32Array.of(x, 0, 100 + x, 200 + x));
        encoder.draw(1);
        encoder.setImmediates(0, Uint32Array.of(x + 1));
        encoder.draw(1);
        return encoder.finish();
      };
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setImmediates(0, Uint32Array.of(0, 0, 10, 20));
      pass.draw(1);
      pass.executeBundles([bundle(1), bundle(3)]);
      pass.setPipeline(pipeline);
      pass.setImmediates(0, Uint32Array.of(5, 0, 15, 25));
      pass.draw(1);
      pass.end();
      encoder.copyTextureToBuffer({ texture }, { buffer: copy }, [width, 1]);
      device.queue.submit([encoder.finish()]);
    });
    const found = (await read(device, copy)).subarray(0, width * 4);
    expect([...found]).toEqual(
      [
        [10, 20, 0, 1],
        [101, 201, 1, 1],
        [101, 201, 2, 1],
        [103, 203, 3, 1],
        [103, 203, 4, 1],
        [15, 25, 5, 1],
      ].flat()
    );
  });
});

const WGSL = `
  struct Padded { a: u32, @align(16) b: vec2u }
  var<immediate> padded: Padded;
  var<immediate> whole: mat4x4f;
  struct Beyond { @size(64) a: u32, b: u32 }
  var<immediate> beyond: Beyond;
  @compute @workgroup_size(1) fn none() {}
  @compute @workgroup_size(1) fn some() { _ = padded.a; }
  @compute @workgroup_size(1) fn all() { _ = whole[0].x; }
  @compute @workgroup_size(1) fn more() { _ = beyond.a; }
  @vertex fn vs() -> @builtin(position) vec4f { return vec4f(f32(padded.b.x)); }
  @fragment fn fs() {}`;

function passes(device: GPUDevice, run: (pass: GPUBindingCommandsMixin, draw: () => void) => void): void {
  const module = device.createShaderModule({ code: WGSL });
  const layout = layoutOf(device, 64);
  const compute = device.createComputePipeline({ layout, compute: { module, entryPoint: 'some' } });
  const vertex = device.createRenderPipeline({
    layout,
    vertex: { module, entryPoint: 'vs' },
    fragment: { module, entryPoint: 'fs', targets: [] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: false, depthCompare: 'always' },
  });
  const encoder = device.createCommandEncoder();
  const first = encoder.beginComputePass();
  first.setPipeline(compute);
  run(first, () => first.dispatchWorkgroups(1));
  first.end();
  const texture = device.createTexture({
    size: [1, 1],
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const second = encoder.beginRenderPass({
    colorAttachments: [],
    depthStencilAttachment: {
      view: texture.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 0,
    },
  });
  second.setPipeline(vertex);
  run(second, () => second.draw(1));
  second.end();
  encoder.finish();
  const bundles = device.createRenderBundleEncoder({ colorFormats: [], depthStencilFormat: 'depth32float' });
  bundles.setPipeline(vertex);
  run(bundles, () => bundles.draw(1));
  bundles.finish();
}
const pipeline = (device: GPUDevice, entryPoint: string, size: number | 'auto'): GPUComputePipeline =>
  device.createComputePipeline({
    layout: size === 'auto' ? 'auto' : layoutOf(device, size),
    compute: { module: device.createShaderModule({ code: WGSL }), entryPoint },
  });

/** Errors common to all three kinds of encoders; null: valid. */
const RULES: readonly (readonly [name: string, error: RegExp | null, run: (device: GPUDevice) => void])[] = [
  ['a layout of the limit', null, (d) => layoutOf(d, 64)],
  ['a layout beyond it', /immediateSize 68 exceeds maxImmediateSize 64/, (d) => layoutOf(d, 68)],
  ['a layout of bytes', /immediateSize 6 is not a multiple of 4/, (d) => layoutOf(d, 6)],
  ['a layout that just holds it', null, (d) => pipeline(d, 'some', 32)],
  [
    'a layout that does not',
    /var<immediate> padded of entry point "some" takes 32 bytes, more than the layout's immediateSize 28/,
    (d) => pipeline(d, 'some', 28),
  ],
  ['no layout', null, (d) => pipeline(d, 'all', 'auto')],
  ['no layout, beyond the limit', /takes 68 bytes, more than maxImmediateSize 64/, (d) => pipeline(d, 'more', 'auto')],
  ['none at all', null, (d) => pipeline(d, 'none', 0)],
  ['set to the end', null, (d) => passes(d, (pass) => pass.setImmediates(60, new Uint8Array(4)))],
  [
    'set beyond the end',
    /setImmediates: rangeOffset 60 \+ 8 bytes exceed maxImmediateSize 64/,
    (d) => passes(d, (pass) => pass.setImmediates(60, new Uint8Array(8))),
  ],
  ['nothing, at the end', null, (d) => passes(d, (pass) => pass.setImmediates(64, new Uint8Array(0)))],
  [
    'nothing, beyond it',
    /rangeOffset 68 \+ 0 bytes exceed/,
    (d) => passes(d, (pass) => pass.setImmediates(68, new Uint8Array(0))),
  ],
  [
    'an offset within a word',
    /rangeOffset 2 is not a multiple of 4/,
    (d) => passes(d, (pass) => pass.setImmediates(2, new Uint8Array(4))),
  ],
  [
    'a draw with all words',
    null,
    (d) =>
      passes(d, (pass, draw) => {
        pass.setImmediates(0, new Uint8Array(4));
        pass.setImmediates(16, new Uint8Array(8));
        draw();
      }),
  ],
  [
    'a draw without the last',
    /needs immediate data at byte 20 that are not set; call setImmediates\(20, …\)/,
    (d) =>
      passes(d, (pass, draw) => {
        pass.setImmediates(0, new Uint8Array(20));
        draw();
      }),
  ],
  ['a draw without any', /immediate data at byte 0 that are not set/, (d) => passes(d, (_, draw) => draw())],
];

test.each(RULES)('%s', async (_, error, run) => {
  const { device } = await apiDevice();
  device.pushErrorScope('validation');
  run(device);
  const message = (await device.popErrorScope())?.message ?? null;
  if (error === null) expect(message).toBeNull();
  else expect(message).toMatch(error);
});

test('in each kind of encoder separately', async () => {
  for (const kind of [0, 1, 2]) {
    const { device } = await apiDevice();
    let at = 0;
    device.pushErrorScope('validation');
    passes(device, (pass, draw) => {
      pass.setImmediates(0, new Uint8Array(at++ === kind ? 20 : 24));
      draw();
    });
    expect((await device.popErrorScope())?.message).toMatch(/at byte 20/);
  }
});

test('bundles leave no immediate data behind', async () => {
  for (const again of [true, false]) {
    const { device } = await apiDevice();
    const layout = layoutOf(device, 64);
    device.pushErrorScope('validation');
    const pipeline = device.createRenderPipeline({
      layout,
      vertex: { module: device.createShaderModule({ code: WGSL }), entryPoint: 'vs' },
      depthStencil: { format: 'depth32float', depthWriteEnabled: false, depthCompare: 'always' },
    });
    const texture = device.createTexture({
      size: [1, 1],
      format: 'depth32float',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [],
      depthStencilAttachment: {
        view: texture.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
        depthClearValue: 0,
      },
    });
    pass.setImmediates(0, new Uint8Array(32));
    pass.executeBundles([]);
    pass.setPipeline(pipeline);
    if (again) pass.setImmediates(0, new Uint8Array(32));
    pass.draw(1);
    pass.end();
    encoder.finish();
    const message = (await device.popErrorScope())?.message;
    if (again) expect(message).toBeUndefined();
    else expect(message).toMatch(/immediate data at byte 0 that are not set/);
  }
});

test('ranges outside of the data are OperationErrors', async () => {
  const { device } = await apiDevice();
  const pass = device.createCommandEncoder().beginComputePass();
  const words = new Uint32Array(4);
  for (const [data, offset, size] of [
    [words, 5, undefined],
    [words, 3, 2],
    [words, 0, 5],
    [new Uint8Array(6), 0, 6],
    [new Uint8Array(6), 1, undefined],
    [words, 0, Number.MAX_SAFE_INTEGER - 7],
  ] as const)
    expect(() => pass.setImmediates(0, data, offset, size)).toThrow(
      expect.objectContaining({ name: 'OperationError' }) as Error
    );
  for (const [data, offset, size] of [
    [words, 4, undefined],
    [words, 3, 1],
    [new Uint8Array(6), 2, undefined],
  ] as const)
    expect(() => pass.setImmediates(0, data, offset, size)).not.toThrow();
  expect(() => pass.setImmediates(-1, words)).toThrow(TypeError);
  expect(() => pass.setImmediates(0, [] as unknown as Uint32Array<ArrayBuffer>)).toThrow(TypeError);
});
