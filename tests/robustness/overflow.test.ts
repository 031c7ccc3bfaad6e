// Sizes, offsets and counts whose sum or product wraps at 32 bits, or is not an exact number. Every place that computes
// one rejects them, and the device continues.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const KERNELS = pathToFileURL('build/');
const U32 = 0xffffffff;
const U64 = Number.MAX_SAFE_INTEGER;
/** Integers that are multiples of 256 near both limits. */
const HIGH32 = 0xffffff00;
const HIGH64 = 2 ** 53 - 256;
const ALL = 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512;

let device: GPUDevice;
let buffer: GPUBuffer;
let texture: GPUTexture;
let pipeline: GPURenderPipeline;
let kernel: GPUComputePipeline;
beforeAll(async () => {
  device = await (await create({ threads: 0, kernelUrl: KERNELS }).requestAdapter())!.requestDevice({
    requiredFeatures: ['timestamp-query', 'indirect-first-instance'],
  });
  buffer = device.createBuffer({ size: 1024, usage: ALL });
  texture = device.createTexture({
    size: [16, 16, 4],
    format: 'r32uint',
    mipLevelCount: 3,
    usage:
      GPUTextureUsage.COPY_SRC
      | GPUTextureUsage.COPY_DST
      | GPUTextureUsage.TEXTURE_BINDING
      | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const module = device.createShaderModule({
    code: `
    @vertex fn vs(@location(0) a: vec4f) -> @builtin(position) vec4f { return a; }
    @fragment fn fs() -> @location(0) vec4u { return vec4u(1); }
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(1) fn cs() { data[0] = 1; }`,
  });
  pipeline = device.createRenderPipeline({
    layout: 'auto',
    fragment: { module, targets: [{ format: 'r32uint' }] },
    vertex: {
      module,
      buffers: [{ arrayStride: 2048, attributes: [{ shaderLocation: 0, offset: 2032, format: 'float32x4' }] }],
    },
  });
  kernel = device.createComputePipeline({ layout: 'auto', compute: { module } });
});
afterAll(() => device.destroy());

const encode = (body: (encoder: GPUCommandEncoder) => void) => (): void => {
  const encoder = device.createCommandEncoder();
  body(encoder);
  encoder.finish();
};
const draw = (body: (pass: GPURenderPassEncoder) => void): (() => void) =>
  encode((encoder) => {
    const view = texture.createView({ dimension: '2d', baseArrayLayer: 0, arrayLayerCount: 1, mipLevelCount: 1 });
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setIndexBuffer(buffer, 'uint32');
    pass.setVertexBuffer(0, device.createBuffer({ size: 8192, usage: GPUBufferUsage.VERTEX }));
    body(pass);
    pass.end();
  });
const dispatch = (body: (pass: GPUComputePassEncoder) => void): (() => void) =>
  encode((encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(kernel);
    body(pass);
    pass.end();
  });
const bind = (binding: GPUBufferBinding): unknown =>
  device.createBindGroup({ layout: kernel.getBindGroupLayout(0), entries: [{ binding: 0, resource: binding }] });
const storage = (): GPUBuffer => device.createBuffer({ size: 1024, usage: GPUBufferUsage.STORAGE });
const big =
  (format: GPUTextureFormat, o: Partial<GPUTextureDescriptor> = {}) =>
  (): unknown =>
    device.createTexture({
      size: [8192, 8192, 256],
      format,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      ...o,
    });
const shader = (text: string) => (): unknown =>
  device.createComputePipeline({
    layout: 'auto',
    compute: {
      module: device.createShaderModule({ code: `${text}\n@compute @workgroup_size(1) fn main() { _ = &v; }` }),
    },
  });

/** Each of them fails validation, finds no memory, or exceeds a limit. */
const refused: Readonly<Record<string, () => unknown>> = {
  'the size of a buffer': () => device.createBuffer({ size: HIGH64, usage: GPUBufferUsage.COPY_DST }),
  'the size of a buffer that wraps to nothing': () =>
    device.createBuffer({ size: 2 ** 32, usage: GPUBufferUsage.COPY_DST }),
  'the size of a buffer rounded up': () => device.createBuffer({ size: U32, usage: GPUBufferUsage.COPY_DST }),
  'the bytes of a texture': big('rgba32float'),
  'the bytes of a texture that wrap to nothing': big('rgba8unorm', { size: [8192, 8192, 64] }),
  'the bytes of a volume': big('rgba32float', { size: [2048, 2048, 2048], dimension: '3d' }),
  'the bytes of all levels': big('rgba16float', { mipLevelCount: 14 }),
  queries: () => device.createQuerySet({ type: 'timestamp', count: U32 }),
  'the offset of a binding': () => bind({ buffer: storage(), offset: HIGH64, size: 256 }),
  'the offset of a binding that wraps': () => bind({ buffer: storage(), offset: 2 ** 32 }),
  'the size of a binding': () => bind({ buffer: storage(), offset: 256, size: HIGH64 }),
  'the size of a binding that wraps': () => bind({ buffer: storage(), offset: 256, size: 2 ** 32 - 256 }),
  'a level of a view': () => texture.createView({ baseMipLevel: U32, mipLevelCount: 2 }),
  'levels of a view': () => texture.createView({ baseMipLevel: 2, mipLevelCount: U32 }),
  'a layer of a view': () => texture.createView({ dimension: '2d-array', baseArrayLayer: U32, arrayLayerCount: 2 }),
  'layers of a view': () => texture.createView({ dimension: '2d-array', baseArrayLayer: 3, arrayLayerCount: U32 }),
  'a written range of a buffer': () => device.queue.writeBuffer(buffer, HIGH64, new Uint32Array(64)),
  'a written range that wraps': () => device.queue.writeBuffer(buffer, 2 ** 32, new Uint32Array(4)),
  'where a buffer is copied from': encode((e) => e.copyBufferToBuffer(buffer, HIGH64, storage(), 0, 256)),
  'where a buffer is copied to': encode((e) => e.copyBufferToBuffer(storage(), 0, buffer, HIGH64, 256)),
  'how much of a buffer is copied': encode((e) => e.copyBufferToBuffer(buffer, 256, storage(), 0, HIGH64)),
  'how much is copied, that wraps': encode((e) => e.copyBufferToBuffer(buffer, 256, storage(), 256, 2 ** 32 - 256)),
  'where a buffer is cleared': encode((e) => e.clearBuffer(buffer, HIGH64, 256)),
  'how much of a buffer is cleared': encode((e) => e.clearBuffer(buffer, 256, 2 ** 32 - 256)),
  'rows of a written texture': () =>
    device.queue.writeTexture({ texture }, new Uint32Array(256), { bytesPerRow: HIGH32, rowsPerImage: 16 }, [16, 16]),
  'images of a written texture': () =>
    device.queue.writeTexture({ texture }, new Uint32Array(256), { bytesPerRow: 64, rowsPerImage: U32 }, [16, 16, 4]),
  'images that wrap to nothing': () =>
    device.queue.writeTexture(
      { texture },
      new Uint32Array(1024),
      { bytesPerRow: 65536, rowsPerImage: 65536 },
      [16, 16, 4]
    ),
  'all of them at their largest': () =>
    device.queue.writeTexture(
      { texture },
      new Uint32Array(256),
      { bytesPerRow: U32, rowsPerImage: U32, offset: U64 },
      [16, 16, 4]
    ),
  'the offset of a written texture': () =>
    device.queue.writeTexture({ texture }, new Uint32Array(256), { bytesPerRow: 64, offset: 2 ** 32 }, [16, 16]),
  'rows of a buffer copied to a texture': encode((e) =>
    e.copyBufferToTexture({ buffer, bytesPerRow: HIGH32, rowsPerImage: U32 }, { texture }, [16, 16, 4])
  ),
  'the offset of a buffer copied to a texture': encode((e) =>
    e.copyBufferToTexture({ buffer, bytesPerRow: 256, offset: HIGH64 }, { texture }, [16, 1])
  ),
  'rows of a texture copied to a buffer': encode((e) =>
    e.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: HIGH32, rowsPerImage: U32 }, [16, 16, 4])
  ),
  'rows copied to a buffer, that wrap': encode((e) =>
    e.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 65536, rowsPerImage: 65536 }, [16, 16, 2])
  ),
  'where a texture is copied from': encode((e) =>
    e.copyTextureToTexture({ texture, origin: [U32, 0, 0] }, { texture, mipLevel: 1 }, [1, 1])
  ),
  'where a texture is copied to': encode((e) =>
    e.copyTextureToTexture({ texture }, { texture, mipLevel: 1, origin: [0, U32, 0] }, [1, 1])
  ),
  'which layer a texture is copied to': encode((e) =>
    e.copyTextureToTexture({ texture }, { texture, mipLevel: 1, origin: [0, 0, U32] }, [1, 1, 1])
  ),
  'how much of a texture is copied': encode((e) =>
    e.copyTextureToTexture({ texture, origin: [1, 1, 1] }, { texture, mipLevel: 1 }, [U32, U32, U32])
  ),
  'which level a texture is copied from': encode((e) =>
    e.copyTextureToTexture({ texture, mipLevel: U32 }, { texture, mipLevel: 1 }, [1, 1])
  ),
  vertices: draw((pass) => pass.draw(U32)),
  'vertices that wrap': draw((pass) => pass.draw(2, 1, U32)),
  'vertices whose bytes wrap': draw((pass) => pass.draw(2 ** 21 + 1)),
  indices: draw((pass) => pass.drawIndexed(U32)),
  'indices that wrap': draw((pass) => pass.drawIndexed(2, 1, U32)),
  'indices whose bytes wrap': draw((pass) => pass.drawIndexed(1, 1, 2 ** 30)),
  'where indices begin': draw((pass) => pass.setIndexBuffer(buffer, 'uint32', HIGH64, 256)),
  'how many bytes of indices': draw((pass) => pass.setIndexBuffer(buffer, 'uint32', 4, 2 ** 32 - 4)),
  'where vertices begin': draw((pass) => pass.setVertexBuffer(0, buffer, HIGH64, 256)),
  'how many bytes of vertices': draw((pass) => pass.setVertexBuffer(0, buffer, 4, 2 ** 32 - 4)),
  'where an indirect draw is': draw((pass) => pass.drawIndirect(buffer, HIGH64)),
  'where an indirect draw is, that wraps': draw((pass) => pass.drawIndexedIndirect(buffer, 2 ** 32)),
  'where a scissor begins': draw((pass) => pass.setScissorRect(U32, 0, 2, 1)),
  'how wide a scissor is': draw((pass) => pass.setScissorRect(1, 1, U32, U32)),
  workgroups: dispatch((pass) => {
    pass.setBindGroup(0, bind({ buffer: storage() }) as GPUBindGroup);
    pass.dispatchWorkgroups(U32, U32, U32);
  }),
  'where an indirect dispatch is': dispatch((pass) => pass.dispatchWorkgroupsIndirect(buffer, HIGH64)),
  'which queries are resolved': encode((e) =>
    e.resolveQuerySet(device.createQuerySet({ type: 'timestamp', count: 4 }), U32, 2, buffer, 0)
  ),
  'how many queries are resolved': encode((e) =>
    e.resolveQuerySet(device.createQuerySet({ type: 'timestamp', count: 4 }), 1, U32, buffer, 0)
  ),
  'where queries are resolved to': encode((e) =>
    e.resolveQuerySet(device.createQuerySet({ type: 'timestamp', count: 4 }), 0, 4, buffer, HIGH64)
  ),
  'where an attribute lies': () =>
    device.createRenderPipeline({
      layout: 'auto',
      fragment: { module: device.createShaderModule({ code: '@fragment fn f() {}' }), targets: [] },
      vertex: {
        module: device.createShaderModule({
          code: '@vertex fn v(@location(0) a: vec4f) -> @builtin(position) vec4f { return a; }',
        }),
        buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: HIGH64, format: 'float32x4' }] }],
      },
    }),
  'elements of an array': shader('var<private> v: array<u32, 4294967295>;'),
  'arrays of arrays that wrap to nothing': shader('var<private> v: array<array<u32, 65536>, 65536>;'),
  'arrays of a workgroup that wrap': shader('var<workgroup> v: array<array<vec4u, 65536>, 4096>;'),
  'members whose offsets wrap': shader(
    'struct S { @size(2147483648) a: u32, @size(2147483648) b: u32 } var<private> v: array<S, 2>;'
  ),
  'an alignment': shader('struct S { @align(2147483648) a: u32, b: u32 } var<private> v: array<S, 4>;'),
};

