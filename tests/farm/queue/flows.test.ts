// Animations that are split into chunks, with a real Redis and a renderer that needs no GPU.
import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { FlowTest, FrameRenderer, hashOf, until } from './flow-kit';

let server: RedisServer;
let number = 0;
let flow: FlowTest;
let renderer: FrameRenderer;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  flow = new FlowTest(server, `flow-${number++}`);
  renderer = new FrameRenderer();
});
afterEach(() => flow.close());

const numbered = { id: 'film', input: 'a.glb', output: 'film/{frame:2}.png', frames: 5, chunk: 2 };
const animated = { ...numbered, output: 'film.png' };

describe('a flow', () => {
  test('gives numbered files their names', async () => {
    await flow.work(renderer);
    const outcome = await flow.result(await flow.produce(), numbered);
    expect(outcome).toMatchObject({ id: 'film', output: 'film/00.png', files: 5, attempts: 1, reused: false });
    expect(readdirSync(flow.path('out', 'film'))).toEqual(['00.png', '01.png', '02.png', '03.png', '04.png']);
    expect(flow.read('film/03.png')).toBe('frame 3');
    expect([...renderer.runs].sort()).toEqual(['0-1', '2-3', '4-4']);
    expect(flow.flows()).toEqual([]);
    expect(flow.staged()).toEqual([]);
  });

  test('is put together of its frames, in their order', async () => {
    await flow.work(renderer);
    const text = 'frame 0,frame 1,frame 2,frame 3,frame 4';
    const producer = await flow.produce();
    expect(await flow.result(producer, animated)).toMatchObject({ output: 'film.png', files: 1, sha256: hashOf(text) });
    expect(flow.read('film.png')).toBe(text);
    const { output: _, ...job } = animated;
    await flow.result(producer, { ...job, sheet: 'sheet.png', 'sheet-columns': 2 });
    expect(flow.read('sheet.png')).toBe(text);
    await flow.result(producer, { ...animated, output: 'film.mp4', encoder: 'film', data: { crf: 20 } });
    expect(flow.read('film.mp4')).toBe(text);
    await flow.result(producer, { ...animated, output: 'part.png', 'frame-range': '1-3' });
    expect(flow.read('part.png')).toBe('frame 1,frame 2,frame 3');
  });

  test('has the identity of the job that is not split', async () => {
    await flow.work(renderer);
    const producer = await flow.produce();
    const { chunk: _, ...whole } = animated;
    const { identity } = await flow.result(producer, animated);
    expect(await flow.result(producer, whole)).toMatchObject({ identity });
    expect(await producer.addAll([{ ...animated, chunk: 3 }, whole], { chunk: 1 })).toEqual({ added: 0, known: 2 });
    // Redis forgets it. Then its output is found.
    await (await flow.open()).clean('completed', 0);
    const before = renderer.runs.length;
    expect(await flow.result(producer, animated)).toMatchObject({ identity, reused: true });
    expect(renderer.runs.length).toBe(before);
    expect(flow.flows()).toEqual([]);
  });

  test('is made of jobs with more frames than a chunk, if that is asked for', async () => {
    await flow.work(renderer);
    const producer = await flow.produce();
    const { chunk: _, ...job } = numbered;
    await flow.result(producer, { ...job, frames: 3, output: 'a{frame}.png' }, { chunk: 3 });
    expect(renderer.runs).toEqual(['whole']);
    await flow.result(producer, { ...job, frames: 4, output: 'b{frame}.png' }, { chunk: 3 });
    expect([...renderer.runs].sort()).toEqual(['0-2', '3-3', 'whole']);
  });

  test('fails with the reason of its chunk, and a retry draws only what is missing', async () => {
    let isBroken = true;
    renderer.onRun = (what) =>
      Promise.resolve(isBroken && what === '2-3' ? { code: 'memory', message: 'It is too large' } : undefined);
    await flow.work(renderer, { concurrency: 1 });
    const producer = await flow.produce();
    const outcome = await flow.result(producer, animated);
    expect(outcome).toMatchObject({ code: 'memory', message: 'The frames 2 to 3 failed: It is too large' });
    // The failure ends the flow before its last chunk has started.
    expect(renderer.runs).toEqual(['0-1', '2-3']);
    const admin = await flow.open();
    expect((await admin.status()).counts).toMatchObject({ waiting: 0, active: 0, failed: 1 });
    expect(await flow.failed()).toMatchObject([{ name: 'film', code: 'memory', output: 'film.png' }]);
    isBroken = false;
    expect(await admin.retry({ ids: ['film'] })).toBe(1);
    await until(async () => (await admin.status()).counts.completed === 1);
    expect(renderer.runs).toEqual(['0-1', '2-3', '2-3', '4-4', 'assembled']);
    expect(flow.read('film.png')).toContain('frame 2,frame 3');
  });

  test('tries a chunk again, and the rest is not drawn twice', async () => {
    let failures = 1;
    renderer.onRun = (what) =>
      Promise.resolve(
        what === '0-1' && failures-- > 0 ? { code: 'timeout', message: 'It hangs', retryable: true } : undefined
      );
    await flow.work(renderer, { concurrency: 1 });
    const outcome = await flow.result(await flow.produce(), animated, { backoffMs: 50 });
    expect(outcome).toMatchObject({ output: 'film.png' });
    expect([...renderer.runs].sort()).toEqual(['0-1', '0-1', '2-3', '4-4', 'assembled']);
  });

  test('is one job with its progress, ahead of jobs that came later', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    renderer.onRun = async (what) => {
      if (what === '2-3') await gate;
      return undefined;
    };
    const producer = await flow.produce();
    const later = { id: 'later', input: 'a.glb', output: 'later.png' };
    await producer.addAll([animated, later]);
    await flow.work(renderer, { concurrency: 1 });
    await until(() => renderer.runs.includes('2-3'));
    const status = await (await flow.open()).status();
    expect(status.counts).toEqual({ waiting: 1, delayed: 0, active: 1, completed: 0, failed: 0 });
    expect(status.flows).toMatchObject([{ name: 'film', output: 'film.png', chunks: 3, drawn: 1, version: '1.0.0' }]);
    go();
    await until(() => renderer.runs.includes('whole'));
    expect(renderer.runs).toEqual(['0-1', '2-3', '4-4', 'assembled', 'whole']);
  });

  test('is put together by another worker if the first one is lost', async () => {
    renderer.onRun = (what, signal) =>
      what === 'assembled'
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))
        : Promise.resolve(undefined);
    const first = await flow.work(renderer, { graceMs: 0 });
    const producer = await flow.produce();
    await producer.addAll([animated]);
    await until(() => renderer.runs.includes('assembled'));
    await first.close();
    const drawn = renderer.runs.length;
    renderer.onRun = () => Promise.resolve(undefined);
    await flow.work(renderer);
    expect(await flow.result(producer, animated)).toMatchObject({ output: 'film.png', reused: false });
    expect(renderer.runs.slice(drawn)).toEqual(['assembled']);
    expect(flow.staged()).toEqual([]);
  });

  test('leaves no files when it is drained while a chunk runs', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    renderer.onRun = async (what) => {
      if (what === '2-3') await gate;
      return undefined;
    };
    const worker = await flow.work(renderer, { concurrency: 1 });
    await (await flow.produce()).addAll([animated]);
    await until(() => renderer.runs.includes('2-3'));
    expect(flow.flows().length).toBe(1);
    const admin = await flow.open();
    expect(await admin.drain()).toBe(1);
    go();
    await until(() => worker.busy === 0);
    expect((await admin.status()).counts.active).toBe(0);
    // The files go with the next report of any worker.
    await flow.work(renderer);
    expect(flow.flows()).toEqual([]);
    expect(renderer.runs).toEqual(['0-1', '2-3']);
  });

  test('leaves no files when it has failed and is cleaned', async () => {
    renderer.onRun = (what) => Promise.resolve(what === '4-4' ? { code: 'input', message: 'It is broken' } : undefined);
    await flow.work(renderer, { concurrency: 1 });
    await flow.result(await flow.produce(), animated);
    expect(flow.flows().length).toBe(1);
    await (await flow.open()).clean('failed', 0);
    await flow.work(renderer);
    expect(flow.flows()).toEqual([]);
  });

  test('leaves no files for longer than a day if Redis has lost it', async () => {
    renderer.onRun = (what) => Promise.resolve(what === '4-4' ? { code: 'input', message: 'It is broken' } : undefined);
    const worker = await flow.work(renderer, { concurrency: 1 });
    await flow.result(await flow.produce(), animated);
    await worker.close();
    const { Redis } = await import('ioredis');
    const client = new Redis(flow.redis);
    await client.flushall();
    client.disconnect();
    const next = await flow.work(renderer);
    await next.close();
    const [found] = flow.flows();
    const old = Date.now() / 1000 - 25 * 3600;
    utimesSync(flow.path('out', '.rasterloom-farm', 'chunks', found), old, old);
    await flow.work(renderer);
    await until(() => flow.flows().length === 0);
  });

  test('draws a chunk again whose files were removed', async () => {
    renderer.onRun = (what) => {
      if (what === '4-4') rmSync(flow.path('out', '.rasterloom-farm', 'chunks', flow.flows()[0], '0-1', '00001.png'));
      return Promise.resolve(undefined);
    };
    await flow.work(renderer, { concurrency: 1 });
    await flow.result(await flow.produce(), animated);
    expect(renderer.runs).toEqual(['0-1', '2-3', '4-4', '0-1', 'assembled']);
  });

  test('is empty only if all its chunks are', async () => {
    renderer.onRun = (what) => Promise.resolve(what === '0-1' ? { code: 'empty', message: 'Nothing' } : undefined);
    await flow.work(renderer, { concurrency: 1 });
    const producer = await flow.produce();
    expect(await flow.result(producer, animated)).toMatchObject({ output: 'film.png' });
    renderer.onRun = (what) =>
      Promise.resolve(what === 'assembled' ? undefined : { code: 'empty', message: 'Nothing' });
    expect(await flow.result(producer, { ...animated, output: 'b.png' })).toMatchObject({
      code: 'empty',
      message: 'Nothing can be seen in the picture; choose another --camera, or use --allow-empty',
    });
  });

  test('is refused by a worker whose outputs cannot be read back', async () => {
    await flow.work(renderer, { chunks: null });
    expect(await flow.result(await flow.produce(), animated)).toMatchObject({
      code: 'invalid-job',
      message:
        'The outputs of this worker go to "https://example.com/pictures/", where the chunks of a flow can be neither '
        + 'listed nor removed; give workers a folder or an address with s3: as their output, or add the job without '
        + '"chunk"',
    });
  });

  test.each([
    [{ ...animated, chunk: 0 }, '"chunk" must be a whole number from 1 to 10000, not 0'],
    [{ ...animated, chunk: 1.5 }, '"chunk" must be a whole number from 1 to 10000, not 1.5'],
    [{ ...animated, frames: 'many' }, 'its number of frames is "many"'],
    [{ ...animated, frames: 4000 }, 'it has 2000 chunks of 2 frames, and at most 1000 are allowed; use a larger chunk'],
    [{ ...animated, 'frame-range': '3-5' }, '"frame-range" is "3-5" and not in its 5 frames'],
    [{ ...animated, frames: undefined }, '"chunk" needs "frames" or "turntable"'],
    [{ ...animated, sheet: 's.png' }, 'it has both "output" and "sheet"'],
    [{ ...animated, data: 1 }, '"data" needs "encoder" or "module"'],
    [{ input: 'a.glb', sheet: 's.png', frames: 2 } as never, '"sheet" needs "chunk"'],
    [{ ...animated, 'sheet-columns': 2 }, 'there is no option "sheet-columns" for a job of a queue'],
  ])('is refused when it is added (%#)', async (job, why) => {
    await expect((await flow.produce()).addAll([job])).rejects.toThrow(why);
  });

  test('is refused if its encoder is no module of the worker, or its id names other frames', async () => {
    await flow.work(renderer);
    const producer = await flow.produce();
    const job = { ...animated, output: 'film.mp4', encoder: 'other' };
    expect(await flow.result(producer, job)).toMatchObject({
      code: 'invalid-job',
      message: 'The job is refused: this worker has no module "other" as an encoder; its modules are: "film"',
    });
    const { identity } = await flow.result(producer, animated);
    await (await flow.open()).clean('completed', 0);
    rmSync(flow.path('out', 'film.png'));
    const { Redis } = await import('ioredis');
    const { Queue } = await import('bullmq');
    const client = new Redis(flow.redis, { maxRetriesPerRequest: null });
    const raw = new Queue(`${flow.queue}@1.0.0`, { connection: client, prefix: 'rasterloom' });
    const { chunk, id: name, ...options } = animated;
    const inputs = { 'a.glb': hashOf('model a') };
    const data = { version: '1.0.0', name, job: options, inputs, flow: { chunk } };
    await raw.add('chunk', data, { jobId: `${identity}.1-2` });
    await until(async () => (await flow.failed()).length === 2);
    expect(await flow.failed()).toMatchObject([{ message: 'The flow has no chunk of the frames 1 to 2' }, {}]);
    await raw.close();
    client.disconnect();
  });
});
