// The command line as a function: from arguments to text and an exit code.
import { EXIT } from './errors';
import { exitCodeOf, explain } from './explain';
import { COMPARE_HELP, HELP, INFO_HELP, SHADER_HELP, TILE_HELP } from './options/help';
import { compareCommand } from './compare/compare';
import { infoCommand } from './info';
import { parseCommand } from './options/options';
import { writeTextTo } from './progress';
import { jobsCommand, renderCommand } from './render/render';
import type { RenderEnvironment } from './render/session';
import { shaderCommand, type ShaderEnvironment } from './shader';
import { tileCommand } from './tile';

export interface CommandLine extends RenderEnvironment, ShaderEnvironment {}

/**
 * Runs the command that the arguments after the name of the program describe.
 * @returns the exit code (errors.ts); if it is not 0, after a message on standard error
 */
export async function run(words: readonly string[], line: CommandLine): Promise<number> {
  const stdout = writeTextTo(line.stdout);
  const stderr = writeTextTo(line.stderr);
  try {
    const command = parseCommand(words);
    if (command.kind === 'help') {
      stdout(
        command.topic === undefined
          ? HELP
          : { shader: SHADER_HELP, tile: TILE_HELP, info: INFO_HELP, compare: COMPARE_HELP }[command.topic]
      );
    } else if (command.kind === 'version') {
      stdout(`${line.version}\n`);
    } else if (command.kind === 'shader') {
      return await shaderCommand(command, line);
    } else if (command.kind === 'tile') {
      await tileCommand(command, line);
    } else if (command.kind === 'compare') {
      return await compareCommand(command, line);
    } else if (command.kind === 'info') {
      await infoCommand(command, line);
    } else if (command.kind === 'jobs') {
      return await jobsCommand(command, line);
    } else {
      return await renderCommand(command, line);
    }
    return EXIT.done;
  } catch (error) {
    stderr(`rasterloom: ${explain(error)}\n`);
    return exitCodeOf(error);
  }
}
