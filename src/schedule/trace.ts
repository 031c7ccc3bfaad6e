// Records what threads did and when, for Chrome's trace viewer. Each thread writes spans into its own ring, which
// the main thread reads. The main thread also records named events. None of this exists if no trace was
// requested.
//
//   ring: entries written (u32, wraps) │ timeOrigin (f64) │ ENTRY ENTRY …
//   entry: begin, end (ms), SPAN, three numbers

import { WORK_DONE, WORK_PARKED, WORK_RUNNING, WORK_UNDONE } from '../../assembly/layout/late/work-codes';
import { STATUS_DONE, STATUS_PARKED, STATUS_WAITS, STATUS_YIELD } from '../../assembly/layout/status';
import { workStates } from '../late/states';

/** An event in the format of Chrome's about:tracing and of Perfetto. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  /** X: a span of a thread. b, e: begin and end of an asynchronous span. M: metadata, a name. */
  readonly ph: 'X' | 'b' | 'e' | 'M';
  /** Microseconds since the trace began. */
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  /** 0 for the calling thread, then the workers. */
  readonly tid: number;
  readonly id?: number;
  readonly args?: Readonly<Record<string, string | number>>;
}
export interface TraceFile {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: 'ms';
  /** `lost`: number of events that were discarded or overwritten because a buffer was full. */
  readonly otherData: { readonly lost: number };
}

export const SPAN_TASK = 0;
export const SPAN_VERTICES = 1;
export const SPAN_TRIANGLES = 2;
export const SPAN_WAIT = 3;
export const SPAN_TILE = 4;
export const SPAN_TILES = 5;
export const SPAN_LOAD = 6;
export const SPAN_RASTER = 7;
export const SPAN_SHADE = 8;
export const SPAN_STORE = 9;
export const SPAN_GROUPS = 10;
export const SPAN_MODULES = 11;
export const SPAN_SHARED = 12;
export const SPAN_PREFETCH = 13;

/** By SPAN: its name, its category, and the names of its arguments. */
const spans: readonly (readonly [name: string, cat: string, ...args: string[]])[] = [
  ['geometry', 'geometry', 'task'],
  ['shade vertices', 'geometry', 'draw'],
  ['set up triangles', 'geometry', 'draw'],
  ['wait for other workers', 'wait'],
  ['tile', 'tile', 'x', 'y', 'outcome'],
  ['tiles without draws', 'tile', 'first', 'count'],
  ['load', 'tile part'],
  ['raster', 'tile part'],
  ['shade', 'tile part'],
  ['resolve and store', 'tile part'],
  ['workgroups', 'compute', 'first', 'count'],
  ['take up modules', 'modules'],
  ['tile with others', 'tile'],
  ['geometry of the next chunk', 'geometry', 'task'],
];

/** The outcome of a tile call, by STATUS. */
const outcomes: ReadonlyMap<number, string> = new Map([
  [STATUS_DONE, workStates[WORK_DONE]],
  [STATUS_YIELD, workStates[WORK_RUNNING]],
  [STATUS_WAITS, workStates[WORK_UNDONE]],
  [STATUS_PARKED, workStates[WORK_PARKED]],
]);

const WRITTEN = 0;
const ORIGIN = 1;
const HEAD = 2;
const ENTRY = 6;
/** Number of spans that a thread can record in one job (0.8 MB). */
const ENTRIES = 1 << 14;
/** Maximum number of events kept until `take`. */
const MOST_EVENTS = 1 << 19;

export class TraceRing {
  private readonly f64: Float64Array;
  private readonly i32: Int32Array;
  private written: number;

  constructor(readonly buffer: ArrayBufferLike) {
    this.f64 = new Float64Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.written = Atomics.load(this.i32, WRITTEN) >>> 0;
  }

