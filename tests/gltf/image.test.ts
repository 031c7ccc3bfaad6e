import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import { encode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { createCodecs, MissingCodec } from '../../src/gltf/images/codecs';
import { ModelError } from '../../src/gltf/errors';
import { decodeImage, readImageHeader } from '../../src/gltf/images/image';
import { nodeCodecs } from '../../src/node/codec-wasm';
import { inflateNow } from '../../src/node/zlib';

const { resolve } = createRequire(import.meta.url);
const readWasm = (specifier: string) => readFile(resolve(specifier));
const noAvif = (): Promise<never> => Promise.reject(new MissingCodec('there is no decoder'));
const modules = {
  jpeg: () => import('@jsquash/jpeg/decode.js'),
  webp: () => import('@jsquash/webp/decode.js'),
  avif: noAvif,
};
const codecs = createCodecs(modules, readWasm, inflateNow);
const decode = (bytes: Uint8Array) => decodeImage(bytes, 'The image', codecs);

async function refusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await decode(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown
  );
  expect(error).toBeInstanceOf(ModelError);
  return (error as ModelError).message;
}

/** A PNG from its chunks. Checksums are zero, because no decoder here reads them. */
function png(
  header: { width: number; height: number; depth: number; type: number; interlace?: number },
  chunks: [string, Uint8Array][]
): Uint8Array {
  const ihdr = new Uint8Array(13);
  const view = new DataView(ihdr.buffer);
  view.setUint32(0, header.width);
  view.setUint32(4, header.height);
  ihdr.set([header.depth, header.type, 0, 0, header.interlace ?? 0], 8);
  const parts: Uint8Array[] = [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)];
  for (const [name, data] of [['IHDR', ihdr] as const, ...chunks, ['IEND', new Uint8Array(0)] as const]) {
    const chunk = new Uint8Array(data.length + 12);
    new DataView(chunk.buffer).setUint32(0, data.length);
    chunk.set(new TextEncoder().encode(name), 4);
    chunk.set(data, 8);
    parts.push(chunk);
  }
  return new Uint8Array(Buffer.concat(parts));
}

