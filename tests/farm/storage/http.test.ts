import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../../src/farm/storage/storage';
import type { StorageOptions } from '../../../src/farm/storage/types';
import { expectFailure, filesIn, makeFolder, put, serve, sha256 } from './kit';

const root = makeFolder();
const cacheFolder = join(root, 'cache');
mkdirSync(cacheFolder, { mode: 0o700 });

/** What the server does with a request, by its path. */
const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
const requests: string[] = [];
const { address } = await serve((request, response) => {
  const path = request.url!.split('?')[0];
  requests.push(`${request.method} ${path}`);
  const handler = handlers.get(path);
  if (handler) handler(request, response);
  else response.writeHead(404).end();
});

const options: StorageOptions = {
  inputs: [`${address}models/`],
  outputs: [`${address}out/`],
  allowPrivateNetwork: true,
  cacheFolder,
  timeoutMs: 5000,
  maxFileBytes: 4 * 2 ** 20,
};
const storage = openStorage(options);
const answer = (path: string, status: number, body: string | Buffer = '', headers = {}): void =>
  void handlers.set(path, (_, response) => response.writeHead(status, headers).end(body));
/** Nothing of an input that failed stays in the cache. */
const parts = (): string[] => filesIn(cacheFolder).filter((name) => name !== 'input' && !name.endsWith('.input'));

