// The examples of engines (examples/engines) with the packages as npm installs them: in Node like a reader runs them,
// and the same files bundled for a page's canvas in Debian's Chromium. The packages are in node_modules of the folder
// that RASTERLOOM_ENGINES names, by default build/engines (.ci/run installs them there). Examples with missing packages
// are skipped. By default, the page draws one example of each engine.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { chromium, type Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runsAll } from '../support/combinations';
import { firstDifference } from '../support/first-difference';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHROMIUM = '/usr/bin/chromium';
const PACKAGES = join(resolve(ROOT, process.env.RASTERLOOM_ENGINES ?? 'build/engines'), 'node_modules');

/** Where pictures are written. */
const KEPT = join(ROOT, 'build/engines-drawn');

type Point = readonly [number, number];
interface Example {
  readonly packages: readonly string[];
  /** Share of pixels that differ from the background. */
  readonly lit: readonly [number, number];
  /** A place in shadow, and one next to it on the same ground. */
  readonly shadow?: readonly [Point, Point];
  /** Share of pixels that are yellow. */
  readonly yellow?: readonly [number, number];
  /** Messages that the engine itself prints. */
  readonly says?: RegExp;
  /** The number of its steps, and a number of steps that suffices to compare the page with Node. */
  readonly steps?: readonly [from: string, to: string];
}
/** The browser's messages about its own WebGPU and its canvases. */
const BROWSER_SAYS = /^No available adapters\.$|GL Driver Message/;
const EXAMPLES: Record<string, Example> = {
  three: { packages: ['three'], lit: [0.1, 0.4] },
  // Beads that no shader has moved would be inside the ball; fast ones are yellow.
  'three-particles': {
    packages: ['three'],
    lit: [0.58, 0.62],
    yellow: [0.1, 0.14],
    shadow: [
      [324, 238],
      [140, 220],
    ],
  },
  // A cloth that has not moved would be above the ball, without folds; the ground next to it, and its shadow there.
  'three-cloth': {
    packages: ['three', 'three-simplecloth'],
    lit: [0.52, 0.57],
    yellow: [0.1, 0.14],
    shadow: [
      [240, 250],
      [140, 300],
    ],
  },
  // Without rates, the right half would have no yellow.
  'three-rates': { packages: ['three'], lit: [0.55, 0.8], yellow: [0.17, 0.21] },
  // Arms that no shader has bent would be upright, without a curled shadow.
  'three-skinning': {
    packages: ['three'],
    lit: [0.4, 0.43],
    yellow: [0.018, 0.024],
    shadow: [
      [470, 268],
      [540, 260],
    ],
  },
  babylon: {
    packages: ['@babylonjs/core', '@babylonjs/loaders'],
    lit: [0.3, 0.37],
    shadow: [
      [250, 190],
      [250, 240],
    ],
    says: /^BJS - \[[\d:]+\]: Babylon\.js v[\d.]+ - WebGPU1 engine$/,
  },
  playcanvas: {
    packages: ['playcanvas'],
    lit: [0.5, 0.62],
    shadow: [
      [380, 225],
      [380, 300],
    ],
  },
  // Squares of the same color.
  luma: {
    packages: ['@luma.gl/core', '@luma.gl/engine', '@luma.gl/shadertools', '@luma.gl/webgpu', '@math.gl/core'],
    lit: [0.28, 0.4],
    shadow: [
      [390, 240],
      [480, 255],
    ],
  },
  // It mistakes the members of an entry point's parameter for externals, and leaves them unchanged.
  typegpu: {
    packages: ['typegpu'],
    lit: [0.28, 0.4],
    shadow: [
      [390, 212],
      [480, 225],
    ],
    says: /\[external-omitted\] .* the external 'in\.(normal|uv|light)'/,
  },
  // Without dispatches there would be only the seeds; a hole in a ring, and the ring.
  'typegpu-compute': {
    packages: ['typegpu'],
    steps: ['STEPS = 2200;', 'STEPS = 300;'],
    lit: [0.66, 0.73],
    yellow: [0.28, 0.34],
    shadow: [
      [500, 110],
      [447, 100],
    ],
  },
  // A place without glow, and one next to a light, where the scene itself is dark.
  'three-effects': {
    packages: ['three'],
    lit: [0.62, 0.74],
    yellow: [0.07, 0.12],
    shadow: [
      [60, 60],
      [320, 90],
    ],
  },
  // Smoke that has not moved would be missing; there is none in the ball's wake, and some below it.
  jax: {
    packages: ['@jax-js/jax'],
    steps: ['STEPS = 100;', 'STEPS = 10;'],
    lit: [0.38, 0.47],
    yellow: [0.015, 0.03],
    shadow: [
      [300, 165],
      [300, 238],
    ],
  },
  // Blocks outside of the camera's view or without their matrices would leave the middle dark.
  'wgpu-matrix': { packages: ['wgpu-matrix'], lit: [0.48, 0.53], yellow: [0.045, 0.075] },
  // The same place next to a line of ink: dark where the network has drawn it, gray where it is blurred.
  anime4k: {
    packages: ['anime4k-webgpu'],
    lit: [0.6, 0.68],
    yellow: [0.13, 0.18],
    shadow: [
      [414, 183],
      [94, 183],
    ],
  },
  // The ground varies in color; the disc shows what the network has learned.
  tensorflow: {
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-webgpu'],
    steps: ['STEPS = 60;', 'STEPS = 10;'],
    lit: [0.9, 1],
    yellow: [0.12, 0.2],
  },
};
const missing = ({ packages }: Example): string[] =>
  packages.filter((name) => !existsSync(join(PACKAGES, name)) && !existsSync(join(ROOT, 'node_modules', name)));

