// The command line as a function: from arguments to text and an exit code.
import { EXIT } from './errors';
import { exitCodeOf, explain } from './explain';
import { CACHE_HELP, COMPARE_HELP, HELP, INFO_HELP, PAGE_HELP, SHADER_HELP, TILE_HELP } from './options/help';
import { FARM_HELP } from './farm/farm-help';
import { parseCommand, type Command } from './options/options';
import { writeTextTo } from './progress';
import type { RenderEnvironment } from './render/session';
import type { ShaderEnvironment } from './shader';

type Commands = typeof import('./commands');

export interface CommandLine extends RenderEnvironment, ShaderEnvironment {
  /** @param usesCache whether their compiled code is kept in the shader cache */
  loadCommands(usesCache: boolean): Promise<Commands>;
}

/**
 * Runs the command that the arguments after the name of the program describe.
 * @returns the exit code (errors.ts); if it is not 0, after a message on standard error
 */
export async function run(words: readonly string[], line: CommandLine): Promise<number> {
  const stdout = writeTextTo(line.stdout);
  const stderr = writeTextTo(line.stderr);
  let explains: Pick<Commands, 'exitCodeOf' | 'explain'> = { exitCodeOf, explain };
  try {
    const command = parseCommand(words);
    if (command.kind === 'help') {
      stdout(
        command.topic === undefined
          ? HELP
          : {
              shader: SHADER_HELP,
              tile: TILE_HELP,
              info: INFO_HELP,
              compare: COMPARE_HELP,
              cache: CACHE_HELP,
              farm: FARM_HELP,
              page: PAGE_HELP,
            }[command.topic]
      );
    } else if (command.kind === 'version') {
      stdout(`${line.version}\n`);
    } else if (command.kind === 'farm') {
      const farm = await import('./farm/farm');
      explains = farm;
      return await farm.farmCommand(command, line);
    } else {
      const commands = await line.loadCommands(usesShaderCache(command));
      explains = commands;
      if (command.kind === 'shader') return await commands.shaderCommand(command, line);
      if (command.kind === 'compare') return await commands.compareCommand(command, line);
      if (command.kind === 'jobs') return await commands.jobsCommand(command, line);
      if (command.kind === 'render') return await commands.renderCommand(command, line);
      if (command.kind === 'cache') commands.cacheCommand(command, line);
      else if (command.kind === 'page') await commands.pageCommand(command, line);
      else if (command.kind === 'tile') await commands.tileCommand(command, line);
      else await commands.infoCommand(command, line);
    }
    return EXIT.done;
  } catch (error) {
    stderr(`rasterloom: ${explains.explain(error)}\n`);
    return explains.exitCodeOf(error);
  }
}

/** Whether a command keeps compiled code. */
function usesShaderCache(command: Command): boolean {
  if (command.kind === 'render') return command.shaderCache;
  return command.kind === 'jobs' && !command.values['no-shader-cache'];
}
