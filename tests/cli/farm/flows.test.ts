// Animations that are drawn in chunks have the same bytes as in one process, with the built command and a real Redis.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { Builder } from '../../gltf/build';
import { Workshop } from '../program';

const workshop = new Workshop();
let server: RedisServer;

/** A card that leaves a wall, so that the camera of a few frames would not be that of all. */
function moving(): Uint8Array {
  const b = new Builder();
  const attributes = { POSITION: b.accessor('VEC3', Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0)) };
  const times = b.accessor('SCALAR', Float32Array.of(0, 1));
  const ways = b.accessor('VEC3', Float32Array.of(0, 0, 1, 6, 1, 1));
  return b.glb({
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ mesh: 0 }, { mesh: 0, scale: [0.5, 0.5, 1] }],
    meshes: [{ primitives: [{ attributes, indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 0, 2, 3)) }] }],
    animations: [
      {
        samplers: [{ input: times, output: ways }],
        channels: [{ sampler: 0, target: { node: 1, path: 'translation' } }],
      },
    ],
  });
}

beforeAll(async () => {
  server = await RedisServer.start();
  workshop.write('a.glb', moving());
  workshop.write(
    'film.mjs',
    `import { readFileSync } from 'node:fs';
     import { basename } from 'node:path';
     export const render = ({ title }, { frames }) => {
       const parts = frames.flatMap((path) => [Buffer.from(basename(path)), readFileSync(path)]);
       return Buffer.concat([Buffer.from(title), ...parts]);
     };`
  );
  for (const folder of ['one', 'many']) mkdirSync(workshop.path(folder));
});
afterAll(async () => {
  await server.close();
  workshop.remove();
});

const LOOK = { size: '48x32', frames: 7, fps: 12 };
const MODEL = { input: 'a.glb', ...LOOK };
const { frames: _, ...still } = LOOK;
const JOBS = [
  { ...MODEL, output: 'n-{frame:3}.jpg' },
  { ...MODEL, output: 'a.png', loop: 2 },
  { ...MODEL, output: 'a.webp', background: 'transparent', quality: 90, 'frame-range': '1-5' },
  { ...MODEL, output: 'motion-{frame}.png', pass: 'motion' },
  { input: 'a.glb', ...still, turntable: 4, output: 'round.png' },
];
const SHEET = { 'sheet-columns': 3, 'sheet-cell': '24x24', pass: 'color,albedo' };
const FILM = { ...MODEL, output: 'film.bin', encoder: 'film', data: { title: 'Film' } };

const lines = (jobs: readonly object[]): string => jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
const read = (name: string): Buffer => readFileSync(workshop.path(name));

test('the output of a flow has the bytes of one process', async () => {
  const at = ['--queue', 'flows', '--redis', server.url];
  workshop.write('flows.jsonl', lines([...JOBS, { ...MODEL, ...SHEET, sheet: 'sheet.png' }, FILM]));
  expect(await workshop.run('farm', 'add', 'flows.jsonl', '--chunk', '3', ...at)).toMatchObject({ code: 0, err: '' });
  const work = ['farm', 'work', '-o', 'many', '--until-empty', '--concurrency', '2', '--threads', '2', '-q', ...at];
  expect(await workshop.run(...work, '--modules', 'film=./film.mjs')).toEqual({ code: 0, out: '', err: '' });

  const frames = { ...MODEL, output: 'frame-{frame:5}.png' };
  workshop.write('jobs.jsonl', lines([...JOBS, frames].map((job) => ({ ...job, output: `one/${job.output}` }))));
  expect(await workshop.run('render', '--jobs', 'jobs.jsonl', '-q')).toMatchObject({ code: 0, err: '' });
  const words = Object.entries({ ...LOOK, ...SHEET }).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  expect((await workshop.run('render', 'a.glb', ...words, '--sheet', 'one/sheet.png')).code).toBe(0);

  const all = readdirSync(workshop.path('one')).filter((name) => !name.startsWith('frame-'));
  expect(all.length).toBe(18);
  expect(readdirSync(workshop.path('many')).filter((name) => name !== '.rasterloom-farm')).toEqual(
    [...all, 'film.bin'].sort()
  );
  for (const name of all) expect(read(`many/${name}`).equals(read(`one/${name}`)), name).toBe(true);
  const numbers = [0, 1, 2, 3, 4, 5, 6].map((i) => `0000${i}.png`);
  const film = numbers.flatMap((name) => [Buffer.from(name), read(`one/frame-${name}`)]);
  expect(read('many/film.bin').equals(Buffer.concat([Buffer.from('Film'), ...film]))).toBe(true);
  expect(readdirSync(workshop.path('many/.rasterloom-farm/chunks'))).toEqual([]);
  expect(readdirSync(workshop.path('many/.rasterloom-farm/staging'))).toEqual([]);
  // The frames differ, so that a wrong one would be noticed.
  expect(new Set(numbers.map((name) => read(`one/frame-${name}`).toString('latin1'))).size).toBe(7);
});

test('--frame-range draws the same pictures as without it', async () => {
  const words = ['render', 'a.glb', '--size', '48x32', '--frames', '7', '--fps', '12', '--frame-range', '3-4'];
  expect((await workshop.run(...words, '-o', 'part-{frame:5}.png')).code).toBe(0);
  const parts = readdirSync(workshop.folder).filter((name) => name.startsWith('part-'));
  expect(parts).toEqual(['part-00003.png', 'part-00004.png']);
  for (const name of parts) expect(read(name).equals(read(name.replace('part', 'one/frame'))), name).toBe(true);
  expect(await workshop.run(...words.slice(0, -1), '4-7', '-o', 'x-{frame}.png')).toEqual({
    code: 2,
    out: '',
    err: 'rasterloom: --frame-range must be the first and the last frame, as in 0-6, the range of all, not "4-7".\n',
  });
});
