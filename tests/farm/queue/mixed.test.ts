// Jobs with streamed images and with shading rates run mixed with others, in the same warm processes.
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { createFarmWorker, FarmProducer, type QueueJob } from '../../../src/farm';
import { Workshop } from '../../cli/program';
import { runAll } from '../local/kit';

const workshop = new Workshop();
const redis = await RedisServer.start();
afterAll(async () => {
  await redis.close();
  workshop.remove();
});

test('streamed images and shading rates change no other picture of a worker', async () => {
  copyFileSync(fileURLToPath(new URL('../../../examples/sample.glb', import.meta.url)), workshop.path('a.glb'));
  expect((await workshop.run('tile', 'a.glb', '-o', 'tiles')).code).toBe(0);
  const kinds = { plain: {}, coarse: { 'shading-rate': '4x4' }, streamed: { stream: 'tiles' } };
  const both = { ...kinds, both: { ...kinds.coarse, ...kinds.streamed } };
  const jobs = [0, 1].flatMap((round) =>
    Object.entries(both).map(([kind, options]) => ({
      id: `${kind}${round}`,
      input: 'a.glb',
      output: `${kind}${round}.png`,
      size: '64x64',
      ...options,
    }))
  );
  const worker = await createFarmWorker({
    queue: 'mixed',
    redis: redis.url,
    input: workshop.folder,
    output: workshop.path('out'),
    concurrency: 1,
  });
  const producer = await FarmProducer.open({ queue: 'mixed', redis: redis.url, input: workshop.folder });
  const hashes = new Map<string, string>();
  for await (const result of producer.results(jobs as QueueJob[]))
    hashes.set(result.id, 'sha256' in result ? result.sha256 : result.message);
  await producer.close();
  await worker.close();
  const local = jobs
    .slice(0, 2)
    .map((job) => ({ ...job, input: workshop.path('a.glb'), output: workshop.path(job.output) }));
  const [plain, coarse] = [...(await runAll(local)).values()].map((result) => result.code ?? result.sha256);
  expect(plain).not.toBe(coarse);
  for (const round of [0, 1]) {
    expect(hashes.get(`plain${round}`)).toBe(hashes.get('plain0'));
    expect(hashes.get(`streamed${round}`)).toBe(hashes.get('plain0'));
    expect(hashes.get(`both${round}`)).toBe(hashes.get(`coarse${round}`));
  }
  expect([...new Set(hashes.values())].sort()).toEqual([plain, coarse].sort());
}, 60_000);
