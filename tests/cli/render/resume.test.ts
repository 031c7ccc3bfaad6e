// --resume, as a user runs it: what is kept, and what is made again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encode } from 'fast-png';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';

const CLI = fileURLToPath(new URL('../../../build/cli.js', import.meta.url));
const RECORD = '.rasterloom-resume.jsonl';
const workshop = new Workshop();
afterAll(() => workshop.remove());
const SMALL = ['-s', '16x16', '--threads', '0'];
const MODEL = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));

/** A .gltf with a buffer in a file of its own. */
function withBuffer(): { gltf: string; buffer: Uint8Array } {
  const view = new DataView(MODEL.buffer, MODEL.byteOffset, MODEL.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(MODEL.subarray(20, 20 + length))) as {
    buffers: { uri?: string; byteLength: number }[];
  };
  json.buffers[0]!.uri = 'data.bin';
  const start = 28 + length;
  return { gltf: JSON.stringify(json), buffer: MODEL.slice(start, start + json.buffers[0]!.byteLength) };
}

const { gltf, buffer } = withBuffer();
/** A panorama of one colour as a .hdr file. */
const panorama = (red: number): Uint8Array =>
  Uint8Array.of(
    ...new TextEncoder().encode('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n'),
    ...[red, 64, 64, 129, red, 64, 64, 129]
  );

beforeAll(() => mkdirSync(workshop.path('out')));
beforeEach(() => {
  for (const file of readdirSync(workshop.path('out'))) rmSync(workshop.path(`out/${file}`));
  workshop.write('a.glb', MODEL);
  workshop.write('b.gltf', gltf);
  workshop.write('data.bin', buffer);
  workshop.write('sky.hdr', panorama(64));
});

/** Runs the command. @returns the outputs that were drawn */
async function drawn(...words: string[]): Promise<string[]> {
  const old = new Date(1e12);
  const files = (): string[] => readdirSync(workshop.path('out')).filter((file) => file !== RECORD);
  for (const file of files()) utimesSync(workshop.path(`out/${file}`), old, old);
  const { code, err } = await workshop.run('render', ...words, '--resume', '--quiet', ...SMALL);
  expect([code, err]).toEqual([0, '']);
  return files()
    .filter((file) => statSync(workshop.path(`out/${file}`)).mtimeMs !== old.getTime())
    .sort();
}

const BOTH = ['a.glb', 'b.gltf', '-o', 'out/{name}.png', '--env', 'sky.hdr'];

