// `rasterloom render`: renders models to picture files and reports about them.
import { EXIT } from '../errors';
import { exitCodeOf, explain } from '../explain';
import type { JobsCommand, RenderCommand } from '../options/options';
import { Progress, writeTextTo } from '../progress';
import { readJobs } from './jobs';
import { Mistakes } from './mistakes';
import { planTasks, type Task } from './plan';
import { Rendering } from './rendering';
import { describe, describePass, type RenderReport } from './report';
import { Session, type RenderEnvironment } from './session';

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
  return renderTasks(tasks, { json, stats, quiet, output: tasks[0].output, isSeveral: true }, environment);
}

/** What is printed about the models. */
interface Reporting extends Pick<RenderCommand, 'json' | 'stats' | 'quiet' | 'output'> {
  /** Whether each model has its own line, and a failure is one of them. */
  isSeveral: boolean;
}

async function renderTasks(
  tasks: readonly Task[],
  reporting: Reporting,
  environment: RenderEnvironment
): Promise<number> {
  const progress = new Progress(environment.stderr, tasks.length);
  const session = new Session(environment);
  const printer = new Printer(reporting, environment, progress);
  const failures: unknown[] = [];
  try {
    for (const [i, task] of tasks.entries()) {
      progress.begin(i, task.model ?? 'sample');
      try {
        printer.done(await new Rendering(task, session, progress).run());
      } catch (error) {
        if (!reporting.isSeveral) throw error;
        failures.push(error);
        printer.failed(task, error);
      }
    }
  } finally {
    progress.end();
    session.close();
  }
  printer.end(tasks.length, failures.length);
  if (failures.length < tasks.length) return failures.length > 0 ? EXIT.no : EXIT.done;
  // All failed: if for the same reason, the exit code says which.
  const codes = new Set(failures.map(exitCodeOf));
  return codes.size === 1 ? [...codes][0] : EXIT.no;
}

/** A line of JSON, or with `indent` several. */
const textOf = (report: object, indent: number): string => [JSON.stringify(report, null, indent), ''].join('\n');

/** What was written beside the first file, or into it. */
function moreOf({ frames, files }: RenderReport): string {
  if (files > 1) return ` and ${files - 1} more`;
  return frames > 1 ? `, ${frames} frames,` : '';
}

/** Prints what happened to each model. */
class Printer {
  readonly #reporting: Reporting;
  readonly #progress: Progress;
  readonly #out: (text: string) => void;
  readonly #err: (text: string) => void;

  constructor(reporting: Reporting, { stdout, stderr }: RenderEnvironment, progress: Progress) {
    this.#reporting = reporting;
    this.#progress = progress;
    this.#err = writeTextTo(stderr);
    // If the picture goes to standard output, text goes to standard error.
    this.#out = reporting.output === '-' ? this.#err : writeTextTo(stdout);
  }

  done(report: RenderReport): void {
    const { json, stats, quiet, isSeveral } = this.#reporting;
    this.#progress.clear();
    if (!quiet) {
      const of = isSeveral ? `${report.model}: ` : '';
      for (const warning of report.warnings) this.#err(`rasterloom: ${of}${warning}\n`);
      const written = report.output === '-' ? 'the picture to standard output' : report.output + moreOf(report);
      this.#err(`Wrote ${written} in ${(report.times.total / 1000).toFixed(2)} s.\n`);
    }
    if (json) {
      this.#out(textOf(report, isSeveral ? 0 : 2));
    } else {
      this.#out(describePass(report));
      if (stats) this.#out(describe(report));
    }
  }

  failed({ model, output }: Task, error: unknown): void {
    const message = explain(error);
    this.#progress.clear();
    this.#err(`rasterloom: ${model ?? 'sample'}: ${message}\n`);
    if (this.#reporting.json)
      this.#out(textOf({ model: model ?? 'sample', output, error: { exitCode: exitCodeOf(error), message } }, 0));
  }

  end(tasks: number, failures: number): void {
    if (!this.#reporting.isSeveral || this.#reporting.quiet) return;
    const failed = failures > 0 ? `; ${failures} of ${tasks} models failed` : '';
    this.#err(`Rendered ${tasks - failures} model${tasks - failures === 1 ? '' : 's'}${failed}.\n`);
  }
}
