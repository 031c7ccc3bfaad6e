// Files that are too large, of another kind, in the way, or do not fit on the disk.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { afterAll, describe, expect, it } from 'vitest';
import { readAll, readFileUpTo } from '../../src/cli/input';
import { writeWhole } from '../../src/cli/output-file';
import { resourcesOf } from '../../src/node/models/resources';
import { TileFile, tileFileName } from '../../src/cli/tile-file';
import { ModelBudget } from '../../src/gltf/budget';
import { loadModel } from '../../src/gltf/files/load';
import { Workshop } from './program';

const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const workshop = new Workshop();
const isUnix = process.platform !== 'win32';
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
afterAll(() => {
  workshop.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('reading', () => {
  const limit = { limit: 10, exceeded: () => new Error('too large') };
  async function* pieces(count: number, told: number[]): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < count; i++) {
      told.push(i);
      yield await Promise.resolve(new Uint8Array(4));
    }
  }
  it('stops at the limit, and not at the end of the input', async () => {
    const told: number[] = [];
    await expect(readAll(pieces(1000, told), limit)).rejects.toThrow('too large');
    expect(told).toEqual([0, 1, 2]);
    expect(await readAll(pieces(2, []), limit)).toHaveLength(8);
  });

  it('of a file that is known to be too large does not begin', async () => {
    const path = join(folder, 'sparse');
    writeFileSync(path, '');
    truncateSync(path, 2 ** 40);
    await expect(readFileUpTo(path, limit)).rejects.toThrow('too large');
    truncateSync(path, 10);
    expect(await readFileUpTo(path, limit)).toHaveLength(10);
  });

  it.skipIf(!isUnix)('of a device stops at the limit', async () => {
    await expect(readFileUpTo('/dev/zero', limit)).rejects.toThrow('too large');
  });

  it('checks the files of a model before it reads them', async () => {
    const path = join(folder, 'large.bin');
    writeFileSync(path, '');
    truncateSync(path, 2 ** 40);
    const json = { asset: { version: '2.0' }, buffers: [{ uri: 'large.bin', byteLength: 4 }] };
    const reader = resourcesOf(join(folder, 'model.gltf'), { allowExternal: false, allowNetwork: false });
    await expect(loadModel(Buffer.from(JSON.stringify(json)), reader, new ModelBudget(1 << 20))).rejects.toThrow(
      /^The file "large\.bin" would make the model take 1048577 MiB .* --model-memory raises it\.$/
    );
  });

  it('of standard input is limited for models and shaders', async () => {
    const model = await workshop.pipe(new Uint8Array(3 << 20), 'render', '-', '--model-memory', '2');
    expect([model.code, model.err]).toEqual([
      3,
      'rasterloom: The model standard input is larger than 2 MiB, the memory that a model may take; '
        + '--model-memory raises the limit.\n',
    ]);
    const shader = await workshop.pipe(new Uint8Array(9 << 20), 'shader', '-');
    expect([shader.code, shader.err]).toEqual([
      3,
      'rasterloom: Standard input is larger than 8 MiB, the largest size of a shader.\n',
    ]);
  });

  it.skipIf(!isUnix)('tiles does not wait for a FIFO', async () => {
    const path = join(folder, tileFileName(Uint8Array.of(1), true));
    execFileSync('mkfifo', [path]);
    await expect(TileFile.open(path, Uint8Array.of(1))).rejects.toThrow(/^The tiles ".*" is not a regular file\.$/);
  });
});

