// `rasterloom page`: runs a web page and writes pictures of its canvas.
import { plain } from '../base/printable';
import { PageError, runPage, type PageFailure, type PageResult } from '../page-runner';
import { type CommandError, EmptyError, InputError, PackageError, ScriptError, TimeoutError } from './errors';
import type { PageCommand } from './options/page-options';
import { checkOutput, writePicture } from './output-file';
import { writeTextTo, type Terminal } from './progress';

const ERRORS: Readonly<Record<PageFailure, new (message: string) => CommandError>> = {
  input: InputError,
  package: PackageError,
  script: ScriptError,
  canvas: EmptyError,
  timeout: TimeoutError,
};
/** Most errors of a page that are printed. */
const MAX_ERRORS = 5;

const nameOf = (output: string, frame: number): string => output.replaceAll('{frame}', String(frame));

/** Writes the pictures. @throws CommandError */
export async function pageCommand(
  command: PageCommand,
  { stdout, stderr }: { stdout: Terminal; stderr: Terminal }
): Promise<void> {
  const { input, output, options } = command;
  const [first = 1] = options.frames ?? [];
  await checkOutput(nameOf(output, first), stdout);
  const result = await runPage(input, options).catch((error: unknown) => {
    if (!(error instanceof PageError)) throw error;
    report(error.result, command, writeTextTo(stderr));
    throw new ERRORS[error.code](
      `${plain(error.message.replace(/^runPage: t/, 'T').replace(/^runPage: /, ''), 2000)}.`
    );
  });
  for (const { frame, bytes } of result.pictures) await writePicture(nameOf(output, frame), bytes, stdout);
  report(result, command, writeTextTo(stderr));
  refuse(result, command);
}

/** Prints what the page has reported. */
function report({ errors, missing }: PageResult, { input }: PageCommand, print: (text: string) => void): void {
  for (const text of errors.slice(0, MAX_ERRORS)) print(`${plain(input, 200)}: ${text.slice(0, 2000)}\n`);
  if (errors.length > MAX_ERRORS) print(`${plain(input, 200)}: ${errors.length - MAX_ERRORS} more errors\n`);
  for (const path of missing) print(`${plain(input, 200)}: the file ${plain(path, 400)} was not found\n`);
}

/** The pictures are written in any case; a script that uses them should know what is wrong. @throws CommandError */
function refuse({ errors, missing, pictures }: PageResult, command: PageCommand): void {
  if (errors.length > 0 && !command.allowErrors)
    throw new ScriptError('The page has errors that it did not catch; --allow-errors ignores them.');
  if (missing.length > 0 && !command.allowMissing)
    throw new InputError(
      'Files of the page were not found. --root names the folder that its URLs begin at, and '
        + '--allow-missing ignores them.'
    );
  const blank = pictures.find(({ isBlank }) => isBlank);
  if (blank !== undefined && !command.allowEmpty)
    throw new EmptyError(
      `All pixels of frame ${blank.frame} are equal. The page may need more frames (--at-frame), or --allow-empty.`
    );
}
