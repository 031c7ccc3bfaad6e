// A worker's side: it is given a device, and serves it until its thread is ended.
import { clockMs } from '../base/clock';
import { JOB_ABORT } from '../../assembly/layout/job-codes';
import { Job } from '../../build/layout';
import { instantiateKernel, oracleKernel, type KernelHost } from '../kernels';
import { Executor } from './executor';
import { JobView } from './job-view';
import { ModuleCopies } from './modules';
import { ProgressClock } from './progress-clock';
import { SPAN_MODULES, TraceRing } from './trace';

/** What a worker is given. */
export interface WorkerOrder {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the JOB record, and Job.sequence as it is now. */
  readonly job: number;
  readonly sequence: number;
  /** Job.team as it is now: when it changes, the device has other workers. */
  readonly team: number;
  /** Which EXECUTOR record is its own. */
  readonly index: number;
  /** The testing build's oracle. */
  readonly oracle: boolean;
  /** What it does is written to this TraceRing; null: nobody wants to know. */
  readonly trace: ArrayBufferLike | null;
}
/**
 * `ready`: it waits for jobs. `done`: it was the last one to leave the job of that Job.sequence, for which the main
 * thread does not block. `soon`: that job is done in SOON_MS. `late`: tiles wait for pages (Job.late).
 */
export type WorkerReport = { readonly kind: 'done'; readonly sequence: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'soon'; readonly sequence: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'threw'; readonly message: string };

/** Does the device's jobs until that has other workers: before, the thread's event loop has no further turn. */
export function serve(order: WorkerOrder, say: (report: WorkerReport) => void): void {
  const { memory, job, index } = order;
  const words = new Int32Array(memory.buffer, job, Job.bytes / 4);
  const clock = new ProgressClock();
  const host: KernelHost = {
    // Nor does a job that was given up go on, nor a program on zeros in place of what is not there.
    timeExpired: () => (
      clock.expired && !executor.mayGoOn() || executor.givesUp || Atomics.load(words, Job.status >>> 2) !== 0 ? 1 : 0
    ),
    now: clockMs,
  };
  /** Once a job, whoever comes to it first. */
  const soon = (): void => {
    const sequence = Atomics.load(words, Job.sequence >>> 2);
    if (Atomics.exchange(words, Job.soon >>> 2, sequence) !== sequence) say({ kind: 'soon', sequence });
  };
  const kernel = instantiateKernel(order.module, memory, host);
  const { exports } = order.oracle ? oracleKernel(kernel) : kernel;
  let sequence = order.sequence;
  const leave = (): void => {
    if (Atomics.sub(words, Job.left >>> 2, 1) !== 1) return;
    // A main thread that blocks until then needs no message, which would delay what it does next.
    const isAwaited = Atomics.notify(words, Job.left >>> 2) > 0;
    if (!isAwaited || Atomics.load(words, Job.status >>> 2) === JOB_ABORT) say({ kind: 'done', sequence });
  };
  const view = new JobView(memory, job, index);
  const executor: Executor = new Executor({
    exports, job: view, startClock: (ms) => clock.start(ms), late: () => say({ kind: 'late' }), soon, leave,
  });
  const trace = view.trace = order.trace && new TraceRing(order.trace);
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
      // The others leave at their next look.
      Atomics.store(words, Job.status >>> 2, JOB_ABORT);
      Atomics.notify(words, Job.bell >>> 2);
      say({ kind: 'threw', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    if (!executor.isAway) leave();
  }
}

/**
 * Sleeps at once: where there are as many workers as cores, one that looks for the next job for a while keeps the
 * calling thread from preparing it (4 % of a histogram of 4 million words), and no sequence of passes gained by it.
 */
function nextSequence(words: Int32Array, seen: number): number {
  for (;;) {
    const now = Atomics.load(words, Job.sequence >>> 2);
    if (now !== seen) return now;
    Atomics.wait(words, Job.sequence >>> 2, seen);
  }
}

/** The main thread has grown the memory: growing by nothing gives a view of all of it. */
function lookAgain(memory: WebAssembly.Memory, bytes: number): void {
  if (memory.buffer.byteLength < bytes) memory.grow(0);
}
