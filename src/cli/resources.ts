// Opens the files that a .gltf names beside itself. By default only what lies inside the model's own folder,
// symbolic links followed; the two --allow options open the rest of the disk and the network.
import { lookup } from 'node:dns/promises';
import { readFile, realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, relative, isAbsolute, resolve, sep } from 'node:path';
import { ModelError, messageOf } from '../gltf/errors';
import { shortUri, type ResourceReader } from '../gltf/uri';

export interface Permissions {
  allowExternal: boolean;
  allowNetwork: boolean;
}

/** The most bytes and milliseconds that one file from the network may take. */
const MAX_DOWNLOAD_BYTES = 512 * 1024 * 1024;
const DOWNLOAD_MS = 60_000;

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
      return await readFile(real);
    } catch (error) {
      throw unreadable(uri, error);
    }
  };
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
    case 'ENAMETOOLONG': return 'has too long a name';
    default: return `cannot be read (${messageOf(error)})`;
  }
}

/** Fetches a file. Addresses of this machine and of private networks are refused: a model has no business there. */
async function download(text: string): Promise<Uint8Array> {
  const failed = (why: string): ModelError => new ModelError(
    `The model names ${shortUri(text)}, which cannot be fetched: ${why}.`
  );
  let url: URL;
  try {
    url = new URL(text.replace(/^[\\/]{2}/, 'https://'));
  } catch {
    throw failed('it is not a proper address');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    if (addresses.some(isPrivateAddress)) throw failed('it is on this machine or a private network');
    // A redirect could lead back to a private address.
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DOWNLOAD_MS) });
    if (!response.ok || !response.body) throw failed(`the server answers ${response.status}`);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > MAX_DOWNLOAD_BYTES) throw failed(`it is larger than ${MAX_DOWNLOAD_BYTES >> 20} MiB`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    throw error instanceof ModelError ? error : failed(messageOf((error as Error).cause ?? error));
  }
}

/** Loopback, link-local, private and unspecified addresses (RFC 6890), of both families. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (isIP(mapped) === 4) {
    const [a, b] = mapped.split('.').map(Number);
    return a === 0 || a === 10 || a === 127 || a >= 224 || (a === 100 && b >= 64 && b < 128) || (a === 169 && b === 254)
      || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168);
  }
  const lower = address.toLowerCase();
  return lower.startsWith('::') || /^f[cdef]/.test(lower);
}
