// Opens other files that a .gltf refers to. By default, only files in the model's own folder are allowed, after
// symbolic links are resolved. The two --allow options allow the rest of the disk and the network.
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, relative, isAbsolute, resolve, sep } from 'node:path';
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import { ModelError } from '../../gltf/errors';
import { shortUri, type ResourceReader } from '../../gltf/files/uri';
import { openRegularFile, reason } from './files';
import { download } from './network';

interface Permissions {
  allowExternal: boolean;
  allowNetwork: boolean;
}

/** Entries of a folder that are compared with the name of a missing file. */
const MOST_NAMES = 2000;

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
    const isAllowed = (real: string): boolean => permissions.allowExternal || isInside(folder, real);
    let real: string;
    try {
      real = await realpath(path);
    } catch (error) {
      throw unreadable(uri, error, isMissing(error) ? await adviceFor(path, isAllowed) : '');
    }
    if (!isAllowed(real)) throw outside(uri);
    try {
      return await readRegularFile(real, reportSize);
    } catch (error) {
      throw error instanceof ModelError ? error : unreadable(uri, error);
    }
  };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

/** Names that differ only in their letters' case, in percent escapes or in Unicode's composed and decomposed forms. */
function plainName(name: string): string {
  let text = name;
  try {
    text = decodeURIComponent(name);
  } catch {
    // A name with a percent sign.
  }
  return text.normalize('NFC').toLowerCase();
}

/**
 * What to do about a file that is missing, as the end of a message. If there is a similar name instead of that of the
 * file, or of its folder, the message has both.
 */
async function adviceFor(path: string, isAllowed: (folder: string) => boolean): Promise<string> {
  let missing = path;
  let folder: string | undefined;
  while (folder === undefined && missing !== dirname(missing)) {
    folder = await realpath(dirname(missing)).catch(() => undefined);
    if (folder === undefined) missing = dirname(missing);
  }
  const isReadable = folder !== undefined && isAllowed(folder);
  const names = isReadable ? (await readdir(folder!).catch(() => [])).slice(0, MOST_NAMES) : [];
  const wanted = basename(missing);
  const plain = [wanted, wanted.replace(/[?#].*$/, '')].map(plainName);
  const similar = names.find((name) => plain.includes(plainName(name))) ?? closestWord(wanted, names);
  if (similar === undefined) return '; copy it there, or export the model as one .glb';
  if (similar.normalize('NFC') === wanted.normalize('NFC'))
    return `; the name ${quoted(similar)} looks the same but has other code points: rename it`;
  return `; instead of ${quoted(wanted)} there is ${quoted(similar)}: rename it, or change the name in the model`;
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

function unreadable(uri: string, error: unknown, advice = ''): ModelError {
  return new ModelError(`The model needs the file ${shortUri(uri)}, which ${reason(error)}${advice}.`, {
    code: 'resource',
    cause: error,
  });
}