describe('writing', () => {
  it('accepts names as long as the file system does, and reports longer ones', async () => {
    const name = `${'a'.repeat(246)}.png`;
    expect((await workshop.run('render', '--sample', '-s', '8x8', '-o', name)).code).toBe(0);
    expect(workshop.picture(name).width).toBe(8);
    const longer = await workshop.run('render', '--sample', '-s', '8x8', '-o', `${'a'.repeat(300)}.png`);
    expect([longer.code, longer.err]).toEqual([
      4,
      expect.stringMatching(/^rasterloom: The name of the picture ".*" is too long\.\n$/),
    ]);
  });

  it('touches no other file', async () => {
    const foreign = join(folder, `out.png.${process.pid}.part`);
    writeFileSync(foreign, 'precious');
    await writeWhole(join(folder, 'out.png'), Uint8Array.of(1));
    mkdirSync(join(folder, 'taken.png'));
    await expect(writeWhole(join(folder, 'taken.png'), Uint8Array.of(1))).rejects.toThrow(
      /^The picture ".*taken\.png" cannot be written: a folder with that name exists\.$/
    );
    expect(readFileSync(foreign, 'utf8')).toBe('precious');
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('reports a folder at the path of a tile file', async () => {
    const bytes = encode({ width: 2, height: 2, channels: 4, data: new Uint8Array(16) });
    workshop.write('i.png', bytes);
    mkdirSync(workshop.path(`tiles/${tileFileName(bytes, true)}`), { recursive: true });
    const { code, err } = await workshop.run('tile', 'i.png', '-o', 'tiles');
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(
        /^rasterloom: The file of tiles ".*" cannot be written: a folder with that name exists\.\n$/
      ),
    ]);
  });

  // A limit on the size of files represents a full disk: both accept only the first part of a write.
  it.skipIf(!isUnix).each([
    ['standard output', '-o - > full.png', /^rasterloom: Standard output cannot be written: .+\n$/],
    [
      'a file',
      '-o full2.png',
      /^rasterloom: The picture "full2\.png" cannot be written: it exceeds the maximum size of a file\.\n$/,
    ],
    [
      'words',
      '-o small.png --json > full.json',
      /^(Wrote small\.png .*\n)?rasterloom: Standard output cannot be written: .+\n$/,
    ],
  ])('fails if %s has no room', (_, words, message) => {
    const size = words.includes('json') ? '8x8' : '200x200';
    const blocks = words.includes('json') ? 1 : 8;
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `ulimit -f ${blocks}; exec "${process.execPath}" "${CLI}" render --sample -s ${size} ${words}`],
      { cwd: workshop.folder, encoding: 'utf8' }
    );
    expect([status, stderr]).toEqual([4, expect.stringMatching(message)]);
    expect(existsSync(workshop.path('full2.png'))).toBe(false);
  });

  it.skipIf(!isUnix)('to a file as standard output is complete', () => {
    const { status } = spawnSync(
      'bash',
      ['-c', `exec "${process.execPath}" "${CLI}" render --sample -s 200x100 -o - > whole.png`],
      { cwd: workshop.folder }
    );
    expect([status, decode(readFileSync(workshop.path('whole.png'))).height]).toEqual([0, 100]);
  });
});

describe('a process that cannot run shaders', () => {
  it('reports it in one sentence', () => {
    workshop.write('a.wgsl', 'fn a() {}');
    const { status, stderr } = spawnSync(process.execPath, ['--jitless', CLI, 'shader', 'a.wgsl'], {
      cwd: workshop.folder,
      encoding: 'utf8',
    });
    expect([status, stderr.replace(/^Warning: .*\n/, '')]).toEqual([
      5,
      'rasterloom: Shaders cannot be compiled here: WebAssembly is unavailable in this process: '
        + 'start Node without --jitless.\n',
    ]);
  });

  it.skipIf(!isUnix)('reports too little address space', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `ulimit -v 3000000; exec "${process.execPath}" "${CLI}" shader a.wgsl`],
      { cwd: workshop.folder, encoding: 'utf8' }
    );
    expect([status, stderr]).toEqual([
      5,
      expect.stringMatching(
        /^rasterloom: Shaders cannot be compiled here: the JavaScript engine cannot allocate a WebAssembly\.Memory/
      ),
    ]);
  });
});
