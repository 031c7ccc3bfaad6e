// Texture view swizzles: samples, gathers and loads of formats of every numeric type, compared with reads of a plain
// view whose channels the test permutes, on every engine. Also the rules of the API.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { apiDevice } from '../api/fake';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';
import { type Name, deviceOf, devices, names } from './swizzle.kit';

afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

const SIZE = 8;
interface Format {
  readonly name: GPUTextureFormat;
  readonly bytes: number;
  readonly kind: 'f32' | 'u32' | 'i32';
}
const formats: readonly Format[] = [
  { name: 'rgba8unorm', bytes: 4, kind: 'f32' },
  { name: 'bgra8unorm', bytes: 4, kind: 'f32' },
  { name: 'rgba8unorm-srgb', bytes: 4, kind: 'f32' },
  { name: 'r8unorm', bytes: 1, kind: 'f32' },
  { name: 'rg8unorm', bytes: 2, kind: 'f32' },
  { name: 'rgba16float', bytes: 8, kind: 'f32' },
  { name: 'r32float', bytes: 4, kind: 'f32' },
  { name: 'rg11b10ufloat', bytes: 4, kind: 'f32' },
  { name: 'rgba8snorm', bytes: 4, kind: 'f32' },
  { name: 'r32uint', bytes: 4, kind: 'u32' },
  { name: 'rgba8uint', bytes: 4, kind: 'u32' },
  { name: 'rg16sint', bytes: 4, kind: 'i32' },
];

/** Reads of two textures, one of them with the view's swizzle; results as words, four per read and pixel. */
const wgsl = ({ kind }: Format): string => {
  const reads = [
    'textureLoad(own, at, 0)',
    'textureLoad(other, at, 1)',
    'textureLoad(own, at + 100, 0)',
    ...(kind === 'f32'
      ? [
          'textureSample(own, s, uv)',
          'textureSampleLevel(other, s, uv * 1.7, 0.4)',
          'textureSampleBias(own, s, uv, -0.3)',
          'textureSample(other, near, uv)',
        ]
      : []),
    ...[0, 1, 2, 3].map((channel) => `textureGather(${channel}, own, near, uv)`),
  ];
  return `
    @group(0) @binding(0) var own: texture_2d<${kind}>;
    @group(0) @binding(1) var other: texture_2d<${kind}>;
    @group(0) @binding(2) var s: sampler;
    @group(0) @binding(3) var near: sampler;
    @group(0) @binding(4) var<storage, read_write> out: array<vec4u>;
    @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
    }
    @fragment fn fragment(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let at = vec2i(p.xy);
      let uv = p.xy / 5.3;
      let to = (u32(at.y) * ${SIZE} + u32(at.x)) * ${reads.length};
      ${kind === 'f32' ? '' : '_ = s;'}
      ${reads.map((read, i) => `let r${i} = ${read};`).join('\n')}
      ${reads.map((_, i) => `out[to + ${i}] = bitcast<vec4u>(r${i});`).join('\n')}
      return vec4f();
    }`;
};
const readsOf = ({ kind }: Format): { readonly count: number; readonly gathers: number } => ({
  count: kind === 'f32' ? 11 : 7,
  gathers: 4,
});

async function read(
  name: Name,
  format: Format,
  texels: Uint8Array<ArrayBuffer>,
  swizzle: string
): Promise<Uint32Array> {
  const device = await deviceOf(name);
  const { count } = readsOf(format);
  device.pushErrorScope('validation');
  const textures = [0, 1].map((n) => {
    const texture = device.createTexture({
      size: [SIZE, SIZE],
      format: format.name,
      mipLevelCount: 2,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    for (let level = 0; level < 2; level++) {
      const size = SIZE >> level;
      device.queue.writeTexture(
        { texture, mipLevel: level },
        texels,
        { offset: (n * 2 + level) * SIZE * SIZE * format.bytes, bytesPerRow: size * format.bytes },
        [size, size]
      );
    }
    return texture;
  });
  const module = device.createShaderModule({ code: wgsl(format) });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const bytes = SIZE * SIZE * count * 16;
  const out = device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const target = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const linear = format.kind === 'f32' ? 'linear' : 'nearest';
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: textures[0]!.createView({ swizzle }) },
      { binding: 1, resource: textures[1]!.createView({ swizzle }) },
      {
        binding: 2,
        resource: device.createSampler({
          magFilter: linear,
          minFilter: linear,
          mipmapFilter: linear,
          addressModeU: 'repeat',
        }),
      },
      { binding: 3, resource: device.createSampler() },
      { binding: 4, resource: { buffer: out } },
    ],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
  encoder.copyBufferToBuffer(out, 0, copy, 0, bytes);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  for (const each of [...textures, out, copy, target]) each.destroy();
  return words;
}

