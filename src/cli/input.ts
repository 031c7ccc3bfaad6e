// Reads files and standard input with a limit on their size.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export type Input = AsyncIterable<Uint8Array | string>;

/** The largest number of bytes, and the error if there are more. */
interface ReadLimit {
  readonly limit: number;
  exceeded(): Error;
}

/** Reads a whole stream. @throws `limit.exceeded()` as soon as it has more than `limit.most` bytes */
export async function readAll(input: Input, limit: ReadLimit): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input) {
    const read = typeof piece === 'string' ? Buffer.from(piece) : piece;
    bytes += read.length;
    if (bytes > limit.limit) throw limit.exceeded();
    pieces.push(read);
  }
  return Buffer.concat(pieces);
}

/**
 * Reads a whole file that the user has named, which may be a FIFO or a device.
 * @throws `limit.exceeded()` if it is larger; before reading if its size is known
 */
export async function readFileUpTo(path: string | URL, limit: ReadLimit): Promise<Uint8Array> {
  if ((await stat(path)).size > limit.limit) throw limit.exceeded();
  return readAll(createReadStream(path) as Input, limit);
}
