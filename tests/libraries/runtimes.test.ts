// Bun and Deno run the package like Node: a compute pass, a canvas of install() and the bundled sample have the same
// bits, with and without workers. Their binaries come from npm, with the libraries (libraries.test.ts); there are ones
// for x64 with glibc only.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ENGINES } from './place.mjs';

const PROGRAM = fileURLToPath(new URL('./runtime.mjs', import.meta.url));
const RUNTIMES: Record<string, readonly [file: string, ...args: string[]]> = {
  Bun: ['@oven/bun-linux-x64/bin/bun'],
  Deno: ['@deno/linux-x64-glibc/deno', 'run', '--allow-all'],
};

/** Warnings, such as one that workers cannot start, are part of what is compared. */
async function said(file: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(file, args, { env: { ...process.env, NO_COLOR: '1' } });
  return stdout + stderr;
}

describe('another runtime gives the same bits as Node', () => {
  let inNode: Promise<string> | null = null;
  for (const [name, [file, ...args]] of Object.entries(RUNTIMES)) {
    const binary = join(ENGINES, 'node_modules', file);
    const isMissing = !existsSync(binary);
    const needs = isMissing ? ` (needs ${binary})` : '';
    test.skipIf(isMissing)(
      `${name}, with 0 and 2 workers${needs}`,
      async () => {
        const expected = await (inNode ??= said(process.execPath, [PROGRAM, '0']));
        expect(expected).toMatch(/^compute [\da-f]{64}\ncanvas [\da-f]{64}\nsample [\da-f]{64}\n$/);
        expect(await said(binary, [...args, PROGRAM, '0'])).toBe(expected);
        expect(await said(binary, [...args, PROGRAM, '2'])).toBe(expected);
      },
      180_000
    );
  }
});
