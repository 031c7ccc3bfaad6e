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

/** Bytes before the JSON text of a .glb: its header, and that of its first chunk (glTF 2.0 §4.4). */
const TEXT_START = 20;

/** Whether the JSON text of a .glb or .gltf has images, as far as can be told before it is parsed and checked. */
export function mayHaveImages(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isBinary = file.length >= TEXT_START && file.toString('latin1', 0, 4) === 'glTF';
  const text = isBinary ? file.subarray(TEXT_START, TEXT_START + file.readUInt32LE(12)) : file;
  return text.includes('"images"');
}
