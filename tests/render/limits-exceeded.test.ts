import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { USAGE } from '../compute/kit';
import { GPUShaderStage, GPUTextureUsage } from '../support/flags';
import {
  ALIGNMENT,
  MAX_BYTES,
  MAX_DYNAMIC,
  MOST,
  STAGES,
  type Stage,
  defaults,
  open,
  programs,
  raised,
  slots,
} from './limits.kit';

/** Returns the validation error raised by `make`. */
async function errorOf(device: GPUDevice, make: () => unknown): Promise<string> {
  device.pushErrorScope('validation');
  make();
  return (await device.popErrorScope())?.message ?? '';
}

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
