// --parallel, as a user runs it: several processes, one queue.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const CLI = fileURLToPath(new URL('../../../build/cli.js', import.meta.url));
const workshop = new Workshop();
afterAll(() => workshop.remove());
const SMALL = ['-s', '24x24', '--threads', '0'];
const COUNT = 12;

beforeAll(() => {
  for (const folder of ['in', 'out', 'one']) mkdirSync(workshop.path(folder));
  const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
  for (let i = 0; i < COUNT; i++) workshop.write(`in/m${String(i).padStart(2, '0')}.glb`, i === 5 ? 'nonsense' : model);
});
beforeEach(() => {
  for (const file of readdirSync(workshop.path('out'))) rmSync(workshop.path(`out/${file}`));
});

const outputs = (): string[] => readdirSync(workshop.path('out')).sort();

/** The processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter((each) => each > 0);

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

async function until(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 4000 && !isDone(); i++) await new Promise((done) => setTimeout(done, 5));
  expect(isDone()).toBe(true);
}

/** Starts a long command with two processes, and waits until both have drawn something. */
async function start(): Promise<{ child: ChildProcess; children: number[]; ended: Promise<unknown[]> }> {
  const many = Array.from({ length: 200 }, (_, i) => ({
    sample: true,
    output: `out/${i}.png`,
    size: '240x160',
    camera: `orbit:${i},20`,
  }));
  workshop.write('long.jsonl', many.map((job) => JSON.stringify(job)).join('\n'));
  const words = ['render', '--jobs', 'long.jsonl', '--parallel', '2', '--threads', '0', '--quiet'];
  const child = spawn(process.execPath, [CLI, ...words], { cwd: workshop.folder });
  const ended = once(child, 'exit');
  await until(() => outputs().filter((file) => file.endsWith('.png')).length >= 4);
  const children = childrenOf(child.pid!);
  expect(children).toHaveLength(2);
  return { child, children, ended };
}

describe('rasterloom render --parallel', () => {
  it('draws the same files, and reports in the same order, as one process', async () => {
    const run = async (
      folder: string,
      ...words: string[]
    ): Promise<{ code: number | null; out: string; err: string }> => {
      const { code, out, err } = await workshop.run(
        'render',
        'in/*.glb',
        '-o',
        `${folder}/{name}.png`,
        ...words,
        ...SMALL
      );
      const lines = out.split('\n').map((line) => {
        if (line === '') return line;
        const { model, output, error, triangles } = JSON.parse(line) as Record<string, unknown>;
        return JSON.stringify({ model, output: String(output).replace(folder, ''), error, triangles });
      });
      return { code, out: lines.join('\n'), err: err.replaceAll(`${folder}/`, '').replace(/[\d.]+ s/g, '') };
    };
    const one = await run('one', '--json');
    const three = await run('out', '--json', '--parallel', '3');
    expect(three).toEqual(one);
    expect(one.code).toBe(1);
    expect(one.err).toContain('rasterloom: in/m05.glb: The file is neither');
    expect(outputs()).toEqual(readdirSync(workshop.path('one')).sort());
    expect(outputs()).toHaveLength(COUNT - 1);
    for (const file of outputs())
      expect(readFileSync(workshop.path(`out/${file}`)).equals(readFileSync(workshop.path(`one/${file}`)))).toBe(true);
  }, 60_000);

  it('keeps outputs with --resume', async () => {
    const words = ['render', 'in/*.glb', '-o', 'out/{name}.png', '--parallel', '2', '--resume', ...SMALL];
    expect((await workshop.run(...words)).err).toContain(
      `Rendered ${COUNT - 1} models; 1 of ${COUNT} models failed.\n`
    );
    rmSync(workshop.path('out/m03.png'));
    const { code, err } = await workshop.run(...words);
    expect([code, err.match(/^Kept/gm)!.length]).toEqual([1, COUNT - 2]);
    expect(err).toContain(`Rendered 1 model, kept ${COUNT - 2}; 1 of ${COUNT} models failed.\n`);
  }, 60_000);

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends all processes after %s, and leaves no part of a file',
    async (signal) => {
      const { child, children, ended } = await start();
      child.kill(signal);
      expect((await ended)[1]).toBe(signal);
      expect(children.filter(isRunning)).toEqual([]);
      const files = outputs();
      expect(files.filter((file) => !file.endsWith('.png'))).toEqual([]);
      expect(files.length).toBeLessThan(200);
      for (const file of files) expect(workshop.picture(`out/${file}`).width).toBe(240);
    },
    60_000
  );

  it('ends the processes if it is killed itself', async () => {
    const { child, children, ended } = await start();
    child.kill('SIGKILL');
    await ended;
    await until(() => !children.some(isRunning));
    expect(outputs().filter((file) => !file.endsWith('.png'))).toEqual([]);
  }, 60_000);

  it('continues when one of the processes is killed', async () => {
    const { child, children, ended } = await start();
    let err = '';
    child.stderr!.on('data', (text: Buffer) => (err += text.toString()));
    process.kill(children[0]!, 'SIGKILL');
    expect((await ended)[0]).toBe(1);
    expect(err).toMatch(/^rasterloom: sample: The process that rendered it was ended by SIGKILL\.\n$/);
    expect(outputs().filter((file) => file.endsWith('.png'))).toHaveLength(199);
  }, 90_000);

  it.each(['0', '65', 'two', '1.5'])('refuses %s processes', async (text) => {
    expect(await workshop.run('render', 'in/m00.glb', '--parallel', text)).toEqual({
      code: 2,
      out: '',
      err: `rasterloom: --parallel must be a whole number of processes from 1 to 64, not "${text}".\n`,
    });
  });
});
