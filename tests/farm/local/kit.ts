// What tests of the farm share: folders, jobs and the processes of this one.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { FarmJob, FarmResult, GltfJob, RenderManyOptions } from '../../../src/farm';
import { renderMany } from '../../../src/farm';

export const HOSTILE = fileURLToPath(new URL('hostile.mjs', import.meta.url));
export const MIB = 2 ** 20;

export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'rasterloom-farm-'));

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, contents: string | Uint8Array): string {
    writeFileSync(this.file(name), contents);
    return this.file(name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A small picture of the bundled sample. */
export const picture = (output: string, id?: string): GltfJob => ({
  sample: true,
  output,
  size: '48x32',
  ...(id === undefined ? {} : { id }),
});

/** A job of the hostile module. */
export const act = (kind: string, more: object = {}, id = kind): FarmJob => ({
  id,
  module: 'hostile',
  data: { kind, ...more },
});

/** All results by the names of their jobs. */
export async function runAll(
  jobs: Parameters<typeof renderMany>[0],
  options: RenderManyOptions = {}
): Promise<Map<string, FarmResult>> {
  const results = new Map<string, FarmResult>();
  for await (const result of renderMany(jobs, { concurrency: 2, modules: { hostile: HOSTILE }, ...options })) {
    expect(results.has(result.id)).toBe(false);
    results.set(result.id, result);
  }
  return results;
}

/** Code, number of tries and quarantine of a failure; hash of a success. */
export const shortened = (result: FarmResult | undefined): unknown =>
  result?.code === undefined ? result?.sha256 : [result.code, result.attempts, result.quarantined];

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** The processes that a process has started, and that have not ended. */
export const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-o', 'pid=,stat=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('render-worker'))
    .map((line) => Number.parseInt(line, 10));

/** Whether a process exists. One that has ended stays in the list of processes until another one takes note of it. */
export const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

export async function until(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 4000 && !isDone(); i++) await new Promise((done) => setTimeout(done, 5));
  expect(isDone()).toBe(true);
}
