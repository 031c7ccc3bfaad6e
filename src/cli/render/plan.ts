// What a command renders: a list of models with their outputs, which is checked before anything starts.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';
import type { RenderCommand, RenderSettings } from '../options/options';
import { checkOutput } from '../output-file';
import type { Terminal } from '../progress';
import { framesOf } from './frames';
import { listModels } from './inputs';
import { fillPattern, identityOf, nameOf, type NameValues } from './names';

/** A model to render. */
export interface Task {
  settings: RenderSettings;
  /** Path of the model, or `-` for standard input; undefined renders the bundled sample. */
  model: string | undefined;
  /** Path of the first picture, or `-` for standard output. */
  output: string;
  /** Paths and settings of all pictures. */
  pictures: { output: string; settings: RenderSettings }[];
}

/** @throws CommandError if the outputs cannot be written, or if two would have the same name */
export async function planTasks(command: RenderCommand, stdout: Terminal): Promise<Task[]> {
  const models = command.models.length > 0 ? await listModels(command.models) : [undefined];
  const tasks = models.map((model, i): Task => {
    const pictures = framesOf(command).map((settings, frame) => ({
      settings,
      output:
        command.output === '-' ? '-' : fillPattern(command.output, { ...valuesOf(settings, model, i + 1), frame }),
    }));
    return { settings: command, model, output: pictures[0].output, pictures };
  });
  if (models.filter((model) => model === '-').length > 1)
    throw new CommandError('Standard input can only be one of the models.');
  if (command.output === '-' && tasks.length > 1)
    throw new CommandError(
      `Standard output takes one picture, not ${tasks.length}; name files, as in -o 'out/{name}.png'.`
    );
  if (command.trace !== undefined && tasks.length > 1)
    throw new CommandError(`--trace is for one model, not for ${tasks.length}.`);
  checkDistinct(tasks);
  for (const { pictures } of tasks) for (const { output } of pictures) await checkOutput(output, stdout);
  if (command.trace !== undefined) await checkOutput(command.trace, stdout, 'trace');
  return tasks;
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

function checkDistinct(tasks: readonly Task[]): void {
  const owners = new Map<string, { model: string | undefined }>();
  for (const task of tasks.flatMap(({ model, pictures }) => pictures.map(({ output }) => ({ model, output })))) {
    const identity = identityOf(task.output);
    const other = owners.get(identity);
    if (other)
      throw new CommandError(
        `${quoted(other.model ?? 'sample')} and ${quoted(task.model ?? 'sample')} would both be written to `
          + `${quoted(task.output)}; distinguish them in --output, as in -o '{name}-{n}.png'.`
      );
    owners.set(identity, task);
  }
}
