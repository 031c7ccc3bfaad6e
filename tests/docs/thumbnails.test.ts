// The server of the guide on thumbnails, as a reader saves and starts it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRobot } from '../../examples/options/models.mjs';
import { decodeImage } from '../../src/gltf/images/image';
import { nodeCodecs } from '../../src/node/codec-wasm';
import { codeBlocks, ROOT } from './kit';

const FOLDER = fileURLToPath(new URL('build/testing/thumbnails/', ROOT));
let server: ChildProcess;
let address = '';

/** A port that no other server has. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${address}${path}`, { headers });

beforeAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(`${FOLDER}node_modules`, { recursive: true });
  mkdirSync(`${FOLDER}models`);
  symlinkSync(fileURLToPath(ROOT), `${FOLDER}node_modules/rasterloom`, 'junction');
  writeFileSync(`${FOLDER}models/robot.glb`, await makeRobot());
  writeFileSync(`${FOLDER}models/broken.glb`, 'no model');
  const { code } = codeBlocks('docs/guides/gltf-thumbnails.md').find(({ code: text }) =>
    text.includes('createServer')
  )!;
  writeFileSync(`${FOLDER}thumbnails.mjs`, code);
  server = spawn(process.execPath, ['thumbnails.mjs'], {
    cwd: FOLDER,
    env: { ...process.env, PORT: String(await freePort()), PROCESSES: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await new Promise<string>((resolve, reject) => {
    server.stdout!.on('data', (text) => resolve(String(text).trim()));
    server.on('exit', (code_) => reject(new Error(`The server ended with code ${code_}.`)));
  });
}, 60_000);
afterAll(() => {
  server?.kill();
});

test('answers with WebP files of the wanted size, and keeps them', async () => {
  const response = await get('/robot.webp?size=128');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { width, height, data } = await decodeImage(bytes, 'The thumbnail', nodeCodecs());
  expect([width, height]).toEqual([128, 128]);
  expect(data[3]).toBe(0);
  expect(data[(64 * 128 + 64) * 4 + 3]).toBe(255);

  const again = await get('/robot.webp?size=128');
  expect(new Uint8Array(await again.arrayBuffer())).toEqual(bytes);
  expect(readdirSync(`${FOLDER}thumbnail-cache`)).toEqual([`${response.headers.get('etag')!.slice(1, -1)}.webp`]);
  const known = await get('/robot.webp?size=128', { 'if-none-match': response.headers.get('etag')! });
  expect(known.status).toBe(304);
}, 60_000);

test.each([
  ['/robot.webp?size=4000', 404],
  ['/..%2Frobot.webp', 404],
  ['/missing.webp', 404],
  ['/broken.webp', 422],
])(
  'answers %s with the status %i',
  async (path, status) => {
    expect((await get(path)).status).toBe(status);
  },
  30_000
);

test('draws what several clients ask for at once', async () => {
  const sizes = [128, 256, 512];
  const answers = await Promise.all([...sizes, ...sizes].map((size) => get(`/robot.webp?size=${size}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 200));
}, 60_000);
