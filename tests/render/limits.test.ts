// The maximum number of bindings that an adapter supports, in each stage: every slot is read, and one more is rejected.
// Also dynamic offsets at the minimum alignment, and the largest bindings.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { engines, KERNELS, read, USAGE } from '../compute/kit';
import { GPUShaderStage, GPUTextureUsage } from '../support/flags';

const MOST = 64;
const MAX_STORAGE_TEXTURES = 16;
const MAX_DYNAMIC = 32;
const ALIGNMENT = 32;
const MAX_BYTES = 1 << 30;
const VERTICES_AND_LAYERS: Record<string, number> = {
  maxTextureArrayLayers: 2048,
  maxVertexBuffers: 16,
  maxVertexAttributes: 32,
};
const STAGES = { compute: 4, vertex: 1, fragment: 2 } as const;
type Stage = keyof typeof STAGES;

const defaults: Record<string, number> = {
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBuffersInVertexStage: 8,
  maxStorageBuffersInFragmentStage: 8,
  maxUniformBuffersPerShaderStage: 12,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageTexturesPerShaderStage: 4,
  maxStorageTexturesInVertexStage: 4,
  maxStorageTexturesInFragmentStage: 4,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxUniformBufferBindingSize: 65536,
  maxStorageBufferBindingSize: 134217728,
  maxBufferSize: 268435456,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxTextureArrayLayers: 256,
  maxVertexBuffers: 8,
  maxVertexAttributes: 16,
};
const raised: Record<string, number> = Object.fromEntries(
  Object.keys(defaults).map((name) => [
    name,
    Object.hasOwn(VERTICES_AND_LAYERS, name)
      ? VERTICES_AND_LAYERS[name]!
      : name.startsWith('min')
        ? ALIGNMENT
        : name.endsWith('Size')
          ? MAX_BYTES
          : name.includes('Dynamic')
            ? MAX_DYNAMIC
            : name.includes('StorageTextures')
              ? MAX_STORAGE_TEXTURES
              : MOST,
  ])
);

const adapterOf = (options: CreateOptions): Promise<GPUAdapter | null> =>
  create(forCreate({ ...options, kernelUrl: KERNELS, workerUrl: pathToFileURL('build/worker.mjs') })).requestAdapter();
async function open(options: CreateOptions, requiredLimits: Record<string, number> = raised): Promise<GPUDevice> {
  return (await adapterOf(options))!.requestDevice({ requiredLimits });
}
/** Returns the validation error raised by `make`. */
async function errorOf(device: GPUDevice, make: () => unknown): Promise<string> {
  device.pushErrorScope('validation');
  make();
  return (await device.popErrorScope())?.message ?? '';
}

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

/** A sum of these values shows which slot each one belongs to. */
const valueOf = (kind: number, slot: number): number => Math.imul(slot * 4 + kind + 1, 0x9e3779b1) >>> 0;
const sumOf = (count: number, value: (slot: number) => number): number => {
  let sum = 0;
  for (let slot = 0; slot < count; slot++) sum = (Math.imul(sum, 31) + value(slot)) | 0;
  return sum >>> 0;
};
const slots = (count: number, text: (slot: number) => string): string =>
  Array.from({ length: count }, (_, slot) => text(slot)).join('\n');

/** Runs `all` in a stage and writes its result to a buffer, or to the only pixel of a target. */
const programs: Readonly<Record<Stage, string>> = {
  compute: `
    @group(0) @binding(${MOST - 1}) var<storage, read_write> last: array<vec4u>;
    @compute @workgroup_size(1) fn cs() { last[1] = all(); }`,
  vertex: `
    struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat, either) value: vec4u }
    @vertex fn vs() -> Out { return Out(vec4f(0, 0, 0, 1), all()); }
    @fragment fn fs(@location(0) @interpolate(flat, either) value: vec4u) -> @location(0) vec4u { return value; }`,
  fragment: `
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(0, 0, 0, 1); }
    @fragment fn fs() -> @location(0) vec4u { return all(); }`,
};

