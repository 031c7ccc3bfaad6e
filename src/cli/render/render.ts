// `rasterloom render`: renders models to picture files and reports about them.
import { CommandError, EXIT } from '../errors';
import { exitCodeOf, explain } from '../explain';
import type { JobsCommand, RenderCommand } from '../options/options';
import type { TaskAnswer } from '../parallel/messages';
import { renderInProcesses, type Outcome } from '../parallel/render-in-processes';
import { Progress, writeTextTo } from '../progress';
import { readJobs } from './jobs';
import { Mistakes } from './mistakes';
import { planTasks, type Task } from './plan';
import { describe, describePass, type RenderReport } from './report';
import { labelsOf, Sheet, writeSheet, type SheetReport } from '../sheet/sheet';
import type { RenderEnvironment } from './session';
import { TaskRunner, type KeptReport } from './task-runner';

/**
 * Renders and writes the pictures. With several models, a failure does not stop the others.
 * @returns the exit code
 * @throws CommandError or ModelError if the only model fails, or before anything has started
 */
export async function renderCommand(command: RenderCommand, environment: RenderEnvironment): Promise<number> {
  const tasks = await planTasks([{ command }], environment.stdout);
  return renderTasks(tasks, { ...command, isSeveral: tasks.length > 1 }, environment);
}

/**
 * Renders the jobs of a file.
 * @returns the exit code
 * @throws CommandError if a job is wrong; nothing has started then
 */
export async function jobsCommand(command: JobsCommand, environment: RenderEnvironment): Promise<number> {
  const { json = false, stats = false, quiet = false } = command.values;
  const mistakes = new Mistakes();
  const jobs = await readJobs(command, environment.stdin, mistakes);
  const tasks = await planTasks(jobs, environment.stdout, mistakes);
  const { batch } = command;
  return renderTasks(tasks, { json, stats, quiet, batch, output: tasks[0].output, isSeveral: true }, environment);
}

/** What is done with all models, and printed about them. */
interface Batch extends Pick<RenderCommand, 'json' | 'stats' | 'quiet' | 'output' | 'batch'> {
  /** Whether each model has its own line, and a failure is one of them. */
  isSeveral: boolean;
}

async function renderTasks(tasks: readonly Task[], batch: Batch, environment: RenderEnvironment): Promise<number> {
  const progress = new Progress(environment.stderr, tasks.length);
  const printer = new Printer(batch, environment, progress);
  const request = batch.batch.sheet;
  const sheet = request && new Sheet(request, tasks.flatMap(labelsOf));
  let cell = 0;
  const codes: number[] = [];
  try {
    for await (const { task, answer } of outcomesOf(tasks, batch, environment, progress)) {
      if ('failure' in answer) {
        codes.push(answer.failure.exitCode);
        printer.failed(task, answer.failure);
        for (let i = 0; i < task.pictures.length; i++) sheet?.fail(cell + i);
      } else {
        printer.done(answer.report);
        for (const [i, picture] of answer.cells.entries()) sheet?.add(cell + i, picture);
      }
      cell += task.pictures.length;
    }
  } finally {
    progress.end();
  }
  if (sheet && codes.length < tasks.length) printer.sheet(sheet.report(await writeSheet(sheet, environment.stdout)));
  printer.end(tasks.length, codes.length);
  if (codes.length < tasks.length) return codes.length > 0 ? EXIT.no : EXIT.done;
  // All failed: if for the same reason, the exit code says which.
  return new Set(codes).size === 1 ? codes[0] : EXIT.no;
}

/** Renders in this process or in several. @throws the error of a task that is the only one of the command */
function outcomesOf(
  tasks: readonly Task[],
  { batch, isSeveral }: Batch,
  environment: RenderEnvironment,
  progress: Progress
): AsyncGenerator<Outcome> {
  const { parallel, limits, resume, sheet } = batch;
  const options = { resume, cell: sheet?.cell };
  if (limits) checkFiles(tasks);
  else if (parallel === 1 || tasks.length === 1)
    return renderHere(tasks, isSeveral, new TaskRunner(environment, progress, options), progress);
  let count = 0;
  const shape = { script: environment.cliUrl, size: parallel, options, limits };
  return renderInProcesses(tasks, shape, ({ model = 'sample' }) => progress.begin(count++, model));
}

