// Runs an example, and reads what it has written.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { expect } from 'vitest';

export const ROOT = new URL('../../', import.meta.url);

interface Picture {
  readonly size: readonly number[];
  at(x: number, y: number): number[];
}

/** The picture that an example writes, in a separate folder; `at`: red, green, blue, alpha. */
export function written(example: string): Picture {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL(`examples/${example}`, ROOT)), 'out.png'],
      { cwd: folder, encoding: 'utf8' }
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'Wrote out.png.\n', stderr: '' });
    const { width, height, data, channels } = decode(readFileSync(join(folder, 'out.png')));
    const at = (x: number, y: number): number[] => {
      const first = (y * width + x) * channels;
      return [...data.slice(first, first + channels), ...(channels === 3 ? [255] : [])];
    };
    return { size: [width, height], at };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The output of an example that runs in a folder with these arguments. */
export function said(
  folder: string,
  example: string,
  ...words: string[]
): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(`examples/${example}`, ROOT)), ...words],
    { cwd: folder, encoding: 'utf8' }
  );
  return { status, out: stdout, err: stderr };
}
