// `rasterloom/gltf` as an installed package: in Node, imported and required, and in a page of Debian's Chromium, where
// the pictures have the same bits.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeAvif, hasAvif } from '../../src/node/models/encoders';
import { Builder } from '../gltf/build';
import { dracoTriangle } from './draco-triangle';
import { page, Project, serve, ISOLATION } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const project = new Project();
afterAll(() => project.remove());

const HASH = `
const hex = async (pixels) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', pixels)),
  (byte) => byte.toString(16).padStart(2, '0')).join('');
const size = { width: 64, height: 48 };
/** Hashes of the models' pictures, and what a kept model says. */
export async function run({ loadGltf, renderGltf, GltfError }, models) {
  const pictures = [];
  for (const model of models) pictures.push(await renderGltf(model, size));
  const png = await pictures[0].toPNG();
  const model = await loadGltf(models[0]);
  const steps = new Set();
  const turned = await model.render({ ...size, camera: { azimuth: 90 }, onProgress: ({ step }) => steps.add(step) });
  const again = await model.render(size);
  const refusals = [];
  const refused = (promise) => promise.then(() => refusals.push('accepted'),
    (error) => refusals.push([error.name, error.code ?? '', error.message].join(' ')));
  await refused(model.render({ widht: 5 }));
  await refused(model.render({ camera: 'front' }));
  await refused(renderGltf(new Uint8Array(4)));
  await refused(renderGltf(models[0], { memory: 1000 }));
  await refused(renderGltf(models[0], { signal: AbortSignal.abort(new Error('enough')) }));
  const passes = [];
  for (const options of [{ pass: 'depth' }, { pass: 'normal' }, { pass: 'object' }, { pass: 'ao' },
    { pass: 'albedo' }, { color: 'srgb16' }, { color: 'linear' }]) {
    const picture = await model.render({ ...size, ...options });
    const { pixels, depthRange, legend } = picture;
    const isExr = options.color === 'linear';
    const file = await (isExr ? picture.toEXR() : picture.toPNG({ depth: options.pass === 'albedo' ? 8 : 16 }));
    passes.push([pixels.constructor.name, pixels.length, await hex(pixels),
      depthRange ?? null, legend?.length ?? null, file[0]]);
  }
  await refused(pictures[0].toEXR());
  await refused(pictures[0].toPNG({ depth: 16 }));
  await refused(model.render({ pass: 'depths' }));
  await refused(model.render({ pass: 'motion' }));
  await refused(model.render({ pass: 'depth', color: 'linear' }));
  await refused(model.render({ aoRadius: 1 }));
  model.dispose();
  await refused(model.render());
  return {
    hashes: await Promise.all([...pictures, turned, again].map(({ pixels }) => hex(pixels))),
    png: [...png],
    steps: [...steps],
    triangles: model.info.triangles,
    passes,
    refusals,
  };
}
`;

interface Result {
  hashes: string[];
  png: number[];
  steps: string[];
  triangles: number;
  passes: [
    type: string,
    length: number,
    hash: string,
    depthRange: number[] | null,
    legend: number | null,
    byte: number,
  ][];
  refusals: string[];
}

/** Runs a program in the project's folder, which prints JSON. */
function node(name: string, program: string): Result {
  writeFileSync(project.path(name), program);
  const { stdout, stderr } = spawnSync(process.execPath, [name], { cwd: project.folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Result;
}

/** An unlit square in front of the camera, with an AVIF texture that is nearly transparent if `alpha` is low. */
async function avifSquare(alpha: number): Promise<Uint8Array> {
  const SIDE = 32;
  const texels = Uint8Array.from({ length: SIDE * SIDE * 4 }, (_, i) => {
    const [x, y] = [(i >> 2) % SIDE, (i >> 2) / SIDE];
    return [x * 8, y * 8, 255 - x * 4, alpha][i & 3];
  });
  const b = new Builder();
  const attributes = {
    POSITION: b.accessor('VEC3', Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0)),
    TEXCOORD_0: b.accessor('VEC2', Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0)),
  };
  const indices = b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 0, 2, 3));
  return b.glb({
    extensionsUsed: ['EXT_texture_avif', 'KHR_materials_unlit'],
    extensionsRequired: ['EXT_texture_avif'],
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes, indices, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } }, extensions: { KHR_materials_unlit: {} } }],
    textures: [{ extensions: { EXT_texture_avif: { source: 0 } } }],
    images: [{ bufferView: b.view(await encodeAvif(texels, SIDE, SIDE, 90)), mimeType: 'image/avif' }],
  });
}

