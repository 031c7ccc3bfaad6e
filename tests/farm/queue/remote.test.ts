// Inputs and outputs at addresses: a producer asks for their versions, and workers of the command and of the library
// read and write them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import {
  createFarmWorker,
  FarmProducer,
  FarmQueue,
  renderMany,
  type QueueJob,
  type QueueOutcome,
} from '../../../src/farm';
import { parseFarm } from '../../../src/cli/farm/farm-options';
import { RemoteVersions } from '../../../src/farm/queue/remote-versions';
import { makeFolder, serve, sha256 } from '../storage/kit';
import { ObjectServer } from '../storage/s3-server';

const root = makeFolder();
const model = readFileSync(new URL('../../../examples/sample.glb', import.meta.url));
const objects = await ObjectServer.start(join(root, 'objects'), ['models', 'pictures']);
const { s3 } = objects;
const upload = objects.upload.bind(objects);
const download = objects.download.bind(objects);
/** Files of an HTTP server, with their ETags. */
const files = new Map<string, { body: Uint8Array; etag?: string }>();
const asked: string[] = [];
const web = await serve((request, response) => {
  const file = files.get(request.url!.split('?')[0]);
  asked.push(`${request.method} ${request.url} ${request.headers.range ?? ''}`.trim());
  if (request.method === 'PUT') {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.headers['if-none-match'] === '*' && file) return void response.writeHead(412).end();
      files.set(request.url!, { body: Buffer.concat(pieces) });
      response.writeHead(201).end();
    });
    return;
  }
  if (!file) return void response.writeHead(404).end();
  const headers = file.etag === undefined ? {} : { etag: file.etag };
  if (request.headers.range && file.etag !== undefined)
    response.writeHead(206, { ...headers, 'content-range': `bytes 0-0/${file.body.length}`, 'content-length': 1 });
  else response.writeHead(200, { ...headers, 'content-length': file.body.length });
  response.end(request.headers.range && file.etag !== undefined ? file.body.subarray(0, 1) : file.body);
});

// Copies of inputs.
const caches = process.env.XDG_CACHE_HOME;
process.env.XDG_CACHE_HOME = join(root, 'cache');
afterAll(() => {
  if (caches === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = caches;
  rmSync(join(tmpdir(), `rasterloom-farm-${process.pid}`), { recursive: true, force: true });
});

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
  await upload('models', 'a.glb', model);
  files.set('/models/b.glb', { body: model, etag: '"1"' });
});
afterAll(() => redis.close());

