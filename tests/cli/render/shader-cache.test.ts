// The shader cache of the command, and `rasterloom cache`.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../src/cli/errors';
import type { Terminal } from '../../../src/cli/progress';
import { cacheCommand, usableShaderCache } from '../../../src/cli/shader-cache';
import { Workshop } from '../program';

/** Also root cannot write to a disk that is read-only. */
const disk = vi.hoisted(() => ({ isReadOnly: false }));
vi.mock('node:fs', async (actual) => {
  const fs: typeof import('node:fs') = await actual();
  const accessSync: typeof fs.accessSync = (path, mode) => {
    if (disk.isReadOnly) throw new Error('EROFS');
    fs.accessSync(path, mode);
  };
  return { ...fs, accessSync };
});

const UNUSED = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, LOCALAPPDATA: process.env.LOCALAPPDATA };
let workshop: Workshop;
let caches: string;
let folder: string;

beforeEach(() => {
  workshop = new Workshop();
  caches = mkdtempSync(join(tmpdir(), 'rasterloom-caches-'));
  folder = join(caches, 'rasterloom', 'shaders');
  Object.assign(process.env, { XDG_CACHE_HOME: caches, LOCALAPPDATA: caches });
});
afterEach(() => {
  Object.assign(process.env, UNUSED);
  chmodSync(caches, 0o700);
  rmSync(caches, { recursive: true });
  workshop.remove();
});

const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);

interface Drawn {
  readonly picture: Buffer;
  readonly emitted: number;
  readonly fromStore: number;
}

/** Renders the sample with compiled shaders. */
async function draw(...words: string[]): Promise<Drawn> {
  const { code, out, err } = await workshop.run(
    ...['render', '--sample', '-s', '48x32', '--engine', 'jit', '--json', '--quiet', ...words]
  );
  expect([code, err]).toEqual([0, '']);
  const { programs } = JSON.parse(out) as { programs: { emitted: number; fromStore: number } };
  return { picture: readFileSync(workshop.path('sample.png')), ...programs };
}

const standardOutput = (told: string[]): { stdout: Terminal } => ({
  stdout: { write: (text) => told.push(String(text)) > 0 },
});

/** Acts without root's permissions, as the owner of the folder for caches. */
function asUser(act: () => void): void {
  if (process.geteuid!() !== 0) return act();
  const NOBODY = 65534;
  for (const name of readdirSync(caches, { recursive: true, encoding: 'utf8' }))
    chownSync(join(caches, name), NOBODY, NOBODY);
  chownSync(caches, NOBODY, NOBODY);
  process.seteuid!(NOBODY);
  try {
    act();
  } finally {
    process.seteuid!(0);
  }
}

interface Report {
  readonly folder: string | null;
  readonly problem: string | null;
  readonly files: number;
  readonly bytes: number;
}

