// Rules that depend on timing or order: failing mappings, handlers among listeners, labels, clamping, transient
// attachments, and indirect draws with a first instance.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { apiDevice } from './fake';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const TRANSIENT = 0x20;
const ATTACHMENT = 0x10;

describe('a failing mapping', () => {
  const refused = async (
    run: (buffer: GPUBuffer, promise: Promise<undefined>) => unknown,
    usage = 8
  ): Promise<{ name: string; message: string | undefined; states: string[] }> => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage });
    device.pushErrorScope('validation');
    const promise = buffer.mapAsync(GPUMapMode.READ);
    const states: string[] = [buffer.mapState];
    run(buffer, promise);
    const name = await promise.then(
      () => 'none',
      (error: DOMException) => error.name
    );
    states.push(buffer.mapState);
    return { name, message: (await device.popErrorScope())?.message, states };
  };
  test('is pending until the device answers', async () => {
    const { name, message, states } = await refused(() => undefined);
    expect({ name, states }).toEqual({ name: 'OperationError', states: ['pending', 'unmapped'] });
    expect(message).toMatch(/mode READ needs a buffer with usage MAP_READ/);
  });
  test('is aborted by unmap and destroy, and still reports its error', async () => {
    for (const run of [(b: GPUBuffer) => b.unmap(), (b: GPUBuffer) => b.destroy()]) {
      const { name, message } = await refused(run);
      expect(name).toBe('AbortError');
      expect(message).toMatch(/MAP_READ/);
    }
  });
  test("does not block the buffer's use in the queue", async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
    device.pushErrorScope('validation');
    const promise = buffer.mapAsync(GPUMapMode.READ);
    device.pushErrorScope('validation');
    device.queue.writeBuffer(buffer, 0, new Uint8Array(16));
    expect(await device.popErrorScope()).toBeNull();
    await expect(promise).rejects.toThrow(/MAP_READ/);
    expect(await device.popErrorScope()).not.toBeNull();
  });
  test('unlike a successful one, which is pending and blocks it', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    device.pushErrorScope('validation');
    const promise = buffer.mapAsync(GPUMapMode.READ);
    device.queue.writeBuffer(buffer, 0, new Uint8Array(16));
    expect((await device.popErrorScope())?.message).toMatch(/being mapped; call unmap\(\) first/);
    await promise;
    expect(buffer.mapState).toBe('mapped');
  });
  test('of an already pending buffer is rejected at once', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    device.pushErrorScope('validation');
    const first = buffer.mapAsync(GPUMapMode.READ);
    await expect(buffer.mapAsync(GPUMapMode.READ)).rejects.toMatchObject({ name: 'OperationError' });
    expect((await device.popErrorScope())?.message).toMatch(/a mapping is pending already/);
    await first;
  });
  test('of a mapped buffer is rejected at once, and unmap() does not abort it', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    await buffer.mapAsync(GPUMapMode.READ);
    device.pushErrorScope('validation');
    const second = buffer.mapAsync(GPUMapMode.READ);
    expect(buffer.mapState).toBe('mapped');
    buffer.unmap();
    await expect(second).rejects.toMatchObject({ name: 'OperationError' });
    expect((await device.popErrorScope())?.message).toMatch(/it is mapped already; call unmap\(\) first/);
  });
});

describe('onuncapturederror', () => {
  const told = async (
    register: (device: GPUDevice, note: (name: string) => (event: Event) => void) => void
  ): Promise<string[]> => {
    const { device } = await apiDevice();
    const names: string[] = [];
    register(device, (name) => (event) => {
      event.preventDefault();
      names.push(name);
    });
    device.createBuffer({ size: 16, usage: 0 });
    await new Promise((resolve) => setTimeout(resolve));
    return names;
  };
  test('keeps its position when it is replaced', async () => {
    expect(
      await told((device, note) => {
        device.onuncapturederror = note('first');
        device.addEventListener('uncapturederror', note('listener'));
        device.onuncapturederror = note('second');
      })
    ).toEqual(['second', 'listener']);
  });
  test('loses its position when it is removed', async () => {
    expect(
      await told((device, note) => {
        device.onuncapturederror = note('first');
        device.addEventListener('uncapturederror', note('listener'));
        device.onuncapturederror = null;
        device.onuncapturederror = note('second');
      })
    ).toEqual(['listener', 'second']);
  });
  test('an object that is not callable is kept, and not called', async () => {
    const { device } = await apiDevice();
    const handler = {};
    Object.assign(device, { onuncapturederror: handler });
    expect(device.onuncapturederror).toBe(handler);
    Object.assign(device, { onuncapturederror: 3 });
    expect(device.onuncapturederror).toBeNull();
  });
});