describe('rasterloom render --resume', () => {
  it('keeps what has not changed, and makes again what has', async () => {
    expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
    expect(await drawn(...BOTH)).toEqual([]);
    // Options that change no bit.
    expect(await drawn(...BOTH, '--json', '--engine', 'interpreter', '--model-memory', '99')).toEqual([]);
    workshop.write(
      'a.glb',
      oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) }, mode: 1 }))
    );
    expect(await drawn(...BOTH)).toEqual(['a.png']);
    const moved = buffer.slice();
    new DataView(moved.buffer).setFloat32(0, 0.25, true);
    workshop.write('data.bin', moved);
    expect(await drawn(...BOTH)).toEqual(['b.png']);
    workshop.write('sky.hdr', panorama(200));
    expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
    expect(await drawn(...BOTH, '-b', 'red')).toEqual(['a.png', 'b.png']);
    expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
    expect(await drawn(...BOTH)).toEqual([]);
  }, 60_000);

  it('makes outputs again that somebody has changed or deleted', async () => {
    await drawn(...BOTH);
    const whole = readFileSync(workshop.path('out/a.png'));
    workshop.write('out/a.png', encode({ width: 1, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3) }));
    expect(await drawn(...BOTH)).toEqual(['a.png']);
    expect(readFileSync(workshop.path('out/a.png')).equals(whole)).toBe(true);
    rmSync(workshop.path('out/b.png'));
    expect(await drawn(...BOTH)).toEqual(['b.png']);
    workshop.write('out/b.png', Uint8Array.of(...whole, 0));
    expect(await drawn(...BOTH)).toEqual(['b.png']);
  }, 60_000);

  it('draws again what damaged records do not tell', async () => {
    await drawn(...BOTH);
    const record = readFileSync(workshop.path(`out/${RECORD}`), 'utf8');
    const [first, second] = record.split('\n').filter((line) => line !== '') as [string, string];
    workshop.write(`out/${RECORD}`, `${first}\n${second.slice(0, -20)}`);
    expect(await drawn(...BOTH)).toEqual(['b.png']);
    expect(await drawn(...BOTH)).toEqual([]);
    workshop.write(
      `out/${RECORD}`,
      Uint8Array.from({ length: 999 }, (_, i) => (i * 37) & 255)
    );
    expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
    for (const text of ['null\n[]\n7\n{"file":1}', `{"file":"a.png","key":"x","output":"y","resources":[["z"]]}`]) {
      workshop.write(`out/${RECORD}`, text);
      expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
    }
    rmSync(workshop.path(`out/${RECORD}`));
    expect(await drawn(...BOTH)).toEqual(['a.png', 'b.png']);
  }, 60_000);

  it('reports what was kept', async () => {
    await drawn('a.glb', '-o', 'out/{name}.png');
    const both = await workshop.run(
      'render',
      'a.glb',
      'b.gltf',
      '-o',
      'out/{name}.png',
      '--resume',
      '--json',
      ...SMALL
    );
    const [first, second] = both.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toEqual({ model: 'a.glb', output: 'out/a.png', frames: 1, files: 1, kept: 1 });
    expect(second).toMatchObject({ model: 'b.gltf', kept: 0 });
    expect(both.err.replace(/[\d.]+ s/, '')).toBe('Kept out/a.png.\nWrote out/b.png in .\nRendered 1 model, kept 1.\n');
  });

  it('continues an animation that was interrupted', async () => {
    const words = ['--sample', '--turntable', '40', '-s', '200x150', '--threads', '0', '--resume', '--quiet'];
    const child = spawn(process.execPath, [CLI, 'render', ...words, '-o', 'out/{frame:2}.png'], {
      cwd: workshop.folder,
    });
    const ended = once(child, 'exit');
    const count = (): number => readdirSync(workshop.path('out')).filter((file) => file.endsWith('.png')).length;
    while (count() < 5) await new Promise((done) => setTimeout(done, 5));
    child.kill('SIGTERM');
    await ended;
    const before = count();
    expect(before).toBeLessThan(40);
    expect(readdirSync(workshop.path('out')).filter((file) => file.endsWith('.part'))).toEqual([]);
    const { out, err } = await workshop.run('render', ...words.slice(0, -1), '-o', 'out/{frame:2}.png', '--json');
    const { kept, files } = JSON.parse(out) as { kept: number; files: number };
    // The last picture may have got its name without a record.
    expect(kept).toBeGreaterThanOrEqual(before - 1);
    expect([kept <= before, files, count()]).toEqual([true, 40, 40]);
    expect(err).toMatch(new RegExp(`^Wrote ${40 - kept} of 40 pictures of sample in`));
    // The pictures are those of a command without interruption.
    await workshop.run('render', ...words.slice(0, -2), '-o', 'f{frame:2}.png');
    for (let i = 0; i < 40; i++) {
      const name = `${String(i).padStart(2, '0')}.png`;
      expect(readFileSync(workshop.path(`out/${name}`)).equals(readFileSync(workshop.path(`f${name}`)))).toBe(true);
    }
  }, 60_000);

  it('keeps an animated picture as a whole', async () => {
    const words = ['--sample', '--turntable', '3', '-o', 'out/t.webp'];
    expect(await drawn(...words)).toEqual(['t.webp']);
    expect(await drawn(...words)).toEqual([]);
    expect(await drawn(...words, '--loop', '2')).toEqual(['t.webp']);
  });

  it.each<[string[], string]>([
    [['-', '-o', 'out/x.png'], '--resume needs files, not standard input or standard output.'],
    [['a.glb', '-o', '-'], '--resume needs files, not standard input or standard output.'],
    [
      ['a.glb', '--trace', 't.json'],
      '--trace shows how a picture is drawn, and --resume may keep it; leave out one of them.',
    ],
  ])('refuses %j', async (words, message) => {
    expect(await workshop.run('render', ...words, '--resume')).toEqual({
      code: 2,
      out: '',
      err: `rasterloom: ${message}\n`,
    });
  });
});
