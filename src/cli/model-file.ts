// Reads the file of a model that the user has named.
import { quoted } from '../base/printable';
import { reason } from '../node/models/files';
import { InputError } from './errors';
import { readAll, readFileUpTo, type Input } from './input';

/** Reads a model, or standard input for `-`. @param most limit in bytes @throws InputError */
export async function readModel(source: string | URL, stdin: Input, most: number): Promise<Uint8Array> {
  const name = source === '-' ? 'standard input' : quoted(String(source));
  const exceeded = (): Error =>
    new InputError(
      `The model ${name} is larger than ${most >> 20} MiB, the memory that a model may take; `
        + '--model-memory raises the limit.'
    );
  try {
    return source === '-'
      ? await readAll(stdin, { limit: most, exceeded })
      : await readFileUpTo(source, { limit: most, exceeded });
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`The model ${name} ${reason(error)}.`, { cause: error });
  }
}
