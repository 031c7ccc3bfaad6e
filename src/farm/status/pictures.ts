// Pictures for the status page: only complete files of known types, and only from one folder.
import { realpathSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { quoted } from '../../base/printable';
import type { StatusPicture } from './types';

/** Most bytes of a picture on the page. */
const MAX_BYTES = 16 * 2 ** 20;
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  apng: 'image/apng',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
};

interface PictureFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

export class PictureFolder {
  readonly #folder: string;

  /** @throws Error if there is no such folder */
  constructor(folder: string) {
    try {
      this.#folder = realpathSync(folder);
    } catch (error) {
      throw new Error(`The folder of pictures ${quoted(folder)} does not exist or cannot be read`, { cause: error });
    }
  }

  /** The outputs that can be shown. */
  async find(outputs: readonly string[]): Promise<StatusPicture[]> {
    const found = await Promise.all(
      outputs.map(async (output) => {
        const path = await this.#pathOf(output);
        const about = path === undefined ? undefined : await stat(path).catch(() => undefined);
        if (path === undefined || !about?.isFile()) return [];
        return [{ name: relative(this.#folder, path).split(sep).join('/'), version: Math.floor(about.mtimeMs) }];
      })
    );
    return found.flat();
  }

  /** Reads a picture by its name; undefined if there is none that may be shown. */
  async read(name: string): Promise<PictureFile | undefined> {
    const path = await this.#pathOf(name);
    if (path === undefined) return undefined;
    const file = await open(path).catch(() => undefined);
    if (!file) return undefined;
    try {
      const about = await file.stat();
      if (!about.isFile() || about.size > MAX_BYTES) return undefined;
      return { bytes: await file.readFile(), type: typeOf(path)! };
    } finally {
      await file.close();
    }
  }

  /** The path without symbolic links; undefined if it leaves the folder, or is of another type. */
  async #pathOf(name: string): Promise<string | undefined> {
    if (name.includes('\0') || typeOf(name) === undefined) return undefined;
    const path = await realpath(resolve(this.#folder, name)).catch(() => undefined);
    if (path === undefined || typeOf(path) === undefined) return undefined;
    const way = relative(this.#folder, path);
    return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : path;
  }
}

const typeOf = (path: string): string | undefined => TYPES[/\.(\w+)$/.exec(path)?.[1].toLowerCase() ?? ''];
