import { pbkdf2 } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Subject } from '../../../src/farm/storage/errors';
import { InputCache } from '../../../src/farm/storage/input-cache';
import { filesIn, makeFolder, sha256 } from './kit';

const subject = new Subject('input', 'https://host/a.glb');
const LIMIT = 100_000;
const open = (maxBytes = LIMIT): { cache: InputCache; folder: string } => {
  const folder = join(makeFolder(), 'cache');
  return { cache: new InputCache(folder, maxBytes), folder };
};
const body = (i: number, size = 10_000): Buffer => Buffer.alloc(size, `model ${i}`);
const add = (cache: InputCache, bytes: Buffer): ReturnType<InputCache['add']> =>
  cache.add(Readable.from([bytes]), subject, { limit: 2 ** 20 }, new AbortController().signal);
const sizeOf = (folder: string): number =>
  filesIn(folder).reduce((sum, name) => sum + (name.endsWith('.input') ? statSync(join(folder, name)).size : 0), 0);

describe('the cache of inputs', () => {
  test('keeps nothing of bodies that fail at once', async () => {
    const { cache, folder } = open();
    // All threads that open files are busy.
    const busy = Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('word', 'salt', 100_000, 32, 'sha256')));
    for (let i = 0; i < 20; i++) {
      const failing = Readable.from([body(i)]);
      const added = cache.add(failing, subject, { limit: LIMIT }, new AbortController().signal);
      failing.destroy(new Error('the connection was cut'));
      await expect(added).rejects.toThrow();
    }
    await busy;
    await new Promise((later) => setTimeout(later, 100));
    expect(filesIn(folder)).toEqual([]);
  });

  test('stays within its limit, and drops what was not used for longest', async () => {
    const { cache, folder } = open();
    for (let i = 0; i < 30; i++) {
      await (await add(cache, body(i))).release();
      // Times of files are coarse.
      utimesSync(join(folder, `${sha256(body(i))}.input`), 1000 + i, 1000 + i);
      expect(sizeOf(folder)).toBeLessThanOrEqual(LIMIT);
      // It is used all the time.
      if (i > 0) await (await cache.find(sha256(body(0))))?.release();
    }
    expect(await cache.find(sha256(body(0))), 'the one that is used').toBeDefined();
    expect(await cache.find(sha256(body(1))), 'the oldest').toBeUndefined();
    expect(await cache.find(sha256(body(29))), 'the newest').toBeDefined();
  });

  test('keeps an input for its job after it was dropped', async () => {
    const { cache, folder } = open();
    const held = await add(cache, body(0));
    utimesSync(join(folder, `${held.sha256}.input`), 1, 1);
    for (let i = 1; i < 20; i++) await (await add(cache, body(i))).release();
    expect(await cache.find(held.sha256)).toBeUndefined();
    expect(readFileSync(held.path).equals(body(0))).toBe(true);
    await held.release();
    expect(filesIn(join(folder, 'in-use'))).toEqual([]);
  });

  test('goes on after its folder was removed', async () => {
    const { cache, folder } = open();
    await (await add(cache, body(0))).release();
    rmSync(folder, { recursive: true });
    expect(await cache.find(sha256(body(0)))).toBeUndefined();
    await (await add(cache, body(0))).release();
    expect(filesIn(folder)).toEqual([`${sha256(body(0))}.input`]);
  });

  test('hands over inputs that are too large for it', async () => {
    const { cache, folder } = open();
    const input = await add(cache, body(0, 60_000));
    expect(statSync(input.path).size).toBe(60_000);
    await input.release();
    expect(filesIn(folder)).toEqual([]);
  });

  test('is shared by several processes', async () => {
    const { cache, folder } = open();
    const other = new InputCache(folder, LIMIT);
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const input = await add(i % 2 ? cache : other, body(i % 20));
        expect(readFileSync(input.path).equals(body(i % 20))).toBe(true);
        await input.release();
        await (await (i % 2 ? other : cache).find(input.sha256))?.release();
      })
    );
    expect(sizeOf(folder)).toBeLessThanOrEqual(LIMIT);
  });

  test('does not trust a file whose contents are not those of its name', async () => {
    const { cache, folder } = open();
    const name = sha256(body(0));
    writeFileSync(join(folder, `${name}.input`), body(0).subarray(0, 100));
    expect(await cache.find(name)).toBeUndefined();
    expect(filesIn(folder)).toEqual([]);
  });

  test('removes what processes have left that were killed', async () => {
    const { cache, folder } = open();
    await (await add(cache, body(0))).release();
    const held = await add(cache, body(1));
    const ours = held.path.split('/').at(-2)!;
    // No process has this number.
    const dead = join(folder, 'in-use', ours.replace(/-\d+-/, '-4194999-'));
    const foreign = join(folder, 'in-use', 'elsewhere-1-00');
    for (const path of [dead, foreign]) mkdirSync(path);
    utimesSync(foreign, 1, 1);
    const part = join(folder, '1-00.part');
    writeFileSync(part, 'half');
    utimesSync(part, 1, 1);
    await (await add(cache, body(2))).release();
    for (const path of [dead, foreign, part]) expect(statSync(path, { throwIfNoEntry: false }), path).toBeUndefined();
    expect(statSync(held.path).size).toBe(10_000);
  });

  test('refuses a folder that others can change', () => {
    const path = join(makeFolder(), 'cache');
    mkdirSync(path);
    chmodSync(path, 0o777);
    expect(() => new InputCache(path, LIMIT)).toThrow(/can be written by other users/);
  });
});
