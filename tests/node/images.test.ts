// createImageBitmap, image elements and files of canvases in Node.
import { encode } from 'fast-png';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { ImagePixels } from '../../src/surface/image';
import { CanvasElement } from '../../src/node/canvas';
import { createImageBitmap } from '../../src/node/create-image-bitmap';
import { jpegOrientation } from '../../src/node/exif';
import { ImageBitmap, ImageData } from '../../src/node/image-data';
import { ImageElement } from '../../src/node/image-element';
import { encodeFile } from '../../src/node/image-files';
import { resize, type ResizeQuality } from '../../src/node/pixels';
import { resourceLimits } from '../../src/node/resource-options';
import { setResourceLimits } from '../../src/node/resources';

afterEach(() => setResourceLimits());

const COLOURS: Record<string, readonly number[]> = {
  R: [255, 0, 0],
  G: [0, 255, 0],
  B: [0, 0, 255],
  W: [255, 255, 255],
};
/** Quarters: red, green, blue and white. */
function quarters(width: number, height: number): ImageData {
  const image = new ImageData(width, height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const name = 'RGBW'[(x * 2 >= width ? 1 : 0) + (y * 2 >= height ? 2 : 0)]!;
      image.data.set([...COLOURS[name]!, 255], (y * width + x) * 4);
    }
  return image;
}
const pixelsOf = (bitmap: ImageBitmap): ImagePixels => ImageBitmap.pixelsOf(bitmap)!;
/** Width, height and the colors near the corners. */
function corners(bitmap: ImageBitmap): string {
  const { width, height, data } = pixelsOf(bitmap);
  const nameAt = (x: number, y: number): string => {
    const [r, g, b] = data.subarray((y * width + x) * 4).map((value) => (value > 128 ? 255 : 0));
    return Object.keys(COLOURS).find((name) => String(COLOURS[name]) === String([r, g, b])) ?? '?';
  };
  const x = Math.min(2, width - 1);
  const y = Math.min(2, height - 1);
  const right = width - 1 - x;
  const bottom = height - 1 - y;
  return `${width}x${height} ${nameAt(x, y)}${nameAt(right, y)}${nameAt(x, bottom)}${nameAt(right, bottom)}`;
}

const plain = encodeFile(quarters(32, 16), 'image/jpeg', 0.95).then(({ bytes }) => bytes);
/** A JPEG file of 32×16 pixels with an orientation, as written by a camera. */
async function jpeg(orientation: number, isLittle = true): Promise<Uint8Array> {
  const tiff = new DataView(new ArrayBuffer(26));
  const file = await plain;
  tiff.setUint16(0, isLittle ? 0x4949 : 0x4d4d);
  tiff.setUint16(2, 42, isLittle);
  tiff.setUint32(4, 8, isLittle);
  tiff.setUint16(8, 1, isLittle);
  tiff.setUint16(10, 0x112, isLittle);
  tiff.setUint16(12, 3, isLittle);
  tiff.setUint32(14, 1, isLittle);
  tiff.setUint16(18, orientation, isLittle);
  const head = [Buffer.from([0xff, 0xe1, 0, 34]), Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff.buffer)];
  return Buffer.concat([file.subarray(0, 2), ...head, file.subarray(2)]);
}
const blobOf = (bytes: Uint8Array): Blob => new Blob([bytes as BlobPart]);

describe('orientation of JPEG files', () => {
  // As drawn by Debian's Chromium; and upside down.
  test.each([
    [1, '32x16 RGBW', '32x16 BWRG'],
    [2, '32x16 GRWB', '32x16 WBGR'],
    [3, '32x16 WBGR', '32x16 GRWB'],
    [4, '32x16 BWRG', '32x16 RGBW'],
    [5, '16x32 RBGW', '16x32 GWRB'],
    [6, '16x32 BRWG', '16x32 WGBR'],
    [7, '16x32 WGBR', '16x32 BRWG'],
    [8, '16x32 GWRB', '16x32 RBGW'],
    [9, '32x16 RGBW', '32x16 BWRG'],
  ])('%d', async (orientation, upright, flipped) => {
    for (const isLittle of [true, false]) {
      const file = blobOf(await jpeg(orientation, isLittle));
      expect(corners(await createImageBitmap(file))).toBe(upright);
      for (const imageOrientation of ['from-image', 'none'])
        expect(corners(await createImageBitmap(file, { imageOrientation }))).toBe(upright);
      expect(corners(await createImageBitmap(file, { imageOrientation: 'flipY' }))).toBe(flipped);
    }
    const image = new ImageElement();
    image.src = `data:image/jpeg;base64,${Buffer.from(await jpeg(orientation)).toString('base64')}`;
    await image.decode();
    expect(corners(await createImageBitmap(image))).toBe(upright);
    expect(`${image.naturalWidth}x${image.naturalHeight}`).toBe(upright.slice(0, 5));
  });

  test('applies before cropping', async () => {
    const [, , colour] = corners(await createImageBitmap(blobOf(await jpeg(6)), 0, 0, 8, 16)).match(/(\S+) (\S+)/)!;
    expect(colour).toBe('BBBB');
  });

  test('is 1 if the file is truncated or damaged anywhere', async () => {
    const file = await jpeg(6);
    fc.assert(
      fc.property(fc.nat(60), fc.uint8Array({ maxLength: 40 }), (length, more) => {
        const damaged = Buffer.concat([file.subarray(0, length), more]);
        const read = jpegOrientation(damaged);
        expect(read >= 1 && read <= 8).toBe(true);
      }),
      { numRuns: 2000 }
    );
    for (let length = 0; length < 32; length++) expect(jpegOrientation(file.subarray(0, length))).toBe(1);
  });
});