test("a pipeline's layouts have separate labels and are interchangeable", async () => {
  const { device } = await apiDevice();
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(1) fn main() { data[0] = 1; }`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const a = pipeline.getBindGroupLayout(0);
  const b = pipeline.getBindGroupLayout(0);
  expect(a).not.toBe(b);
  a.label = 'a';
  expect(b.label).not.toBe('a');
  device.pushErrorScope('validation');
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
  const group = device.createBindGroup({ layout: b, entries: [{ binding: 0, resource: { buffer } }] });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.finish();
  expect(await device.popErrorScope()).toBeNull();
});

test('maxAnisotropy is clamped, and rounds ties to even', async () => {
  const { device } = await apiDevice();
  const linear = { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const;
  const made = async (maxAnisotropy: number): Promise<string | undefined> => {
    device.pushErrorScope('validation');
    device.createSampler({ ...linear, maxAnisotropy });
    return (await device.popErrorScope())?.message;
  };
  for (const right of [1, 16, 1e9, Infinity, 0.51, 1.5]) expect(await made(right)).toBeUndefined();
  for (const wrong of [0, -5, NaN, 0.5, -Infinity])
    expect(await made(wrong)).toMatch(/maxAnisotropy must be at least 1, not 0/);
});

test('a buffer mapped at creation without enough memory is a RangeError', async () => {
  const { device } = await apiDevice();
  // Its mapping would be outside of the device's memory: gigabytes for an unusable buffer.
  for (const size of [2 ** 40, device.limits.maxBufferSize + 4])
    expect(() => device.createBuffer({ size, usage: GPUBufferUsage.COPY_SRC, mappedAtCreation: true })).toThrow(
      RangeError
    );
  device.pushErrorScope('validation');
  device.createBuffer({ size: 2 ** 40, usage: GPUBufferUsage.COPY_SRC });
  expect((await device.popErrorScope())?.message).toMatch(/exceeds the device's maxBufferSize/);
});

describe('transient attachments', () => {
  const usage = TRANSIENT | ATTACHMENT;
  const texture = (d: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
    d.createTexture({ size: [4, 4], format: 'rgba8unorm', usage, ...o });
  const pass = (d: GPUDevice, descriptor: GPURenderPassDescriptor): void => {
    const encoder = d.createCommandEncoder();
    encoder.beginRenderPass(descriptor).end();
    encoder.finish();
  };
  const color = (view: GPUTexture, o: Partial<GPURenderPassColorAttachment> = {}): GPURenderPassColorAttachment => ({
    view: view.createView(),
    loadOp: 'clear',
    storeOp: 'discard',
    ...o,
  });
  const depth = (d: GPUDevice, o: Partial<GPURenderPassDepthStencilAttachment>): GPURenderPassDescriptor => ({
    colorAttachments: [],
    depthStencilAttachment: {
      view: texture(d, { format: 'depth24plus-stencil8' }).createView(),
      depthLoadOp: 'clear',
      depthClearValue: 1,
      depthStoreOp: 'discard',
      stencilLoadOp: 'clear',
      stencilStoreOp: 'discard',
      ...o,
    },
  });
  const cases: [string, RegExp | null, (d: GPUDevice) => unknown][] = [
    ['one', null, (d) => texture(d)],
    [
      'in three dimensions',
      /TRANSIENT_ATTACHMENT must be 2d with one mip level and one layer, not 3d/,
      (d) => texture(d, { dimension: '3d' }),
    ],
    ['of layers', /not 2d with 1 and 2/, (d) => texture(d, { size: [4, 4, 2] })],
    ['of levels', /not 2d with 2 and 1/, (d) => texture(d, { mipLevelCount: 2 })],
    [
      'that is sampled',
      /must be combined with RENDER_ATTACHMENT and no other usage/,
      (d) => texture(d, { usage: usage | 4 }),
    ],
    [
      'with viewFormats',
      /omit viewFormats \(rgba8unorm-srgb\)/,
      (d) => texture(d, { viewFormats: ['rgba8unorm-srgb'] }),
    ],
    ['a view of the whole usage', null, (d) => texture(d).createView({ usage })],
    [
      'a view of a part of the usage',
      /of a view of a transient texture must be the texture's own/,
      (d) => texture(d).createView({ usage: ATTACHMENT }),
    ],
    ['cleared and discarded', null, (d) => pass(d, { colorAttachments: [color(texture(d))] })],
    [
      'loaded',
      /use loadOp "clear" and storeOp "discard"/,
      (d) => pass(d, { colorAttachments: [color(texture(d), { loadOp: 'load' })] }),
    ],
    [
      'stored',
      /use loadOp "clear" and storeOp "discard"/,
      (d) => pass(d, { colorAttachments: [color(texture(d), { storeOp: 'store' })] }),
    ],
    [
      'several samples resolved',
      null,
      (d) =>
        pass(d, {
          colorAttachments: [
            color(texture(d, { sampleCount: 4 }), { resolveTarget: texture(d, { usage: ATTACHMENT }).createView() }),
          ],
        }),
    ],
    [
      'resolved to',
      /is transient and cannot be a resolve target/,
      (d) =>
        pass(d, {
          colorAttachments: [
            color(texture(d, { sampleCount: 4, usage: ATTACHMENT }), { resolveTarget: texture(d).createView() }),
          ],
        }),
    ],
    ['depth and stencil', null, (d) => pass(d, depth(d, {}))],
    ['depth that is loaded', /use loadOp "clear"/, (d) => pass(d, depth(d, { depthLoadOp: 'load' }))],
    ['stencil that is stored', /use loadOp "clear"/, (d) => pass(d, depth(d, { stencilStoreOp: 'store' }))],
  ];
  test.each(cases)('%s', async (_, error, run) => {
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    run(device);
    const message = (await device.popErrorScope())?.message;
    if (error === null) expect(message).toBeUndefined();
    else expect(message).toMatch(error);
  });
});

describe('first instance of indirect draws', () => {
  const engines: Record<string, CreateOptions> = {
    compiled: { engine: 'jit', threads: 0 },
    interpreted: { engine: 'interpreter', threads: 0 },
  };
  const opened: GPUDevice[] = [];
  const open = async (options: CreateOptions, requiredFeatures: string[]): Promise<GPUDevice> => {
    const adapter = await create(forCreate({ ...options, kernelUrl: pathToFileURL('build/') })).requestAdapter();
    const device = await adapter!.requestDevice({ requiredFeatures: requiredFeatures as GPUFeatureName[] });
    opened.push(device);
    return device;
  };
  let devices: [GPUDevice, boolean][];
  beforeAll(async () => {
    devices = await Promise.all(
      Object.values(engines).flatMap((options) => [
        open(options, ['indirect-first-instance']).then((device) => [device, true] as [GPUDevice, boolean]),
        open(options, []).then((device) => [device, false] as [GPUDevice, boolean]),
      ])
    );
  });
  afterAll(() => opened.forEach((device) => device.destroy()));

  test.each([false, true])('indexed: %s', async (indexed) => {
    for (const [device, hasFeature] of devices) {
      const module = device.createShaderModule({
        code: `struct V { @builtin(position) p: vec4f, @location(0) c: vec4f };
        @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32, @location(0) a: f32) -> V {
          return V(vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0, 1), vec4f(f32(n), a, 0, 255) / 255);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        fragment: { module, targets: [{ format: 'rgba8unorm' }] },
        vertex: {
          module,
          buffers: [
            { arrayStride: 4, stepMode: 'instance', attributes: [{ shaderLocation: 0, offset: 0, format: 'float32' }] },
          ],
        },
      });
      const buffer = (data: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>, usage: number): GPUBuffer => {
        const made = device.createBuffer({ size: data.byteLength, usage: usage | 8 });
        device.queue.writeBuffer(made, 0, data);
        return made;
      };
      const target = device.createTexture({
        size: [4, 4],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      });
      const read = device.createBuffer({ size: 1024, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] }],
      });
      pass.setPipeline(pipeline);
      pass.setVertexBuffer(
        0,
        buffer(
          Float32Array.from({ length: 8 }, (_, i) => i * 10),
          32
        )
      );
      if (indexed) {
        pass.setIndexBuffer(buffer(Uint32Array.of(0, 1, 2), 16), 'uint32');
        pass.drawIndexedIndirect(buffer(Uint32Array.of(3, 1, 0, 0, 5), 256), 0);
      } else pass.drawIndirect(buffer(Uint32Array.of(3, 1, 0, 5), 256), 0);
      pass.end();
      encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: 256 }, [4, 4]);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(GPUMapMode.READ);
      const found = [...new Uint8Array(read.getMappedRange()).subarray(0, 4)];
      expect(found).toEqual(hasFeature ? [5, 50, 0, 255] : [0, 0, 255, 255]);
    }
  });
});
