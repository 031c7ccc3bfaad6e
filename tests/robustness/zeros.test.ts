// Every resource, and every variable without an initializer, starts as zeros, in memory that has just held other data.
// Tests cover buffers, textures of each kind of format in all levels, layers, slices and samples, queries, and shader
// variables, on every engine.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { engines, KERNELS, read, USAGE } from '../compute/kit';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';

const DIRT = 0xdeadbeef;
const DIRTY_BYTES = 1 << 20;

describe.each(Object.keys(engines))('%s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    const gpu = create(
      forCreate({ ...engines[name], kernelUrl: KERNELS, workerUrl: pathToFileURL('build/worker.mjs') })
    );
    device = await (await gpu.requestAdapter())!.requestDevice({
      requiredFeatures: ['depth32float-stencil8', 'texture-compression-bc', 'timestamp-query'],
    });
    device.pushErrorScope('validation');
  });
  afterAll(async () => {
    expect((await device.popErrorScope())?.message).toBeUndefined();
    device.destroy();
  });
  /** Fills memory that is allocated next with garbage. */
  beforeEach(async () => {
    const dirt = new Uint32Array(DIRTY_BYTES / 4).fill(DIRT);
    const buffers = Array.from({ length: 8 }, () =>
      device.createBuffer({ size: DIRTY_BYTES, usage: USAGE.COPY_DST | USAGE.STORAGE })
    );
    for (const buffer of buffers) device.queue.writeBuffer(buffer, 0, dirt);
    await device.queue.onSubmittedWorkDone();
    for (const buffer of buffers) buffer.destroy();
  });
  const isZero = (found: Uint32Array, what: string): void => {
    const at = found.findIndex((word) => word !== 0);
    if (at >= 0) expect.fail(`${what}: word ${at} is 0x${found[at]!.toString(16)}`);
  };

  test.each([4, 12, 256, 1000, 65540, 700_000])('a buffer of %i bytes', async (size) => {
    const plain = device.createBuffer({ size, usage: USAGE.COPY_SRC | USAGE.STORAGE });
    isZero(await read(device, plain), 'buffer');
    const mapped = device.createBuffer({ size, usage: USAGE.COPY_SRC | USAGE.STORAGE, mappedAtCreation: true });
    isZero(new Uint32Array(mapped.getMappedRange().slice(0)), 'mapped range');
    mapped.unmap();
    isZero(await read(device, mapped), 'mapped buffer');
    const readable = device.createBuffer({ size, usage: 1 | USAGE.COPY_DST });
    await readable.mapAsync(GPUMapMode.READ);
    isZero(new Uint32Array(readable.getMappedRange().slice(0)), 'readable buffer');
    for (const buffer of [plain, mapped, readable]) buffer.destroy();
  });

  const formats: readonly [GPUTextureFormat, number, number, GPUTextureAspect?][] = [
    ['r8unorm', 1, 1],
    ['rg8snorm', 2, 1],
    ['rgba8unorm-srgb', 4, 1],
    ['bgra8unorm', 4, 1],
    ['rgb10a2unorm', 4, 1],
    ['rg11b10ufloat', 4, 1],
    ['rgb9e5ufloat', 4, 1],
    ['r16float', 2, 1],
    ['rgba16float', 8, 1],
    ['r32uint', 4, 1],
    ['rg32float', 8, 1],
    ['rgba32sint', 16, 1],
    ['bc1-rgba-unorm', 8, 4],
    ['bc7-rgba-unorm', 16, 4],
    ['depth16unorm', 2, 1, 'all'],
    ['depth32float', 4, 1, 'all'],
    ['stencil8', 1, 1, 'all'],
    ['depth24plus-stencil8', 1, 1, 'stencil-only'],
    ['depth32float-stencil8', 4, 1, 'depth-only'],
    ['depth32float-stencil8', 1, 1, 'stencil-only'],
  ];
  test.each(formats)('a texture of %s, copied, untouched and partly written', async (format, bytes, block, aspect) => {
    const size = [60, 44, 3];
    const texture = device.createTexture({
      size,
      format,
      mipLevelCount: 3,
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST,
    });
    const row = 256 * Math.ceil(((size[0]! / block) * bytes) / 256);
    const level = async (mipLevel: number): Promise<Uint32Array> => {
      const across = (side: number): number => block * Math.ceil((side >> mipLevel) / block);
      const extent = [across(size[0]!), across(size[1]!), size[2]!];
      const rows = extent[1]! / block;
      const buffer = device.createBuffer({ size: row * rows * 3, usage: USAGE.COPY_SRC | USAGE.COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer(
        { texture, mipLevel, ...(aspect && { aspect }) },
        { buffer, bytesPerRow: row, rowsPerImage: rows },
        extent
      );
      device.queue.submit([encoder.finish()]);
      const found = await read(device, buffer);
      buffer.destroy();
      return found;
    };
    for (let mipLevel = 0; mipLevel < 3; mipLevel++) isZero(await level(mipLevel), `level ${mipLevel}`);
    if (aspect === undefined) {
      // A texel, or a block, in the middle of the second layer.
      const at = [block * 4, block * 4, 1];
      device.queue.writeTexture({ texture, origin: at }, new Uint8Array(bytes).fill(1), {}, [block, block]);
      const found = new Uint8Array((await level(0)).buffer);
      const first = row * (size[1]! / block + 4) + 4 * bytes;
      expect([...found.subarray(first, first + bytes)]).toEqual(Array(bytes).fill(1));
      found.fill(0, first, first + bytes);
      isZero(new Uint32Array(found.buffer), 'beside what was written');
    }
    texture.destroy();
  });

  /** `code` returns a vec4u for each of `count` invocations. */
  async function computed(
    globals: string,
    code: string,
    count: number,
    resources: readonly GPUBindingResource[] = []
  ): Promise<Uint32Array> {
    const out = device.createBuffer({ size: count * 16, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    const module = device.createShaderModule({
      code: `
      @group(1) @binding(0) var<storage, read_write> out: array<vec4u>;
      ${globals}
      @compute @workgroup_size(16) fn main(
        @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32
      ) { let k = id.x; ${code} }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    if (resources.length > 0)
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: resources.map((resource, binding) => ({ binding, resource })),
        })
      );
    pass.setBindGroup(
      1,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(1),
        entries: [{ binding: 0, resource: { buffer: out } }],
      })
    );
    pass.dispatchWorkgroups(count / 16);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const found = await read(device, out);
    out.destroy();
    return found;
  }

  test('textures loaded and sampled, 1D, 3D and multisampled ones, storage textures', async () => {
    const usage = 4;
    const size = [16, 16, 2];
    const layers = device.createTexture({ size, format: 'rgba8uint', usage, mipLevelCount: 2 });
    const volume = device.createTexture({ size, format: 'rgba16float', usage, dimension: '3d' });
    const line = device.createTexture({ size: [256], format: 'r32float', usage, dimension: '1d' });
    const depth = device.createTexture({
      size: [16, 16],
      format: 'depth24plus',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
    });
    const several = device.createTexture({
      size: [16, 16],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
      sampleCount: 4,
    });
    const stored = device.createTexture({
      size: [16, 16],
      format: 'rgba32uint',
      usage: GPUTextureUsage.STORAGE_BINDING,
    });
    const found = await computed(
      `
      @group(0) @binding(0) var layers: texture_2d_array<u32>; @group(0) @binding(1) var volume: texture_3d<f32>;
      @group(0) @binding(2) var line: texture_1d<f32>; @group(0) @binding(3) var depth: texture_depth_2d;
      @group(0) @binding(4) var several: texture_multisampled_2d<f32>;
      @group(0) @binding(5) var stored: texture_storage_2d<rgba32uint, read>;
      @group(0) @binding(6) var s: sampler;`,
      `
      let at = vec2u(k % 16, k / 16); let uv = (vec2f(at) + 0.5) / 16;
      var sum = textureLoad(layers, at, 1, 0) | textureLoad(layers, at / 2, 1, 1) | textureLoad(stored, at);
      sum |= bitcast<vec4u>(textureLoad(volume, vec3u(at, 1), 0));
      sum |= bitcast<vec4u>(textureSampleLevel(volume, s, vec3f(uv, 0.5), 0));
      sum.x |= bitcast<u32>(textureLoad(line, k, 0).x) | bitcast<u32>(textureLoad(depth, at, 0));
      for (var n = 0; n < 4; n++) { sum |= bitcast<vec4u>(textureLoad(several, at, n)); }
      out[k] = sum;`,
      256,
      [
        layers.createView(),
        volume.createView(),
        line.createView(),
        depth.createView(),
        several.createView(),
        stored.createView(),
        device.createSampler({ magFilter: 'linear' }),
      ]
    );
    // Formats without a fourth channel read 1 for it; none of these is one.
    isZero(found, 'texels');
    for (const texture of [layers, volume, line, depth, several, stored]) texture.destroy();
  });

  test('attachments loaded before anything is stored, and resolved', async () => {
    const color = device.createTexture({
      size: [100, 70],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const several = device.createTexture({
      size: [100, 70],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      sampleCount: 4,
    });
    const resolved = device.createTexture({
      size: [100, 70],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const depth = device.createTexture({
      size: [100, 70],
      format: 'depth32float',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const encoder = device.createCommandEncoder();
    const buffer = device.createBuffer({ size: 3 * 512 * 70, usage: USAGE.COPY_SRC | USAGE.COPY_DST });
    encoder
      .beginRenderPass({
        colorAttachments: [{ view: color.createView(), loadOp: 'load', storeOp: 'store' }],
        depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'load', depthStoreOp: 'store' },
      })
      .end();
    encoder
      .beginRenderPass({
        colorAttachments: [
          { view: several.createView(), resolveTarget: resolved.createView(), loadOp: 'load', storeOp: 'store' },
        ],
      })
      .end();
    [color, resolved, depth].forEach((texture, k) =>
      encoder.copyTextureToBuffer({ texture }, { buffer, offset: k * 512 * 70, bytesPerRow: 512 }, [100, 70])
    );
    device.queue.submit([encoder.finish()]);
    isZero(await read(device, buffer), 'attachments');
    for (const each of [color, several, resolved, depth, buffer]) each.destroy();
  });

  test('variables, after a shader that left garbage in its own', async () => {
    const dirty = `var<private> mine: array<u32, 40>; var<workgroup> all: array<u32, 600>;`;
    await computed(
      dirty,
      `
      var own: array<vec4u, 20>;
      for (var n = 0u; n < 40; n++) { mine[n] = ${DIRT}u + k; own[n / 2] = vec4u(${DIRT}u); }
      for (var n = local; n < 600; n += 16) { all[n] = ${DIRT}u; }
      out[k] = own[k % 20] + mine[k % 40] + all[k];`,
      256
    );
    const found = await computed(
      `struct S { a: f32, b: vec3u, c: array<mat2x2f, 2> }
      var<private> mine: array<u32, 40>; var<private> record: S; var<workgroup> all: array<u32, 600>;
      var<workgroup> parts: array<atomic<u32>, 16>;`,
      `
      var own: array<vec4u, 20>; var single: vec4u; var struct_: S;
      let i = k % 20;
      var sum = own[i] | own[19 - i] | single | vec4u(mine[2 * i], mine[39 - i], all[k], all[599 - k]);
      sum |= vec4u(bitcast<u32>(record.a), record.b) | vec4u(struct_.b, bitcast<u32>(struct_.c[k % 2][1].x));
      sum.x |= atomicLoad(&parts[local]);
      // Each round has a new one.
      for (var n = 0; n < 3; n++) { var inner: array<u32, 8>; sum.y |= inner[k % 8]; inner[k % 8] = ${DIRT}u; }
      out[k] = sum;`,
      256
    );
    isZero(found, 'variables');
  });

  test('unwritten queries', async () => {
    const out = device.createBuffer({ size: 2 * 512, usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC });
    const encoder = device.createCommandEncoder();
    (['occlusion', 'timestamp'] as const).forEach((type, k) =>
      encoder.resolveQuerySet(device.createQuerySet({ type, count: 64 }), 0, 64, out, k * 512)
    );
    device.queue.submit([encoder.finish()]);
    isZero(await read(device, out), 'queries');
    out.destroy();
  });
});
