// Intermediate files of flows in S3-compatible storage, below the address of the outputs.
//
//     .rasterloom-farm/chunks/<flow>/<first>-<last>/<file>                    a picture of a chunk
//     .rasterloom-farm/chunks/<flow>/<first>-<last>/.rasterloom-chunk.json    put last: the chunk is complete
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapAtOnce } from '../../at-once';
import { StorageError } from '../../storage/errors';
import type { ObjectFolder } from '../../storage/types';
import { hashOfFile } from '../file-hashes';
import { CHUNK_RECORD, OLD_MS, readChunkRecord, type ChunkKey, type ChunkStore, type DrawnChunk } from './chunk-store';
import { describeRange } from './flow';

/** Transfers of a chunk at the same time. */
const AT_ONCE = 16;
/** Most bytes of a record. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

export class ChunkObjects implements ChunkStore {
  readonly #objects: ObjectFolder;

  constructor(objects: ObjectFolder) {
    this.#objects = objects;
  }

  async find(key: ChunkKey, signal: AbortSignal): Promise<DrawnChunk | undefined> {
    const folder = folderOf(key);
    const text = await this.#objects.readText(folder + CHUNK_RECORD, MAX_RECORD_BYTES, signal);
    const chunk = text === undefined ? undefined : readChunkRecord(text);
    if (!chunk) return undefined;
    const sizes = new Map<string, number>();
    for await (const { name, bytes } of this.#objects.list(folder, signal)) sizes.set(name, bytes);
    return chunk.files.every(({ name, bytes }) => sizes.get(folder + name) === bytes) ? chunk : undefined;
  }

  async keep(key: ChunkKey, staged: string, chunk: DrawnChunk, signal: AbortSignal): Promise<void> {
    const folder = folderOf(key);
    await writeFile(join(staged, CHUNK_RECORD), JSON.stringify(chunk));
    try {
      await this.#put(folder, staged, chunk, signal);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'conflict') throw error;
      // The stored files were changed.
      await this.#removeAll(folder);
      await this.#put(folder, staged, chunk, signal);
    }
  }

  async collect(key: ChunkKey, { files }: DrawnChunk, folder: string, signal: AbortSignal): Promise<void> {
    const from = folderOf(key);
    try {
      await mapAtOnce(files, AT_ONCE, (file) =>
        this.#objects.read(from + file.name, join(folder, file.name), file, signal)
      );
    } catch (error) {
      if (!(error instanceof StorageError) || !['altered', 'missing'].includes(error.code)) throw error;
      await this.#removeAll(from);
      const what = `The chunk with the ${describeRange(key.range)}`;
      throw new StorageError('unavailable', `${what} was removed or changed in the storage; it is drawn again`, error);
    }
  }

  remove(flow: string): Promise<void> {
    return this.#removeAll(`${flow}/`);
  }

  async sweep(isWanted: (flow: string) => Promise<boolean>): Promise<void> {
    try {
      for await (const flow of this.#objects.folders())
        if (!(await isWanted(flow)) && (await this.#isOld(flow))) await this.remove(flow);
    } catch (error) {
      // Workers without flows need no permission to list objects.
      if (!(error instanceof StorageError) || error.code !== 'denied') throw error;
    }
  }

  async #isOld(flow: string): Promise<boolean> {
    for await (const { modifiedAt } of this.#objects.list(`${flow}/`))
      if (Date.now() - modifiedAt <= OLD_MS) return false;
    return true;
  }

  async #put(folder: string, staged: string, { files }: DrawnChunk, signal: AbortSignal): Promise<void> {
    await mapAtOnce(files, AT_ONCE, ({ name, sha256 }) =>
      this.#objects.put(join(staged, name), folder + name, { sha256, signal })
    );
    const record = join(staged, CHUNK_RECORD);
    await this.#objects.put(record, folder + CHUNK_RECORD, { sha256: await hashOfFile(record), signal });
  }

  async #removeAll(beginning: string): Promise<void> {
    await mapAtOnce(this.#objects.list(beginning), AT_ONCE, ({ name }) => this.#objects.remove(name));
  }
}

const folderOf = ({ flow, range: { first, last } }: ChunkKey): string => `${flow}/${first}-${last}/`;
