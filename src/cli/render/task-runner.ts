// Renders tasks one after the other on one device: in the process of the command, or in one of several.
import type { PassPicture } from '../../gltf/passes/kinds';
import type { Progress } from '../progress';
import { Resume, type Resumed } from '../resume/resume';
import { fitInto, type Pixels } from '../sheet/fit';
import { filesOf, type Task } from './plan';
import { Rendering } from './rendering';
import type { RenderReport } from './report';
import { Session, type RenderEnvironment } from './session';

/** What is reported about a model whose files were all kept. */
export interface KeptReport extends Pick<RenderReport, 'model' | 'output' | 'frames' | 'files' | 'kept'> {
  times?: undefined;
}

/** What holds for all tasks. */
export interface RunnerOptions {
  /** Whether outputs whose inputs and options have not changed are kept. */
  readonly resume: boolean;
  /** Size of the pictures for a sheet; undefined: there is none. */
  readonly cell: { readonly width: number; readonly height: number } | undefined;
}

/** What a task gives. */
export interface TaskResult {
  readonly report: RenderReport | KeptReport;
  /** The pictures, made smaller for a sheet. */
  readonly cells: readonly Pixels[];
}

export class TaskRunner {
  readonly #session: Session;
  readonly #progress: Progress;
  readonly #resume: Resume | undefined;
  readonly #cell: RunnerOptions['cell'];

  constructor(environment: RenderEnvironment, progress: Progress, { resume, cell }: RunnerOptions) {
    this.#cell = cell;
    this.#session = new Session(environment);
    this.#progress = progress;
    this.#resume = resume ? new Resume(environment.version, environment.sampleUrl) : undefined;
  }

  /**
   * @param observer is told of the files that are read and written; by default, what --resume needs
   * @throws CommandError or ModelError
   */
  async run(task: Task, observer?: Resumed): Promise<TaskResult> {
    const resumed = observer ?? (await this.#resume?.of(task));
    const files = filesOf(task).length;
    if (resumed && resumed.kept.size === files) {
      const { model = 'sample', output, pictures } = task;
      return { report: { model, output, frames: pictures.length, files, kept: files }, cells: [] };
    }
    const cell = this.#cell;
    const cells: Pixels[] = [];
    const shown = ({ width, height, pixels }: PassPicture): void => {
      // A sheet is of colours with 8 bits (options/sheet-options.ts).
      cells.push(fitInto({ width, height, pixels: pixels as Uint8Array }, cell!));
    };
    const rendering = new Rendering(task, this.#session, this.#progress, resumed);
    return { report: await rendering.run(cell && shown), cells };
  }

  /** Ends threads, and destroys the device. */
  close(): void {
    this.#session.close();
  }
}