async function results(queue: string, jobs: readonly QueueJob[]): Promise<QueueOutcome[]> {
  const producer = await FarmProducer.open({ queue, redis: redis.url, allowPrivateNetwork: true, s3 });
  const found: QueueOutcome[] = [];
  for await (const outcome of producer.results(jobs)) found.push(outcome);
  await producer.close();
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Hashes of pictures that are drawn without a queue. */
async function expected(sizes: readonly string[]): Promise<string[]> {
  const input = join(root, 'model.glb');
  writeFileSync(input, model);
  const jobs = sizes.map((size) => ({ input, output: join(root, `${size}.png`), size }));
  const hashes: string[] = [];
  for await (const result of renderMany(jobs, { concurrency: 1 })) if ('sha256' in result) hashes.push(result.sha256);
  return hashes;
}

test('a worker reads models from S3 and HTTP, and writes pictures to S3 and HTTP', async () => {
  const options = {
    redis: redis.url,
    inputAddresses: ['s3://models/', `${web.address}models/`],
    concurrency: 1,
    threads: 1,
    s3,
    overwrite: true,
    allowPrivateNetwork: true,
    inputCacheBytes: 2 ** 20,
  };
  const workers = [
    await createFarmWorker({ ...options, queue: 'to-s3', output: 's3://pictures/shop/' }),
    await createFarmWorker({ ...options, queue: 'to-web', output: `${web.address}pictures/` }),
  ];
  try {
    const sizes = ['16x16', '24x16'];
    const jobs = [
      { id: 'a', input: 's3://models/a.glb', output: 'a.png', size: sizes[0] },
      { id: 'b', input: `${web.address}models/b.glb`, output: 'b.png', size: sizes[1] },
      { id: 'c', input: 's3://models/none.glb', output: 'c.png' },
      { id: 'd', input: `${web.address}secret.glb`, output: 'd.png' },
    ];
    await upload('pictures', 'shop/a.png', Buffer.from('an older picture'));
    const hashes = await expected(sizes);
    const [a, b, c, d] = await results('to-s3', jobs);
    expect(a).toMatchObject({ sha256: hashes[0], output: 's3://pictures/shop/a.png' });
    expect(b).toMatchObject({ sha256: hashes[1], output: 's3://pictures/shop/b.png' });
    expect([c, d]).toMatchObject([
      { code: 'input' },
      { code: 'input', message: expect.stringMatching(/inputAddr|inputs/) as string },
    ]);
    for (const [i, name] of ['a', 'b'].entries())
      expect(sha256(await download('pictures', `shop/${name}.png`)), name).toBe(hashes[i]);
    await results('to-web', jobs.slice(0, 2));
    for (const [i, name] of ['a', 'b'].entries())
      expect(sha256(files.get(`/pictures/${name}.png`)!.body), name).toBe(hashes[i]);
  } finally {
    for (const worker of workers) await worker.close();
  }
}, 60_000);

test('an animation in chunks has the bytes of one process in S3, and leaves nothing beside them', async () => {
  const input = join(root, 'round.glb');
  writeFileSync(input, model);
  mkdirSync(join(root, 'whole'));
  const look = { turntable: 5, size: '24x16' };
  const outputs = ['round.png', 'n-{frame:2}.png'];
  const whole = outputs.map((output) => ({ ...look, input, output: join(root, 'whole', output) }));
  for await (const result of renderMany(whole, { concurrency: 1 })) expect(result.code).toBeUndefined();
  const worker = await createFarmWorker({
    queue: 'chunks',
    redis: redis.url,
    output: 's3://pictures/films/',
    inputAddresses: ['s3://models/'],
    concurrency: 2,
    threads: 2,
    s3,
  });
  try {
    const chunked = outputs.map((output) => ({ ...look, input: 's3://models/a.glb', output, chunk: 2 }));
    const done = await results('chunks', chunked);
    expect(done).toMatchObject([
      { output: 's3://pictures/films/round.png', files: 1 },
      { output: 's3://pictures/films/n-00.png', files: 5 },
    ]);
    const names = readdirSync(join(root, 'whole')).sort();
    expect(names).toEqual(['n-00.png', 'n-01.png', 'n-02.png', 'n-03.png', 'n-04.png', 'round.png']);
    expect(await objects.keys('pictures', 'films/')).toEqual(names.map((name) => `films/${name}`));
    for (const name of names)
      expect((await download('pictures', `films/${name}`)).equals(readFileSync(join(root, 'whole', name))), name).toBe(
        true
      );
  } finally {
    await worker.close();
  }
}, 60_000);

describe('the version of an address', () => {
  const versions = (): RemoteVersions => new RemoteVersions({ allowPrivateNetwork: true, s3 });

  test('changes with its ETag, or else with its length, and is asked for once', async () => {
    const address = `${web.address}v.glb`;
    const seen: (string | undefined)[] = [];
    for (const [body, etag] of [
      ['one', '"1"'],
      ['two', '"2"'],
      ['two', undefined],
      ['three', undefined],
    ] as const) {
      files.set('/v.glb', { body: Buffer.from(body), ...(etag ? { etag } : {}) });
      asked.length = 0;
      const asking = versions();
      seen.push(await asking.of(address), await asking.of(address));
      expect(asked).toEqual(['GET /v.glb bytes=0-0']);
      await asking.close();
    }
    expect(seen.every((each) => each !== undefined)).toBe(true);
    expect(new Set(seen).size).toBe(4);
    await upload('models', 'v.glb', Buffer.from('one'));
    const first = await versions().of('s3://models/v.glb');
    await upload('models', 'v.glb', Buffer.from('two'));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await versions().of('s3://models/v.glb')).not.toBe(first);
  });

  test('is unknown if there is nothing, or if the producer may not ask', async () => {
    expect(await versions().of(`${web.address}none.glb`)).toBeUndefined();
    asked.length = 0;
    expect(await new RemoteVersions().of(`${web.address}v.glb`)).toBeUndefined();
    expect(await versions().of('file:///etc/passwd')).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('is compared by the worker with what it reads', async () => {
    const producer = await FarmProducer.open({ queue: 'changed', redis: redis.url, allowPrivateNetwork: true });
    files.set('/models/c.glb', { body: model, etag: '"1"' });
    const job = { id: 'c', input: `${web.address}models/c.glb`, output: 'c.png', size: '16x16' };
    expect(await producer.add(job)).toEqual({ added: 1, known: 0 });
    await producer.close();
    files.set('/models/c.glb', { body: model, etag: '"2"' });
    const worker = await createFarmWorker({
      queue: 'changed',
      redis: redis.url,
      output: join(root, 'out'),
      inputAddresses: [`${web.address}models/`],
      allowPrivateNetwork: true,
      concurrency: 1,
    });
    const [again] = await results('changed', [job]);
    expect(again).toMatchObject({ output: 'c.png' });
    await worker.close();
    const queue = await FarmQueue.open({ queue: 'changed', redis: redis.url });
    const failed: string[] = [];
    for await (const { message } of queue.failed()) failed.push(message);
    await queue.close();
    expect(failed).toMatchObject([expect.stringMatching(/has changed since the job was added: its ETag or length/)]);
  }, 30_000);
});

test('the command gives these options to its workers', () => {
  const words = [
    'farm',
    'work',
    '-o',
    's3://pictures/',
    '--overwrite',
    '--allow-private-network',
    '--input-cache',
    '64',
  ];
  expect(parseFarm(words)).toMatchObject({ overwrite: true, allowPrivateNetwork: true, inputCacheBytes: 64 * 2 ** 20 });
  expect(parseFarm(words.slice(0, 4))).toMatchObject({ overwrite: false, allowPrivateNetwork: false });
  expect(() => parseFarm([...words.slice(0, 4), '--input-cache', '-1'])).toThrow(
    '--input-cache must be a whole number'
  );
});
