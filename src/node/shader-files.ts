// The files of the shader cache, one for each record. They hold code that runs in this process, so folder and files
// must belong to the user (private-folder.ts). A file has its record twice, so that one with a few wrong bytes, or
// without its second half, is still of use.
import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RecordStore } from '../api';
import { openedRecord, sealedRecord } from '../base/sealed-record';
import { process } from './host';
import { isPrivateFile, privateFolder } from './private-folder';
import { zlib } from './zlib';

export type { RecordStore };

type Crypto = typeof import('node:crypto');

/** Names of records, and of records that are being written. */
const RECORD = /^[0-9a-f]{64}\.shader$/;
const UNFINISHED = /^[0-9a-f]{64}\.shader\.[0-9a-f]+\.tmp$/;
/**
 * How often all processes together list the folder while they write as many bytes as it may hold. Listing a full folder
 * takes about 60 ms, as long as a small picture. So each write does it with a probability in proportion to its bytes.
 */
const TRIMS_PER_LIMIT = 64;
/** The part of the limit to which records are dropped, which leaves room for writes that do not list the folder. */
const TRIMMED_PART = 7 / 8;
const HOUR = 3_600_000;
/** Milliseconds from the first new record until records are written, which leaves the first frames alone. */
const IDLE_MS = 1000;
/** Errors that say that a folder is unavailable, not that something is wrong with it. */
const UNAVAILABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOSPC', 'EDQUOT']);

/** Ignores that a file is gone, or cannot be changed: the cache then does less. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** A file that a shader cache has written. */
export interface CacheFile {
  readonly path: string;
  readonly size: number;
  /** The time of use, in milliseconds since 1970. */
  readonly used: number;
  /** Whether it holds a record. Others are being written, or belong to a writer that was killed. */
  readonly isFinished: boolean;
}

/** Lists the files of the shader cache in a folder, without links and without files of others. Throws if it cannot. */
export function cacheFiles(folder: string): CacheFile[] {
  const files: CacheFile[] = [];
  for (const name of readdirSync(folder)) {
    const isFinished = RECORD.test(name);
    if (!isFinished && !UNFINISHED.test(name)) continue;
    const path = join(folder, name);
    const stats = attempt(() => lstatSync(path));
    if (stats?.isFile()) files.push({ path, size: stats.size, used: stats.mtimeMs, isFinished });
  }
  return files;
}

/** Reads the records that come with the package (shipped-shaders.mjs), by name. */
function readShipped(file: URL): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(zlib().inflateRawSync(readFileSync(file)));
  const start = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const lengths = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start))) as Record<string, number>;
  let at = start;
  return new Map(Object.entries(lengths).map(([name, length]) => [name, bytes.subarray(at, (at += length))]));
}

class ShaderFiles implements RecordStore {
  /** Null until a record is not in the folder. */
  private shipped: ReturnType<typeof readShipped> | null = null;

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    private readonly crypto: Crypto,
    private readonly shippedFile: URL | null
  ) {}

  read(name: string): Uint8Array<ArrayBuffer> | null {
    return this.readFile(name) ?? this.readShipped(name);
  }

  private readShipped(name: string): Uint8Array<ArrayBuffer> | null {
    const file = this.shippedFile;
    this.shipped ??= (file && attempt(() => readShipped(file))) ?? new Map();
    const record = this.shipped.get(name);
    return record ? openedRecord(name, record, this.digest) : null;
  }

  private readFile(name: string): Uint8Array<ArrayBuffer> | null {
    return attempt(() => {
      const file = openSync(this.pathOf(name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      try {
        const stats = fstatSync(file);
        if (!isPrivateFile(stats) || stats.size > this.maxBytes) return null;
        const bytes = this.recordIn(file, stats.size, name);
        // The time of use, to the hour: records that were not used for longest are dropped first.
        if (Date.now() - stats.mtimeMs > HOUR) attempt(() => futimesSync(file, new Date(), new Date()));
        return bytes;
      } finally {
        closeSync(file);
      }
    });
  }

  /** Reads the first copy, or if it is damaged, what is left of both, and then replaces the file. */
  private recordIn(file: number, size: number, name: string): Uint8Array<ArrayBuffer> | null {
    const half = size >> 1;
    const first = new Uint8Array(half);
    readSync(file, first, 0, half, 0);
    const record = openedRecord(name, first, this.digest);
    if (record) return record;
    const all = new Uint8Array(readFileSync(file));
    const rest = openedRecord(name, all, this.digest) ?? openedRecord(name, all.subarray(half), this.digest);
    if (rest) this.whenIdle(() => this.write(new Map([[name, rest]])));
    return rest;
  }

  write(records: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void {
    let written = 0;
    for (const [name, bytes] of records) {
      const record = sealedRecord(name, bytes, this.digest);
      const copies = [record, record];
      const size = record.length * copies.length;
      // It would drop most other records.
      if (size > this.maxBytes / 2) continue;
      written += size;
      const path = this.pathOf(name);
      const unfinished = `${path}.${this.crypto.randomBytes(8).toString('hex')}.tmp`;
      attempt(() => {
        try {
          writeFileSync(unfinished, Buffer.concat(copies), { flag: 'wx', mode: 0o600 });
          renameSync(unfinished, path);
        } catch (error) {
          attempt(() => unlinkSync(unfinished));
          throw error;
        }
      });
    }
    const chance = this.crypto.randomBytes(4).readUInt32LE() / 2 ** 32;
    if (chance * this.maxBytes < written * TRIMS_PER_LIMIT) attempt(() => this.trim());
  }

  /** Drops the records that were not used for longest until there is room, and files of writers that were killed. */
  private trim(): void {
    const files: CacheFile[] = [];
    for (const file of cacheFiles(this.folder)) {
      if (file.isFinished) files.push(file);
      else if (Date.now() - file.used > HOUR) attempt(() => unlinkSync(file.path));
    }
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= this.maxBytes * TRIMMED_PART) break;
      attempt(() => unlinkSync(path));
      total -= size;
    }
  }

  readonly digest = (parts: readonly (string | Uint8Array)[]): string => {
    const hash = this.crypto.createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  };

  whenIdle(act: (isEnd: boolean) => void): void {
    const atEnd = (): void => {
      clearTimeout(timer);
      act(true);
    };
    const timer = setTimeout(() => {
      process.off('exit', atEnd);
      act(false);
    }, IDLE_MS);
    timer.unref();
    process.once('exit', atEnd);
  }

  private pathOf(name: string): string {
    return join(this.folder, `${name}.shader`);
  }
}

/**
 * Opens the shader cache in a folder, which is created if it does not exist. The returned function resolves to null if
 * the folder is unavailable, for example on a read-only disk. Throws an Error if other users could change its files.
 * @param shipped the file with records for a new folder; null: there is none
 */
export function shaderFiles(
  folder: string,
  maxBytes: number,
  shipped: URL | null = null
): () => Promise<RecordStore | null> {
  let path: string;
  try {
    path = privateFolder(folder);
  } catch (error) {
    if (UNAVAILABLE.has((error as NodeJS.ErrnoException).code ?? '')) return () => Promise.resolve(null);
    throw new Error(`create: shaderCache: ${(error as Error).message}`, { cause: error });
  }
  // Loaded only with a cache: it takes 4 ms.
  return async () => new ShaderFiles(path, maxBytes, await import('node:crypto'), shipped);
}
