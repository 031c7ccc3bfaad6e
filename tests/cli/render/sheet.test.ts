// --sheet: one picture with a grid of all pictures.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawText } from '../../../src/cli/glyphs';
import { parseCommand, type RenderCommand } from '../../../src/cli/options/options';
import { fitInto } from '../../../src/cli/sheet/fit';
import { Sheet } from '../../../src/cli/sheet/sheet';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());
const SMALL = ['-s', '32x24', '--threads', '0'];

beforeAll(() => {
  for (const folder of ['in', 'out']) mkdirSync(workshop.path(folder));
  const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
  for (const name of ['a', 'b', 'd']) workshop.write(`in/${name}.glb`, model);
  workshop.write('in/c.glb', 'nonsense');
});

/** A rectangle of a picture, as numbers of RGB. */
function part(name: string, left: number, top: number, width: number, height: number): number[] {
  const picture = workshop.picture(name);
  const out: number[] = [];
  for (let y = top; y < top + height; y++)
    for (let x = left; x < left + width; x++)
      for (let c = 0; c < 3; c++) out.push(picture.data[(y * picture.width + x) * picture.channels + c]!);
  return out;
}

describe('rasterloom render --sheet', () => {
  it('has the pictures of all models, and says which failed', async () => {
    const words = ['in/*.glb', '-o', 'out/{name}.png', '--sheet', 'sheet.png', '--sheet-columns', '3', '--json'];
    const { code, out, err } = await workshop.run('render', ...words, '--sheet-cell', '40x30', ...SMALL);
    expect(code).toBe(1);
    const report = JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
    // Three cells of 40 pixels, with 8 around them; two rows of 30, with labels of 7 + 2 · 3 points below.
    expect(report).toMatchObject({
      sheet: 'sheet.png',
      width: 3 * 48 + 8,
      height: 2 * (30 + 13 + 8) + 8,
      columns: 3,
      rows: 2,
      pictures: 3,
      failures: 1,
      font: 'built-in, 5x7 points',
    });
    expect(err).toContain('Wrote sheet.png with 3 pictures.\nRendered 3 models; 1 of 4 models failed.\n');
    // The pictures fit, and are in the middle of their cells: 4 and 3 pixels from the edges.
    const first = part('out/a.png', 0, 0, 32, 24);
    expect(part('sheet.png', 8 + 4, 8 + 3, 32, 24)).toEqual(first);
    expect(part('sheet.png', 56 + 4, 8 + 3, 32, 24)).toEqual(first);
    expect(part('sheet.png', 8 + 4, 59 + 3, 32, 24)).toEqual(first);
    // The failed one has a frame, and the text "failed" instead of a picture.
    const failed = part('sheet.png', 104, 8, 40, 30);
    expect(failed.slice(0, 3)).toEqual([0x20, 0x22, 0x26]);
    expect(failed.filter((value) => value === 255).length).toBeGreaterThan(40 * 20 * 3);
    // Between the cells is the background.
    expect(new Set(part('sheet.png', 0, 0, 152, 8))).toEqual(new Set([255]));
    // The label of the second picture: a "b" of 5 × 7 points, in the middle of the cell's width.
    const label = part('sheet.png', 56 + 17, 8 + 30 + 3, 5, 7);
    const ink = Array.from({ length: 7 }, (_, y) =>
      Array.from({ length: 5 }, (_unused, x) => (label[(y * 5 + x) * 3] === 0x20 ? '#' : '.')).join('')
    );
    expect(ink).toEqual(['#....', '#....', '####.', '#...#', '#...#', '#...#', '####.']);
  });

  it('has no other files without --output, also from several processes', async () => {
    const sheet = async (name: string, ...words: string[]): Promise<number[]> => {
      const before = readdirSync(workshop.folder);
      const outcome = await workshop.run('render', 'in/[abd].glb', '--sheet', name, ...words, ...SMALL);
      expect([outcome.code, outcome.err]).toEqual([0, `Wrote ${name} with 3 pictures.\nRendered 3 models.\n`]);
      expect(readdirSync(workshop.folder).filter((file) => !before.includes(file))).toEqual([name]);
      return [...workshop.picture(name).data];
    };
    const one = await sheet('one.png', '--sheet-labels', 'none', '--sheet-background', '#102030');
    const two = await sheet('two.png', '--sheet-labels', 'none', '--sheet-background', '#102030', '--parallel', '2');
    expect(two.join() === one.join()).toBe(true);
    expect(one.slice(0, 3)).toEqual([0x10, 0x20, 0x30]);
  });

  it('shows the frames of a model, and jobs', async () => {
    const { out } = await workshop.run(
      'render',
      '--sample',
      '--turntable',
      '5',
      '--sheet',
      'turn.webp',
      '--json',
      ...SMALL
    );
    const [model, sheet] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(model).toMatchObject({ frames: 5, files: 0, output: 'turn.webp' });
    expect(sheet).toMatchObject({ pictures: 5, failures: 0, columns: 2, rows: 3 });
    workshop.write('jobs.jsonl', '{"input":"in/a.glb"}\n{"input":"in/b.glb","output":"out/{name}-job.png"}');
    const jobs = await workshop.run('render', '--jobs', 'jobs.jsonl', '--sheet', 'jobs.jpg', ...SMALL);
    expect([jobs.code, existsSync(workshop.path('out/b-job.png')), existsSync(workshop.path('a.png'))]).toEqual([
      0,
      true,
      false,
    ]);
  });

  it('is not written if nothing could be drawn', async () => {
    const { code } = await workshop.run('render', 'in/c.glb', '--sheet', 'none.png', ...SMALL);
    expect([code, existsSync(workshop.path('none.png'))]).toEqual([3, false]);
  });

  it.each<[string[], string]>([
    [['--sheet-columns', '2'], '--sheet-columns needs --sheet.'],
    [['--sheet', 'x.gif'], 'The sheet "x.gif" must end in .png, .jpg, .jpeg or .webp.'],
    [['--sheet', 'x.png', '--sheet-columns', '0'], '--sheet-columns must be a whole number from 1 to 1000, not "0".'],
    [
      ['--sheet', 'x.png', '--sheet-cell', '9'],
      '--sheet-cell must be width and height in pixels, 1 to 2048 each, as in 256x144, not "9".',
    ],
    [
      ['--sheet', 'x.png', '--sheet-background', 'whit'],
      '--sheet-background must be a colour such as #cfd2d7 or white, or transparent, not "whit". Did you mean "white"?',
    ],
    [['--sheet', 'x.png', '--sheet-labels', 'all'], '--sheet-labels must be one of names, none, not "all".'],
    [
      ['--sheet', 'x.jpg', '--sheet-background', 'transparent'],
      'A JPEG sheet cannot be transparent: use .png or .webp, or another --sheet-background.',
    ],
    [
      ['--sheet', 'x.png', '--pass', 'depth'],
      '--sheet shows colours, not --pass depth; leave out --sheet, and write a file for each picture by --output.',
    ],
    [
      ['--sheet', 'x.png', '--depth', '16'],
      '--sheet shows pictures with 8 bits per channel; leave out --depth, and use another format than .exr.',
    ],
    [
      ['--sheet', 'x.png', '--resume'],
      '--sheet draws all pictures, and --resume may keep some; leave out one of them.',
    ],
  ])('refuses %j', (words, message) => {
    expect(() => parseCommand(['render', 'a.glb', ...words])).toThrow(message);
  });

  it('refuses a sheet that is an output, or whose folder is missing', async () => {
    const words = ['render', 'in/a.glb', '-o', 'out/x.png', '--sheet'];
    expect((await workshop.run(...words, 'out/./x.png')).err).toBe(
      'rasterloom: "in/a.glb" would be written to the sheet "out/./x.png".\n'
    );
    const { code, err } = await workshop.run(...words, 'gone/x.png');
    expect([code, err]).toEqual([4, expect.stringMatching(/^rasterloom: The folder ".*gone" for the sheet does not/)]);
  });
});

