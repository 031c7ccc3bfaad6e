// Pages like those of a WebGPU gallery (gallery/), in Node with install() and in Debian's Chromium after `import
// 'rasterloom/register'`. The screen must equal Node's canvases bit by bit. Browser tests are skipped without Chromium.
// Pictures are written to build/gallery/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { chromium, type Browser, type Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Canvas } from '../../src/index';
import { builtPackage } from '../images/open';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = new URL('../../build/', import.meta.url);
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const FILES: Record<string, [string, string]> = {
  '/': [
    'text/html',
    `<!doctype html><title>Gallery</title><link rel="icon" href="data:,"><body style="margin: 0">
    <script type="module">import '/register.browser.js'; import '/testing/gallery-page.js';</script>`,
  ],
  '/worker.js': ['text/javascript', "import '/register.browser.js'; import '/testing/gallery-worker.js';"],
};

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}
type Rgb = readonly number[];
const pixel = ({ width, data }: Picture, x: number, y: number): Rgb => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
];
const shareOf = (picture: Picture, is: (color: Rgb) => boolean): number => {
  let count = 0;
  for (let i = 0; i < picture.data.length; i += 4) if (is([...picture.data.subarray(i, i + 3)])) count++;
  return count / (picture.width * picture.height);
};

/** Stacks the canvases vertically, like the page; the rest is white. */
function stacked(pictures: readonly { width: number; height: number; data: Uint8ClampedArray }[]): Picture {
  const width = Math.max(...pictures.map((p) => p.width));
  const height = pictures.reduce((sum, p) => sum + p.height, 0);
  const data = new Uint8Array(width * height * 4).fill(255);
  let top = 0;
  for (const picture of pictures) {
    for (let y = 0; y < picture.height; y++)
      data.set(picture.data.subarray(y * picture.width * 4, (y + 1) * picture.width * 4), (top + y) * width * 4);
    top += picture.height;
  }
  return { width, height, data };
}
/** The number of pixels that differ, and the first of them; null if there are none. */
function difference(actual: Picture, wanted: Picture): string | null {
  let count = 0;
  let first = '';
  for (let i = 0; i < wanted.data.length; i += 4) {
    const [a, b] = [actual, wanted].map(({ data }) => data.subarray(i, i + 3).join());
    const at = i / 4;
    if (a !== b && count++ === 0) first = `(${at % wanted.width}, ${Math.floor(at / wanted.width)}): ${a}, not ${b}`;
  }
  return count === 0 ? null : `${count} pixels differ, the first at ${first}`;
}

