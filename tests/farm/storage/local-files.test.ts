import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../../src/farm/storage/storage';
import { expectFailure, filesIn, makeFolder, put, sha256 } from './kit';

const root = makeFolder();
const inputs = join(root, 'in');
const outputs = join(root, 'out');
mkdirSync(inputs);
mkdirSync(outputs);
const storage = openStorage({ inputs: [inputs], outputs: [outputs], maxFileBytes: 1000 });
const model = put(inputs, 'model.glb', 'a model');
const secret = put(root, 'secret', 'a secret');

describe('inputs from files', () => {
  test('are read where they are, by path and by address', async () => {
    const about = { path: model, sha256: sha256('a model'), bytes: 7 };
    expect(await storage.readInput(model)).toMatchObject(about);
    expect(await storage.readInput(pathToFileURL(model).href, { sha256: about.sha256, bytes: 7 })).toMatchObject(about);
  });

  test('outside of the named folders are refused, also through links and dots', async () => {
    symlinkSync(secret, join(inputs, 'link.glb'));
    for (const path of [secret, `${inputs}/../secret`, join(inputs, 'link.glb')])
      await expectFailure(storage.readInput(path), 'refused', /is not in a folder that the option inputs/);
  });

  test('that differ from what the job names are errors', async () => {
    await expectFailure(storage.readInput(model, { sha256: sha256('b') }), 'altered', /has changed: its SHA-256 is/);
    await expectFailure(storage.readInput(model, { bytes: 9 }), 'altered', /9 bytes were announced, and it has 7/);
    await expectFailure(storage.readInput(model, { bytes: 5 }), 'altered', /5 bytes were announced, and it has more/);
  });

  test('that are no files, missing or too large are errors', async () => {
    await expectFailure(storage.readInput(join(inputs, 'no.glb')), 'missing', /no\.glb" does not exist/);
    await expectFailure(storage.readInput(inputs), 'address', /is a folder/);
    const large = put(inputs, 'large.glb', new Uint8Array(1001));
    await expectFailure(storage.readInput(large), 'too-large', /is larger than 1000 bytes/);
    await expectFailure(storage.readInput('ftp://host/a'), 'address', /begins with ftp:/);
    await expectFailure(storage.readInput('http://'), 'address', /is not a valid address/);
  });
});

describe('outputs to files', () => {
  const picture = put(root, 'picture.png', 'a picture');
  const info = { sha256: sha256('a picture') };

  test('get their name when they are complete, in new folders too', async () => {
    const path = join(outputs, 'a', 'b', 'one.png');
    expect(await storage.putOutput(picture, path, info)).toEqual({ written: true });
    expect(readFileSync(path, 'utf8')).toBe('a picture');
    expect(filesIn(join(outputs, 'a'))).toEqual(['one.png']);
  });

  test('that exist with the same bytes are left alone', async () => {
    const path = join(outputs, 'two.png');
    expect(await storage.putOutput(picture, path, info)).toEqual({ written: true });
    expect(await storage.putOutput(picture, path, info)).toEqual({ written: false });
  });

  test('that exist with other bytes are an error unless they may be overwritten', async () => {
    const path = put(outputs, 'three.png', 'another picture');
    await expectFailure(storage.putOutput(picture, path, info), 'conflict', /exists with other bytes/);
    expect(readFileSync(path, 'utf8')).toBe('another picture');
    const replacing = openStorage({ inputs: [], outputs: [outputs], overwrite: true });
    expect(await replacing.putOutput(picture, path, info)).toEqual({ written: true });
    expect(readFileSync(path, 'utf8')).toBe('a picture');
  });

  test('by many workers at the same time are written once', async () => {
    const path = join(outputs, 'four.png');
    const results = await Promise.all(Array.from({ length: 16 }, () => storage.putOutput(picture, path, info)));
    expect(results.filter(({ written }) => written)).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe('a picture');
  });

  test('outside of the named folders are refused, and no folder is created', async () => {
    symlinkSync(root, join(outputs, 'up'));
    for (const path of [join(root, 'x.png'), `${outputs}/../new/x.png`, join(outputs, 'up', 'new', 'x.png')])
      await expectFailure(storage.putOutput(picture, path, info), 'refused', /option outputs of this worker/);
    expect(filesIn(root)).not.toContain('x.png');
  });

  test('do not follow a link that exists under their name', async () => {
    const target = put(outputs, 'target', 'a picture');
    symlinkSync(target, join(outputs, 'linked.png'));
    await expectFailure(storage.putOutput(picture, join(outputs, 'linked.png'), info), 'conflict', /exists/);
  });

  test('that were altered since they were hashed leave nothing', async () => {
    const torn = put(root, 'torn.png', 'a picture');
    writeFileSync(torn, 'a pictur');
    await expectFailure(storage.putOutput(torn, join(outputs, 'torn.png'), info), 'altered', /has changed/);
    expect(filesIn(outputs).filter((name) => /torn|part/.test(name))).toEqual([]);
  });
});

test('an address prefix without a slash at its end is refused', () => {
  expect(() => openStorage({ inputs: ['https://host/models'], outputs: [] })).toThrow(/does not end with a slash/);
});