async function report(...words: string[]): Promise<Report> {
  const { code, out, err } = await workshop.run('cache', ...words, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Report;
}

describe('the shader cache', () => {
  it('gives later commands their shaders, and the same picture', async () => {
    // Shaders for colours come with the package.
    const first = await draw('--pass', 'normal', '-o', 'sample.png');
    expect(first.emitted).toBeGreaterThan(0);
    expect(files().length).toBeGreaterThan(0);
    const second = await draw('--pass', 'normal', '-o', 'sample.png');
    expect(second.picture).toEqual(first.picture);
    expect(second.fromStore).toBeGreaterThan(first.fromStore);
    const { out } = await workshop.run('render', '--sample', '-s', '48x32', '--engine', 'jit', '--stats', '-q');
    expect(out).toMatch(/^stages .*, [1-9]\d* from the shader cache, /m);
  });

  it('begins with the shaders of the bundled scene', async () => {
    const words = ['render', '--sample', '--threads', '2', '--json', '--quiet', '-o'];
    await workshop.run(...words, 'compiled.png', '--no-shader-cache');
    const { out } = await workshop.run(...words, 'shipped.png');
    const { fromStore } = (JSON.parse(out) as { programs: { fromStore: number } }).programs;
    expect(fromStore).toBeGreaterThan(0);
    expect(readFileSync(workshop.path('shipped.png'))).toEqual(readFileSync(workshop.path('compiled.png')));
  });

  it('counts the shaders of each of several models', async () => {
    await draw();
    workshop.write('a.glb', readFileSync(new URL('../../../build/sample.glb', import.meta.url)));
    workshop.write('b.glb', readFileSync(workshop.path('a.glb')));
    const words = ['a.glb', 'b.glb', '-o', '{name}.png', '-s', '48x32', '--engine', 'jit'];
    const { out } = await workshop.run('render', ...words, '--json', '--quiet');
    const [a, b] = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { programs: { fromStore: number } }).programs.fromStore);
    expect([a > 0, b]).toEqual([true, 0]);
  });

  it('is shared by the processes of --parallel', async () => {
    workshop.write('jobs.jsonl', '{"sample": true, "output": "a.png"}\n{"sample": true, "output": "b.png"}\n');
    const { code } = await workshop.run('render', '--jobs', 'jobs.jsonl', '-s', '48x32', '--parallel', '2', '-q');
    expect([code, files().length > 0]).toEqual([0, true]);
  });

  it("keeps V8's code of the command for the processes of --parallel", async () => {
    workshop.write('jobs.jsonl', '{"sample": true, "output": "a.png"}\n{"sample": true, "output": "b.png"}\n');
    const draw = async (...words: string[]): Promise<void> => {
      const size = ['-s', '48x32', '--parallel', '2', '-q'];
      expect((await workshop.run('render', '--jobs', 'jobs.jsonl', ...size, ...words)).code).toBe(0);
    };
    await draw('--no-shader-cache');
    expect(readdirSync(caches)).toEqual([]);
    // The second process that runs a file writes its code.
    await draw();
    await draw();
    const sizes = files().map((name) => statSync(join(folder, name)).size);
    // Those of the package, of the engine, of the command and of what it shares with rasterloom/gltf.
    expect(sizes.filter((size) => size > 200_000)).toHaveLength(4);
  });

  it('is neither read nor written with --no-shader-cache', async () => {
    expect((await draw('--no-shader-cache')).fromStore).toBe(0);
    expect(readdirSync(caches)).toEqual([]);
    await draw();
    const before = files().map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const last = await draw('--no-shader-cache');
    expect([last.fromStore, last.emitted > 0]).toEqual([0, true]);
    expect(files().map((name) => [name, statSync(join(folder, name)).mtimeMs])).toEqual(before);
  });

  it('replaces damaged files', async () => {
    const normals = ['--pass', 'normal', '-o', 'sample.png'];
    const { picture, fromStore } = await draw(...normals);
    for (const name of files()) writeFileSync(join(folder, name), readFileSync(join(folder, name)).fill(7, 70));
    const damaged = await draw(...normals);
    expect([damaged.picture, damaged.fromStore]).toEqual([picture, fromStore]);
    const again = await draw(...normals);
    expect([again.picture, again.fromStore > fromStore]).toEqual([picture, true]);
  });

  it('is not used if the home does not exist', async () => {
    Object.assign(process.env, UNUSED);
    expect((await draw()).fromStore).toBe(0);
    expect((await report()).problem).toMatch(/none does not exist$/);
  });

  it.skipIf(process.platform !== 'linux')('is not used if nothing can be created in the home', async () => {
    // Not even by root.
    process.env.XDG_CACHE_HOME = '/proc';
    expect((await draw()).fromStore).toBe(0);
  });

  it('is not used if the disk is read-only', () => {
    disk.isReadOnly = true;
    const told: string[] = [];
    try {
      expect(usableShaderCache()).toBeNull();
      cacheCommand({ kind: 'cache', isClear: false, json: false }, standardOutput(told));
    } finally {
      disk.isReadOnly = false;
    }
    expect(told.join('')).toBe(
      `${folder}: 0 files, 0.0 KiB\nThe shader cache is not used, because it cannot be read and written: EROFS.\n`
    );
    expect(usableShaderCache()).toBe(folder);
  });

  it('is not used if a file has its name', async () => {
    mkdirSync(join(caches, 'rasterloom'));
    writeFileSync(folder, '');
    expect((await draw()).fromStore).toBe(0);
    expect(await report()).toEqual({ folder, problem: `${folder} is not a folder`, files: 0, bytes: 0 });
    rmSync(folder);
    rmSync(join(caches, 'rasterloom'), { recursive: true });
    writeFileSync(join(caches, 'rasterloom'), '');
    expect((await draw()).fromStore).toBe(0);
    expect((await report()).problem).toMatch(/^it cannot be read and written: ENOTDIR/);
  });

  it.skipIf(process.platform === 'win32')('is not used if other users can write to it', async () => {
    await draw();
    chmodSync(folder, 0o777);
    const before = files();
    expect((await draw('--samples', '1')).fromStore).toBe(0);
    expect(files()).toEqual(before);
    const { out } = await workshop.run('cache');
    expect(out).toMatch(/\nThe shader cache is not used, because .*shaders can be written by other users \(mode 777\)/);
  });
});

