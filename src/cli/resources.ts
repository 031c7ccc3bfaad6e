// Opens the files that a .gltf names beside itself. By default only what lies inside the model's own folder,
// symbolic links followed; the two --allow options open the rest of the disk and the network.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, relative, isAbsolute, resolve, sep } from 'node:path';
import { ModelError, messageOf } from '../gltf/errors';
import { shortUri, type ResourceReader } from '../gltf/uri';
import { download } from './network';

export interface Permissions {
  allowExternal: boolean;
  allowNetwork: boolean;
}

/** A reader for the files of the model at `modelPath`. */
export function resourcesOf(modelPath: string, permissions: Permissions): ResourceReader {
  return async (target, uri) => {
    if (target.kind === 'network') {
      if (!permissions.allowNetwork)
        throw new ModelError(
          `The model names ${shortUri(uri)}, which is on the network; --allow-network lets it be fetched.`
        );
      return download(target.url);
    }
    const folder = await realpath(dirname(resolve(modelPath)));
    const path = resolve(folder, target.path);
    if (target.kind === 'outside' && !permissions.allowExternal) throw outside(uri);
    let real: string;
    try {
      real = await realpath(path);
    } catch (error) {
      throw unreadable(uri, error);
    }
    const way = relative(folder, real);
    if (!permissions.allowExternal && (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)))
      throw outside(uri);
    try {
      return await readRegularFile(real);
    } catch (error) {
      throw unreadable(uri, error);
    }
  };
}

/** What stands in for a file without being one: reading a FIFO would wait for ever. */
class NoFile extends Error {
  readonly code = 'NO_FILE';
}

async function readRegularFile(path: string): Promise<Uint8Array> {
  // A FIFO without a writer is opened at once; Windows, which has none, does not know the flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (!found.isFile() && !found.isDirectory()) throw new NoFile();
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function outside(uri: string): ModelError {
  return new ModelError(
    `The model names the file ${shortUri(uri)}, which is outside its folder; --allow-external lets it be read.`
  );
}

function unreadable(uri: string, error: unknown): ModelError {
  return new ModelError(`The model needs the file ${shortUri(uri)}, which ${reason(error)}.`, { cause: error });
}

/** Why a file cannot be opened, to follow "which". */
export function reason(error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'ENOENT': case 'ENOTDIR': return 'does not exist';
    case 'EACCES': case 'EPERM': return 'may not be read';
    case 'EISDIR': return 'is a folder';
    case 'NO_FILE': case 'ENXIO': return 'is no regular file';
    case 'ENAMETOOLONG': return 'has too long a name';
    default: return `cannot be read (${messageOf(error)})`;
  }
}
