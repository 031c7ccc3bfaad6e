// `toMatchPicture` without a test runner: baselines, update states, comparison, messages and the report.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { create, createCanvas } from '../../src/index';
import type { PictureOptions } from '../../src/test-kit/pictures/compare';
import { matchPicture, obsoleteBaselines, type PictureTest } from '../../src/test-kit/pictures/match';
import { decodePng, encodeBaseline, recordOf, type Pixels } from '../../src/test-kit/pictures/png';
import { updateMode } from '../../src/test-kit/runner';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-pictures-'));
  vi.stubEnv('RASTERLOOM_PICTURE_REPORT', join(folder, 'report'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A picture of 8×4 pixels, with a gradient and some alpha. */
function gradient(): Pixels {
  const data = Uint8Array.from({ length: 8 * 4 * 4 }, (_, i) => (i * 7) & 255);
  return { width: 8, height: 4, data };
}
/** The gradient, with one channel of one pixel changed. */
function changed(by = 5, at = 2 * 4): Pixels {
  const picture = gradient();
  picture.data[at]! += by;
  return picture;
}
const testState = (update: PictureTest['update'] = 'new', isNot = false): PictureTest => ({
  testFile: join(folder, 'some.test.js'),
  title: 'a group > draws it',
  update,
  isNot,
  folder: join(folder, 'pictures'),
});
const match = (
  value: unknown,
  { name = 'one', options = {}, ...state }: { name?: string; options?: PictureOptions } & Partial<PictureTest> = {}
): ReturnType<typeof matchPicture> => matchPicture(value, name, options, { ...testState(), ...state });
const baseline = (name = 'one'): string => join(folder, 'pictures', `${name}.png`);
const reported = (): string[] => (existsSync(join(folder, 'report')) ? readdirSync(join(folder, 'report')) : []).sort();

describe('a baseline', () => {
  test('is written once, with its version and the hash of its pixels', async () => {
    const first = await match(gradient());
    expect([first.pass, first.baseline]).toEqual([true, 'added']);
    const file = readFileSync(baseline());
    expect(decodePng(file)).toEqual(gradient());
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(recordOf(file)?.version).toBe(version);
    const second = await match(gradient());
    expect([second.pass, second.baseline]).toEqual([true, 'matched']);
  });

  test('of an equal picture is not decoded', async () => {
    await match(gradient());
    const file = readFileSync(baseline());
    const other = encodeBaseline(changed(), '0.0.1');
    // The record of the gradient with the data of another picture: it is only used if it belongs to the data.
    const text = file.indexOf('tEXt');
    const end = (bytes: Uint8Array): number => Buffer.from(bytes).indexOf('IDAT') - 4;
    writeFileSync(baseline(), Buffer.concat([file.subarray(0, end(file)), other.subarray(end(other))]));
    expect(text).toBeGreaterThan(0);
    expect((await match(gradient())).pass).toBe(false);
    expect((await match(changed())).pass).toBe(true);
  });

  test('without a record, of another program, is compared by its pixels', async () => {
    await match(gradient());
    writeFileSync(baseline(), encode({ ...gradient(), channels: 4, depth: 8 }));
    expect(recordOf(readFileSync(baseline()))).toBeUndefined();
    expect((await match(gradient())).pass).toBe(true);
    expect((await match(changed())).pass).toBe(false);
  });

  test('that is missing fails where none may be written', async () => {
    const result = await match(gradient(), { update: 'none' });
    expect(result.pass).toBe(false);
    expect(existsSync(baseline())).toBe(false);
    expect(result.message()).toContain('Picture "one" has no baseline');
    expect(result.message()).toContain('actual.png');
    expect((await match(gradient(), { isNot: true })).pass).toBe(true);
    expect(existsSync(baseline())).toBe(false);
  });

  test('that differs is written again with -u only', async () => {
    await match(gradient());
    const before = readFileSync(baseline());
    expect((await match(changed())).pass).toBe(false);
    expect(readFileSync(baseline())).toEqual(before);
    const updated = await match(changed(), { update: 'all' });
    expect([updated.pass, updated.baseline]).toEqual([true, 'updated']);
    expect(decodePng(readFileSync(baseline()))).toEqual(changed());
  });

  test('that is damaged is named', async () => {
    await match(gradient());
    writeFileSync(baseline(), readFileSync(baseline()).subarray(0, 60));
    await expect(match(gradient())).rejects.toThrow(/^The baseline .*one\.png has damaged data; remove it/);
  });

  test('has a file named after the picture, or after the test', async () => {
    await match(gradient(), { name: 'Ünïcode & spaces/../here' });
    await matchPicture(gradient(), undefined, {}, testState());
    await matchPicture(gradient(), undefined, {}, testState());
    expect(readdirSync(join(folder, 'pictures')).sort()).toEqual(
      ['a-group-draws-it-2.png', 'a-group-draws-it.png', 'Ünïcode-spaces-..-here.png'].sort()
    );
    await expect(match(gradient(), { name: 'Ünïcode / spaces/../here' })).rejects.toThrow('have the same file');
    await expect(match(gradient(), { name: ' ' })).rejects.toThrow('the name must be a string with letters');
  });

  test('that no test uses is reported, and removed with -u', async () => {
    await match(gradient());
    writeFileSync(baseline('old'), readFileSync(baseline()));
    const pictures = join(folder, 'pictures');
    expect(obsoleteBaselines(pictures, 'new')).toMatch(/^No test uses these baselines.*\n.*old\.png$/);
    expect(obsoleteBaselines(pictures, 'all')).toMatch(/^Removed baselines/);
    expect(readdirSync(pictures)).toEqual(['one.png']);
    expect(obsoleteBaselines(pictures, 'new')).toBeUndefined();
  });
});

describe('a difference', () => {
  test('is shown by three pictures and a page, until the picture is right again', async () => {
    await match(gradient());
    const result = await match(changed());
    expect(result.baseline).toBe('unmatched');
    const text = result.message();
    expect(text).toContain(
      'Picture "one" differs from its baseline in 1 of 32 pixels; the largest difference of a channel is 5 of 255'
    );
    const files = reported().filter((name) => name.endsWith('.png'));
    expect(files.map((name) => name.replace(/.*-(\w+)\.png/, '$1'))).toEqual(['actual', 'baseline', 'difference']);
    for (const name of files.filter((each) => !each.includes('baseline'))) expect(text).toContain(name);
    const [actual, , difference] = files.map((name) => decodePng(readFileSync(join(folder, 'report', name))));
    expect(actual).toEqual(changed());
    const red = Array.from({ length: 32 }, (_, i) => difference!.data.subarray(i * 4, i * 4 + 3).join() === '255,0,0');
    expect(red.map((is, i) => (is ? i : -1)).filter((i) => i >= 0)).toEqual([2]);
    const page = (): string => readFileSync(join(folder, 'report', 'index.html'), 'utf8');
    expect(page()).toContain('<h1>1 picture differs</h1>');
    for (const name of files) expect(page()).toContain(name);
    expect(page()).toContain('type="range"');
    await match(gradient());
    expect(reported()).toEqual(['index.html']);
    expect(page()).toContain('<h1>0 pictures differ</h1>');
  });

  test('of sizes is named', async () => {
    await match(gradient());
    const small = { width: 4, height: 4, data: new Uint8Array(64) };
    expect((await match(small)).message()).toContain('Picture "one" has 4×4 pixels, its baseline 8×4');
    expect((await match(small, { isNot: true })).pass).toBe(false);
  });

  test('is the purpose of a negated test, which writes nothing', async () => {
    await match(gradient());
    expect((await match(changed(), { isNot: true, update: 'all' })).pass).toBe(false);
    expect((await match(gradient(), { isNot: true })).pass).toBe(true);
    expect(decodePng(readFileSync(baseline()))).toEqual(gradient());
    expect(reported()).toEqual([]);
  });

  test('names the version of a baseline of another one', async () => {
    await match(gradient());
    writeFileSync(baseline(), encodeBaseline(gradient(), '0.0.9'));
    expect((await match(changed())).message()).toContain('The baseline was written by rasterloom 0.0.9, and this is');
  });

  test.each<[PictureOptions, boolean]>([
    [{ tolerance: 5 }, true],
    [{ tolerance: 4 }, false],
    [{ maxDifferent: 1 / 32 }, true],
    [{ maxDifferent: 1 / 33 }, false],
    [{ mask: [{ x: 2, y: 0, width: 1, height: 1 }] }, true],
    [{ mask: [{ x: -3, y: -3, width: 100, height: 100 }] }, true],
    [{ mask: [{ x: 3, y: 0, width: 5, height: 4 }] }, false],
    [{ perceptual: 0.1 }, true],
    [{ perceptual: 0 }, false],
  ])('with %j is allowed: %s', async (options, isAllowed) => {
    await match(gradient());
    expect((await match(changed(), { options })).pass).toBe(isAllowed);
  });

  test.each([
    [{ tolerence: 1 }, 'toMatchPicture: unknown option tolerence; options are tolerance, maxDifferent, mask'],
    [{ tolerance: 256 }, 'toMatchPicture: tolerance must be a number from 0 to 255, not 256'],
    [{ maxDifferent: -1 }, 'toMatchPicture: maxDifferent must be a number from 0 to 1'],
    [{ perceptual: '0.1' }, 'toMatchPicture: perceptual must be a number from 0 to 1'],
    [{ mask: [{ x: 1, y: 2, width: 3 }] }, 'an area of mask must have integers x, y, width and height'],
    [{ mask: {} }, 'toMatchPicture: mask must be an array of areas'],
  ])('options %j are rejected', async (options, message) => {
    await expect(match(gradient(), { options: options as PictureOptions })).rejects.toThrow(message);
  });
});

describe('the value', () => {
  test('may be a canvas, a texture, pixels, a PNG file, or a promise of one', async () => {
    const device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
    const draw = (view: GPUTextureView): void => {
      const encoder = device.createCommandEncoder();
      const clearValue = [0.2, 0.4, 0.6, 1];
      encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', clearValue, storeOp: 'store' }] }).end();
      device.queue.submit([encoder.finish()]);
    };
    const canvas = createCanvas(5, 3);
    const context = canvas.getContext('webgpu') as GPUCanvasContext;
    context.configure({ device, format: 'rgba8unorm' });
    draw(context.getCurrentTexture().createView());
    expect((await match(canvas)).baseline).toBe('added');
    const usage = 16 | 1;
    for (const format of ['rgba8unorm', 'bgra8unorm'] as const) {
      const texture = device.createTexture({ size: [5, 3], format, usage });
      draw(texture.createView());
      expect((await match(texture, { options: { device } })).pass).toBe(true);
    }
    expect((await match(await canvas.toPNG())).pass).toBe(true);
    expect((await match(canvas.convertToBlob())).pass).toBe(true);
    expect((await match(canvas.getPixels())).pass).toBe(true);
    expect(decodePng(readFileSync(baseline())).data.subarray(0, 4)).toEqual(Uint8Array.of(51, 102, 153, 255));
    const wrong = device.createTexture({ label: 'depth', size: [5, 3], format: 'r32float', usage });
    await expect(match(wrong)).rejects.toThrow('to read the texture "depth", pass its device');
    await expect(match(wrong, { options: { device } })).rejects.toThrow('the texture "depth" has the format r32float');
    device.destroy();
  });

  test.each([
    [5, 'a value of type number is not a picture; pass a canvas'],
    [null, 'null is not a picture'],
    [{}, 'a value of type object is not a picture'],
    [{ width: 2, height: 2, data: new Uint8Array(12) }, 'pixels of 2×2 must have 16 bytes of RGBA, not 12'],
    [Uint8Array.of(1, 2, 3), 'the bytes are not a PNG file'],
  ])('%j is rejected', async (value, message) => {
    await expect(match(value)).rejects.toThrow(message);
  });

  test.each([1, 2, 3, 4] as const)('PNG files of other programs with %i channels are read', (channels) => {
    const data = Uint8Array.from({ length: 9 * 7 * channels }, (_, i) => (i * 37) & 255);
    const file = encode({ width: 9, height: 7, data, channels, depth: 8 });
    const pixels = Array.from({ length: 63 }, (_, i) => {
      const [a, b, c, d] = data.subarray(i * channels, (i + 1) * channels);
      return channels > 2 ? [a, b, c, d ?? 255] : [a, a, a, b ?? 255];
    });
    expect([...decodePng(file).data]).toEqual(pixels.flat());
  });
});

test('with CI set, no baseline is added unless the user updates', () => {
  vi.stubEnv('CI', '1');
  expect(updateMode({ _updateSnapshot: 'new' })).toBe('none');
  expect(updateMode({ _updateSnapshot: 'all' })).toBe('all');
  vi.stubEnv('CI', '');
  expect(updateMode({ _updateSnapshot: 'new' })).toBe('new');
  expect(updateMode({ _updateSnapshot: 'none' })).toBe('none');
  expect(updateMode(undefined)).toBe('new');
});