describe('createImageBitmap', () => {
  test('accepts loaded image elements', async () => {
    const image = new ImageElement();
    await expect(createImageBitmap(image)).rejects.toMatchObject({ name: 'InvalidStateError' });
    const { data } = quarters(6, 4);
    const png = encode({ width: 6, height: 4, channels: 4, data: Uint8Array.from(data) });
    image.src = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    await expect(createImageBitmap(image)).rejects.toThrow('is not loaded yet');
    await image.decode();
    expect([...pixelsOf(await createImageBitmap(image)).data]).toEqual([...data]);
  });

  test('converts numbers like a page, and rejects invalid ones', async () => {
    const image = quarters(8, 8);
    for (const args of [
      [0, 0, NaN, 4],
      [0, 0, 4, NaN],
      [0, 0, 0, 4],
      [0, 0, 'x', 4],
      [0, 0, 4, undefined],
      [0, 0, Infinity, 4],
      [0, 0, 2 ** 32, 4],
    ])
      await expect(createImageBitmap(image, ...args), String(args)).rejects.toThrow(RangeError);
    expect(corners(await createImageBitmap(image, NaN, '0', 8.9, '8'))).toBe('8x8 RGBW');
    for (const args of [[NaN], ['options'], [5], [0, 0], [0, 0, 4], [0, 0, 4, 4, 7]])
      await expect(createImageBitmap(image, ...args), String(args)).rejects.toThrow(TypeError);
    for (const options of [
      { imageOrientation: 'up' },
      { premultiplyAlpha: 1 },
      { resizeQuality: 'best' },
      { resizeWidth: -1 },
      { resizeHeight: NaN },
      { imageOrientation: 'constructor' },
    ])
      await expect(createImageBitmap(image, options)).rejects.toThrow(TypeError);
    await expect(createImageBitmap(image, { resizeWidth: 0 })).rejects.toMatchObject({ name: 'InvalidStateError' });
    for (const [sw, sh] of [
      [2 ** 31 - 1, 2 ** 31 - 1],
      [-(2 ** 31), 1],
    ])
      await expect(createImageBitmap(image, 0, 0, sw, sh)).rejects.toMatchObject({ name: 'InvalidStateError' });
  });

  test('resizes, in each quality, and keeps the aspect ratio with one size given', async () => {
    const image = quarters(64, 32);
    for (const resizeQuality of ['pixelated', 'low', 'medium', 'high', undefined]) {
      expect(corners(await createImageBitmap(image, { resizeWidth: 16, resizeQuality }))).toBe('16x8 RGBW');
      expect(corners(await createImageBitmap(image, { resizeHeight: 33, resizeQuality }))).toBe('66x33 RGBW');
      const turned = await createImageBitmap(image, 0, 0, 32, 32, {
        resizeWidth: 80,
        resizeHeight: 7,
        resizeQuality,
        imageOrientation: 'flipY',
      });
      expect(corners(turned)).toBe('80x7 BBRR');
    }
    const row = (values: readonly number[]): ImageData =>
      new ImageData(Uint8ClampedArray.from(values.flatMap((value) => [value, value, value, 255])), values.length);
    const reds = async (values: readonly number[], options: object): Promise<number[]> =>
      [...pixelsOf(await createImageBitmap(row(values), { resizeHeight: 1, ...options })).data].filter(
        (_, i) => i % 4 === 0
      );
    expect(await reds([0, 100], { resizeWidth: 4 })).toEqual([0, 25, 75, 100]);
    expect(await reds([0, 100], { resizeWidth: 4, resizeQuality: 'pixelated' })).toEqual([0, 0, 100, 100]);
    expect(await reds([0, 0, 0, 200, 200, 200], { resizeWidth: 2, resizeQuality: 'high' })).toEqual([25, 175]);
  });

  test('invisible colors do not affect others', async () => {
    const image = new ImageData(Uint8ClampedArray.of(200, 100, 50, 255, 9, 255, 255, 0), 2);
    const one = await createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 });
    expect([...pixelsOf(one).data]).toEqual([200, 100, 50, 128]);
  });

  test('any size of an image of one color has that color', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const side = fc.integer({ min: 1, max: 40 });
    const qualities = fc.constantFrom<ResizeQuality>('pixelated', 'low', 'medium', 'high');
    fc.assert(
      fc.property(
        side,
        side,
        side,
        side,
        fc.tuple(byte, byte, byte),
        qualities,
        (w, h, width, height, colour, quality) => {
          const data = Uint8Array.from({ length: w * h * 4 }, (_, i) => (i % 4 === 3 ? 255 : colour[i % 4]!));
          const image: ImagePixels = { data, width: w, height: h, colorSpace: 'srgb', premultiplied: false };
          const out = resize(image, width, height, quality);
          expect([...out.data]).toEqual(
            Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : colour[i % 4]))
          );
        }
      ),
      { numRuns: 60 }
    );
  });

  test('limits the total size of all images', async () => {
    const png = encode({ width: 512, height: 512, channels: 4, data: new Uint8Array(512 * 512 * 4).fill(255) });
    const make = (options?: object): Promise<ImageBitmap> => createImageBitmap(blobOf(png), options);
    const MIB = 1024 * 1024;
    setResourceLimits(resourceLimits({ maxImageBytes: 4.5 * MIB }));
    const settled = await Promise.allSettled(Array.from({ length: 12 }, () => make()));
    const made = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const errors = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as DOMException] : []));
    expect([made.length, errors.length]).toEqual([4, 8]);
    expect(errors[0]!.name).toBe('InvalidStateError');
    expect(errors[0]!.message).toContain('the limit is 4 MiB: close() bitmaps');
    const image = new ImageElement();
    image.src = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    await expect(image.decode()).rejects.toThrow('the limit is 4 MiB');
    for (const bitmap of made) {
      bitmap.close();
      bitmap.close();
    }
    for (let i = 0; i < 20; i++) (await make(i % 2 === 0 ? undefined : { resizeWidth: 8 })).close();
    await expect(createImageBitmap(blobOf(Uint8Array.of(0x89, 0x50)))).rejects.toThrow(
      'is not a PNG, JPEG or WebP image'
    );
    await expect(createImageBitmap(blobOf(png.subarray(0, 60)))).rejects.toThrow('cannot be decoded');
    const four = await Promise.all([make(), make(), make(), make()]);
    for (const bitmap of four) bitmap.close();
  });

  test('checks the size of a file before it reads it', async () => {
    setResourceLimits(resourceLimits({ maxBytes: 100 }));
    const blob = new Blob([new Uint8Array(101)]);
    blob.arrayBuffer = () => {
      throw new Error('read');
    };
    await expect(createImageBitmap(blob)).rejects.toThrow('the file has 101 bytes; the limit is 100');
  });
});

