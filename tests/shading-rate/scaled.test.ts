// A picture at a coarse rate whose coarse pixels are all fully covered equals a smaller picture at 1x1, enlarged.
// Shaders get the same inputs for a coarse pixel as for a pixel of that size: positions, depths, perspective varyings,
// derivatives and texture levels.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShadingRateCommands, StatisticsDevice } from '../../src/index';
import { halfValueOf } from '../wgsl-accuracy/halves';
import { engines, open } from './kit';
import { RATES, sizeOf, type Rate } from './rates';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

const WIDTH = 128;
const HEIGHT = 64;
const PARTS = ['position', 'varyings', 'derivatives', 'texture'] as const;
const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
/** Two triangles, one in front of the other, that cover everything, with sloped perspective planes. */
const CODE = `
  override width = ${WIDTH}.0; override height = ${HEIGHT}.0;
  struct V {
    @builtin(position) p: vec4f, @location(0) smoothed: vec4f, @location(1) @interpolate(linear) linear: vec2f,
    @location(2) @interpolate(flat) first: u32, @location(3) @interpolate(linear, centroid) centroid: vec2f,
    @location(4) @interpolate(perspective, centroid) deep: vec2f,
  }
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> V {
    let x = f32(i & 1) * 8 - 2;
    let y = f32(i >> 1) * 8 - 2;
    let w = 1 + f32(i) * 0.5;
    return V(
      vec4f(x * w, y * w, (0.25 + 0.125 * f32(i)) * w, w), vec4f(x, y, f32(i), x * y), vec2f(y, x), i + k,
      vec2f(x, y), vec2f(y, x)
    );
  }
  @group(0) @binding(0) var image: texture_2d<f32>;
  @group(0) @binding(1) var smoothly: sampler;
  @fragment fn position(v: V, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
    return vec4f(v.p.x / width * 16, v.p.y / height * 16, v.p.z, v.p.w * select(2.0, 1.0, facing));
  }
  @fragment fn varyings(v: V) -> @location(0) vec4f {
    return v.smoothed + vec4f(v.linear + v.centroid, f32(v.first), v.deep.x);
  }
  @fragment fn derivatives(v: V) -> @location(0) vec4f {
    return vec4f(dpdx(v.smoothed.x) + dpdy(v.linear.y), dpdy(v.smoothed.y), fwidth(v.smoothed.w), dpdx(v.p.z));
  }
  @fragment fn texture(v: V) -> @location(0) vec4f {
    return textureSample(image, smoothly, v.smoothed.xy * 0.5) + textureSample(image, smoothly, v.linear * 4);
  }`;

describe.each(['compiled', 'interpreted', 'compiled, two workers', 'the scalar kernel'])('%s', (name) => {
  let device: StatisticsDevice;
  let image: GPUTexture;
  beforeAll(async () => {
    device = await open(engines[name]!);
    image = device.createTexture({
      size: [64, 64],
      mipLevelCount: 7,
      format: 'rgba8unorm',
      usage: USAGE.SAMPLED | USAGE.COPY_DST,
    });
    for (let level = 0, size = 64; level < 7; level++, size /= 2) {
      const texels = Uint8Array.from({ length: size * size * 4 }, (_, i) => (i * 37 + level * 91 + (i >> 6) * 5) & 255);
      device.queue.writeTexture({ texture: image, mipLevel: level }, texels, { bytesPerRow: size * 4 }, [size, size]);
    }
  });
  afterAll(() => device.destroy());

  async function drawn(
    part: (typeof PARTS)[number],
    width: number,
    height: number,
    samples: number,
    rate: Rate
  ): Promise<Float32Array> {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: CODE });
    const format = 'rgba16float';
    const size = [width, height];
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      primitive: { topology: 'triangle-strip' },
      multisample: { count: samples },
      fragment: {
        module,
        entryPoint: part,
        targets: [{ format }],
        ...(part === 'position' && { constants: { width, height } }),
      },
    });
    const resolved = device.createTexture({ size, format, usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
    const view = device.createTexture({ size, format, usage: USAGE.ATTACHMENT, sampleCount: samples });
    const attachment = samples > 1 ? { view, resolveTarget: resolved } : { view: resolved };
    const bytesPerRow = Math.ceil((width * 8) / 256) * 256;
    const buffer = device.createBuffer({
      size: bytesPerRow * height,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ ...attachment, loadOp: 'clear', storeOp: 'store' }],
    }) as GPURenderPassEncoder & ShadingRateCommands;
    pass.setPipeline(pipeline);
    if (part === 'texture')
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: image.createView() },
            {
              binding: 1,
              resource: device.createSampler({
                magFilter: 'linear',
                minFilter: 'linear',
                mipmapFilter: 'linear',
                addressModeU: 'repeat',
                addressModeV: 'mirror-repeat',
              }),
            },
          ],
        })
      );
    pass.setShadingRate(rate);
    pass.draw(4, 2);
    pass.end();
    encoder.copyTextureToBuffer({ texture: resolved }, { buffer, bytesPerRow }, size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await buffer.mapAsync(GPUMapMode.READ);
    const bytes = new DataView(buffer.getMappedRange());
    return Float32Array.from({ length: width * height * 4 }, (_, i) =>
      halfValueOf(bytes.getUint16(Math.floor(i / 4 / width) * bytesPerRow + (i % (width * 4)) * 2, true))
    );
  }

  describe.each(PARTS)('%s', (part) => {
    test.each([1, 4, 8])('at %d samples', async (samples) => {
      for (const rate of RATES) {
        const [width, height] = sizeOf(rate);
        const found = await drawn(part, WIDTH, HEIGHT, samples, rate);
        const small = await drawn(part, WIDTH / width, HEIGHT / height, samples, '1x1');
        const wanted = found.map((_, i) => {
          const x = Math.floor(i / 4) % WIDTH;
          const y = Math.floor(i / 4 / WIDTH);
          return small[((Math.floor(y / height) * WIDTH) / width + Math.floor(x / width)) * 4 + (i % 4)]!;
        });
        const at = found.findIndex((value, i) => Math.abs(value - wanted[i]!) > 2e-3 * (1 + Math.abs(wanted[i]!)));
        expect({ rate, at, value: found[at] }).toEqual({ rate, at: -1, value: undefined });
      }
    });
  });
});
