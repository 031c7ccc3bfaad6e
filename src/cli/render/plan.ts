// What a command renders: a list of models with their outputs, which is checked before anything starts.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import type { RenderCommand, RenderSettings } from '../options/options';
import { checkOutput } from '../output-file';
import type { Terminal } from '../progress';
import { AVIF_PACKAGE } from '../../gltf/images/codecs';
import { hasAvif } from '../../node/models/encoders';
import { isAvif } from '../options/pass-options';
import { frameAt, framesOf } from './frames';
import type { Request } from './jobs';
import { Mistakes } from './mistakes';
import { listModels } from './inputs';
import { fillPattern, identityOf, nameOf, type NameValues } from './names';

/** A model to render. */
export interface Task {
  settings: RenderSettings;
  /** Path of the model, or `-` for standard input; undefined renders the bundled sample. */
  model: string | undefined;
  /** Path of the first picture, or `-` for standard output. */
  output: string;
  /** File and line of the job that it is. */
  place: string | undefined;
  /** Passes of the first frame, then of the others. */
  pictures: PlannedPicture[];
}

/** A pass of a frame. */
export interface PlannedPicture {
  output: string;
  frame: number;
  settings: RenderSettings;
  /** Settings of the next frame, for motion. */
  next: RenderSettings;
}

/** Most pictures of a command. */
const MAX_PICTURES = 1_000_000;

/**
 * @param requests what the command line says, or each job
 * @param mistakes of jobs
 * @throws CommandError if the outputs cannot be written, or if two would have the same name
 */
export async function planTasks(
  requests: readonly Request[],
  stdout: Terminal,
  mistakes = new Mistakes()
): Promise<Task[]> {
  const tasks: Task[] = [];
  let count = 0;
  for (const { command, place } of requests) {
    const models = await mistakes.of<(string | undefined)[]>(place, () =>
      command.models.length > 0 ? listModels(command.models) : [undefined]
    );
    for (const model of models ?? []) {
      count += (command.frames?.count ?? 1) * command.passes.length;
      if (count > MAX_PICTURES)
        throw new CommandError(`A command draws at most ${MAX_PICTURES} pictures; divide it into several.`);
      const task = await mistakes.of(place, () => planTask(command, model, tasks.length + 1, place));
      if (task) tasks.push(task);
    }
  }
  if (tasks.filter(({ model }) => model === '-').length > 1)
    throw new CommandError('Standard input can only be one of the models.');
  if (tasks.length > 1 && tasks.some(({ output }) => output === '-'))
    throw new CommandError(
      `Standard output takes one picture, not ${tasks.length}; name files, as in -o 'out/{name}.png'.`
    );
  if (requests[0]?.command.batch.resume && tasks.some(({ model, output }) => model === '-' || output === '-'))
    throw new CommandError('--resume needs files, not standard input or standard output.');
  checkTraces(tasks);
  const { sheet } = requests[0]?.command.batch ?? {};
  checkDistinct(tasks, sheet?.file);
  if (sheet) await checkOutput(sheet.file, stdout, 'sheet');
  for (const task of tasks) await mistakes.of(task.place, () => checkOutputs(task, stdout));
  mistakes.check();
  return tasks;
}

async function checkOutputs(task: Task, stdout: Terminal): Promise<void> {
  const { settings } = task;
  for (const output of filesOf(task)) {
    if (isAvif(output) && !hasAvif())
      throw new CommandError(
        `The picture ${quoted(output)} needs the package ${AVIF_PACKAGE}; install it by npm install ${AVIF_PACKAGE}.`
      );
    await checkOutput(output, stdout);
  }
  if (settings.trace !== undefined) await checkOutput(settings.trace, stdout, 'trace');
}

/** @param n number of the model, from 1 */
function planTask(command: RenderCommand, model: string | undefined, n: number, place: string | undefined): Task {
  const { first = 0, last = 0 } = command.frames ?? {};
  const pictures = framesOf(command).flatMap((of, frame) =>
    (frame < first || frame > last ? [] : command.passes).map((pass): PlannedPicture => {
      const settings = { ...of, pass };
      const values = { ...valuesOf(settings, model, n), frame };
      const output = outputOf(command, values);
      return { output, frame, settings, next: frameAt(command, frame + 1) };
    })
  );
  return { settings: command, model, output: pictures[0].output, pictures, place };
}

/** Path of a picture, or of the sheet that shows it if it has no separate file. */
function outputOf({ output, isStored, batch }: RenderCommand, values: NameValues): string {
  if (!isStored) return batch.sheet!.file;
  return output === '-' ? '-' : fillPattern(output, values);
}

/** Paths of the files of a task: one for each picture, or one for all, or none if only a sheet is written. */
export function filesOf({ settings: { isAnimated, isStored }, output, pictures }: Task): string[] {
  if (!isStored) return [];
  return isAnimated ? [output] : pictures.map((picture) => picture.output);
}

function checkTraces(tasks: readonly Task[]): void {
  const traces = tasks.flatMap(({ settings: { trace } }) => (trace === undefined ? [] : [identityOf(trace)]));
  if (new Set(traces).size < traces.length)
    throw new CommandError(`--trace is for one model, not for ${traces.length}.`);
}

function valuesOf(settings: RenderSettings, model: string | undefined, n: number): NameValues {
  const { view, choice, pass } = settings;
  return {
    name: nameOf(model),
    n,
    frame: 0,
    view: 'fileCamera' in view ? view.fileCamera : 'orbit' in view ? String(Math.round(view.orbit.azimuth)) : 'look',
    animation: choice.moment?.animation ?? '0',
    variant: choice.variant ?? 'default',
    scene: choice.scene ?? 'default',
    pass,
  };
}

function checkDistinct(tasks: readonly Task[], sheet: string | undefined): void {
  const owners = new Map<string, Task>();
  for (const task of tasks)
    for (const output of filesOf(task)) {
      const identity = identityOf(output);
      if (sheet !== undefined && identity === identityOf(sheet))
        throw new CommandError(`${described(task)} would be written to the sheet ${quoted(sheet)}.`);
      const other = owners.get(identity);
      if (other)
        throw new CommandError(
          `${described(other)} and ${described(task)} would both be written to `
            + `${quoted(output)}; distinguish them in --output, as in -o '{name}-{n}.png'.`
        );
      owners.set(identity, task);
    }
}

/** A model in messages, with its job. */
const described = ({ model, place }: Task): string =>
  `${quoted(model ?? 'sample')}${place === undefined ? '' : ` (${place})`}`;
