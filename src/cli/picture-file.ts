// The picture on the disk: written beside its place and moved there, so that it is whole or not there at all; or on
// standard output.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { quoted } from '../base/printable';
import { CommandError } from './errors';
import type { Terminal } from './progress';

/** Refuses an output that cannot be written, before any work is done for it. `what`: it is, in messages. */
export async function checkOutput(path: string, stdout: Terminal, what = 'picture'): Promise<void> {
  if (path === '-') {
    if (stdout.isTTY)
      throw new CommandError('A picture is nothing for a terminal: send it on, as in rasterloom render model.glb -o - > model.png');
    return;
  }
  const folder = dirname(resolve(path));
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new CommandError(`The folder ${quoted(folder)} for the ${what} does not exist.`);
  if (!found.isDirectory()) throw new CommandError(`${quoted(folder)} is not a folder.`);
  const there = await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') return undefined;
    throw new CommandError(`The name of the ${what} ${quoted(path)} is too long.`, { cause: error });
  });
  if (there?.isDirectory())
    throw new CommandError(`${quoted(path)} is a folder, not a ${what}.`);
}

/** Writes the picture to a file, or for `-` to standard output. */
export async function writePicture(path: string, bytes: Uint8Array, stdout: Terminal): Promise<void> {
  if (path !== '-') return writeWhole(path, bytes);
  await new Promise<void>((done, failed) => {
    stdout.write(bytes, (error) => (error
      ? failed(new CommandError(`Standard output cannot be written: ${error.message}.`, { cause: error }))
      : done()));
  });
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a file whole or not at all, also when the process is interrupted.
 * @param bytes all of them, or in parts
 * @param what it is, in messages
 */
export async function writeWhole(
  path: string, bytes: Uint8Array | readonly Uint8Array[], what = 'The picture'
): Promise<void> {
  // A name that nobody can foresee: a file of that name would be another program's.
  const temporary = join(dirname(path), `.rasterloom-${randomBytes(9).toString('base64url')}.part`);
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(temporary, { force: true });
    // Nobody listens any more: the process ends as it would have.
    process.kill(process.pid, signal);
  };
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted);
  try {
    const file = await open(temporary, 'wx');
    try {
      for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await file.writeFile(part);
      // On the disk before it has its name: a machine that stops in between leaves the file before, or this one.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new CommandError(
      `${what} ${quoted(path)} cannot be written: ${obstacle(error as NodeJS.ErrnoException)}.`, { cause: error }
    );
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupted);
  }
}

/** Why a file cannot be written. */
function obstacle({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EISDIR': case 'ENOTEMPTY': case 'EEXIST': return 'there is a folder of that name';
    case 'ENAMETOOLONG': return 'its name is too long';
    case 'ENOSPC': case 'EDQUOT': return 'there is no space left on its disk';
    case 'EFBIG': return 'it is larger than a file may be here';
    case 'EACCES': case 'EPERM': case 'EROFS': return 'its folder may not be written';
    default: return message;
  }
}
