// Animated PNG and WebP, read by other decoders: fast-png, and ImageDecoder of Debian's Chromium.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decode, decodeApng } from 'fast-png';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedArea, cropped } from '../../../src/cli/animated/frame-area';
import { parseCommand } from '../../../src/cli/options/options';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const CHROMIUM = '/usr/bin/chromium';
const workshop = new Workshop();
afterAll(() => workshop.remove());
const VIEWS = ['--turntable', '5', '-s', '48x33', '--threads', '0', '-c', 'orbit:20,10'];

/** Pixels as RGBA. */
function rgba({ channels, data }: { channels: number; data: ArrayLike<number> }): number[] {
  if (channels === 4) return Array.from(data);
  return Array.from({ length: (data.length / 3) * 4 }, (_, i) => (i % 4 === 3 ? 255 : data[(i >> 2) * 3 + (i % 4)]!));
}

/**
 * The frames of an animated PNG, as §11.3.7 of the specification composes them. (fast-png clears what a frame does not
 * cover.) Each frame is decoded as a PNG of its own.
 */
function framesOf(bytes: Buffer): { pixels: number[]; delay: number[] }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    chunks.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      data: bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)),
    });
  const chunk = (type: string, data: Buffer): Buffer => {
    const whole = Buffer.alloc(12 + data.length);
    whole.writeUInt32BE(data.length);
    whole.write(type, 4, 'latin1');
    whole.set(data, 8);
    return whole;
  };
  const header = chunks[0]!.data;
  const width = header.readUInt32BE(0);
  const canvas = new Array<number>(width * header.readUInt32BE(4) * 4).fill(0);
  const frames: { pixels: number[]; delay: number[] }[] = [];
  let number = 0;
  for (const [i, { type, data }] of chunks.entries()) {
    if (type === 'fcTL' || type === 'fdAT') expect(data.readUInt32BE(0)).toBe(number++);
    if (type !== 'fcTL') continue;
    const [w, h, x, y] = [4, 8, 12, 16].map((at) => data.readUInt32BE(at)) as [number, number, number, number];
    const own = Buffer.from(header);
    own.writeUInt32BE(w, 0);
    own.writeUInt32BE(h, 4);
    const next = chunks[i + 1]!;
    const picture = Buffer.concat([
      bytes.subarray(0, 8),
      chunk('IHDR', own),
      chunk('IDAT', next.type === 'IDAT' ? next.data : next.data.subarray(4)),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    const pixels = rgba(decode(picture));
    for (let row = 0; row < h; row++)
      for (let k = 0; k < w * 4; k++) canvas[((y + row) * width + x) * 4 + k] = pixels[row * w * 4 + k]!;
    frames.push({ pixels: [...canvas], delay: [data.readUInt16BE(20), data.readUInt16BE(22)] });
  }
  return frames;
}

const render = async (...words: string[]): Promise<void> => {
  const { code, err } = await workshop.run('render', '--sample', ...VIEWS, '--quiet', ...words);
  expect([code, err]).toEqual([0, '']);
};

/** The frames of the same views as single pictures. */
const stills = (name: string): number[][] =>
  readdirSync(workshop.folder)
    .filter((file) => file.startsWith(`${name}-`))
    .sort()
    .map((file) => rgba(workshop.picture(file)));

beforeAll(async () => {
  workshop.write(
    'a.glb',
    oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }))
  );
  await render('-o', 'solid-{frame}.png');
  await render('-o', 'clear-{frame}.png', '-b', 'transparent');
  await render('-o', 'solid.png', '--loop', '3');
  await render('-o', 'clear.png', '-b', 'transparent');
  await render('-o', 'solid.webp', '--loop', '3', '--quality', '95');
  await render('-o', 'clear.webp', '-b', 'transparent', '--quality', '95', '--fps', '10');
});

describe('an animated PNG', () => {
  it.each([
    ['solid', 3],
    ['clear', 0],
  ])('%s has the pixels of the frames', (name, plays) => {
    const bytes = readFileSync(workshop.path(`${name}.png`));
    const { width, height, numberOfFrames, numberOfPlays } = decodeApng(bytes);
    expect([width, height, numberOfFrames, numberOfPlays]).toEqual([48, 33, 5, plays]);
    const expected = stills(name);
    expect(expected).toHaveLength(5);
    expect(new Set(expected.map(String)).size).toBe(5);
    framesOf(bytes).forEach(({ pixels, delay }, i) => {
      expect(delay).toEqual([1, 24]);
      expect(pixels.join() === expected[i]!.join(), `frame ${i}`).toBe(true);
    });
    // Readers without animations show the first frame.
    expect(rgba(decode(bytes)).join()).toBe(expected[0]!.join());
  });

  it('is smaller than its frames', () => {
    const size = (name: string): number => readFileSync(workshop.path(name)).length;
    expect(size('solid.png')).toBeLessThan([0, 1, 2, 3, 4].reduce((sum, i) => sum + size(`solid-${i}.png`), 0));
  });
});

