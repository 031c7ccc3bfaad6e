// Opens other files that a .gltf refers to. By default, only files in the model's own folder are allowed, after
// symbolic links are resolved. The two --allow options allow the rest of the disk and the network.
import { realpath } from 'node:fs/promises';
import { dirname, relative, isAbsolute, resolve, sep } from 'node:path';
import { ModelError } from '../../gltf/errors';
import { shortUri, type ResourceReader } from '../../gltf/files/uri';
import { openRegularFile, reason } from './files';
import { download } from './network';

interface Permissions {
  allowExternal: boolean;
  allowNetwork: boolean;
}

/** Makes a reader for the files of the model at `modelPath`; undefined: it is in no folder. */
export function resourcesOf(modelPath: string | undefined, permissions: Permissions): ResourceReader {
  return async (target, uri, reportSize) => {
    if (target.kind === 'network') {
      if (!permissions.allowNetwork)
        throw new ModelError(
          `The model names ${shortUri(uri)}, which is on the network; use --allow-network to let it be fetched.`,
          { code: 'resource' }
        );
      return download(target.url, reportSize);
    }
    if (modelPath === undefined)
      throw new ModelError(`The model needs the file ${shortUri(uri)}, but only the model itself was given.`, {
        code: 'resource',
      });
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
      return await readRegularFile(real, reportSize);
    } catch (error) {
      throw error instanceof ModelError ? error : unreadable(uri, error);
    }
  };
}

async function readRegularFile(path: string, reportSize: (bytes: number) => void): Promise<Uint8Array> {
  const file = await openRegularFile(path);
  try {
    reportSize((await file.stat()).size);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function outside(uri: string): ModelError {
  return new ModelError(
    `The model names the file ${shortUri(uri)}, which is outside its folder; use --allow-external to let it be read.`,
    { code: 'resource' }
  );
}

function unreadable(uri: string, error: unknown): ModelError {
  return new ModelError(`The model needs the file ${shortUri(uri)}, which ${reason(error)}.`, {
    code: 'resource',
    cause: error,
  });
}
