// The same bits in Debian's Firefox ESR as in Node, in an isolated page with workers and in another page. Firefox is
// started without a driver: its page draws every image scene, and sends the hashes to the server of the test. Skipped
// without Firefox; `.ci/run` installs it.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { render, scenes } from '../images/scenes';
import { address, serve, WORKERS } from './kit';

const FIREFOX = '/usr/bin/firefox-esr';
const runs = Object.entries(scenes).flatMap(([name, { samples }]) => samples.map((count) => [name, count] as const));
/** Draws every scene when the page's device is there, and waits until all workers have started. */
const SCRIPT = `<script type="module">
  const send = (value) => fetch('/done', { method: 'POST', body: JSON.stringify(value) });
  addEventListener('error', ({ message }) => send({ error: message }));
  addEventListener('unhandledrejection', ({ reason }) => send({ error: String(reason) }));
  while (!window.hash) await new Promise((done) => setTimeout(done, 50));
  const hashes = [];
  for (const [name, samples] of ${JSON.stringify(runs)}) hashes.push(await window.hash(name, samples));
  for (let turn = 0; crossOriginIsolated && turn < 200 && window.workers() < ${WORKERS}; turn++)
    await window.hash(...${JSON.stringify(runs[0])});
  await send({ hashes, isolated: crossOriginIsolated, workers: window.workers() });
</script>`;

type Report = { hashes: string[]; isolated: boolean; workers: number } | { error: string };

describe.skipIf(!existsSync(FIREFOX))(`in a page (needs ${FIREFOX})`, () => {
  const servers: Server[] = [];
  const processes: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  afterAll(async () => {
    for (const server of servers) server.close();
    await Promise.all(
      processes.map(
        (child) => new Promise((done) => (child.exitCode === null ? child.once('exit', done).kill() : done(0)))
      )
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** What the page of a new Firefox reports. */
  async function open(isolated: boolean): Promise<Report> {
    return new Promise((done, fail) => {
      void serve(isolated, SCRIPT, (body) => done(JSON.parse(body) as Report)).then((server) => {
        servers.push(server);
        // Without the folder, Firefox waits for an answer in a dialog.
        const profile = join(folder, String(isolated));
        mkdirSync(profile);
        const child = spawn(FIREFOX, ['--headless', '--no-remote', '--profile', profile, address(server)], {
          // Tests have no folder for caches, without which Firefox does not start.
          env: { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, 'caches') },
          stdio: 'ignore',
        });
        processes.push(child);
        child.on('error', fail).on('exit', (code) => fail(new Error(`Firefox exited with code ${code}`)));
      });
    });
  }

  test.each([
    [false, 0],
    [true, WORKERS],
  ])('every scene has the same bits (isolated: %s)', { timeout: 180_000 }, async (isolated, workers) => {
    const device = await openBuilt();
    const hashes: string[] = [];
    const report = await open(isolated);
    for (const [name, samples] of runs)
      hashes.push(
        createHash('sha256')
          .update(await render(device, scenes[name]!, samples))
          .digest('hex')
      );
    device.destroy();
    expect(report).toEqual({ hashes, isolated, workers });
  });
});
