// Reads files and standard input with a limit on their size.
import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../gltf/errors';

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

/** The path names something other than a regular file. Reading a FIFO would wait for ever. */
class NoFile extends Error {
  readonly code = 'NO_FILE';
}

/** Opens a file that another file refers to, or that is in a folder. @throws an error that `reason` explains */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // With this flag, opening a FIFO without a writer does not block. Windows has neither FIFOs nor the flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = await file.stat();
  if (found.isFile() || found.isDirectory()) return file;
  await file.close();
  throw new NoFile();
}

/** Explains why a file cannot be opened, as the end of a sentence. */
export function reason(error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read (permission denied)';
    case 'EISDIR':
      return 'is a folder';
    case 'NO_FILE':
    case 'ENXIO':
      return 'is not a regular file';
    case 'ENAMETOOLONG':
      return 'has a name that is too long';
    default:
      return `cannot be read (${messageOf(error)})`;
  }
}
