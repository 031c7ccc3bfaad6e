// Decides which addresses a worker may use. Addresses come from a queue, so they are data: the person who starts the
// worker names folders and beginnings of addresses.
import { realpathSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPrivateAddress } from '../../node/models/network';
import { PRIVATE_HOST, type StorageError, type Subject } from './errors';

/** An address, by its kind. */
export type Place =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'http'; readonly url: URL }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string };

/** Reads an address. @throws StorageError */
export function placeOf(address: string, subject: Subject): Place {
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(address)?.[1].toLowerCase();
  try {
    switch (scheme) {
      case undefined:
        return { kind: 'file', path: resolve(address) };
      case 'file':
        return { kind: 'file', path: fileURLToPath(address) };
      case 'http':
      case 'https':
        return { kind: 'http', url: new URL(address) };
      case 's3':
        return bucketAndKey(address);
    }
  } catch (error) {
    throw subject.error('address', 'is not a valid address', error);
  }
  throw subject.error('address', `begins with ${scheme}:, and only paths, file:, http:, https: and s3: are supported`);
}

function bucketAndKey(address: string): Place {
  const [, bucket, key] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/(.*)$/i.exec(address) ?? [];
  // Some services take such parts of a key for folders.
  if (bucket === undefined || key.split('/').some((part) => part === '.' || part === '..'))
    throw new TypeError('The address names no bucket and key');
  return { kind: 's3', bucket, key };
}

/** Whether a path is in a folder, or is the folder. Both are absolute, without symbolic links. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Folders and beginnings of addresses that may be used. */
export class AllowedPlaces {
  readonly #places: readonly Place[];

  /** @throws StorageError for an entry that cannot be used */
  constructor(entries: readonly string[], subjectOf: (entry: string) => Subject) {
    this.#places = entries.map((entry) => {
      const subject = subjectOf(entry);
      const place = placeOf(entry, subject);
      if (place.kind === 'file') return { kind: 'file', path: realFolder(place.path, subject) };
      const end = place.kind === 's3' ? place.key : place.url.pathname;
      if (end !== '' && !end.endsWith('/'))
        throw subject.error('address', 'does not end with a slash, so it would also allow longer names');
      return place;
    });
  }

  /** The named folder that contains a path without symbolic links. */
  folderOf(path: string): string | undefined {
    for (const place of this.#places) if (place.kind === 'file' && isInside(place.path, path)) return place.path;
    return undefined;
  }

  hasObject(bucket: string, key: string): boolean {
    return this.#places.some((place) => place.kind === 's3' && place.bucket === bucket && key.startsWith(place.key));
  }

  hasUrl(url: URL): boolean {
    // The server may decode these to slashes, and then leave the folder.
    if (/%2f|%5c/i.test(url.pathname)) return false;
    return this.#places.some(
      (place) => place.kind === 'http' && place.url.origin === url.origin && url.pathname.startsWith(place.url.pathname)
    );
  }
}

function realFolder(path: string, subject: Subject): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw subject.failed(error);
  }
}

/** Why a host may not be used; undefined if its name still has to be resolved, or if it may be used. */
export function refusedHost(url: URL, allowsPrivate: boolean, subject: Subject): StorageError | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowsPrivate || isIP(host) === 0 || !isPrivateAddress(host)) return undefined;
  return subject.error('refused', PRIVATE_HOST);
}