const AVIF = `
/** Pixels of the pictures of models, or the errors. */
export const run = ({ renderGltf }, models) => Promise.all(models.map((model) =>
  renderGltf(model, { width: 64, height: 64, camera: { eye: [0, 0, 3], target: [0, 0, 0] }, toneMapping: 'linear' })
    .then(({ pixels }) => [...pixels], (error) => error.code + ' ' + error.message)));
`;

let drawn: Result;
beforeAll(async () => {
  mkdirSync(project.path('node_modules'), { recursive: true });
  for (const name of ['@gltf-transform', '@jsquash'])
    symlinkSync(
      fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)),
      project.path(`node_modules/${name}`)
    );
  writeFileSync(project.path('draco.glb'), await dracoTriangle());
  for (const name of ['run.mjs', 'run.js']) project.write(name, HASH);
  drawn = node(
    'gltf.mjs',
    `import * as gltf from 'rasterloom/gltf'; import { run } from './run.mjs';
    import { fileURLToPath } from 'node:url';
    const sample = fileURLToPath(new URL('sample.glb', import.meta.resolve('rasterloom')));
    console.log(JSON.stringify(await run(gltf, [sample, 'draco.glb'])));`
  );
}, 120_000);

test('pictures of paths, PNG files, progress, refusals', () => {
  const { hashes, png, steps, triangles, refusals } = drawn;
  expect(new Set(hashes).size).toBe(3);
  expect(hashes[3]).toBe(hashes[0]);
  expect(decode(Uint8Array.from(png))).toMatchObject({ width: 64, height: 48, channels: 3 });
  expect(steps).toEqual(['upload', 'decode', 'render']);
  expect(triangles).toBeGreaterThan(100);
  expect(refusals).toEqual([
    'TypeError  render: there is no option widht. Did you mean width?',
    expect.stringMatching(/^GltfError not-found The model has no camera "front"/),
    'GltfError invalid The file is neither a .glb nor the JSON text of a .gltf.',
    expect.stringMatching(/^GltfError too-large The file would make the model take/),
    'Error  enough',
    `TypeError  toEXR: color must be 'linear' for an EXR file, not "sRGB"`,
    "TypeError  toPNG: the picture has 8 bits per channel; draw it with color: 'srgb16' for depth, not 16",
    expect.stringMatching(/^TypeError {2}render: pass must be one of color, albedo, .*, not "depths"/),
    `TypeError  render: pass must be given with time or animation if it is 'motion', not "motion"`,
    `TypeError  render: color must be left out with pass: 'depth', not "linear"`,
    "TypeError  render: aoRadius must be given with pass: 'ao', not 1",
    'TypeError  render: the model was disposed',
  ]);
});

test('passes have pixels of their own kind', () => {
  const count = 64 * 48;
  expect(drawn.passes.map(([type, length, , , , byte]) => [type, length / count, byte])).toEqual([
    ['Float32Array', 1, 0x89],
    ['Float32Array', 3, 0x89],
    ['Uint32Array', 1, 0x89],
    ['Float32Array', 1, 0x89],
    ['Uint8Array', 4, 0x89],
    ['Uint16Array', 4, 0x89],
    ['Float32Array', 4, 0x76],
  ]);
  expect(drawn.passes[0][3]).toHaveLength(2);
  expect(drawn.passes[2][4]).toBe(16);
});

test('required, it draws the same', () => {
  const required = node(
    'gltf.cjs',
    `const gltf = require('rasterloom/gltf');
    const sample = require.resolve('rasterloom/package.json').replace('package.json', 'build/sample.glb');
    import('./run.mjs').then(({ run }) => run(gltf, [sample, 'draco.glb']))
      .then((result) => console.log(JSON.stringify(result)));`
  );
  expect(required.hashes).toEqual(drawn.hashes);
});

