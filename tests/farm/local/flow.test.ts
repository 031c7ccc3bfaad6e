// Back-pressure, cancelling, and processes that end with their pool.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { renderMany, WarmPool, type FarmJob } from '../../../src/farm';
import { act, childrenOf, Folder, HOSTILE, isRunning, picture, runAll, until } from './kit';

const FARM = fileURLToPath(new URL('../../../build/farm.js', import.meta.url));
const folder = new Folder();
afterAll(() => folder.remove());
const modules = { hostile: HOSTILE };

/** Jobs without end. */
class Endless {
  taken = 0;
  hasReturned = false;

  async *jobs(kind = 'fine'): AsyncGenerator<FarmJob> {
    try {
      for (;;) yield Promise.resolve(act(kind, { number: this.taken }, `${this.taken++}`));
    } finally {
      this.hasReturned = true;
    }
  }
}

const lines = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

describe('renderMany', () => {
  it('takes few jobs more than it has yielded', async () => {
    const endless = new Endless();
    let yielded = 0;
    for await (const { code } of renderMany(endless.jobs(), { concurrency: 2, modules })) {
      expect(code).toBeUndefined();
      yielded++;
      // A slow reader.
      await new Promise((done) => setTimeout(done, 5));
      expect(endless.taken - yielded).toBeLessThanOrEqual(4);
      if (yielded === 50) break;
    }
    expect(endless.hasReturned).toBe(true);
    expect(childrenOf(process.pid)).toEqual([]);
  }, 60_000);

  it('yields results while the next job is awaited', async () => {
    let release: () => void = () => undefined;
    const later = new Promise<void>((resolve) => (release = resolve));
    async function* jobs(): AsyncGenerator<FarmJob> {
      yield act('fine', {}, 'first');
      await later;
      yield act('fine', {}, 'second');
    }
    const seen: string[] = [];
    for await (const { id } of renderMany(jobs(), { concurrency: 2, modules })) {
      seen.push(id);
      release();
    }
    expect(seen).toEqual(['first', 'second']);
  }, 60_000);

  it('uses no more processes than it may, and keeps them warm', async () => {
    const log = folder.file('pids');
    const jobs = Array.from({ length: 20 }, (_, i) => act('fine', { log, number: i }, `${i}`));
    await runAll(jobs);
    expect(new Set(lines(log).map((line) => line.split(' ')[2])).size).toBeLessThanOrEqual(2);
    expect(lines(log)).toHaveLength(20);
  }, 60_000);

  it.each(['process', 'thread'] as const)(
    'ends everything when it is aborted (%s)',
    async (isolate) => {
      const log = folder.file(`abort-${isolate}`);
      const controller = new AbortController();
      const jobs = [act('listen', { log }), act('loop', { log }), act('fine', {}, 'late')];
      const iteration = runAll(jobs, { isolate, signal: controller.signal });
      await until(() => lines(log).length === 2);
      const began = performance.now();
      controller.abort(new Error('enough'));
      await expect(iteration).rejects.toThrow('enough');
      expect(performance.now() - began).toBeLessThan(5000);
      expect(lines(log)).toContain('listen aborted');
      expect(childrenOf(process.pid)).toEqual([]);
      await expect(runAll(jobs, { signal: controller.signal })).rejects.toThrow('enough');
    },
    60_000
  );

  it('ends all processes when the loop is left, also those that a module has started', async () => {
    const log = folder.file('break');
    for await (const { id } of renderMany([act('child', { log }, 'parent'), act('fine')], {
      concurrency: 2,
      modules,
    })) {
      expect(id).toBe('fine');
      await until(() => lines(log).some((line) => line.startsWith('child')));
      break;
    }
    const pid = Number(
      lines(log)
        .find((line) => line.startsWith('child'))!
        .split(' ')[1]
    );
    await until(() => !isRunning(pid));
    expect(childrenOf(process.pid)).toEqual([]);
  }, 60_000);

  it('throws what the jobs throw, after ending all processes', async () => {
    async function* jobs(): AsyncGenerator<FarmJob> {
      yield act('hang');
      throw await Promise.resolve(new Error('no more jobs'));
    }
    await expect(runAll(jobs())).rejects.toThrow('no more jobs');
    expect(childrenOf(process.pid)).toEqual([]);
  }, 60_000);

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'leaves no process and no part of a file if the program gets %s',
    async (signal) => {
      const log = folder.file(`parent-${signal}`);
      const script = folder.write(
        `${signal}.mjs`,
        `import { renderMany } from ${JSON.stringify(FARM)};
        const modules = ${JSON.stringify(modules)};
        const jobs = [
          { module: 'hostile', data: { kind: 'loop', log: ${JSON.stringify(log)} } },
          { sample: true, output: ${JSON.stringify(folder.file('never.png'))}, size: '4000x4000', samples: 16 },
        ];
        for await (const _ of renderMany(jobs, { concurrency: 2, modules }));`
      );
      const program = spawn(process.execPath, [script]);
      await until(() => lines(log).length === 1);
      const children = childrenOf(program.pid!);
      expect(children).toHaveLength(2);
      program.kill(signal);
      await until(() => !children.some(isRunning));
      expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
    },
    60_000
  );
});

