// The shader cache in the Cache API: undici's implementation of it, and storages that fail.
import { caches, Response } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { create } from '../../../src/index';
import { openCachedRecords, type RecordCache, type RecordCaches, type RecordStore } from '../../../src/render';
import { scenes } from '../../images/scenes';
import { draw, modulesChecked, open, programsOf } from './kit';

const HOUR = 3_600_000;
const NAME = 'rasterloom-shaders';
const storage: RecordCaches = caches as unknown as RecordCaches;
const name = Object.keys(scenes)[0]!;

/** A document that can be hidden, which writes all records. */
class Page extends EventTarget {
  visibilityState = 'visible';
  hide(): void {
    this.visibilityState = 'hidden';
    this.dispatchEvent(new Event('visibilitychange'));
    this.visibilityState = 'visible';
  }
}
let page: Page;
let cache: RecordCache;
const urls = async (): Promise<string[]> => (await cache.keys()).map(({ url }) => url);

beforeEach(async () => {
  vi.stubGlobal('Response', Response);
  vi.stubGlobal('document', (page = new Page()));
  await caches.delete(NAME);
  cache = await storage.open(NAME);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('pages', () => {
  test('find the shaders of earlier ones, and draw the same bits', async () => {
    const wanted = await draw(await open({ engine: 'jit' }), name);
    const cold = await open({ engine: 'jit', shaderCache: storage });
    expect(await draw(cold, name)).toEqual(wanted);
    expect(programsOf(cold)).toMatchObject({ fromStore: 0 });
    page.hide();
    await expect.poll(urls).toHaveLength(1);
    const warm = await open({ engine: 'jit', shaderCache: storage });
    const checked = await modulesChecked(async () => expect(await draw(warm, name)).toEqual(wanted));
    expect(checked).toBe(0);
    expect(programsOf(warm).emitted).toBe(0);
  });

  test('write their records after a second', async () => {
    await draw(await open({ engine: 'jit', shaderCache: cache }), name);
    expect(await urls()).toEqual([]);
    await expect.poll(urls, { timeout: 5000 }).not.toEqual([]);
    const warm = await open({ engine: 'jit', shaderCache: cache });
    await expect.poll(async () => modulesChecked(() => draw(warm, name))).toBe(0);
  });

  test('ignore packs that are damaged, and replace them', async () => {
    await draw(await open({ engine: 'jit', shaderCache: cache }), name);
    page.hide();
    await expect.poll(urls).toHaveLength(1);
    const [url] = await urls();
    const bytes = new Uint8Array(await (await cache.match(url!))!.arrayBuffer());
    for (const damaged of [bytes.subarray(0, bytes.length >> 1), bytes.with(5, 0), bytes.with(bytes.length - 9, 1)]) {
      for (const old of await urls()) await cache.delete(old);
      await cache.put(url!, new Response(damaged));
      const wanted = await draw(await open({ engine: 'jit' }), name);
      expect(await draw(await open({ engine: 'jit', shaderCache: cache }), name)).toEqual(wanted);
      page.hide();
      await expect.poll(async () => (await urls()).length).toBeGreaterThan(1);
      const warm = await open({ engine: 'jit', shaderCache: cache });
      expect(await modulesChecked(() => draw(warm, name))).toBe(0);
    }
  });
});

describe('records', () => {
  let now = 10_000 * HOUR;
  beforeEach(() => {
    vi.spyOn(Date, 'now').mockImplementation(() => now);
  });
  const openStore = async (maxBytes = 1 << 20): Promise<RecordStore> => (await openCachedRecords(cache, maxBytes))!;
  const names = async (maxBytes?: number): Promise<string[]> => {
    const store = await openStore(maxBytes);
    return ['a', 'b', 'c', 'd', 'e'].filter((each) => store.read(each) !== null);
  };
  /** Writes records of 800 bytes, and waits until the addresses of packs have changed. */
  const write = async (store: RecordStore, ...written: string[]): Promise<void> => {
    const before = await urls();
    store.write(new Map(written.map((each) => [each, new Uint8Array(800)])));
    await expect.poll(urls).not.toEqual(before);
    now += HOUR / 2;
  };

  test('are read as they were written', async () => {
    const store = await openStore();
    expect(store.read('a')).toBeNull();
    await write(store, 'a', 'b');
    expect(store.read('a')).toEqual(new Uint8Array(800));
    expect(await names()).toEqual(['a', 'b']);
    await write(await openStore(), 'c');
    expect(await urls()).toHaveLength(2);
    expect(await names()).toEqual(['a', 'b', 'c']);
  });

  test('are dropped when they exceed the limit: those first that were not used for longest', async () => {
    const store = await openStore(3300);
    await write(store, 'a');
    await write(store, 'b');
    await write(store, 'c');
    store.read('a');
    await write(store, 'd');
    await expect.poll(() => names(3300)).toEqual(['a', 'c', 'd']);
    store.write(new Map([['e', new Uint8Array(1800)]]));
    await new Promise((done) => setTimeout(done, 400));
    expect(await names(3300)).toEqual(['a', 'c', 'd']);
  });

  test('of other versions are not read, and are dropped first', async () => {
    await cache.put(`https://rasterloom.invalid/other/${now - HOUR}-3000-1`, new Response(new Uint8Array(3000)));
    await cache.put('https://rasterloom.invalid/of-the-page', new Response('x'));
    await cache.put('https://example.org/logo.png', new Response('x'));
    await write(await openStore(3300), 'a');
    await expect.poll(urls).toHaveLength(3);
    expect((await urls()).filter((url) => url.includes('/other/'))).toEqual([]);
    expect(await names()).toEqual(['a']);
  });

  test('that are read later have a new time of use, and many packs are merged', async () => {
    const store = await openStore();
    for (const each of ['a', 'b', 'c', 'd', 'e']) await write(store, each);
    now += 2 * HOUR;
    (await openStore()).read('b');
    await expect.poll(urls).toHaveLength(1);
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await urls())[0]).toContain(`/${now}-`);
  });
});

describe('a storage', () => {
  const drawWith = async (shaderCache: RecordCaches | RecordCache): Promise<void> => {
    const wanted = await draw(await open({ engine: 'jit' }), name);
    expect(await draw(await open({ engine: 'jit', shaderCache }), name)).toEqual(wanted);
    page.hide();
  };

  test('that refuses to open is no error', async () => {
    await drawWith({ open: () => Promise.reject(new DOMException('no access', 'SecurityError')) });
    await drawWith({
      open: () => {
        throw new TypeError('no storage');
      },
    });
  });

  test('that does not answer is no error', async () => {
    await drawWith({ open: () => new Promise(() => undefined) });
  });

  test('that fails to read or write is no error', async () => {
    const fails = (): Promise<never> => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    await drawWith({ keys: () => Promise.resolve([]), match: fails, put: fails, delete: fails });
    await drawWith({ keys: fails, match: fails, put: fails, delete: fails });
  });

  test('of another kind is refused', () => {
    const wrong = { open: 5 } as unknown as RecordCaches;
    expect(() => create({ shaderCache: wrong })).toThrow(TypeError);
  });
});
