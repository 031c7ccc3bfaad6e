// A file of jobs, as a user runs it.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());
const SMALL = ['-s', '16x16', '--threads', '0'];

beforeAll(() => {
  const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
  mkdirSync(workshop.path('out'));
  for (const name of ['a.glb', 'b.glb']) workshop.write(name, model);
  workshop.write('bad.glb', 'nonsense');
});

const lines = (...jobs: (object | string)[]): string =>
  jobs.map((job) => (typeof job === 'string' ? job : JSON.stringify(job))).join('\n');

describe('rasterloom render --jobs', () => {
  it('draws each job with its own options, which override those of the command line', async () => {
    workshop.write(
      'jobs.jsonl',
      `\ufeff${lines(
        { input: 'a.glb', output: 'out/wide.png', size: '32x16' },
        '',
        { input: 'b.glb', output: 'out/{name}-{n}.webp', background: '#ff0000', samples: 1 },
        { input: 'a.glb', output: 'out/away.png', camera: 'look:0,0,50,0,50,49', 'allow-empty': true },
        { input: '?.glb', output: 'out/{name}.png', background: null },
        { sample: true, output: 'out/s.png', turntable: null }
      )}\r\n`
    );
    const { code, out, err } = await workshop.run(
      'render',
      '--jobs',
      'jobs.jsonl',
      '-b',
      '#00ff00',
      '--json',
      ...SMALL
    );
    const reports = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(reports.map(({ model, output, width, height, samples }) => [model, output, width, height, samples])).toEqual(
      [
        ['a.glb', 'out/wide.png', 32, 16, 4],
        ['b.glb', 'out/b-2.webp', 16, 16, 1],
        ['a.glb', 'out/away.png', 16, 16, 4],
        ['a.glb', 'out/a.png', 16, 16, 4],
        ['b.glb', 'out/b.png', 16, 16, 4],
        ['sample', 'out/s.png', 16, 16, 4],
      ]
    );
    expect([code, err.match(/^Wrote/gm)?.length]).toEqual([0, 6]);
    expect(err).toContain('Rendered 6 models.\n');
    const corner = (name: string): number[] => [...workshop.picture(name).data.subarray(0, 3)];
    expect(corner('out/wide.png')).toEqual([0, 255, 0]);
    expect(corner('out/a.png')).toEqual([0xcf, 0xd2, 0xd7]);
    expect(readFileSync(workshop.path('out/b-2.webp')).toString('latin1', 8, 12)).toBe('WEBP');
    // The same picture as by the command line.
    await workshop.run('render', 'a.glb', '-o', 'same.png', '-b', '#00ff00', ...SMALL, '-s', '32x16');
    expect(readFileSync(workshop.path('same.png')).equals(readFileSync(workshop.path('out/wide.png')))).toBe(true);
  });

  it('reads standard input, and continues after a failure', async () => {
    const { code, bytes, err } = await workshop.pipe(
      lines({ input: 'bad.glb', output: 'out/1.png' }, { input: 'a.glb', output: 'out/2.png' }),
      'render',
      '--jobs',
      '-',
      '--json',
      ...SMALL
    );
    const [first, second] = bytes.toString().trim().split('\n');
    expect(JSON.parse(first!)).toEqual({
      model: 'bad.glb',
      output: 'out/1.png',
      error: { exitCode: 3, message: 'The file is neither a .glb nor the JSON text of a .gltf.' },
    });
    expect(JSON.parse(second!)).toMatchObject({ model: 'a.glb', output: 'out/2.png' });
    expect([code, existsSync(workshop.path('out/1.png')), existsSync(workshop.path('out/2.png'))]).toEqual([
      1,
      false,
      true,
    ]);
    expect(err).toContain('rasterloom: bad.glb: The file is neither');
    // One job is a line as well, with the exit code of its failure.
    workshop.write('one.jsonl', lines({ input: 'bad.glb' }));
    const one = await workshop.run('render', '--jobs', 'one.jsonl', '--json', ...SMALL);
    expect([one.code, one.out.trim().split('\n').length]).toEqual([3, 1]);
  });

  it('names all broken lines before anything is drawn', async () => {
    workshop.write(
      'wrong.jsonl',
      lines(
        { input: 'a.glb', output: 'out/never.png' },
        { input: 'a.glb', sizes: '1x1' },
        { input: 'a.glb', samples: 3 },
        '{"input": ',
        '[]',
        { output: 'x.png' },
        { input: 7 },
        { input: 'a.glb', 'allow-empty': 'yes' },
        { input: 'a.glb', json: true },
        { input: 'none*.glb' },
        { input: 'a.glb', output: 'gone/x.png' },
        { input: 'a.glb', output: 'out/{name}/../../x.png' },
        { input: 'a.glb', constructor: 2 },
        '{"input": "a.glb", "__proto__": {"samples": "1"}}'
      )
    );
    const { code, out, err } = await workshop.run('render', '--jobs', 'wrong.jsonl', '--json', ...SMALL);
    expect([code, out, existsSync(workshop.path('out/never.png'))]).toEqual([2, '', false]);
    const message = (line: number, text: RegExp | string): unknown =>
      typeof text === 'string'
        ? `"wrong.jsonl", line ${line}: ${text}`
        : expect.stringMatching(new RegExp(`^"wrong\\.jsonl", line ${line}: ${text.source}$`));
    // Mistakes that only show when the files are looked up come after those of the text.
    expect(
      err
        .replace(/^rasterloom: /, '')
        .trim()
        .split('\n')
    ).toEqual([
      message(2, 'There is no option "sizes". Did you mean "size"?'),
      message(3, '--samples must be 1, 2, 4, 8 or 16, not "3".'),
      message(4, /This is not JSON: .*\./),
      message(5, 'A job is an object, as in {"input": "a.glb", "output": "a.png"}.'),
      message(6, '"input" is missing, the model to render.'),
      message(7, '"input" must be a text, not 7.'),
      message(8, '"allow-empty" must be true or false, not "yes".'),
      message(9, '--json is for all jobs; give it on the command line.'),
      message(13, 'There is no option "constructor".'),
      message(14, 'There is no option "__proto__".'),
      message(10, 'No file matches "none*.glb".'),
      message(12, /The output .* would be outside of the folder "out"\./),
      message(11, /The folder ".*gone" for the picture does not exist\./),
    ]);
  });

  it('bounds the message', async () => {
    workshop.write('many.jsonl', lines(...Array.from({ length: 500 }, () => ({ input: 'a.glb', fov: 0 }))));
    const { code, err } = await workshop.run('render', '--jobs', 'many.jsonl');
    expect([code, err.trim().split('\n').length]).toEqual([2, 21]);
    expect(err).toContain('\n480 more lines are wrong.\n');
  });

  it.each<[string, string[], number, RegExp]>([
    ['{"input": "a.glb"}', ['a.glb'], 2, /^Give either models or --jobs, whose lines name their models\.$/],
    ['', [], 2, /^There are no jobs in "x\.jsonl"\.$/],
    [
      '{"input": "a.glb", "output": "out/x.png"}\n{"input": "b.glb", "output": "out/./x.png"}',
      [],
      2,
      /^"a\.glb" \("x\.jsonl", line 1\) and "b\.glb" \("x\.jsonl", line 2\) would both be written to "out\/\.\/x\.png"/,
    ],
    ['{"input": "none*.glb"}', [], 3, /^"x\.jsonl", line 1: No file matches "none\*\.glb"\.$/],
    ['{"input": "a.glb", "output": "gone/a.png"}', [], 4, /^"x\.jsonl", line 1: The folder ".*gone" for the picture/],
    ['{"input": "a.glb"}\n{"input": "b.glb"}', ['--trace', 't.json'], 2, /^--trace is for one model, not for 2\.$/],
    ['{"input": "a.glb", "output": "-"}\n{"input": "b.glb"}', [], 2, /^Standard output takes one picture, not 2;/],
  ])('refuses %j with %j', async (text, words, code, message) => {
    workshop.write('x.jsonl', text);
    const before = readdirSync(workshop.folder);
    const outcome = await workshop.run('render', ...words, '--jobs', 'x.jsonl');
    expect([outcome.code, outcome.out]).toEqual([code, '']);
    expect(outcome.err.replace(/^rasterloom: /, '').trim()).toMatch(message);
    expect(readdirSync(workshop.folder)).toEqual(before);
  });

  it('reports a file that cannot be read', async () => {
    expect(await workshop.run('render', '--jobs', 'gone.jsonl')).toEqual({
      code: 3,
      out: '',
      err: 'rasterloom: The file of jobs "gone.jsonl" does not exist.\n',
    });
    workshop.write('latin.jsonl', Uint8Array.of(0x22, 0xff, 0x22));
    expect((await workshop.run('render', '--jobs', 'latin.jsonl')).err).toBe(
      'rasterloom: The jobs in "latin.jsonl" are not UTF-8.\n'
    );
    const { err } = await workshop.pipe('{"input": "-"}', 'render', '--jobs', '-');
    expect(err).toBe('rasterloom: standard input, line 1: Standard input cannot be both a model and the jobs.\n');
  });
});
