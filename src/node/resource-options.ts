// Limits on what the globals of install() may load.
import { realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { requireKnown } from '../api/idl/idl';
import { MAX_TIMER_MS } from '../base/clock';

/** What `Image` and `XMLHttpRequest` may load from `install()` until it is undone. */
export interface ResourceOptions {
  /**
   * Only files in this folder and its subfolders are read, after symbolic links are resolved. The value is a path or a
   * `file:` URL; `'/'` allows the whole disk. Devices, FIFOs and sockets are never read. Relative file names are
   * relative to the working directory, not to this folder. Default: the working directory.
   */
  readonly folder?: string | { readonly href: string };
  /**
   * Origin such as `'http://localhost'` whose URLs are files of `folder`, as if a server published it. Relative URLs
   * then belong to the page, or to this origin. Default: none.
   */
  readonly origin?: string;
  /** Called with the URL of each file that is missing in an `origin`. */
  readonly onMissing?: (url: string) => void;
  /**
   * Whether `http:` and `https:` URLs may be loaded, from any address and with redirects. `false` leaves files, `data:`
   * and `blob:` URLs. Default: true.
   */
  readonly network?: boolean;
  /** Maximum size of one file in bytes, after decompression. Default: 512 MiB. */
  readonly maxBytes?: number;
  /** Maximum time of one load in milliseconds. Default: 60 000. */
  readonly timeoutMs?: number;
  /**
   * Maximum size in bytes of the pixels that image elements and ImageBitmaps hold together, with four bytes per pixel.
   * Closed and garbage-collected bitmaps do not count. Default: 1 GiB.
   */
  readonly maxImageBytes?: number;
}

export interface ResourceLimits {
  /** Resolved path; null: the working directory at the time of the load. */
  readonly folder: string | null;
  readonly origin: string | null;
  readonly onMissing: (url: string) => void;
  readonly network: boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxImageBytes: number;
}

export const MIB = 1024 * 1024;
export const DEFAULT_LIMITS: ResourceLimits = {
  folder: null,
  origin: null,
  onMissing: () => undefined,
  network: true,
  maxBytes: 512 * MIB,
  timeoutMs: 60_000,
  maxImageBytes: 1024 * MIB,
};

function whole(options: ResourceOptions, name: 'maxBytes' | 'timeoutMs' | 'maxImageBytes', most: number): number {
  const value: unknown = options[name];
  if (value === undefined) return DEFAULT_LIMITS[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`install: resources.${name} must be a whole number from 1 to ${most}, not ${String(value)}`);
}

function folderOf(value: unknown): string | null {
  if (value === undefined) return DEFAULT_LIMITS.folder;
  const href = typeof value === 'object' && value !== null ? (value as { href?: unknown }).href : value;
  if (typeof href !== 'string' || href === '')
    throw new TypeError('install: resources.folder must be a path, or a URL of a folder');
  try {
    const path = realpathSync(/^file:/i.test(href) ? fileURLToPath(href) : href);
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    throw new Error(`install: the folder ${href} of resources.folder cannot be read`, { cause: error });
  }
  throw new Error(`install: ${href} of resources.folder is not a folder`);
}

function originOf(value: unknown): string | null {
  if (value === undefined) return DEFAULT_LIMITS.origin;
  if (typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value)) return new URL(value).origin;
  throw new TypeError(`install: resources.origin must be an origin such as 'http://localhost', not ${String(value)}`);
}

function callbackOf(value: unknown): (url: string) => void {
  if (value === undefined) return DEFAULT_LIMITS.onMissing;
  if (typeof value === 'function') return value as (url: string) => void;
  throw new TypeError('install: resources.onMissing must be a function');
}

const MEMBERS: readonly (keyof ResourceOptions)[] = [
  'folder',
  'origin',
  'onMissing',
  'network',
  'maxBytes',
  'timeoutMs',
  'maxImageBytes',
];

/** Validates the options of install(). @throws TypeError, RangeError or Error if an option is invalid */
export function resourceLimits(options: unknown): ResourceLimits {
  if (options === undefined) return DEFAULT_LIMITS;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(
      'install: resources must be an object { folder, origin, onMissing, network, maxBytes, timeoutMs, maxImageBytes }'
    );
  requireKnown(options, MEMBERS, 'install: resources');
  const given = options as ResourceOptions;
  const network: unknown = given.network ?? true;
  if (typeof network !== 'boolean') throw new TypeError('install: resources.network must be true or false');
  return {
    folder: folderOf(given.folder),
    origin: originOf(given.origin),
    onMissing: callbackOf(given.onMissing),
    network,
    maxBytes: whole(given, 'maxBytes', Number.MAX_SAFE_INTEGER),
    timeoutMs: whole(given, 'timeoutMs', MAX_TIMER_MS),
    maxImageBytes: whole(given, 'maxImageBytes', Number.MAX_SAFE_INTEGER),
  };
}
