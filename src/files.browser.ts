// Locates the package's files in a browser: next to this module, or where an option says. Bundlers that recognise
// `new URL('./name', import.meta.url)` with a literal name, also inside `new Worker`, move the file and rewrite the
// URL. Other bundlers leave the expression as it is; the error messages here then say what to do.
import { requireStarted, type LoadEngine, type LoadKernel } from './api';
import { compileBuild, fileOf, type KernelFile } from './kernels';

const FOLDER = 'node_modules/rasterloom/build';

function asWritten(file: KernelFile): URL {
  switch (file) {
    case 'kernel':
      return new URL('./kernel.wasm', import.meta.url);
    case 'kernel.scalar':
      return new URL('./kernel.scalar.wasm', import.meta.url);
    case 'testing':
      throw new Error('the testing kernel is not in the package');
  }
}

/**
 * Matches module URLs inside Vite's dependency cache. Vite's development server bundles every dependency into
 * node_modules/.vite/deps; tools that are based on Vite use similar folders. Before version 8, Vite does not copy the
 * files next to a module, so they must be loaded from the package's own folder.
 */
const LEFT_BEHIND = /\/node_modules\/\.(?:[^/]+\/)+deps[^/]*\/(?=[^/]*$)/;
function isLeftBehind(): boolean {
  return LEFT_BEHIND.test(asWritten('kernel').href);
}
const besideModule = (file: KernelFile): URL => new URL(asWritten(file).href.replace(LEFT_BEHIND, `/${FOLDER}/`));

/** Resolves the URL of an option. Relative URLs are resolved against the page. */
const named = (value: string): URL => new URL(value, globalThis.location.href);

function kernelUrl(file: KernelFile, folder: string | undefined): URL {
  if (folder === undefined) return besideModule(file);
  const { href } = named(folder);
  return new URL(`${file}.wasm`, href.endsWith('/') ? href : `${href}/`);
}

const isWasm = ({ buffer }: Uint8Array): boolean =>
  buffer.byteLength >= 8 && new DataView(buffer).getUint32(0) === 0x0061736d;

const KERNEL_HINT = `Copy it from ${FOLDER} next to the bundle, or set create({ kernelUrl }) to its folder`;
const VITE_HINT = "In Vite's configuration, optimizeDeps: { exclude: ['rasterloom'] } keeps it next to its module";

export const fetchKernel: LoadKernel = async (build, folder) => {
  const file = fileOf(build);
  let hint = KERNEL_HINT;
  const failed = (url: string, why: string): Error =>
    new Error(`Rasterloom's kernel ${url} could not be loaded: ${why}. ${hint}`);
  let url: URL;
  try {
    url = kernelUrl(file, folder);
    if (folder === undefined && isLeftBehind()) hint = VITE_HINT;
  } catch (error) {
    throw failed(
      `${file}.wasm`,
      folder === undefined ? 'a bundle that is not an ES module does not know its own URL' : String(error)
    );
  }
  const response = await fetch(url).catch((error: unknown) => {
    throw failed(url.href, String(error));
  });
  if (!response.ok)
    throw failed(url.href, `the server responded with ${response.status} ${response.statusText}`.trimEnd());
  // compileStreaming is not used: many servers send another content type than application/wasm.
  const bytes = new Uint8Array(await response.arrayBuffer());
  // Many servers answer with an HTML page where a file is missing.
  if (!isWasm(bytes))
    throw failed(
      url.href,
      `the server did not send WebAssembly; the content type is ${response.headers.get('content-type') ?? 'missing'}`
    );
  return compileBuild(build, bytes);
};

/** Bundlers follow the import. Without one, the file is next to this module. */
export const loadEngine: LoadEngine = () =>
  import('./engine')
    .catch((cause: unknown) => {
      throw new Error(
        `Rasterloom's engine could not be loaded: ${String(cause)}. Copy engine.js from ${FOLDER} next to the module`,
        { cause }
      );
    })
    .then(requireStarted);

/** Reason that is reported when a worker's script does not start; the error event carries no message in that case. */
export const WORKER_MISSING =
  `its script could not be loaded. Copy worker.browser.js from ${FOLDER} next to the bundle, `
  + 'or set create({ workerUrl }) to its URL';

/** Starts a worker. If the script does not exist, either this call throws or the worker fails immediately. */
export function startWorker(script: string | undefined): Worker {
  if (script !== undefined) return new Worker(ofThisOrigin(named(script)), { type: 'module' });
  const besideKernel = (): URL => new URL('worker.browser.js', besideModule('kernel'));
  if (isLeftBehind()) return new Worker(besideKernel(), { type: 'module' });
  try {
    return new Worker(new URL('./worker.browser.js', import.meta.url), { type: 'module' });
  } catch {
    // The module was loaded from another origin, for example from a CDN.
    return new Worker(ofThisOrigin(besideKernel()), { type: 'module' });
  }
}

/** Workers start only from the page's own origin, but they may import modules from other origins. */
function ofThisOrigin(script: URL): string | URL {
  if (script.origin === globalThis.location.origin || !/^https?:/.test(script.protocol)) return script;
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(script.href)};`], { type: 'text/javascript' }));
}
