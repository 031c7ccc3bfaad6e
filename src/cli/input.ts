// What the command reads: files and standard input, and never more than there is room for.
import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../gltf/errors';

export type Input = AsyncIterable<Uint8Array | string>;

/** Bytes that may be read, and the error where there are more. */
export interface ReadLimit {
  readonly most: number;
  exceeded(): Error;
}

/** All of a stream. @throws `limit.exceeded()` as soon as more than `limit.most` bytes have come */
export async function readAll(input: Input, limit: ReadLimit): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input) {
    const read = typeof piece === 'string' ? Buffer.from(piece) : piece;
    bytes += read.length;
    if (bytes > limit.most) throw limit.exceeded();
    pieces.push(read);
  }
  return Buffer.concat(pieces);
}

/**
 * All of a file that the user names, which may be a FIFO or a device.
 * @throws `limit.exceeded()` where it is larger, before it is read if its size is known
 */
export async function readFileUpTo(path: string | URL, limit: ReadLimit): Promise<Uint8Array> {
  if ((await stat(path)).size > limit.most) throw limit.exceeded();
  return readAll(createReadStream(path) as Input, limit);
}

/** The path names something that only looks like a file: reading a FIFO would wait for ever. */
class NoFile extends Error {
  readonly code = 'NO_FILE';
}

/** Opens a file that another file names, or a folder holds. @throws an error for `reason` */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // A FIFO without a writer is opened at once; Windows, which has none, does not know the flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = await file.stat();
  if (found.isFile() || found.isDirectory()) return file;
  await file.close();
  throw new NoFile();
}

/** Why a file cannot be opened, to follow "which". */
export function reason(error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'ENOENT': case 'ENOTDIR': return 'does not exist';
    case 'EACCES': case 'EPERM': return 'may not be read';
    case 'EISDIR': return 'is a folder';
    case 'NO_FILE': case 'ENXIO': return 'is no regular file';
    case 'ENAMETOOLONG': return 'has too long a name';
    default: return `cannot be read (${messageOf(error)})`;
  }
}