test('ImageData has whole rows', () => {
  for (const [length, width, height] of [
    [40, 4, undefined],
    [8, 4, undefined],
    [41, 1, undefined],
    [16, 2, 3],
    [0, 1, undefined],
    [4, 0, undefined],
  ])
    expect(() => new ImageData(new Uint8ClampedArray(length!), width, height)).toThrow(DOMException);
  expect(new ImageData(new Uint8ClampedArray(40), 5).height).toBe(2);
  expect(new ImageData(2, 2.5).height).toBe(2);
});

describe('files of canvases', () => {
  test('that cannot be created reject, and toBlob passes null', async () => {
    for (const [width, height, type] of [
      [70_000, 70_000, 'image/png'],
      [70_000, 1, 'image/jpeg'],
      [20_000, 20_000, 'image/jpeg'],
      [1, 20_000, 'image/webp'],
    ] as const) {
      const canvas = new CanvasElement(width, height);
      await expect(canvas.convertToBlob({ type })).rejects.toMatchObject({ name: 'EncodingError' });
      expect(
        await new Promise((done) => {
          canvas.toBlob(done, type);
        })
      ).toBe(null);
    }
    await expect(new CanvasElement(70_000, 70_000).toPNG()).rejects.toThrow('70000 × 70000 pixels are too many');
    await expect(new CanvasElement(70_000, 70_000).getPixels()).rejects.toThrow(RangeError);
  });

  test('have the requested type if it is supported', async () => {
    const canvas = new CanvasElement(2, 2);
    for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'image/tiff', ''])
      expect((await canvas.convertToBlob({ type })).type).toBe('image/png');
    expect((await canvas.convertToBlob({ type: 'image/jpeg' })).type).toBe('image/jpeg');
  });

  test('an exception in a toBlob callback is reported separately', async () => {
    const caught: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => caught.push(error.message));
    new CanvasElement(2, 2).toBlob(() => {
      throw new Error('in the callback');
    });
    while (caught.length === 0) await new Promise((later) => setTimeout(later, 5));
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
    expect(caught).toEqual(['in the callback']);
  });
});
