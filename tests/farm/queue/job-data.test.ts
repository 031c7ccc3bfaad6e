// What workers accept from Redis, and the identity of jobs.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RENDER_OPTIONS } from '../../../src/cli/options/options';
import { inputPath, outputPath } from '../../../src/farm/queue/folders';
import { FileHashes } from '../../../src/farm/queue/file-hashes';
import { identityOf } from '../../../src/farm/queue/identity';
import { checkJobData } from '../../../src/farm/queue/job-data';
import { JOB_OPTIONS } from '../../../src/farm/queue/options';
import { prepareJob, type QueueJob } from '../../../src/farm/queue/prepare';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-jobs-'));
  mkdirSync(join(folder, 'models'));
  writeFileSync(join(folder, 'models', 'a.glb'), 'model a');
  writeFileSync(join(folder, 'models', 'same.glb'), 'model a');
  writeFileSync(join(folder, 'models', 'b.gltf'), '{"buffers":[{"uri":"b%20.bin"},{"uri":"data:,x"}]}');
  writeFileSync(join(folder, 'models', 'b .bin'), 'buffer');
  writeFileSync(join(folder, 'secret.glb'), 'secret');
  symlinkSync(join(folder, 'secret.glb'), join(folder, 'models', 'link.glb'));
  mkdirSync(join(folder, 'out'));
  symlinkSync(folder, join(folder, 'out', 'up'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rules = { version: '1.0.0', options: JOB_OPTIONS, modules: new Set(['poster']) };
const picture = { input: 'a.glb', output: 'a.png' };
const check = (job: unknown, more: object = {}) => checkJobData({ version: '1.0.0', inputs: {}, job, ...more }, rules);

describe('a job from Redis', () => {
  test('is a picture or a job of a known module', () => {
    expect(check({ ...picture, size: '8x8', samples: 1, ground: true }).job).toMatchObject({ size: '8x8' });
    expect(check({ module: 'poster', data: { a: [1] }, output: 'x/y.png' })).toBeTruthy();
    expect(check({ sample: true, output: 'a.png' })).toBeTruthy();
  });

  test.each([
    [{ ...picture, output: '../a.png' }, 'The job is refused: the output "../a.png" has an empty part, . or ..'],
    [{ ...picture, output: 'a/../../b.png' }, 'has an empty part, . or ..'],
    [{ ...picture, output: '/etc/a.png' }, "is absolute; it must be relative to the worker's folder"],
    [{ ...picture, output: 'C:a.png' }, 'has a control character, a backslash or a colon'],
    [{ ...picture, output: 'a\\b.png' }, 'has a control character, a backslash or a colon'],
    [{ ...picture, output: '.rasterloom-farm/results/a' }, 'has a name that the farm uses itself'],
    [{ ...picture, output: 's3://pictures/.rasterloom-farm/chunks/a' }, 'has a name that the farm uses itself'],
    [{ ...picture, output: 's3://pictures/{frame:2}.png' }, 'is an address with a placeholder; write a name below'],
    [{ ...picture, output: '{variant}/a.png' }, 'has a placeholder in the name of a folder'],
    [{ ...picture, output: 7 }, '"output" must be a text'],
    [{ output: 'a.png' }, '"input" must be a text'],
    [{ ...picture, trace: 't.json' }, 'there is no option "trace" for a job of a queue'],
    [{ ...picture, 'allow-network': true }, 'there is no option "allow-network" for a job of a queue'],
    [{ ...picture, size: ['8x8'] }, '"size" must be a text, a number, true or false'],
    [{ ...picture, camera: 'x'.repeat(5000) }, '"camera" is longer than 4096 characters'],
    [{ module: './evil.mjs' }, 'this worker has no module "./evil.mjs"; its modules are: "poster"'],
    [{ module: 'poster', code: 'x' }, 'it has the unknown member "code"'],
    [{ module: 'poster', data: 'x'.repeat(70_000) }, 'it is larger than 64 KiB'],
    [[], '"job" must be an object'],
  ])('is refused (%#)', (job, why) => {
    expect(() => check(job)).toThrow(why);
  });

  test('is refused if it is for another version, or has other members or hashes', () => {
    expect(() => check(picture, { version: '2.0.0' })).toThrow('it is for version "2.0.0" of rasterloom');
    expect(() => check(picture, { run: 'x' })).toThrow('it has the unknown member "run"');
    expect(() => check(picture, { inputs: { 'a.glb': 'short' } })).toThrow('64 hexadecimal digits');
    expect(() => checkJobData('text', rules)).toThrow('it is not an object');
  });

  test('may have each option of the command that concerns one picture', () => {
    const others = ['output', 'jobs', 'resume', 'parallel', 'stats', 'json', 'quiet', 'help', 'version', 'trace'];
    const ofWorker = ['threads', 'timeout', 'memory', 'model-memory', 'allow-external', 'allow-network'];
    const names = Object.keys(RENDER_OPTIONS).filter((name) => !/^sheet/.test(name));
    expect([...JOB_OPTIONS].sort()).toEqual(names.filter((name) => ![...others, ...ofWorker].includes(name)).sort());
  });
});

describe('folders', () => {
  test('are not left by inputs', async () => {
    const models = join(folder, 'models');
    expect(await inputPath(models, 'a.glb')).toBe(join(models, 'a.glb'));
    expect(await inputPath(models, join(models, 'a.glb'))).toBe(join(models, 'a.glb'));
    for (const name of ['../secret.glb', 'link.glb', join(folder, 'secret.glb')])
      await expect(inputPath(models, name)).rejects.toThrow('is outside of');
    await expect(inputPath(models, 'missing.glb')).rejects.toThrow('does not exist in');
  });

  test('are not left by outputs', async () => {
    const out = join(folder, 'out');
    expect(await outputPath(out, 'new/folder/a.png')).toBe(join(out, 'new', 'folder', 'a.png'));
    await expect(outputPath(out, 'up/a.png')).rejects.toThrow('a symbolic link leads out of the folder of outputs');
    await expect(outputPath(out, 'new')).rejects.toThrow('it is a folder');
  });
});

describe('an identity', () => {
  /** What servers say of addresses. */
  const told = new Map<string, string>();
  const versions = { of: (address: string) => Promise.resolve(told.get(address)) };
  const identity = async (job: QueueJob, version = '1.0.0'): Promise<string> => {
    const hashes = new FileHashes();
    const { data } = await prepareJob(job, { number: 0, version, folder: join(folder, 'models'), hashes, versions });
    return identityOf(data);
  };

  test('depends on contents, options and the version, not on names and order', async () => {
    const own = await identity({ input: 'a.glb', output: 'a.png', size: '8x8', samples: 4 });
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    expect(await identity({ samples: '4', size: '8x8', output: 'a.png', input: 'same.glb' })).toBe(own);
    expect(await identity({ id: 'x', priority: 3, input: 'a.glb', output: 'a.png', size: '8x8', samples: 4 })).toBe(
      own
    );
    const neutral = { engine: 'interpreter', ground: false, time: null };
    expect(await identity({ input: 'a.glb', output: 'a.png', size: '8x8', samples: 4, ...neutral })).toBe(own);
    expect(await identity({ input: 'a.glb', output: 'a.png', size: '9x9', samples: 4 })).not.toBe(own);
    expect(await identity({ input: 'a.glb', output: 'b.png', size: '8x8', samples: 4 })).not.toBe(own);
    expect(await identity({ input: 'a.glb', output: 'a.png', size: '8x8', samples: 4 }, '1.0.1')).not.toBe(own);
  });

  test('depends on the files that a model refers to', async () => {
    const before = await identity({ input: 'b.gltf', output: 'b.png' });
    writeFileSync(join(folder, 'models', 'b .bin'), 'another buffer');
    expect(await identity({ input: 'b.gltf', output: 'b.png' })).not.toBe(before);
  });

  test('of an address does not depend on its signature', async () => {
    const signed = 'https://bucket.example/a.glb?X-Amz-Signature=1&X-Amz-Date=2';
    const own = await identity({ input: signed, output: 'a.png' });
    expect(await identity({ input: signed.replace('=1', '=3'), output: 'a.png' })).toBe(own);
    expect(await identity({ input: 'https://bucket.example/a.glb?version=2', output: 'a.png' })).not.toBe(own);
    expect(await identity({ input: signed, output: 'a.png', sha256: 'a'.repeat(64) })).not.toBe(own);
  });

  test('depends on what the server says of an address, unless the job has its hash', async () => {
    const input = 'https://bucket.example/b.glb';
    const hashed = { input, output: 'b.png', sha256: 'a'.repeat(64) };
    const [before, known] = [await identity({ input, output: 'b.png' }), await identity(hashed)];
    told.set(input, 'b'.repeat(64));
    const own = await identity({ input, output: 'b.png' });
    expect(own).not.toBe(before);
    expect(await identity({ input, output: 'b.png' })).toBe(own);
    told.set(input, 'c'.repeat(64));
    expect(await identity({ input, output: 'b.png' })).not.toBe(own);
    expect(await identity(hashed)).toBe(known);
  });

  test('is of the file that a pattern names', async () => {
    const { data } = await prepareJob(
      { input: 'a.glb', output: 'x/{name}-{n:3}-{frame}.png' },
      { number: 4, version: '1.0.0', folder: join(folder, 'models'), hashes: new FileHashes(), versions }
    );
    expect(data.job.output).toBe('x/a-005-{frame}.png');
  });
});
