// A pool of processes that run cases. A process that hangs or crashes fails its current case and is replaced.
import { fork } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url));
/** A process that uses more memory than this is replaced when it is idle. */
const MAX_BYTES = 3 * 2 ** 30;
/** Maximum milliseconds for starting a process, and for loading a case. */
const LOADING_MS = 120_000;
/** Number of characters kept of a process's last output. */
const LAST_WORDS = 1500;

class Runner {
  #child;
  #left = [];
  #current;
  #words = '';
  #bytes = 0;
  #timer;
  #timedOut = false;
  #opened = false;

  constructor(run, pool) {
    this.run = run;
    this.pool = pool;
  }

  /** Takes the next test. Starts a process if there is none. */
  next() {
    const queries = this.pool.take();
    if (this.#bytes > MAX_BYTES || !queries) this.#end();
    if (!queries) return this.pool.finished();
    this.#send(queries);
  }

  #send(queries) {
    this.#left = queries;
    this.#child ??= this.#fork();
    this.#watch(LOADING_MS);
    this.#child.send({ run: this.run, queries });
  }

  #fork() {
    const child = fork(WORKER, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#words = '';
    this.#opened = false;
    child.stderr.on('data', (text) => {
      this.#words = (this.#words + text).slice(-LAST_WORDS);
    });
    child.on('message', (message) => {
      if (child === this.#child) this.#heard(message);
    });
    child.on('close', (code, signal) => {
      if (child === this.#child) this.#died(signal ?? `exit code ${code}`);
    });
    return child;
  }

  #end() {
    const child = this.#child;
    this.#child = undefined;
    this.#bytes = 0;
    clearTimeout(this.#timer);
    child?.kill('SIGKILL');
  }

  #watch(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#child.kill('SIGKILL');
    }, ms);
  }

  #heard({ started, ended, idle, bytes, ...result }) {
    if (started) {
      this.#opened = true;
      this.#current = started;
      this.#watch(this.run.timeoutMs);
    } else if (ended) {
      this.#current = undefined;
      this.#bytes = bytes;
      this.#left = this.#left.filter((query) => query !== ended);
      this.#watch(LOADING_MS);
      this.pool.ended(ended, result);
    } else if (idle) {
      clearTimeout(this.#timer);
      this.next();
    }
  }

  /** Fails the case that was running, or the next one if the process died before it started a case. */
  #died(how) {
    clearTimeout(this.#timer);
    if (!this.#opened && !this.#timedOut)
      return this.pool.broken(`a process ended before it could start a case (${how}): ${this.#words}`);
    const query = this.#current ?? this.#left[0];
    const timedOut = this.#timedOut;
    this.#child = this.#current = undefined;
    this.#timedOut = false;
    this.#bytes = 0;
    this.pool.ended(query, {
      status: timedOut ? 'timeout' : 'crash',
      ms: timedOut ? this.run.timeoutMs : 0,
      log: timedOut ? `no answer within ${this.run.timeoutMs} ms` : `the process ended (${how}): ${this.#words}`,
    });
    const left = this.#left.filter((other) => other !== query);
    if (left.length) this.#send(left);
    else this.next();
  }
}

/**
 * Runs `tests` (arrays of queries of one test each) in `processes` processes. `run` has the settings: `folder`,
 * `implementation`, `options`, `timeoutMs`. `onEnded` gets each query and its result.
 */
export function runTests(tests, { processes, run, onEnded }) {
  const queue = [...tests];
  return new Promise((resolve, reject) => {
    let running = Math.min(processes, queue.length);
    if (running === 0) resolve();
    const pool = {
      take: () => queue.shift(),
      ended: onEnded,
      broken: (reason) => reject(new Error(reason)),
      finished: () => {
        if (--running === 0) resolve();
      },
    };
    for (const runner of Array.from({ length: running }, () => new Runner(run, pool))) runner.next();
  });
}
