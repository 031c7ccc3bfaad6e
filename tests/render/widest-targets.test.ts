// The maximum number of render targets with the largest texels: maxColorAttachmentBytesPerSample of the adapter.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const TARGETS = 8;
const FORMAT = 'rgba32uint';
const SIDE = 72;
const BYTES_PER_ROW = 1280;
const FEATURES: readonly string[] = ['extended-sample-counts', 'multisample-32bit', 'statistics'];
const ENGINES: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 2 },
  scalar: { simd: false },
};

/** Each sample of each target holds a distinct value. */
const CODE = `
  @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
  }
  struct All { ${Array.from({ length: TARGETS }, (_, n) => `@location(${n}) c${n}: vec4u`).join(', ')} }
  fn texel(n: u32, p: vec4f, sample: u32) -> vec4u {
    return (vec4u(n, u32(p.x), u32(p.y), sample) + 1) * vec4u(0x01000193, 0x811c9dc5, 0x9e3779b1, 0x85ebca6b);
  }
  @fragment fn all(@builtin(position) p: vec4f, @builtin(sample_index) sample: u32) -> All {
    return All(${Array.from({ length: TARGETS }, (_, n) => `texel(${n}, p, sample)`).join(', ')});
  }
  @group(0) @binding(0) var picture: texture_multisampled_2d<u32>;
  @group(0) @binding(1) var<uniform> sample: u32;
  @fragment fn one(@builtin(position) p: vec4f) -> @location(0) vec4u {
    return textureLoad(picture, vec2u(p.xy), sample);
  }`;

/** Returns one sample of each pixel. */
async function sampleOf(
  device: GPUDevice,
  module: GPUShaderModule,
  texture: GPUTexture,
  k: number
): Promise<Uint32Array> {
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, entryPoint: 'one', targets: [{ format: FORMAT }] },
  });
  const uniform = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(uniform, 0, Uint32Array.of(k));
  const single = device.createTexture({
    size: [SIDE, SIDE],
    format: FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const buffer = device.createBuffer({
    size: BYTES_PER_ROW * SIDE,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: single, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: texture.createView() },
        { binding: 1, resource: { buffer: uniform } },
      ],
    })
  );
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture: single }, { buffer, bytesPerRow: BYTES_PER_ROW }, [SIDE, SIDE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Uint32Array(buffer.getMappedRange());
  const texels = new Uint32Array(SIDE * SIDE * 4);
  for (let y = 0; y < SIDE; y++)
    texels.set(rows.subarray((y * BYTES_PER_ROW) / 4, (y * BYTES_PER_ROW) / 4 + SIDE * 4), y * SIDE * 4);
  for (const made of [uniform, single, buffer]) made.destroy();
  return texels;
}

function wanted(n: number, k: number): Uint32Array {
  const texels = new Uint32Array(SIDE * SIDE * 4);
  const factors = [0x01000193, 0x811c9dc5, 0x9e3779b1, 0x85ebca6b];
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      texels.set(
        [n, x, y, k].map((value, c) => Math.imul(value + 1, factors[c]!)),
        (y * SIDE + x) * 4
      );
  return texels;
}

describe.each(Object.entries(ENGINES))('%s', (_, options) => {
  let device: GPUDevice;
  beforeAll(async () => {
    const { create } = await builtPackage();
    const adapter = (await create(options).requestAdapter())!;
    expect(adapter.limits.maxColorAttachmentBytesPerSample).toBe(TARGETS * 16);
    device = await adapter.requestDevice({
      requiredFeatures: FEATURES as GPUFeatureName[],
      requiredLimits: { maxColorAttachmentBytesPerSample: TARGETS * 16 },
    });
  });
  afterAll(() => device.destroy());

  test.each([4, 16])('eight targets of 16 bytes and %i samples hold every sample', async (samples) => {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: CODE });
    const textures = Array.from({ length: TARGETS }, () =>
      device.createTexture({
        size: [SIDE, SIDE],
        format: FORMAT,
        sampleCount: samples,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
      })
    );
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      multisample: { count: samples },
      fragment: { module, entryPoint: 'all', targets: textures.map(({ format }) => ({ format })) },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: textures.map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
    });
    pass.setPipeline(pipeline);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    for (const [n, texture] of textures.entries())
      for (const k of [0, samples - 1])
        expect([n, k, await sampleOf(device, module, texture, k)]).toEqual([n, k, wanted(n, k)]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    textures.forEach((texture) => texture.destroy());
  });
});