describe('inputs by HTTP', () => {
  test('are copied, and fetched once for a hash that the job names', async () => {
    const body = Buffer.alloc(3 * 2 ** 20, 'model');
    answer('/models/a.glb', 200, body);
    const expected = { sha256: sha256(body), bytes: body.length };
    const [first, second] = await Promise.all([
      storage.readInput(`${address}models/a.glb?X-Amz-Signature=1`, expected),
      storage.readInput(`${address}models/a.glb`, expected),
    ]);
    expect(first).toMatchObject(expected);
    expect(sha256(readFileSync(second.path))).toBe(expected.sha256);
    await first.release();
    await second.release();
    expect(requests.filter((one) => one === 'GET /models/a.glb')).toHaveLength(1);
    expect(filesIn(cacheFolder)).toEqual([`${expected.sha256}.input`]);
  });

  test('that another status than 200 answers are errors with its cause', async () => {
    for (const [status, code] of [
      [404, 'missing'],
      [410, 'missing'],
      [401, 'denied'],
      [403, 'denied'],
      [418, 'refused'],
    ] as const) {
      answer(`/models/${status}`, status);
      const before = requests.length;
      await expectFailure(
        storage.readInput(`${address}models/${status}`),
        code,
        new RegExp(`responded with ${status}`)
      );
      expect(requests.length - before, 'attempts').toBe(1);
    }
  });

  test('are tried again when the server is busy', async () => {
    let attempts = 0;
    handlers.set('/models/busy', (_, response) => {
      attempts++;
      if (attempts < 3) response.writeHead(503).end();
      else response.end('a model');
    });
    expect(await storage.readInput(`${address}models/busy`)).toMatchObject({ bytes: 7, sha256: sha256('a model') });
    answer('/models/never', 503);
    await expectFailure(storage.readInput(`${address}models/never`), 'unavailable', /responded with 503/);
    expect(requests.filter((one) => one === 'GET /models/never')).toHaveLength(3);
  });

  test('that are cut off leave nothing', async () => {
    const cuts: Record<string, Record<string, number>> = { 'cut-length': { 'content-length': 1000 }, 'cut-chunks': {} };
    for (const [name, headers] of Object.entries(cuts)) {
      handlers.set(`/models/${name}`, (_, response) => {
        response.writeHead(200, headers);
        response.write('half', () => response.destroy());
      });
      await expectFailure(storage.readInput(`${address}models/${name}`), 'unavailable', /was cut off/);
      expect(parts()).toEqual([]);
    }
  });

  test('of another length or hash than the job names leave nothing', async () => {
    answer('/models/b.glb', 200, 'another model');
    const url = `${address}models/b.glb`;
    await expectFailure(storage.readInput(url, { sha256: sha256('x') }), 'altered', /has changed: its SHA-256 is/);
    await expectFailure(storage.readInput(url, { bytes: 20 }), 'altered', /20 bytes were announced, and it has 13/);
    expect(parts()).toEqual([]);
    expect(filesIn(cacheFolder)).not.toContain(`${sha256('another model')}.input`);
  });

  test('that exceed the limit of size or time leave nothing', async () => {
    handlers.set('/models/endless', (_, response) => {
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    });
    await expectFailure(storage.readInput(`${address}models/endless`), 'too-large', /is larger than 4194304 bytes/);
    handlers.set('/models/slow', (_, response) => void response.write('a'));
    const hasty = openStorage({ ...options, timeoutMs: 100 });
    await expectFailure(hasty.readInput(`${address}models/slow`), 'timeout', /took too long/);
    expect(parts()).toEqual([]);
  });

  test('end when their job is cancelled', async () => {
    handlers.set('/models/wait', (_, response) => void response.write('a'));
    const job = new AbortController();
    const reading = storage.readInput(`${address}models/wait`, { signal: job.signal });
    setTimeout(() => job.abort(new Error('The job was cancelled')), 50);
    await expect(reading).rejects.toThrow('The job was cancelled');
    expect(parts()).toEqual([]);
  });

  test('sent compressed are refused', async () => {
    answer('/models/gzip', 200, 'x', { 'content-encoding': 'gzip' });
    await expectFailure(storage.readInput(`${address}models/gzip`), 'refused', /is sent compressed/);
  });

  test('without a server are errors that may go away', async () => {
    const { server, address: gone } = await serve(() => undefined);
    server.close();
    const other = openStorage({ ...options, inputs: [gone] });
    await expectFailure(other.readInput(`${gone}a.glb?secret`), 'unavailable', /a\.glb\?…" cannot be reached/);
  });
});

describe('network rules', () => {
  const strict = openStorage({ ...options, allowNetwork: true, allowPrivateNetwork: false });

  test('refuse this machine and private networks, by number and by name', async () => {
    for (const host of ['127.0.0.1', '[::1]', '10.1.2.3', '169.254.169.254', '0x7f.1', 'localhost'])
      await expectFailure(strict.readInput(`http://${host}/a.glb`), 'refused', /this machine or a private network/);
  });

  test('refuse addresses that were not named', async () => {
    for (const path of ['a.glb', 'models/../a.glb', 'models/%2e%2e/a.glb', 'models/..%2fa.glb', 'modelsx/a'])
      await expectFailure(storage.readInput(address + path), 'refused', /the options inputs or allowNetwork/);
    await expectFailure(storage.readInput('https://example.com/a.glb'), 'refused', /allowNetwork/);
  });

  test('hold for every redirect', async () => {
    answer('/models/c.glb', 200, 'model c');
    answer('/models/moved', 302, '', { location: 'c.glb' });
    expect(await storage.readInput(`${address}models/moved`)).toMatchObject({ sha256: sha256('model c') });
    answer('/models/out', 302, '', { location: '/private' });
    await expectFailure(storage.readInput(`${address}models/out`), 'refused', /allowNetwork/);
    answer('/models/file', 302, '', { location: 'file:///etc/passwd' });
    await expectFailure(storage.readInput(`${address}models/file`), 'refused', /redirected from http: to file:/);
    answer('/models/loop', 307, '', { location: 'loop' });
    await expectFailure(storage.readInput(`${address}models/loop`), 'refused', /too many redirects/);
  });
});

describe('outputs by HTTP', () => {
  const picture = put(root, 'picture.png', Buffer.alloc(2 ** 20, 'picture'));
  const info = { sha256: sha256(readFileSync(picture)) };
  /** A store that puts objects on a condition, as services with presigned addresses do. */
  const stored = new Map<string, { body: Buffer; type: string }>();
  const store = (path: string, readable = true): string => {
    handlers.set(path, (request, response) => {
      if (request.method === 'GET') {
        const found = stored.get(path);
        return void (readable ? response.end(found!.body) : response.writeHead(403).end());
      }
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.headers['if-none-match'] === '*' && stored.has(path)) return response.writeHead(412).end();
        stored.set(path, { body: Buffer.concat(pieces), type: request.headers['content-type']! });
        response.writeHead(201).end();
      });
    });
    return address.slice(0, -1) + path;
  };

  test('are sent with their length and type, and once', async () => {
    const url = store('/out/a.png');
    expect(await storage.putOutput(picture, `${url}?X-Amz-Signature=1`, info)).toEqual({ written: true });
    const { body, type } = stored.get('/out/a.png')!;
    expect(createHash('sha256').update(body).digest('hex')).toBe(info.sha256);
    expect(type).toBe('image/png');
    expect(await storage.putOutput(picture, url, info)).toEqual({ written: false });
  });

  test('do not replace other bytes unless they may', async () => {
    const url = store('/out/b.png');
    stored.set('/out/b.png', { body: Buffer.from('other'), type: '' });
    await expectFailure(storage.putOutput(picture, url, info), 'conflict', /exists with other bytes/);
    expect(await openStorage({ ...options, overwrite: true }).putOutput(picture, url, info)).toEqual({ written: true });
    expect(stored.get('/out/b.png')!.body).toHaveLength(2 ** 20);
  });

  test('that exist and cannot be compared are an error', async () => {
    const url = store('/out/c.png', false);
    stored.set('/out/c.png', { body: Buffer.from('other'), type: '' });
    await expectFailure(storage.putOutput(picture, url, info), 'conflict', /cannot be read to compare it/);
  });

  test('are refused at other addresses', async () => {
    await expectFailure(storage.putOutput(picture, `${address}other/a.png`, info), 'refused', /option outputs/);
  });

  test('are tried again when the server is busy or cuts the connection', async () => {
    const url = store('/out/d.png');
    const accept = handlers.get('/out/d.png')!;
    let attempts = 0;
    handlers.set('/out/d.png', (request, response) => {
      attempts++;
      if (attempts === 1) request.socket.destroy();
      else if (attempts === 2) response.writeHead(503).end();
      else accept(request, response);
    });
    expect(await storage.putOutput(picture, url, info)).toEqual({ written: true });
    expect(attempts).toBe(3);
  });

  test('that were stored although the answer was lost count as written', async () => {
    const url = store('/out/e.png');
    const accept = handlers.get('/out/e.png')!;
    let isFirst = true;
    handlers.set('/out/e.png', (request, response) => {
      if (isFirst)
        response.end = () => {
          request.socket.destroy();
          return response;
        };
      isFirst = false;
      accept(request, response);
    });
    expect(await storage.putOutput(picture, url, info)).toEqual({ written: false });
  });

  test('whose file was altered are not sent', async () => {
    const url = store('/out/f.png');
    await expectFailure(storage.putOutput(picture, url, { sha256: sha256('x') }), 'altered', /another SHA-256/);
    expect(stored.has('/out/f.png')).toBe(false);
  });
});
