// What the process of a command and those that it starts tell each other.
import type { Task } from '../render/plan';
import type { RunnerOptions, TaskResult } from '../render/task-runner';

/** Argument of a process that renders tasks for another one. */
export const WORKER_ARGUMENT = 'render-worker';

/** To a worker process: what to render. */
export interface Order {
  readonly task: Task;
  readonly options: RunnerOptions;
}

/** From a worker process. */
export type Answer = TaskResult | { readonly failure: { readonly exitCode: number; readonly message: string } };