describe('rasterloom cache', () => {
  it('says where the cache is, and how large, without creating it', async () => {
    expect(await workshop.run('cache')).toEqual({ code: 0, out: `${folder}: 0 files, 0.0 KiB\n`, err: '' });
    expect(readdirSync(caches)).toEqual([]);
    await draw();
    const bytes = files().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(await report()).toEqual({ folder, problem: null, files: files().length, bytes });
    expect((await workshop.run('cache')).out).toMatch(/: \d+ files, [\d.]+ [KM]iB\n$/);
  });

  it('removes only what the cache has written', async () => {
    await draw();
    const { length } = files();
    // A file that a writer could not complete.
    writeFileSync(join(folder, `${'a'.repeat(64)}.shader.0123.tmp`), 'x');
    const other = join(caches, 'other');
    writeFileSync(other, 'kept');
    symlinkSync(other, join(folder, `${'b'.repeat(64)}.shader`));
    mkdirSync(join(folder, `${'c'.repeat(64)}.shader`));
    writeFileSync(join(folder, 'notes.txt'), '');
    expect((await workshop.run('cache', 'clear')).out).toMatch(`${folder}: removed ${length + 1} files, `);
    expect(files().sort()).toEqual([`${'b'.repeat(64)}.shader`, `${'c'.repeat(64)}.shader`, 'notes.txt']);
    expect(readFileSync(other, 'utf8')).toBe('kept');
    expect(await report('clear')).toEqual({ folder, problem: null, files: 0, bytes: 0 });
  });

  it.skipIf(process.platform === 'win32')('fails if a file cannot be removed', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${'a'.repeat(64)}.shader`), '');
    chmodSync(folder, 0o500);
    asUser(() => {
      expect(() => cacheCommand({ kind: 'cache', isClear: true, json: false }, standardOutput([]))).toThrow(
        expect.objectContaining({
          exitCode: EXIT.output,
          message: expect.stringMatching(
            /^The file ".*\.shader" of the shader cache cannot be removed: EACCES.*\.$/
          ) as string,
        })
      );
    });
    chmodSync(folder, 0o700);
  });

  it('explains wrong arguments', async () => {
    expect(await workshop.run('cache', 'clean')).toEqual({
      code: 2,
      out: '',
      err: 'rasterloom: After "rasterloom cache" comes nothing or clear, not "clean". See "rasterloom cache --help".\n',
    });
    expect((await workshop.run('cache', 'clear', 'now')).err).toContain('not "now"');
    expect((await workshop.run('cache', '--jsno')).err).toContain('Did you mean --json?');
    expect((await workshop.run('cache', '--help')).out).toMatch(/^rasterloom cache: /);
    expect((await workshop.run('help', 'cache')).out).toMatch(/^rasterloom cache: /);
  });
});
