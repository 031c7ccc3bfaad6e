// `rasterloom tile`, and models whose images it has tiled: the files, and the pictures drawn from them.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'fast-png';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCommand } from '../../src/cli/options/options';
import { TileFile, tileFileName, writeTiles } from '../../src/cli/tile-file';
import { mipChain } from '../../src/gltf/images/mips';
import { Builder } from '../gltf/build';
import { Workshop } from './program';

const HELMET = fileURLToPath(new URL('../../../shared/assets/DamagedHelmet.glb', import.meta.url));
const workshop = new Workshop();
afterAll(() => workshop.remove());

/** Bytes that vary smoothly like those of images, and never repeat. */
const noise = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i >> 4) + (Math.imul(i + seed, 0x9e3779b1) >>> 29));
/** Represents the image file from which the mip chains were made. */
const IMAGE = Uint8Array.of(7, 7, 7);
const png = (width: number, height: number, seed: number): Uint8Array =>
  encode({ width, height, channels: 4, data: noise(width * height * 4, seed) });

/** A square that shows two images, of colors and of numbers. */
function square(...sizes: readonly (readonly [number, number])[]): Uint8Array {
  const builder = new Builder();
  const views = sizes.map(([width, height], i) => builder.view(png(width, height, i)));
  const position = builder.accessor('VEC3', Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0));
  const uv = builder.accessor('VEC2', Float32Array.of(0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0));
  return builder.glb({
    images: views.map((bufferView, i) => ({ bufferView, mimeType: 'image/png', name: `image ${i}` })),
    textures: views.map((_, source) => ({ source })),
    materials: [
      {
        pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicRoughnessTexture: { index: views.length - 1 } },
      },
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: position, TEXCOORD_0: uv }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
  });
}
const modes = {
  'on one thread': ['--threads', '0'],
  'interpreted, on two': ['--engine', 'interpreter', '--threads', '2'],
};

describe('tile files', () => {
  it('hold the texels of all levels, in pages of any size', async () => {
    const side = fc.integer({ min: 1, max: 150 });
    const size = fc.constantFrom(16, 32, 64, 128);
    await fc.assert(
      fc.asyncProperty(side, side, size, fc.boolean(), async (width, height, pageSize, srgb) => {
        const chain = mipChain({ width, height, data: noise(width * height * 4, width) }, srgb);
        const path = workshop.path('any.tiles');
        const bytes = await writeTiles(path, IMAGE, chain, pageSize);
        expect(bytes).toBe(readFileSync(path).length);
        const file = await TileFile.open(path, IMAGE);
        expect([file.width, file.height, file.levels]).toEqual([width, height, chain.levels.length]);
        for (const [k, level] of chain.levels.entries()) {
          const texels = new Uint8Array(level.data.length);
          for (let y = 0; y * pageSize < level.height; y++)
            for (let x = 0; x * pageSize < level.width; x++) {
              const page = await file.page(k, x, y);
              const across = Math.min(pageSize, level.width - x * pageSize) * 4;
              for (let row = 0; row * across < page.length; row++) {
                const at = ((y * pageSize + row) * level.width + x * pageSize) * 4;
                texels.set(page.subarray(row * across, (row + 1) * across), at);
              }
            }
          expect(texels).toEqual(level.data);
        }
        await file.close();
      }),
      { numRuns: 25, seed: 20261124 }
    );
  });

  it('are rejected if invalid or incomplete', async () => {
    const chain = mipChain({ width: 70, height: 20, data: noise(5600, 1) }, false);
    const path = workshop.path('whole.tiles');
    await writeTiles(path, IMAGE, chain, 32);
    const whole = readFileSync(path);
    const with1 = (at: number, value: number): Uint8Array => {
      const copy = new Uint8Array(whole);
      copy[at] = value;
      return copy;
    };
    const broken = {
      empty: new Uint8Array(0),
      'cut off': whole.subarray(0, -1),
      'cut in its index': whole.subarray(0, 62),
      'of another kind': with1(7, 0x31),
      'of no width': with1(40, 0),
      'with a page of 33': with1(48, 33),
      'with a level more': with1(52, 8),
      'with a page of other length': with1(56, whole[56]! ^ 1),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      workshop.write(`${name}.tiles`, bytes);
      await expect(TileFile.open(workshop.path(`${name}.tiles`), IMAGE), name).rejects.toThrow(
        /^The tiles ".*" are damaged; create them/
      );
    }
    await expect(TileFile.open(path, Uint8Array.of(1))).rejects.toThrow(
      /^The tiles ".*" belong to another image; create them/
    );
    await expect(TileFile.open(workshop.path('none.tiles'), IMAGE)).rejects.toThrow(
      /^The tiles ".*none.tiles" does not exist/
    );
    // A page is checked when it is read.
    workshop.write('page.tiles', with1(whole.length - 1, whole.at(-1)! ^ 0xff));
    const file = await TileFile.open(workshop.path('page.tiles'), IMAGE);
    expect(await file.page(0, 0, 0)).toHaveLength(32 * 20 * 4);
    await expect(file.page(file.levels - 1, 0, 0)).rejects.toThrow(/are damaged/);
    await file.close();
  });
});