describe('PNG', () => {
  it('reads 8-bit color with and without alpha', async () => {
    const rgba = Uint8Array.of(1, 2, 3, 4, 250, 251, 252, 253);
    expect([...(await decode(encode({ width: 2, height: 1, channels: 4, data: rgba }))).data]).toEqual([...rgba]);
    expect([...(await decode(encode({ width: 1, height: 2, channels: 3, data: rgba.subarray(0, 6) }))).data]).toEqual([
      1, 2, 3, 255, 4, 250, 251, 255,
    ]);
  });

  it('reads 16 bits, rounded to 8', async () => {
    const data = Uint16Array.of(0, 128, 129, 65535, 257 * 77, 257 * 78 + 128);
    const image = await decode(encode({ width: 2, height: 1, channels: 3, depth: 16, data }));
    expect([...image.data]).toEqual([0, 0, 1, 255, 255, 77, 78, 255]);
  });

  it('reads gray, with alpha, and of 1, 2 and 4 bits', async () => {
    expect([...(await decode(encode({ width: 2, height: 1, channels: 1, data: Uint8Array.of(7, 200) }))).data]).toEqual(
      [7, 7, 7, 255, 200, 200, 200, 255]
    );
    expect([...(await decode(encode({ width: 1, height: 1, channels: 2, data: Uint8Array.of(7, 40) }))).data]).toEqual([
      7, 7, 7, 40,
    ]);
    const one = png({ width: 3, height: 1, depth: 1, type: 0 }, [['IDAT', deflateSync(Uint8Array.of(0, 0b10100000))]]);
    expect([...(await decode(one)).data].filter((_, i) => i % 4 === 0)).toEqual([255, 0, 255]);
    const two = png({ width: 4, height: 1, depth: 2, type: 0 }, [['IDAT', deflateSync(Uint8Array.of(0, 0b00011011))]]);
    expect([...(await decode(two)).data].filter((_, i) => i % 4 === 0)).toEqual([0, 85, 170, 255]);
    const four = png({ width: 2, height: 1, depth: 4, type: 0 }, [['IDAT', deflateSync(Uint8Array.of(0, 0x3f))]]);
    expect([...(await decode(four)).data].filter((_, i) => i % 4 === 0)).toEqual([51, 255]);
  });

  it('reads palettes with transparency, and a transparent gray', async () => {
    const palette = png({ width: 2, height: 1, depth: 8, type: 3 }, [
      ['PLTE', Uint8Array.of(10, 20, 30, 40, 50, 60)],
      ['tRNS', Uint8Array.of(128)],
      ['IDAT', deflateSync(Uint8Array.of(0, 1, 0))],
    ]);
    expect([...(await decode(palette)).data]).toEqual([40, 50, 60, 255, 10, 20, 30, 128]);
    const grey = png({ width: 2, height: 1, depth: 8, type: 0 }, [
      ['tRNS', Uint8Array.of(0, 9)],
      ['IDAT', deflateSync(Uint8Array.of(0, 9, 8))],
    ]);
    expect([...(await decode(grey)).data]).toEqual([9, 9, 9, 0, 8, 8, 8, 255]);
  });

  it.each([
    ['gray', 8, 0, 1],
    ['gray with alpha', 8, 4, 2],
    ['colors', 8, 2, 3],
    ['colors with alpha', 8, 6, 4],
    ['16-bit colors', 16, 2, 3],
    ['16-bit colors with alpha', 16, 6, 4],
  ])('reads %s with all filters, also interlaced', async (_, depth, type, channels) => {
    const [width, height] = [13, 11];
    const sample = (x: number, y: number, c: number): number => (x * 5 + y * 7 + c * 31 + x * y) & (2 ** depth - 1);
    /** Every `stepX`-th and `stepY`-th pixel, with a different filter for each row. */
    const rows = (x0: number, y0: number, stepX: number, stepY: number): number[] => {
      const out: number[] = [];
      const across = Math.ceil((width - x0) / stepX);
      const rowBytes = Math.ceil((across * channels * depth) / 8);
      const step = Math.max(1, (channels * depth) / 8);
      let above = new Array<number>(rowBytes).fill(0);
      for (let y = y0, i = 0; y < height && across > 0; y += stepY, i++) {
        let bits = '';
        for (let x = x0; x < width; x += stepX)
          for (let c = 0; c < channels; c++) bits += sample(x, y, c).toString(2).padStart(depth, '0');
        const row = Array.from({ length: rowBytes }, (__, k) =>
          parseInt(bits.slice(8 * k, 8 * k + 8).padEnd(8, '0'), 2)
        );
        const at = (list: number[], k: number): number => list[k] ?? 0;
        const paeth = (a: number, b: number, c: number): number =>
          [a, b, c].reduce((best, each) => (Math.abs(a + b - c - each) < Math.abs(a + b - c - best) ? each : best));
        const predicted = [
          () => 0,
          (k: number) => at(row, k - step),
          (k: number) => at(above, k),
          (k: number) => (at(row, k - step) + at(above, k)) >> 1,
          (k: number) => paeth(at(row, k - step), at(above, k), at(above, k - step)),
        ][i % 5];
        out.push(i % 5, ...row.map((value, k) => (value - predicted(k)) & 255));
        above = row;
      }
      return out;
    };
    const passes: [number, number, number, number][] = [
      [0, 0, 8, 8],
      [4, 0, 8, 8],
      [0, 4, 4, 8],
      [2, 0, 4, 4],
      [0, 2, 2, 4],
      [1, 0, 2, 2],
      [0, 1, 1, 2],
    ];
    const made = (interlace: number, data: number[]): Uint8Array =>
      png({ width, height, depth, type, interlace }, [['IDAT', deflateSync(Uint8Array.from(data))]]);
    const plain = await decode(made(0, rows(0, 0, 1, 1)));
    const interlaced = await decode(
      made(
        1,
        passes.flatMap((pass) => rows(...pass))
      )
    );
    expect(interlaced).toEqual(plain);
    const most = 2 ** depth - 1;
    const of = (x: number, y: number, c: number): number => Math.round((sample(x, y, c) * 255) / most);
    const colour = (x: number, y: number): number[] => {
      return channels < 3 ? new Array<number>(3).fill(of(x, y, 0)) : [0, 1, 2].map((c) => of(x, y, c));
    };
    const expected = Array.from({ length: width * height }, (__, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      return [...colour(x, y), channels === 2 || channels === 4 ? of(x, y, channels - 1) : 255];
    });
    expect([...plain.data]).toEqual(expected.flat());
  });

  it('rejects interlaced images with less than 8 bits per sample', async () => {
    const bits = png({ width: 2, height: 2, depth: 4, type: 0, interlace: 1 }, [
      ['IDAT', deflateSync(Uint8Array.of(0, 0x10, 0, 0x20, 0, 0x34))],
    ]);
    expect(await refusal(bits)).toMatch(
      /interlaced PNG with 4 bits per sample is not supported; save it without interlacing/
    );
  });

  it('reads a transparent color of 8 and of 16 bits', async () => {
    // fast-png refuses images with fewer pixels than samples in the colour.
    const eight = png({ width: 3, height: 1, depth: 8, type: 2 }, [
      ['tRNS', Uint8Array.of(0, 1, 0, 2, 0, 3)],
      ['IDAT', deflateSync(Uint8Array.of(0, 1, 2, 3, 1, 2, 4, 1, 2, 3))],
    ]);
    expect([...(await decode(eight)).data]).toEqual([1, 2, 3, 0, 1, 2, 4, 255, 1, 2, 3, 0]);
    const sixteen = png({ width: 2, height: 1, depth: 16, type: 0 }, [
      ['tRNS', Uint8Array.of(1, 2)],
      ['IDAT', deflateSync(Uint8Array.of(0, 1, 2, 1, 3))],
    ]);
    expect([...(await decode(sixteen)).data]).toEqual([1, 1, 1, 0, 1, 1, 1, 255]);
  });

  it('rejects an absurd size from the header alone', async () => {
    const huge = png({ width: 100_000, height: 100_000, depth: 8, type: 6 }, []);
    expect(await refusal(huge)).toBe(
      'The image is 100000 × 100000 pixels; the limit is 16384 per side and 64 million in total.'
    );
    expect(await refusal(png({ width: 16_384, height: 16_384, depth: 8, type: 6 }, []))).toMatch(/the limit is/);
    expect(await refusal(png({ width: 0, height: 4, depth: 8, type: 6 }, []))).toBe('The image is 0 × 4 pixels.');
  });

  it('gives the same with the zlib of browsers', async () => {
    const streams = createCodecs(modules, readWasm);
    const whole = encode({ width: 2, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3, 4, 5, 6) });
    expect(await decodeImage(whole, 'The image', streams)).toEqual(await decode(whole));
    const shape = { width: 2, height: 2, depth: 8, type: 0 };
    for (const data of [
      deflateSync(new Uint8Array(1 << 20)),
      Uint8Array.of(1, 2, 3),
      deflateSync(Uint8Array.of(0, 1)),
    ]) {
      const broken = png(shape, [['IDAT', data]]);
      await expect(decodeImage(broken, 'The image', streams)).rejects.toThrow(await refusal(broken));
    }
  });

  it('stops at data that decompresses to more than the size says', async () => {
    const bomb = png({ width: 4, height: 4, depth: 8, type: 6 }, [
      ['IDAT', deflateSync(new Uint8Array(64 * 1024 * 1024))],
    ]);
    expect(await refusal(bomb)).toBe('The image cannot be decoded: it unpacks to more than its size allows.');
  });

  it('does not decompress metadata', async () => {
    const profile = new Uint8Array([65, 0, 0, ...deflateSync(new Uint8Array(64 * 1024 * 1024))]);
    const image = png({ width: 1, height: 1, depth: 8, type: 0 }, [
      ['iCCP', profile],
      ['IDAT', deflateSync(Uint8Array.of(0, 5))],
    ]);
    expect([...(await decode(image)).data]).toEqual([5, 5, 5, 255]);
  });

  it('rejects a PNG truncated at any length', async () => {
    const whole = encode({
      width: 8,
      height: 8,
      channels: 4,
      data: Uint8Array.from({ length: 256 }, (_, i) => (i * 37) & 255),
    });
    for (let length = 0; length < whole.length; length++) {
      expect(await refusal(whole.slice(0, length)), `${length} bytes`).toMatch(/cut off/);
    }
  });

  it('rejects too little data, damaged data and unknown color types', async () => {
    expect(
      await refusal(png({ width: 2, height: 2, depth: 8, type: 0 }, [['IDAT', deflateSync(Uint8Array.of(0, 1, 2))]]))
    ).toMatch(/ends before its last row/);
    expect(
      await refusal(png({ width: 2, height: 2, depth: 8, type: 0 }, [['IDAT', Uint8Array.of(1, 2, 3, 4)]]))
    ).toMatch(/compressed data is damaged/);
    expect(
      await refusal(png({ width: 1, height: 1, depth: 8, type: 0 }, [['IDAT', deflateSync(Uint8Array.of(5, 1))]]))
    ).toMatch(/filter: 5/);
    const noColour = png({ width: 1, height: 1, depth: 8, type: 3 }, [
      ['PLTE', Uint8Array.of(1, 2, 3)],
      ['IDAT', deflateSync(Uint8Array.of(0, 1))],
    ]);
    expect(await refusal(noColour)).toMatch(/palette/);
    expect(await refusal(png({ width: 2, height: 2, depth: 8, type: 5 }, []))).toMatch(/colour type is unknown/);
  });
});

