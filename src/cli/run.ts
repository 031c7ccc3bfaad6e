// The command line as a function: from arguments to text and an exit code.
import { ModelError, messageOf } from '../gltf/errors';
import { CommandError } from './errors';
import { HELP, SHADER_HELP, TILE_HELP } from './options/help';
import { isShaderCommand, parseCommand } from './options/options';
import { writeTextTo } from './progress';
import { renderCommand, type RenderEnvironment } from './render';
import { describe, describePass } from './report';
import { shaderCommand, type ShaderEnvironment } from './shader';
import { tileCommand } from './tile';

interface CommandLine extends RenderEnvironment, ShaderEnvironment {
  version: string;
}

/**
 * Runs the command that the arguments after the program's name describe. @returns the exit code: 0, or 1 after a
 * message on standard error. For `shader`, 1 means errors in the shader, and 2 other errors.
 */
export async function run(words: readonly string[], line: CommandLine): Promise<number> {
  const stdout = writeTextTo(line.stdout);
  const stderr = writeTextTo(line.stderr);
  try {
    const command = parseCommand(words);
    if (command.kind === 'help') {
      stdout(command.topic === undefined ? HELP : { shader: SHADER_HELP, tile: TILE_HELP }[command.topic]);
    } else if (command.kind === 'version') {
      stdout(`${line.version}\n`);
    } else if (command.kind === 'shader') {
      return await shaderCommand(command, line);
    } else if (command.kind === 'tile') {
      await tileCommand(command, line);
    } else {
      const report = await renderCommand(command, line);
      for (const warning of report.warnings) stderr(`rasterloom: ${warning}\n`);
      const written = report.output === '-' ? 'the picture to standard output' : report.output;
      stderr(`Wrote ${written} in ${(report.times.total / 1000).toFixed(2)} s.\n`);
      // If the picture goes to standard output, text goes to standard error.
      const out = report.output === '-' ? stderr : stdout;
      if (command.json) {
        out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        out(describePass(report));
        if (command.stats) out(describe(report));
      }
    }
    return 0;
  } catch (error) {
    stderr(`rasterloom: ${explain(error)}\n`);
    return isShaderCommand(words) ? 2 : 1;
  }
}

/** Returns mistakes of the user as they are. All other errors are bugs, and their message contains the stack trace. */
function explain(error: unknown): string {
  if (error instanceof CommandError || error instanceof ModelError) return error.message;
  return (
    'This should not have happened; please report it.\n'
    + `${error instanceof Error && error.stack ? error.stack : messageOf(error)}`
  );
}
