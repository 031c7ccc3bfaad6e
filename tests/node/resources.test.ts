// What images and requests may load in Node.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from 'fast-png';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ImageElement } from '../../src/node/image-element';
import { resourceLimits, type ResourceOptions } from '../../src/node/resource-options';
import { fetchResource, setResourceLimits } from '../../src/node/resources';
import { XMLHttpRequest } from '../../src/node/xml-http-request';

const PNG = encode({ width: 2, height: 2, channels: 4, data: new Uint8Array(16).fill(255) });
let top = '';
let folder = '';
let server: Server;
let address = '';
beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'resources-')));
  folder = join(top, 'folder');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(top, 'folder-beside'));
  for (const name of ['secret.png', 'folder-beside/secret.png', 'folder/a.png', 'folder/sub/b.png', 'folder/..c.png'])
    writeFileSync(join(top, name), PNG);
  symlinkSync(join(top, 'secret.png'), join(folder, 'out.png'));
  symlinkSync(top, join(folder, 'up'));
  symlinkSync(join(folder, 'a.png'), join(folder, 'in.png'));
  symlinkSync('/dev/zero', join(folder, 'zero.png'));
  execFileSync('mkfifo', [join(folder, 'fifo.png')]);
  server = createServer((request, response) => {
    if (request.url === '/a.png') response.end(PNG);
    else if (request.url === '/away')
      response.writeHead(302, { location: pathToFileURL(join(top, 'secret.png')).href }).end();
    else if (request.url === '/endless') {
      const more = (): void => {
        if (response.write(new Uint8Array(65536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    }
    // Other requests never get an answer.
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(top, { recursive: true });
});
afterEach(() => setResourceLimits());

const limit = (options?: ResourceOptions): void => setResourceLimits(resourceLimits(options));
const load = async (name: string): Promise<number> => (await (await fetchResource(name)).body.arrayBuffer()).byteLength;
/** The error of an image that could not be loaded, or null. */
async function imageError(src: string): Promise<string | null> {
  const image = new ImageElement();
  image.src = src;
  return image.decode().then(
    () => null,
    (error: unknown) => (error as Error).message
  );
}

test('unknown limits are refused by name', () => {
  expect(() => resourceLimits({ maxbytes: 1 })).toThrow(
    new TypeError(
      'install: resources: unknown member "maxbytes"; '
        + 'known members are "folder", "origin", "onMissing", "network", "maxBytes", "timeoutMs", "maxImageBytes"'
    )
  );
  expect(() => resourceLimits({ origin: 'page' })).toThrow(/resources\.origin must be an origin such as/);
  expect(() => resourceLimits({ onMissing: 1 })).toThrow(/resources\.onMissing must be a function/);
  expect(() => resourceLimits(null)).toThrow(TypeError);
});

describe('files', () => {
  test('are read from the named folder and its contents', async () => {
    limit({ folder });
    for (const name of ['a.png', 'sub/b.png', '..c.png', 'in.png', 'sub/../a.png', 'up/folder/a.png']) {
      expect(await load(join(folder, name)), name).toBe(PNG.length);
      expect(await load(pathToFileURL(join(folder, name)).href), name).toBe(PNG.length);
      expect(await imageError(join(folder, name))).toBe(null);
    }
    limit({ folder: pathToFileURL(folder) });
    expect(await load(join(folder, 'a.png'))).toBe(PNG.length);
  });

  test('are not read from elsewhere, not even through links', async () => {
    limit({ folder });
    for (const name of [
      '../secret.png',
      'out.png',
      'up/secret.png',
      '../folder-beside/secret.png',
      'sub/../../secret.png',
      '../nothing.png',
    ]) {
      await expect(load(`${folder}/${name}`), name).rejects.toThrow(/is outside the folder .*resources: \{ folder \}/);
      await expect(load(pathToFileURL(`${folder}/${name}`).href)).rejects.toThrow('is outside the folder');
      expect(await imageError(`${folder}/${name}`)).toContain('is outside the folder');
    }
    await expect(load('/etc/passwd')).rejects.toThrow('is outside the folder');
  });

  test('default to those of the working folder', async () => {
    for (const options of [undefined, {}]) {
      limit(options);
      expect(await load('package.json')).toBeGreaterThan(100);
      for (const name of [join(folder, 'a.png'), '../package.json', '/etc/passwd', '/dev/zero'])
        await expect(load(name)).rejects.toThrow('is outside the folder');
    }
  });

  test('must be regular: devices and FIFOs are not opened, wherever they are', async () => {
    limit({ folder });
    const fifos = Array.from({ length: 8 }, () => imageError(join(folder, 'fifo.png')));
    expect(await imageError(join(folder, 'a.png'))).toBe(null);
    for (const error of await Promise.all(fifos)) expect(error).toContain('is not a regular file');
    await expect(load(join(folder, 'zero.png'))).rejects.toThrow('is outside the folder');
    await expect(load(folder)).rejects.toThrow('is not a regular file');
    limit({ folder: '/' });
    for (const name of ['/dev/zero', join(folder, 'zero.png'), '/dev/null'])
      await expect(load(name)).rejects.toThrow('is not a regular file');
  });

  test('all paths to a folder are equivalent', async () => {
    limit({ folder });
    const part = fc.constantFrom(
      '.',
      '..',
      'sub',
      'up',
      'folder',
      'folder-beside',
      'a.png',
      'secret.png',
      'out.png',
      ''
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        const name = [folder, ...parts].join('/');
        let real: string | null = null;
        try {
          real = realpathSync(name);
        } catch {
          // It does not exist.
        }
        const bytes = await load(name).catch(() => null);
        if (bytes !== null) expect(real).toMatch(new RegExp(`^${folder}/`));
      }),
      { numRuns: 300 }
    );
  });

  test('are limited in bytes, also with unknown sizes', async () => {
    limit({ folder, maxBytes: PNG.length });
    expect(await load(join(folder, 'a.png'))).toBe(PNG.length);
    limit({ folder, maxBytes: PNG.length - 1 });
    await expect(load(join(folder, 'a.png'))).rejects.toThrow(
      /is larger than \d+ bytes; install\(\{ resources: \{ maxBytes \} \}\)/
    );
    limit({ folder: '/proc', maxBytes: 10 });
    await expect(load('/proc/cpuinfo')).rejects.toThrow('is larger than 10 bytes');
    limit({ folder: '/proc' });
    expect(await load('/proc/cpuinfo')).toBeGreaterThan(100);
  });
});

describe('network access', () => {
  test('is available, and redirects do not lead to files', async () => {
    expect(await load(`${address}/a.png`)).toBe(PNG.length);
    await expect(load(`${address}/away`)).rejects.toThrow();
  });

  test('can be forbidden by an option; data URLs still work', async () => {
    limit({ network: false });
    for (const name of [`${address}/a.png`, 'https://example.com/a.png', 'HTTP://example.com', 'ftp://example.com/a'])
      await expect(load(name)).rejects.toThrow(
        'is on the network, which install({ resources: { network: false } }) forbids'
      );
    expect(await load('data:text/plain,four')).toBe(4);
  });

  test('is limited in bytes and time', async () => {
    limit({ maxBytes: 1_000_000, timeoutMs: 20_000 });
    await expect(load(`${address}/endless`)).rejects.toThrow('is larger than 1000000 bytes');
    limit({ timeoutMs: 50 });
    await expect(load(`${address}/never`)).rejects.toThrow(
      /did not arrive within 50 ms; install\(\{ resources: \{ timeoutMs \} \}\)/
    );
    await expect(load(`${address}/endless`)).rejects.toThrow('did not arrive within 50 ms');
    limit({ maxBytes: 3 });
    await expect(load('data:text/plain,four')).rejects.toThrow('is larger than 3 bytes');
  });
});

test('invalid options are errors', () => {
  for (const [options, message] of [
    [{ folder: 5 }, 'resources.folder must be a path'],
    [{ folder: '' }, 'resources.folder must be a path'],
    [{ folder: join(top, 'nothing') }, 'cannot be read'],
    [{ folder: join(top, 'secret.png') }, 'is not a folder'],
    [{ network: 'no' }, 'resources.network must be true or false'],
    [{ maxBytes: 0 }, 'maxBytes must be a whole number'],
    [{ timeoutMs: 1.5 }, 'timeoutMs must be'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs must be'],
    [{ maxImageBytes: NaN }, 'maxImageBytes must be'],
    [5, 'resources must be an object'],
  ] as const)
    expect(() => resourceLimits(options)).toThrow(message);
});

describe('XMLHttpRequest', () => {
  /** Its events up to the last one, and its result. */
  type Sent = [string[], XMLHttpRequest];
  function send(url: string, prepare: (request: XMLHttpRequest) => void = () => undefined): Promise<Sent> {
    const request = new XMLHttpRequest();
    const told: string[] = [];
    for (const name of ['load', 'error', 'abort', 'timeout'] as const)
      request[`on${name}`] = () => void told.push(name);
    request.open('GET', url);
    const ended = new Promise<Sent>((done) => {
      request.onloadend = () => done([told, request]);
    });
    prepare(request);
    request.send();
    return ended;
  }

  test('ends with one event, whatever a handler throws', async () => {
    limit({ folder });
    const caught: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => caught.push(error.message));
    const [told, request] = await send(join(folder, 'a.png'), (own) => {
      own.onload = () => {
        throw new Error('in the handler');
      };
    });
    await new Promise((later) => setTimeout(later, 10));
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
    expect([told, request.status, caught]).toEqual([[], 200, ['in the handler']]);
  });

  test('respects its timeout', async () => {
    const [told, { status, response, readyState }] = await send(`${address}/never`, (own) => {
      own.timeout = 30;
    });
    expect([told, status, response, readyState]).toEqual([['timeout'], 0, null, 4]);
    expect(
      (
        await send(`${address}/endless`, (own) => {
          own.timeout = 30;
        })
      )[0]
    ).toEqual(['timeout']);
    expect(
      (
        await send(`${address}/a.png`, (own) => {
          own.timeout = 30_000;
        })
      )[0]
    ).toEqual(['load']);
    expect(
      (
        await send(`${address}/never`, (own) => {
          setTimeout(() => own.abort(), 20);
        })
      )[0]
    ).toEqual(['abort']);
  });

  test('reads by the names of its response types, and by no other', async () => {
    limit({ folder });
    for (const name of ['constructor', '__proto__', 'document', 'toString']) {
      const [told, request] = await send(join(folder, 'a.png'), (own) => {
        own.responseType = name;
      });
      expect([told, request.responseType, typeof request.response]).toEqual([['load'], '', 'string']);
    }
    const [told, request] = await send(join(folder, 'a.png'), (own) => {
      own.responseType = 'json';
    });
    expect([told, request.response]).toEqual([['load'], null]);
  });

  test('discards previous state when it is opened again', async () => {
    limit({ folder });
    const request = new XMLHttpRequest();
    const told: string[] = [];
    request.onload = () => void told.push(request.responseURL);
    request.onerror = request.onabort = () => void told.push('no');
    request.open('GET', `${address}/never`);
    request.send();
    const ended = new Promise((done) => {
      request.onloadend = done;
    });
    request.open('GET', join(folder, 'a.png'));
    request.send();
    await ended;
    expect(told).toEqual([pathToFileURL(join(folder, 'a.png')).href]);
  });
});
