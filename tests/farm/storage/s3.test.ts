// Storage with the interface of S3 (s3rver).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../../src/farm/storage/storage';
import type { StorageOptions } from '../../../src/farm/storage/types';
import { expectFailure, filesIn, makeFolder, put, serve, sha256 } from './kit';
import { ObjectServer } from './s3-server';

const root = makeFolder();
const server = await ObjectServer.start(join(root, 'objects'), ['models', 'pictures', 'private']);
const { s3, faults, requests } = server;
const upload = server.upload.bind(server);
const download = async (bucket: string, key: string): Promise<string> =>
  (await server.download(bucket, key)).toString();

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

describe('objects below an address', () => {
  const folder = storage.objects('s3://pictures/shop/own/')!;
  const { signal } = new AbortController();
  const names = async (beginning: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { name } of folder.list(beginning)) found.push(name);
    return found;
  };

  test('are listed by pages, read and removed', async () => {
    const file = put(root, 'part.png', 'a part');
    const about = { sha256: sha256('a part'), bytes: 6 };
    const all = ['a/1', 'a/2', 'a/3 ü%20', 'a/b/4', 'a1/5'];
    for (const name of all) expect(await folder.put(file, name, about)).toEqual({ written: true });
    server.pageSize = 2;
    expect(await names('')).toEqual(all);
    expect(await names('a/')).toEqual(all.slice(0, 4));
    server.pageSize = 1000;
    const folders: string[] = [];
    for await (const name of folder.folders()) folders.push(name);
    expect(folders).toEqual(['a', 'a1']);
    const copy = join(root, 'copy.png');
    await folder.read('a/3 ü%20', copy, about, signal);
    expect(readFileSync(copy, 'utf8')).toBe('a part');
    expect(await folder.readText('a/1', 6, signal)).toBe('a part');
    expect(await folder.readText('a/none', 6, signal)).toBeUndefined();
    for (const name of all.slice(1)) await folder.remove(name);
    await folder.remove('none');
    expect(await names('')).toEqual(['a/1']);
  });

  test('are checked by length and hash, and asked for again when the service is busy', async () => {
    await upload('pictures', 'shop/own/c', 'a body');
    const read = (about: { bytes: number; sha256: string }): Promise<void> =>
      folder.read('c', join(root, 'c'), about, signal);
    await expectFailure(read({ bytes: 5, sha256: sha256('a body') }), 'altered', /has another length/);
    await expectFailure(read({ bytes: 6, sha256: sha256('b body') }), 'altered', /has changed/);
    await expectFailure(folder.readText('c', 5, signal), 'too-large', /larger than 5 bytes/);
    for (const method of ['GET', 'GET', 'DELETE']) faults.push({ method, status: 503 });
    await read({ bytes: 6, sha256: sha256('a body') });
    await folder.remove('c');
    expect(faults).toEqual([]);
    faults.push({ method: 'GET', status: 403 });
    await expectFailure(names('c'), 'denied', /responded with 403/);
  });

  test('are refused outside of the named beginning, and exist for S3 only', async () => {
    const other = storage.objects('s3://private/')!;
    await upload('private', 'a', 'a secret');
    await expectFailure(other.readText('a', 100, signal), 'refused', /option outputs/);
    await expectFailure(other.remove('a'), 'refused', /option outputs/);
    await expectFailure(other.list('').next(), 'refused', /option outputs/);
    expect(await download('private', 'a')).toBe('a secret');
    expect(storage.objects('https://example.com/pictures/')).toBeUndefined();
  });
});

test('a service that cannot be reached is an error that may go away', async () => {
  const { server: closed, address: endpoint } = await serve(() => undefined);
  closed.close();
  const gone = openStorage({ ...options, s3: { ...s3, endpoint } });
  await expectFailure(gone.readInput('s3://models/x.glb'), 'unavailable', /the server refuses connections/);
});
