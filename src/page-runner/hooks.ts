// Hooks of Node's module loader that load the modules of a page: by its import map, from its folder, or from the
// network if that is open. They run in a thread of the loader. https://nodejs.org/api/module.html#customization-hooks
import { readFile, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve as resolvePath, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveSpecifier } from './import-map';
import { ORIGIN, type HookData } from './order';

interface Resolved {
  readonly url: string;
  readonly format?: string | null;
  readonly shortCircuit?: boolean;
}
interface Context {
  readonly parentURL?: string;
  readonly conditions?: readonly string[];
  readonly importAttributes?: Readonly<Record<string, string>>;
}
interface Loaded {
  readonly format: string;
  readonly source: string | Uint8Array;
  readonly shortCircuit: true;
}

/** Conditions of package.json that bundlers for pages use. */
const CONDITIONS = ['browser', 'module', 'import', 'default'];

let data: HookData;
export const initialize = (given: HookData): void => {
  data = given;
};

const isOfPage = (url: string): boolean => url === ORIGIN || url.startsWith(`${ORIGIN}/`);
const isRemote = (url: string): boolean => /^https?:/.test(url) && !isOfPage(url);

/** Counts a load, so that the virtual time waits for it. */
async function counted<T>(work: () => Promise<T>): Promise<T> {
  Atomics.add(data.loading, 0, 1);
  Atomics.add(data.loading, 1, 1);
  try {
    return await work();
  } finally {
    Atomics.sub(data.loading, 0, 1);
  }
}

export function resolve(
  specifier: string,
  context: Context,
  next: (specifier: string, context: object) => Promise<Resolved>
): Promise<Resolved> {
  const { parentURL = data.url } = context;
  if (!isOfPage(specifier) && !isOfPage(parentURL) && !isRemote(parentURL)) return next(specifier, context);
  return counted(async () => {
    const url = resolveSpecifier(data.map, specifier, parentURL);
    if (url === null) return resolvePackage(specifier, parentURL, next, context);
    if (isRemote(url) && !data.network)
      throw new Error(`the module ${url} is on the network, which is closed; --allow-network opens it`);
    return { url, format: context.importAttributes?.type === 'json' ? 'json' : 'module', shortCircuit: true };
  });
}

/** Resolves a name that is not in the import map, as bundlers do: in node_modules. */
async function resolvePackage(
  specifier: string,
  parentURL: string,
  next: (specifier: string, context: object) => Promise<Resolved>,
  context: Context
): Promise<Resolved> {
  const parent = pathToFileURL(isOfPage(parentURL) ? pathOf(parentURL) : data.folder).href;
  const found = await next(specifier, { ...context, conditions: CONDITIONS, parentURL: parent }).catch(() => null);
  if (found !== null && !found.url.startsWith('node:')) return found;
  throw new Error(
    `the module "${specifier}" of ${parentURL} is not in the page's import map, and not installed as a package`
  );
}

const pathOf = (url: string): string => resolvePath(data.folder, `.${decodeURIComponent(new URL(url).pathname)}`);

export function load(
  url: string,
  context: Resolved,
  next: (url: string, context: object) => Promise<Loaded>
): Promise<Loaded> {
  if (!isOfPage(url) && !isRemote(url)) return counted(() => next(url, context));
  const format = context.format ?? 'module';
  return counted(async () => ({ format, source: data.inline[url] ?? (await read(url)), shortCircuit: true }));
}

async function read(url: string): Promise<Uint8Array> {
  if (isRemote(url)) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the module ${url} could not be fetched: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
  const path = await realpath(pathOf(url)).catch(() => null);
  const { pathname } = new URL(url);
  if (path === null) throw new Error(`the file ${pathname} of the page was not found in ${data.folder}`);
  const way = relative(data.folder, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Error(`the file ${pathname} leads to ${path}, outside ${data.folder}; choose a root that holds both`);
  return readFile(path);
}
