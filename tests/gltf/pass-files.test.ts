// Files of passes: PNG samples with 8 and 16 bits, and OpenEXR files, read by code that shares nothing with the writer.
import { inflateSync } from 'node:zlib';
import { decode } from 'fast-png';
import { readExr } from 'hdrify/dist/exr/readExr.js';
import { describe, expect, it } from 'vitest';
import { encodeExr, encodePng } from '../../src/gltf/passes/files';
import { fromHalves, toHalf } from '../../src/gltf/passes/half';
import type { PassPicture } from '../../src/gltf/passes/kinds';
import { idColour } from '../../src/gltf/passes/legend';
import { deflate, deflateNow } from '../../src/node/png';

const picture = (pass: PassPicture['pass'], pixels: PassPicture['pixels'], width = 2): PassPicture => ({
  pass,
  width,
  height: 1,
  pixels,
});
const samplesOf = (file: Uint8Array): number[] => [...decode(file).data];

describe('halves', () => {
  it('are those of IEEE 754', () => {
    for (const [value, half] of [
      [0, 0],
      [-0, 0x8000],
      [1, 0x3c00],
      [-2, 0xc000],
      [65504, 0x7bff],
      [65519, 0x7bff],
      [65520, 0x7c00],
      [Infinity, 0x7c00],
      [-Infinity, 0xfc00],
      [2 ** -14, 0x0400],
      [2 ** -24, 0x0001],
      [2 ** -25, 0],
      [2 ** -25 * 1.01, 1],
      // Ties go to the even one.
      [1 + 2 ** -11, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02],
      [1 / 3, 0x3555],
    ])
      expect([value, toHalf(value)]).toEqual([value, half]);
    expect(toHalf(NaN) & 0x7c00).toBe(0x7c00);
  });

  it('keep every value', () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, i) => i);
    const values = fromHalves(all);
    all.forEach((half, i) => {
      if (!Number.isNaN(values[i])) expect(toHalf(values[i])).toBe(half);
    });
  });
});

describe('PNG samples', () => {
  it('of depth go from the nearest to the farthest; the background is the largest', async () => {
    const { file, figures } = await encodePng(picture('depth', Float32Array.of(2, 3, 6, Infinity), 4), deflate, 16);
    expect(decode(file)).toMatchObject({ depth: 16, channels: 1 });
    expect(samplesOf(file)).toEqual([0, Math.round(65534 / 4), 65534, 65535]);
    expect(figures).toEqual({ depthRange: [2, 6] });
    const fixed = await encodePng(picture('depth', Float32Array.of(2, 3, 6, Infinity), 4), deflate, 8, [1, 5]);
    expect(samplesOf(fixed.file)).toEqual([64, 127, 254, 255]);
    const flat = await encodePng(picture('depth', Float32Array.of(3, Infinity)), deflate, 8);
    expect(samplesOf(flat.file)).toEqual([0, 255]);
  });

  it('of normals go from −1 to 1', async () => {
    const pixels = Float32Array.of(-1, 0, 1, 0, 0, 0);
    const { file } = await encodePng(picture('normal', pixels), deflate, 16);
    expect(samplesOf(file)).toEqual([0, 32768, 65535, 65535, 0, 0, 0, 0]);
  });

  it('of ids are colours, or numbers', async () => {
    const { file } = await encodePng(picture('object', Uint32Array.of(0, 9)), deflate, 8);
    expect(samplesOf(file)).toEqual([0, 0, 0, 0xc0, 0, 0]);
    const deep = await encodePng(picture('object', Uint32Array.of(0, 65535)), deflate, 16);
    expect(samplesOf(deep.file)).toEqual([0, 65535]);
    await expect(encodePng(picture('object', Uint32Array.of(0, 65536)), deflate, 16)).rejects.toThrow('above 65535');
  });

  it('of motion are those of KITTI with 16 bits', async () => {
    const pixels = Float32Array.of(1.5, -2, 1, 0, 0, 0);
    const deep = await encodePng(picture('motion', pixels), deflate, 16);
    expect(samplesOf(deep.file)).toEqual([32768 + 96, 32768 - 128, 1, 0, 0, 0]);
    expect(deep.figures).toEqual({ motionScale: 64 });
    const { file, figures } = await encodePng(picture('motion', pixels), deflate, 8);
    expect(samplesOf(file)).toEqual([128 + 95, 1, 1, 0, 0, 0]);
    expect(figures).toEqual({ motionScale: 63.5 });
  });

  it('of colours with 16 bits have no alpha if all is opaque', async () => {
    const opaque = await encodePng(picture('color', Uint16Array.of(1, 2, 300, 65535, 4, 5, 6, 65535)), deflate, 16);
    expect(samplesOf(opaque.file)).toEqual([1, 2, 300, 4, 5, 6]);
    const clear = await encodePng(picture('color', Uint16Array.of(1, 2, 300, 65534, 4, 5, 6, 65535)), deflate, 16);
    expect(samplesOf(clear.file)).toEqual([1, 2, 300, 65534, 4, 5, 6, 65535]);
  });
});

it('each id has a colour of its own, which is that of PASCAL VOC', () => {
  expect([0, 1, 2, 3, 4, 8, 255].map(idColour)).toEqual([0, 0x800000, 0x8000, 0x808000, 0x80, 0x400000, 0xe0e0c0]);
  expect(new Set(Array.from({ length: 70_000 }, (_, i) => idColour(i))).size).toBe(70_000);
});

