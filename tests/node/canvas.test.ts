// Canvases in Node: what the built package draws on them, as pixels and as files.
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Canvas, StatisticsDevice } from '../../src/index';
import { nodeCodecs } from '../../src/node/codec-wasm';
import { builtPackage, openBuilt, openBuiltWith } from '../images/open';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';

type Package = typeof import('../../src/index');
let kit: Package;
let device: GPUDevice;
const errors: string[] = [];
beforeAll(async () => {
  kit = await builtPackage();
  device = await openBuilt();
  device.onuncapturederror = ({ error }) => void errors.push(error.message);
});
afterAll(() => {
  device.destroy();
  expect(errors).toEqual([]);
});

function open(
  width: number,
  height: number,
  more: Partial<GPUCanvasConfiguration> = {}
): { canvas: Canvas; context: GPUCanvasContext } {
  const canvas = kit.createCanvas(width, height);
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm', ...more });
  return { canvas, context };
}
/** Clears the left half to one color and the rest to another. */
function draw(context: GPUCanvasContext, left: readonly number[], right = left): void {
  const texture = context.getCurrentTexture();
  const { width, height, format } = texture;
  const module = device.createShaderModule({
    code: `
    @vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn f() -> @location(0) vec4f { return vec4f(${left.map((x) => x.toFixed(5)).join()}); }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture, loadOp: 'clear', storeOp: 'store', clearValue: [...right] }],
  });
  pass.setPipeline(pipeline);
  pass.setScissorRect(0, 0, width >> 1, height);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
async function pixel(canvas: Canvas, x: number, y: number): Promise<number[]> {
  const { data, width } = await canvas.getPixels();
  return [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)];
}
/** Runs a number of animation frames. */
async function frames(count: number, draw: (index: number) => void): Promise<void> {
  const alive = setInterval(() => undefined, 1000);
  for (let i = 0; i < count; i++)
    await new Promise<void>((done) => {
      kit.requestAnimationFrame(() => {
        draw(i);
        done();
      });
    });
  clearInterval(alive);
}

describe('createCanvas', () => {
  test('returns a canvas with one context', () => {
    const canvas = kit.createCanvas(30, 20);
    const context = canvas.getContext('webgpu');
    expect([canvas.width, canvas.height, canvas instanceof EventTarget]).toEqual([30, 20, true]);
    expect([canvas.getContext('webgpu') === context, (context.canvas as unknown) === canvas]).toEqual([true, true]);
    expect([canvas.getContext('2d'), canvas.getContext('webgl2')]).toEqual([null, null]);
    canvas.width = 7.9;
    canvas.height = -1;
    expect([canvas.width, canvas.height]).toEqual([7, 150]);
  });

  test('shows nothing before anything is drawn', async () => {
    const { width, height, data, colorSpace } = await kit.createCanvas(3, 2).getPixels();
    expect([width, height, colorSpace, ...data]).toEqual([3, 2, 'srgb', ...new Array<number>(24).fill(0)]);
    expect(await pixel(open(3, 2).canvas, 0, 0)).toEqual([0, 0, 0, 0]);
  });

  test('has the submitted pixels, opaque or unpremultiplied', async () => {
    const opaque = open(8, 4);
    const premultiplied = open(8, 4, { alphaMode: 'premultiplied', format: 'bgra8unorm' });
    for (const { context } of [opaque, premultiplied]) draw(context, [0.25, 0.5, 0, 0.5], [0, 0, 1, 1]);
    expect([await pixel(opaque.canvas, 1, 1), await pixel(opaque.canvas, 6, 1)]).toEqual([
      [64, 128, 0, 255],
      [0, 0, 255, 255],
    ]);
    expect([await pixel(premultiplied.canvas, 1, 1), await pixel(premultiplied.canvas, 6, 1)]).toEqual([
      [128, 255, 0, 128],
      [0, 0, 255, 255],
    ]);
  });

  test('is read in its state at the call, without later drawing', async () => {
    const { canvas, context } = open(4, 4);
    draw(context, [1, 0, 0, 1]);
    const first = pixel(canvas, 0, 0);
    draw(context, [0, 1, 0, 1]);
    expect([await first, await pixel(canvas, 0, 0)]).toEqual([
      [255, 0, 0, 255],
      [0, 255, 0, 255],
    ]);
  });

  test('keeps what its last frame has drawn', async () => {
    const { canvas, context } = open(4, 4);
    const seen: GPUTexture[] = [];
    await frames(3, (i) => {
      seen.push(context.getCurrentTexture());
      draw(context, [i / 2, 0, 0, 1]);
    });
    await new Promise((turn) => setImmediate(turn));
    expect(new Set(seen).size).toBe(3);
    expect(await pixel(canvas, 0, 0)).toEqual([255, 0, 0, 255]);
    expect(seen).not.toContain(context.getCurrentTexture());
    // A new texture that is not drawn to.
    expect(await pixel(canvas, 0, 0)).toEqual([0, 0, 0, 255]);
  });

  test('is cleared by a new size, which textures adopt', async () => {
    const { canvas, context } = open(8, 4);
    draw(context, [1, 0, 0, 1]);
    canvas.width = 2;
    expect([(await canvas.getPixels()).width, ...(await pixel(canvas, 0, 0))]).toEqual([2, 0, 0, 0, 0]);
    draw(context, [0, 1, 0, 1]);
    const { width, height } = context.getCurrentTexture();
    expect([width, height, ...(await pixel(canvas, 1, 3))]).toEqual([2, 4, 0, 255, 0, 255]);
  });

  test('gives bitmaps in the call', async () => {
    const { canvas, context } = open(4, 4);
    draw(context, [0, 0, 1, 1]);
    const before = context.getCurrentTexture();
    const bitmap = canvas.transferToImageBitmap();
    expect([bitmap.width, bitmap.height, before === context.getCurrentTexture()]).toEqual([4, 4, false]);
  });

  test('without pixels gives no bitmap', () => {
    const canvas = kit.createCanvas(0, 1);
    canvas.getContext('webgpu');
    expect(() => canvas.transferToImageBitmap()).toThrow('transferToImageBitmap: a canvas of 0×1 has no pixels');
  });

  test('of a lost device shows its contents, and waits for nothing', async () => {
    const other = await openBuilt();
    const canvas = kit.createCanvas(2, 2);
    const context = canvas.getContext('webgpu');
    context.configure({ device: other, format: 'rgba8unorm' });
    context.getCurrentTexture();
    other.destroy();
    expect(await pixel(canvas, 0, 0)).toEqual([0, 0, 0, 0]);
  });
});

describe('files of a canvas', () => {
  test('PNG has its pixels, with alpha if there is any', async () => {
    const { canvas, context } = open(8, 4);
    draw(context, [0.25, 0.5, 0, 0.5], [0, 0, 1, 1]);
    const solid = decode(await canvas.toPNG(), { checkCrc: true });
    expect([solid.width, solid.height, solid.channels, ...solid.data.slice(0, 3)]).toEqual([8, 4, 3, 64, 128, 0]);
    const clear = open(8, 4, { alphaMode: 'premultiplied' });
    draw(clear.context, [0.25, 0.5, 0, 0.5], [0, 0, 1, 1]);
    const png = decode(await clear.canvas.toPNG(), { checkCrc: true });
    expect([png.channels, ...png.data.slice(0, 4)]).toEqual([4, 128, 255, 0, 128]);
  });

  test('PNG declares Display P3 colors', async () => {
    const { canvas, context } = open(2, 2, { colorSpace: 'display-p3' });
    draw(context, [1, 0, 0, 1]);
    const png = Buffer.from(await canvas.toPNG());
    const at = png.indexOf('cICP');
    expect([...png.subarray(at + 4, at + 8)]).toEqual([12, 13, 0, 1]);
    expect((await canvas.getPixels()).colorSpace).toBe('display-p3');
    expect(decode(png, { checkCrc: true }).data.slice(0, 3)).toEqual(Uint8Array.of(255, 0, 0));
  });

  test('JPEG and WebP are similar, and smaller at lower quality', async () => {
    const { canvas, context } = open(64, 64, { alphaMode: 'premultiplied' });
    draw(context, [0.25, 0.5, 0, 0.5], [0, 0, 1, 1]);
    const codecs = nodeCodecs();
    for (const [type, decodeFile, left] of [
      ['image/jpeg', codecs.jpeg, [64, 128, 0, 255]],
      ['image/webp', codecs.webp, [128, 255, 0, 128]],
    ] as const) {
      const blob = await canvas.convertToBlob({ type });
      const { data, width } = await decodeFile(new Uint8Array(await blob.arrayBuffer()));
      expect([blob.type, width]).toEqual([type, 64]);
      for (const [x, right] of [
        [10, left],
        [50, [0, 0, 255, 255]],
      ] as const) {
        const found = [...data.slice((20 * 64 + x) * 4, (20 * 64 + x) * 4 + 4)];
        found.forEach((channel, c) => expect(Math.abs(channel - right[c]!)).toBeLessThan(12));
      }
    }
    const noisy = open(64, 64, { usage: 2 | 16 });
    const texture = noisy.context.getCurrentTexture();
    const noise = Uint8Array.from({ length: 64 * 64 * 4 }, (_, i) => Math.imul(i, 2654435761) >>> 24);
    device.queue.writeTexture({ texture }, noise, { bytesPerRow: 256 }, [64, 64]);
    for (const type of ['image/jpeg', 'image/webp']) {
      const sizes = [];
      for (const quality of [0.1, undefined, 1]) sizes.push((await noisy.canvas.convertToBlob({ type, quality })).size);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
      expect(sizes[0]! * 2).toBeLessThan(sizes[2]!);
    }
  });

  test('toDataURL returns a PNG in the call, and the frame continues', () => {
    const { canvas, context } = open(8, 4);
    draw(context, [0.25, 0.5, 0, 1]);
    const texture = context.getCurrentTexture();
    const [head, base64] = canvas.toDataURL().split(',');
    const { width, data } = decode(Buffer.from(base64!, 'base64'));
    expect([head, width, ...data.slice(0, 3)]).toEqual(['data:image/png;base64', 8, 64, 128, 0]);
    expect(context.getCurrentTexture()).toBe(texture);
  });

  test('other types become PNG', async () => {
    const { canvas } = open(2, 2);
    expect((await canvas.convertToBlob({ type: 'image/tiff' })).type).toBe('image/png');
    const blob = await new Promise<Blob>((done) => {
      canvas.toBlob((blob) => done(blob!));
    });
    expect(blob.type).toBe('image/png');
  });
});

describe('requestAnimationFrame', () => {
  test('calls back once, in order, with increasing time, and can be canceled', async () => {
    const log: (string | number)[] = [];
    const times: number[] = [];
    kit.cancelAnimationFrame(kit.requestAnimationFrame(() => log.push('never')));
    kit.requestAnimationFrame(() => log.push('a'));
    await frames(2, (i) => {
      log.push(i);
      times.push(performance.now());
    });
    expect(log).toEqual(['a', 0, 1]);
    expect(times[1]! - times[0]!).toBeGreaterThan(1);
  });

  test('waits until the previous frame is drawn', async () => {
    const { context } = open(64, 64);
    let drawn = true;
    const states: boolean[] = [];
    await frames(4, () => {
      states.push(drawn);
      draw(context, [1, 1, 1, 1]);
      drawn = false;
      // In queue order before the frame is shown.
      void device.queue.onSubmittedWorkDone().then(() => {
        drawn = true;
      });
    });
    expect(states).toEqual([true, true, true, true]);
  });
});

describe('frames queued without waiting', () => {
  for (const threads of [0, 2])
    test(`are bounded, and the last one is shown (${threads} workers)`, async () => {
      const own = (await openBuiltWith(['statistics'], { threads })) as StatisticsDevice;
      const canvas = kit.createCanvas(16, 16);
      const context = canvas.getContext('webgpu');
      context.configure({
        device: own,
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      const bytes = 65536;
      const count = 300;
      const data = new Uint8Array(bytes);
      const order: number[] = [];
      const buffer = own.createBuffer({ size: bytes, usage: GPUBufferUsage.COPY_DST });
      for (let i = 1; i <= count; i++) {
        own.queue.writeBuffer(buffer, 0, data);
        const encoder = own.createCommandEncoder();
        encoder
          .beginRenderPass({
            colorAttachments: [
              {
                view: context.getCurrentTexture(),
                loadOp: 'clear',
                storeOp: 'store',
                clearValue: [i / count, 0, 0, 1],
              },
            ],
          })
          .end();
        own.queue.submit([encoder.finish()]);
        void own.queue.onSubmittedWorkDone().then(() => {
          order.push(i);
        });
        expect(i - own.statistics().counters['passes']!).toBeLessThanOrEqual(64);
      }
      expect(await pixel(canvas, 3, 3)).toEqual([255, 0, 0, 255]);
      expect(order).toEqual(Array.from({ length: count }, (_, i) => i + 1));
      own.destroy();
    });
});
