// Opens files that a model names, and explains why a file cannot be read.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../../gltf/errors';

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
