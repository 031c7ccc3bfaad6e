import { context, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FarmEvents } from '../../../src/farm/telemetry/events';
import { observeFarm } from '../../../src/farm/telemetry/opentelemetry';

let events: FarmEvents;
let stop: Awaited<ReturnType<typeof observeFarm>>;
let exporter: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
const spans = new InMemorySpanExporter();

beforeEach(() => open(AggregationTemporality.CUMULATIVE));

/** Registers an SDK, and observes events. */
async function open(temporality: AggregationTemporality): Promise<void> {
  exporter = new InMemoryMetricExporter(temporality);
  reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  events = new FarmEvents((error) => {
    throw error;
  });
  stop = await observeFarm(events);
}

async function close(): Promise<void> {
  await stop();
  spans.reset();
  metrics.disable();
  trace.disable();
  context.disable();
}
afterEach(close);

/** A job that fails once and then succeeds. */
function run(): void {
  const id = 'a';
  events.emit({ type: 'job', id, state: 'active', attempt: 1, queuedMs: 1500 });
  events.emit({ type: 'phase', id, phase: 'load', startedAt: 1000, ms: 20 });
  const message = 'The input "https://h/a.glb?X-Amz-Signature=1" cannot be read';
  events.emit({ type: 'job', id, state: 'delayed', attempt: 1, code: 'unavailable', message });
  events.emit({ type: 'job', id, state: 'active', attempt: 2 });
  events.emit({ type: 'phase', id, phase: 'load', startedAt: 2000, ms: 30 });
  events.emit({ type: 'phase', id, phase: 'render', startedAt: 2030, ms: 100 });
  events.emit({ type: 'job', id, state: 'completed', attempt: 2, output: 's3://b/a.png?x', sha256: 'ab', bytes: 9 });
  events.emit({ type: 'memory', worker: 'w', bytes: 300 });
  const counts = { waiting: 3, delayed: 0, active: 1, completed: 5, failed: 0 };
  events.emit({ type: 'queue', counts, ageMs: 2500 });
}

/** Values of a metric by its attributes; the sums of histograms. */
async function read(name: string): Promise<Record<string, number>> {
  await reader.forceFlush();
  const found = exporter
    .getMetrics()
    .at(-1)!
    .scopeMetrics.flatMap((scope) => scope.metrics)
    .find(({ descriptor }) => descriptor.name === name);
  const text = (attributes: object): string => Object.values(attributes).join(' ');
  return Object.fromEntries(
    (found?.dataPoints ?? []).map(({ attributes, value }) => [
      text(attributes),
      typeof value === 'object' ? (value as { sum: number }).sum : value,
    ])
  );
}

test('metrics count jobs, retries, seconds, memory and the age of the queue', async () => {
  run();
  expect(await read('rasterloom.jobs')).toEqual({ active: 2, 'delayed unavailable': 1, completed: 1 });
  expect(await read('rasterloom.job.retries')).toEqual({ '': 1 });
  expect(await read('rasterloom.job.queued.duration')).toEqual({ '': 1.5 });
  expect(await read('rasterloom.job.phase.duration')).toEqual({ load: 0.05, render: 0.1 });
  expect(await read('rasterloom.memory')).toEqual({ w: 300 });
  expect(await read('rasterloom.queue.age')).toEqual({ '': 2.5 });
  expect(await read('rasterloom.queue.jobs')).toMatchObject({ waiting: 3, completed: 5 });
});

test('the last figures are sent at the end, after the spans', async () => {
  run();
  events.emit({ type: 'worker', worker: 'w', state: 'stopped' });
  events.emit({ type: 'job', id: 'open', state: 'active', attempt: 1 });
  const sent: unknown[] = [];
  await stop(async () => {
    sent.push(
      await read('rasterloom.memory'),
      await read('rasterloom.queue.age'),
      spans.getFinishedSpans().at(-1)!.name
    );
  });
  expect(sent).toEqual([{ w: 300 }, { '': 2.5 }, 'rasterloom.job']);
});

test('the memory of a worker that has stopped is reported once more', async () => {
  await close();
  await open(AggregationTemporality.DELTA);
  events.emit({ type: 'memory', worker: 'w', bytes: 300 });
  events.emit({ type: 'memory', worker: 'v', bytes: 200 });
  events.emit({ type: 'worker', worker: 'w', state: 'stopped' });
  expect(await read('rasterloom.memory')).toEqual({ w: 300, v: 200 });
  expect(await read('rasterloom.memory')).toEqual({ v: 200 });
});

describe('traces', () => {
  test('have a span for each attempt, with its phases', () => {
    run();
    const finished = spans.getFinishedSpans();
    const jobs = finished.filter(({ name }) => name === 'rasterloom.job');
    expect(jobs.map(({ attributes }) => attributes)).toMatchObject([
      { 'rasterloom.job.attempt': 1, 'rasterloom.job.state': 'delayed', 'error.type': 'unavailable' },
      { 'rasterloom.job.attempt': 2, 'rasterloom.job.state': 'completed', 'rasterloom.output.bytes': 9 },
    ]);
    const phases = finished.filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === jobs[1].spanContext().spanId
    );
    expect(phases.map(({ name, startTime, duration }) => [name, startTime, duration])).toEqual([
      ['rasterloom.job.load', [2, 0], [0, 30_000_000]],
      ['rasterloom.job.render', [2, 30_000_000], [0, 100_000_000]],
    ]);
  });

  test('contain no secret of an address', () => {
    run();
    const text = JSON.stringify(spans.getFinishedSpans().map(({ attributes, status }) => [attributes, status]));
    expect(text).toContain('https://h/a.glb?…');
    expect(text).toContain('s3://b/a.png?…');
    expect(text).not.toContain('Signature');
  });

  test('of jobs whose end is not reported end with the farm', async () => {
    events.emit({ type: 'job', id: 'lost', state: 'active', attempt: 1 });
    expect(spans.getFinishedSpans()).toHaveLength(0);
    await stop();
    expect(spans.getFinishedSpans()).toHaveLength(1);
    run();
    expect(spans.getFinishedSpans()).toHaveLength(1);
  });
});
