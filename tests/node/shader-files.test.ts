// The shader cache in a folder: several writers, its size, and folders that it refuses.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/api';
import { create } from '../../src/index';
import { shaderFiles } from '../../src/node/shader-files';
import { ShaderCache } from '../../src/render';
import { writeRecords } from '../render/shader-cache/kit';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'shader-files-'));
});
afterAll(() => rmSync(base, { recursive: true }));

const BUILT = fileURLToPath(new URL('../../build/index.js', import.meta.url));
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const storeIn = async (folder: string, maxBytes = 1 << 20): Promise<RecordStore> =>
  (await shaderFiles(join(base, folder), maxBytes)())!;

describe('records', () => {
  test('are read as they were written, with permissions for the user alone', async () => {
    const store = await storeIn('records');
    const name = nameOf('a');
    expect(store.read(name)).toBeNull();
    store.write(new Map([[name, Uint8Array.of(1, 2, 3)]]));
    store.write(new Map([[name, Uint8Array.of(4, 5)]]));
    expect(store.read(name)).toEqual(Uint8Array.of(4, 5));
    expect(readdirSync(join(base, 'records'))).toEqual([`${name}.shader`]);
  });

  test('are read from damaged files that have one copy left, and repaired at the end', async () => {
    const store = await storeIn('damaged');
    const name = nameOf('a');
    const path = join(base, 'damaged', `${name}.shader`);
    const bytes = Uint8Array.from({ length: 500 }, (_, i) => i % 251);
    store.write(new Map([[name, bytes]]));
    const whole = readFileSync(path);
    const flipped = (...places: number[]): Buffer =>
      Buffer.from(whole.map((byte, i) => (places.includes(i) ? ~byte : byte)));
    const half = whole.length >> 1;
    const usable = [whole.subarray(0, half), whole.subarray(0, -1), flipped(0, 66, 200), flipped(half, half + 300)];
    for (const damaged of usable) {
      writeFileSync(path, damaged);
      expect((await storeIn('damaged')).read(name)).toEqual(bytes);
      writeRecords();
      if (damaged !== usable[3]) expect(readFileSync(path)).toEqual(whole);
    }
    for (const lost of [whole.subarray(0, half - 1), Buffer.alloc(0), flipped(80, half), Buffer.alloc(2 * half)]) {
      writeFileSync(path, lost);
      expect(store.read(name)).toBeNull();
    }
    writeFileSync(path, whole);
    expect(store.read(name)).toEqual(bytes);
  });

  test.skipIf(process.platform === 'win32')('are not read if others can write to their files', async () => {
    const store = await storeIn('open');
    const name = nameOf('a');
    store.write(new Map([[name, Uint8Array.of(1)]]));
    chmodSync(join(base, 'open', `${name}.shader`), 0o666);
    expect(store.read(name)).toBeNull();
    store.write(new Map([[name, Uint8Array.of(2)]]));
    expect(store.read(name)).toEqual(Uint8Array.of(2));
  });

  test('are dropped when they exceed the limit: those first that were not used for longest', async () => {
    const store = await storeIn('small', 6300);
    const names = ['a', 'b', 'c', 'd'].map(nameOf);
    const pathOf = (i: number): string => join(base, 'small', `${names[i]}.shader`);
    const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
    names.slice(0, 3).forEach((name, i) => {
      store.write(new Map([[name, new Uint8Array(800)]]));
      utimesSync(pathOf(i), days(3 - i), days(3 - i));
    });
    // Reading the oldest record makes it the newest one.
    expect(store.read(names[0]!)).toHaveLength(800);
    writeFileSync(join(base, 'small', 'notes.txt'), 'not a record');
    writeFileSync(`${pathOf(0)}.0123.tmp`, 'from a writer that was killed');
    utimesSync(`${pathOf(0)}.0123.tmp`, days(1), days(1));
    store.write(new Map([[names[3]!, new Uint8Array(800)]]));
    expect(names.map((name) => store.read(name) !== null)).toEqual([true, false, true, true]);
    expect(readdirSync(join(base, 'small'))).toHaveLength(4);
  });

  test('that are small are written without listing the folder', async () => {
    const store = await storeIn('large', 1 << 30);
    const abandoned = join(base, 'large', `${nameOf('a')}.shader.0123.tmp`);
    writeFileSync(abandoned, 'from a writer that was killed');
    utimesSync(abandoned, 0, 0);
    store.write(new Map([[nameOf('b'), Uint8Array.of(1)]]));
    expect(readdirSync(join(base, 'large'))).toHaveLength(2);
    store.write(new Map([[nameOf('c'), new Uint8Array(1 << 24)]]));
    expect(readdirSync(join(base, 'large')).sort()).toEqual(
      [nameOf('b'), nameOf('c')].map((n) => `${n}.shader`).sort()
    );
  });

  test('of another build are not used, nor values of another shape', async () => {
    const store = await storeIn('values');
    const cache = new ShaderCache(store);
    const key = cache.key('kind', 'input');
    const written = new Promise<void>((done) => {
      cache.write(key, () => {
        done();
        return { value: 1 };
      });
    });
    await written;
    await expect.poll(() => cache.read(key, (value) => value)).toEqual({ value: 1 });
    const restore = (value: object): string => (value as { name: string }).name.trim();
    expect(cache.read(key, restore)).toBeNull();
    expect(cache.counts).toMatchObject({ found: 1, damaged: 1, written: 1 });
    expect(cache.read(cache.key('kind', 'other'), (value) => value)).toBeNull();
  });
});

