// Many models in one process, as a user runs it.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillPattern, type NameValues } from '../../../src/cli/render/names';
import type { RenderReport } from '../../../src/cli/render/report';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());
const SMALL = ['-s', '16x16', '--threads', '0'];

beforeAll(() => {
  const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
  for (const folder of ['in', 'in/deep', 'out']) mkdirSync(workshop.path(folder));
  for (const name of ['in/b.glb', 'in/a.glb', 'in/deep/a.glb', '[x].glb']) workshop.write(name, model);
  workshop.write('in/bad.glb', 'nonsense');
});

describe('rasterloom render with several models', () => {
  it('expands patterns, continues after a failure, and prints an object per line', async () => {
    const { code, out, err } = await workshop.run(
      'render',
      'in/*.glb',
      '-o',
      'out/{n:3}-{name}.png',
      '--json',
      ...SMALL
    );
    expect(readdirSync(workshop.path('out')).sort()).toEqual(['001-a.png', '002-b.png']);
    expect(code).toBe(1);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ model, output, error }) => [model, output, error])).toEqual([
      ['in/a.glb', 'out/001-a.png', undefined],
      ['in/b.glb', 'out/002-b.png', undefined],
      [
        'in/bad.glb',
        'out/003-bad.png',
        { exitCode: 3, message: 'The file is neither a .glb nor the JSON text of a .gltf.' },
      ],
    ]);
    expect(err.replace(/[\d.]+ s/g, '')).toBe(
      'Wrote out/001-a.png in .\nWrote out/002-b.png in .\n'
        + 'rasterloom: in/bad.glb: The file is neither a .glb nor the JSON text of a .gltf.\n'
        + 'Rendered 2 models; 1 of 3 models failed.\n'
    );
  });

  it('counts for each model, and not for all before it', async () => {
    const counts = async (...models: string[]): Promise<unknown[]> => {
      const { out } = await workshop.run('render', ...models, '-o', 'out/{n}.png', '--json', ...SMALL);
      return out
        .trim()
        .split(/\n(?=\{)/)
        .map((line) => {
          const { counters, programs, shadingRates } = JSON.parse(line) as RenderReport;
          const stages = programs!.stages.map(({ name, kind, runs, warps }) => [name, kind, runs, warps]);
          return { counters, stages: stages.sort(), shadingRates };
        });
    };
    const all = await counts('in/a.glb', 'in/b.glb', 'in/deep/a.glb');
    expect(all).toHaveLength(3);
    // The first model also pays for the light; the third one does the same as the second one.
    expect(all[2]).toEqual(all[1]);
    const [alone] = (await counts('in/a.glb')) as { counters: Record<string, number> }[];
    const { counters } = all[2] as { counters: Record<string, number> };
    for (const name of ['trianglesBinned', 'lanesShaded', 'verticesShaded'])
      expect([name, counters[name]]).toEqual([name, alone.counters[name]]);
  });

  it('prints nothing with --quiet, and takes a file whose name looks like a pattern', async () => {
    const { code, out, err } = await workshop.run('render', '[x].glb', 'in/a.glb', '--quiet', ...SMALL);
    expect([code, out, err]).toEqual([0, '', '']);
    expect(readdirSync(workshop.folder)).toEqual(expect.arrayContaining(['[x].png', 'a.png']));
  });

  it.each([
    [
      ['in/**/a.glb'],
      2,
      `"in/a.glb" and "in/deep/a.glb" would both be written to "a.png"; distinguish them in --output, as in `
        + `-o '{name}-{n}.png'.`,
    ],
    [['none*.glb'], 3, 'No file matches "none*.glb".'],
    [['in/*.glb', '-o', '-'], 2, `Standard output takes one picture, not 3; name files, as in -o 'out/{name}.png'.`],
    [['in/*.glb', '--trace', 't.json'], 2, '--trace is for one model, not for 3.'],
  ])('refuses %j before anything starts', async (words, code, message) => {
    expect(await workshop.run('render', ...words)).toEqual({ code, out: '', err: `rasterloom: ${message}\n` });
  });
});

describe('rasterloom render with several pictures of a model', () => {
  it('draws views around it, which differ, in the format of the ending', async () => {
    const { code, err } = await workshop.run(
      'render',
      'in/a.glb',
      '--turntable',
      '3',
      '-o',
      'out/t{frame:2}.webp',
      ...SMALL
    );
    expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote out/t00.webp and 2 more in .\n']);
    const files = [0, 1, 2].map((i) => readFileSync(workshop.path(`out/t0${i}.webp`)));
    for (const file of files) expect(file.toString('latin1', 8, 12)).toBe('WEBP');
    expect(files[0].equals(files[1])).toBe(false);
    expect((await workshop.run('render', 'in/a.glb', '-o', 'out/a.jpg', ...SMALL)).code).toBe(0);
    expect([...readFileSync(workshop.path('out/a.jpg')).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('refuses a picture in which nothing can be seen', async () => {
    const words = ['render', 'in/a.glb', '-c', 'look:0,0,50,0,50,49', '-o', 'out/none.png', ...SMALL];
    expect(await workshop.run(...words)).toEqual({
      code: 6,
      out: '',
      err: 'rasterloom: Nothing can be seen in the picture; choose another --camera, or use --allow-empty.\n',
    });
    expect(existsSync(workshop.path('out/none.png'))).toBe(false);
    expect((await workshop.run(...words, '--allow-empty')).code).toBe(0);
  });

  it('needs names for the frames', async () => {
    const { code, err } = await workshop.run('render', 'in/a.glb', '--turntable', '3', '-o', 'x.jpg');
    expect([code, err]).toEqual([
      2,
      `rasterloom: --output needs {frame} for 3 frames, as in -o 'out/{name}-{frame:3}.png', or the name of an `
        + `animated .png or .webp file, not "x.jpg".\n`,
    ]);
  });
});

describe('fillPattern', () => {
  const values: NameValues = {
    name: 'chair',
    n: 7,
    frame: 12,
    view: '30',
    animation: '../walk',
    variant: 'a/b',
    scene: '..',
    pass: 'color',
  };
  it('fills placeholders, which never leave their folder', () => {
    expect(fillPattern('o/{name}-{n:3}-{frame}.png', values)).toBe('o/chair-007-12.png');
    expect(fillPattern('o/{animation}/{variant}/{scene}.png', values)).toBe('o/.._walk/a_b/_.png');
    expect(() => fillPattern('o/{name}/../../x.png', values)).toThrow('would be outside of the folder "o"');
  });
});
