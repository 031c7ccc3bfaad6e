// External textures: a snapshot of an image at its import, sampled and loaded like a texture with the same texels.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, open } from '../storage-programs/kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const SIDE = 16;
const WIDTH = 6;
const HEIGHT = 5;
const wgsl = (type: string, level: string): string => `
  @group(0) @binding(0) var image: ${type};
  @group(0) @binding(1) var smooth_: sampler;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0.5, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let at = vec2u(p.xy);
    if (at.y == 0) { return vec4f(vec2f(textureDimensions(image)) / 255, 0, 1); }
    if (at.y < 6) { return textureLoad(image, at - vec2u(0, 1)${level}); }
    return textureSampleBaseClampToEdge(image, smooth_, p.xy / ${SIDE} * 1.2 - 0.1);
  }`;

describe('external textures', () => {
  let devices: (readonly [string, GPUDevice])[];
  beforeAll(async () => {
    devices = await Promise.all(Object.entries(engines).map(async ([name, o]) => [name, await open(o)] as const));
  });
  afterAll(() => devices.forEach(([, device]) => device.destroy()));

  const picture = (alpha: number): { data: Uint8ClampedArray; width: number; height: number } => ({
    data: Uint8ClampedArray.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => (i % 4 === 3 ? alpha : (i * 53) % 256)),
    width: WIDTH,
    height: HEIGHT,
  });

  async function draw(device: GPUDevice, type: string, level: string, image: unknown): Promise<number[]> {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: wgsl(type, level) });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const target = device.createTexture({
      size: [SIDE, SIDE],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: image as GPUBindingResource },
          { binding: 1, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
        ],
      })
    );
    pass.draw(3);
    pass.end();
    const buffer = device.createBuffer({ size: 256 * SIDE, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: 256 }, [SIDE, SIDE]);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(buffer.getMappedRange());
    return Array.from({ length: SIDE }, (_, y) => [...rows.subarray(y * 256, y * 256 + SIDE * 4)]).flat();
  }
  const importImage = (device: GPUDevice, source: unknown): GPUExternalTexture =>
    device.importExternalTexture({ source } as unknown as GPUExternalTextureDescriptor);
  function texture(device: GPUDevice, { data, width, height }: ReturnType<typeof picture>): GPUTexture {
    const made = device.createTexture({
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture: made }, Uint8Array.from(data), { bytesPerRow: width * 4 }, [width, height]);
    return made;
  }

  test('are read like a texture with the same texels by all engines', async () => {
    const image = picture(255);
    const all = await Promise.all(
      devices.map(
        async ([name, device]) =>
          [
            name,
            await draw(device, 'texture_external', '', importImage(device, image)),
            await draw(device, 'texture_2d<f32>', ', 0', texture(device, image).createView()),
          ] as const
      )
    );
    for (const [name, external, plain] of all) expect([name, external]).toEqual([name, plain]);
    for (const [name, external] of all) expect([name, external]).toEqual([name, all[0]![1]]);
    expect(all[0]![1].slice(0, 4)).toEqual([WIDTH, HEIGHT, 0, 255]);
    expect(all[0]![1].slice(SIDE * 4, SIDE * 4 + 8)).toEqual([...image.data.subarray(0, 8)]);
  });

  test('keep the image as of its import, with premultiplied colors', async () => {
    const [, device] = devices[0]!;
    const image = picture(51);
    const before = Uint8ClampedArray.from(image.data);
    const imported = importImage(device, image);
    image.data.fill(0);
    const found = await draw(device, 'texture_external', '', imported);
    const expected = [...before.subarray(0, 3)].map((x) => Math.round(x / 5));
    expect(found.slice(SIDE * 4, SIDE * 4 + 4)).toEqual([...expected, 51]);
  });

  test('accept a texture view instead', async () => {
    const [, device] = devices[0]!;
    const view = texture(device, picture(255)).createView();
    expect(await draw(device, 'texture_external', '', view)).toEqual(
      await draw(device, 'texture_2d<f32>', ', 0', view)
    );
    const array = device
      .createTexture({ size: [4, 4], format: 'rgba8unorm', mipLevelCount: 2, usage: GPUTextureUsage.TEXTURE_BINDING })
      .createView();
    await expect(draw(device, 'texture_external', '', array)).rejects.toThrow(
      /a view for an external texture must have dimension "2d"/
    );
    await expect(draw(device, 'texture_2d<f32>', ', 0', importImage(device, picture(255)))).rejects.toThrow(
      /the layout wants a texture, not \[ExternalTexture/
    );
  });

  test('anything that is not an image is a TypeError', () => {
    const [, device] = devices[0]!;
    expect(() => importImage(device, {})).toThrow(/descriptor\.source is not an image/);
  });
});
