// Renders tasks in several processes, which take them from one queue.
import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../errors';
import { TERMINATION_SIGNALS } from '../output-file';
import type { Task } from '../render/plan';
import type { RunnerOptions } from '../render/task-runner';
import { WORKER_ARGUMENT, type Answer, type Order } from './messages';

/** Time in milliseconds that processes have to end after a signal. */
const GRACE_MS = 5000;

/** What became of a task. */
export interface Outcome {
  readonly task: Task;
  readonly answer: Answer;
}

export class ProcessPool {
  readonly #script: string;
  readonly #count: number;
  readonly #options: RunnerOptions;
  readonly #children = new Set<ChildProcess>();

  /** @param script of the command */
  constructor(script: URL, count: number, options: RunnerOptions) {
    this.#script = fileURLToPath(script);
    this.#count = count;
    this.#options = options;
  }

  /**
   * Renders all tasks, and yields what became of them in their order.
   * @param ended is called when a task has ended, in any order
   */
  async *run(tasks: readonly Task[], ended: (task: Task, answer: Answer) => void): AsyncGenerator<Outcome> {
    for (const signal of TERMINATION_SIGNALS) process.once(signal, this.#interrupted);
    const answers = tasks.map(() => withResolver<Answer>());
    let next = 0;
    const work = async (): Promise<void> => {
      let child: ChildProcess | undefined;
      while (next < tasks.length) {
        const i = next++;
        child ??= this.#start();
        const answer = await ask(child, { task: this.#shareOf(tasks[i]), options: this.#options });
        // A process that has ended is replaced, so that the other tasks are rendered all the same.
        if (!child.connected) child = undefined;
        ended(tasks[i], answer);
        answers[i].resolve(answer);
      }
      if (child?.connected) child.disconnect();
    };
    const workers = Promise.all(Array.from({ length: Math.min(this.#count, tasks.length) }, work));
    try {
      for (const [i, task] of tasks.entries()) yield { task, answer: await answers[i].promise };
      await workers;
    } finally {
      for (const signal of TERMINATION_SIGNALS) process.off(signal, this.#interrupted);
      for (const child of this.#children) if (child.connected) child.disconnect();
    }
  }

  /** A task with the threads of one process. */
  #shareOf(task: Task): Task {
    const { settings } = task;
    const threads = settings.threads ?? threadsOf(this.#count);
    return { ...task, settings: { ...settings, threads } };
  }

  #start(): ChildProcess {
    const child = fork(this.#script, [WORKER_ARGUMENT], {
      serialization: 'advanced',
      stdio: ['inherit', 'ignore', 'inherit', 'ipc'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Ends all processes before this one. */
  readonly #interrupted = (signal: NodeJS.Signals): void => {
    for (const other of TERMINATION_SIGNALS) process.off(other, this.#interrupted);
    const children = [...this.#children];
    const gone = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGTERM');
    const late = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), GRACE_MS);
    void Promise.all(gone).then(() => {
      clearTimeout(late);
      // The listener has been removed, so the signal ends the process as usual.
      process.kill(process.pid, signal);
    });
  };
}

/** A promise with the function that fulfils it. (Promise.withResolvers exists from Node 22 on.) */
function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** Threads of each of several processes. */
const threadsOf = (processes: number): number => Math.max(1, Math.floor(availableParallelism() / processes));

/** Lets a process render a task. A process that ends meanwhile is a failure. */
function ask(child: ChildProcess, order: Order): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      child.off('message', answered);
      child.off('exit', exited);
      child.off('error', failed);
      resolve(answer);
    };
    const answered = (answer: Answer): void => settle(answer);
    const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
      // The system ends processes when memory is short.
      settle({
        failure:
          signal === null
            ? { exitCode: EXIT.bug, message: `The process that rendered it has ended with code ${code}.` }
            : { exitCode: EXIT.device, message: `The process that rendered it was ended by ${signal}.` },
      });
    };
    const failed = (error: Error): void => {
      if (child.connected) child.disconnect();
      settle({ failure: { exitCode: EXIT.device, message: `No process could be started: ${error.message}.` } });
    };
    child.on('message', answered);
    child.on('exit', exited);
    child.on('error', failed);
    child.send(order, (error) => {
      if (error) failed(error);
    });
  });
}
