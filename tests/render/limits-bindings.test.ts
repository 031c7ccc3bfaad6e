import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, USAGE } from '../compute/kit';
import { GPUShaderStage, GPUTextureUsage } from '../support/flags';
import {
  ALIGNMENT,
  MAX_BYTES,
  MAX_DYNAMIC,
  MAX_STORAGE_TEXTURES,
  MOST,
  STAGES,
  type Stage,
  open,
  programs,
  resultOf,
  slots,
  sumOf,
  valueOf,
} from './limits.kit';

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

  /** Shared by the stages: the memory of a second one would have been used before, and be cleared. */
  let whole: GPUBuffer | null = null;
  function gibibyte(): GPUBuffer {
    if (whole) return whole;
    whole = device.createBuffer({ size: MAX_BYTES, usage: USAGE.UNIFORM | USAGE.STORAGE | USAGE.COPY_DST });
    device.queue.writeBuffer(whole, MAX_BYTES - 32, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    return whole;
  }

  test.each(Object.keys(STAGES) as Stage[])(
    'bindings of 1 GiB in the %s stage',
    async (stage) => {
      const visibility = STAGES[stage];
      const count = MAX_BYTES / 16;
      device.pushErrorScope('validation');
      device.pushErrorScope('out-of-memory');
      const buffer = gibibyte();
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
    },
    60_000
  );
});
