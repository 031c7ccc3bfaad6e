// Runs the examples like a reader would, with the built package.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { expect } from 'vitest';

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha. */
  at(x: number, y: number): readonly [number, number, number, number];
}

/** Runs an example in a separate folder. Returns its output and its picture. */
export function run(example: string, ...words: string[]): { said: string; picture: () => Picture } {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    const file = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const bytes = words[0]?.endsWith('.png') ? readFileSync(join(folder, words[0])) : null;
    return {
      said: stdout,
      picture: () => {
        const { width, height, data } = decode(bytes!);
        const at: Picture['at'] = (x, y) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] as never;
        return { width, height, at };
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