/** @throws CommandError if a task reads or writes a stream of this process */
function checkFiles(tasks: readonly Task[]): void {
  if (tasks.some(({ model, output }) => model === '-' || output === '-'))
    throw new CommandError(
      '--timeout and --memory render in processes of their own, which have no standard input and output; name files.'
    );
}

async function* renderHere(
  tasks: readonly Task[],
  isSeveral: boolean,
  runner: TaskRunner,
  progress: Progress
): AsyncGenerator<Outcome> {
  try {
    for (const [i, task] of tasks.entries()) {
      progress.begin(i, task.model ?? 'sample');
      let answer: TaskAnswer;
      try {
        answer = await runner.run(task);
      } catch (error) {
        if (!isSeveral) throw error;
        answer = { failure: { exitCode: exitCodeOf(error), message: explain(error) } };
      }
      yield { task, answer };
    }
  } finally {
    runner.close();
  }
}

/** A line of JSON, or with `indent` several. */
const textOf = (report: object, indent: number): string => [JSON.stringify(report, null, indent), ''].join('\n');

/** What was written. */
function writtenOf({ model, output, frames, files, kept }: RenderReport): string {
  if (output === '-') return 'the picture to standard output';
  if (kept > 0) return `${files - kept} of ${files} pictures of ${model}`;
  if (files > 1) return `${output} and ${files - 1} more`;
  return frames > 1 ? `${output}, ${frames} frames,` : output;
}

/** Prints what happened to each model. */
class Printer {
  readonly #batch: Batch;
  #keptCount = 0;
  readonly #progress: Progress;
  readonly #out: (text: string) => void;
  readonly #err: (text: string) => void;

  constructor(batch: Batch, { stdout, stderr }: RenderEnvironment, progress: Progress) {
    this.#batch = batch;
    this.#progress = progress;
    this.#err = writeTextTo(stderr);
    // If the picture goes to standard output, text goes to standard error.
    this.#out = batch.output === '-' ? this.#err : writeTextTo(stdout);
  }

  done(report: RenderReport | KeptReport): void {
    if (report.times === undefined) return this.#kept(report);
    const { json, stats, quiet, isSeveral, batch } = this.#batch;
    this.#progress.clear();
    if (!quiet) {
      const of = isSeveral ? `${report.model}: ` : '';
      for (const warning of report.warnings) this.#err(`rasterloom: ${of}${warning}\n`);
      if (report.files > 0) this.#err(`Wrote ${writtenOf(report)} in ${(report.times.total / 1000).toFixed(2)} s.\n`);
    }
    if (json) {
      this.#out(textOf(report, isSeveral || batch.sheet ? 0 : 2));
    } else {
      this.#out(describePass(report));
      if (stats) this.#out(describe(report));
    }
  }

  sheet(report: SheetReport): void {
    const { sheet, pictures } = report;
    this.#progress.clear();
    if (!this.#batch.quiet) this.#err(`Wrote ${sheet} with ${pictures} picture${pictures === 1 ? '' : 's'}.\n`);
    if (this.#batch.json) this.#out(textOf(report, 0));
  }

  #kept(report: KeptReport): void {
    const { output, files } = report;
    const { json, quiet, isSeveral, batch } = this.#batch;
    this.#keptCount++;
    this.#progress.clear();
    if (!quiet) this.#err(`Kept ${output}${files > 1 ? ` and ${files - 1} more` : ''}.\n`);
    if (json) this.#out(textOf(report, isSeveral || batch.sheet ? 0 : 2));
  }

  failed({ model = 'sample', output }: Task, { exitCode, message }: { exitCode: number; message: string }): void {
    this.#progress.clear();
    this.#err(`rasterloom: ${model}: ${message}\n`);
    if (this.#batch.json) this.#out(textOf({ model, output, error: { exitCode, message } }, 0));
  }

  end(tasks: number, failures: number): void {
    if (!this.#batch.isSeveral || this.#batch.quiet) return;
    const failed = failures > 0 ? `; ${failures} of ${tasks} models failed` : '';
    const drawn = tasks - failures - this.#keptCount;
    const kept = this.#keptCount > 0 ? `, kept ${this.#keptCount}` : '';
    this.#err(`Rendered ${drawn} model${drawn === 1 ? '' : 's'}${kept}${failed}.\n`);
  }
}
