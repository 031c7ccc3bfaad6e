// Locates the package's files in Node: next to this module, or where an option says. A bundler moves the module away
// from the files; the error messages here then say what to do.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { requireStarted, type Engine, type LoadEngine, type LoadKernel, type RecordStore } from './api';
import { BUILD_ID } from './base/build-id';
import { compileBuild, fileName, isCompressed } from './kernels';
import { CompiledFiles, isMainContext, requireText, zlib } from './node';

/** CommonJS bundles have no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** Finds a file next to the built module, or in build/ when the sources are run directly. */
function besideModule(name: string): URL {
  const built = new URL(name, here);
  const fromSources = new URL(`../build/${name}`, here);
  return existsSync(built) || !existsSync(fromSources) ? built : fromSources;
}

/** Resolves an option's value: a file URL, or a path relative to the working directory. */
export function named(text: string, option: string): URL {
  if (/^file:/i.test(text)) return new URL(text);
  if (/^[a-z][a-z\d+.-]+:/i.test(text))
    throw new TypeError(`create: ${option} must be a path or a file URL in Node, not "${text}"`);
  return pathToFileURL(resolve(text));
}

function missing(file: URL, what: string, option: string): Error {
  return new Error(
    `Rasterloom's ${what} ${fileURLToPath(file)} does not exist. Copy it there from `
      + `node_modules/rasterloom/build, set create({ ${option} }) to `
      + `${what === 'kernel' ? 'its folder' : 'its path'}, or exclude "rasterloom" from the bundle`
  );
}

/**
 * Reads the kernel synchronously, in less than 1 ms. With promises, the first picture of a process was about 10 ms
 * later.
 */
export const loadKernel: LoadKernel = async (build, folder) => {
  const name = fileName(build);
  const file = folder === undefined ? besideModule(name) : new URL(name, withSlash(named(folder, 'kernelUrl')));
  if (!existsSync(file)) throw missing(file, 'kernel', 'kernelUrl');
  const bytes = readFileSync(file);
  return compileBuild(build, isCompressed(build) ? new Uint8Array(zlib().inflateRawSync(bytes)) : bytes);
};
const withSlash = (folder: URL): URL => new URL(folder.href.endsWith('/') ? folder.href : `${folder.href}/`);

/** Compiled shaders of the command's bundled scene. */
export const shippedShaders = (): URL => besideModule('shaders.bin');

let engine: Promise<Engine> | null = null;
/** The engine is one module of the process, with its compiled code from the store of the first device that has one. */
export const loadEngine: LoadEngine = (store) => {
  engine ??= openEngine(store);
  // A failed load is tried again by the next device.
  engine.catch(() => (engine = null));
  return engine;
};

async function openEngine(store: RecordStore | null): Promise<Engine> {
  const file = new URL('engine.js', here);
  // Next to a bundle, there may be an engine.js of its own, but not the files of the command.
  if (!existsSync(file) || !existsSync(new URL('commands.cjs', here))) return importEngine();
  if (store !== null && isMainContext()) return new CompiledFiles(BUILD_ID, store).load(file) as Engine;
  return here.endsWith('.cjs') ? (requireText(fileURLToPath(file)) as Engine) : importEngine();
}

/** Bundlers follow the import. Without one, the file is next to this module. */
const importEngine = (): Promise<Engine> =>
  import('./engine')
    .catch((cause: unknown) => {
      throw new Error(
        `Rasterloom's engine could not be loaded: ${String(cause)}. Copy engine.js from `
          + 'node_modules/rasterloom/build next to the module, or exclude "rasterloom" from the bundle',
        { cause }
      );
    })
    .then(requireStarted);

/** Loads the module for the first worker: it takes 4 ms, which `import` of the package does not wait for. */
export const workerThreads = (): typeof import('node:worker_threads') =>
  createRequire(here)('node:worker_threads') as typeof import('node:worker_threads');

/** Returns the URL of the script that worker threads run. @throws Error if the file does not exist */
export function workerFile(script: string | undefined): URL {
  const file = script === undefined ? besideModule('worker.mjs') : named(script, 'workerUrl');
  if (!existsSync(file)) throw missing(file, 'worker script', 'workerUrl');
  return file;
}
