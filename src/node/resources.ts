// Loads URLs and paths of files in Node. Names may come from strangers, for example from a model. Files must therefore
// be regular files in one folder, and sizes and times are limited.
import { constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { shortUri } from '../gltf/files/uri';
import { process } from './host';
import { DEFAULT_LIMITS, type ResourceLimits } from './resource-options';

let limits: ResourceLimits = DEFAULT_LIMITS;
/** Sets the limits of later loads; install() sets its own until it is undone. */
export const setResourceLimits = (now: ResourceLimits = DEFAULT_LIMITS): void => {
  limits = now;
};
export const imageBytesLimit = (): number => limits.maxImageBytes;
export const bytesLimit = (): number => limits.maxBytes;

/** A loaded resource with its complete `body`. */
interface Resource {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Response;
}

const limitHint = (name: keyof ResourceLimits): string => `; install({ resources: { ${name} } }) sets it`;

/** Resolves a URL or a path. A path is relative to the page of an origin, or else to the working directory. */
export function resolveName(name: string): URL {
  if (URL.canParse(name)) return new URL(name);
  const { origin } = limits;
  if (origin === null) return pathToFileURL(name);
  const { baseURI = '' } = ((globalThis as { document?: unknown }).document ?? {}) as { readonly baseURI?: string };
  return new URL(name, baseURI.startsWith(`${origin}/`) ? baseURI : origin);
}

/** Whether a URL is that of a file, possibly by an origin that stands for a folder. */
export const isLocal = ({ protocol, origin }: URL): boolean => protocol === 'file:' || origin === limits.origin;

/** Returns the path of a local URL. */
function pathOf(url: URL, { folder }: ResourceLimits): string {
  if (url.protocol === 'file:') return fileURLToPath(url);
  return resolve(folder ?? process.cwd(), `.${decodeURIComponent(url.pathname)}`);
}

/** The limits that a worker shares with its page. */
export function workerLimits(): Omit<ResourceLimits, 'onMissing'> {
  const { onMissing: _, ...shared } = limits;
  return shared;
}

/** Returns the URL from which Node imports a module: that of a file, if it is local. */
export const moduleUrl = (url: URL): string => (isLocal(url) ? pathToFileURL(pathOf(url, limits)).href : url.href);

/** Reads a local file at once, for importScripts(). @throws Error if the file is not local, or beyond the limits */
export function readTextNow(name: string, now: ResourceLimits): string {
  const url = resolveName(name);
  if (!isLocal(url)) throw new Error(`importScripts: ${shortUri(name)} is not a file; load it by fetch() before`);
  const named = now.folder ?? process.cwd();
  const real = realpathSync(pathOf(url, now));
  if (!isInside(realpathSync(named), real))
    throw new Error(`importScripts: the file ${shortUri(name)} is outside the folder ${named}${limitHint('folder')}`);
  const found = statSync(real);
  // Reading a FIFO may block.
  if (!found.isFile()) throw new Error(`importScripts: ${shortUri(name)} is not a regular file`);
  if (found.size > now.maxBytes) throw tooLarge(name, now.maxBytes);
  return readFileSync(real, 'utf8');
}

/** @throws Error if a URL is on the network, and the network is closed */
export function requireNetwork(name: string): void {
  if (!limits.network && !/^(data|blob):/i.test(name))
    throw new Error(`${shortUri(name)} is on the network, which install({ resources: { network: false } }) forbids`);
}

/** Types of files that WebAssembly, modules and images are checked by, by the endings of their names. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
};
function fileHeaders(path: string, length: number): Headers {
  const type = TYPES[extname(path).toLowerCase()];
  return new Headers({ 'content-length': String(length), ...(type !== undefined && { 'content-type': type }) });
}

/** Like `fetch`, but also loads files, whose names resolveName() resolves. */
export function fetchResource(name: string, init: RequestInit = {}): Promise<Resource> {
  const now = limits;
  return withTimeout(name, now.timeoutMs, init.signal, async (signal) => {
    const url = resolveName(name);
    if (isLocal(url)) {
      const path = pathOf(url, now);
      const bytes = await readWithin(path, name, now, signal).catch((error: unknown) => {
        if (url.protocol === 'file:' || (error as { code?: unknown }).code !== 'ENOENT') throw error;
        now.onMissing(url.href);
        return null;
      });
      if (bytes === null) {
        const body = new Response(`${shortUri(name)} was not found`);
        return { status: 404, statusText: 'Not Found', url: url.href, headers: new Headers(), body };
      }
      const headers = fileHeaders(path, bytes.length);
      const type = headers.get('content-type');
      // A blob of the body gets its type.
      const body = new Response(bytes, type === null ? {} : { headers: { 'content-type': type } });
      return { status: 200, statusText: 'OK', url: url.href, headers, body };
    }
    requireNetwork(name);
    return receive(await fetch(url, { ...init, signal }), name, now.maxBytes);
  });
}

/** Runs `work` with a signal that is aborted when the time is over, or when the caller aborts. */
function withTimeout<T>(
  name: string,
  ms: number,
  outer: AbortSignal | null | undefined,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const abort = new AbortController();
  return new Promise<T>((done, failed) => {
    const stop = (reason: Error): void => {
      failed(reason);
      abort.abort(reason);
    };
    const timer = setTimeout(
      () => stop(new Error(`${shortUri(name)} did not arrive within ${ms} ms${limitHint('timeoutMs')}`)),
      ms
    );
    const onAbort = (): void => stop(outer!.reason as Error);
    if (outer?.aborted === true) onAbort();
    else outer?.addEventListener('abort', onAbort);
    work(abort.signal)
      .then(done, failed)
      .finally(() => {
        clearTimeout(timer);
        outer?.removeEventListener('abort', onAbort);
      });
  });
}

const tooLarge = (name: string, most: number): Error =>
  new Error(`${shortUri(name)} is larger than ${most} bytes${limitHint('maxBytes')}`);

async function receive(response: Response, name: string, most: number): Promise<Resource> {
  const { status, statusText, url, headers } = response;
  const pieces: Uint8Array[] = [];
  let size = 0;
  // An exception in the loop cancels the rest of the response.
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > most) throw tooLarge(name, most);
    pieces.push(piece);
  }
  const type = headers.get('content-type');
  return {
    status,
    statusText,
    url,
    headers,
    body: new Response(new Blob(pieces as BlobPart[], type === null ? {} : { type })),
  };
}

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Reads a regular file of the folder. Paths outside the folder cause no access to the disk. */
async function readWithin(
  path: string,
  name: string,
  { folder, maxBytes }: ResourceLimits,
  signal: AbortSignal
): Promise<Uint8Array<ArrayBuffer>> {
  const named = folder ?? process.cwd();
  const root = await realpath(named);
  const wanted = resolve(path);
  const outside = (): Error =>
    new Error(`the file ${shortUri(name)} is outside the folder ${named}${limitHint('folder')}`);
  if (!isInside(named, wanted) && !isInside(root, wanted)) throw outside();
  const real = await realpath(wanted);
  if (!isInside(root, real)) throw outside();
  const irregular = (): Error => new Error(`${shortUri(name)} is not a regular file`);
  // Opening a device may have effects, and opening a FIFO may block.
  if (!(await lstat(real)).isFile()) throw irregular();
  // Windows has neither flag.
  const file = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await file.stat().then((found) => {
      if (!found.isFile()) throw irregular();
      return found;
    });
    if (size > maxBytes) throw tooLarge(name, maxBytes);
    return await readAll(file, size, { name, most: maxBytes, signal });
  } finally {
    await file.close();
  }
}

const PIECE_BYTES = 4 << 20;
interface Bounds {
  readonly name: string;
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Reads a file to its actual end: a file may grow, and files in /proc report a size of 0. */
async function readAll(
  file: Awaited<ReturnType<typeof open>>,
  size: number,
  { name, most, signal }: Bounds
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    if (signal.aborted) throw signal.reason;
    if (length === bytes.length) {
      const larger = new Uint8Array(Math.min(most, length * 2 + 65536) + 1);
      larger.set(bytes);
      bytes = larger;
    }
    const { bytesRead } = await file.read(bytes, length, Math.min(PIECE_BYTES, bytes.length - length), null);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length > most) throw tooLarge(name, most);
  }
}
