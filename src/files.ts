// Where the package's files lie in Node: beside the module, or where an option says. A bundle has moved the module away
// from them; the messages here tell what to do about it.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LoadKernel } from './api';

/** A bundle in CommonJS has no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** Beside the built module; from the sources they are found in build/. */
function besideModule(name: string): URL {
  const built = new URL(name, here), fromSources = new URL(`../build/${name}`, here);
  return existsSync(built) || !existsSync(fromSources) ? built : fromSources;
}

/** What an option names: a file URL, or a path from the working directory. */
function named(text: string, option: string): URL {
  if (/^file:/i.test(text)) return new URL(text);
  if (/^[a-z][a-z\d+.-]+:/i.test(text))
    throw new TypeError(`create: ${option} must be a path or a file URL in Node, not "${text}"`);
  return pathToFileURL(resolve(text));
}

function missing(file: URL, what: string, option: string): Error {
  return new Error(
    `Rasterloom's ${what} ${fileURLToPath(file)} does not exist. Copy it there from node_modules/rasterloom/build, let create({ ${option} }) name ${what === 'kernel' ? 'the folder that it lies in' : 'it'}, or leave "rasterloom" out of the bundle`
  );
}

/** Read at once, in less than a millisecond: by promises a process took some 10 ms longer to its first picture. */
export const loadKernel: LoadKernel = async (build, folder) => {
  const name = `${build}.wasm`;
  const file = folder === undefined ? besideModule(name) : new URL(name, withSlash(named(folder, 'kernelUrl')));
  if (!existsSync(file)) throw missing(file, 'kernel', 'kernelUrl');
  return WebAssembly.compile(readFileSync(file));
};
const withSlash = (folder: URL): URL => new URL(folder.href.endsWith('/') ? folder.href : `${folder.href}/`);

/** The script of worker threads. @throws an Error where there is none */
export function workerFile(script: string | undefined): URL {
  const file = script === undefined ? besideModule('worker.mjs') : named(script, 'workerUrl');
  if (!existsSync(file)) throw missing(file, 'worker script', 'workerUrl');
  return file;
}
