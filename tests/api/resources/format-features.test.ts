// Formats and the features that extend them: drawing, blending, resolving, filtering and copying, and the errors on
// devices without a feature.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreateOptions } from '../../support/options';
import { GPUBufferUsage, GPUMapMode } from '../../support/flags';
import { USAGE, VERTEX, open } from './format-features.kit';

const ALL = [
  'depth32float-stencil8',
  'rg11b10ufloat-renderable',
  'float32-filterable',
  'float32-blendable',
  'texture-formats-tier2',
  'bgra8unorm-storage',
];
const engines: Record<string, CreateOptions> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 2 },
  scalar: { simd: false, threads: 0 },
};

/** Reads channels of texels, for formats that features make renderable. */
const decoders: Record<
  string,
  { bytes: number; channels: number; read: (view: DataView, at: number, c: number) => number; step: number }
> = {
  ...Object.fromEntries(
    ['r', 'rg', 'rgba'].flatMap((prefix) => [
      [
        `${prefix}8snorm`,
        {
          bytes: prefix.length,
          channels: prefix.length,
          step: 1 / 127,
          read: (v: DataView, at: number, c: number) => Math.max(-1, v.getInt8(at + c) / 127),
        },
      ],
      [
        `${prefix}16unorm`,
        {
          bytes: prefix.length * 2,
          channels: prefix.length,
          step: 1 / 65535,
          read: (v: DataView, at: number, c: number) => v.getUint16(at + 2 * c, true) / 65535,
        },
      ],
      [
        `${prefix}16snorm`,
        {
          bytes: prefix.length * 2,
          channels: prefix.length,
          step: 1 / 32767,
          read: (v: DataView, at: number, c: number) => Math.max(-1, v.getInt16(at + 2 * c, true) / 32767),
        },
      ],
    ])
  ),
  rg11b10ufloat: {
    bytes: 4,
    channels: 3,
    step: 1 / 32,
    read: (v, at, c) => {
      const bits = (v.getUint32(at, true) >>> [0, 11, 22][c]!) & (c === 2 ? 0x3ff : 0x7ff);
      const m = c === 2 ? 5 : 6;
      return (1 + (bits & ((1 << m) - 1)) / (1 << m)) * 2 ** ((bits >> m) - 15) * (bits >> m > 0 ? 1 : 0);
    },
  },
  r32float: { bytes: 4, channels: 1, step: 1e-6, read: (v, at) => v.getFloat32(at, true) },
  rg32float: { bytes: 8, channels: 2, step: 1e-6, read: (v, at, c) => v.getFloat32(at + 4 * c, true) },
  rgba32float: { bytes: 16, channels: 4, step: 1e-6, read: (v, at, c) => v.getFloat32(at + 4 * c, true) },
};