/** Runs the stage over the groups and returns its vec4u. */
async function resultOf(
  device: GPUDevice,
  stage: Stage,
  code: string,
  layout: GPUPipelineLayout,
  groups: readonly (readonly [GPUBindGroup, number[]?])[],
  out: GPUBuffer
): Promise<Uint32Array> {
  const module = device.createShaderModule({ code });
  const encoder = device.createCommandEncoder();
  if (stage === 'compute') {
    const pass = encoder.beginComputePass();
    pass.setPipeline(device.createComputePipeline({ layout, compute: { module } }));
    groups.forEach(([group, offsets], i) => pass.setBindGroup(i, group, offsets));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    return (await read(device, out)).slice(4, 8);
  }
  const target = device.createTexture({
    size: [1, 1],
    format: 'rgba32uint',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(
    device.createRenderPipeline({
      layout,
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
      primitive: { topology: 'point-list' },
    })
  );
  groups.forEach(([group, offsets], i) => pass.setBindGroup(i, group, offsets));
  pass.draw(1);
  pass.end();
  const buffer = device.createBuffer({ size: 16, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
  encoder.copyTextureToBuffer({ texture: target }, { buffer }, [1, 1]);
  device.queue.submit([encoder.finish()]);
  return read(device, buffer);
}

describe.each(Object.keys(engines))('%s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(engines[name]!);
  });
  afterAll(() => device.destroy());

  test.each(Object.keys(STAGES) as Stage[])('all bindings of the %s stage can be used', async (stage) => {
    const visibility = STAGES[stage];
    const buffersRead = stage === 'compute' ? MOST - 1 : MOST;
    // A texture of two texels. A filtering sampler returns their mean; only the last sampler filters.
    const code = `
      ${slots(buffersRead, (k) => `@group(0) @binding(${k}) var<storage, read> buffer_${k}: array<u32>;`)}
      ${slots(MOST, (k) => `@group(1) @binding(${k}) var<uniform> uniform_${k}: vec4u;`)}
      ${slots(MOST, (k) => `@group(2) @binding(${k}) var texture_${k}: texture_2d<f32>;`)}
      ${slots(MOST, (k) => `@group(2) @binding(${MOST + k}) var sampler_${k}: sampler;`)}
      ${slots(
        MAX_STORAGE_TEXTURES,
        (k) => `@group(3) @binding(${k}) var image_${k}: texture_storage_2d<r32uint, read>;`
      )}
      fn all() -> vec4u {
        var sum = vec4u(0);
        ${slots(buffersRead, (k) => `sum.x = sum.x * 31u + buffer_${k}[3];`)}
        ${slots(MOST, (k) => `sum.y = sum.y * 31u + uniform_${k}.w;`)}
        ${slots(
          MOST,
          (k) =>
            `sum.z = sum.z * 31u + u32(textureSampleLevel(texture_${k}, sampler_${k}, vec2f(0.5, 0.5), 0).x * 255);`
        )}
        ${slots(MAX_STORAGE_TEXTURES, (k) => `sum.w = sum.w * 31u + textureLoad(image_${k}, vec2u(1, 0)).x;`)}
        return sum;
      }
      ${programs[stage]}`;
    const buffers = Array.from({ length: MOST }, (_, k) => {
      const buffer = device.createBuffer({ size: 32, usage: USAGE.STORAGE | USAGE.COPY_DST | USAGE.COPY_SRC });
      device.queue.writeBuffer(buffer, 12, Uint32Array.of(valueOf(0, k)));
      return buffer;
    });
    const uniforms = Array.from({ length: MOST }, (_, k) => {
      const buffer = device.createBuffer({ size: 16, usage: USAGE.UNIFORM | USAGE.COPY_DST });
      device.queue.writeBuffer(buffer, 12, Uint32Array.of(valueOf(1, k)));
      return buffer;
    });
    const texel = (k: number): [number, number] => [k * 2, 100 + k * 2];
    const textures = Array.from({ length: MOST }, (_, k) => {
      const texture = device.createTexture({
        size: [2, 1],
        format: 'r8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      });
      device.queue.writeTexture({ texture }, Uint8Array.from(texel(k)), {}, [2, 1]);
      return texture;
    });
    const samplers = Array.from({ length: MOST }, (_, k) =>
      device.createSampler(k === MOST - 1 ? { magFilter: 'linear', minFilter: 'linear' } : {})
    );
    const images = Array.from({ length: MAX_STORAGE_TEXTURES }, (_, k) => {
      const texture = device.createTexture({
        size: [2, 1],
        format: 'r32uint',
        usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_DST,
      });
      device.queue.writeTexture({ texture }, Uint32Array.of(0, valueOf(3, k)), {}, [2, 1]);
      return texture;
    });
    const bufferOf =
      (type: GPUBufferBindingType) =>
      (_: unknown, binding: number): GPUBindGroupLayoutEntry => ({
        binding,
        visibility,
        buffer: { type: stage === 'compute' && type !== 'uniform' && binding === MOST - 1 ? 'storage' : type },
      });
    const layouts: GPUBindGroupLayoutEntry[][] = [
      buffers.map(bufferOf('read-only-storage')),
      uniforms.map(bufferOf('uniform')),
      [
        ...textures.map((_, binding) => ({ binding, visibility, texture: {} })),
        ...samplers.map((_, k) => ({ binding: MOST + k, visibility, sampler: {} })),
      ],
      images.map((_, binding) => ({ binding, visibility, storageTexture: { access: 'read-only', format: 'r32uint' } })),
    ];
    const resources: GPUBindingResource[][] = [
      buffers.map((buffer) => ({ buffer })),
      uniforms.map((buffer) => ({ buffer })),
      [...textures.map((texture) => texture.createView()), ...samplers],
      images.map((texture) => texture.createView()),
    ];
    device.pushErrorScope('validation');
    const groupLayouts = layouts.map((entries) => device.createBindGroupLayout({ entries }));
    const groups = groupLayouts.map((layout, i): [GPUBindGroup] => [
      device.createBindGroup({ layout, entries: resources[i]!.map((resource, binding) => ({ binding, resource })) }),
    ]);
    const layout = device.createPipelineLayout({ bindGroupLayouts: groupLayouts });
    const found = await resultOf(device, stage, code, layout, groups, buffers[MOST - 1]!);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    expect([...found]).toEqual([
      sumOf(buffersRead, (k) => valueOf(0, k)),
      sumOf(MOST, (k) => valueOf(1, k)),
      // Nearest: the texel at or to the right of the middle.
      sumOf(MOST, (k) => (k === MOST - 1 ? (texel(k)[0] + texel(k)[1]) / 2 : texel(k)[1])),
      sumOf(MAX_STORAGE_TEXTURES, (k) => valueOf(3, k)),
    ]);
    for (const made of [...buffers, ...uniforms, ...textures, ...images]) made.destroy();
  });

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

  test.each(Object.keys(STAGES) as Stage[])('all dynamic offsets of the %s stage can be used', async (stage) => {
    const visibility = STAGES[stage];
    const out = device.createBuffer({ size: 32, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    const code = `
      ${slots(MAX_DYNAMIC, (k) => `@group(0) @binding(${2 * k}) var<uniform> uniform_${k}: vec4u;`)}
      ${slots(MAX_DYNAMIC, (k) => `@group(0) @binding(${2 * k + 1}) var<storage, read> buffer_${k}: array<u32, 4>;`)}
      fn all() -> vec4u {
        var sum = vec4u(0);
        ${slots(MAX_DYNAMIC, (k) => `sum.x = sum.x * 31u + uniform_${k}.x; sum.y = sum.y * 31u + uniform_${k}.w;`)}
        ${slots(MAX_DYNAMIC, (k) => `sum.z = sum.z * 31u + buffer_${k}[0]; sum.w = sum.w * 31u + buffer_${k}[3];`)}
        return sum;
      }
      ${programs[stage].replace('@group(0)', '@group(1)')}`;
    // Words of a buffer encode their positions. Each binding begins at 32 bytes, and offsets count down.
    const words = Uint32Array.from({ length: ((MAX_DYNAMIC + 2) * ALIGNMENT) / 4 }, (_, word) => valueOf(2, word));
    const buffer = device.createBuffer({
      size: words.byteLength,
      usage: USAGE.UNIFORM | USAGE.STORAGE | USAGE.COPY_DST,
    });
    device.queue.writeBuffer(buffer, 0, words);
    const layout = device.createBindGroupLayout({
      entries: Array.from({ length: 2 * MAX_DYNAMIC }, (_, binding) => ({
        binding,
        visibility,
        buffer: { type: binding % 2 === 0 ? 'uniform' : 'read-only-storage', hasDynamicOffset: true },
      })),
    });
    const outLayout = device.createBindGroupLayout({
      entries: [{ binding: MOST - 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } }],
    });
    const group = device.createBindGroup({
      layout,
      entries: Array.from({ length: 2 * MAX_DYNAMIC }, (_, binding) => ({
        binding,
        resource: { buffer, offset: ALIGNMENT, size: 16 },
      })),
    });
    const outGroup = device.createBindGroup({
      layout: outLayout,
      entries: [{ binding: MOST - 1, resource: { buffer: out } }],
    });
    const uniformAt = (k: number): number => (MAX_DYNAMIC - k) * ALIGNMENT;
    const storageAt = (k: number): number => k * ALIGNMENT;
    const offsets = Array.from({ length: 2 * MAX_DYNAMIC }, (_, binding) =>
      (binding % 2 === 0 ? uniformAt : storageAt)(binding >> 1)
    );
    device.pushErrorScope('validation');
    const found = await resultOf(
      device,
      stage,
      code,
      device.createPipelineLayout({ bindGroupLayouts: [layout, outLayout] }),
      [[group, offsets], [outGroup]],
      out
    );
    expect((await device.popErrorScope())?.message).toBeUndefined();
    const word = (offset: number, index: number): number => valueOf(2, (ALIGNMENT + offset) / 4 + index);
    expect([...found]).toEqual([
      sumOf(MAX_DYNAMIC, (k) => word(uniformAt(k), 0)),
      sumOf(MAX_DYNAMIC, (k) => word(uniformAt(k), 3)),
      sumOf(MAX_DYNAMIC, (k) => word(storageAt(k), 0)),
      sumOf(MAX_DYNAMIC, (k) => word(storageAt(k), 3)),
    ]);
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

  test.each(Object.keys(STAGES) as Stage[])(
    'bindings of 1 GiB in the %s stage',
    async (stage) => {
      const visibility = STAGES[stage];
      const count = MAX_BYTES / 16;
      const buffer = device.createBuffer({ size: MAX_BYTES, usage: USAGE.UNIFORM | USAGE.STORAGE | USAGE.COPY_DST });
      device.queue.writeBuffer(buffer, MAX_BYTES - 32, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
      const index = device.createBuffer({ size: 16, usage: USAGE.UNIFORM | USAGE.COPY_DST });
      device.queue.writeBuffer(index, 0, Uint32Array.of(count - 1));
      const out = device.createBuffer({ size: 32, usage: USAGE.STORAGE | USAGE.COPY_SRC });
      const code = `
      @group(0) @binding(0) var<uniform> u: array<vec4u, ${count}>;
      @group(0) @binding(1) var<storage, read> b: array<vec4u>;
      @group(0) @binding(2) var<uniform> index: u32;
      fn all() -> vec4u {
        return vec4u(u[${count - 1}].w, u[index].x, b[index - 1].z, arrayLength(&b)) + b[index + 1] * 100;
      }
      ${programs[stage].replace('@group(0)', '@group(1)')}`;
      device.pushErrorScope('validation');
      device.pushErrorScope('out-of-memory');
      const layout = device.createBindGroupLayout({
        entries: (['uniform', 'read-only-storage', 'uniform'] as const).map((type, binding) => ({
          binding,
          visibility,
          buffer: { type },
        })),
      });
      const outLayout = device.createBindGroupLayout({
        entries: [{ binding: MOST - 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } }],
      });
      const group = device.createBindGroup({
        layout,
        entries: [buffer, buffer, index].map((one, binding) => ({ binding, resource: { buffer: one } })),
      });
      const outGroup = device.createBindGroup({
        layout: outLayout,
        entries: [{ binding: MOST - 1, resource: { buffer: out } }],
      });
      const found = await resultOf(
        device,
        stage,
        code,
        device.createPipelineLayout({ bindGroupLayouts: [layout, outLayout] }),
        [[group], [outGroup]],
        out
      );
      expect([await device.popErrorScope(), await device.popErrorScope()]).toEqual([null, null]);
      // An index out of bounds reads the last element.
      expect([...found]).toEqual([8 + 500, 5 + 600, 3 + 700, count + 800]);
      buffer.destroy();
    },
    60_000
  );
});

describe('exceeding a limit by one', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open({ engine: 'jit', threads: 0 });
  });
  afterAll(() => device.destroy());

  const kinds: Readonly<Record<string, Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'>>> = {
    maxStorageBuffersPerShaderStage: { buffer: { type: 'read-only-storage' } },
    maxUniformBuffersPerShaderStage: { buffer: {} },
    maxSampledTexturesPerShaderStage: { texture: {} },
    maxSamplersPerShaderStage: { sampler: {} },
    maxStorageTexturesPerShaderStage: { storageTexture: { access: 'read-only', format: 'r32uint' } },
  };
  test.each(Object.keys(kinds))('%s', async (limit) => {
    const most = raised[limit]!;
    for (const [stage, visibility] of Object.entries(STAGES)) {
      const layoutOf = (count: number): unknown =>
        device.createBindGroupLayout({
          entries: Array.from({ length: count }, (_, binding) => ({ binding, visibility, ...kinds[limit] })),
        });
      expect(await errorOf(device, () => layoutOf(most))).toBe('');
      expect(await errorOf(device, () => layoutOf(most + 1))).toContain(
        `${most + 1} bindings of the ${stage} stage exceed ${limit} ${most}`
      );
    }
  });
  test.each(Object.entries(STAGES))('in an automatic layout of the %s stage', async (stage) => {
    const program = (count: number): string => `
      ${slots(count, (k) => `@group(0) @binding(${k}) var<uniform> uniform_${k}: vec4u;`)}
      @group(1) @binding(${MOST - 1}) var<storage, read_write> last: array<vec4u>;
      fn all() -> vec4u { return ${Array.from({ length: count }, (_, k) => `uniform_${k}`).join(' + ')}; }
      ${programs[stage as Stage].replace(/@group.*;/, '')}`;
    const make = (count: number) => (): unknown => {
      const module = device.createShaderModule({ code: program(count) });
      return stage === 'compute'
        ? device.createComputePipeline({ layout: 'auto', compute: { module } })
        : device.createRenderPipeline({
            layout: 'auto',
            vertex: { module },
            fragment: { module, targets: [{ format: 'rgba32uint' }] },
          });
    };
    expect(await errorOf(device, make(MOST))).toBe('');
    expect(await errorOf(device, make(MOST + 1))).toContain(
      `65 bindings of the ${stage} stage exceed maxUniformBuffersPerShaderStage 64`
    );
  });
  test.each(['uniform', 'storage'] as const)('dynamic offset of a %s buffer', async (kind) => {
    const layoutOf = (count: number): unknown =>
      device.createBindGroupLayout({
        entries: Array.from({ length: count }, (_, binding) => ({
          binding,
          visibility: GPUShaderStage.COMPUTE,
          buffer: { type: kind, hasDynamicOffset: true },
        })),
      });
    expect(await errorOf(device, () => layoutOf(MAX_DYNAMIC))).toBe('');
    expect(await errorOf(device, () => layoutOf(MAX_DYNAMIC + 1))).toMatch(
      /33 dynamic (uniform|storage) buffers exceed maxDynamic(Uniform|Storage)BuffersPerPipelineLayout 32/
    );
  });
  test.each(['uniform', 'storage'] as const)('half the alignment of a %s buffer', async (type) => {
    const buffer = device.createBuffer({ size: 256, usage: USAGE.UNIFORM | USAGE.STORAGE });
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type, hasDynamicOffset: true } }],
    });
    const groupAt = (offset: number): GPUBindGroup =>
      device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer, offset, size: 16 } }] });
    expect(await errorOf(device, () => groupAt(ALIGNMENT))).toBe('');
    expect(await errorOf(device, () => groupAt(ALIGNMENT / 2))).toContain('offset 16 is not a multiple of 32');
    const group = groupAt(0);
    const record = (offset: number) => (): void => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, group, [offset]);
      pass.end();
      encoder.finish();
    };
    expect(await errorOf(device, record(ALIGNMENT))).toBe('');
    expect(await errorOf(device, record(ALIGNMENT / 2))).toContain(
      'dynamic offset 16 of binding 0 is not a multiple of 32'
    );
  });
  test('vertex buffers, attributes and layers', async () => {
    const { maxVertexBuffers: buffers, maxVertexAttributes: attributes, maxTextureArrayLayers: layers } = raised;
    const pipelineOf = (count: number, location: number) => (): unknown => {
      const module = device.createShaderModule({
        code: `
        @vertex fn vs(@location(${location}) a: f32) -> @builtin(position) vec4f { return vec4f(a); }`,
      });
      return device.createRenderPipeline({
        layout: 'auto',
        depthStencil: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: true },
        vertex: {
          module,
          buffers: Array.from({ length: count }, (_, k) => ({
            arrayStride: 4,
            attributes: k > 0 ? [] : [{ shaderLocation: location, offset: 0, format: 'float32' }],
          })),
        },
      });
    };
    expect(await errorOf(device, pipelineOf(buffers!, attributes! - 1))).toBe('');
    expect(await errorOf(device, pipelineOf(buffers! + 1, 0))).toContain('17 buffers exceed maxVertexBuffers 16');
    expect(await errorOf(device, pipelineOf(1, attributes!))).toMatch(/32.*maxVertexAttributes 32/);
    const textureOf = (count: number) => (): unknown =>
      device.createTexture({ size: [1, 1, count], format: 'r8unorm', usage: GPUTextureUsage.TEXTURE_BINDING });
    expect(await errorOf(device, textureOf(layers!))).toBe('');
    expect(await errorOf(device, textureOf(layers! + 1))).toContain('2049 layers exceed maxTextureArrayLayers 2048');
  });
  test('buffer size', async () => {
    expect(await errorOf(device, () => device.createBuffer({ size: MAX_BYTES + 4, usage: USAGE.STORAGE }))).toContain(
      `exceeds the device's maxBufferSize ${MAX_BYTES}`
    );
  });
  test.each([
    ['uniform', 'maxUniformBufferBindingSize', 65552],
    ['storage', 'maxStorageBufferBindingSize', 134217732],
  ] as const)('the size of a %s binding on a device with the default buffer limit', async (type, limit, size) => {
    const some = await open({ threads: 0 }, {});
    const buffer = some.createBuffer({ size, usage: USAGE.UNIFORM | USAGE.STORAGE });
    const layout = some.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type } }],
    });
    const groupOf = (bytes: number): unknown =>
      some.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer, size: bytes } }] });
    expect(await errorOf(some, () => groupOf(defaults[limit]!))).toBe('');
    expect(await errorOf(some, () => groupOf(size))).toContain(`size ${size} exceeds ${limit} ${defaults[limit]}`);
    some.destroy();
  });
});