/** Whether the page draws an example by default: the first one of each engine. */
const isInPage = (name: string): boolean =>
  runsAll
  || Object.keys(EXAMPLES).find((other) => EXAMPLES[other]!.packages[0] === EXAMPLES[name]!.packages[0]) === name;

/** Prepended to an example: prints uncaptured errors to the error stream. */
const ERRORS = `
import { globals } from 'rasterloom';
const { requestDevice } = globals.GPUAdapter.prototype;
globals.GPUAdapter.prototype.requestDevice = async function (...args) {
  const device = await requestDevice.apply(this, args);
  device.addEventListener('uncapturederror', ({ error }) => console.error(error.message));
  return device;
};`;
/** What the examples import, for a page. */
const FOR_PAGE: Record<string, string> = {
  rasterloom: `
import '/register.browser.js';
import { create } from '/index.browser.js';
const { requestDevice } = GPUAdapter.prototype;
GPUAdapter.prototype.requestDevice = async function (...args) {
  const device = await requestDevice.apply(this, args);
  device.addEventListener('uncapturederror', ({ error }) => console.error(error.message));
  return device;
};
// What is registered has no options.
export const install = (options) => {
  if (options) Object.defineProperty(navigator, 'gpu', { value: create(options), configurable: true });
};
export function createCanvas(width, height) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.toPNG = () => new Promise((done) => canvas.toBlob((blob) => done(blob.arrayBuffer())));
  document.body.append(canvas);
  return canvas;
}`,
  'node:fs': `
const sample = await (await fetch('/sample.glb')).arrayBuffer();
export const readFileSync = () => sample;
export function writeFileSync(name, bytes) {
  window.written = btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''));
}`,
};

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}
/** Files of opaque pictures may omit the alpha channel. */
function decoded(file: Uint8Array): Picture {
  const { width, height, channels, data } = decode(file);
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) rgba.set(data.subarray(i * channels, (i + 1) * channels), i * 4);
  return { width, height, data: rgba };
}
const pixel = ({ width, data }: Picture, [x, y]: Point): number[] => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
];
const brightness = (picture: Picture, point: Point): number => pixel(picture, point).reduce((sum, part) => sum + part);

function check(picture: Picture, { lit, yellow, shadow }: Example): void {
  expect([picture.width, picture.height]).toEqual([640, 360]);
  const background = String(pixel(picture, [2, 2]));
  const share = (is: (color: readonly number[]) => boolean): number => {
    let count = 0;
    for (let y = 0; y < 360; y++) for (let x = 0; x < 640; x++) if (is(pixel(picture, [x, y]))) count++;
    return count / (640 * 360);
  };
  const shares = [share((color) => String(color) !== background), share(([r, , b]) => r! > 120 && r! > 1.5 * b!)];
  for (const [i, bounds] of [lit, yellow].entries()) {
    if (!bounds) continue;
    expect(shares[i]).toBeGreaterThan(bounds[0]);
    expect(shares[i]).toBeLessThan(bounds[1]);
  }
  if (shadow) expect(brightness(picture, shadow[0])).toBeLessThan(0.7 * brightness(picture, shadow[1]));
}

function keep(name: string, file: Uint8Array): Picture {
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(join(KEPT, `${name}.png`), file);
  return decoded(file);
}

