// GPUCanvasContext, with a renderer that draws nothing and canvases that keep what they present.
import { describe, expect, test } from 'vitest';
import { CanvasContextCore, contextObject, frames, type Picture, type Surface } from '../../src/api';
import { apiDevice, classes, validationError } from './fake';
import { GPUTextureUsage } from '../support/flags';

/** A canvas with only a size, which ends its frames when the test says so. */
class TestSurface implements Surface {
  readonly canvas = {};
  readonly shown: (Picture | null)[] = [];
  #ended: (() => void)[] = [];
  constructor(
    public width: number,
    public height: number
  ) {}
  sizes = 0;
  cleared(): void {
    this.sizes++;
  }
  frameBegan(ended: () => void): void {
    this.#ended.push(ended);
  }
  endFrame(): void {
    for (const ended of this.#ended.splice(0)) ended();
  }
  show(picture: Picture | null): void {
    this.shown.push(picture);
  }
}

function open(width = 8, height = 4): { surface: TestSurface; context: GPUCanvasContext } {
  const surface = new TestSurface(width, height);
  return { surface, context: contextObject(new CanvasContextCore(surface)) as GPUCanvasContext };
}

/** A pass that clears the texture. */
function clear(device: GPUDevice, texture: GPUTexture): GPUCommandBuffer {
  const encoder = device.createCommandEncoder();
  encoder.beginRenderPass({ colorAttachments: [{ view: texture, loadOp: 'clear', storeOp: 'store' }] }).end();
  return encoder.finish();
}

describe('GPUCanvasContext', () => {
  test('is a class, and has its canvas', () => {
    const { surface, context } = open();
    expect(context).toBeInstanceOf(classes['GPUCanvasContext']);
    expect(Object.prototype.toString.call(context)).toBe('[object GPUCanvasContext]');
    expect(context.canvas).toBe(surface.canvas);
    expect(() => new (classes['GPUCanvasContext'] as unknown as new () => object)()).toThrow('Illegal constructor');
  });

  test('returns its configuration with defaults, as a new object', async () => {
    const { device } = await apiDevice();
    const { context } = open();
    expect(context.getConfiguration()).toBe(null);
    context.configure({ device, format: 'bgra8unorm' });
    expect(context.getConfiguration()).toEqual({
      device,
      format: 'bgra8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      viewFormats: [],
      colorSpace: 'srgb',
      toneMapping: { mode: 'standard' },
      alphaMode: 'opaque',
    });
    expect(context.getConfiguration()!.device).toBe(device);
    context.configure({
      device,
      format: 'rgba16float',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      viewFormats: ['rgba16float'],
      colorSpace: 'display-p3',
      toneMapping: { mode: 'extended' },
      alphaMode: 'premultiplied',
    });
    expect(context.getConfiguration()).toEqual({
      device,
      format: 'rgba16float',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      viewFormats: ['rgba16float'],
      colorSpace: 'display-p3',
      toneMapping: { mode: 'extended' },
      alphaMode: 'premultiplied',
    });
    expect(context.getConfiguration()).not.toBe(context.getConfiguration());
    context.unconfigure();
    expect(context.getConfiguration()).toBe(null);
  });

  test('accepts only canvas formats and valid dictionary members', async () => {
    const { device } = await apiDevice();
    const { context } = open();
    const configure =
      (more: object): (() => void) =>
      () =>
        context.configure({ device, format: 'rgba8unorm', ...more } as GPUCanvasConfiguration);
    expect(configure({ format: 'rgba8unorm-srgb' })).toThrow(
      new RegExp(
        /^configure: configuration.format: a canvas format must be one of bgra8unorm, rgba8unorm, /.source
          + /rgba16float, not rgba8unorm-srgb;/.source
      )
    );
    expect(configure({ format: 'r8unorm' })).toThrow(TypeError);
    expect(configure({ format: 'bc1-rgba-unorm' })).toThrow(TypeError);
    expect(configure({ viewFormats: ['bc1-rgba-unorm'] })).toThrow(TypeError);
    expect(configure({ device: {} })).toThrow(/^configure: configuration.device must be a GPUDevice$/);
    expect(configure({ device: undefined })).toThrow(TypeError);
    expect(configure({ alphaMode: 'straight' })).toThrow(TypeError);
    expect(configure({ usage: 0x30 })).toThrow(
      /^configure: configuration.usage: a canvas cannot have TRANSIENT_ATTACHMENT/
    );
    expect(configure({ colorSpace: 'rec2020' })).toThrow(TypeError);
    expect(configure({ toneMapping: { mode: 'hdr' } })).toThrow(TypeError);
    expect(() => (context as unknown as { configure(): void }).configure()).toThrow(TypeError);
    expect(context.getConfiguration()).toBe(null);
  });

  test('reports invalid texture descriptors at configuration and for each texture', async () => {
    const { device } = await apiDevice();
    const wrong: [Partial<GPUCanvasConfiguration>, number, RegExp][] = [
      [{ viewFormats: ['bgra8unorm-srgb'] }, 8, /bgra8unorm-srgb must be rgba8unorm with or without sRGB/],
      [{ usage: 0 }, 8, /usage is 0/],
      [{}, 0, /size 0×4/],
      [{}, 100_000, /exceeds maxTextureDimension2D/],
    ];
    for (const [more, width, message] of wrong) {
      const { context } = open(width);
      const configure = (): void => context.configure({ device, format: 'rgba8unorm', ...more });
      expect(await validationError(device, configure)).toMatch(message);
      expect(context.getConfiguration()).not.toBe(null);
      expect(await validationError(device, () => context.getCurrentTexture())).toMatch(message);
    }
  });

  test('throws an InvalidStateError if it is not configured', async () => {
    const { device } = await apiDevice();
    const { context } = open();
    const take = (): unknown => context.getCurrentTexture();
    expect(take).toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error);
    context.configure({ device, format: 'rgba8unorm' });
    expect(take).not.toThrow();
    context.unconfigure();
    expect(take).toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error);
  });