describe('Sheet', () => {
  const request = (...words: string[]): NonNullable<RenderCommand['batch']['sheet']> =>
    (parseCommand(['render', 'a.glb', '--sheet', 's.png', ...words]) as RenderCommand).batch.sheet!;

  it('is about as wide as high, and limited', () => {
    const names = (count: number): string[] => new Array<string>(count).fill('x');
    expect(new Sheet(request('-s', '64x64'), names(100)).report(0)).toMatchObject({ columns: 10, rows: 10 });
    // The cells have the proportions of the pictures.
    expect(new Sheet(request(), names(64)).report(0)).toMatchObject({ columns: 6, width: 6 * 264 + 8 });
    expect(request('-s', '100x400').cell).toEqual({ width: 64, height: 256 });
    expect(new Sheet(request('--sheet-cell', '200x50'), names(100)).report(0)).toMatchObject({ columns: 5, rows: 20 });
    expect(new Sheet(request(), names(1)).report(0)).toMatchObject({ columns: 1, rows: 1 });
    expect(() => new Sheet(request('--sheet-cell', '2048x2048'), names(100))).toThrow(/use a smaller --sheet-cell/);
  });
});

describe('fitInto', () => {
  it('averages linear light by area, weighted by alpha', () => {
    const two = { width: 2, height: 1, pixels: Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 255) };
    // Half the light is 188 in sRGB.
    expect([...fitInto(two, { width: 1, height: 9 }).pixels]).toEqual([188, 188, 188, 255]);
    const clear = { width: 2, height: 1, pixels: Uint8Array.of(200, 100, 0, 255, 0, 0, 0, 0) };
    expect([...fitInto(clear, { width: 1, height: 1 }).pixels]).toEqual([200, 100, 0, 128]);
  });

  it('keeps proportions, and never enlarges', () => {
    const picture = { width: 30, height: 10, pixels: new Uint8Array(1200).fill(77) };
    expect(fitInto(picture, { width: 30, height: 10 })).toBe(picture);
    const { width, height, pixels } = fitInto(picture, { width: 12, height: 12 });
    expect([width, height, new Set(pixels)]).toEqual([12, 4, new Set([77])]);
  });
});

describe('drawText', () => {
  it('draws letters with marks as plain ones, and unknown characters as boxes', () => {
    const points = (text: string): string[] => {
      const found: string[] = [];
      drawText(text, 0, 0, (x, y) => found.push(`${x},${y}`));
      return found;
    };
    expect(points('é')).toEqual(points('e'));
    expect(points('世')).toHaveLength(2 * 5 + 2 * 5);
    expect(points('ﬁ')).toEqual(points('世'));
    expect(points('…')).toHaveLength(3);
    // Every character of ASCII that names may have is different.
    const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.,()[]!#%&'+=@~: ";
    expect(new Set([...all].map((sign) => points(sign).join(' '))).size).toBe(all.length);
  });
});