/** The reads of a plain view, permuted. */
function moved(plain: Uint32Array, format: Format, swizzle: string): Uint32Array {
  const { count, gathers } = readsOf(format);
  const one = format.kind === 'f32' ? 0x3f800000 : 1;
  const result = plain.slice();
  const from = [...swizzle].map((channel) => 'rgba01'.indexOf(channel));
  for (let pixel = 0; pixel < SIZE * SIZE; pixel++)
    for (let i = 0; i < count; i++)
      for (let c = 0; c < 4; c++) {
        const at = (pixel * count + i) * 4;
        const gathered = i - (count - gathers);
        const source = from[gathered >= 0 ? gathered : c]!;
        const value = gathered >= 0 ? plain[(pixel * count + count - gathers + source) * 4 + c]! : plain[at + source]!;
        result[at + c] = source === 4 ? 0 : source === 5 ? one : value;
      }
  return result;
}

test.each(formats)('$name', async (format) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 4 * SIZE * SIZE * format.bytes, maxLength: 4 * SIZE * SIZE * format.bytes }),
      fc.array(fc.constantFrom(...'rgba01'), { minLength: 4, maxLength: 4 }).map((channels) => channels.join('')),
      async (bytes, swizzle) => {
        // NaNs and infinities of floats are excluded, because their sums reveal too little.
        const texels = format.name.endsWith('float')
          ? bytes.map((byte, i) => {
              if (format.name === 'rg11b10ufloat') return byte & 0x77;
              return i % (format.name === 'r32float' ? 4 : 2) === (format.name === 'r32float' ? 3 : 1)
                ? byte & 0x3f
                : byte;
            })
          : bytes;
        const plain = await read('compiled', format, texels, 'rgba');
        for (const name of names)
          expect([...(await read(name, format, texels, swizzle))], `${name} ${swizzle}`).toEqual([
            ...moved(plain, format, swizzle),
          ]);
      }
    ),
    {
      numRuns: 6,
      seed: 3,
      examples: [
        [Uint8Array.from({ length: 4 * SIZE * SIZE * format.bytes }, (_, i) => (i * 37 + 11) & 0x77), 'argb'],
        [Uint8Array.from({ length: 4 * SIZE * SIZE * format.bytes }, (_, i) => (i * 53 + 7) & 0x77), 'rrr1'],
      ],
    }
  );
});

describe('validation rules', () => {
  const FEATURE = { requiredFeatures: ['texture-component-swizzle' as GPUFeatureName] };
  const message = async (
    use: (device: GPUDevice) => void,
    o: GPUDeviceDescriptor = FEATURE
  ): Promise<string | null> => {
    const { device } = await apiDevice(o);
    device.pushErrorScope('validation');
    use(device);
    return (await device.popErrorScope())?.message ?? null;
  };
  const make = (device: GPUDevice, usage: number): GPUTexture =>
    device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage });
  test('four characters of rgba01, or a TypeError', async () => {
    for (const swizzle of ['rgb', 'rgbaa', 'rgbx', '', 'RGBA', 'rgb2'])
      await expect(
        message((device) => {
          make(device, 4).createView({ swizzle });
        }),
        swizzle
      ).rejects.toThrow(TypeError);
    expect(
      await message((device) => {
        make(device, 4).createView({ swizzle: '01ra' });
      })
    ).toBeNull();
  });
  test('the feature is required', async () => {
    expect(
      await message((device) => {
        make(device, 4).createView({ swizzle: 'rrr1' });
      }, {})
    ).toMatch(/texture-component-swizzle/);
    expect(
      await message((device) => {
        make(device, 4).createView({ swizzle: 'rgba' });
      }, {})
    ).toBeNull();
  });
  test('attachments, resolve targets and storage textures need the identity swizzle', async () => {
    const pass =
      (swizzle: string, resolve: string | null) =>
      (device: GPUDevice): void => {
        const first = device.createTexture({
          size: [4, 4],
          format: 'rgba8unorm',
          usage: GPUTextureUsage.RENDER_ATTACHMENT,
          sampleCount: resolve === null ? 1 : 4,
        });
        const encoder = device.createCommandEncoder();
        encoder
          .beginRenderPass({
            colorAttachments: [
              {
                view: first.createView({ swizzle }),
                loadOp: 'clear',
                storeOp: 'store',
                ...(resolve !== null && { resolveTarget: make(device, 16).createView({ swizzle: resolve }) }),
              },
            ],
          })
          .end();
        encoder.finish();
      };
    expect(await message(pass('bgra', null))).toMatch(/has swizzle "bgra"/);
    expect(await message(pass('rgba', null))).toBeNull();
    expect(await message(pass('rgba', 'rgb1'))).toMatch(/resolveTarget.*has swizzle "rgb1"/);
    expect(await message(pass('rgba', 'rgba'))).toBeNull();
    const bind =
      (swizzle: string, storage: boolean) =>
      (device: GPUDevice): void => {
        device.createBindGroup({
          layout: device.createBindGroupLayout({
            entries: [
              {
                binding: 0,
                visibility: GPUShaderStage.COMPUTE,
                ...(storage ? { storageTexture: { format: 'rgba8unorm' } } : { texture: {} }),
              },
            ],
          }),
          entries: [{ binding: 0, resource: make(device, 4 | 8).createView({ swizzle }) }],
        });
      };
    expect(await message(bind('rgb0', true))).toMatch(/binding 0.*has swizzle "rgb0"/);
    expect(await message(bind('rgba', true))).toBeNull();
    expect(await message(bind('rgb0', false))).toBeNull();
  });
});
