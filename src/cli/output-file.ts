// Writes a picture to standard output, or to a file. The file is written under a temporary name in the same folder and
// then renamed, so that it is either complete or missing.
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
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

/** Bytes that are read and hashed at a time. */
const HASHED_BYTES = 1024 * 1024;
export const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Told of temporary files, so that it can remove them. Undefined: this file removes them after a signal. */
let keeper: ((path: string, isOpen: boolean) => void) | undefined;

/** Lets another function remove temporary files when the process ends. */
export function keepTemporaryFiles(keep: NonNullable<typeof keeper>): void {
  keeper = keep;
}

/** A file that is written in parts. It is complete or missing, even if the process is interrupted. */
export class WholeFile {
  readonly #path: string;
  readonly #what: string;
  /** An unpredictable name, so that it does not collide with a file of another process. */
  readonly #temporary: string;
  #file: FileHandle | undefined;
  /** Size of what was written; the next part follows it. */
  #size = 0;

  private constructor(path: string, what: string) {
    this.#path = path;
    this.#what = what;
    this.#temporary = join(dirname(path), `.rasterloom-${randomBytes(9).toString('base64url')}.part`);
  }

  /** @param what names the file in messages @throws OutputError */
  static async create(path: string, what = 'The picture'): Promise<WholeFile> {
    const whole = new WholeFile(path, what);
    if (keeper) keeper(resolve(whole.#temporary), true);
    else for (const signal of TERMINATION_SIGNALS) process.once(signal, whole.#interrupted);
    await whole.#attempt(async () => {
      whole.#file = await open(whole.#temporary, 'wx+');
    });
    return whole;
  }

  /**
   * @param position where to replace bytes; undefined: at the end
   * @throws OutputError; the file is removed then
   */
  async write(bytes: Uint8Array, position?: number): Promise<void> {
    await this.#attempt(async () => {
      let at = position ?? this.#size;
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#file!.write(bytes, done, bytes.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
      if (position === undefined) this.#size = at;
    });
  }

  /** SHA-256 of what was written, as hexadecimal digits. @throws OutputError */
  async hash(): Promise<string> {
    const hash = createHash('sha256');
    await this.#attempt(async () => {
      const piece = new Uint8Array(Math.min(HASHED_BYTES, Math.max(1, this.#size)));
      for (let at = 0; at < this.#size;) {
        const { bytesRead } = await this.#file!.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error('it was cut off by another program');
        hash.update(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
    });
    return hash.digest('hex');
  }

  /** Gives the file its name. @throws OutputError; the file is removed then */
  async commit(): Promise<void> {
    await this.#attempt(async () => {
      // The data is on the disk before the file gets its name. After a crash, either the old or the new file exists.
      await this.#file!.sync();
      await this.#close();
      await rename(this.#temporary, this.#path);
    });
    this.#forget();
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
    this.#forget();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw new OutputError(
        `${this.#what} ${quoted(this.#path)} cannot be written: ${describeWriteError(error as NodeJS.ErrnoException)}.`,
        { cause: error }
      );
    }
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  readonly #interrupted = (signal: NodeJS.Signals): void => {
    rmSync(this.#temporary, { force: true });
    // The listener has been removed, so the signal ends the process as usual.
    process.kill(process.pid, signal);
  };

  #forget(): void {
    keeper?.(resolve(this.#temporary), false);
    for (const signal of TERMINATION_SIGNALS) process.off(signal, this.#interrupted);
  }
}

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
  const file = await WholeFile.create(path, what);
  for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await file.write(part);
  await file.commit();
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