describe('rasterloom tile', () => {
  it('tiles the images of a model, and its picture is the same', async () => {
    workshop.write('square.glb', square([300, 200], [64, 64]));
    const tiled = await workshop.run('tile', 'square.glb', '-o', 'tiles', '--page-size', '32');
    expect([tiled.code, tiled.err]).toEqual([0, '']);
    expect(tiled.out).toMatch(
      new RegExp(
        /^The texture image "image 0": 300 × 200 colours, [\d.]+ KiB in tiles.*\n/.source
          + /The texture image "image 1": 64 × 64 numbers, [\d.]+ KiB in tiles.*\nWrote 2 files of tiles; /.source
          + /rasterloom render --stream tiles reads them\.\n$/.source
      )
    );
    const view = ['-s', '60x40', '--camera', 'orbit:40,20'];
    await workshop.run('render', 'square.glb', ...view, '-o', 'whole.png');
    for (const words of Object.values(modes)) {
      const { code, out, err } = await workshop.run(
        'render',
        'square.glb',
        ...view,
        ...words,
        '-o',
        'streamed.png',
        '--stream',
        'tiles',
        '--stats'
      );
      expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote streamed.png in .\n']);
      expect(out).toMatch(/^pages +\d+ loaded, 0 evicted, [\d.]+ KiB resident; \d+ tile replays$/m);
      expect(readFileSync(workshop.path('streamed.png'))).toEqual(readFileSync(workshop.path('whole.png')));
    }
  }, 30_000);

  it('tiles one image, of colors or of numbers', async () => {
    const bytes = png(40, 30, 7);
    workshop.write('one.png', bytes);
    const first = await workshop.run('tile', 'one.png', '-o', 'new/folder', '--json');
    const second = await workshop.run('tile', 'one.png', '-o', 'new/folder', '--data', '--json');
    const [colours, numbers] = [first, second].map(({ out }) => (JSON.parse(out) as object[])[0]);
    const each = { image: 'The image "one.png"', width: 40, height: 30, levels: 6 };
    expect(colours).toMatchObject({ ...each, srgb: true, file: join('new/folder', tileFileName(bytes, true)) });
    expect(numbers).toMatchObject({ ...each, srgb: false, file: join('new/folder', tileFileName(bytes, false)) });
    expect(readdirSync(workshop.path('new/folder')).sort()).toEqual([
      tileFileName(bytes, false),
      tileFileName(bytes, true),
    ]);
  });

  it('reports errors, and writes nothing', async () => {
    workshop.write('plain.glb', square());
    workshop.write('text.txt', 'a story');
    mkdirSync(workshop.path('dir'));
    const cases: [string[], number, RegExp][] = [
      [['gone.glb', '-o', 'x'], 3, /^rasterloom: The model or image "gone.glb" does not exist\.\n$/],
      [['dir', '-o', 'x'], 3, /^rasterloom: The model or image "dir" is a folder/],
      [['text.txt', '-o', 'x'], 3, /The image "text.txt" is not a PNG, JPEG or WebP image/],
      [
        ['square.glb', '-o', 'text.txt'],
        4,
        /^rasterloom: The folder "text.txt" cannot be created: a file with that name exists\.\n$/,
      ],
      [
        ['square.glb', '-o', 'text.txt/sub'],
        4,
        /^rasterloom: The folder "text.txt\/sub" cannot be created: a part of its path is a file\.\n$/,
      ],
      [['square.glb', '-o', 'x', '--data'], 2, /--data is only for a single image/],
    ];
    for (const [words, expected, message] of cases) {
      const { code, err } = await workshop.run('tile', ...words);
      expect([code, err]).toEqual([expected, expect.stringMatching(message)]);
    }
    expect(existsSync(workshop.path('x'))).toBe(false);
  }, 30_000);

  it.each<[string[], RegExp]>([
    [['tile'], /^A model or image to tile is missing/],
    [['tile', 'a.glb'], /^The folder for the tiles is missing/],
    [['tile', 'a.glb', 'b.glb', '-o', 'x'], /^Only one model or image can be tiled at a time; "b.glb"/],
    [['tile', 'a.glb', '-o', 'x', '--page-size', '100'], /^--page-size must be one of 16, 32, .*, not "100"\.$/],
    [['tile', 'a.glb', '-o', 'x', '--page'], /^There is no option --page\..*See "rasterloom tile --help"\.$/],
  ])('rejects %j', (words, message) => expect(() => parseCommand(words)).toThrow(message));

  it('has a page of help', async () => {
    for (const words of [
      ['tile', '--help'],
      ['help', 'tile'],
    ])
      expect((await workshop.run(...words)).out).toMatch(/^rasterloom tile: cuts the images/);
  });
});

