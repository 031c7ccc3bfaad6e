// What operators see of a worker besides its pictures: answers to probes, a structured log, and OpenTelemetry.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quoted, thrown } from '../../base/printable';
import type { FarmEvents, Listening } from '../../farm';
import { CommandError, FarmError } from '../errors';

type Farm = typeof import('../../farm');

/** Starts a server. @throws CommandError if its port is not free, or an option is wrong */
export async function serving(start: () => Promise<Listening>): Promise<Listening> {
  try {
    return await start();
  } catch (error) {
    throw new CommandError(`${thrown(error)}.`, { cause: error });
  }
}

/**
 * Loads the module that registers an SDK of OpenTelemetry, and reports events to it.
 * @param file path of the module; if it exports a function `shutdown`, that is called at the end
 * @returns ends the reports @throws CommandError
 */
export async function startTelemetry(file: string, events: FarmEvents, farm: Farm): Promise<() => Promise<void>> {
  let module: { readonly shutdown?: unknown };
  try {
    module = (await import(pathToFileURL(resolve(file)).href)) as typeof module;
  } catch (error) {
    throw new CommandError(`The module of --telemetry, ${quoted(file)}, cannot be loaded: ${thrown(error)}.`, {
      cause: error,
    });
  }
  let stop: Awaited<ReturnType<Farm['observeFarm']>>;
  try {
    stop = await farm.observeFarm(events);
  } catch (error) {
    throw new FarmError(`${thrown(error)}.`, { cause: error });
  }
  return async () => {
    const { shutdown } = module;
    try {
      await stop(typeof shutdown === 'function' ? () => (shutdown as () => unknown)() : undefined);
    } catch (error) {
      // The pictures are done.
      process.emitWarning(`The function shutdown of ${quoted(file)} has failed: ${thrown(error)}`);
    }
  };
}