describe.skipIf(!existsSync(CHROMIUM))(`in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  const servers: Server[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
  });

  test.each([
    ['isolated', ISOLATION],
    ['not isolated', {}],
  ])(
    'that is %s, pictures have the same bits',
    async (_, headers) => {
      project.write(
        'index.html',
        page(`<script type="module">
        import * as gltf from './node_modules/rasterloom/build/gltf.browser.js';
        import { run } from './run.js';
        window.result = run(gltf, ['node_modules/rasterloom/build/sample.glb', new URL('draco.glb', location.href)])
          .catch((error) => String(error));
      </script>`)
      );
      const { url, server } = await serve(project.folder, headers);
      servers.push(server);
      const tab = await browser.newPage();
      await tab.goto(url);
      await tab.waitForFunction('window.result', undefined, { timeout: 20_000 });
      const result = (await tab.evaluate('window.result')) as Result;
      expect(result.hashes).toEqual(drawn.hashes);
      expect(result.passes).toEqual(drawn.passes);
      expect(result.refusals).toEqual(drawn.refusals);
      const pixels = (png: number[]): unknown => decode(Uint8Array.from(png)).data;
      expect(pixels(result.png)).toEqual(pixels(drawn.png));
    },
    120_000
  );

  test.skipIf(!hasAvif())('AVIF textures are decoded by the browser', async () => {
    for (const alpha of [255, 1]) writeFileSync(project.path(`${alpha}.glb`), await avifSquare(alpha));
    const whole = await avifSquare(255);
    writeFileSync(project.path('broken.glb'), whole.fill(255, whole.length - 150, whole.length - 4));
    for (const name of ['avif.mjs', 'avif.js']) project.write(name, AVIF);
    const [opaque, clear] = node(
      'avif-node.mjs',
      `import * as gltf from 'rasterloom/gltf'; import { run } from './avif.mjs';
      console.log(JSON.stringify(await run(gltf, ['255.glb', '1.glb'])));`
    ) as unknown as number[][];
    project.write(
      'index.html',
      page(`<script type="module">
        import { run } from './avif.js';
        // Each module finds a decoder of its own.
        const open = (n) => import('./node_modules/rasterloom/build/gltf.browser.js?' + n);
        const all = async () => {
          const decoded = await run(await open(1), ['255.glb', '1.glb', 'broken.glb']);
          ImageDecoder.isTypeSupported = async () => false;
          const unsupported = await run(await open(2), ['255.glb']);
          delete globalThis.ImageDecoder;
          return [...decoded, ...unsupported, ...(await run(await open(3), ['255.glb', 'broken.glb']))];
        };
        window.result = all().catch((error) => String(error));
      </script>`)
    );
    const { url, server } = await serve(project.folder, {});
    servers.push(server);
    const tab = await browser.newPage();
    await tab.goto(url);
    await tab.waitForFunction('window.result', undefined, { timeout: 20_000 });
    const found = (await tab.evaluate('window.result')) as (number[] | string)[];
    const worst = (of: number, from: number[]): unknown => {
      const pixels = found[of];
      return typeof pixels === 'string' ? pixels : Math.max(...pixels.map((value, i) => Math.abs(value - from[i])));
    };
    for (const difference of [worst(0, opaque), worst(1, clear), worst(4, opaque)])
      expect(difference).toBeLessThanOrEqual(4);
    const refused = 'Texture image 1 of 1 cannot be decoded:';
    const advice = 'use WebP, or a browser with AVIF.';
    expect([found[2], found[3], found[5]]).toEqual([
      expect.stringMatching(`^invalid ${refused} its data is damaged .*; save the image again, or export the model`),
      `unsupported ${refused} this browser cannot decode AVIF; ${advice}`,
      `unsupported ${refused} it is damaged, or this browser cannot decode AVIF; ${advice}`,
    ]);
  });
});
