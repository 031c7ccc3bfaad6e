// The state machine of work that may wait for pages (layout/late/work-codes.ts), as the main thread and the workers see
// it. All states are in memory and change only by `happen`. Kernels have the same transition for warps
// (assembly/late/states.ts).
import {
  MAX_MISSES,
  MISSES_READ,
  WORK_DONE,
  WORK_ENDS,
  WORK_FAILS,
  WORK_IS_UNDONE,
  WORK_NEW,
  WORK_PARKED,
  WORK_PARKS,
  WORK_STATE_BITS,
  WORK_UNDONE,
} from '../../assembly/layout/late/work-codes';
import { STATUS_DONE, STATUS_PARKED, STATUS_WAITS } from '../../assembly/layout/status';
import { LateWork } from '../../build/layout';

/** Names of the states, by code. */
export const workStates = ['new', 'running', 'parked', 'undone', 'ready', 'done', 'failed'] as const;

const STATE_MASK = (1 << WORK_STATE_BITS) - 1;

/** The event with which the run of a tile ends, by the STATUS_* of its kernel call. All others are failures. */
const endings: ReadonlyMap<number, number> = new Map([
  [STATUS_DONE, WORK_ENDS],
  [STATUS_PARKED, WORK_PARKS],
  [STATUS_WAITS, WORK_IS_UNDONE],
]);
export const endOfRun = (status: number): number => endings.get(status) ?? WORK_FAILS;

/** The state after an event; null if the event cannot happen in this state. */
export function nextState(state: number, event: number): number | null {
  return (event >>> (WORK_STATE_BITS + state)) & 1 ? event & STATE_MASK : null;
}

/** The LATE WORKs of a job, which its workers and the main thread share. */
export class WorkStates {
  private words: Int32Array;

  /** `address`: of the first one. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly address: number
  ) {
    this.words = new Int32Array(memory.buffer);
  }

  of(number: number): number {
    const at = this.at(number, LateWork.state);
    return Atomics.load(this.view(at), at);
  }

  /** Changes a state. Returns false, and changes nothing, if another thread was faster or the event is impossible. */
  happen(number: number, event: number): boolean {
    const at = this.at(number, LateWork.state);
    const state = Atomics.load(this.view(at), at);
    const next = nextState(state, event);
    return next !== null && Atomics.compareExchange(this.words, at, state, next) === state;
  }

  /** Makes work new. Called between jobs. */
  renew(first: number, count = 1): void {
    const end = this.at(first + count, LateWork.state);
    this.view(end).fill(WORK_NEW, this.at(first, LateWork.state), end);
  }

  /** A field other than the state. It belongs to the thread that runs the work, or to the main thread. */
  get(number: number, field: number): number {
    const at = this.at(number, field);
    return this.view(at)[at]! >>> 0;
  }
  put(number: number, field: number, value: number): void {
    const at = this.at(number, field);
    this.view(at)[at] = value;
  }

  /** Called by the worker that ends a run: notes the numbers of the pages that it has missed, and then the event. */
  report(number: number, event: number, missed: Int32Array): void {
    const first = this.at(number, LateWork.entries);
    this.put(number, LateWork.count, Math.min(missed.length, MAX_MISSES));
    if (missed.length > 0) this.words.set(missed.subarray(0, MAX_MISSES), first);
    this.happen(number, event);
  }

  /** Called by the main thread: whether a run has ended whose misses it has not taken. */
  hasReport(number: number): boolean {
    const state = this.of(number);
    const isEnded = state === WORK_PARKED || state === WORK_UNDONE || state === WORK_DONE;
    return isEnded && this.words[this.at(number, LateWork.count)] !== MISSES_READ;
  }

  /** Called by the main thread: the pages that a run has missed, once after it has ended; otherwise null. */
  takeReport(number: number): readonly number[] | null {
    if (!this.hasReport(number)) return null;
    const first = this.at(number, LateWork.entries);
    const count = this.get(number, LateWork.count);
    this.put(number, LateWork.count, MISSES_READ);
    if (count === 0) return [];
    const missed = this.words.subarray(first, first + count);
    return Array.from(missed, (entry) => entry >>> 0);
  }

  /** Index of a field in the view. */
  private at(number: number, field: number): number {
    return (this.address + number * LateWork.bytes + field) >>> 2;
  }

  /**
   * The view in which an index exists. It is only renewed if the memory has grown: views of shared memory keep their
   * length, others lose theirs. Asking for the buffer each time took 1 % of a frame of short shaders.
   */
  private view(index: number): Int32Array {
    if (index >= this.words.length) this.words = new Int32Array(this.memory.buffer);
    return this.words;
  }
}
