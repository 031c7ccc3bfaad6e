// `rasterloom shader`: checks a shader file, and shows its errors or the code that it is compiled to.
import { closestWord } from '../base/closest-word';
import { quoted } from '../base/printable';
import { messageOf } from '../gltf/errors';
import type { InspectOptions, ShaderEntryPoint, ShaderReport } from '../index';
import { CommandError, DeviceError, InputError } from './errors';
import { reason } from '../node/models/files';
import { readAll, readFileUpTo, type Input } from './input';
import { writeTextTo, type Terminal } from './progress';
import type { ShaderCommand } from './options/shader-options';
import {
  describeMessages,
  describePrints,
  describeProblems,
  describeShader,
  machineReport,
  shaderName,
} from './shader-report';

/** Dependencies of the command, which tests can replace. */
export interface ShaderEnvironment {
  inspectShader: (code: string, options?: InspectOptions) => Promise<ShaderReport>;
  stdin: Input;
  stdout: Terminal;
  stderr: Terminal;
}

/**
 * Checks a shader and prints the requested information.
 * @returns the exit code: 0, or 1 if the shader has errors or a requested entry point cannot be used
 * @throws CommandError
 */
export async function shaderCommand(
  command: ShaderCommand,
  { inspectShader, stdin, stdout, stderr }: ShaderEnvironment
): Promise<number> {
  const text = await readShader(command.file, stdin);
  const report = await inspectShader(text, { constants: command.overrides }).catch((error: unknown) => {
    if ((error as Error).name !== 'UnavailableError') throw error;
    throw new DeviceError(`Shaders cannot be compiled here: ${messageOf(error)}.`, { cause: error });
  });
  if (report.valid) checkOverrides(command, report);
  const wanted = report.valid ? wantedEntries(command, report) : [];
  if (command.json) {
    writeTextTo(stdout)(`${JSON.stringify(machineReport(command, report, wanted), null, 2)}\n`);
  } else {
    const said = [describeMessages(command, report), ...describeProblems(command, report, wanted)].filter(
      (text) => text !== ''
    );
    if (said.length > 0) writeTextTo(stderr)(`${said.join('\n\n')}\n${report.valid ? '\n' : ''}`);
    if (report.valid)
      writeTextTo(stdout)(
        command.prints.length > 0 ? describePrints(command, wanted) : describeShader(command, report, wanted)
      );
  }
  // Without --print and --entry, the file as a whole is checked. It may contain entry points that other pipelines use.
  const asked = command.prints.length > 0 || command.entry !== undefined;
  return report.valid && !(asked && wanted.some(({ problem }) => problem !== null)) ? 0 : 1;
}

/** Limit in bytes. It exceeds that of the front end: 2 097 152 characters of up to four bytes. */
export const MAX_BYTES = 8 << 20;

async function readShader(file: string, stdin: Input): Promise<string> {
  const name = file === '-' ? 'Standard input' : `The shader ${quoted(file)}`;
  const most = MAX_BYTES;
  const exceeded = (): Error =>
    new InputError(`${name} is larger than ${most >> 20} MiB, the largest size of a shader.`);
  const reading =
    file === '-' ? readAll(stdin, { limit: most, exceeded }) : readFileUpTo(file, { limit: most, exceeded });
  const bytes = await reading.catch((error: unknown) => {
    throw error instanceof CommandError ? error : new InputError(`${name} ${reason(error)}.`, { cause: error });
  });
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Reported below.
  }
  throw new InputError(`${name} is not UTF-8 text, as WGSL must be.`);
}

/** Refuses overrides that the shader does not have. */
function checkOverrides({ file, overrides }: ShaderCommand, report: ShaderReport): void {
  const keys = report.overrides.map(({ id, name }) => (id === null ? name : String(id)));
  for (const given of Object.keys(overrides)) {
    if (keys.includes(given)) continue;
    const named = report.overrides.find(({ name }) => name === given);
    if (named)
      throw new CommandError(
        `The override ${quoted(given)} has @id(${named.id}); `
          + `set it by that number: --override ${named.id}=${overrides[given]}`
      );
    const hint = closestWord(given, keys);
    throw new CommandError(
      `${shaderName(file)} has no override ${quoted(given)}.${hint ? ` Did you mean "${hint}"?` : ''} `
        + `It has ${keys.length === 0 ? 'none' : keys.join(', ')}.`
    );
  }
}

/** Returns the entry points that match --entry and --stage. */
function wantedEntries({ file, entry, stage }: ShaderCommand, { entryPoints }: ShaderReport): ShaderEntryPoint[] {
  const wanted = entryPoints.filter(
    (one) => (entry === undefined || one.name === entry) && (stage === undefined || one.stage === stage)
  );
  if (wanted.length > 0 || (entry === undefined && stage === undefined)) return wanted;
  const hint =
    entry === undefined
      ? undefined
      : closestWord(
          entry,
          entryPoints.map(({ name }) => name)
        );
  const what = [
    ...(stage === undefined ? [] : [stage]),
    'entry point',
    ...(entry === undefined ? [] : [quoted(entry)]),
  ].join(' ');
  const all = entryPoints.map((one) => `${one.name} (${one.stage})`).join(', ');
  throw new CommandError(
    `${shaderName(file)} has no ${what}.${hint && hint !== entry ? ` Did you mean "${hint}"?` : ''} `
      + `It has ${all || 'none'}.`
  );
}