const folder = fileURLToPath(new URL('gallery/', BUILD));
function keep(name: string, picture: Picture): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.png`, encode({ ...picture, channels: 4 }));
}

/** A 96×64 picture with a visible orientation, as a file. */
function pngFile(): string {
  const data = new Uint8Array(96 * 64 * 4);
  for (let y = 0; y < 64; y++)
    for (let x = 0; x < 96; x++) {
      const isCorner = x < 24 && y < 16;
      const square = ((x >> 3) ^ (y >> 3)) & 1 ? [200, 40 + x, 30] : [20, 60, 40 + y * 2];
      data.set([...(isCorner ? [255, 255, 255] : square), 255], (y * 96 + x) * 4);
    }
  return (
    'data:image/png;base64,' + `${Buffer.from(encode({ width: 96, height: 64, channels: 4, data })).toString('base64')}`
  );
}
const PICTURE = pngFile();

interface Check {
  /** Positions and their colors. */
  readonly colors: readonly (readonly [number, number, Rgb])[];
  /** Bounds for the share of pixels that differ from the first of those positions. */
  readonly share: readonly [number, number];
  /** The page's result. */
  readonly found?: unknown;
}
const CHECKS: Record<string, Check> = {
  texturedCube: {
    colors: [
      [2, 2, [128, 128, 128]],
      [80, 80, [0, 130, 73]],
      [125, 110, [3, 93, 217]],
      [124, 65, [8, 200, 116]],
    ],
    share: [0.22, 0.24],
  },
  instancedCubes: {
    colors: [
      [2, 2, [26, 26, 38]],
      [45, 20, [54, 225, 180]],
      [195, 20, [149, 149, 60]],
      [185, 135, [149, 36, 60]],
    ],
    share: [0.35, 0.38],
  },
  skybox: {
    colors: [
      [200, 60, [220, 60, 60]],
      [118, 3, [255, 255, 255]],
      [125, 62, [81, 120, 144]],
    ],
    share: [0.6, 0.9],
  },
  // The sky; the lit floor, and the floor in the shadow of cubes; a side that faces away from the light.
  shadowMapping: {
    colors: [
      [5, 5, [140, 179, 230]],
      [160, 95, [172, 172, 162]],
      [135, 127, [54, 54, 51]],
      [120, 80, [57, 22, 13]],
    ],
    share: [0.48, 0.51],
  },
  lines: {
    colors: [
      [2, 2, [0, 0, 0]],
      [60, 80, [254, 255, 254]],
      [60, 20, [22, 22, 75]],
    ],
    share: [0.15, 0.17],
  },
  points: { colors: [[2, 2, [0, 0, 26]]], share: [0.17, 0.2] },
  renderBundle: {
    colors: [
      [2, 2, [51, 38, 64]],
      [130, 100, [84, 146, 108]],
      [143, 40, [102, 92, 214]],
    ],
    share: [0.13, 0.16],
  },
  // The picture's white corner; far away, little is left of its squares.
  imageImport: {
    colors: [
      [5, 5, [124, 149, 203]],
      [80, 14, [255, 255, 255]],
      [120, 88, [147, 76, 84]],
    ],
    share: [0.62, 0.68],
    found: [96, 64, 7],
  },
  severalCanvases: {
    colors: [
      [2, 2, [230, 230, 230]],
      [118, 32, [128, 128, 255]],
      [40, 92, [0, 77, 77]],
      [30, 180, [128, 0, 128]],
    ],
    share: [0.7, 0.75],
  },
  picking: {
    colors: [
      [2, 2, [26, 26, 26]],
      [178, 128, [222, 133, 22]],
      [100, 75, [111, 133, 155]],
    ],
    share: [0.3, 0.33],
    found: [0, 9, 6, 4],
  },
  // Marks of the visible cubes, and missing marks.
  occlusion: {
    colors: [
      [60, 148, [26, 31, 26]],
      [90, 148, [46, 92, 107]],
      [150, 148, [92, 92, 77]],
      [210, 148, [26, 31, 26]],
    ],
    share: [0.13, 0.16],
    found: [false, false, true, true, true, true, false],
  },
  histogram: {
    colors: [
      [239, 0, [16, 1, 77]],
      [60, 100, [255, 255, 255]],
      [80, 30, [143, 80, 77]],
    ],
    share: [0.9, 1],
    found: {
      bins: expect.toSatisfy((bins: number[]) => bins.reduce((sum, bin) => sum + bin) === 240 * 160) as unknown,
      listed: 424,
      brightest: 63,
      distinct: 424,
      first: 13999,
      last: 19520,
    },
  },
};

interface Drawing {
  readonly picture: Picture;
  readonly found: unknown;
  readonly errors: readonly string[];
}
/** Runs a page of the gallery in Node. */
async function drawInNode(name: string): Promise<Drawing> {
  const { createCanvas, install } = await builtPackage();
  const uninstall = install({ threads: 1 });
  try {
    const { gallery } = (await import(
      /* @vite-ignore */ new URL('testing/gallery.js', BUILD).href
    )) as typeof import('./gallery');
    const canvases: Canvas[] = [];
    const errors: string[] = [];
    const found = await gallery[name]!({
      addCanvas: (width, height) => {
        const canvas = createCanvas(width, height);
        canvases.push(canvas);
        return canvas as unknown as HTMLCanvasElement;
      },
      failed: (message) => void errors.push(message),
      picture: PICTURE,
    });
    return { picture: stacked(await Promise.all(canvases.map((canvas) => canvas.getPixels()))), found, errors };
  } finally {
    uninstall();
  }
}
const drawings = new Map<string, Promise<Drawing>>();
const drawnInNode = (name: string): Promise<Drawing> => {
  if (!drawings.has(name)) drawings.set(name, drawInNode(name));
  return drawings.get(name)!;
};

describe('a page in Node', () => {
  for (const [
    name,
    {
      colors,
      share: [least, most],
      found: wanted,
    },
  ] of Object.entries(CHECKS))
    test(name, async () => {
      const { picture, found, errors } = await drawnInNode(name);
      const [[x, y]] = colors as [readonly [number, number, Rgb]];
      keep(name, picture);
      expect(errors).toEqual([]);
      expect(found).toEqual(wanted);
      expect(colors.map(([x, y]) => [x, y, pixel(picture, x, y)])).toEqual(colors);
      const background = pixel(picture, x, y).join();
      const share = shareOf(picture, (color) => color.join() !== background);
      expect(share).toBeGreaterThan(least);
      expect(share).toBeLessThan(most);
    });
});

describe.skipIf(!existsSync(CHROMIUM))(`a page of a browser (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let server: Server;
  let tab: Tab;
  const said: string[] = [];

  beforeAll(async () => {
    server = createServer(({ url = '/' }, response) => {
      const file = new URL(`.${url}`, BUILD);
      const [type, body] = FILES[url] ?? [TYPES[extname(url)], existsSync(file) ? readFileSync(file) : null];
      if (body === null) response.writeHead(404).end();
      else
        response
          .writeHead(200, {
            'Content-Type': type,
            'Cross-Origin-Opener-Policy': 'same-origin',
            'Cross-Origin-Embedder-Policy': 'require-corp',
          })
          .end(body);
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
    tab.on('pageerror', (error) => said.push(error.message));
    // The browser's message about its own WebGPU.
    tab.on('console', (message) => {
      if (message.text() !== 'No available adapters.') said.push(message.text());
    });
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.waitForFunction('window.tests', undefined, { timeout: 20_000 }).catch((error: unknown) => {
      throw new Error(`the page did not start: ${said.join('; ') || String(error)}`);
    });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** Runs one of the page's tests, which must cause no messages of the device or the console. */
  async function run(call: string, ...args: readonly unknown[]): Promise<unknown> {
    const { found, errors } = (await tab.evaluate(
      `tests.${call}(${args.map((arg) => JSON.stringify(arg)).join()})`
    )) as { found: unknown; errors: string[] };
    expect({ errors, said: said.splice(0) }).toEqual({ errors: [], said: [] });
    return found;
  }
  /** The upper left part of the screen. */
  async function screen(width: number, height: number): Promise<Picture> {
    const { data, channels } = decode(await tab.screenshot({ clip: { x: 0, y: 0, width, height } }));
    const picture = { width, height, data: new Uint8Array(width * height * 4).fill(255) };
    for (let i = 0; i < width * height; i++) picture.data.set(data.subarray(i * channels, i * channels + 3), i * 4);
    return picture;
  }

  for (const name of Object.keys(CHECKS))
    test(`${name} is on the screen as in Node`, async () => {
      const node = await drawnInNode(name);
      expect((await run('draw', name, PICTURE)) ?? undefined).toEqual(node.found);
      const picture = await screen(node.picture.width, node.picture.height);
      keep(`${name}-page`, picture);
      expect(difference(picture, node.picture)).toBe(null);
    });

  for (const name of ['shadowMapping', 'renderBundle'])
    test(`${name} in a worker, on the OffscreenCanvas of an element, is as in Node`, async () => {
      const { picture } = await drawnInNode(name);
      expect(await run('inWorker', name, picture.width, picture.height)).toEqual([]);
      // The browser presents what a worker has drawn at some later time.
      await expect.poll(async () => difference(await screen(picture.width, picture.height), picture)).toBe(null);
    });

  test('video: frames of an element and generated ones, as external textures', async () => {
    await run('video');
    const picture = await screen(240, 120);
    const centers = [
      [30, 30],
      [90, 30],
      [30, 90],
      [90, 90],
    ] as const;
    keep('video', picture);
    const quarters = [
      [224, 32, 32],
      [32, 192, 32],
      [32, 64, 224],
      [224, 224, 64],
    ];
    // The element's video has been encoded and decoded.
    expect(centers.map(([x, y]) => pixel(picture, x, y))).toEqual(
      quarters.map((color) => color.map((channel) => expect.closeTo(channel, -1) as number))
    );
    expect(centers.map(([x, y]) => pixel(picture, 120 + x, y))).toEqual([
      ...quarters.slice(3),
      ...quarters.slice(0, 3),
    ]);
  });

  test('a canvas follows the size of its element', async () => {
    expect(
      await run('resize', [
        ['120px', '50px'],
        ['300px', '200px'],
        ['50%', '90px'],
      ])
    ).toEqual(['120x50', '300x200', '200x90']);
    const picture = await screen(201, 91);
    const red = [255, 0, 0];
    const squares = [
      [0, 0, 102],
      [255, 255, 153],
    ];
    keep('resize', picture);
    expect(
      [
        [0, 0],
        [199, 0],
        [0, 89],
        [199, 89],
        [100, 0],
        [199, 40],
      ].map(([x, y]) => pixel(picture, x!, y!))
    ).toEqual(new Array(6).fill(red));
    expect([pixel(picture, 200, 40), pixel(picture, 40, 90)]).toEqual([
      [255, 255, 255],
      [255, 255, 255],
    ]);
    for (let x = 1; x < 199; x++) expect(pixel(picture, x, 50)).toEqual(squares[((x >> 3) + (50 >> 3)) % 2]);
  });
});
