// Chunks of animations in S3-compatible storage, with a renderer that needs no GPU.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { ChunkObjects } from '../../../src/farm/queue/flows/chunk-objects';
import type { DrawnChunk } from '../../../src/farm/queue/flows/chunk-store';
import type { QueueWorker, QueueWorkerOptions } from '../../../src/farm/queue/worker';
import { openStorage } from '../../../src/farm/storage/storage';
import { makeFolder } from '../storage/kit';
import { ObjectServer } from '../storage/s3-server';
import { FlowTest, FrameRenderer, hashOf, until } from './flow-kit';

const root = makeFolder();
const server = await ObjectServer.start(join(root, 'objects'), ['pictures']);
const FOLDER = 's3://pictures/own/';
const storage = openStorage({ inputs: [], outputs: ['s3://pictures/'], s3: server.s3 });
const chunks = new ChunkObjects(storage.objects(FOLDER)!);
const keys = (): Promise<string[]> => server.keys('pictures');

let redis: RedisServer;
let number = 0;
let flow: FlowTest;
let renderer: FrameRenderer;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(async () => {
  await storage.close();
  await redis.close();
});
beforeEach(() => {
  flow = new FlowTest(redis, `objects-${number++}`);
  renderer = new FrameRenderer();
});
afterEach(() => flow.close());

const film = { id: 'film', input: 'a.glb', output: 'film.png', frames: 5, chunk: 2 };
const TEXT = 'frame 0,frame 1,frame 2,frame 3,frame 4';
const work = (options: Partial<QueueWorkerOptions> = {}): Promise<QueueWorker> =>
  flow.work(renderer, { concurrency: 1, chunks, ...options });
/** Lets the last chunk fail until it is called. */
function breakLast(): () => void {
  let isBroken = true;
  renderer.onRun = (what) =>
    Promise.resolve(isBroken && what === '4-4' ? { code: 'memory', message: 'It is too large' } : undefined);
  return () => (isBroken = false);
}

describe('a flow with chunks in S3', () => {
  test('draws only what is missing after a failure, and then leaves nothing', async () => {
    const mend = breakLast();
    await work();
    const { identity, ...outcome } = await flow.result(await flow.produce(), film);
    expect(outcome).toMatchObject({ code: 'memory', message: 'The frame 4 failed: It is too large' });
    const names = ['0-1/.rasterloom-chunk.json', '0-1/00000.png', '0-1/00001.png', '2-3/.rasterloom-chunk.json'];
    expect((await keys()).slice(0, 4)).toEqual(names.map((name) => `own/${identity}/${name}`));
    mend();
    server.pageSize = 2;
    expect(await (await flow.open()).retry()).toBe(1);
    await until(async () => (await (await flow.open()).status()).counts.completed === 1);
    server.pageSize = 1000;
    expect(renderer.runs).toEqual(['0-1', '2-3', '4-4', '4-4', 'assembled']);
    expect(flow.read('film.png')).toBe(TEXT);
    expect(await keys()).toEqual([]);
    expect(flow.staged()).toEqual([]);
  });

  test('draws a chunk again that was removed or changed', async () => {
    renderer.onRun = async (what) => {
      if (what !== '4-4' || renderer.runs.length > 3) return undefined;
      const [path] = (await keys()).filter((key) => key.endsWith('00001.png'));
      // It has the same length.
      await server.upload('pictures', path, 'frame X');
      return undefined;
    };
    await work();
    expect(await flow.result(await flow.produce(), film, { backoffMs: 50 })).toMatchObject({ attempts: 2 });
    expect(renderer.runs).toEqual(['0-1', '2-3', '4-4', '0-1', 'assembled']);
    expect(flow.read('film.png')).toBe(TEXT);
    expect(await keys()).toEqual([]);
  });

  test('leaves nothing when it has failed and is cleaned, or is drained while a chunk runs', async () => {
    breakLast();
    await work();
    await flow.result(await flow.produce(), film);
    expect((await keys()).length).toBeGreaterThan(0);
    const admin = await flow.open();
    await admin.clean('failed', 0);
    const other = await work();
    expect(await keys()).toEqual([]);
    await other.close();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    renderer.runs.length = 0;
    renderer.onRun = async (what) => (what === '2-3' ? gate.then(() => undefined) : undefined);
    await (await flow.produce()).addAll([film]);
    await until(() => renderer.runs.includes('2-3'));
    expect(await admin.drain()).toBe(1);
    go();
    await until(async () => (await keys()).some((key) => key.endsWith('2-3/.rasterloom-chunk.json')));
    await until(async () => {
      const swept = await work();
      await swept.close();
      return (await keys()).length === 0;
    });
  });

  test('goes on if its files cannot be removed, and says so', async () => {
    const reasons: string[] = [];
    renderer.onRun = (what) => {
      if (what === 'assembled') server.faults.push({ method: 'DELETE', status: 403 });
      return Promise.resolve(undefined);
    };
    const { FarmEvents } = await import('../../../src/farm/telemetry/events');
    const events = new FarmEvents();
    events.on((event) => {
      if (event.type === 'worker' && event.reason !== undefined) reasons.push(event.reason);
    });
    await work({ events });
    expect(await flow.result(await flow.produce(), film)).toMatchObject({ output: 'film.png' });
    expect(reasons).toMatchObject([expect.stringMatching(/needs other credentials.*responded with 403/)]);
    await (await flow.open()).clean('completed', 0);
    await work();
    expect(await keys()).toEqual([]);
  });
});

