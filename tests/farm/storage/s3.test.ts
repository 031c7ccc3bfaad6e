// A server with the interface of S3 (s3rver). It ignores conditions of PUT, so a listener before it adds them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import S3rver from 's3rver';
import { describe, expect, test } from 'vitest';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openStorage } from '../../../src/farm/storage/storage';
import type { StorageOptions } from '../../../src/farm/storage/types';
import { expectFailure, filesIn, makeFolder, put, serve, sha256 } from './kit';

const root = makeFolder();
const store = new S3rver({ directory: join(root, 'objects'), silent: true, vhostBuckets: false }).callback();
/** The next requests with this method fail with this status. */
const faults: { method: string; status: number }[] = [];
const existing = new Set<string>();
const requests: { method: string; path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
const { address } = await serve((request, response) => {
  const path = request.url!.split('?')[0];
  requests.push({ method: request.method!, path, headers: request.headers });
  const fault = faults.findIndex(({ method }) => method === request.method);
  if (fault >= 0) return void response.writeHead(faults.splice(fault, 1)[0].status).end();
  if (request.method === 'PUT') {
    if (request.headers['if-none-match'] === '*' && existing.has(path)) return void response.writeHead(412).end();
    existing.add(path);
  }
  store(request, response);
});

const s3 = {
  endpoint: address,
  region: 'us-east-1',
  credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
};
const client = new S3Client({ ...s3, forcePathStyle: true });
for (const Bucket of ['models', 'pictures', 'private']) await client.send(new CreateBucketCommand({ Bucket }));
const upload = async (Bucket: string, Key: string, Body: string): Promise<void> =>
  void (await client.send(new PutObjectCommand({ Bucket, Key, Body })));
const download = async (Bucket: string, Key: string): Promise<string> =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString();

const options: StorageOptions = {
  inputs: ['s3://models/'],
  outputs: ['s3://pictures/shop/'],
  cacheFolder: join(root, 'cache'),
  s3,
};
const storage = openStorage(options);

describe('inputs from S3', () => {
  test('are copied and checked', async () => {
    await upload('models', 'a/b c.glb', 'a model');
    const input = await storage.readInput('s3://models/a/b c.glb', { sha256: sha256('a model'), bytes: 7 });
    expect(readFileSync(input.path, 'utf8')).toBe('a model');
    await input.release();
    await expectFailure(
      storage.readInput('s3://models/a/b c.glb', { sha256: sha256('x') }),
      'altered',
      /has changed: its SHA-256/
    );
    expect(filesIn(options.cacheFolder!)).toEqual([`${sha256('a model')}.input`]);
  });

  test('that are missing, or in another bucket, are errors', async () => {
    await expectFailure(storage.readInput('s3://models/none.glb'), 'missing', /responded with 404/);
    await upload('private', 'a.glb', 'a secret');
    await expectFailure(storage.readInput('s3://private/a.glb'), 'refused', /option inputs/);
    await expectFailure(storage.readInput('s3://models/../private/a.glb'), 'address', /not a valid address/);
  });

  test('are tried again when the service is busy, and not when it refuses', async () => {
    await upload('models', 'busy.glb', 'busy');
    faults.push({ method: 'GET', status: 503 }, { method: 'GET', status: 500 });
    expect(await storage.readInput('s3://models/busy.glb')).toMatchObject({ bytes: 4 });
    expect(faults).toEqual([]);
    faults.push({ method: 'GET', status: 403 });
    await expectFailure(storage.readInput('s3://models/busy.glb'), 'denied', /responded with 403/);
    const foreign = openStorage({ ...options, s3: { ...s3, credentials: { ...s3.credentials, accessKeyId: 'who' } } });
    await expectFailure(foreign.readInput('s3://models/busy.glb'), 'denied', /other credentials/);
  });
});

describe('outputs to S3', () => {
  const picture = put(root, 'picture.png', 'a picture');
  const info = { sha256: sha256('a picture') };

  test('are put once, with their hash, type and condition', async () => {
    const url = 's3://pictures/shop/a.png';
    expect(await storage.putOutput(picture, url, info)).toEqual({ written: true });
    expect(await download('pictures', 'shop/a.png')).toBe('a picture');
    const { headers } = requests.find(({ method, path }) => method === 'PUT' && path === '/pictures/shop/a.png')!;
    expect(headers).toMatchObject({
      'if-none-match': '*',
      'content-type': 'image/png',
      'content-length': '9',
      'x-amz-meta-sha256': info.sha256,
      'x-amz-checksum-sha256': Buffer.from(info.sha256, 'hex').toString('base64'),
    });
    expect(await storage.putOutput(picture, url, info)).toEqual({ written: false });
  });

  test('are compared with objects that others have put', async () => {
    await upload('pictures', 'shop/same.png', 'a picture');
    await upload('pictures', 'shop/other.png', 'b picture');
    expect(await storage.putOutput(picture, 's3://pictures/shop/same.png', info)).toEqual({ written: false });
    const other = 's3://pictures/shop/other.png';
    await expectFailure(storage.putOutput(picture, other, info), 'conflict', /exists with other bytes/);
    expect(await openStorage({ ...options, overwrite: true }).putOutput(picture, other, info)).toEqual({
      written: true,
    });
    expect(await download('pictures', 'shop/other.png')).toBe('a picture');
  });

  test('are tried again with their whole body when the service is busy', async () => {
    faults.push({ method: 'PUT', status: 503 });
    expect(await storage.putOutput(picture, 's3://pictures/shop/busy.png', info)).toEqual({ written: true });
    expect(await download('pictures', 'shop/busy.png')).toBe('a picture');
  });

  test('are refused outside of the named beginning of addresses', async () => {
    for (const url of ['s3://pictures/other/a.png', 's3://models/shop/a.png'])
      await expectFailure(storage.putOutput(picture, url, info), 'refused', /option outputs/);
  });
});

test('a service that cannot be reached is an error that may go away', async () => {
  const { server, address: endpoint } = await serve(() => undefined);
  server.close();
  const gone = openStorage({ ...options, s3: { ...s3, endpoint } });
  await expectFailure(gone.readInput('s3://models/x.glb'), 'unavailable', /the server refuses connections/);
});
