// The maximum number of bindings that an adapter supports, in each stage: every slot is read, and one more is rejected.
// Also dynamic offsets at the minimum alignment, and the largest bindings.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, read, USAGE } from '../compute/kit';
import { GPUShaderStage, GPUTextureUsage } from '../support/flags';
import {
  MAX_STORAGE_TEXTURES,
  adapterOf,
  defaults,
  open,
  programs,
  raised,
  resultOf,
  slots,
  sumOf,
  valueOf,
} from './limits.kit';

test('adapters report their limits, devices have the defaults unless they request more', async () => {
  expect((await adapterOf({ threads: 0 }))!.limits).toMatchObject(raised);
  const plain = await open({ threads: 0 }, {});
  const device = await open({ threads: 0 });
  expect(plain.limits).toMatchObject(defaults);
  expect(device.limits).toMatchObject(raised);
  for (const one of [plain, device]) one.destroy();
  for (const [limit, value] of Object.entries(raised)) {
    const beyond = limit.startsWith('min') ? value / 2 : value + 1;
    await expect(open({ threads: 0 }, { [limit]: beyond })).rejects.toThrow(
      `requiredLimits.${limit}: ${beyond} is ${limit.startsWith('min') ? 'less' : 'more'} than this adapter's ${value}`
    );
  }
});
describe.each(Object.keys(engines))('%s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(engines[name]!);
  });
  afterAll(() => device.destroy());

  test('all storage textures of the fragment stage can be written', async () => {
    const images = Array.from({ length: MAX_STORAGE_TEXTURES }, () =>
      device.createTexture({
        size: [2, 1],
        format: 'r32uint',
        usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
      })
    );
    const code = `
      ${slots(
        MAX_STORAGE_TEXTURES,
        (k) => `@group(0) @binding(${k}) var image_${k}: texture_storage_2d<r32uint, write>;`
      )}
      fn all() -> vec4u {
        ${slots(MAX_STORAGE_TEXTURES, (k) => `textureStore(image_${k}, vec2u(1, 0), vec4u(${valueOf(3, k)}u));`)}
        return vec4u(7);
      }
      ${programs.fragment}`;
    const layout = device.createBindGroupLayout({
      entries: images.map((_, binding) => ({
        binding,
        visibility: GPUShaderStage.FRAGMENT,
        storageTexture: { format: 'r32uint' },
      })),
    });
    const group = device.createBindGroup({
      layout,
      entries: images.map((texture, binding) => ({ binding, resource: texture.createView() })),
    });
    const out = device.createBuffer({ size: MAX_STORAGE_TEXTURES * 256, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
    const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
    expect([...(await resultOf(device, 'fragment', code, pipelineLayout, [[group]], out))]).toEqual([7, 7, 7, 7]);
    const encoder = device.createCommandEncoder();
    images.forEach((texture, k) => encoder.copyTextureToBuffer({ texture }, { buffer: out, offset: k * 256 }, [2, 1]));
    device.queue.submit([encoder.finish()]);
    const words = await read(device, out);
    images.forEach((_, k) => expect([...words.subarray(k * 64, k * 64 + 2)]).toEqual([0, valueOf(3, k)]));
  });

  test('all attributes of all vertex buffers can be used', async () => {
    const { maxVertexBuffers: buffers, maxVertexAttributes: attributes } = raised as Record<string, number>;
    const each = attributes! / buffers!;
    // The last of three vertices is drawn; a number identifies its buffer and position.
    const made = Array.from({ length: buffers! }, (_, k) => {
      const buffer = device.createBuffer({ size: 3 * each * 16, usage: 32 | USAGE.COPY_DST });
      device.queue.writeBuffer(
        buffer,
        0,
        Uint32Array.from({ length: 3 * each * 4 }, (__, word) => valueOf(word % 4, k * 64 + word))
      );
      return buffer;
    });
    const module = device.createShaderModule({
      code: `
      struct In { ${slots(attributes!, (k) => `@location(${k}) a${k}_: vec4u,`)} }
      struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat, either) value: vec4u }
      @vertex fn vs(in: In) -> Out {
        var sum = vec4u(0);
        ${slots(attributes!, (k) => `sum = sum * 31u + in.a${k}_;`)}
        return Out(vec4f(0, 0, 0, 1), sum);
      }
      @fragment fn fs(@location(0) @interpolate(flat, either) value: vec4u) -> @location(0) vec4u { return value; }`,
    });
    device.pushErrorScope('validation');
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      primitive: { topology: 'point-list' },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
      vertex: {
        module,
        buffers: made.map((_, k) => ({
          arrayStride: each * 16,
          attributes: Array.from({ length: each }, (__, n) => ({
            // Locations count down.
            shaderLocation: attributes! - 1 - (k * each + n),
            offset: n * 16,
            format: 'uint32x4' as const,
          })),
        })),
      },
    });
    const target = device.createTexture({
      size: [1, 1],
      format: 'rgba32uint',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const out = device.createBuffer({ size: 16, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    made.forEach((buffer, k) => pass.setVertexBuffer(k, buffer));
    pass.draw(1, 1, 2);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: out }, [1, 1]);
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    expect([...(await read(device, out))]).toEqual(
      [0, 1, 2, 3].map((component) =>
        sumOf(attributes!, (location) => {
          const number = attributes! - 1 - location;
          const word = (2 * each + (number % each)) * 4 + component;
          return valueOf(component, Math.floor(number / each) * 64 + word);
        })
      )
    );
    for (const buffer of made) buffer.destroy();
  });

  test('all layers can be rendered to, stored to, loaded and sampled', async () => {
    const layers = raised['maxTextureArrayLayers']!;
    const texture = device.createTexture({
      size: [4, 4, layers],
      format: 'r32uint',
      usage:
        GPUTextureUsage.COPY_SRC
        | GPUTextureUsage.COPY_DST
        | GPUTextureUsage.TEXTURE_BINDING
        | GPUTextureUsage.STORAGE_BINDING
        | GPUTextureUsage.RENDER_ATTACHMENT,
      label: 'layers',
    });
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({
        colorAttachments: [
          {
            view: texture.createView({ dimension: '2d', baseArrayLayer: layers - 1, arrayLayerCount: 1 }),
            loadOp: 'clear',
            clearValue: [77, 0, 0, 0],
            storeOp: 'store',
          },
        ],
      })
      .end();
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var t: texture_2d_array<u32>;
      @group(0) @binding(1) var<storage, read_write> out: array<u32>;
      @group(1) @binding(0) var i: texture_storage_2d_array<r32uint, write>;
      @compute @workgroup_size(1) fn reads() {
        out[0] = textureLoad(t, vec2u(3, 3), ${layers - 1}, 0).x;
        out[1] = textureLoad(t, vec2u(1, 2), ${layers - 2}, 0).x;
        out[2] = textureNumLayers(t); out[3] = textureLoad(t, vec2u(3, 3), ${layers - 3}, 0).x;
      }
      @compute @workgroup_size(1) fn stores() { textureStore(i, vec2u(1, 2), ${layers - 2}, vec4u(88)); }`,
    });
    const out = device.createBuffer({ size: 16, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    const view = texture.createView({ dimension: '2d-array' });
    for (const [entryPoint, index, resources] of [
      ['stores', 1, [view]],
      ['reads', 0, [view, { buffer: out }]],
    ] as [string, number, GPUBindingResource[]][]) {
      const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint } });
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        index,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(index),
          entries: resources.map((resource, binding) => ({ binding, resource })),
        })
      );
      pass.dispatchWorkgroups(1);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    expect([...(await read(device, out))]).toEqual([77, 88, layers, 0]);
    texture.destroy();
  });
});