describe('chunks in S3', () => {
  const { signal } = new AbortController();
  const key = { flow: 'a'.repeat(64), range: { first: 0, last: 1 } };
  const path = `own/${key.flow}/0-1/`;
  /** Files in a new folder, which are drawn. */
  function draw(...texts: string[]): { staged: string; chunk: DrawnChunk } {
    const staged = mkdtempSync(join(root, 'staged-'));
    const files = texts.map((text, i) => {
      writeFileSync(join(staged, `${i}.png`), text);
      return { name: `${i}.png`, sha256: hashOf(text), bytes: text.length };
    });
    return { staged, chunk: { files, isEmpty: false } };
  }

  afterEach(() => chunks.remove(key.flow));

  test('are complete or missing, and are put twice without change', async () => {
    const { staged, chunk } = draw('zero', 'one');
    expect(await chunks.find(key, signal)).toBeUndefined();
    await chunks.keep(key, staged, chunk, signal);
    expect(await chunks.find(key, signal)).toEqual(chunk);
    const before = server.requests.filter(({ method }) => method === 'DELETE').length;
    await chunks.keep(key, staged, chunk, signal);
    expect(server.requests.filter(({ method }) => method === 'DELETE').length).toBe(before);
    const puts = server.requests.filter(({ method, path: at }) => method === 'PUT' && at.includes(key.flow));
    expect(puts.every(({ headers }) => headers['if-none-match'] === '*')).toBe(true);
    expect(puts[2].path).toContain('.rasterloom-chunk.json');
    // A file that is too short.
    await server.upload('pictures', `${path}1.png`, 'on');
    expect(await chunks.find(key, signal)).toBeUndefined();
    await chunks.keep(key, staged, chunk, signal);
    expect((await server.download('pictures', `${path}1.png`)).toString()).toBe('one');
    expect(await chunks.find(key, signal)).toEqual(chunk);
  });

  test('name no files of other folders', async () => {
    const { chunk } = draw('zero');
    for (const name of ['../0.png', 'a/0.png', '.0.png', ''])
      for (const files of [[{ ...chunk.files[0], name }], 'none']) {
        await server.upload('pictures', `${path}.rasterloom-chunk.json`, JSON.stringify({ ...chunk, files }));
        expect(await chunks.find(key, signal)).toBeUndefined();
      }
  });

  test('are removed after a day, unless they are wanted', async () => {
    const { staged, chunk } = draw('zero');
    await chunks.keep(key, staged, chunk, signal);
    const asked: string[] = [];
    const sweep = (isWanted: boolean): Promise<void> =>
      chunks.sweep((name) => {
        asked.push(name);
        return Promise.resolve(isWanted);
      });
    await sweep(false);
    expect((await keys()).length).toBe(2);
    server.ageMs = 25 * 3_600_000;
    await sweep(true);
    expect((await keys()).length).toBe(2);
    await sweep(false);
    server.ageMs = 0;
    expect(await keys()).toEqual([]);
    expect(asked).toEqual([key.flow, key.flow, key.flow]);
    server.faults.push({ method: 'GET', status: 403 });
    await sweep(false);
  });
});