describe('with the features', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options, ALL)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));

  async function bytesOf(
    device: GPUDevice,
    texture: GPUTexture,
    texelBytes: number,
    aspect: GPUTextureAspect = 'all'
  ): Promise<DataView> {
    const buffer = device.createBuffer({ size: 256 * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture, aspect }, { buffer, bytesPerRow: 256 }, [4, 4]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const all = new Uint8Array(buffer.getMappedRange());
    return new DataView(
      Uint8Array.from([0, 1, 2, 3].flatMap((y) => [...all.subarray(y * 256, y * 256 + 4 * texelBytes)])).buffer
    );
  }
  async function byAll(run: (device: GPUDevice) => Promise<DataView>): Promise<DataView> {
    const [first, ...others] = await Promise.all(
      devices.map(async (device) => {
        device.pushErrorScope('validation');
        const found = await run(device);
        expect((await device.popErrorScope())?.message).toBeUndefined();
        return found;
      })
    );
    for (const other of others) expect(new Uint8Array(other.buffer)).toEqual(new Uint8Array(first!.buffer));
    return first!;
  }

  test.each(Object.keys(decoders))('%s: cleared, drawn and blended', async (format) => {
    const { bytes, channels, read, step } = decoders[format]!;
    const found = await byAll(async (device) => {
      const texture = device.createTexture({
        size: [4, 4],
        format: format as GPUTextureFormat,
        usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
      });
      const module = device.createShaderModule({
        code: `${VERTEX}
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(0.5, 0.25, 0.75, 0.5); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: {
          module,
          targets: [
            {
              format: format as GPUTextureFormat,
              blend: {
                color: { srcFactor: 'src-alpha', dstFactor: 'one' },
                alpha: { srcFactor: 'zero', dstFactor: 'one' },
              },
            },
          ],
        },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: texture.createView(), clearValue: [0.25, 0.5, 0.125, 0.75], loadOp: 'clear', storeOp: 'store' },
        ],
      });
      pass.setPipeline(pipeline);
      pass.setScissorRect(2, 0, 2, 4);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, texture, bytes);
    });
    for (let i = 0; i < 16; i++)
      for (let c = 0; c < channels; c++) {
        const want = (i % 4 < 2 ? [0.25, 0.5, 0.125, 0.75] : [0.5, 0.625, 0.5, 0.75])[c]!;
        expect(Math.abs(read(found, i * bytes, c) - want)).toBeLessThanOrEqual(step);
      }
  });

  test.each(['r8snorm', 'rg8snorm', 'rgba8snorm', 'rg11b10ufloat'])('%s: four samples, resolved', async (format) => {
    const { bytes, channels, read, step } = decoders[format]!;
    const found = await byAll(async (device) => {
      const make = (sampleCount: number): GPUTexture =>
        device.createTexture({
          size: [4, 4],
          sampleCount,
          format: format as GPUTextureFormat,
          usage: USAGE.ATTACHMENT | (sampleCount === 1 ? USAGE.COPY_SRC : 0),
        });
      const target = make(1);
      const samples = make(4);
      const module = device.createShaderModule({
        code: `${VERTEX}
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0.5, 0.75, 1); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        multisample: { count: 4, mask: 3 },
        fragment: { module, targets: [{ format: format as GPUTextureFormat }] },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: samples.createView(), resolveTarget: target.createView(), loadOp: 'clear', storeOp: 'discard' },
        ],
      });
      pass.setPipeline(pipeline);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, target, bytes);
    });
    for (let i = 0; i < 16; i++)
      for (let c = 0; c < channels; c++)
        expect(Math.abs(read(found, i * bytes, c) - [0.5, 0.25, 0.375, 0.5][c]!)).toBeLessThanOrEqual(step);
  });

  test('depth32float-stencil8: both aspects are drawn, copied and read', async () => {
    for (const aspect of ['depth-only', 'stencil-only'] as const) {
      const found = await byAll(async (device) => {
        const make = (): GPUTexture =>
          device.createTexture({
            size: [4, 4],
            format: 'depth32float-stencil8',
            usage: USAGE.ATTACHMENT | USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
          });
        const a = make();
        const b = make();
        const module = device.createShaderModule({ code: VERTEX });
        const pipeline = device.createRenderPipeline({
          layout: 'auto',
          vertex: { module },
          depthStencil: {
            format: 'depth32float-stencil8',
            depthWriteEnabled: true,
            depthCompare: 'less',
            stencilFront: { passOp: 'replace' },
            stencilBack: { passOp: 'replace' },
          },
        });
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [],
          depthStencilAttachment: {
            view: a.createView(),
            depthLoadOp: 'clear',
            depthStoreOp: 'store',
            depthClearValue: 0.7,
            stencilLoadOp: 'clear',
            stencilStoreOp: 'store',
            stencilClearValue: 9,
          },
        });
        pass.setPipeline(pipeline);
        pass.setStencilReference(77);
        pass.setScissorRect(0, 0, 4, 2);
        pass.draw(3);
        pass.end();
        encoder.copyTextureToTexture({ texture: a }, { texture: b }, [4, 4]);
        device.queue.submit([encoder.finish()]);
        return bytesOf(device, b, aspect === 'depth-only' ? 4 : 1, aspect);
      });
      for (let i = 0; i < 16; i++)
        if (aspect === 'depth-only') expect(found.getFloat32(i * 4, true)).toBe(Math.fround(i < 8 ? 0.25 : 0.7));
        else expect(found.getUint8(i)).toBe(i < 8 ? 77 : 9);
    }
  });

  test.each(['r32float', 'rg32float', 'rgba32float'] as const)('%s is filtered', async (format) => {
    const channels = decoders[format]!.channels;
    const found = await byAll(async (device) => {
      const texture = device.createTexture({ size: [2, 1], format, usage: USAGE.SAMPLED | USAGE.COPY_DST });
      device.queue.writeTexture(
        { texture },
        Float32Array.from({ length: 2 * channels }, (_, i) => (i < channels ? i : i * 3)),
        {},
        [2, 1]
      );
      const target = device.createTexture({
        size: [4, 4],
        format: 'rgba32float',
        usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
      });
      const module = device.createShaderModule({
        code: `${VERTEX}
        @group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureSample(t, s,
          p.xy / 4); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba32float' }] },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: texture.createView() },
            { binding: 1, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
          ],
        })
      );
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, target, 16);
    });
    for (let x = 0; x < 4; x++)
      for (let c = 0; c < channels; c++) {
        const t = [0, 0.25, 0.75, 1][x]!;
        expect(found.getFloat32(x * 16 + c * 4, true)).toBeCloseTo(c * (1 - t) + (channels + c) * 3 * t, 5);
      }
  });
});
