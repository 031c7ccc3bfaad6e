// The examples, run like a reader would, with the built package.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { decode } from 'fast-png';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const CHROMIUM = '/usr/bin/chromium';
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const BACKGROUND = [20, 20, 26, 255];

interface Picture {
  readonly size: readonly number[];
  at(x: number, y: number): number[];
}

/** The picture that an example writes, in a separate folder; `at`: red, green, blue, alpha. */
function written(example: string): Picture {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL(`examples/${example}`, ROOT)), 'out.png'],
      { cwd: folder, encoding: 'utf8' }
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'Wrote out.png.\n', stderr: '' });
    const { width, height, data } = decode(readFileSync(join(folder, 'out.png')));
    return { size: [width, height], at: (x, y) => [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The output of an example that runs in a folder with these arguments. */
function said(
  folder: string,
  example: string,
  ...words: string[]
): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(`examples/${example}`, ROOT)), ...words],
    { cwd: folder, encoding: 'utf8' }
  );
  return { status, out: stdout, err: stderr };
}

/** The triangles of a model's mesh with that name. */
async function meshOf(file: string, name: string): Promise<{ positions: number[][]; indices: readonly number[] }> {
  const document = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(file);
  const mesh = document
    .getRoot()
    .listMeshes()
    .find((each) => each.getName() === name)!;
  const primitive = mesh.listPrimitives()[0]!;
  const accessor = primitive.getAttribute('POSITION')!;
  return {
    positions: Array.from({ length: accessor.getCount() }, (_, i) => accessor.getElement(i, [])),
    indices: [...primitive.getIndices()!.getArray()!],
  };
}

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
      const sums = [0, 0, 0, 0, 0];
      for (let i = 0; i < 64; i++) {
        const [p, q] = [a, b].map((picture) => picture(left + (i & 7), top + (i >> 3))) as [number, number];
        [p, q, p * p, q * q, p * q].forEach((value, k) => {
          sums[k]! += value / 64;
        });
      }
      const [p, q, pp, qq, pq] = sums as [number, number, number, number, number];
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
      const { status, out, err } = said(folder, 'shading/hybrid.mjs', 'out.png', '--stats');
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

  test('modifiers.mjs writes the picture of seven columns with shadows, each modified differently', () => {
    const { size, at } = written('modular/modifiers.mjs');
    expect(size).toEqual([640, 184]);
    const floor = at(3, 3);
    const shadow = at(86, 120);
    expect([floor, shadow]).toEqual([
      [222, 219, 214, 255],
      [189, 184, 179, 255],
    ]);
    const isBody = (x: number, y: number): boolean => ![floor, shadow].some((flat) => flat.join() === at(x, y).join());
    /** Extent of a column in a row: first pixel, and width. Columns are 87 pixels apart. */
    const across = (place: number, y: number): [number, number] => {
      const from = place * 87;
      const xs = Array.from({ length: 86 }, (_, i) => from + i).filter((x) => isBody(x, y));
      return [xs[0]! - from, xs.length];
    };
    const ROWS = [40, 85, 135];
    const [plain, inflated, , waved, bent] = [0, 1, 2, 3, 4].map((place) => ROWS.map((y) => across(place, y)));
    expect(inflated!.map(([, pixels], i) => Math.sign(pixels - plain![i]![1] - 10))).toEqual([-1, 1, -1]);
    expect(waved!.map(([left], i) => Math.sign(left - plain![i]![0]))).toEqual([1, -1, -1]);
    expect(bent!.map(([left], i) => left - plain![i]![0] > 10)).toEqual([true, true, false]);
  });

  test('lines.mjs writes the picture of a line, dashes, a line that ends, and discs', () => {
    const { size, at } = written('modular/lines.mjs');
    expect(size).toEqual([640, 184]);
    const paper = at(3, 3).join();
    /** Number of segments and pixels of a curve's row that differ from the paper. Curves are 160 pixels apart. */
    const across = (place: number, y: number): [number, number] => {
      const drawn = Array.from({ length: 160 }, (_, x) => at(place * 160 + x, y).join() !== paper);
      return [drawn.filter((is, x) => is && !drawn[x - 1]).length, drawn.filter(Boolean).length];
    };
    const [line, dashes, ending, discs] = [0, 1, 2, 3].map((place) => across(place, 18));
    expect([line![0], dashes![0], ending![0], discs![0]]).toEqual([1, 6, 1, 5]);
    expect(line![1]).toBeGreaterThan(30);
    expect(ending![1]).toBeLessThan(10);
  });

  test('fur.mjs writes the picture of a ball, and of four with increasingly processed strands', () => {
    const { size, at } = written('modular/fur.mjs');
    expect(size).toEqual([640, 184]);
    const floor = at(3, 3).join();
    const shadow = at(80, 135).join();
    expect([floor, shadow]).toEqual(['222,219,214,255', '189,184,179,255']);
    /** Pixels of a ball in its middle row. Balls are 126 pixels apart. */
    const [bare, stubble, long, combed, blown] = [0, 1, 2, 3, 4].map(
      (place) =>
        Array.from({ length: 126 }, (_, x) => at(place * 126 + x, 86).join()).filter(
          (pixel) => pixel !== floor && pixel !== shadow
        ).length
    );
    expect(bare).toBe(70);
    expect(stubble! - bare!).toBeGreaterThan(10);
    expect(combed! - stubble!).toBeGreaterThan(0);
    expect(long! - combed!).toBeGreaterThan(0);
    expect(blown! - stubble!).toBeGreaterThan(0);
  });

  test('subdivide.mjs writes a model with four times the triangles, rounder and without gaps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'modular/subdivide.mjs', '--stats');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatch(/^30,000 triangles became 120,000, with [\d,]+ vertices\.\n/);
      expect(out).toMatch(/\n +1 +split +\d+ +90,000 +240,000 +30,000 +120,000\n +2 +split +0 +0 +0 +0 +0\n/);
      expect(out).toMatch(/\nWrote subdivided\.glb\.\n$/);
      expect(readdirSync(folder)).toEqual(['subdivided.glb']);
      const sample = fileURLToPath(new URL('examples/sample.glb', ROOT));
      const made = join(folder, 'subdivided.glb');
      const [before, after] = await Promise.all(
        [sample, made].map(async (file) => {
          const document = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(file);
          const root = document.getRoot();
          return {
            nodes: root.listNodes().length,
            names: root.listMaterials().map((material) => material.getName()),
            images: root.listTextures().map((texture) => [...texture.getImage()!].length),
            sphere: root
              .listMeshes()
              .map((mesh) => mesh.getName())
              .find((name) => /glass/.test(name))!,
          };
        })
      );
      expect(after).toEqual(before);
      const [coarse, fine] = await Promise.all([sample, made].map((file) => meshOf(file, before!.sphere)));
      expect(fine!.indices).toHaveLength(coarse!.indices.length * 4);
      // A ball: new vertices are much closer to it than the midpoints of the old edges.
      const off = (p: readonly number[]): number => Math.abs(Math.hypot(...p) - 1);
      const middles = coarse!.indices.map((corner, i) => {
        const other = coarse!.indices[i % 3 === 2 ? i - 2 : i + 1]!;
        return coarse!.positions[corner]!.map((x, c) => (x + coarse!.positions[other]![c]!) / 2);
      });
      const worst = Math.max(...middles.map(off));
      expect(Math.max(...fine!.positions.map(off))).toBeLessThan(worst / 10);
      // No gaps: each edge, by its position, has triangles on both sides. (Triangles at the poles have degenerate
      // edges.)
      const edges = new Map<string, number>();
      fine!.indices.forEach((corner, i) => {
        const [a, b] = [corner, fine!.indices[i % 3 === 2 ? i - 2 : i + 1]!].map((v) => fine!.positions[v]!.join());
        if (a === b) return;
        const [key, turn] = a! < b! ? [`${a} ${b}`, 1] : [`${b} ${a}`, -1];
        edges.set(key, (edges.get(key) ?? 0) + turn);
      });
      expect([...edges.values()].filter((turns) => turns !== 0)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('subdivide.mjs reports invalid input', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const wrong = (...words: string[]): string => {
        const { status, out, err } = said(folder, 'modular/subdivide.mjs', ...words);
        expect({ status, out }).toEqual({ status: 1, out: '' });
        return err;
      };
      expect(wrong('nothing.glb')).toBe('subdivide: The model "nothing.glb" does not exist.\n');
      expect(wrong('--times', '4')).toMatch(/^subdivide: --times is "4"; it is 1, 2 or 3; usage: /);
      expect(wrong('--twice')).toMatch(/^subdivide: Unknown option '--twice'.*; usage: /);
      expect(wrong('a.glb', 'b.png')).toMatch(/^subdivide: The output "b.png" does not end in .glb; usage: /);
      const sample = fileURLToPath(new URL('examples/sample.glb', ROOT));
      expect(wrong(sample, 'no/folder.glb')).toMatch(/^subdivide: The model "no\/folder.glb" cannot be written: /);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('examples of modular pipelines print the statistics of their slots', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      for (const [name, row] of [
        ['modifiers', / +2 +twist +\d+ +[\d,]+ +[\d,]+ +0 +0\n/],
        ['lines', /widen +\d+/],
        ['fur', /grow +\d+/],
      ] as const) {
        const { status, out, err } = said(folder, `modular/${name}.mjs`, '--stats');
        expect({ status, err }).toEqual({ status: 0, err: '' });
        expect(out).toMatch(row);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('relief.mjs draws hills, hairs and outlines in one pipeline', () => {
    const { size, at } = written('modular/relief.mjs');
    expect(size).toEqual([768, 384]);
    const all = Array.from({ length: 768 * 384 }, (_, i) => at(i % 768, Math.floor(i / 768)));
    const dark = all.filter(([r, g, b]) => r! < 60 && g! < 60 && b! < 80).length;
    const green = all.filter(([r, g, b]) => g! > r! + 60 && g! > b! + 20).length;
    expect([dark > 300, green > 2000]).toEqual([true, true]);
    // Nothing is drawn at the top.
    expect(new Set(all.slice(0, 768 * 80).map((pixel) => pixel.join())).size).toBe(1);
  });

  test('terrain.mjs writes the picture of hills under a sky, and of their triangles', () => {
    const { size, at } = written('modular/terrain.mjs');
    expect(size).toEqual([640, 320]);
    // The sky is as wide as the picture.
    for (const y of [0, 40]) expect(new Set([0, 200, 399, 400, 639].map((x) => at(x, y).join())).size).toBe(1);
    /** Steps of brightness between pixels in a row of the lake, where only lines are visible. */
    const steps = (from: number, to: number): number =>
      Array.from({ length: to - from }, (_, i) => Math.abs(at(from + i, 300)[2]! - at(from + i + 1, 300)[2]!)).filter(
        (step) => step > 12
      ).length;
    expect(steps(590, 638)).toBeGreaterThan(4);
    expect(steps(0, 40)).toBeLessThan(3);
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