describe('WarmPool', () => {
  it('runs one try of a job, and says what is busy', async () => {
    const pool = new WarmPool({ concurrency: 2, modules });
    expect([pool.size, pool.busy]).toEqual([2, 0]);
    const running = [pool.run(act('throw'), { attempt: 4 }), pool.run(picture(folder.file('pool.png')))];
    expect(pool.busy).toBe(2);
    const [failure, success] = await Promise.all(running);
    expect(failure).toMatchObject({ id: 'throw', code: 'module', retryable: true, attempts: 4, quarantined: false });
    expect(success).toMatchObject({ output: folder.file('pool.png'), attempts: 1 });
    expect(pool.busy).toBe(0);
    await pool.close();
    await expect(pool.run(act('fine'))).rejects.toThrow('The pool is closed; make another one');
  }, 60_000);

  it('cancels one job, also one that waits for a process', async () => {
    const pool = new WarmPool({ concurrency: 1, modules });
    const log = folder.file('cancel');
    const [first, second] = [new AbortController(), new AbortController()];
    const looping = pool.run(act('loop', { log }), { signal: first.signal });
    const waiting = pool.run(act('fine', { log }, 'waiting'), { signal: second.signal });
    const later = pool.run(act('fine', { log }, 'later'));
    await until(() => lines(log).length === 1);
    second.abort(new Error('second'));
    await expect(waiting).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(looping).rejects.toThrow('first');
    expect(await later).toMatchObject({ id: 'later', attempts: 1 });
    expect(lines(log).map((line) => line.split(' ')[0])).toEqual(['loop', 'later']);
    await pool.close();
  }, 60_000);

  it('refuses jobs that run or wait when it is closed', async () => {
    const pool = new WarmPool({ concurrency: 1, modules });
    const log = folder.file('close');
    const jobs = [pool.run(act('hang', { log })), pool.run(act('fine'))];
    const outcomes = Promise.allSettled(jobs);
    await until(() => lines(log).length === 1);
    await pool.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: /is closed/ } });
    expect(childrenOf(process.pid)).toEqual([]);
  }, 60_000);

  it('does not keep the program running while it is idle', async () => {
    const script = folder.write(
      'idle.mjs',
      `import { WarmPool } from ${JSON.stringify(FARM)};
      const pool = new WarmPool({ concurrency: 1, modules: ${JSON.stringify(modules)} });
      console.log((await pool.run({ module: 'hostile', data: {} })).bytes);`
    );
    const program = spawn(process.execPath, [script]);
    let text = '';
    program.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    const code = await new Promise((resolve) => program.on('close', resolve));
    expect([code, text]).toEqual([0, '14\n']);
  }, 60_000);
});