describe.skipIf(!existsSync(CHROMIUM))('an animated picture in Chromium', () => {
  let browser: Browser | undefined;
  let server: Server | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
    // ImageDecoder needs a page of this machine or of https.
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
    await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it.each([
    ['solid.png', 3, 24, 0],
    ['clear.png', Infinity, 24, 0.5],
    ['solid.webp', 3, 24, 6],
    ['clear.webp', Infinity, 10, 6],
  ])('%s has %d repetitions and %d frames per second', async (name, plays, fps, tolerance) => {
    const tab = await browser!.newPage();
    await tab.goto(`http://127.0.0.1:${(server!.address() as AddressInfo).port}/`);
    const bytes = [...readFileSync(workshop.path(name))];
    const type = name.endsWith('png') ? 'image/png' : 'image/webp';
    const seen = await tab.evaluate(
      async ([data, mime]) => {
        const decoder = new ImageDecoder({ data: Uint8Array.from(data as number[]), type: mime as string });
        await decoder.tracks.ready;
        await decoder.completed;
        const { frameCount, repetitionCount } = decoder.tracks.selectedTrack!;
        const canvas = new OffscreenCanvas(48, 33);
        const context = canvas.getContext('2d', { willReadFrequently: true })!;
        const frames: { duration: number; pixels: number[] }[] = [];
        for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
          const { image } = await decoder.decode({ frameIndex });
          context.clearRect(0, 0, 48, 33);
          context.drawImage(image, 0, 0);
          frames.push({ duration: image.duration!, pixels: [...context.getImageData(0, 0, 48, 33).data] });
        }
        return { frameCount, repetitionCount: String(repetitionCount), frames };
      },
      [bytes, type] as const
    );
    await tab.close();
    // A repetition count says how often it is shown again after the first time.
    expect([seen.frameCount, Number(seen.repetitionCount)]).toEqual([5, plays === Infinity ? Infinity : plays - 1]);
    const total = seen.frames.reduce((sum, { duration }) => sum + duration, 0);
    expect(Math.abs(total / 1e6 - 5 / fps)).toBeLessThan(0.006);
    const expected = stills(name.slice(0, 5));
    seen.frames.forEach(({ pixels }, i) => {
      // The canvas holds premultiplied colours, so that transparent ones are lost.
      const visible = (all: number[]): number[] => all.map((value, k) => (all[k | 3] === 0 ? 0 : value));
      const a = visible(pixels);
      const b = visible(expected[i]!);
      const mean = a.reduce((sum, value, k) => sum + Math.abs(value - b[k]!), 0) / a.length;
      expect(mean, `frame ${i}`).toBeLessThanOrEqual(tolerance);
      const others = expected.filter((_, k) => k !== i).map(visible);
      for (const other of others)
        expect(a.reduce((sum, value, k) => sum + Math.abs(value - other[k]!), 0) / a.length).toBeGreaterThan(mean);
    });
  });
});

describe('options of animated pictures', () => {
  const parse = (...words: string[]): unknown => parseCommand(['render', 'a.glb', ...words]);
  it.each<[string[], string]>([
    [['--loop', '3'], '--loop needs --frames or --turntable.'],
    [
      ['--loop', '3', '--frames', '2', '-o', 'x{frame}.png'],
      '--loop is for an animated picture: an --output without {frame} that ends in .png or .webp.',
    ],
    [
      ['--loop', '70000', '--frames', '2', '-o', 'x.png'],
      '--loop must be a whole number from 0 (for ever) to 65535, not "70000".',
    ],
    [
      ['--fps', '0.001', '--frames', '2', '-o', 'x.webp'],
      '--fps of an animated picture must be at least 0.01, not "0.001".',
    ],
    [
      ['--frames', '2', '-o', '-'],
      `--output needs {frame} for 2 frames, as in -o 'out/{name}-{frame:3}.png', or the name of an animated .png or `
        + '.webp file, not "-".',
    ],
  ])('refuses %j', (words, message) => {
    expect(() => parse(...words)).toThrow(message);
  });

  it('leaves no file after a failure', async () => {
    const before = readdirSync(workshop.folder);
    const words = ['render', 'a.glb', '-c', 'look:0,0,50,0,50,49', '--frames', '2', '-o', 'none.png', '-s', '16x16'];
    const { code, err } = await workshop.run(...words);
    expect([code, err]).toEqual([3, 'rasterloom: The model has no animations, so that a time has no meaning.\n']);
    const blank = ['render', 'a.glb', '--turntable', '2', '-c', 'orbit:0,90,1000', '-o', 'none.png', '-s', '8x8'];
    expect((await workshop.run(...blank)).code).toBe(6);
    expect(readdirSync(workshop.folder)).toEqual(before);
  });
});

describe('changedArea', () => {
  const size = { width: 6, height: 4 };
  const frame = (...at: [x: number, y: number][]): Uint8Array => {
    const pixels = new Uint8Array(6 * 4 * 4);
    for (const [x, y] of at) pixels[(y * 6 + x) * 4 + 2] = 9;
    return pixels;
  };

  it('is the smallest rectangle with all differences', () => {
    expect(changedArea(undefined, frame(), size)).toEqual({ x: 0, y: 0, width: 6, height: 4 });
    expect(changedArea(frame(), frame(), size)).toEqual({ x: 0, y: 0, width: 1, height: 1 });
    expect(changedArea(frame([5, 3]), frame([1, 1]), size)).toEqual({ x: 1, y: 1, width: 5, height: 3 });
    expect(changedArea(frame(), frame([3, 1]), size)).toEqual({ x: 3, y: 1, width: 1, height: 1 });
    expect(changedArea(frame(), frame([3, 1]), size, 2)).toEqual({ x: 2, y: 0, width: 2, height: 2 });
  });

  it('is copied with three or four channels', () => {
    const pixels = Uint8Array.from({ length: 96 }, (_, i) => i);
    expect([...cropped(pixels, 6, { x: 1, y: 2, width: 2, height: 1 }, 4)]).toEqual([52, 53, 54, 55, 56, 57, 58, 59]);
    expect([...cropped(pixels, 6, { x: 1, y: 2, width: 1, height: 2 }, 3)]).toEqual([52, 53, 54, 76, 77, 78]);
  });
});
