// `npm run bench gallery`: pages that draw, fail and hang, the table, and how pictures are compared.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clearOfPadding, cropped, difference, readPicture, straight } from '../../bench/gallery/texels.mjs';

const SCRIPT = fileURLToPath(new URL('../../bench/gallery/gallery.mjs', import.meta.url));
const DRAW = `
  const canvas = document.querySelector('canvas');
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const module = device.createShaderModule({ code: \`
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i) - 1, f32(i & 1), 0, 1);
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }\` });
  const pipeline = device.createRenderPipeline({
    layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [
    { view: context.getCurrentTexture(), loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);`;
const PAGES = { draws: DRAW, fails: `throw new Error('the page fails');`, hangs: 'for (;;);' };
let folder = '';

interface Run {
  readonly result: string;
  readonly cause: string;
  readonly seconds: number;
  readonly hash?: string;
}
/** Runs the benchmark, and returns what it printed and its table. */
function runGallery(...options: string[]): { text: string; table: Record<string, Record<string, Run>> } {
  const out = join(folder, 'out');
  const words = [SCRIPT, folder, '--match', '\\.html$', '--out', out, '--size', '16x16', '--frames', '1', ...options];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { text: stdout, table: JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as never };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-gallery-'));
  mkdirSync(join(folder, 'examples'));
  for (const [name, script] of Object.entries(PAGES))
    writeFileSync(
      join(folder, 'examples', `${name}.html`),
      `<!doctype html><canvas width="16" height="16"></canvas><script type="module">${script}</script>`
    );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the gallery', () => {
  test('says what stops each page, and goes on after pages that hang', () => {
    const { text, table } = runGallery('--sides', 'ours', '--timeout', '8');
    expect(table['draws.html']!.ours).toMatchObject({ result: 'drawn', cause: '' });
    expect(table['fails.html']!.ours!.cause).toContain('the page fails');
    expect(table['fails.html']!.ours!.result).toBe('error');
    expect(table['hangs.html']!.ours!.result).toBe('timeout');
    expect(text).toContain('1 of 3 pages are drawn.');
  }, 60_000);

  test('continues with the runs that its table lacks, and compares hashes', () => {
    const [before, { text, table }] = [
      runGallery('--sides', 'ours'),
      runGallery('--sides', 'ours:1,ours:0', '--match', 'draws'),
    ];
    expect(table['hangs.html']).toEqual(before.table['hangs.html']);
    expect(table['draws.html']!['ours:0']!.hash).toBe(table['draws.html']!.ours!.hash);
    expect(text).toContain('1 of 1 pages have one hash.');
  }, 60_000);
});

describe('pictures', () => {
  const picture = (...data: number[]): ImageData => ({ width: data.length / 4, height: 1, data }) as never;

  test('differ where a channel is more than 8 apart, over black', () => {
    expect(difference(picture(10, 20, 30, 255, 0, 0, 0, 255), picture(18, 20, 30, 255, 0, 9, 0, 255))).toBe(0.5);
    expect(difference(picture(200, 0, 0, 0), picture(0, 200, 0, 2))).toBe(0);
    expect(difference(picture(0, 0, 0, 0), picture(0, 0, 0, 0, 0, 0, 0, 0))).toBe(1);
  });

  test('are read from grey and opaque files', () => {
    const rgb = readPicture(encode({ width: 1, height: 1, channels: 3, data: new Uint8Array([1, 2, 3]) }));
    const grey = readPicture(encode({ width: 1, height: 1, channels: 2, data: new Uint8Array([7, 9]) }));
    expect([...rgb.data, ...grey.data]).toEqual([1, 2, 3, 255, 7, 7, 7, 9]);
  });

  test('of textures lose their padding, and their alpha is divided', () => {
    const rows = new Uint8Array(512).fill(99);
    rows.set([1, 2, 3, 4]);
    rows.set([50, 60, 70, 128], 256);
    const texels = clearOfPadding(rows.buffer, 256, { width: 1, height: 2, format: 'bgra8unorm' });
    expect([...texels]).toEqual([3, 2, 1, 4, 70, 60, 50, 128]);
    expect([...straight(texels, false)].slice(4)).toEqual([139, 120, 100, 128]);
    const half = new Uint16Array(128).fill(0x3c00).buffer;
    expect([...clearOfPadding(half, 256, { width: 1, height: 1, format: 'rgba16float' })]).toEqual([
      255, 255, 255, 255,
    ]);
  });

  test('are cropped, flipped and premultiplied as for a texture', () => {
    const image = { width: 2, height: 2, data: new Uint8ClampedArray([...Array(16).keys()].map((i) => i * 10)) };
    const place = { x: 1, y: 0, width: 1, height: 2 };
    const plain = { flipY: false, premultipliedAlpha: false, isBgra: false };
    expect([...cropped(image, place, plain)]).toEqual([40, 50, 60, 70, 120, 130, 140, 150]);
    expect([...cropped(image, place, { ...plain, flipY: true })].slice(0, 4)).toEqual([120, 130, 140, 150]);
    expect([...cropped(image, place, { ...plain, isBgra: true, premultipliedAlpha: true })].slice(0, 4)).toEqual([
      16, 14, 11, 70,
    ]);
  });
});
