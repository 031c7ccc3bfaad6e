// A .gltf reads files in its folder, and nothing else without permission.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { isPrivateAddress, lookupPublic } from '../../src/node/models/network';
import { resourcesOf } from '../../src/node/models/resources';
import { classifyUri, type UriTarget } from '../../src/gltf/files/uri';

type Lookup = (
  host: string,
  options: object,
  done: (error: null, found: { address: string; family: number }[]) => void
) => void;

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  mkdirSync(join(root, 'model/textures'), { recursive: true });
  mkdirSync(join(root, 'model-other'));
  writeFileSync(join(root, 'model/a b.bin'), 'inside');
  writeFileSync(join(root, 'model/textures/t.png'), 'deeper');
  writeFileSync(join(root, 'secret.bin'), 'secret');
  writeFileSync(join(root, 'model-other/x.bin'), 'neighbour');
  symlinkSync(join(root, 'secret.bin'), join(root, 'model/link.bin'));
  symlinkSync(root, join(root, 'model/up'));
  symlinkSync(join(root, 'model/a b.bin'), join(root, 'model/textures/back.bin'));
  symlinkSync(join(root, 'model'), join(root, 'alias'));
  symlinkSync(join(root, 'model/loop'), join(root, 'model/loop'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function open(
  uri: string,
  { allowExternal = false, allowNetwork = false, model = 'model/scene.gltf' } = {},
  reportSize: (bytes: number) => void = () => undefined
): Promise<string> {
  const target = classifyUri(uri) as Exclude<UriTarget, { kind: 'data' }>;
  return new TextDecoder().decode(
    await resourcesOf(join(root, model), { allowExternal, allowNetwork })(target, uri, reportSize)
  );
}

describe('files of a model', () => {
  it('in the folder are read', async () => {
    expect(await open('a%20b.bin')).toBe('inside');
    expect(await open('textures/t.png')).toBe('deeper');
    expect(await open('textures/../a b.bin')).toBe('inside');
  });

  it('reached by links that stay in the folder are read', async () => {
    expect(await open('textures/back.bin')).toBe('inside');
    expect(await open('a b.bin', { model: 'alias/scene.gltf' })).toBe('inside');
  });

  it.each([
    '../secret.bin',
    '%2e%2e/secret.bin',
    'textures/../../secret.bin',
    '..\\secret.bin',
    '../model-other/x.bin',
    'link.bin',
    'up/secret.bin',
    'up/model-other/x.bin',
  ])('%s is outside', async (uri) => {
    await expect(open(uri)).rejects.toThrow(`which is outside its folder; use --allow-external to let it be read.`);
    expect(await open(uri, { allowExternal: true })).toMatch(/secret|neighbour/);
  });

  it('by absolute paths and file: URIs are outside', async () => {
    for (const uri of [
      join(root, 'secret.bin'),
      pathToFileURL(join(root, 'secret.bin')).href,
      `file:${join(root, 'secret.bin')}`,
    ]) {
      await expect(open(uri)).rejects.toThrow('--allow-external');
      expect(await open(uri, { allowExternal: true })).toBe('secret');
    }
  });

  it('that cannot be read report the reason', async () => {
    await expect(open('gone.png')).rejects.toThrow(
      'The model needs the file "gone.png", which does not exist; copy it there, or export the model as one .glb.'
    );
    await expect(open('textures')).rejects.toThrow('The model needs the file "textures", which is a folder.');
    await expect(open('a b.bin/x')).rejects.toThrow('which does not exist');
    await expect(open('loop')).rejects.toThrow('which cannot be read');
    await expect(open('x'.repeat(5000))).rejects.toThrow('which has a name that is too long');
  });
});

describe('a file that is missing', () => {
  const advice = async (uri: string, allowExternal = false): Promise<string> =>
    open(uri, { allowExternal }).then(
      () => 'read',
      (error: unknown) => (error as Error).message.replace(/^.*does not exist; /, '')
    );

  it.each([
    ['A%20B.bin', 'A B.bin', 'a b.bin'],
    ['textures/tt.png', 'tt.png', 't.png'],
    ['Textures/t.png', 'Textures', 'textures'],
    ['100%25.bin', '100%.bin', '100%25.bin'],
    ['f%C3%BCr.bin', 'f\u00fcr.bin', 'F\u00fcr.bin'],
    ['c%20d.bin', 'c d.bin', 'c%20d.bin'],
    ['v.bin?version=33', 'v.bin?version=33', 'v.bin'],
  ])('%s: %s is compared with the names in its folder', async (uri, wanted, name) => {
    if (name.endsWith('.bin')) writeFileSync(join(root, 'model', name), '');
    expect(await advice(uri)).toBe(
      `instead of "${wanted}" there is "${name}": rename it, or change the name in the model.`
    );
  });

  it('is told from one with the same letters in other code points', async () => {
    writeFileSync(join(root, 'model/e\u0301te\u0301.bin'), '');
    expect(await advice('\u00e9t\u00e9.bin')).toBe(
      'the name "e\u0301te\u0301.bin" looks the same but has other code points: rename it.'
    );
  });

  it('outside of the folder names no neighbours', async () => {
    expect(await advice('up/secreT.bin')).toBe('copy it there, or export the model as one .glb.');
    expect(await advice('up/secreT.bin', true)).toMatch(/there is "secret.bin"/);
  });
});

test.skipIf(process.platform === 'win32')('in form of a FIFO are rejected', async () => {
  const fifo = join(root, 'model/fifo.bin');
  execFileSync('mkfifo', [fifo]);
  await expect(open('fifo.bin')).rejects.toThrow('The model needs the file "fifo.bin", which is not a regular file.');
  await expect(open(`file:${fifo}`, { allowExternal: true })).rejects.toThrow('which is not a regular file.');
});

describe('network access', () => {
  it('resolves a name once, and connects to that address', () => {
    const answers = [[{ address: '93.184.216.34', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
    const find = ((_host, _options, done) => done(null, answers.shift()!)) as Lookup;
    const found: unknown[] = [];
    const look = lookupPublic(find as never);
    look('rebinding.example', {}, (...given) => found.push(given));
    look('rebinding.example', { all: true }, (error) => found.push(error?.message));
    expect(found).toEqual([[null, '93.184.216.34', 4], 'its address is on this machine or a private network']);
  });

  it('is rejected without permission', async () => {
    for (const uri of ['http://example.com/a.bin', 'https://example.com/a.bin', '//example.com/a.bin']) {
      await expect(open(uri, { allowExternal: true })).rejects.toThrow(
        `which is on the network; use --allow-network to let it be fetched.`
      );
    }
  });

  it('with permission excludes this machine and private networks', async () => {
    for (const uri of [
      'http://127.0.0.1:9/a',
      'http://localhost/a',
      'http://[::1]/a',
      'http://169.254.169.254/latest',
      'http://0x7f.1/a',
      'http://10.1.2.3/',
    ]) {
      await expect(open(uri, { allowNetwork: true })).rejects.toThrow(
        'its address is on this machine or a private network'
      );
    }
  });

  it.each([
    ['127.0.0.1', true],
    ['10.0.0.9', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['169.254.0.1', true],
    ['100.64.0.1', true],
    ['8.8.8.8', false],
    ['0.0.0.0', true],
    ['::1', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:8.8.8.8', true],
    ['::ffff:808:808', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::127.0.0.1', true],
    ['64:ff9b::7f00:1', true],
    ['64:ff9b:1::1', true],
    ['2002:7f00:1::', true],
    ['2001:0:1::', true],
    ['198.18.0.1', true],
    ['192.0.0.8', true],
    ['fe80::1%eth0', true],
    ['255.255.255.255', true],
    ['fe80::1', true],
    ['fd00::1', true],
    ['2606:4700::1', false],
  ])('%s is private: %s', (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });
});
