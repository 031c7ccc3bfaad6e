// Renders tasks of the command in several warm processes.
import { availableParallelism } from 'node:os';
import { describeEnd } from '../../farm/pool/executor';
import { TaskPool } from '../../farm/pool/task-pool';
import type { Outcome as PoolOutcome } from '../../farm/pool/warm-worker';
import { EXIT } from '../errors';
import type { Limits } from '../options/batch-options';
import { TERMINATION_SIGNALS } from '../output-file';
import type { Task } from '../render/plan';
import type { RunnerOptions } from '../render/task-runner';
import type { TaskAnswer, TaskWork } from './messages';

/** What became of a task. */
export interface Outcome {
  readonly task: Task;
  readonly answer: TaskAnswer;
}

/** What renders the tasks. */
interface ProcessShape {
  /** That of the command. */
  readonly script: URL;
  /** Number of processes. */
  readonly size: number;
  readonly options: RunnerOptions;
  readonly limits: Limits | undefined;
}

/**
 * Renders all tasks, and yields what became of them in their order.
 * @param ended is called when a task has ended, in any order
 */
export async function* renderInProcesses(
  tasks: readonly Task[],
  { script, size, options, limits }: ProcessShape,
  ended: (task: Task) => void
): AsyncGenerator<Outcome> {
  const { timeoutMs, memoryBytes } = limits ?? {};
  const keepsCode = tasks.some(({ settings }) => settings.shaderCache);
  const pool = new TaskPool<TaskWork, TaskAnswer>({ script, size, isolation: 'process', keepsCode, memoryBytes });
  let isInterrupted = false;
  const interrupted = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    for (const other of TERMINATION_SIGNALS) process.off(other, interrupted);
    // The listener has been removed, so the signal ends the process as usual.
    void pool.close().then(() => process.kill(process.pid, signal));
  };
  for (const signal of TERMINATION_SIGNALS) process.once(signal, interrupted);
  const threads = Math.max(1, Math.floor(availableParallelism() / size));
  const run = async (task: Task): Promise<TaskAnswer> => {
    const settings = { ...task.settings, threads: task.settings.threads ?? threads };
    const outcome = await pool
      .run({ kind: 'task', task: { ...task, settings }, options }, { timeoutMs })
      .catch((error: unknown) => {
        // The signal is about to end this process, which has no more to say.
        if (isInterrupted) return new Promise<never>(() => undefined);
        throw error;
      });
    const answer = answerOf(outcome, limits);
    ended(task);
    return answer;
  };
  try {
    const answers = tasks.map(run);
    // A signal or the caller may end the pool, which rejects the others.
    for (const answer of answers) answer.catch(() => undefined);
    for (const [i, task] of tasks.entries()) yield { task, answer: await answers[i] };
  } finally {
    for (const signal of TERMINATION_SIGNALS) process.off(signal, interrupted);
    await pool.close();
  }
}

function answerOf(outcome: PoolOutcome<TaskAnswer>, limits: Limits | undefined): TaskAnswer {
  if ('answer' in outcome) return outcome.answer;
  if ('unsent' in outcome) throw outcome.unsent;
  const { ended, end } = outcome;
  if (ended === 'start') return failure(`No process could be started: it ${describeEnd(end)}.`);
  if (ended === 'timeout')
    return failure(`It took longer than ${limits!.timeoutMs! / 1000} s; raise --timeout, or make the picture smaller.`);
  if (ended === 'memory')
    return failure(
      `All processes together took more than ${limits!.memoryBytes! / 2 ** 20} MiB, most of them this model; `
        + 'raise --memory, or lower --parallel.'
    );
  // The system ends processes when memory is short.
  const exitCode = end.signal === null ? EXIT.bug : EXIT.device;
  return { failure: { exitCode, message: `The process that rendered it ${describeEnd(end)}.` } };
}

const failure = (message: string): TaskAnswer => ({ failure: { exitCode: EXIT.device, message } });
