// Memory and workers of Chromium while views are opened and closed. Chromium is started without a driver, because the
// driver's network log keeps the bodies of all responses: the page sends its reports to the server of the test. Workers
// get a small young generation, because a page cannot ask for their garbage collection. Skipped without Chromium.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { address } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const BUILD = new URL('../../build/', import.meta.url);
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ROUNDS = 50;
/** Rounds whose memory is compared. */
const EARLY = 5;
const LATE = 41;
const GROWTH = 1.05;

/** Opens and closes views; then it waits until the shared device is closed. */
const PAGE = `<!doctype html><link rel="icon" href="data:,"><body><script type="module">
  import '/view.js';
  const report = (what) => fetch('/', { method: 'POST', body: String(what) });
  addEventListener('unhandledrejection', ({ reason }) => report(reason));
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let round = 1; round <= ${ROUNDS}; round++) {
    const view = document.createElement('rasterloom-view');
    view.setAttribute('src', 'sample.glb');
    view.setAttribute('renderer', 'rasterloom');
    view.style.width = '320px';
    document.body.append(view);
    await view.ready;
    view.remove();
    if (round !== ${EARLY} && round < ${LATE}) continue;
    for (let turn = 0; turn < 2; turn++) {
      await wait(150);
      gc();
    }
    await report(round);
  }
  for (let turn = 0; turn < 20; turn++) {
    await wait(2000);
    await report('idle');
  }
  await report('end');
</script>`;

/** The process of the page: its resident memory in kilobytes, and the number of its workers. */
function rendererOf(profile: string): { kilobytes: number; workers: number } {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const command = readFileSync(`/proc/${id}/cmdline`, 'latin1');
        if (!command.includes('--type=renderer') || !command.includes(profile)) return [];
        const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'latin1'))!;
        const threads = readdirSync(`/proc/${id}/task`).map((task) =>
          readFileSync(`/proc/${id}/task/${task}/comm`, 'latin1')
        );
        return [
          {
            kilobytes: Number(kilobytes),
            workers: threads.filter((name) => name.startsWith('DedicatedWorker')).length,
          },
        ];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
  return found.sort((a, b) => b.kilobytes - a.kilobytes)[0]!;
}

function serve(onReport: (body: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const { url = '/', method } = request;
    if (method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        onReport(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
      return;
    }
    response
      .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
      .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    const file = new URL(`.${url}`, BUILD);
    if (url === '/') response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
    else if (existsSync(file))
      response
        .writeHead(200, { 'Content-Type': TYPES[extname(url)] ?? 'application/octet-stream' })
        .end(readFileSync(file));
    else response.writeHead(404).end();
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
}

const canMeasure = existsSync(CHROMIUM) && existsSync('/proc/self/task');

test.skipIf(!canMeasure)(`views give back memory and workers (needs ${CHROMIUM})`, { timeout: 180_000 }, async () => {
  const profile = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  const reports = new Map<string, { kilobytes: number; workers: number }>();
  let end!: () => void;
  const ended = new Promise<void>((done) => (end = done));
  const server = await serve((body) => {
    const found = rendererOf(profile);
    reports.set(body, found);
    if (body === 'idle' ? found.workers === 0 : !/^\d+$/.test(body)) end();
  });
  const flags = ['--headless=new', '--no-sandbox', '--disable-quic', '--disable-gpu', `--user-data-dir=${profile}`];
  const collecting = '--js-flags=--expose-gc --min-semi-space-size=1 --max-semi-space-size=1';
  const child = spawn(CHROMIUM, [...flags, collecting, address(server)], { stdio: 'ignore' });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  try {
    await Promise.race([ended, exited]);
    const rounds = Array.from({ length: ROUNDS - LATE + 1 }, (_, i) => String(LATE + i));
    expect([...reports.keys()]).toEqual([String(EARLY), ...rounds, 'idle']);
    const { kilobytes, workers } = reports.get(String(EARLY))!;
    expect(workers).toBeGreaterThan(0);
    // The median, because the engine frees pages of its heap at its own times.
    const late = rounds.map((round) => reports.get(round)!.kilobytes).sort((a, b) => a - b);
    expect(late[late.length >> 1]!, `after ${kilobytes}: ${late.join(', ')}`).toBeLessThan(GROWTH * kilobytes);
    expect(reports.get('idle')!.workers).toBe(0);
  } finally {
    child.kill();
    await exited;
    server.close();
    // Chromium's other processes end a little later, and write to the folder until then.
    rmSync(profile, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }
});
