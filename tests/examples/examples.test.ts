// The examples, run like a reader would, with the built package.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { decode } from 'fast-png';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ROOT, said, written } from './examples.kit';

const CHROMIUM = '/usr/bin/chromium';
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const BACKGROUND = [20, 20, 26, 255];

const luminance = ([r = 0, g = 0, b = 0]: readonly number[]): number => 0.299 * r + 0.587 * g + 0.114 * b;

/** Mean structural similarity (Wang et al. 2004) of 8-bit luminances, with 8×8 windows at a distance of four pixels. */
function similarity(
  a: (x: number, y: number) => number,
  b: (x: number, y: number) => number,
  width: number,
  height: number
): number {
  let total = 0;
  let windows = 0;
  for (let top = 0; top + 8 <= height; top += 4)
    for (let left = 0; left + 8 <= width; left += 4) {
      let [p, q, pp, qq, pq] = [0, 0, 0, 0, 0];
      for (let i = 0; i < 64; i++) {
        const x = a(left + (i & 7), top + (i >> 3)) / 8;
        const y = b(left + (i & 7), top + (i >> 3)) / 8;
        p += x / 8;
        q += y / 8;
        pp += x * x;
        qq += y * y;
        pq += x * y;
      }
      const [c1, c2] = [2.55 ** 2, 7.65 ** 2];
      total += ((2 * p * q + c1) * (2 * (pq - p * q) + c2)) / ((p * p + q * q + c1) * (pp - p * p + qq - q * q + c2));
      windows++;
    }
  return total / windows;
}
describe('examples', () => {
  test('triangle.mjs writes the picture of a triangle', () => {
    const { size, at } = written('triangle.mjs');
    expect(size).toEqual([512, 512]);
    expect(at(3, 3)).toEqual(BACKGROUND);
    const [top, left, right] = [at(256, 80), at(80, 425), at(432, 425)];
    expect([top, left, right].map(([r = 0, g = 0, b = 0]) => [r, g, b].indexOf(Math.max(r, g, b)))).toEqual([0, 1, 2]);
  });

  test('blend.mjs writes the picture of three blended discs', () => {
    const { at } = written('blending/blend.mjs');
    const byte = (...factors: number[]): number =>
      Math.round(factors.reduce((product, factor) => Math.round(product * factor * 255) / 255, 1) * 255);
    expect(at(3, 3)).toEqual([255, 255, 255, 255]);
    expect(at(256, 80)).toEqual([...[0.1, 0.7, 0.9].map((x) => byte(x)), 255]);
    expect(at(100, 320)).toEqual([...[0.9, 0.2, 0.5].map((x) => byte(x)), 255]);
    expect(at(256, 260)).toEqual([byte(0.1, 0.9, 0.95), byte(0.7, 0.2, 0.85), byte(0.9, 0.5, 0.15), 255]);
    // The upper disc's edge: between the paper's and its own color.
    const reds = Array.from({ length: 40 }, (_, y) => at(256, 20 + y)[0]!);
    expect(reds.some((red) => red > 26 && red < 255)).toBe(true);
  });

  test('gallery.mjs draws every blend mode within one step of a reference', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'blending/gallery.mjs', 'out.png');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatch(
        /^29 blends; the largest difference to what was computed is [01] of 255\.\nWrote out\.png\.\n$/
      );
      const { width, height } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([1024, 288]);
      expect(said(folder, 'blending/gallery.mjs', 'no/folder.png')).toMatchObject({
        status: 1,
        err: expect.stringMatching(/^The picture "no\/folder.png" cannot be written: /),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('transparency.mjs draws the same with eight layers in both orders, and nearly so with four', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'blending/transparency.mjs', 'out.png');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const rows = [...out.matchAll(/^(.+?) +the other way round, (\d+) pixels differ(?:; ([\d.]+) dB)?/gm)].map(
        ([, name, differ, alike]) => [name, Number(differ), Number(alike ?? Infinity)] as const
      );
      expect(rows.map(([name]) => name)).toEqual(['as drawn', '2 layers', '4 layers', '8 layers']);
      const [plain, two, four, eight] = rows;
      expect([plain![1] > 20_000, plain![2] < 30, two![2] > plain![2] + 6, four![2] > 50, eight![1]]).toEqual([
        true,
        true,
        true,
        true,
        0,
      ]);
      const { width, height } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([960, 640]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('shapes.mjs sends results once per pixel if all samples are equal', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'shading/shapes.mjs', 'out.png');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const [ran, sent, each] = [...out.matchAll(/ ([\d.]+) (?:runs a pixel|dispatches)/g)].map(([, n]) => Number(n));
      expect([ran, sent! > 1 && sent! < 1.1, each]).toEqual([1, true, 4]);
      expect(out).toMatch(/^the picture is the same$/m);
      const { width, height } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([640, 400]);
      expect(said(folder, 'shading/shapes.mjs', 'no/folder.png')).toMatchObject({
        status: 1,
        err: expect.stringMatching(/^The picture "no\/folder.png" cannot be written: /),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('hybrid.mjs draws the picture of sample-rate shading with stages that mostly run per pixel', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'shading/hybrid.mjs', 'out.png', '--stats', '--frames', '1');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const [pixel, hybrid] = [...out.matchAll(/^\w+ +([\d.]+) dB of "sample"/gm)].map(([, alike]) => Number(alike));
      expect([pixel! < 38, hybrid! >= 38]).toEqual([true, true]);
      const [pixels, sets] = /runs for ([\d,]+) pixels and ([\d,]+) sets/
        .exec(out)!
        .slice(1)
        .map((text) => Number(text.replace(/,/g, '')));
      expect(pixels! / sets!).toBeLessThan(0.4);
      const { width, height, channels, data } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([1280, 720]);
      // In the map: nothing in the sky, four sets on a slope, more where a ball overlaps it.
      const at = (x: number, y: number): number[] => [0, 1, 2].map((c) => data[(y * width + x) * channels + c]!);
      expect([at(960, 370), at(700, 650), at(1045, 500)]).toEqual([
        [24, 24, 30],
        [90, 180, 90],
        [210, 40, 40],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('deferred.mjs lights sample sets, far fewer than samples, and moves no surface bytes in one pass', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'shading/deferred.mjs', 'out.png');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const [one, two] = [...out.matchAll(/ lit ([\d,]+).* ([\d,]+) samples; ([\d,]+) bytes of surfaces moved\n/g)].map(
        (found) => found.slice(1).map((text) => Number(text.replace(/,/g, '')))
      );
      expect(one![0]! / one![1]!).toBeLessThan(0.4);
      expect(one![2]).toBe(0);
      expect(two![2]).toBeGreaterThan(1e6);
      expect(Number(/the pictures are ([\d.]+|Infinity) dB/.exec(out)?.[1])).toBeGreaterThan(50);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('corridor.mjs draws a corridor finely, coarsely in the distance, its rates, and the difference', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'shading/corridor.mjs', 'out.png', '--stats');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const all = [...out.matchAll(/ ms a frame, ([\d,]+) threads\n/g)].map(([, count]) =>
        Number(count!.replace(/,/g, ''))
      );
      expect(all).toHaveLength(2);
      // At least 40 % fewer.
      expect(all[1]! / all[0]!).toBeLessThan(0.6);
      expect(out).toMatch(/\n {2}4x4 {2}[\d,]+ threads\nWrote out\.png\.\n$/);
      const { width, height, channels, data } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([1280, 720]);
      const at = (x: number, y: number): number[] => [0, 1, 2].map((c) => data[(y * width + x) * channels + c]!);
      // Near the edge nothing is coarse, so nothing differs; in the middle everything is.
      expect([at(5, 365), at(640 + 5, 365)]).toEqual([
        [38, 51, 115],
        [0, 0, 0],
      ]);
      expect(at(300, 535)).toEqual([255, 217, 51]);
      const [fine, coarse] = [0, 640].map((left) => (x: number, y: number) => luminance(at(left + x, y)));
      expect(similarity(fine!, coarse!, 640, 360)).toBeGreaterThan(0.97);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('forest.mjs draws a forest with automatic rates beside its heat map', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'shading/forest.mjs', 'out.png', '--stats');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const all = [...out.matchAll(/ ms a frame, ([\d,]+) threads\n/g)].map(([, count]) =>
        Number(count!.replace(/,/g, ''))
      );
      expect(all[1]! / all[0]!).toBeLessThan(0.7);
      expect(Number(/more than the tolerance in ([\d.]+) %/.exec(out)?.[1])).toBeLessThan(0.5);
      const { width, height, channels, data } = decode(readFileSync(join(folder, 'out.png')));
      expect([width, height]).toEqual([1280, 360]);
      const at = (x: number, y: number): number[] => [0, 1, 2].map((c) => data[(y * width + x) * channels + c]!);
      // A tree without contrast is coarse; the fern beside the path is fine.
      expect([at(640 + 500, 180), at(640 + 225, 340)]).toEqual([
        [255, 217, 51],
        [38, 51, 115],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.skipIf(!existsSync(CHROMIUM))(`page/index.html shows animation frames (needs ${CHROMIUM})`, async () => {
    const server = createServer(({ url = '/' }, response) => {
      const file = new URL(`.${url.replace(/\/$/, '/index.html')}`, ROOT);
      if (existsSync(file))
        response
          .writeHead(200, { 'Content-Type': TYPES[extname(file.pathname)] ?? 'application/octet-stream' })
          .end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/examples/page/`);
      await page
        .waitForFunction("document.querySelector('p').textContent.endsWith(' frames a second')", undefined, {
          timeout: 20_000,
        })
        .catch(() => {
          throw new Error(`no frame: ${errors.join('; ')}`);
        });
      await page.evaluate("window.scratch = new OffscreenCanvas(1, 1).getContext('2d')");
      const pixel = (x: number, y: number): Promise<number[]> =>
        page.evaluate(
          `scratch.drawImage(document.querySelector('canvas'), ${-x}, `
            + `${-y}), [...scratch.getImageData(0, 0, 1, 1).data]`
        );
      expect(await pixel(2, 2)).toEqual(BACKGROUND);
      // The middle: √⅓ of each color, wherever the vertices are.
      for (const channel of (await pixel(160, 160)).slice(0, 3)) expect(Math.abs(channel - 147)).toBeLessThan(4);
      const whole = "document.querySelector('canvas').toDataURL()";
      const first = await page.evaluate(whole);
      await page.waitForFunction(`${whole} !== ${JSON.stringify(first)}`, undefined, { timeout: 20_000 });
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
