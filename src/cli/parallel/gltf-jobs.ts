// glTF jobs of the farm: a job is planned as the command plans one, and rendered by the same runner.
import type { JobAnswer, JobWork } from '../../farm/jobs';
import { CommandError } from '../errors';
import type { Progress } from '../progress';
import type { RenderValues } from '../options/options';
import { SHEET_OPTIONS } from '../options/sheet-options';
import { readJob } from '../render/jobs';
import { planTasks, type Task } from '../render/plan';
import type { RenderReport } from '../render/report';
import type { RenderEnvironment } from '../render/session';
import { TaskRunner } from '../render/task-runner';
import { hashOf, type Resumed } from '../resume/resume';
import { assemble } from './assemble';
import { failureFor } from './failure';
import { Stopwatch } from './stopwatch';

const SHEET_NAMES = Object.keys(SHEET_OPTIONS) as (keyof typeof SHEET_OPTIONS)[];

type GltfWork = Extract<JobWork, { kind: 'gltf' }>;

export class GltfJobs {
  readonly #environment: RenderEnvironment;
  readonly #progress: Progress;
  #runner: TaskRunner | undefined;

  constructor(environment: RenderEnvironment, progress: Progress) {
    this.#environment = environment;
    this.#progress = progress;
  }

  async run({ job, share, frames }: GltfWork): Promise<JobAnswer> {
    const stopwatch = new Stopwatch();
    try {
      const sheet = frames === undefined ? {} : sheetOf(job);
      const task = await planJob(job, sheet, share, this.#environment);
      const hashes: string[] = [];
      const observer: Resumed = {
        kept: new Set(),
        watch: (read) => read,
        written: (_, hash) => {
          hashes.push(hash);
          return Promise.resolve();
        },
      };
      if (frames) {
        const bytes = await assemble(task, frames, this.#environment.stdout, observer);
        return { sha256: hashes.join(), bytes, output: task.output, stats: stopwatch.stats() };
      }
      this.#runner ??= this.#createRunner(share.memoryBytes);
      const { report } = await this.#runner.run(task, observer);
      const { times, warnings, pngBytes } = report as RenderReport;
      const { total: _, ...phases } = times;
      return {
        sha256: hashes.length === 1 ? hashes[0] : hashOf(hashes.sort().join('\n')),
        bytes: pngBytes,
        output: task.output,
        stats: { ...stopwatch.stats(), phases, warnings },
      };
    } catch (error) {
      return failureFor(error, job['allow-network'] === true);
    }
  }

  close(): void {
    this.#runner?.close();
  }

  /** @param memoryBudget of devices, in bytes */
  #createRunner(memoryBudget: number): TaskRunner {
    const { createGPU } = this.#environment;
    // The object of the command has a getter for standard input, which is kept.
    const environment = Object.create(this.#environment, {
      createGPU: { value: (options: Parameters<typeof createGPU>[0]) => createGPU({ ...options, memoryBudget }) },
    }) as RenderEnvironment;
    return new TaskRunner(environment, this.#progress, { resume: false, cell: undefined });
  }
}

/** Options of a sheet, which only a job has that is put together of frames. */
function sheetOf(job: GltfWork['job']): RenderValues {
  const found = SHEET_NAMES.filter((name) => job[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, String(job[name])]));
}

/** @param sheet options of the sheet @throws CommandError */
async function planJob(
  { id: _, ...options }: GltfWork['job'],
  sheet: RenderValues,
  { threads, memoryBytes }: GltfWork['share'],
  { stdout }: RenderEnvironment
): Promise<Task> {
  const job: Record<string, unknown> = { ...options };
  for (const name of Object.keys(sheet)) delete job[name];
  if (job.output === undefined && sheet.sheet === undefined)
    throw new CommandError('"output" is missing, the path of the picture.');
  if (job.input === '-' || job.output === '-')
    throw new CommandError('A job of the farm reads and writes files, not standard input or standard output.');
  const command = readJob(job, sheet, true);
  command.threads ??= threads;
  command.modelBytes = Math.min(command.modelBytes ?? memoryBytes, memoryBytes);
  const tasks = await planTasks([{ command }], stdout);
  if (tasks.length !== 1) throw new CommandError(`A job of the farm renders one model, not ${tasks.length}.`);
  return tasks[0];
}
