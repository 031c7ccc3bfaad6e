// Renders tasks one after the other on one device: in the process of the command, or in one of several.
import type { Progress } from '../progress';
import { Resume } from '../resume/resume';
import { filesOf, type Task } from './plan';
import { Rendering } from './rendering';
import type { RenderReport } from './report';
import { Session, type RenderEnvironment } from './session';

/** What is reported about a model of which all files were kept. */
export interface KeptReport extends Pick<RenderReport, 'model' | 'output' | 'frames' | 'files' | 'kept'> {
  times?: undefined;
}

/** What holds for all tasks. */
export interface RunnerOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  readonly resume: boolean;
}

export class TaskRunner {
  readonly #session: Session;
  readonly #progress: Progress;
  readonly #resume: Resume | undefined;

  constructor(environment: RenderEnvironment, progress: Progress, { resume }: RunnerOptions) {
    this.#session = new Session(environment);
    this.#progress = progress;
    this.#resume = resume ? new Resume(environment.version, environment.sampleUrl) : undefined;
  }

  /** @throws CommandError or ModelError */
  async run(task: Task): Promise<RenderReport | KeptReport> {
    const resumed = await this.#resume?.of(task);
    const files = filesOf(task).length;
    if (resumed?.kept.size === files) {
      const { model = 'sample', output, pictures } = task;
      return { model, output, frames: pictures.length, files, kept: files };
    }
    return new Rendering(task, this.#session, this.#progress, resumed).run();
  }

  /** Ends threads, and destroys the device. */
  close(): void {
    this.#session.close();
  }
}
