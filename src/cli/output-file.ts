// Writes a picture to standard output, or to a file. The file is written under a temporary name in the same folder and
// then renamed, so that it is either complete or missing.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { quoted } from '../base/printable';
import { CommandError, OutputError } from './errors';
import type { Terminal } from './progress';

/** Refuses an output that cannot be written, before any work is done. `what` names the output in messages. */
export async function checkOutput(path: string, stdout: Terminal, what = 'picture'): Promise<void> {
  if (path === '-') {
    if (stdout.isTTY)
      throw new CommandError(
        'A picture cannot be shown in a terminal: redirect it, as in rasterloom render model.glb -o - > model.png'
      );
    return;
  }
  const folder = dirname(resolve(path));
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new OutputError(`The folder ${quoted(folder)} for the ${what} does not exist.`);
  if (!found.isDirectory()) throw new OutputError(`${quoted(folder)} is not a folder.`);
  const there = await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') return undefined;
    throw new OutputError(`The name of the ${what} ${quoted(path)} is too long.`, { cause: error });
  });
  if (there?.isDirectory()) throw new OutputError(`${quoted(path)} is a folder, not a ${what}.`);
}

/** Writes the picture to a file, or to standard output if the path is `-`. */
export async function writePicture(path: string, bytes: Uint8Array, stdout: Terminal): Promise<void> {
  if (path !== '-') return writeWhole(path, bytes);
  await new Promise<void>((done, failed) => {
    stdout.write(bytes, (error) =>
      error ? failed(new OutputError(`Standard output cannot be written: ${error.message}.`, { cause: error })) : done()
    );
  });
}

const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a complete file or none, even if the process is interrupted.
 * @param bytes contents, in one or more parts
 * @param what names the file in messages
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array | readonly Uint8Array[],
  what = 'The picture'
): Promise<void> {
  // An unpredictable name, so that it does not collide with a file of another process.
  const temporary = join(dirname(path), `.rasterloom-${randomBytes(9).toString('base64url')}.part`);
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(temporary, { force: true });
    // The listener has been removed, so the signal ends the process as usual.
    process.kill(process.pid, signal);
  };
  for (const signal of TERMINATION_SIGNALS) process.once(signal, interrupted);
  try {
    const file = await open(temporary, 'wx');
    try {
      for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await file.writeFile(part);
      // The data is on the disk before the file gets its name. After a crash, either the old or the new file exists.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new OutputError(
      `${what} ${quoted(path)} cannot be written: ${describeWriteError(error as NodeJS.ErrnoException)}.`,
      { cause: error }
    );
  } finally {
    for (const signal of TERMINATION_SIGNALS) process.off(signal, interrupted);
  }
}

/** Explains why a file cannot be written. */
function describeWriteError({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EISDIR':
    case 'ENOTEMPTY':
    case 'EEXIST':
      return 'a folder with that name exists';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left on its disk';
    case 'EFBIG':
      return 'it exceeds the maximum size of a file';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'its folder is not writable';
    default:
      return message;
  }
}
