// What else may happen to a command: a second one with the same outputs, a disk that is full, and signals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Workshop } from '../program';

const CLI = fileURLToPath(new URL('../../../build/cli.js', import.meta.url));
const workshop = new Workshop();
afterAll(() => workshop.remove());
beforeEach(() => {
  rmSync(workshop.path('out'), { recursive: true, force: true });
  mkdirSync(workshop.path('out'));
});

const outputs = (): string[] => readdirSync(workshop.path('out')).sort();
const SMALL = ['-s', '120x80', '--threads', '0'];

async function until(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 4000 && !isDone(); i++) await new Promise((done) => setTimeout(done, 5));
  expect(isDone()).toBe(true);
}

/** Runs the command with a limit on the size of files, which fails like a full disk. @param blocks of 512 bytes */
async function limited(blocks: number, ...words: string[]): Promise<{ code: number | null; err: string }> {
  // Node ignores SIGXFSZ, so that writing fails instead.
  const line = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const child = spawn('sh', ['-c', line, process.execPath, CLI, ...words], { cwd: workshop.folder });
  let err = '';
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

describe('two commands with the same outputs', () => {
  it.each([
    ['pictures', 'out/{frame}.png', 6],
    ['an animated picture', 'out/turn.webp', 1],
  ])(
    'leave complete %s',
    async (_, output, count) => {
      const words = ['render', '--sample', '--turntable', '6', '-o', output, '--resume', '--quiet', ...SMALL];
      const ends = await Promise.all([1, 2, 3].map(() => workshop.run(...words)));
      expect(ends.map(({ code, err }) => [code, err])).toEqual([1, 2, 3].map(() => [0, '']));
      const files = outputs().filter((file) => file !== '.rasterloom-resume.jsonl');
      expect(files).toHaveLength(count);
      const bytes = files.map((file) => readFileSync(workshop.path(`out/${file}`)));
      // All of them are recorded, so that nothing is drawn again.
      expect((await workshop.run(...words.filter((word) => word !== '--quiet'))).err).toMatch(/^Kept /);
      rmSync(workshop.path('out'), { recursive: true });
      mkdirSync(workshop.path('out'));
      await workshop.run(...words);
      expect(files.map((file, i) => readFileSync(workshop.path(`out/${file}`)).equals(bytes[i]!))).toEqual(
        files.map(() => true)
      );
    },
    60_000
  );
});

describe.skipIf(process.platform === 'win32')('a disk that is full', () => {
  it('leaves no part of a picture, and is named', async () => {
    const { code, err } = await limited(2, 'render', '--sample', '-o', 'out/a.png', ...SMALL);
    expect([code, err]).toEqual([
      4,
      'rasterloom: The picture "out/a.png" cannot be written: it exceeds the maximum size of a file.\n',
    ]);
    expect(outputs()).toEqual([]);
  });

  it.each(['png', 'webp'])('leaves no part of an animated .%s file', async (ending) => {
    const words = ['render', '--sample', '--turntable', '20', '-o', `out/a.${ending}`];
    const { code, err } = await limited(4, ...words, ...SMALL);
    expect(code).toBe(4);
    expect(err).toContain(`The picture "out/a.${ending}" cannot be written: it exceeds the maximum size of a file.`);
    expect(outputs()).toEqual([]);
  });

  it('does not stop smaller outputs of the same command', async () => {
    const jobs = [
      { sample: true, output: 'out/large.png', size: '400x300' },
      { sample: true, output: 'out/small.png', size: '8x8', 'allow-empty': true },
    ];
    workshop.write('jobs.jsonl', jobs.map((job) => JSON.stringify(job)).join('\n'));
    const { code, err } = await limited(8, 'render', '--jobs', 'jobs.jsonl', '--threads', '0');
    expect([code, outputs()]).toEqual([1, ['small.png']]);
    expect(err).toContain('Rendered 1 model; 1 of 2 models failed.\n');
  });

  it('ends --resume with a message if nothing can be recorded', async () => {
    mkdirSync(workshop.path('out/.rasterloom-resume.jsonl'));
    const { code, err } = await workshop.run('render', '--sample', '-o', 'out/a.png', '--resume', ...SMALL);
    expect([code, err]).toEqual([4, expect.stringMatching(/^rasterloom: The record ".*" cannot be written: EISDIR/)]);
  });
});

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it.each([
    ['SIGTERM', 'out/{n}-{frame}.png'],
    ['SIGINT', 'out/{n}-{frame}.webp'],
    ['SIGHUP', 'out/{n}.png'],
  ] as const)(
    '%s in the middle of many outputs leaves complete ones only (%s)',
    async (signal, output) => {
      const isAnimated = !output.includes('frame');
      const words = ['render', '--sample', '--turntable', '400', '-o', output, '--quiet', ...SMALL];
      const child = spawn(process.execPath, [CLI, ...words], { cwd: workshop.folder });
      const ended = once(child, 'exit');
      await until(() => outputs().length > (isAnimated ? 0 : 3));
      child.kill(signal);
      expect((await ended)[1]).toBe(signal);
      const files = outputs();
      expect(files.filter((file) => file.endsWith('.part'))).toEqual([]);
      if (isAnimated) {
        expect(files).toEqual([]);
        return;
      }
      expect(files.length).toBeLessThan(400);
      for (const file of files) {
        const bytes = readFileSync(workshop.path(`out/${file}`));
        if (file.endsWith('.png')) expect(workshop.picture(`out/${file}`).width).toBe(120);
        else expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
      }
    },
    60_000
  );
});
