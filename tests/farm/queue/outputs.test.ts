import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutputFolder } from '../../../src/farm/queue/outputs';
import { hashOf } from '../local/kit';

let path: string;
let folder: OutputFolder;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'rasterloom-outputs-'));
  folder = await OutputFolder.open(path);
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

/** Writes files as a job does, and publishes them. */
async function publish(name: string, files: Record<string, string>): Promise<readonly string[]> {
  const staged = await folder.stage();
  for (const [file, text] of Object.entries(files)) writeFileSync(join(staged, file), text);
  const written = await folder.list(staged, name, undefined);
  await folder.publish(staged, written);
  return written.map((each) => each.sha256);
}

test('files are published in folders that are made for them, also after one was removed', async () => {
  for (const text of ['first', 'second']) {
    expect(await publish('a/b/c.png', { 'c.png': text })).toEqual([hashOf(text)]);
    expect(readFileSync(join(path, 'a/b/c.png'), 'utf8')).toBe(text);
    expect(readdirSync(join(path, 'a/b'))).toEqual(['c.png']);
    if (text === 'first') rmSync(join(path, 'a'), { recursive: true });
  }
  await publish('a/b/d.png', { 'd.png': 'third', 'e.png': 'fourth' });
  expect(readdirSync(join(path, 'a/b'))).toEqual(['c.png', 'd.png', 'e.png']);
});

test('a name that is that of a folder is an error', async () => {
  await publish('a/b.png', { 'b.png': 'b' });
  mkdirSync(join(path, 'a', 'c.png'));
  await expect(publish('a/c.png', { 'c.png': 'c' })).rejects.toThrow('The output "a/c.png" cannot be written');
});

test('a single file is not read again if its hash is known', async () => {
  const staged = await folder.stage();
  writeFileSync(join(staged, 'a.png'), 'a');
  const known = { sha256: hashOf('what was written'), bytes: 16 };
  expect(await folder.list(staged, 'x/a.png', known)).toEqual([{ name: 'x/a.png', ...known }]);
  writeFileSync(join(staged, 'b.png'), 'b');
  expect((await folder.list(staged, 'x/a.png', known)).map(({ sha256 }) => sha256)).toEqual([hashOf('a'), hashOf('b')]);
});

test('a record is kept of what a job has written, while its files are as they were', async () => {
  const [sha256] = await publish('a.png', { 'a.png': 'picture' });
  const written = { sha256, bytes: 7, files: [{ name: 'a.png', sha256, bytes: 7 }] };
  await folder.record('ab12', written);
  await folder.record('ab34', written);
  expect(await folder.find('ab12')).toEqual(written);
  expect(await folder.find('ab34')).toEqual(written);
  writeFileSync(join(path, 'a.png'), 'changed');
  expect(await folder.find('ab12')).toBeUndefined();
});
