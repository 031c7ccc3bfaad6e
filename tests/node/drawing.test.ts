// 2D canvases that draw by the optional package, images that it decodes, and both without it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { builtPackage, openBuiltWith, type Package } from '../images/open';
import { runProgram } from '../threads/process.kit';

const FONT = new URL(
  '../../node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2',
  import.meta.url
);
const INDEX = JSON.stringify(new URL('../../build/index.js', import.meta.url).href);
/** Makes the optional package look as if it were not installed. */
const WITHOUT = `
  import Module from 'node:module';
  const { _resolveFilename: find } = Module;
  Module._resolveFilename = function (name, ...more) {
    if (name === '@napi-rs/canvas') throw Object.assign(new Error('not found'), { code: 'MODULE_NOT_FOUND' });
    return find.call(this, name, ...more);
  };
  const { install, createCanvas } = await import(${INDEX});
  const attempt = async (work) => { try { await work(); return 'done'; } catch (error) { return error.message; } };`;

/** One red pixel; the size of the picture is in bytes 6 to 9. */
const GIF = Buffer.from('R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"><rect width="4" height="2" fill="#0f0"/></svg>';
/** 2 × 1 pixels, blue and white, with 24 bits each. */
function bmp(): Buffer<ArrayBuffer> {
  const file = Buffer.from(new ArrayBuffer(62));
  file.write('BM');
  for (const [at, value] of [
    [2, 62],
    [10, 54],
    [14, 40],
    [18, 2],
    [22, 1],
    [34, 8],
  ] as const)
    file.writeUInt32LE(value, at);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  file.set([255, 0, 0, 255, 255, 255], 54);
  return file;
}

let kit: Package;
let uninstall: () => void;
let context: CanvasRenderingContext2D;
beforeAll(async () => {
  kit = await builtPackage();
  uninstall = kit.install({ threads: 0, fonts: { Interface: FONT } });
});
afterAll(() => uninstall());
beforeEach(() => {
  context = kit.createCanvas(40, 20).getContext('2d') as unknown as CanvasRenderingContext2D;
});
const at = (x: number, y: number, from = context): number[] => [...from.getImageData(x, y, 1, 1).data];

describe('a 2D context', () => {
  test('fills rectangles, paths, gradients and patterns', () => {
    context.fillStyle = 'rgb(255 0 0)';
    context.fillRect(0, 0, 10, 10);
    context.fillStyle = 'lime';
    context.fill(new Path2D('M10 0 h10 v10 h-10 z'));
    expect(context.fillStyle).toBe('#00ff00');
    const gradient = context.createLinearGradient(20, 0, 40, 0);
    gradient.addColorStop(0, 'blue');
    gradient.addColorStop(1, 'blue');
    context.fillStyle = gradient;
    context.beginPath();
    context.rect(20, 0, 20, 10);
    context.fill();
    const tile = new OffscreenCanvas(2, 2);
    tile.getContext('2d')!.putImageData(new ImageData(new Uint8ClampedArray(16).fill(255), 2, 2), 0, 0);
    context.fillStyle = context.createPattern(tile, 'repeat')!;
    context.fillRect(0, 10, 40, 10);
    expect([at(5, 5), at(15, 5), at(30, 5), at(30, 15)]).toEqual([
      [255, 0, 0, 255],
      [0, 255, 0, 255],
      [0, 0, 255, 255],
      [255, 255, 255, 255],
    ]);
  });

  test('measures and draws text in the fonts of install()', () => {
    context.font = '10px Interface';
    expect(context.measureText('Hello').width).toBeCloseTo(24.1, 1);
    context.fillText('Hello', 2, 15);
    const { data } = context.getImageData(0, 0, 40, 20);
    const drawn = data.filter((value, i) => i % 4 === 3 && value > 128).length;
    expect(drawn).toBeGreaterThan(20);
    expect(drawn).toBeLessThan(200);
  });

  test('keeps pixels that were copied before, and scales images', async () => {
    const red = new ImageData(new Uint8ClampedArray([255, 0, 0, 255]), 1, 1);
    context.putImageData(red, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(await createImageBitmap(red), 10, 10, 8, 8);
    context.putImageData(red, 39, 19);
    expect([at(0, 0), at(17, 17), at(18, 18), at(39, 19)].map(([, , , alpha]) => alpha)).toEqual([255, 255, 0, 255]);
    context.clearRect(0, 0, 40, 20);
    expect(at(17, 17)).toEqual([0, 0, 0, 0]);
  });

  test('forgets its state when the canvas gets a size, and has a class', () => {
    context.lineWidth = 7;
    context.translate(5, 5);
    context.fillRect(0, 0, 1, 1);
    const { canvas } = context;
    canvas.width = 30;
    context.fillRect(0, 0, 1, 1);
    expect([context.lineWidth, at(0, 0)[3], at(5, 5)[3], canvas.width]).toEqual([1, 255, 0, 30]);
    expect('letterSpacing' in CanvasRenderingContext2D.prototype).toBe(true);
    expect(context).toBeInstanceOf(CanvasRenderingContext2D);
  });

  test('of a canvas without pixels draws nothing', () => {
    const canvas = new OffscreenCanvas(0, 5);
    const empty = canvas.getContext('2d')!;
    empty.fillRect(0, 0, 4, 4);
    canvas.width = 2;
    expect(at(0, 0, empty as unknown as CanvasRenderingContext2D)).toEqual([0, 0, 0, 0]);
  });

  test('is opaque if it has no alpha', () => {
    const opaque = new OffscreenCanvas(2, 2).getContext('2d', { alpha: false })!;
    opaque.globalAlpha = 0.5;
    opaque.fillRect(0, 0, 1, 1);
    expect(at(1, 1, opaque as unknown as CanvasRenderingContext2D)).toEqual([0, 0, 0, 255]);
  });

  test('is copied to textures and bitmaps', async () => {
    const device = await openBuiltWith([], { threads: 0 });
    const canvas = new OffscreenCanvas(64, 1);
    const drawn = canvas.getContext('2d')!;
    drawn.fillStyle = '#0080ff';
    drawn.fillRect(0, 0, 64, 1);
    const bitmap = await createImageBitmap(canvas, { resizeWidth: 32, resizeHeight: 1 });
    const texture = device.createTexture({ size: [64, 1], format: 'rgba8unorm', usage: 0x13 });
    device.queue.copyExternalImageToTexture({ source: canvas }, { texture }, [64, 1]);
    device.queue.copyExternalImageToTexture({ source: bitmap }, { texture, origin: [0, 0] }, [32, 1]);
    const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [64, 1]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(buffer.getMappedRange());
    expect([words[0], words[63]].map((word) => word!.toString(16))).toEqual(['ffff8000', 'ffff8000']);
    device.destroy();
  });
});

describe('images', () => {
  test('of GIF, BMP and SVG are decoded', async () => {
    const colours: unknown[] = [];
    for (const file of [GIF, bmp(), Buffer.from(SVG)]) {
      const bitmap = await createImageBitmap(new Blob([file]));
      context.drawImage(bitmap, 0, 0);
      colours.push([bitmap.width, bitmap.height, ...at(0, 0)]);
    }
    expect(colours).toEqual([
      [1, 1, 255, 0, 0, 255],
      [2, 1, 0, 0, 255, 255],
      [4, 2, 0, 255, 0, 255],
    ]);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(SVG)}`;
    await image.decode();
    expect(image.naturalWidth).toBe(4);
  });

  test('that are damaged or too large are refused', async () => {
    const damaged = createImageBitmap(new Blob([GIF.subarray(0, 20)]));
    await expect(damaged).rejects.toThrow('it is a GIF image that is damaged');
    const large = Buffer.from(GIF);
    large.writeUInt32LE(0xffff_ffff, 6);
    await expect(createImageBitmap(new Blob([large]))).rejects.toThrow('The image is 65535 × 65535 pixels');
  });

  test('that cannot be decoded are named on the console', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const image = new Image();
    image.src = 'data:image/tiff;base64,SUkqAAgAAAA=';
    await expect(image.decode()).rejects.toThrow('is not a PNG');
    expect(said).toHaveBeenCalledWith(expect.stringContaining('data:image/tiff'));
    said.mockRestore();
  });
});

describe('without the package', () => {
  test('operations name it, and copies work', async () => {
    const {
      said: [said],
    } = await runProgram(`${WITHOUT}
      install({ threads: 0 });
      const canvas = createCanvas(4, 4);
      const context = canvas.getContext('2d');
      context.fillStyle = 'red';
      context.putImageData(new ImageData(new Uint8ClampedArray([1, 2, 3, 255]), 1, 1), 0, 0);
      context.drawImage(canvas, 1, 1);
      say({
        kept: [context.fillStyle, context.lineWidth, ...context.getImageData(1, 1, 1, 1).data],
        fillRect: await attempt(() => context.fillRect(0, 0, 1, 1)),
        scaled: await attempt(() => context.drawImage(canvas, 0, 0, 8, 8)),
        path: await attempt(() => new Path2D()),
        gif: await attempt(() => createImageBitmap(new Blob([Buffer.from('${GIF.toString('base64')}', 'base64')]))),
      });`);
    const advice = 'needs the package @napi-rs/canvas (it is not installed); install it by npm install @napi-rs/canvas';
    expect(said).toEqual({
      kept: ['red', 1, 1, 2, 3, 255],
      fillRect: `fillRect of a 2D context ${advice}`,
      scaled:
        'drawImage: 4 × 4 pixels at 0, 0 as 8 × 8 at 0, 0: a scaled image, or one at a fraction of a pixel, ' + advice,
      path: `new Path2D ${advice}`,
      gif: `createImageBitmap: The image is a GIF image, which ${advice}.`,
    });
  });

  test('fonts of install() name it', async () => {
    const {
      said: [said],
    } = await runProgram(`${WITHOUT}
      say(await attempt(() => install({ fonts: { Inter: ${JSON.stringify(fileURLToPath(FONT))} } })));`);
    expect(said).toMatch(/^install: the option fonts needs the package @napi-rs\/canvas/);
  });
});

test('fonts are files that exist', async () => {
  const folder = mkdtempSync(join(process.cwd(), 'build', 'fonts-'));
  writeFileSync(join(folder, 'no.ttf'), 'no font');
  const {
    said: [said],
  } = await runProgram(`
    const { install } = await import(${INDEX});
    const attempt = (fonts) => { try { install({ fonts }); return 'done'; } catch (error) { return error.message; } };
    const file = ${JSON.stringify(pathToFileURL(join(folder, 'no.ttf')).href)};
    say([7, { A: 7 }, { A: 'none.ttf' }, { A: file }].map(attempt));`);
  rmSync(folder, { recursive: true });
  expect(said).toEqual([
    "install: fonts must be an object of families and files, such as { Lato: 'fonts/Lato.ttf' }",
    'install: fonts: A must be a path or a file: URL',
    'install: fonts: the file none.ttf of A does not exist',
    expect.stringMatching(/^install: fonts: the file .*no\.ttf of A is not a font$/),
  ]);
});
