// Metrics and traces of a farm through the OpenTelemetry API. The application chooses what becomes of them, by the SDK
// that it registers; without one, the API does nothing. Names follow OpenTelemetry's conventions: seconds and bytes.
import type { Attributes, Histogram, Meter, Span, Tracer } from '@opentelemetry/api';
import { loadOptional } from '../optional-package';
import { redacted } from '../redact';
import type { FarmEvent, FarmEvents, JobEvent, PhaseEvent } from './events';

type Api = typeof import('@opentelemetry/api');

/** Name of the instrumentation scope, and beginning of all names. */
const SCOPE = 'rasterloom';
/** Jobs whose end was not reported are forgotten when there are more. */
const MAX_OPEN_SPANS = 10_000;
/** Bounds of the buckets of durations, in seconds. The default ones of the API are for milliseconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Reports a farm's events as metrics and traces.
 *
 *     const events = new FarmEvents();
 *     const stop = await observeFarm(events);
 *     const worker = await createFarmWorker({ output: 'pictures', events });
 *
 * @returns ends the reports. Its argument, such as the function `shutdown` of an SDK, sends what was not sent yet: all
 * spans have ended then, and gauges still have their last figures
 * @throws Error if the package `@opentelemetry/api` is not installed
 */
export async function observeFarm(events: FarmEvents): Promise<(flush?: () => unknown) => Promise<void>> {
  const api = await loadOptional(() => import('@opentelemetry/api'), '@opentelemetry/api', 'Telemetry');
  const meters = new FarmMeters(api.metrics.getMeter(SCOPE));
  const spans = new JobSpans(api, api.trace.getTracer(SCOPE));
  const remove = events.on((event) => {
    meters.record(event);
    spans.record(event);
  });
  return async (flush) => {
    remove();
    spans.close();
    try {
      if (flush) await flush();
    } finally {
      meters.close();
    }
  };
}

class FarmMeters {
  readonly #jobs;
  readonly #retries;
  readonly #phases: Histogram;
  readonly #queued: Histogram;
  readonly #memory = new Map<string, number>();
  /** Workers whose last figures are still to be read. */
  readonly #stopped = new Set<string>();
  #counts: Readonly<Record<string, number>> = {};
  /** Seconds; NaN: no queue has reported it. */
  #age = NaN;
  readonly #close: () => void;

  constructor(meter: Meter) {
    const seconds = (name: string, description: string): Histogram =>
      meter.createHistogram(`${SCOPE}.${name}`, {
        unit: 's',
        description,
        advice: { explicitBucketBoundaries: SECONDS },
      });
    this.#jobs = meter.createCounter(`${SCOPE}.jobs`, { unit: '{job}', description: 'Jobs that reached a state' });
    this.#retries = meter.createCounter(`${SCOPE}.job.retries`, { unit: '{attempt}', description: 'Further attempts' });
    this.#phases = seconds('job.phase.duration', 'Time of a phase of a job');
    this.#queued = seconds('job.queued.duration', 'Time for which a job waited for a free worker');
    const memory = meter.createObservableGauge(`${SCOPE}.memory`, { unit: 'By', description: 'Resident memory' });
    const queue = meter.createObservableGauge(`${SCOPE}.queue.jobs`, { unit: '{job}', description: 'Jobs by state' });
    const age = meter.createObservableGauge(`${SCOPE}.queue.age`, {
      unit: 's',
      description: 'Time for which the oldest waiting job has waited',
    });
    const observe: Parameters<Meter['addBatchObservableCallback']>[0] = (result) => {
      for (const [worker, bytes] of this.#memory) result.observe(memory, bytes, { worker });
      for (const [state, count] of Object.entries(this.#counts)) result.observe(queue, count, { state });
      if (!Number.isNaN(this.#age)) result.observe(age, this.#age);
      for (const worker of this.#stopped) this.#memory.delete(worker);
      this.#stopped.clear();
    };
    const observed = [memory, queue, age];
    meter.addBatchObservableCallback(observe, observed);
    this.#close = () => meter.removeBatchObservableCallback(observe, observed);
  }

  record(event: FarmEvent): void {
    switch (event.type) {
      case 'job':
        return this.#recordJob(event);
      case 'phase':
        return this.#phases.record(event.ms / 1000, { phase: event.phase });
      case 'memory':
        this.#memory.set(event.worker, event.bytes);
        return;
      case 'worker':
        if (event.state === 'stopped') this.#stopped.add(event.worker);
        return;
      case 'queue':
        this.#counts = event.counts;
        this.#age = event.ageMs / 1000;
    }
  }

  close(): void {
    this.#close();
  }

  #recordJob({ state, attempt, queuedMs, code }: JobEvent): void {
    this.#jobs.add(1, code === undefined ? { state } : { state, code });
    if (state === 'active' && attempt > 1) this.#retries.add(1);
    if (queuedMs !== undefined) this.#queued.record(queuedMs / 1000);
  }
}

/** One span for each attempt of a job, with one for each of its phases. */
class JobSpans {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #open = new Map<string, Span>();

  constructor(api: Api, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  record(event: FarmEvent): void {
    if (event.type === 'phase') this.#addPhase(event);
    else if (event.type === 'job') {
      if (event.state === 'active') this.#start(event);
      else this.#end(event);
    }
  }

  close(): void {
    for (const span of this.#open.values()) span.end();
    this.#open.clear();
  }

  #start({ id, attempt }: JobEvent): void {
    this.#open.get(id)?.end();
    this.#open.delete(id);
    const attributes = { 'rasterloom.job.id': id, 'rasterloom.job.attempt': attempt };
    this.#open.set(id, this.#tracer.startSpan('rasterloom.job', { attributes }));
    for (const [oldest, span] of this.#open) {
      if (this.#open.size <= MAX_OPEN_SPANS) break;
      span.end();
      this.#open.delete(oldest);
    }
  }

  #end({ id, state, output, bytes, sha256, code, message }: JobEvent): void {
    const span = this.#open.get(id);
    if (!span) return;
    this.#open.delete(id);
    const attributes: Attributes = { 'rasterloom.job.state': state };
    if (output !== undefined) attributes['rasterloom.output'] = redacted(output);
    if (bytes !== undefined) attributes['rasterloom.output.bytes'] = bytes;
    if (sha256 !== undefined) attributes['rasterloom.output.sha256'] = sha256;
    if (code !== undefined) {
      attributes['error.type'] = code;
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: redacted(message ?? code) });
    }
    span.setAttributes(attributes);
    span.end();
  }

  #addPhase({ id, phase, startedAt, ms }: PhaseEvent): void {
    const job = this.#open.get(id);
    if (!job) return;
    const context = this.#api.trace.setSpan(this.#api.context.active(), job);
    this.#tracer
      .startSpan(`rasterloom.job.${phase}`, { startTime: new Date(startedAt) }, context)
      .end(new Date(startedAt + ms));
  }
}
