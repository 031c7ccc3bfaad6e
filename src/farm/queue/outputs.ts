// Files that jobs write into the folder of a worker. A job draws into a separate folder; complete files are then
// renamed. A record beside them says what a job has written, so that no job is drawn twice.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { hashOfFile } from './file-hashes';
import { ChunkFolder } from './flows/chunk-store';
import { outputPath } from './folders';
import type { Written, WrittenFile } from './written';

/** Folder of the farm's own files in the folder of outputs. */
const OWN = '.rasterloom-farm';
/** Folder of the chunks of flows, where outputs go. */
export const CHUNKS_FOLDER = `${OWN}/chunks`;
/** Most bytes of a record. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;
/** Folders that are remembered. */
const MAX_REMEMBERED = 10_000;

export class OutputFolder {
  readonly path: string;
  /** Chunks of flows, which all workers with this folder share. */
  readonly chunks: ChunkFolder;
  readonly #staging: string;
  readonly #results: string;
  /** Paths of folders that outputs may be in. */
  readonly #checked = new Set<string>();

  private constructor(path: string) {
    this.path = path;
    this.#staging = join(path, OWN, 'staging');
    this.#results = join(path, OWN, 'results');
    this.chunks = new ChunkFolder(join(path, CHUNKS_FOLDER));
  }

  /** Creates the folder if it does not exist. */
  static async open(path: string): Promise<OutputFolder> {
    const folder = new OutputFolder(resolve(path));
    await mkdir(folder.#staging, { recursive: true });
    await folder.sweep();
    return folder;
  }

  /** A new, empty folder for one run of a job. */
  async stage(): Promise<string> {
    const path = join(this.#staging, `${safeHost()}-${process.pid}-${randomBytes(6).toString('hex')}`);
    await mkdir(path);
    return path;
  }

  /** Removes what killed workers of this machine have left. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#staging).catch(() => [])) {
      const [, host, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
      if (host === safeHost() && !isRunning(Number(pid)))
        await rm(join(this.#staging, name), { recursive: true, force: true });
    }
  }

  /**
   * Names and hashes of the files in a folder of stage().
   * @param name that of the job's output
   * @param known hash and size of all files together, so that a single one is not read again; undefined: unknown
   */
  async list(staged: string, name: string, known: Omit<WrittenFile, 'name'> | undefined): Promise<WrittenFile[]> {
    const folder = dirname(name);
    const names = (await readdir(staged)).filter((each) => !each.startsWith('.')).sort();
    const about = async (path: string): Promise<Omit<WrittenFile, 'name'>> =>
      known && names.length === 1 ? known : { sha256: await hashOfFile(path), bytes: (await stat(path)).size };
    return Promise.all(
      names.map(async (each) => ({
        name: folder === '.' ? each : `${folder}/${each}`,
        ...(await about(join(staged, each))),
      }))
    );
  }

  /** Gives staged files their names. @throws QueueError with the code `output` */
  async publish(staged: string, files: readonly WrittenFile[]): Promise<void> {
    for (const { name } of files) {
      const from = join(staged, basename(name));
      const folder = dirname(join(this.path, name));
      const isDone = this.#checked.has(folder) && (await isRenamed(from, join(this.path, name)));
      if (isDone) continue;
      await rename(from, await outputPath(this.path, name));
      if (this.#checked.size >= MAX_REMEMBERED) this.#checked.clear();
      this.#checked.add(folder);
    }
  }

  /** What a job has written, if all of it is still there. */
  async find(id: string): Promise<Written | undefined> {
    try {
      const path = this.#recordOf(id);
      if ((await stat(path)).size > MAX_RECORD_BYTES) return undefined;
      const written = JSON.parse(await readFile(path, 'utf8')) as Written;
      for (const { name, sha256, bytes } of written.files) {
        const file = join(this.path, name);
        if ((await stat(file)).size !== bytes || (await hashOfFile(file)) !== sha256) return undefined;
      }
      return written;
    } catch {
      // There is no record, or an output has been removed or changed: it is drawn again.
      return undefined;
    }
  }

  /** Remembers what a job has written. */
  async record(id: string, written: Written): Promise<void> {
    const path = this.#recordOf(id);
    const temporary = `${path}.${process.pid}-${randomBytes(6).toString('hex')}.part`;
    const write = (): Promise<void> => writeFile(temporary, JSON.stringify(written), { flag: 'wx' });
    await write().catch(async () => {
      // It is the first record of its folder.
      await mkdir(dirname(path), { recursive: true });
      await write();
    });
    await rename(temporary, path);
  }

  #recordOf(id: string): string {
    return join(this.#results, id.slice(0, 2), `${id}.json`);
  }
}

/** Renames a file, unless its new folder has been removed or the new name is that of a folder. */
const isRenamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    () => false
  );

const safeHost = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9.]/g, '_')
    .slice(0, 64);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
