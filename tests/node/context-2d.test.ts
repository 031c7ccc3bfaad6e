// The 2D context of Node's canvases: copies, and reading what a GPU has drawn within the call.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Canvas, StatisticsDevice } from '../../src/index';
import { builtPackage, openBuiltWith } from '../images/open';

type Context = Pick<
  CanvasRenderingContext2D,
  'canvas' | 'clearRect' | 'createImageData' | 'drawImage' | 'getImageData' | 'putImageData'
>;
type Package = typeof import('../../src/index');
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let kit: Package;
let device: StatisticsDevice;
let uninstall: () => void;
beforeAll(async () => {
  kit = await builtPackage();
  device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  uninstall = kit.install();
});
afterAll(() => {
  uninstall();
  device.destroy();
});

const of = (canvas: Canvas): Context => canvas.getContext('2d') as Context;
let canvas: Canvas;
let context: Context;
beforeEach(() => {
  canvas = kit.createCanvas(4, 3);
  context = of(canvas);
});
/** Red is the index of the pixel. */
function image(width: number, height: number, alpha = 255): ImageData {
  const made = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) made.data.set([i + 1, 0, 7, alpha], i * 4);
  return made;
}
const reds = (shown: Context): number[] => [...shown.getImageData(0, 0, 4, 3).data].filter((_, i) => i % 4 === 0);

test('a canvas has one context', () => {
  expect([canvas.getContext('2d'), canvas.getContext('webgpu'), context.canvas]).toEqual([context, null, canvas]);
  const other = kit.createCanvas(2, 2);
  expect([other.getContext('webgpu') === null, other.getContext('2d')]).toEqual([false, null]);
});

test('pixels are written and read; those outside are transparent or ignored', async () => {
  context.putImageData(image(3, 2), 2, 1);
  expect(reds(context)).toEqual([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 4, 5]);
  expect([...context.getImageData(4, 2, -2, 2).data].filter((_, i) => i % 4 === 0)).toEqual([4, 5, 0, 0]);
  context.putImageData(image(4, 3), 0, 0, 1, 1, 2, 1);
  expect(reds(context)).toEqual([0, 0, 0, 0, 0, 6, 7, 2, 0, 0, 4, 5]);
  context.clearRect(1, 1, 9, 1);
  expect(reds(context)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5]);
  expect(context.createImageData(image(2, 5)).height).toBe(5);
  expect([...(await canvas.getPixels()).data.slice(44)]).toEqual([5, 0, 7, 255]);
  canvas.width = 4;
  expect(reds(context)).toEqual(new Array<number>(12).fill(0));
});

test('images replace what they cover, in their own size', async () => {
  context.putImageData(image(4, 3), 0, 0);
  const other = kit.createCanvas(2, 2);
  of(other).putImageData(image(2, 2, 51), 0, 0);
  context.drawImage(other as unknown as OffscreenCanvas, 3, 1);
  // A fifth of 1 and four fifths of 8, and of 3 and 12.
  expect(reds(context)).toEqual([1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11, 10]);
  context.drawImage(await createImageBitmap(image(4, 3)), 2, 1, 2, 1, 0, 0, 2, 1);
  expect(reds(context).slice(0, 4)).toEqual([7, 8, 3, 4]);
  const half = new ImageData(1, 1);
  half.data.set([200, 100, 50, 102]);
  context.clearRect(0, 0, 1, 1);
  context.drawImage(await createImageBitmap(half, { premultiplyAlpha: 'premultiply' }), 0, 0);
  expect([...context.getImageData(0, 0, 1, 1).data]).toEqual([200, 100, 50, 102]);
  expect(() => context.drawImage({} as OffscreenCanvas, 0, 0)).toThrow(TypeError);
  expect(() => context.drawImage(new Image(), 0, 0)).toThrow('is not loaded yet');
});

/** Like TensorFlow.js and jax-js read buffers synchronously. */
function words(buffer: GPUBuffer): number[] {
  const bytes = new Uint8Array(64);
  for (const alphaMode of ['opaque', 'premultiplied'] as const) {
    const from = new OffscreenCanvas(4, 4);
    const drawn = from.getContext('webgpu')!;
    drawn.configure({ device, format: 'bgra8unorm', usage: GPUTextureUsage.COPY_DST, alphaMode });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToTexture({ buffer, bytesPerRow: 256 }, { texture: drawn.getCurrentTexture() }, [4, 4]);
    device.queue.submit([encoder.finish()]);
    const read = new OffscreenCanvas(4, 4).getContext('2d')!;
    read.clearRect(0, 0, 4, 4);
    read.drawImage(from, 0, 0);
    const { data } = read.getImageData(0, 0, 4, 4);
    for (let i = 0; i < 64; i += 4)
      if (alphaMode === 'opaque') bytes.set([data[i + 2]!, data[i + 1]!, data[i]!], i);
      else bytes[i + 3] = data[i + 3]!;
  }
  return [...new Uint32Array(bytes.buffer)];
}

test('unsupported operations are reported', () => {
  const context = new OffscreenCanvas(4, 4).getContext('2d')!;
  expect(() => context.getImageData(0, 0, 1e9, 1e9)).toThrow(/^1000000000 × 1000000000 pixels do not fit in memory/);
  expect(() => new OffscreenCanvas(2e9, 2e9).getContext('2d')).toThrow(RangeError);
  expect(() => context.putImageData({} as ImageData, 0, 0)).toThrow(
    'putImageData: the first argument must be an ImageData'
  );
});

test('GPU results are read in the call, bit by bit, and leave nothing behind', async () => {
  const buffer = device.createBuffer({ size: 1024, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  const given = Uint32Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
  device.queue.writeBuffer(buffer, 0, given);
  const wanted = [0, 64, 128, 192].flatMap((row) => [...given.slice(row, row + 4)]);
  expect(words(buffer)).toEqual(wanted);
  const settle = async (): Promise<number> => {
    for (let i = 0; i < 4; i++) {
      collect();
      await new Promise((done) => setTimeout(done, 10));
    }
    return device.statistics().memory.bytesUsed;
  };
  const before = await settle();
  for (let i = 0; i < 50; i++) words(buffer);
  expect(device.statistics().memory.bytesUsed).toBeGreaterThan(before);
  expect(await settle()).toBeLessThanOrEqual(before);
});