  test('returns one texture per frame, as configured', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open(8, 4);
    context.configure({
      device,
      format: 'bgra8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      viewFormats: ['bgra8unorm-srgb'],
    });
    const texture = context.getCurrentTexture();
    expect(texture).toBeInstanceOf(classes['GPUTexture']);
    const { width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage, label } = texture;
    expect({ width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage, label }).toEqual({
      width: 8,
      height: 4,
      depthOrArrayLayers: 1,
      mipLevelCount: 1,
      sampleCount: 1,
      dimension: '2d',
      format: 'bgra8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      label: '',
    });
    expect(await validationError(device, () => texture.createView({ format: 'bgra8unorm-srgb' }))).toBe(null);
    expect(context.getCurrentTexture()).toBe(texture);
    surface.endFrame();
    expect(context.getCurrentTexture()).not.toBe(texture);
    await device.queue.onSubmittedWorkDone();
  });

  test('accepts a lost device, whose textures are invalid', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    device.destroy();
    context.configure({ device, format: 'rgba8unorm' });
    expect(context.getCurrentTexture()).toBeInstanceOf(classes['GPUTexture']);
    surface.endFrame();
    expect([surface.shown, frames.pendingFrames]).toEqual([[], 0]);
  });
});

describe('canvas textures', () => {
  test('expire with their frame', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm' });
    const late = clear(device, context.getCurrentTexture());
    const inTime = clear(device, context.getCurrentTexture());
    expect(await validationError(device, () => device.queue.submit([inTime]))).toBe(null);
    surface.endFrame();
    expect(await validationError(device, () => device.queue.submit([late]))).toMatch(
      /uses \[Texture \(unlabeled\)\], which has expired with its frame: call getCurrentTexture\(\) for each frame$/
    );
  });

  for (const [what, act] of [
    ['configure', ({ context, device }) => context.configure({ device, format: 'rgba8unorm' })],
    ['unconfigure', ({ context }) => context.unconfigure()],
    [
      'another size',
      ({ surface, context }) => {
        surface.width = 5;
        context.getCurrentTexture();
      },
    ],
  ] as [string, (c: { context: GPUCanvasContext; device: GPUDevice; surface: TestSurface }) => void][])
    test(`expire by ${what}, without being presented`, async () => {
      const { device, fake } = await apiDevice();
      const { surface, context } = open();
      context.configure({ device, format: 'rgba8unorm' });
      await device.queue.onSubmittedWorkDone();
      const alive = fake.alive;
      const texture = context.getCurrentTexture();
      const commands = clear(device, texture);
      act({ context, device, surface });
      expect(await validationError(device, () => device.queue.submit([commands]))).toMatch(/expired/);
      await device.queue.onSubmittedWorkDone();
      expect([surface.sizes, surface.shown]).toEqual(what === 'another size' ? [2, []] : [1, [null]]);
      expect(fake.alive - alive).toBe(what === 'another size' ? 1 : 0);
      if (what !== 'another size') return;
      const { width, height } = context.getCurrentTexture();
      expect([width, height]).toEqual([5, 4]);
    });

  test('that replace others keep the presented picture until they are presented', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    const configuration = { device, format: 'rgba8unorm' } as const;
    context.configure(configuration);
    await device.queue.onSubmittedWorkDone();
    surface.shown.length = 0;
    for (let frame = 0; frame < 3; frame++) {
      context.configure(configuration);
      context.configure(configuration);
      device.queue.submit([clear(device, context.getCurrentTexture())]);
      surface.endFrame();
    }
    await device.queue.onSubmittedWorkDone();
    expect([surface.shown.map((picture) => picture !== null), surface.sizes]).toEqual([[true, true, true], 3]);
    context.configure(configuration);
    await device.queue.onSubmittedWorkDone();
    expect(surface.shown.at(-1)).toBe(null);
  });

  test('are presented after the work submitted for them, and live until they are released', async () => {
    const { device, fake } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm', alphaMode: 'premultiplied', colorSpace: 'display-p3' });
    await device.queue.onSubmittedWorkDone();
    const alive = fake.alive;
    const before = surface.shown.length;
    fake.runPass = () => ({
      step: () => {
        expect(surface.shown.length).toBe(before);
        return true;
      },
    });
    device.queue.submit([clear(device, context.getCurrentTexture())]);
    surface.endFrame();
    expect([frames.pendingFrames, surface.shown.length]).toEqual([1, before]);
    await device.queue.onSubmittedWorkDone();
    const picture = surface.shown.at(-1)!;
    expect([picture.width, picture.height, picture.colorSpace, picture.opaque]).toEqual([8, 4, 'display-p3', false]);
    expect([frames.pendingFrames, fake.alive]).toEqual([0, alive + 1]);
    picture.release();
    picture.release();
    expect(fake.alive).toBe(alive);
  });

  test('destroyed by the application are not presented', async () => {
    const { device, fake } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm' });
    await device.queue.onSubmittedWorkDone();
    const alive = fake.alive;
    const before = surface.shown.length;
    context.getCurrentTexture().destroy();
    surface.endFrame();
    await device.queue.onSubmittedWorkDone();
    expect([surface.shown.length, fake.alive, frames.pendingFrames]).toEqual([before, alive, 0]);
  });

  test('without any drawing are presented', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm' });
    context.getCurrentTexture();
    surface.endFrame();
    await device.queue.onSubmittedWorkDone();
    expect(surface.shown.at(-1)).not.toBe(null);
  });

  test('are dropped with their device', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm' });
    context.getCurrentTexture();
    surface.endFrame();
    expect(frames.pendingFrames).toBe(1);
    device.destroy();
    expect([frames.pendingFrames, surface.shown.filter((picture) => picture !== null)]).toEqual([0, []]);
  });

  test('of a third frame block the call until the first is presented', async () => {
    const { device } = await apiDevice();
    const { surface, context } = open();
    context.configure({ device, format: 'rgba8unorm' });
    await device.queue.onSubmittedWorkDone();
    const before = surface.shown.length;
    const told: number[] = [];
    for (let frame = 0; frame < 4; frame++) {
      device.queue.submit([clear(device, context.getCurrentTexture())]);
      told.push(surface.shown.length - before);
      surface.endFrame();
    }
    expect([told, frames.pendingFrames, frames.isFull]).toEqual([[0, 0, 1, 2], 2, true]);
    await device.queue.onSubmittedWorkDone();
    expect([surface.shown.length - before, frames.pendingFrames, frames.isFull]).toEqual([4, 0, false]);
  });
});
