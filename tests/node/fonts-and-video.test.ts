// Fonts that programs load, videos, and canvases whose control is transferred.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { builtPackage, openBuiltWith, type Package } from '../images/open';

const FONT = new URL(
  '../../node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2',
  import.meta.url
);
let kit: Package;
let uninstall: () => void;
beforeAll(async () => {
  kit = await builtPackage();
  uninstall = kit.install({ threads: 0 });
});
afterAll(() => uninstall());

describe('FontFace', () => {
  const widthIn = (family: string): number => {
    const context = kit.createCanvas(10, 10).getContext('2d') as unknown as CanvasRenderingContext2D;
    context.font = `40px ${family}`;
    return context.measureText('Wide text').width;
  };
  test('loads a font from a file or from bytes, which text then uses', async () => {
    const before = widthIn('FromFile, monospace');
    const face = new FontFace('FromFile', `url("${FONT.href}") format("woff2")`);
    document.fonts.add(face);
    expect([face.status, document.fonts.check('40px FromFile')]).toEqual(['unloaded', false]);
    expect(await document.fonts.load('40px FromFile')).toEqual([face]);
    expect([face.status, document.fonts.check('40px FromFile'), document.fonts.size]).toEqual(['loaded', true, 1]);
    expect(widthIn('FromFile, monospace')).not.toBe(before);

    const { buffer, byteOffset, length } = readFileSync(FONT);
    const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
    expect((await new FontFace("'From bytes'", bytes).load()).family).toBe('From bytes');
    expect(widthIn('"From bytes", monospace')).toBe(widthIn('FromFile'));
  });
  test('says why a font cannot be loaded', async () => {
    const missing = new FontFace('None', 'url(none.woff2)');
    await expect(missing.load()).rejects.toThrow(/^FontFace: None could not be loaded: .*none\.woff2/);
    expect(missing.status).toBe('error');
    await expect(new FontFace('Bad', new Uint8Array(8)).load()).rejects.toThrow('the file is not a font');
    await expect(new FontFace('Local', 'local(Arial)').load()).rejects.toThrow('is not a url(…)');
  });
});

describe('a video', () => {
  test('reports that its source cannot be played', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const video = document.createElement('video');
    expect(video).toBeInstanceOf(HTMLVideoElement);
    await new Promise((done) => {
      video.onerror = done;
      video.src = 'film.mp4';
    });
    expect(printed).toHaveBeenCalledExactlyOnceWith(
      'film.mp4 cannot be played: videos are not decoded in Node; decode the frames with another program, and load '
        + 'them as images'
    );
    printed.mockRestore();
    await expect(video.play()).rejects.toThrow('play: videos are not decoded in Node');
  });
  test('copied to a texture is an error with that reason', async () => {
    const device = await openBuiltWith([]);
    const texture = device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: 0x16 });
    device.pushErrorScope('validation');
    device.queue.copyExternalImageToTexture({ source: document.createElement('video') }, { texture }, [1, 1]);
    expect((await device.popErrorScope())?.message).toContain('videos are not decoded in Node');
    device.destroy();
  });
});

test('transferControlToOffscreen returns a canvas whose picture is that of the element', async () => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const offscreen = canvas.transferControlToOffscreen();
  expect(offscreen).toBeInstanceOf(OffscreenCanvas);
  const context = offscreen.getContext('2d')!;
  context.putImageData(new ImageData(new Uint8ClampedArray([1, 2, 3, 255]), 1, 1), 0, 0);
  expect([...(await (canvas as unknown as ReturnType<Package['createCanvas']>).getPixels()).data]).toEqual([
    1, 2, 3, 255,
  ]);
  expect(() => canvas.transferControlToOffscreen()).toThrow('the canvas already has a context');
  const worker = new Worker('data:text/javascript,');
  expect(() => worker.postMessage(offscreen, [offscreen])).toThrow('an OffscreenCanvas cannot go to a worker in Node');
  worker.terminate();
});