describe('rejected overflows', () => {
  test.each(Object.entries(refused))('%s', async (_, run) => {
    const kinds = ['internal', 'out-of-memory', 'validation'] as const;
    for (const kind of kinds) device.pushErrorScope(kind);
    let thrown: unknown = null;
    try {
      run();
    } catch (error) {
      thrown = error;
    }
    const errors = await Promise.all(kinds.map(() => device.popErrorScope()));
    // Failed WebIDL conversions throw, the rest are errors of the scope; nothing else.
    if (thrown !== null) expect(['TypeError', 'OperationError', 'RangeError']).toContain((thrown as Error).name);
    else expect(errors.some((error) => error !== null)).toBe(true);
    await device.queue.onSubmittedWorkDone();
  });

  test('mapped ranges', async () => {
    const mapped = device.createBuffer({ size: 1024, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    for (const [offset, size] of [
      [HIGH64, 256],
      [8, 2 ** 32 - 8],
      [2 ** 32, 16],
      [8, HIGH64],
    ] as const) {
      device.pushErrorScope('validation');
      await expect(mapped.mapAsync(GPUMapMode.READ, offset, size)).rejects.toThrow();
      expect(await device.popErrorScope()).not.toBeNull();
    }
    await mapped.mapAsync(GPUMapMode.READ, 8, 512);
    const ranges = [
      [HIGH64, 256],
      [8, 2 ** 32 - 8],
      [2 ** 32 + 8, 16],
      [8, HIGH64],
      [0, 8],
    ] as const;
    for (const [offset, size] of ranges) expect(() => mapped.getMappedRange(offset, size)).toThrow(/getMappedRange/);
    expect(mapped.getMappedRange(8, 512).byteLength).toBe(512);
    mapped.destroy();
  });

  test('ranges of written data', () => {
    const data = new Uint32Array(64);
    for (const [offset, size] of [
      [U64, 1],
      [1, U64],
      [2 ** 32, 4],
      [4, 2 ** 32 - 4],
    ] as const)
      expect(() => device.queue.writeBuffer(buffer, 0, data, offset, size)).toThrow(/writeBuffer/);
  });
});

test('the device continues', async () => {
  const words = Uint32Array.from({ length: 256 }, (_, k) => k);
  const copy = device.createBuffer({ size: 1024, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, words);
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, 1024);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  expect(new Uint32Array(copy.getMappedRange())).toEqual(words);
});
