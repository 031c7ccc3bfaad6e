// A warm worker: renders what the pool sends it, one after the other.
import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import type { Order, Report } from '../../farm/pool/messages';
import { killDescendants } from '../../farm/pool/process-tree';
import { exitCodeOf, explain } from '../explain';
import { keepTemporaryFiles, TERMINATION_SIGNALS } from '../output-file';
import { Progress } from '../progress';
import type { RenderEnvironment } from '../render/session';
import { TaskRunner } from '../render/task-runner';
import { openChannel, type Channel } from './channel';
import { GltfJobs } from './gltf-jobs';
import type { TaskAnswer, TaskWork, WorkerAnswer, WorkerWork } from './messages';
import { ModuleJobs } from './module-jobs';

/** Milliseconds for a module that hears of the end by its signal, before the process ends. */
const CANCEL_MS = 100;

/** Serves until the pool closes the channel, or cancels. */
export function serveTasks(environment: RenderEnvironment): void {
  // The pool ends this process, by the channel: Ctrl+C and the end of a service reach all processes, and the pool may
  // let jobs finish.
  for (const signal of TERMINATION_SIGNALS) process.on(signal, () => undefined);
  new Server(environment, openChannel()).start();
}

class Server {
  readonly #channel: Channel;
  readonly #environment: RenderEnvironment;
  readonly #progress = new Progress({ isTTY: false, write: () => true });
  readonly #temporaryFiles = new Set<string>();
  readonly #gltfJobs: GltfJobs;
  readonly #moduleJobs: ModuleJobs;
  #runner: TaskRunner | undefined;
  /** Aborts what is being done. */
  #current: AbortController | undefined;

  constructor(environment: RenderEnvironment, channel: Channel) {
    this.#environment = environment;
    this.#channel = channel;
    this.#gltfJobs = new GltfJobs(environment, this.#progress);
    this.#moduleJobs = new ModuleJobs(environment);
  }

  start(): void {
    keepTemporaryFiles((path, isOpen) => {
      if (isOpen) this.#temporaryFiles.add(path);
      else this.#temporaryFiles.delete(path);
      this.#report({ temporary: path, isOpen });
    });
    this.#channel.onMessage((message) => {
      const order = message as Order<WorkerWork>;
      if ('cancel' in order) this.#end();
      else void this.#do(order.work);
    });
    this.#channel.onClose(() => this.#end());
    this.#report({ ready: true });
  }

  async #do(work: WorkerWork): Promise<void> {
    this.#current = new AbortController();
    const { signal } = this.#current;
    const answer =
      work.kind === 'task'
        ? await this.#runTask(work)
        : work.kind === 'gltf'
          ? await this.#gltfJobs.run(work)
          : await this.#moduleJobs.run(work, signal);
    this.#current = undefined;
    this.#report({ answer, residentBytes: process.memoryUsage.rss() });
  }

  #runTask({ task, options }: TaskWork): Promise<TaskAnswer> {
    this.#runner ??= new TaskRunner(this.#environment, this.#progress, options);
    return this.#runner
      .run(task)
      .catch((error: unknown) => ({ failure: { exitCode: exitCodeOf(error), message: explain(error) } }));
  }

  #report(report: Report<WorkerAnswer>): void {
    this.#channel.send(report);
  }

  /** Ends the process or thread. What it is doing would be lost. */
  #end(): void {
    this.#channel.close();
    if (!this.#current) {
      this.#runner?.close();
      this.#gltfJobs.close();
      this.#moduleJobs.close();
      // Something that a module has left open does not keep it running.
      setTimeout(() => process.exit(), CANCEL_MS).unref();
      return;
    }
    const exit = (): void => {
      // Those that a module has started. A thread shares them with others.
      if (isMainThread) killDescendants(process.pid);
      for (const path of this.#temporaryFiles) rmSync(path, { force: true });
      process.exit();
    };
    this.#current.abort();
    if (this.#moduleJobs.isBusy) setTimeout(exit, CANCEL_MS);
    else exit();
  }
}