const ENCODERS = { jpeg: 'enc/mozjpeg_enc.wasm', webp: 'enc/webp_enc.wasm', avif: 'enc/avif_enc.wasm' };

async function compress(name: keyof typeof ENCODERS, image: object, more: object = {}): Promise<Uint8Array> {
  const encoder = (await import(`@jsquash/${name}/encode.js`)) as {
    init(o: object): Promise<void>;
    default(image: object, options: object): Promise<ArrayBuffer>;
  };
  await encoder.init({ wasmBinary: await readFile(resolve(`@jsquash/${name}/codec/${ENCODERS[name]}`)) });
  return new Uint8Array(await encoder.default(image, more));
}

describe('AVIF', () => {
  const pixels = (at: (x: number, y: number) => number[]): Uint8ClampedArray =>
    Uint8ClampedArray.from(Array.from({ length: 24 * 16 }, (_, i) => at(i % 24, Math.floor(i / 24))).flat());

  it('is decoded, with alpha', async () => {
    const data = pixels((x, y) => [x * 10, y * 15, 60, 255 - x * 5]);
    const bytes = await compress('avif', { width: 24, height: 16, data }, { quality: 100, subsample: 3 });
    expect(readImageHeader(bytes, 'it')).toEqual({ format: 'avif', width: 24, height: 16 });
    const image = await decodeImage(bytes, 'It', nodeCodecs());
    expect([image.width, image.height]).toEqual([24, 16]);
    const worst = Math.max(...image.data.map((value, i) => Math.abs(value - data[i])));
    expect(worst).toBeLessThanOrEqual(6);
    for (let length = 16; length < bytes.length - 1; length += 31)
      await expect(decodeImage(bytes.slice(0, length), 'It', nodeCodecs())).rejects.toThrow(ModelError);
  });

  it('is unsupported without a decoder', async () => {
    const bytes = await compress('avif', { width: 24, height: 16, data: pixels(() => [1, 2, 3, 255]) });
    expect(await refusal(bytes)).toBe('The image cannot be decoded: there is no decoder.');
    await expect(decode(bytes)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('is rejected if it is larger than its header says', async () => {
    const bytes = await compress('avif', { width: 24, height: 16, data: pixels(() => [1, 2, 3, 255]) });
    const larger = (width: number, height: number) => ({
      ...codecs,
      avif: () => Promise.resolve({ width, height, data: new Uint8Array(width * height * 4) }),
    });
    await expect(decodeImage(bytes, 'It', larger(24, 17))).rejects.toThrow('its size differs from the one in');
    expect((await decodeImage(bytes, 'It', larger(16, 24))).width).toBe(16);
  });
});

describe('JPEG and WebP', () => {
  it('reads both', async () => {
    const data = new Uint8ClampedArray(16 * 16 * 4).fill(200);
    for (const [name, more] of [
      ['jpeg', {}],
      ['webp', { lossless: 1 }],
    ] as const) {
      const bytes = await compress(name, { width: 16, height: 16, data }, more);
      expect(readImageHeader(bytes, 'it')).toEqual({ format: name, width: 16, height: 16 });
      const image = await decode(bytes);
      expect(image.width).toBe(16);
      expect(Math.abs(image.data[0] - 200)).toBeLessThanOrEqual(2);
      for (let length = 0; length < bytes.length - 1; length++) {
        expect(await refusal(bytes.slice(0, length)), `${name}, ${length} bytes`).toMatch(
          /cut off|cannot be decoded|not a PNG/
        );
      }
    }
  });

  it('rejects damaged ones', async () => {
    expect(await refusal(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 1))).toMatch(
      /JPEG image that is damaged or cut off/
    );
    const jpeg = new Uint8Array(200);
    jpeg.set([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]);
    jpeg.set([0xff, 0xd9], 198);
    expect(await refusal(jpeg)).toMatch(/cannot be decoded/);
    const webp = new Uint8Array(64);
    webp.set(new TextEncoder().encode('RIFF....WEBPVP8L'));
    webp.set([0x2f, 15, 0, 0, 0], 20);
    expect(await refusal(webp)).toMatch(/cannot be decoded/);
  });

  it('rejects a truncated JPEG with the reason, and reads the next one', async () => {
    const data = Uint8ClampedArray.from({ length: 64 * 64 * 4 }, (_, i) => (i * 2654435761) >>> 24);
    const good = await compress('jpeg', { width: 64, height: 64, data }, { baseline: true });
    // The scan begins with SOS.
    const scan = good.findIndex((byte, i) => byte === 0xff && good[i + 1] === 0xda) + 14;
    const zeros = good.slice().fill(0, scan + 400, good.length - 2);
    expect(await refusal(zeros)).toBe(
      'The image cannot be decoded: its data is damaged (premature end of data segment); save the image again, '
        + 'or export the model again.'
    );
    const noise = good.map((byte, i) => (i > scan && i < good.length - 2 ? (i * 2654435761) >>> 24 : byte));
    expect(await refusal(noise)).toMatch(/^The image cannot be decoded: its data is damaged \([A-Za-z][^[\]]+\); save/);
    expect((await decode(good)).width).toBe(64);
  });

  it('rejects absurd sizes from the header alone', async () => {
    const jpeg = Uint8Array.of(
      0xff,
      0xd8,
      0xff,
      0xe0,
      0,
      4,
      0,
      0,
      0xff,
      0xc2,
      0,
      11,
      8,
      0xff,
      0xff,
      0xff,
      0xff,
      3,
      1,
      0x11,
      0,
      0xff,
      0xd9
    );
    expect(await refusal(jpeg)).toMatch(/65535 × 65535 pixels; the limit is/);
    const webp = new Uint8Array(40);
    webp.set(new TextEncoder().encode('RIFF....WEBPVP8X'));
    webp.set([0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 24);
    expect(await refusal(webp)).toMatch(/16777216 × 16777216 pixels; the limit is/);
  });

  it('names unsupported formats', async () => {
    expect(await refusal(new TextEncoder().encode('....ftypheic....'))).toBe(
      'The image is a HEIF image, which is not supported; use PNG, JPEG or WebP.'
    );
    expect(await refusal(new TextEncoder().encode('GIF89a..........'))).toMatch(/a GIF image/);
    expect(await refusal(new Uint8Array(50))).toMatch(/not a PNG, JPEG or WebP image/);
  });
});
