// The command when its environment fails: a full disk at standard output, an interruption while the picture is written.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { writeWhole } from '../../src/cli/output-file';

const program = fileURLToPath(new URL('../../build/cli.js', import.meta.url));

test.skipIf(!existsSync('/dev/full'))(
  'a failed write to standard output is a one-sentence error and exit code 4 (needs /dev/full)',
  () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [program, '--help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      4,
      'rasterloom: Standard output cannot be written: ENOSPC: no space left on device, write.\n',
    ]);
  }
);

test.each([
  [
    'without WebAssembly',
    process.execPath,
    ['--jitless', program],
    'WebAssembly is unavailable in this process: start Node without --jitless',
  ],
  [
    'without address space',
    '/bin/sh',
    ['-c', 'ulimit -v 6000000; exec "$0" "$@"', process.execPath, program],
    'the JavaScript engine cannot allocate a WebAssembly.Memory of 256 MiB: '
      + 'destroy other devices or raise the memory limit of the process',
  ],
])('%s the command reports it in one sentence', (_name, command, words, why) => {
  const { status, stderr } = spawnSync(
    command,
    [...words, 'render', '--sample', '-s', '8x8', '-o', join(tmpdir(), 'none.png')],
    { encoding: 'utf8' }
  );
  expect([status, stderr.replace(/^Warning: .*\n/gm, '')]).toEqual([5, `rasterloom: No GPU is available: ${why}.\n`]);
});

test('an interruption in the middle of the picture leaves no partial file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  const parts = (): string[] => readdirSync(folder);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  try {
    const writing = writeWhole(join(folder, 'a.png'), new Uint8Array(96 << 20)).catch((error: Error) => error.message);
    while (parts().length === 0) await new Promise((turn) => setImmediate(turn));
    process.emit('SIGHUP', 'SIGHUP');
    expect(parts()).toEqual([]);
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGHUP');
    expect(await writing).toMatch(/cannot be written/);
    expect([parts(), process.listenerCount('SIGHUP')]).toEqual([[], 0]);
  } finally {
    kill.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Preloaded script: half of the picture is written, and then nothing more. */
const HALF_WRITTEN = `data:text/javascript,${encodeURIComponent(`
  import files from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { open } = files;
  files.open = async (...args) => {
    const file = await open(...args);
    const write = file.write.bind(file);
    file.write = async (bytes, offset, length, position) => {
      await write(bytes, offset, length >> 1, position);
      process.stderr.write('half of it\\n');
      await new Promise(() => setInterval(() => undefined, 1000));
    };
    return file;
  };
  syncBuiltinESMExports();`)}`;

// If the process is killed without notice, the partial file stays under a temporary name.
test.skipIf(process.platform === 'win32').each<[NodeJS.Signals, number]>([
  ['SIGINT', 0],
  ['SIGTERM', 0],
  ['SIGHUP', 0],
  ['SIGKILL', 1],
])('a command that ends by %s in the middle of the picture keeps the previous one', async (signal, parts) => {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  const picture = join(folder, 'a.png');
  writeFileSync(picture, 'the older one');
  try {
    const child = spawn(
      process.execPath,
      ['--import', HALF_WRITTEN, program, 'render', '--sample', '-s', '16x16', '-o', picture],
      { stdio: ['ignore', 'ignore', 'pipe'] }
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      if (stderr.includes('half of it')) child.kill(signal);
    });
    expect(await new Promise((ended) => child.on('close', (...how) => ended(how)))).toEqual([null, signal]);
    expect(readFileSync(picture, 'utf8')).toBe('the older one');
    const others = readdirSync(folder).filter((name) => name !== 'a.png');
    expect(others).toEqual(others.filter((name) => name.endsWith('.part')));
    expect(others).toHaveLength(parts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
