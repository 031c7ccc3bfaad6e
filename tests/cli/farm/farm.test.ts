// `rasterloom farm` as a user runs it, with a real Redis.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { RedisServer } from '../../../bench/support/redis.mjs';
import { oneMesh, TRIANGLE } from '../../gltf/build';
import { Workshop } from '../program';
import { RunningCommand } from './kit';

const workshop = new Workshop();
let server: RedisServer;
let redis: string[];
const DEFAULT = ['--concurrency', '1', '--threads', '1', '-o', 'out'];

beforeAll(async () => {
  server = await RedisServer.start({ password: 'sesame' });
  redis = ['--redis', server.url];
  const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
  workshop.write('a.glb', model);
  workshop.write('bad.glb', 'nonsense');
  workshop.write('poster.mjs', 'export const render = ({ text }) => new TextEncoder().encode(text);');
  mkdirSync(workshop.path('out'));
});
afterAll(async () => {
  await server.close();
  workshop.remove();
});

const farm = (...words: string[]): ReturnType<Workshop['run']> => workshop.run('farm', ...words);
/** Runs a command of the farm for a queue. */
const at = (queue: string, ...words: string[]): ReturnType<Workshop['run']> =>
  farm(...words, '--queue', queue, ...redis);
const lines = (...jobs: object[]): string => jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
const parsed = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('adds jobs, renders them, lists failed ones with reasons, runs them again, and cleans', async () => {
  workshop.write(
    'jobs.jsonl',
    lines(
      { input: 'a.glb', output: 'a-{n}.png', size: '16x16' },
      { id: 'broken', input: 'bad.glb', output: 'b.png' },
      { module: 'poster', data: { text: 'hello' }, output: 'p.txt' }
    )
  );
  expect(await at('all', 'add', 'jobs.jsonl')).toEqual({ code: 0, out: 'Added 3 jobs.\n', err: '' });
  expect((await at('all', 'add', 'jobs.jsonl')).out).toBe('Added 0 jobs; 3 were known.\n');
  const before = JSON.parse((await at('all', 'status', '--json')).out) as Record<string, unknown>;
  expect(before).toMatchObject({ queue: 'all', counts: { waiting: 3, failed: 0 }, workers: [], isPaused: false });
  expect(JSON.stringify(before)).not.toContain('sesame');

  const worked = await at('all', 'work', ...DEFAULT, '--modules', 'poster=./poster.mjs', '--until-empty');
  expect(worked.code).toBe(1);
  expect(worked.out.trim().split('\n').sort()).toEqual(['a-1.png', 'p.txt']);
  expect(worked.err).toMatch(/^rasterloom: [0-9a-f]{12} "broken": input: The file is neither a \.glb/m);
  expect(workshop.picture('out/a-1.png')).toMatchObject({ width: 16, height: 16 });
  expect(readFileSync(workshop.path('out/p.txt'), 'utf8')).toBe('hello');
  expect(existsSync(workshop.path('out/b.png'))).toBe(false);

  expect((await at('all', 'status')).out).toMatch(/done +2\nfailed +1\n/);
  expect((await at('all', 'failed')).out).toMatch(/^[0-9a-f]{12} {2}broken: input after 1 try: /);
  expect((await at('all', 'failed', '--code', 'timeout')).out).toBe('');
  expect(await at('all', 'retry', 'unknown')).toMatchObject({ code: 1, out: '0 jobs will run again.\n' });
  expect(await at('all', 'retry', 'broken', '--json')).toMatchObject({ code: 0, out: '{"retried":1}\n' });
  expect((await at('all', 'drain')).out).toBe('Removed 1 job that had not started.\n');
  expect((await at('all', 'clean')).out).toBe('Removed 2 jobs from Redis.\n');
  const after = JSON.parse((await at('all', 'status', '--json')).out) as { counts: object };
  expect(after.counts).toEqual({ waiting: 0, delayed: 0, active: 0, completed: 0, failed: 0 });
}, 60_000);

const require = createRequire(import.meta.url);
const urlOf = (name: string): string => pathToFileURL(require.resolve(name)).href;

