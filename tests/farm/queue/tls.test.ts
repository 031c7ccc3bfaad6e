// A Redis that requires TLS and a password: the command works with it, and tells nobody the password. The certificates
// are valid until 2126; openssl made them, and the key of the authority was thrown away.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { FarmProducer, FarmQueue } from '../../../src/farm';

const at = (name: string): string => fileURLToPath(new URL(`certificate/${name}`, import.meta.url));
const CLI = fileURLToPath(new URL('../../../build/cli.js', import.meta.url));
const AUTHORITY = at('authority.pem');
const PASSWORD = 'open/sesame:42';
const SECRET = /sesame|barley/;

let server: RedisServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-tls-'));
  const tls = { certificate: at('server.pem'), key: at('server.key') };
  server = await RedisServer.start({ password: PASSWORD, tls });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `rasterloom farm` to its end. */
async function farm(url: string, ...words: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [CLI, 'farm', ...words], {
    cwd: folder,
    env: { ...process.env, RASTERLOOM_REDIS: url },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += String(data)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text };
}

/** What is thrown by opening a queue. */
const refusal = (url: string, ca?: string): Promise<string> =>
  FarmQueue.open({ queue: 'tls', redis: { url, ca } }).then(
    () => 'it was opened',
    (error: Error) => error.message
  );

describe('Redis with TLS and a password', () => {
  test('serves producers, workers and operators, which print no password', async () => {
    const job = { sample: true, output: 'a.png', size: '16x16' };
    const leak = { module: 'leak', data: {} };
    writeFileSync(join(folder, 'jobs.jsonl'), `${JSON.stringify(job)}\n${JSON.stringify(leak)}\n`);
    writeFileSync(
      join(folder, 'leak.mjs'),
      `export function render() {
        throw Object.assign(new Error(process.env.RASTERLOOM_REDIS), { retryable: false });
      }`
    );
    const access = ['--queue', 'tls', '--redis-ca', AUTHORITY];
    const added = await farm(server.url, 'add', 'jobs.jsonl', ...access);
    expect(added).toEqual({ code: 0, text: 'Added 2 jobs.\n' });
    const options = ['-o', 'out', '--until-empty', '--json', '--concurrency', '1', '--modules', 'leak=leak.mjs'];
    const worked = await farm(server.url, 'work', ...access, ...options);
    expect(worked.code, worked.text).toBe(1);
    expect(
      readFileSync(join(folder, 'out', 'a.png'))
        .subarray(1, 4)
        .toString()
    ).toBe('PNG');
    const failed = await farm(server.url, 'failed', ...access);
    expect(failed.text).toContain(`rediss://…@127.0.0.1:${server.port}`);
    const status = await farm(server.url, 'status', '--json', ...access);
    expect(JSON.parse(status.text)).toMatchObject({
      redis: `rediss://127.0.0.1:${server.port}`,
      counts: { completed: 1, failed: 1 },
    });
    for (const { text } of [worked, failed, status]) expect(text).not.toMatch(SECRET);
  });

  test('is not used without its authority or its password', async () => {
    const unknown = await refusal(server.url);
    expect(unknown).toMatch(/certificate.*; name the certificate authority of the server$/);
    const wrong = await refusal(server.url.replace('sesame', 'barley'), AUTHORITY);
    expect(wrong).toMatch(/WRONGPASS.*; give the user and the password in the address$/);
    const none = await refusal(`rediss://127.0.0.1:${server.port}`, AUTHORITY);
    expect(none).toMatch(/NOAUTH.*; give the user and the password in the address$/);
    for (const message of [unknown, wrong, none]) expect(message).not.toMatch(SECRET);
  });

  test('is connected again after it was restarted', async () => {
    const access = { queue: 'again', redis: { url: server.url, ca: AUTHORITY } };
    const producer = await FarmProducer.open(access);
    await producer.add({ sample: true, output: 'a.png' });
    await server.kill();
    await server.restart();
    expect(await producer.add({ sample: true, output: 'b.png' })).toEqual({ added: 1, known: 0 });
    await producer.close();
  });
});
