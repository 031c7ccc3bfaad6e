// What may be loaded by the names that install() puts in place.
import { realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What `Image` and `XMLHttpRequest` may load, whoever makes them until what `install()` returned is called. */
export interface ResourceOptions {
  /**
   * Files are read from this folder and what it holds, symbolic links followed, and from nowhere else: a path, or a URL
   * of `file:`. Devices, FIFOs and sockets are never read. `'/'` opens the disk. Relative names are those of the
   * working folder as ever. Default: the working folder.
   */
  readonly folder?: string | { readonly href: string };
  /**
   * Whether `http:` and `https:` are loaded, any address of them, with redirects. `false` leaves files, `data:` and
   * `blob:`. Default: true.
   */
  readonly network?: boolean;
  /** Bytes of one file, as they are when unpacked. Default: 512 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds that loading one may take. Default: 60 000. */
  readonly timeoutMs?: number;
  /**
   * Bytes of pixels that image elements and ImageBitmaps may hold together, four for each pixel. Bitmaps that are
   * closed, or that nobody has any more, do not count. Default: 1 GiB.
   */
  readonly maxImageBytes?: number;
}

export interface ResourceLimits {
  /** Resolved; null: the working folder, as it is when something is loaded. */
  readonly folder: string | null;
  readonly network: boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxImageBytes: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_LIMITS: ResourceLimits = {
  folder: null, network: true, maxBytes: 512 * MIB, timeoutMs: 60_000, maxImageBytes: 1024 * MIB,
};
/** What timers of Node take. */
const MOST_MS = 0x7fff_ffff;

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
  throw new Error(`install: ${href} of resources.folder is no folder`);
}

/** @throws TypeError, RangeError or Error for what cannot be meant */
export function resourceLimits(options: unknown): ResourceLimits {
  if (options === undefined) return DEFAULT_LIMITS;
  if (typeof options !== 'object' || options === null)
    throw new TypeError('install: resources must be an object { folder, network, maxBytes, timeoutMs }');
  const given = options as ResourceOptions, network: unknown = given.network ?? true;
  if (typeof network !== 'boolean') throw new TypeError('install: resources.network must be true or false');
  return {
    folder: folderOf(given.folder), network, maxBytes: whole(given, 'maxBytes', Number.MAX_SAFE_INTEGER),
    timeoutMs: whole(given, 'timeoutMs', MOST_MS),
    maxImageBytes: whole(given, 'maxImageBytes', Number.MAX_SAFE_INTEGER),
  };
}
