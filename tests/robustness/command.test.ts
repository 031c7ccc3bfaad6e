// The command when its surroundings fail: a full disk behind standard output, an interruption while the picture is
// written.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, closeSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { writeWhole } from '../../src/cli/picture-file';

const program = fileURLToPath(new URL('../../build/cli.js', import.meta.url));

test.skipIf(!existsSync('/dev/full'))(
  'standard output that cannot be written is one sentence and exit code 1 (needs /dev/full)', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [program, '--help'], {
      stdio: ['ignore', full, 'pipe'], encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      1, 'rasterloom: Standard output cannot be written: ENOSPC: no space left on device, write.\n',
    ]);
  }
);

test.each([
  ['without WebAssembly', process.execPath, ['--jitless', program], 'this process has no WebAssembly: start Node without --jitless'],
  [
    'without address space', '/bin/sh', ['-c', 'ulimit -v 6000000; exec "$0" "$@"', process.execPath, program],
    'this engine gives no WebAssembly.Memory of even 256 MiB: close other devices or raise the process limit',
  ],
])('%s the command says so in one sentence', (_name, command, words, why) => {
  const { status, stderr } = spawnSync(
    command, [...words, 'render', '--sample', '-s', '8x8', '-o', join(tmpdir(), 'none.png')], { encoding: 'utf8' }
  );
  expect([status, stderr.replace(/^Warning: .*\n/gm, '')]).toEqual([1, `rasterloom: There is no GPU: ${why}.\n`]);
});

test('an interruption in the middle of the picture leaves no part of it', async () => {
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