describe('a folder', () => {
  test.skipIf(process.platform === 'win32')('is refused if others can write to it', () => {
    const folder = join(base, 'unsafe');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(() => create({ shaderCache: folder })).toThrow(
      `create: shaderCache: ${folder} can be written by other users (mode 777): run chmod go-w ${folder}`
    );
    expect(() => create({ shaderCache: pathToFileURL(folder) })).toThrow('can be written by other users');
  });

  test('is refused if it is a file, a web address, or no name at all', () => {
    expect(() => create({ shaderCache: BUILT })).toThrow(/create: shaderCache: EEXIST/);
    expect(() => create({ shaderCache: 'https://example.org/cache' })).toThrow(
      'create: shaderCache must be a path or a file URL in Node, not "https://example.org/cache"'
    );
    expect(() => create({ shaderCache: 5 as unknown as string })).toThrow(TypeError);
    expect(() => create({ shaderCache: base, shaderCacheBytes: 0 })).toThrow(RangeError);
  });

  test.skipIf(process.platform !== 'linux')('that is unavailable is no error', async () => {
    expect(await shaderFiles('/proc/no/such/folder', 1000)()).toBeNull();
    const adapter = await create({ shaderCache: '/proc/no/such/folder', threads: 0 }).requestAdapter();
    (await adapter!.requestDevice()).destroy();
  });
});

const PROGRAM = `
import { create, globals } from ${JSON.stringify(pathToFileURL(BUILT).href)};
Object.assign(globalThis, globals);
const [shaderCache, count, delay] = process.argv.slice(1);
const adapter = await create({ shaderCache, threads: 0, engine: 'jit', extensions: ['statistics'] }).requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['statistics'] });
const results = [];
for (let i = 0; i < Number(count); i++) {
  const buffer = device.createBuffer({ size: 16, usage: 128 | 4 });
  const copy = device.createBuffer({ size: 16, usage: 1 | 8 });
  const module = device.createShaderModule({ code: \`
    @group(0) @binding(0) var<storage, read_write> v: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { v[i] = i * \${i + 3}u; }\` });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const layout = pipeline.getBindGroupLayout(0);
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, 16);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  results.push(new Uint32Array(copy.getMappedRange())[3]);
}
const { emitted, fromStore } = device.statistics().programs;
console.log(JSON.stringify({ results, emitted, fromStore }));
device.destroy();
`;

interface Outcome {
  readonly results: readonly number[];
  readonly emitted: number;
  readonly fromStore: number;
}
const runProcess = (folder: string, count: number): Promise<Outcome> =>
  new Promise((done, failed) => {
    const args = ['--input-type=module', '-e', PROGRAM, join(base, folder), String(count)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (data: Buffer) => (text += String(data)));
    child.on('exit', (code) => (code === 0 ? done(JSON.parse(text) as Outcome) : failed(new Error(`code ${code}`))));
  });

test('several processes share a folder', async () => {
  const COUNT = 12;
  const results = Array.from({ length: COUNT }, (_, i) => 3 * (i + 3));
  const first = await Promise.all(Array.from({ length: 3 }, () => runProcess('shared', COUNT)));
  for (const outcome of first) expect(outcome.results).toEqual(results);
  // A module, a pipeline and a stage for each shader, and the code of the engine.
  const files = readdirSync(join(base, 'shared'));
  expect(files).toHaveLength(3 * COUNT + 1);
  expect(files.every((name) => /^[0-9a-f]{64}\.shader$/.test(name))).toBe(true);
  expect(await runProcess('shared', COUNT)).toEqual({ results, emitted: 0, fromStore: COUNT });
  // A damaged record is replaced, also by several writers.
  for (const name of files) {
    const path = join(base, 'shared', name);
    writeFileSync(path, readFileSync(path).subarray(0, 100));
  }
  const again = await Promise.all(Array.from({ length: 3 }, () => runProcess('shared', COUNT)));
  for (const outcome of again) expect(outcome.results).toEqual(results);
  expect(await runProcess('shared', COUNT)).toEqual({ results, emitted: 0, fromStore: COUNT });
}, 60_000);
