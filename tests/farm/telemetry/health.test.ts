import { afterAll, expect, test } from 'vitest';
import { serveHealth } from '../../../src/farm/telemetry/health';

let isReady = true;
const health = await serveHealth(() => isReady, { port: 0 });
afterAll(() => health.close());
const status = async (path: string, method = 'GET'): Promise<number> =>
  (await fetch(health.url + path, { method })).status;

test('a worker is alive, and ready while it takes jobs', async () => {
  expect(health.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await status('healthz')).toBe(200);
  expect(await status('readyz?probe')).toBe(200);
  isReady = false;
  expect(await status('healthz')).toBe(200);
  expect(await status('readyz')).toBe(503);
  expect(await status('metrics')).toBe(404);
  expect(await status('healthz', 'POST')).toBe(405);
});

test('a port that is in use is an error that names it', async () => {
  const port = Number(new URL(health.url).port);
  await expect(serveHealth(() => true, { port })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 cannot be opened: it is in use`
  );
});