/** A folder with the examples' packages. */
let folder = '';
const pictures = new Map<string, Picture>();
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rasterloom-')));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  if (existsSync(PACKAGES))
    for (const name of readdirSync(PACKAGES))
      if (/^three-/.test(name)) {
        // Extensions of three.js resolve the same copy as the example.
        cpSync(join(PACKAGES, name), join(modules, name), { recursive: true });
      } else if (!/^(\.|rasterloom$|three$)/.test(name)) symlinkSync(join(PACKAGES, name), join(modules, name));
  symlinkSync(join(ROOT, 'node_modules/three'), join(modules, 'three'));
  symlinkSync(ROOT, join(modules, 'rasterloom'));
  for (const [name, { steps }] of Object.entries(EXAMPLES)) {
    const code = readFileSync(join(ROOT, `examples/engines/${name}.mjs`), 'utf8');
    writeFileSync(join(folder, `${name}.mjs`), code);
    if (!steps) continue;
    expect(code.split(steps[0]), name).toHaveLength(2);
    const short = code.replace(...(steps as [string, string])).replaceAll(`${name}.png`, `${name}-short.png`);
    writeFileSync(join(folder, `${name}-short.mjs`), short);
  }
  writeFileSync(join(folder, 'errors.mjs'), ERRORS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const unexpected = (lines: readonly string[], { says }: Example): string[] =>
  lines.filter((line) => line !== '' && !says?.test(line));

function drawInNode(name: string, example: Example): Picture {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', './errors.mjs', `${name}.mjs`], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, said: unexpected(`${stdout}\n${stderr}`.split('\n'), example) }).toEqual({ status: 0, said: [] });
  return keep(name, readFileSync(join(folder, `${name}.png`)));
}

/** Bundles the example as a module for a page. */
async function bundle(name: string): Promise<string> {
  const made = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'for-page',
        enforce: 'pre',
        resolveId: (source) => {
          if (source in FOR_PAGE) return `\0${source}`;
          return /^\/(register|index)\.browser\.js$/.test(source) ? { id: source, external: true } : null;
        },
        load: (id) => FOR_PAGE[id.slice(1)] ?? null,
      },
    ],
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      modulePreload: false,
      lib: { entry: join(folder, `${name}.mjs`), formats: ['es'] },
      // Engines are large, and little of them can be left out.
      rollupOptions: { treeshake: false, output: { codeSplitting: false } },
    },
  });
  const [
    {
      output: [{ code }],
    },
  ] = made as unknown as [{ output: [{ code: string }] }];
  return code;
}

describe('an engine example in Node', () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const absent = missing(example);
    const needs = absent.length > 0 ? ` (needs ${absent.join(', ')} in ${PACKAGES})` : '';
    test.skipIf(absent.length > 0)(`${name}.mjs${needs}`, () => {
      const picture = drawInNode(name, example);
      pictures.set(name, picture);
      check(picture, example);
    });
  }
});

describe.skipIf(!existsSync(CHROMIUM))(`an engine example in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let server: Server;
  const bundles = new Map<string, string>();
  const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
  beforeAll(async () => {
    server = createServer(({ url = '/' }, response) => {
      const name = url.slice(1);
      const file = join(ROOT, 'build', name);
      response
        .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      if (bundles.has(name)) response.setHeader('Content-Type', 'text/javascript').end(bundles.get(name));
      else if (name.endsWith('.html'))
        response
          .setHeader('Content-Type', 'text/html')
          .end(
            '<!doctype html><link rel="icon" href="data:,"><body>'
              + `<script type="module" src="/${name.slice(0, -5)}"></script>`
          );
      else if (existsSync(file))
        response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  for (const [name, example] of Object.entries(EXAMPLES).filter(([each]) => isInPage(each))) {
    const absent = missing(example);
    test.skipIf(absent.length > 0)(
      `${name}.mjs draws the same on a page's canvas`,
      async () => {
        const file = example.steps ? `${name}-short` : name;
        bundles.set(file, await bundle(file));
        const tab = await browser.newPage({ viewport: { width: 700, height: 400 } });
        const said: string[] = [];
        tab.on('pageerror', (error) => said.push(error.message));
        tab.on('console', (message) => {
          if (/error|warning/.test(message.type())) said.push(message.text());
        });
        await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${file}.html`);
        await tab.waitForFunction('window.written', undefined, { timeout: 90_000 }).catch(() => {
          throw new Error(`no picture: ${said.join('; ')}`);
        });
        const picture = keep(`${file}-page`, Buffer.from((await tab.evaluate('window.written')) as string, 'base64'));
        await tab.close();
        if (!example.steps) check(picture, example);
        expect(unexpected(said, example).filter((text) => !BROWSER_SAYS.test(text))).toEqual([]);
        const node = pictures.get(file) ?? drawInNode(file, example);
        expect(firstDifference(node.data, picture.data)).toBe(-1);
      },
      180_000
    );
  }
});
