// Multisampled surfaces in compressed form, compared with a texel per sample: random triangles in several passes.
import { open } from '../robustness/kit';
import { Dice } from './dice';
import type { Target } from './target';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { firstDifference } from '../support/first-difference';

const CODE = `
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: vec4f }
  @vertex fn vs(@location(0) p: vec4f, @location(1) c: vec4f) -> V { return V(p, c); }
  @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }`;
const SIDE = 100;
const FACTORS: readonly GPUBlendFactor[] = ['zero', 'one', 'src-alpha', 'one-minus-src-alpha', 'dst'];

async function picture(device: GPUDevice, dice: Dice): Promise<Uint8Array> {
  const format = dice.pick<GPUTextureFormat>(['rgba8unorm', 'rgba16float', 'r8unorm', 'bgra8unorm-srgb']);
  const size = [1 + dice.below(SIDE), 1 + dice.below(SIDE)];
  const module = device.createShaderModule({ code: CODE });
  const many = device.createTexture({ size, format, sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT });
  const one = device.createTexture({
    size,
    format,
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  for (let passes = 1 + dice.below(4); passes > 0; passes--) {
    const part = (): GPUBlendComponent => ({ srcFactor: dice.pick(FACTORS), dstFactor: dice.pick(FACTORS) });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 32,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x4' },
              { shaderLocation: 1, offset: 16, format: 'float32x4' },
            ],
          },
        ],
      },
      fragment: { module, targets: [{ format, ...(dice.chance(0.5) && { blend: { color: part(), alpha: part() } }) }] },
      multisample: { count: 4, mask: dice.chance(0.6) ? 0xffffffff : dice.below(16) },
    });
    const count = 3 * (1 + dice.below(20));
    const data = new Float32Array(count * 8);
    for (let i = 0; i < count; i++)
      data.set(
        [
          dice.fraction() * 3 - 1.5,
          dice.fraction() * 3 - 1.5,
          0.5,
          1,
          dice.below(5) / 4,
          dice.below(5) / 4,
          dice.fraction(),
          dice.below(5) / 4,
        ],
        i * 8
      );
    const buffer = device.createBuffer({
      size: data.byteLength,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.VERTEX,
    });
    device.queue.writeBuffer(buffer, 0, data);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        {
          view: many.createView(),
          resolveTarget: one.createView(),
          loadOp: dice.chance(0.7) ? 'load' : 'clear',
          storeOp: dice.chance(0.9) ? 'store' : 'discard',
          clearValue: [dice.fraction(), 0, 0.5, 1],
        },
      ],
    });
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, buffer);
    if (dice.chance(0.4)) pass.setScissorRect(0, 0, dice.below(size[0]! + 1), dice.below(size[1]! + 1));
    pass.draw(count);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  const bytesPerRow = 1024;
  const read = device.createBuffer({
    size: bytesPerRow * size[1]!,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: one }, { buffer: read, bytesPerRow }, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(read.getMappedRange()).slice();
  for (const each of [many, one, read]) each.destroy();
  return pixels;
}

export const surfaces: Target = {
  what: 'multisampled surfaces of random triangles',
  maxAttemptMs: 10_000,
  reopenAfter: 200,
  async open() {
    const byContent = await open();
    const plain = await open({ surfaceEncoding: false });
    return async (seed) => {
      const [a, b] = [await picture(byContent.device, new Dice(seed)), await picture(plain.device, new Dice(seed))];
      const [told] = [...byContent.uncaptured, ...plain.uncaptured];
      if (told !== undefined) return told;
      const at = firstDifference(a, b);
      return at < 0 ? null : `other bits at byte ${at}`;
    };
  },
};
