import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { serveStatus } from '../../../src/farm/status/serve-status';
import type { StatusSource } from '../../../src/farm/status/types';

const root = mkdtempSync(join(tmpdir(), 'rasterloom-status-'));
const folder = join(root, 'pictures');
mkdirSync(join(folder, 'a b'), { recursive: true });
writeFileSync(join(folder, 'one.png'), 'one');
writeFileSync(join(folder, 'a b', 'two.webp'), 'two');
writeFileSync(join(folder, 'notes.txt'), 'notes');
writeFileSync(join(root, 'secret.png'), 'secret');
symlinkSync(join(root, 'secret.png'), join(folder, 'link.png'));
symlinkSync(join(folder, 'notes.txt'), join(folder, 'text.png'));

const HOSTILE = '</script><img src=x onerror=alert(1)>';
let isAway = false;
const source: StatusSource = {
  status: async () => {
    if (isAway) throw new Error('redis://user:secret@host:6379 does not answer');
    return Promise.resolve({
      queue: HOSTILE,
      isPaused: false,
      counts: { waiting: 3, delayed: 0, active: 1, completed: 5, failed: 1 },
      ageMs: 2500,
      workers: [{ id: 'w', host: 'h', version: '1.0.0', concurrency: 2, busy: 1, done: 5, failed: 1 }],
      flows: [{ identity: 'i', name: HOSTILE, output: 'film.png', chunks: 8, drawn: 3 }],
    });
  },
  async *failed() {
    const message = 'The input https://h/a.glb?X-Amz-Signature=1 does not exist';
    for (;;)
      yield await Promise.resolve({ identity: 'f', name: HOSTILE, code: 'missing', message, attempts: 1, failedAt: 1 });
  },
  finishedOutputs: () =>
    Promise.resolve(['one.png', 'a b/two.webp', 'notes.txt', 'none.png', 'link.png', 'text.png', '../secret.png']),
};
const page = await serveStatus(source, { pictures: folder });
afterAll(async () => {
  await page.close();
  rmSync(root, { recursive: true });
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Sends a path as it is; `fetch` would resolve dots. */
const get = (path: string, { method = 'GET', host }: { method?: string; host?: string } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(page.url);
    const headers = host === undefined ? {} : { host };
    requestHttp({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (piece) => (text += String(piece)));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    })
      .on('error', reject)
      .end();
  });

describe('the status page', () => {
  test('is served on the loopback address, with a strict policy and nothing inline', async () => {
    expect(new URL(page.url).hostname).toBe('127.0.0.1');
    const { status, headers, text } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?! src="page\.js" defer><)|<style|style=|\son\w+=/);
    expect((await get('/page.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect((await get('/page.css')).headers['x-content-type-options']).toBe('nosniff');
  });

  test('has figures for programs, without secrets, and a bounded number of failed jobs', async () => {
    const { status, text } = await get('/status.json');
    const { queue, failed } = JSON.parse(text) as { queue: { ageMs: number }; failed: { message: string }[] };
    expect(status).toBe(200);
    expect(queue.ageMs).toBe(2500);
    expect(failed).toHaveLength(50);
    expect(failed[0].message).toBe('The input https://h/a.glb?… does not exist');
  });

  test('says that the queue does not answer', async () => {
    isAway = true;
    const { status, text } = await get('/status.json');
    isAway = false;
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({ error: 'redis://…@host:6379 does not answer' });
  });

  test('shows pictures of its folder only', async () => {
    const { text } = await get('/status.json');
    const { pictures } = JSON.parse(text) as { pictures: { name: string }[] };
    expect(pictures.map(({ name }) => name)).toEqual(['one.png', 'a b/two.webp']);
    expect(await get('/pictures/a%20b/two.webp?1')).toMatchObject({ status: 200, text: 'two' });
    for (const path of [
      '../secret.png',
      '..%2fsecret.png',
      'a%20b/../../../secret.png',
      encodeURIComponent(join(root, 'secret.png')),
      'link.png',
      'text.png',
      'notes.txt',
      'none.png',
      'one.png%00.png',
      '%e0%a4%a',
    ])
      expect((await get(`/pictures/${path}`)).status, path).toBeGreaterThanOrEqual(400);
  });

  test('refuses other hosts and methods', async () => {
    expect((await get('/status.json', { host: 'evil.example' })).status).toBe(403);
    expect((await get('/status.json', { host: 'localhost:1' })).status).toBe(200);
    expect((await get('/', { method: 'POST' })).status).toBe(405);
    expect((await get('/constructor')).status).toBe(404);
  });

  test('is kept up to date by server-sent events', async () => {
    const response = await fetch(`${page.url}events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while ((text.match(/\n\n/g) ?? []).length < 2) text += (await reader.read()).value ?? '';
    await reader.cancel();
    const [first, second] = text.split('\n\n');
    expect(first).toMatch(/^data: \{/);
    expect(first.split('\n')).toHaveLength(1);
    expect(JSON.parse(second.slice('data: '.length))).toMatchObject({ queue: { queue: HOSTILE } });
  });
});
