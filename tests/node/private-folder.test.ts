// Folders with code, and the user's folder for caches.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderProblem, isPrivateFile, privateFolder, userCacheFolder } from '../../src/node/private-folder';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'private-folder-'));
});
afterAll(() => rmSync(base, { recursive: true }));

const place = (
  platform: NodeJS.Platform,
  env: Record<string, string>,
  home = '/u/ada'
): Parameters<typeof userCacheFolder>[0] => ({ platform, env, home: () => home });

describe('the folder for caches', () => {
  test.each([
    ['linux', {}, '/u/ada/.cache/rasterloom'],
    ['linux', { XDG_CACHE_HOME: '/fast/cache' }, '/fast/cache/rasterloom'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, '/u/ada/.cache/rasterloom'],
    ['darwin', {}, '/u/ada/Library/Caches/rasterloom'],
    ['darwin', { XDG_CACHE_HOME: '/fast/cache' }, '/fast/cache/rasterloom'],
    ['win32', { LOCALAPPDATA: '/fast/cache' }, '/fast/cache/rasterloom'],
  ] as const)('on %s with %j is %s', (platform, env, folder) => {
    expect(userCacheFolder(place(platform, env))).toBe(folder);
  });

  test('is null without a home', () => {
    expect(userCacheFolder(place('linux', {}, ''))).toBeNull();
    expect(userCacheFolder(place('win32', {}))).toBeNull();
    const failing = {
      ...place('linux', {})!,
      home: (): string => {
        throw new Error('no home');
      },
    };
    expect(userCacheFolder(failing)).toBeNull();
  });
});

describe.skipIf(process.platform === 'win32')('a private folder', () => {
  test('is created for the user alone, with the folders above it', () => {
    const folder = privateFolder(join(base, 'new', 'deep'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(base, 'new')).mode & 0o777).toBe(0o700);
  });

  test('is returned without symbolic links', () => {
    mkdirSync(join(base, 'target'), { mode: 0o700 });
    symlinkSync(join(base, 'target'), join(base, 'link'));
    expect(privateFolder(join(base, 'link'))).toBe(privateFolder(join(base, 'target')));
  });

  test.each([0o770, 0o707, 0o1777])('is refused if others can write to it (mode %o)', (mode) => {
    const folder = join(base, `mode-${mode}`);
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(() => privateFolder(folder)).toThrow(/can be written by other users \(mode \d+\): run chmod go-w /);
  });

  test('is refused if others can replace a folder above it', () => {
    const above = join(base, 'shared');
    mkdirSync(join(above, 'cache'), { recursive: true, mode: 0o700 });
    chmodSync(above, 0o777);
    expect(() => privateFolder(join(above, 'cache'))).toThrow(/can be replaced, because .*shared can be written/);
    chmodSync(above, 0o1777);
    expect(privateFolder(join(above, 'cache'))).toMatch(/cache$/);
  });

  test('is not created if it would be refused', () => {
    const above = join(base, 'open');
    mkdirSync(above);
    chmodSync(above, 0o777);
    const folder = join(above, 'cache', 'shaders');
    expect(folderProblem(folder)).toMatch(
      /^.*open.cache.shaders can be replaced, because .*open can be written by other users \(mode 777\): run chmod /
    );
    expect(() => privateFolder(folder)).toThrow('can be replaced');
    expect(readdirSync(above)).toEqual([]);
    chmodSync(above, 0o1777);
    expect(folderProblem(folder)).toBeNull();
    expect(readdirSync(above)).toEqual([]);
  });

  test('is refused if a file has its name', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => privateFolder(join(base, 'file'))).toThrow(/EEXIST/);
  });

  test('holds files that only the user can have written', () => {
    const file = join(base, 'record');
    writeFileSync(file, '', { mode: 0o600 });
    expect(isPrivateFile(statSync(file))).toBe(true);
    expect(isPrivateFile(statSync(base))).toBe(false);
    const stats = statSync(file);
    stats.uid = process.geteuid!() + 1;
    expect(isPrivateFile(stats)).toBe(false);
    chmodSync(file, 0o660);
    expect(isPrivateFile(statSync(file))).toBe(false);
  });
});