describe('rasterloom render --stream', () => {
  it('reports missing or damaged tiles, and writes no picture', async () => {
    workshop.write('square.glb', square([300, 200], [64, 64]));
    await workshop.run('tile', 'square.glb', '-o', 'cut', '--page-size', '16');
    const render = (): ReturnType<Workshop['run']> =>
      workshop.run('render', 'square.glb', '-o', 'bad.png', '--stream', 'cut');
    const [first] = readdirSync(workshop.path('cut')).filter((name) => name.endsWith('srgb.tiles'));
    const path = join('cut', first!);
    const whole = readFileSync(workshop.path(path));
    // All pages except those of the smallest levels.
    const damaged = new Uint8Array(whole);
    damaged.fill(0xff, 2000, 20_000);
    workshop.write(path, damaged);
    const spoiled = await render();
    expect([spoiled.code, spoiled.err]).toEqual([
      3,
      expect.stringMatching(/^rasterloom: The tiles ".*" are damaged; create them again with "rasterloom tile"\.\n$/),
    ]);
    workshop.write(path, whole.subarray(0, 100));
    expect((await render()).err).toMatch(
      /^rasterloom: The tiles ".*" are damaged; create them again with "rasterloom tile"\.\n$/
    );
    workshop.write('square.glb', square([300, 201], [64, 64]));
    expect((await render()).err).toMatch(/^rasterloom: The texture image "image 0" has no tiles in "cut"; create them/);
    expect(existsSync(workshop.path('bad.png'))).toBe(false);
  }, 30_000);

  it.skipIf(!existsSync(HELMET))(
    'reads less than a tenth of ../shared/assets/DamagedHelmet.glb for a thumbnail',
    async () => {
      const view = ['render', HELMET, '-s', '256x256'];
      await workshop.run('tile', HELMET, '-o', 'helmet');
      await workshop.run(...view, '-o', 'whole.png');
      const { out } = await workshop.run(...view, '-o', 'streamed.png', '--stream', 'helmet', '--json');
      const { streams } = JSON.parse(out) as { streams: { pagesLoaded: number; pageBytes: number } };
      // Five images of 2048², with mips.
      expect(streams.pageBytes).toBeLessThan((0.1 * 5 * 4 * 2048 ** 2 * 4) / 3);
      expect(readFileSync(workshop.path('streamed.png'))).toEqual(readFileSync(workshop.path('whole.png')));
    },
    60_000
  );
});
