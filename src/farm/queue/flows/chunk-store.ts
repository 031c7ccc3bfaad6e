// Intermediate files of flows, between the worker that draws a chunk and the one that makes the output: what all stores
// have in common, and the store in a folder.
import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WrittenFile } from '../written';
import type { FrameRange } from './flow';

/** A chunk that was drawn. */
export interface DrawnChunk {
  /** Names without folders. */
  readonly files: readonly WrittenFile[];
  /** Whether nothing can be seen in any of its pictures. */
  readonly isEmpty: boolean;
}

/** Names a chunk. */
export interface ChunkKey {
  /** Identity of its flow. */
  readonly flow: string;
  readonly range: FrameRange;
}

/** A store of chunks. Those that are remote reject with a StorageError. */
export interface ChunkStore {
  /** What was drawn of a chunk, if it is complete. */
  find(key: ChunkKey, signal: AbortSignal): Promise<DrawnChunk | undefined>;
  /** Keeps the files of a chunk, which are complete or missing for others. @param staged their folder, which may go */
  keep(key: ChunkKey, staged: string, chunk: DrawnChunk, signal: AbortSignal): Promise<void>;
  /** Puts the files of a chunk into a folder, and leaves the chunk as it is. */
  collect(key: ChunkKey, chunk: DrawnChunk, folder: string, signal: AbortSignal): Promise<void>;
  /** Removes all chunks of a flow. */
  remove(flow: string): Promise<void>;
  /** Removes flows of which nothing was drawn for a day, unless they are still wanted. */
  sweep(isWanted: (flow: string) => Promise<boolean>): Promise<void>;
}

/** Name of the file that says what was drawn of a chunk. */
export const CHUNK_RECORD = '.rasterloom-chunk.json';
/** Age at which sweep() removes a flow. */
export const OLD_MS = 24 * 60 * 60 * 1000;

/** Reads the record of a chunk, which others may have written; undefined: it is none. */
export function readChunkRecord(text: string): DrawnChunk | undefined {
  try {
    const { files, isEmpty } = JSON.parse(text) as Record<keyof DrawnChunk, unknown>;
    return Array.isArray(files) && files.every(isFile) && typeof isEmpty === 'boolean' ? { files, isEmpty } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value describes a file by a name without folders. */
function isFile(value: unknown): value is WrittenFile {
  const { name, sha256, bytes } = Object(value) as Record<keyof WrittenFile, unknown>;
  const isName = typeof name === 'string' && /^[^./\\\0][^/\\\0]*$/.test(name);
  return isName && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && Number.isSafeInteger(bytes);
}

/** Chunks in the folder of outputs. A chunk is a folder that was renamed when it was complete. */
export class ChunkFolder implements ChunkStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async find(key: ChunkKey): Promise<DrawnChunk | undefined> {
    const folder = this.#folderOf(key);
    try {
      const chunk = readChunkRecord(await readFile(join(folder, CHUNK_RECORD), 'utf8'));
      for (const { name, bytes } of chunk?.files ?? [])
        if ((await stat(join(folder, name))).size !== bytes) return undefined;
      return chunk;
    } catch {
      // It was not drawn, or files were removed: it is drawn again.
      return undefined;
    }
  }

  async keep(key: ChunkKey, staged: string, chunk: DrawnChunk): Promise<void> {
    const folder = this.#folderOf(key);
    await writeFile(join(staged, CHUNK_RECORD), JSON.stringify(chunk));
    await mkdir(dirname(folder), { recursive: true });
    await rename(staged, folder).catch(async (error: unknown) => {
      // Another worker has drawn the same bits, or what was here is not complete.
      if (await this.find(key)) return;
      await rename(folder, join(dirname(folder), `.${randomBytes(6).toString('hex')}`)).catch(() => undefined);
      await rename(staged, folder).catch(() => {
        throw error;
      });
    });
    const now = new Date();
    await utimes(dirname(folder), now, now);
  }

  async collect(key: ChunkKey, { files }: DrawnChunk, folder: string): Promise<void> {
    for (const { name } of files) {
      const [from, to] = [join(this.#folderOf(key), name), join(folder, name)];
      // Some file systems have no links.
      await link(from, to).catch(() => copyFile(from, to));
    }
  }

  async remove(flow: string): Promise<void> {
    await rm(join(this.#path, flow), { recursive: true, force: true });
  }

  async sweep(isWanted: (flow: string) => Promise<boolean>): Promise<void> {
    for (const flow of await readdir(this.#path).catch(() => [])) {
      const found = await stat(join(this.#path, flow)).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > OLD_MS && !(await isWanted(flow))) await this.remove(flow);
    }
  }

  #folderOf({ flow, range: { first, last } }: ChunkKey): string {
    return join(this.#path, flow, `${first}-${last}`);
  }
}