/** Reads a file of this writer: a list of channels with their numbers in rows from the top. */
function channelsOf(file: Uint8Array): { header: Record<string, Buffer>; channels: Record<string, number[]> } {
  const bytes = Buffer.from(file);
  expect([...bytes.subarray(0, 8)]).toEqual([0x76, 0x2f, 0x31, 1, 2, 0, 0, 0]);
  let at = 8;
  const text = (): string => {
    const end = bytes.indexOf(0, at);
    const found = bytes.toString('latin1', at, end);
    at = end + 1;
    return found;
  };
  const header: Record<string, Buffer> = {};
  for (let name = text(); name !== ''; name = text()) {
    text();
    const length = bytes.readUInt32LE(at);
    header[name] = bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  const list: [string, number][] = [];
  for (let i = 0; header.channels[i] !== 0;) {
    const end = header.channels.indexOf(0, i);
    list.push([header.channels.toString('latin1', i, end), header.channels.readUInt32LE(end + 1)]);
    i = end + 17;
  }
  const [width, height] = [header.dataWindow.readInt32LE(8) + 1, header.dataWindow.readInt32LE(12) + 1];
  const channels: Record<string, number[]> = Object.fromEntries(list.map(([name]) => [name, []]));
  const rowBytes = list.reduce((sum, [, type]) => sum + (type === 1 ? 2 : 4) * width, 0);
  for (let chunk = 0; chunk * 16 < height; chunk++) {
    const start = Number(bytes.readBigUInt64LE(at + 8 * chunk));
    const rows = Math.min(16, height - 16 * chunk);
    expect(bytes.readUInt32LE(start)).toBe(16 * chunk);
    const size = bytes.readUInt32LE(start + 4);
    const stored = bytes.subarray(start + 8, start + 8 + size);
    const raw = size === rows * rowBytes ? stored : unpredicted(inflateSync(stored));
    expect(raw.length).toBe(rows * rowBytes);
    let from = 0;
    for (let row = 0; row < rows; row++)
      for (const [name, type] of list)
        for (let x = 0; x < width; x++, from += type === 1 ? 2 : 4)
          channels[name].push(
            type === 0
              ? raw.readUInt32LE(from)
              : type === 1
                ? fromHalves(Uint16Array.of(raw.readUInt16LE(from)))[0]
                : raw.readFloatLE(from)
          );
  }
  return { header, channels };
}

/** The inverse of ZIP's preparation, as OpenEXR's documentation describes it. */
function unpredicted(data: Buffer): Buffer {
  for (let i = 1; i < data.length; i++) data[i] = (data[i - 1] + data[i] - 128) & 255;
  const half = (data.length + 1) >> 1;
  return Buffer.from(data.map((_, i) => data[(i >> 1) + (i % 2 === 0 ? 0 : half)]));
}

describe('OpenEXR files', () => {
  it('of depth have the channel Z in single precision, with the numbers as they are', async () => {
    const [width, height] = [5, 37];
    const pixels = Float32Array.from({ length: width * height }, (_, i) => (i % 7 === 0 ? Infinity : Math.sqrt(i)));
    const file = await encodeExr({ pass: 'depth', width, height, pixels }, deflateNow);
    const { header, channels } = channelsOf(file);
    expect(channels).toEqual({ Z: [...pixels] });
    expect(Object.keys(header)).toEqual(
      expect.arrayContaining(['channels', 'compression', 'dataWindow', 'displayWindow', 'lineOrder'])
    );
    expect([...header.compression]).toEqual([3]);
    const half = channelsOf(await encodeExr({ pass: 'depth', width, height, pixels }, deflateNow, 16)).channels.Z;
    half.forEach((value, i) => {
      if (pixels[i] === Infinity) expect(value).toBe(Infinity);
      else expect(Math.abs(value - pixels[i])).toBeLessThanOrEqual(pixels[i] * 2 ** -11);
    });
  });

  it('of ids have whole numbers', async () => {
    const pixels = Uint32Array.of(0, 1, 65536, 4294967295);
    const file = await encodeExr({ pass: 'object', width: 2, height: 2, pixels }, deflateNow);
    expect(channelsOf(file).channels).toEqual({ id: [...pixels] });
  });

  it('of normals and motion have their channels by name', async () => {
    const pixels = Float32Array.of(0.5, -0.25, 1, -1, 0, 0);
    const normal = channelsOf(await encodeExr(picture('normal', pixels), deflateNow)).channels;
    expect(normal).toEqual({ 'N.X': [0.5, -1], 'N.Y': [-0.25, 0], 'N.Z': [1, 0] });
    const motion = channelsOf(await encodeExr(picture('motion', pixels), deflateNow)).channels;
    expect(motion).toEqual({ A: [1, 0], 'motion.X': [0.5, -1], 'motion.Y': [-0.25, 0] });
  });

  it('of colours are read by a library', async () => {
    const [width, height] = [33, 20];
    const pixels = Float32Array.from({ length: width * height * 4 }, (_, i) => ((i * 37) % 1000) / 64);
    const file = await encodeExr({ pass: 'color', width, height, pixels }, deflate);
    const read = readExr(file, { sanitize: false });
    expect([read.width, read.height]).toEqual([width, height]);
    expect([...read.data]).toEqual([...pixels]);
    // Noise that cannot be compressed is stored as it is.
    let seed = 1;
    const noise = Uint32Array.from({ length: 64 }, () => (seed = Math.imul(seed, 1664525) + 1013904223));
    const stored = await encodeExr({ pass: 'object', width: 8, height: 8, pixels: noise }, deflateNow);
    expect(channelsOf(stored).channels.id).toEqual([...noise]);
  });
});
