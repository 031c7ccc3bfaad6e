// Copies of inputs from the network, in a folder that is bounded in bytes and may be shared by several processes. A
// file's name is the SHA-256 of its contents, and its time is when it was last used.
//
//     <sha256>.input                  an input
//     <random>.part                   an input that is being fetched
//     in-use/<host>-<pid>-<random>/   links to inputs that a job reads, so that they stay when the cache drops them
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { privateFolder } from '../../node/private-folder';
import { BodyCheck, type BodyLimits } from './body-check';
import type { Subject } from './errors';
import type { LocalInput } from './types';

const INPUT = /^([\da-f]{64})\.input$/;
const UNFINISHED = /\.part$/;
/** Links of jobs. Their names begin with the host and the process. */
const IN_USE = 'in-use';
const LEASE = /^(.+)-(\d+)-[\w]+$/;
/**
 * A process lists the folder when it has added this part of the limit since it last did. The cache is trimmed to
 * `TRIMMED_PART`, so 64 processes together stay within the limit.
 */
const LISTED_PART = 1 / 512;
const TRIMMED_PART = 7 / 8;
/** Files of processes on other hosts that are not known to be alive are removed after this time. */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How often the time of use is written. */
const USE_MS = 60_000;
const HOST = hostname().replace(/[^\w.]/g, '_');

interface CachedFile {
  readonly path: string;
  readonly size: number;
  readonly used: number;
}

export class InputCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Hashes of files that this process has read, or written, completely. */
  readonly #verified = new Set<string>();
  /** Bytes that this process has added since it last listed the folder. */
  #unlisted = Infinity;
  #trimming = Promise.resolve();

  /** @throws Error if other users could change files in the folder */
  constructor(folder: string, maxBytes: number) {
    this.#folder = privateFolder(folder);
    this.#maxBytes = maxBytes;
  }

  /** An input that the cache holds; undefined if it does not. */
  async find(sha256: string): Promise<LocalInput | undefined> {
    const path = this.#pathOf(sha256);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    if (!this.#verified.has(sha256)) {
      // After a crash of the machine, a file may have its name and not its contents.
      if ((await hashOf(path)) !== sha256) {
        await rm(path, { force: true });
        return undefined;
      }
      this.#verified.add(sha256);
    }
    if (Date.now() - found.mtimeMs > USE_MS) await utimes(path, new Date(), new Date()).catch(() => undefined);
    return this.#lease(path, { sha256, bytes: found.size }, link).catch((error: unknown) => {
      // Another process has dropped it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
  }

  /** Adds an input from its body. Nothing is left of a body that fails. */
  async add(body: Readable, subject: Subject, limits: BodyLimits, signal: AbortSignal): Promise<LocalInput> {
    // The cache may have been emptied.
    privateFolder(this.#folder);
    const part = join(this.#folder, `${process.pid}-${randomBytes(9).toString('hex')}.part`);
    const check = new BodyCheck(subject, limits);
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600 });
    const closed = new Promise<void>((done) => file.once('close', () => done()));
    try {
      await pipeline(body, check, file, { signal });
      const { sha256, size } = check;
      const about = { sha256, bytes: size };
      if (size > this.#maxBytes / 2) return await this.#lease(part, about, rename);
      // The link comes first: another process may drop the file as soon as it has its name.
      const input = await this.#lease(part, about, link);
      await rename(part, this.#pathOf(sha256));
      this.#verified.add(sha256);
      await (this.#trimming = this.#trimming.then(() => this.#trim(size)));
      return input;
    } finally {
      // A body that fails at once ends the stream while the file is still being created.
      await closed;
      await rm(part, { force: true }).catch(() => undefined);
    }
  }

  /** Gives a job its own name for a file. @param take links or moves it */
  async #lease(
    path: string,
    about: { sha256: string; bytes: number },
    take: typeof link | typeof rename
  ): Promise<LocalInput> {
    const folder = join(this.#folder, IN_USE, `${HOST}-${process.pid}-${randomBytes(9).toString('hex')}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const leased = join(folder, 'input');
    const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
      // Some file systems have no links.
      await take(path, leased).catch(() => copyFile(path, leased));
    } catch (error) {
      await release();
      throw error;
    }
    return { path: leased, ...about, release };
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, `${sha256}.input`);
  }

  /** Drops what was not used for longest. @param added bytes that now have their name: other processes see them */
  async #trim(added: number): Promise<void> {
    this.#unlisted += added;
    if (this.#unlisted < this.#maxBytes * LISTED_PART) return;
    this.#unlisted = 0;
    await this.#dropLeases();
    const files = await this.#list();
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= this.#maxBytes * TRIMMED_PART) break;
      if (UNFINISHED.test(path)) continue;
      await rm(path, { force: true });
      total -= size;
    }
  }

  /** All files, also those that are being fetched. Those of processes that were killed are removed. */
  async #list(): Promise<CachedFile[]> {
    const files: CachedFile[] = [];
    for (const name of await readdir(this.#folder)) {
      if (!INPUT.test(name) && !UNFINISHED.test(name)) continue;
      const path = join(this.#folder, name);
      const found = await lstat(path).catch(() => undefined);
      if (!found?.isFile()) continue;
      if (UNFINISHED.test(name) && Date.now() - found.mtimeMs > HOUR_MS) await rm(path, { force: true });
      else files.push({ path, size: found.size, used: found.mtimeMs });
    }
    return files;
  }

  async #dropLeases(): Promise<void> {
    const folder = join(this.#folder, IN_USE);
    for (const name of await readdir(folder).catch(() => [])) {
      const [, host, pid] = LEASE.exec(name) ?? [];
      const path = join(folder, name);
      const isOld = async (): Promise<boolean> =>
        Date.now() - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? Infinity) > DAY_MS;
      if (host === HOST ? !isAlive(Number(pid)) : await isOld()) await rm(path, { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process may belong to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** SHA-256 of a file in hexadecimal digits. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}