  static make(shared: boolean): TraceRing {
    const bytes = (HEAD + ENTRIES * ENTRY) * 8;
    return new TraceRing(shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  }

  /** Called by the thread that writes to the ring. */
  begin(): void {
    this.f64[ORIGIN] = performance.timeOrigin;
  }

  /** Adds a span. `began` and `ended` are values of performance.now(). */
  add(span: number, began: number, ended: number, ...[a = 0, b = 0, c = 0]: readonly number[]): void {
    const { f64 } = this;
    const at = HEAD + (this.written % ENTRIES) * ENTRY;
    f64[at] = began;
    f64[at + 1] = ended;
    f64[at + 2] = span;
    f64[at + 3] = a;
    f64[at + 4] = b;
    f64[at + 5] = c;
    this.written = (this.written + 1) >>> 0;
    Atomics.store(this.i32, WRITTEN, this.written | 0);
  }

  /**
   * Reads the entries from number `from` on, with times relative to `origin`. Returns the number of the next entry, and
   * how many were overwritten.
   */
  read(from: number, origin: number, each: (entry: Float64Array) => void): { next: number; lost: number } {
    const next = Atomics.load(this.i32, WRITTEN) >>> 0;
    const count = (next - from) >>> 0;
    const kept = Math.min(count, ENTRIES);
    const shift = this.f64[ORIGIN]! - origin;
    for (let i = next - kept; i < next; i++) {
      const at = HEAD + ((i >>> 0) % ENTRIES) * ENTRY;
      const entry = this.f64.slice(at, at + ENTRY);
      entry[0]! += shift;
      entry[1]! += shift;
      each(entry);
    }
    return { next, lost: count - kept };
  }
}

const CALLER = 0;
const PID = 1;
type Args = Readonly<Record<string, string | number>>;

export class Trace {
  /** Rings of the calling thread, then of the workers. */
  readonly rings: readonly TraceRing[];
  private readonly origin = performance.timeOrigin + performance.now();
  private readonly read: number[];
  private events: TraceEvent[] = [];
  private lost = 0;
  private ids = 0;

  constructor(workers: number) {
    this.rings = Array.from({ length: workers + 1 }, (_, thread) => TraceRing.make(thread > 0));
    this.rings[CALLER]!.begin();
    this.read = this.rings.map(() => 0);
  }

  /** Collects what the threads have written. Called between jobs, so that the rings have room for the next one. */
  collect(): void {
    this.rings.forEach((ring, tid) => {
      const { next, lost } = ring.read(this.read[tid]!, this.origin, (entry) => this.addEntry(entry, tid));
      this.read[tid] = next;
      this.lost += lost;
    });
  }

  private addEntry([began, ended, span, ...numbers]: Float64Array, tid: number): void {
    const [name, cat, ...names] = spans[span!]!;
    const args = Object.fromEntries(
      names.map((arg, i) => [arg, arg === 'outcome' ? (outcomes.get(numbers[i]!) ?? 'failed') : numbers[i]!])
    );
    this.add({
      name,
      cat,
      ph: 'X',
      ts: began! * 1000,
      dur: (ended! - began!) * 1000,
      pid: PID,
      tid,
      ...(names.length > 0 ? { args } : {}),
    });
  }

  /** Adds a span of the calling thread, from `began` (performance.now()) until now. */
  did(name: string, cat: string, began: number, args: Args = {}): void {
    const ts = this.sinceOrigin(began);
    this.add({ name, cat, ph: 'X', ts, dur: this.sinceOrigin(performance.now()) - ts, pid: PID, tid: CALLER, args });
  }

  /** Adds an asynchronous span, from `began` until now. */
  passed(name: string, cat: string, began: number, args: Args = {}): void {
    const id = ++this.ids;
    this.add({ name, cat, ph: 'b', ts: this.sinceOrigin(began), pid: PID, tid: CALLER, id, args });
    this.add({ name, cat, ph: 'e', ts: this.sinceOrigin(performance.now()), pid: PID, tid: CALLER, id });
  }

  /** Returns all events since the last call. */
  take(): TraceFile {
    this.collect();
    const names = ['calling thread', ...this.rings.slice(1).map((_, index) => `worker ${index + 1}`)];
    const named = (name: string, tid: number, value: string): TraceEvent => ({
      name,
      cat: '',
      ph: 'M',
      ts: 0,
      pid: PID,
      tid,
      args: { name: value },
    });
    const traceEvents = [
      named('process_name', CALLER, 'Rasterloom'),
      ...names.map((name, tid) => named('thread_name', tid, name)),
      ...this.events,
    ];
    const { lost } = this;
    this.events = [];
    this.lost = 0;
    return { traceEvents, displayTimeUnit: 'ms', otherData: { lost } };
  }

  private sinceOrigin(ms: number): number {
    return (performance.timeOrigin - this.origin + ms) * 1000;
  }

  private add(event: TraceEvent): void {
    if (this.events.length === MOST_EVENTS) {
      this.lost += MOST_EVENTS / 2;
      this.events.splice(0, MOST_EVENTS / 2);
    }
    this.events.push(event);
  }
}
