// `rasterloom render`: renders models to picture files and reports about them.
import { EXIT } from '../errors';
import { exitCodeOf, explain } from '../explain';
import type { RenderCommand } from '../options/options';
import { Progress, writeTextTo } from '../progress';
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
  const tasks = await planTasks(command, environment.stdout);
  const progress = new Progress(environment.stderr, tasks.length);
  const session = new Session(environment);
  const printer = new Printer(command, environment, progress, tasks.length > 1);
  const failures: unknown[] = [];
  try {
    for (const [i, task] of tasks.entries()) {
      progress.begin(i, task.model ?? 'sample');
      try {
        printer.done(await new Rendering(task, session, progress).run());
      } catch (error) {
        if (tasks.length === 1) throw error;
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

/** Prints what happened to each model. */
class Printer {
  readonly #command: RenderCommand;
  readonly #progress: Progress;
  readonly #out: (text: string) => void;
  readonly #err: (text: string) => void;
  readonly #isSeveral: boolean;

  constructor(command: RenderCommand, { stdout, stderr }: RenderEnvironment, progress: Progress, isSeveral: boolean) {
    this.#command = command;
    this.#progress = progress;
    this.#err = writeTextTo(stderr);
    // If the picture goes to standard output, text goes to standard error.
    this.#out = command.output === '-' ? this.#err : writeTextTo(stdout);
    this.#isSeveral = isSeveral;
  }

  done(report: RenderReport): void {
    const { json, stats, quiet } = this.#command;
    this.#progress.clear();
    if (!quiet) {
      const of = this.#isSeveral ? `${report.model}: ` : '';
      for (const warning of report.warnings) this.#err(`rasterloom: ${of}${warning}\n`);
      const written =
        report.output === '-'
          ? 'the picture to standard output'
          : report.output + (report.frames > 1 ? ` and ${report.frames - 1} more` : '');
      this.#err(`Wrote ${written} in ${(report.times.total / 1000).toFixed(2)} s.\n`);
    }
    if (json) {
      this.#out(textOf(report, this.#isSeveral ? 0 : 2));
    } else {
      this.#out(describePass(report));
      if (stats) this.#out(describe(report));
    }
  }

  failed({ model, output }: Task, error: unknown): void {
    const message = explain(error);
    this.#progress.clear();
    this.#err(`rasterloom: ${model}: ${message}\n`);
    if (this.#command.json) this.#out(textOf({ model, output, error: { exitCode: exitCodeOf(error), message } }, 0));
  }

  end(tasks: number, failures: number): void {
    if (!this.#isSeveral || this.#command.quiet) return;
    const failed = failures > 0 ? `; ${failures} of ${tasks} models failed` : '';
    this.#err(`Rendered ${tasks - failures} models${failed}.\n`);
  }
}
