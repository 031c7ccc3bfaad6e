// What the process of a command and those that it starts tell each other.
import type { JobAnswer, JobWork } from '../../farm/jobs';
import type { Task } from '../render/plan';
import type { RunnerOptions, TaskResult } from '../render/task-runner';

/** A task of the command, which has been planned by the process that starts others. */
export interface TaskWork {
  readonly kind: 'task';
  readonly task: Task;
  readonly options: RunnerOptions;
}

/** What became of a task. */
export type TaskAnswer = TaskResult | { readonly failure: { readonly exitCode: number; readonly message: string } };

/** What a warm worker does, and what it answers. */
export type WorkerWork = TaskWork | JobWork;
export type WorkerAnswer = TaskAnswer | JobAnswer;
