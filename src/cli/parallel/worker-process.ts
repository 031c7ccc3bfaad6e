// A process that renders the tasks that another one sends it.
import { exitCodeOf, explain } from '../explain';
import { Progress } from '../progress';
import type { RenderEnvironment } from '../render/session';
import { TaskRunner } from '../render/task-runner';
import type { Answer, Order } from './messages';

/** Serves until the other process closes the channel, or ends. */
export function serveTasks(environment: RenderEnvironment): void {
  const progress = new Progress({ isTTY: false, write: () => true });
  let runner: TaskRunner | undefined;
  let isBusy = false;
  process.on('message', ({ task, options }: Order) => {
    isBusy = true;
    runner ??= new TaskRunner(environment, progress, options);
    void runner
      .run(task)
      .then(
        (result): Answer => result,
        (error: unknown): Answer => ({ failure: { exitCode: exitCodeOf(error), message: explain(error) } })
      )
      .then((answer) => {
        isBusy = false;
        process.send?.(answer);
      });
  });
  process.on('disconnect', () => {
    // The report of what is being drawn would be lost. The signal also removes a file that is not complete.
    if (isBusy) process.kill(process.pid, 'SIGTERM');
    else runner?.close();
  });
}