describe('a worker', () => {
  /** A module that collects metrics and spans as an SDK does, and prints them at the end. */
  const telemetry = (): string => `
    import { metrics, trace } from '${urlOf('@opentelemetry/api')}';
    import otel from '${urlOf('@opentelemetry/sdk-metrics')}';
    import spans from '${urlOf('@opentelemetry/sdk-trace-base')}';
    const exporter = new otel.InMemoryMetricExporter(otel.AggregationTemporality.CUMULATIVE);
    const often = { exportIntervalMillis: 50, exportTimeoutMillis: 50 };
    const reader = new otel.PeriodicExportingMetricReader({ exporter, ...often });
    metrics.setGlobalMeterProvider(new otel.MeterProvider({ readers: [reader] }));
    const memory = new spans.InMemorySpanExporter();
    trace.setGlobalTracerProvider(
      new spans.BasicTracerProvider({ spanProcessors: [new spans.SimpleSpanProcessor(memory)] })
    );
    export async function shutdown() {
      const scopes = exporter.getMetrics().flatMap((each) => each.scopeMetrics);
      const names = scopes.flatMap((scope) => scope.metrics.map((each) => each.descriptor.name));
      names.push(...memory.getFinishedSpans().map((span) => span.name));
      console.error('TOLD ' + [...new Set(names)].join(' '));
      await reader.shutdown();
    }`;

  it('answers probes, prints a structured log, and reports to OpenTelemetry', async () => {
    workshop.write('telemetry.mjs', telemetry());
    workshop.write('one.jsonl', lines({ input: 'a.glb', output: 'one.png', size: '8x8' }));
    expect((await at('seen', 'add', 'one.jsonl', '--quiet')).out).toBe('');
    const worker = new RunningCommand(
      workshop,
      ...['farm', 'work', ...DEFAULT, '--queue', 'seen', ...redis, '--json'],
      ...['--health', '0', '--telemetry', 'telemetry.mjs']
    );
    const url = await worker.sees(/Probes are answered at (http:\S+\/)healthz/);
    await worker.sees(/"state":"completed"/);
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    expect((await fetch(`${url}readyz`)).status).toBe(200);
    expect(await worker.end()).toBe(0);
    const log = parsed(
      worker.text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n')
    );
    expect(new Set(log.map(({ type }) => type))).toEqual(new Set(['memory', 'queue', 'worker', 'job', 'phase']));
    for (const { time, level } of log) {
      expect(level).toBe('info');
      expect(new Date(String(time)).toISOString()).toBe(time);
    }
    expect(log.find(({ type }) => type === 'queue')).toMatchObject({ counts: { waiting: 1 } });
    const told = await worker.sees(/TOLD (.*)/);
    for (const name of ['jobs', 'memory', 'queue.age', 'job.phase.duration', 'job', 'job.render'])
      expect(told.split(' ')).toContain(`rasterloom.${name}`);
  }, 30_000);

  it('waits for the results of jobs that are added', async () => {
    const worker = new RunningCommand(workshop, 'farm', 'work', ...DEFAULT, '--queue', 'wait', ...redis);
    const jobs = lines(
      { id: 'a', input: 'a.glb', output: 'w.png', size: '8x8' },
      { input: 'bad.glb', output: 'x.png' }
    );
    const { bytes, code } = await workshop.pipe(
      jobs,
      ...['farm', 'add', '-', '--wait', '--json', '--queue', 'wait', ...redis]
    );
    expect(await worker.end()).toBe(0);
    expect(code).toBe(1);
    const results = parsed(bytes.toString());
    expect(results.find(({ id }) => id === 'a')).toMatchObject({ output: 'w.png', files: 1, reused: false });
    expect(results.find(({ id }) => id === '1')).toMatchObject({ code: 'input', attempts: 1 });
  }, 30_000);
});

test('the page of the status is served, with pictures of the folder that was named', async () => {
  const page = new RunningCommand(workshop, ...['farm', 'status', '--page', '-o', 'out', '--queue', 'page', ...redis]);
  const url = await page.sees(/The status is at (http:\/\/127\.0\.0\.1:\S+)/);
  const status = (await (await fetch(`${url}status.json`)).json()) as object;
  expect(status).toMatchObject({ queue: { queue: 'page', counts: { waiting: 0 } }, pictures: [] });
  workshop.write('out/shown.png', 'PNG');
  expect((await fetch(`${url}pictures/shown.png`)).status).toBe(200);
  expect((await fetch(`${url}pictures/..%2Fa.glb`)).status).toBe(404);
  expect(await page.end()).toBe(0);
}, 20_000);

describe('mistakes', () => {
  it.each([
    [[], 'After "rasterloom farm" comes one of add, work, status,'],
    [['wrok'], 'There is no command "rasterloom farm" with "wrok". Did you mean work?'],
    [['work'], 'The folder for outputs is missing'],
    [['add'], 'A file of jobs is missing'],
    [['status', '--wait'], '--wait belongs to "rasterloom farm add"'],
    [['status', '--port', '1'], '--port of "rasterloom farm status" needs --page.'],
    [['status', '--page', '--json'], '--page is a view for people; leave out --json.'],
    [['work', '-o', 'out', '--host', '0.0.0.0'], '--host of "rasterloom farm work" needs --health.'],
    [['work', '-o', 'out', '--health', 'x'], '--health must be a whole number from 0 to 65535, not "x".'],
    [['work', '-o', 'out', '--telemetry', 'no.mjs'], 'The module of --telemetry, "no.mjs", cannot be loaded: '],
    [['work', '-o', 'out', '--rate', '5'], '--rate must be jobs in a time, as in 10/s, 600/min or 50/h, not "5".'],
  ])('farm %s', async (words, message) => {
    const { code, out, err } = await farm(...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it('adds nothing if a line of the file is wrong', async () => {
    workshop.write(
      'wrong.jsonl',
      lines({ input: 'a.glb', output: 'a.png' }, { input: 'a.glb', output: 'b.png', siz: 1 })
    );
    const { code, err } = await at('wrong', 'add', 'wrong.jsonl');
    expect(code).toBe(2);
    expect(err).toMatch(/"wrong\.jsonl", line 2: .*siz/);
    expect((await at('wrong', 'status')).out).toMatch(/waiting +0\n/);
  });

  it('names a port that is in use, and a folder of pictures that does not exist', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const used = await at('page', 'status', '--page', '--port', port);
    const probes = await at('page', 'work', '-o', 'out', '--health', port);
    taken.close();
    for (const { code, err } of [used, probes]) {
      expect(code).toBe(2);
      expect(err).toContain(`Port ${port} of 127.0.0.1 cannot be opened: it is in use; choose another port`);
    }
    const lost = await at('page', 'status', '--page', '-o', 'nowhere');
    expect(lost).toMatchObject({ code: 2, out: '' });
    expect(lost.err).toBe('rasterloom: The folder of pictures "nowhere" does not exist or cannot be read.\n');
  });

  it('says that Redis does not answer, without its password', async () => {
    const { code, out, err } = await farm('status', '--redis', 'redis://me:hunter2@127.0.0.1:1/0');
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(err).toMatch(
      /^rasterloom: Redis at redis:\/\/127\.0\.0\.1:1 cannot be used .*; start redis-server, or give/
    );
    expect(err).not.toContain('hunter2');
  }, 20_000);
});
