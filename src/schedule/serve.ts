// The worker's main loop. A worker is assigned to a device and serves it until its thread ends.
import { clockMs } from '../base/clock';
import { JOB_ABORT } from '../../assembly/layout/job/job-codes';
import { Job } from '../../build/layout';
import { instantiateKernel, oracleKernel, type KernelHost } from '../kernels';
import { Executor } from './executor';
import { JobView } from './job-view';
import { ModuleCopies } from './modules';
import { ProgressClock } from './progress-clock';
import { SPAN_MODULES, TraceRing } from './trace';

/** What a worker gets when it is assigned to a device. */
export interface WorkerOrder {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the JOB record, and the current Job.sequence. */
  readonly job: number;
  readonly sequence: number;
  /** The current Job.team. When it changes, the device has new workers, and this one stops. */
  readonly team: number;
  /** Index of the worker's EXECUTOR record. */
  readonly index: number;
  /** Whether to use the testing build's oracle kernel. */
  readonly oracle: boolean;
  /** Buffer of the worker's TraceRing; null if no trace was requested. */
  readonly trace: ArrayBufferLike | null;
}
/**
 * - `ready`: the worker waits for jobs.
 * - `done`: it was the last one to leave the job with that Job.sequence, and the main thread does not block for it.
 * - `soon`: that job will be done in EARLY_NOTICE_MS.
 * - `late`: tiles wait for pages (Job.late).
 */
export type WorkerReport =
  | { readonly kind: 'done'; readonly sequence: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'soon'; readonly sequence: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'threw'; readonly message: string };

/** Executes the device's jobs until the device has other workers. The thread's event loop does not run until then. */
export function serve(order: WorkerOrder, say: (report: WorkerReport) => void): void {
  const { memory, job, index } = order;
  const words = new Int32Array(memory.buffer, job, Job.bytes / 4);
  const clock = new ProgressClock();
  const host: KernelHost = {
    // Also stops shaders of an aborted job, and shaders that loop on the zeros of non-resident pages.
    timeExpired: () =>
      (clock.expired && !executor.mayContinue()) || executor.mustEndLoop || Atomics.load(words, Job.status >>> 2) !== 0
        ? 1
        : 0,
    now: clockMs,
  };
  /** Sends the report once per job, from the first worker that gets here. */
  const soon = (): void => {
    const sequence = Atomics.load(words, Job.sequence >>> 2);
    if (Atomics.exchange(words, Job.soon >>> 2, sequence) !== sequence) say({ kind: 'soon', sequence });
  };
  const kernel = instantiateKernel(order.module, memory, host);
  const { exports } = order.oracle ? oracleKernel(kernel) : kernel;
  let sequence = order.sequence;
  const leave = (): void => {
    if (Atomics.sub(words, Job.left >>> 2, 1) !== 1) return;
    // A main thread that blocks on the job needs no message, which would delay its next work.
    const isAwaited = Atomics.notify(words, Job.left >>> 2) > 0;
    if (!isAwaited || Atomics.load(words, Job.status >>> 2) === JOB_ABORT) say({ kind: 'done', sequence });
  };
  const view = new JobView(memory, job, index);
  const executor: Executor = new Executor({
    exports,
    job: view,
    startClock: (ms) => clock.start(ms),
    late: () => say({ kind: 'late' }),
    soon,
    leave,
  });
  const trace = (view.trace = order.trace && new TraceRing(order.trace));
  trace?.begin();
  const modules = new ModuleCopies(kernel, memory, host);
  Atomics.add(words, Job.ready >>> 2, 1);
  say({ kind: 'ready' });
  for (;;) {
    sequence = nextSequence(words, sequence);
    if (Atomics.load(words, Job.team >>> 2) !== order.team) return;
    try {
      lookAgain(memory, words[Job.memoryBytes >>> 2]! >>> 0);
      const directory = words[Job.directory >>> 2]! >>> 0;
      const began = clockMs();
      if (directory !== 0 && modules.update(directory)) trace?.add(SPAN_MODULES, began, clockMs());
      executor.begin();
      executor.advance(Infinity);
    } catch (error) {
      // The other workers leave the job at their next look.
      Atomics.store(words, Job.status >>> 2, JOB_ABORT);
      Atomics.notify(words, Job.changeCounter >>> 2);
      say({ kind: 'threw', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    if (!executor.hasLeftJob) leave();
  }
}

/**
 * Sleeps until the next job, without spinning first. Spinning gained nothing in any sequence of passes. With as many
 * workers as cores, it kept the calling thread from preparing the job: a histogram of 4 million words took 4 % longer.
 */
function nextSequence(words: Int32Array, seen: number): number {
  for (;;) {
    const now = Atomics.load(words, Job.sequence >>> 2);
    if (now !== seen) return now;
    Atomics.wait(words, Job.sequence >>> 2, seen);
  }
}

/**
 * Called when the main thread has grown the memory. Growing by 0 pages gives this thread a buffer of the full length.
 */
function lookAgain(memory: WebAssembly.Memory, bytes: number): void {
  if (memory.buffer.byteLength < bytes) memory.grow(0);
}
