// Locates the package's files in a browser: next to this module, or where an option says. Bundlers that recognise
// `new URL('./name', import.meta.url)` with a literal name, also inside `new Worker`, move the file and rewrite the
// URL. Other bundlers leave the expression as it is; the error messages here then say what to do.
import { requireStarted, type LoadEngine, type LoadKernel } from './api';
import { compileBuild, fileName, isCompressed, type KernelBuild } from './kernels';

const FOLDER = 'node_modules/rasterloom/build';

function asWritten(build: KernelBuild): URL {
  switch (build) {
    case 'kernel':
    case 'kernel.unshared':
      return new URL('./kernel.wasm', import.meta.url);
    case 'kernel.scalar':
      return new URL('./kernel.scalar.bin', import.meta.url);
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
/**
 * The page or worker, as a base for relative URLs. A worker that was started from a `blob:` URL, which cannot be a
 * base, belongs to an origin.
 */
function pageUrl(): string {
  const { protocol, origin, href } = globalThis.location;
  return protocol === 'blob:' ? origin : href;
}
/** URL of the script that runs this code, if it is not an ES module. It is known only while the script starts. */
const SCRIPT = (globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src ?? '';
const isScript = (import.meta.url as string | undefined) === undefined && SCRIPT !== '';

/** Turbopack replaces the expression by an object whose `href` is only a path. */
const besideModule = (build: KernelBuild): URL =>
  isScript
    ? new URL(fileName(build), SCRIPT)
    : new URL(asWritten(build).href.replace(LEFT_BEHIND, `/${FOLDER}/`), pageUrl());

/** Resolves the URL of an option. Relative URLs are resolved against the page. */
const named = (value: string): URL => new URL(value, pageUrl());

function kernelUrl(build: KernelBuild, folder: string | undefined): URL {
  if (folder === undefined) return besideModule(build);
  const { href } = named(folder);
  return new URL(fileName(build), href.endsWith('/') ? href : `${href}/`);
}

/** The module in a file; what is not compressed as expected stays as it is. */
async function moduleOf(build: KernelBuild, bytes: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  if (!isCompressed(build)) return new Uint8Array(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer().catch(() => bytes));
}

const isWasm = ({ buffer }: Uint8Array): boolean =>
  buffer.byteLength >= 8 && new DataView(buffer).getUint32(0) === 0x0061736d;

const KERNEL_HINT =
  `Copy it from ${FOLDER} next to the bundle, `
  + 'or set create({ kernelUrl }) or register({ kernelUrl }) to its folder';
const VITE_HINT = "In Vite's configuration, optimizeDeps: { exclude: ['rasterloom'] } keeps it next to its module";

export const fetchKernel: LoadKernel = async (build, folder) => {
  let hint = KERNEL_HINT;
  const failed = (url: string, why: string): Error =>
    new Error(`Rasterloom's kernel ${url} could not be loaded: ${why}. ${hint}`);
  let url: URL;
  try {
    url = kernelUrl(build, folder);
    if (folder === undefined && !isScript && isLeftBehind()) hint = VITE_HINT;
  } catch (error) {
    throw failed(
      fileName(build),
      folder === undefined
        ? 'a bundle that is neither an ES module nor a script of the page does not know its own URL'
        : String(error)
    );
  }
  const response = await fetch(url).catch((error: unknown) => {
    throw failed(url.href, String(error));
  });
  if (!response.ok)
    throw failed(url.href, `the server responded with ${response.status} ${response.statusText}`.trimEnd());
  // compileStreaming is not used: many servers send another content type than application/wasm.
  const bytes = await moduleOf(build, await response.arrayBuffer());
  // Many servers answer with an HTML page where a file is missing.
  if (!isWasm(bytes))
    throw failed(
      url.href,
      `the server did not send WebAssembly; the content type is ${response.headers.get('content-type') ?? 'missing'}`
    );
  return compileBuild(build, bytes).catch((error: unknown) => {
    if (!FORBIDDEN.test(String(error))) throw error;
    throw new Error(
      `Rasterloom's kernel ${url.href} could not be compiled: the Content-Security-Policy of the page forbids `
        + "WebAssembly. Add 'wasm-unsafe-eval' to its directive script-src",
      { cause: error }
    );
  });
};
/** Matches the messages of browsers. */
const FORBIDDEN = /Content.Security.Policy|\bCSP\b/i;

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

const WORKER_MISSING =
  `its script could not be loaded. Copy worker.browser.js from ${FOLDER} next to the bundle, `
  + 'or set create({ workerUrl }) to its URL';

/** The script that the page's policy has blocked; browsers report no more of others' scripts than `blob`. */
let blocked: string | null = null;
function noteViolation({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (effectiveDirective === 'worker-src') blocked = blockedURI;
}

/** Says why a worker's script has not started: the error event carries no message in that case. */
export async function workerFailure(): Promise<string> {
  // The report of a violation may arrive after the error.
  await new Promise((done) => setTimeout(done));
  return blocked === null
    ? WORKER_MISSING
    : `the Content-Security-Policy of the page forbids their script ${blocked}. `
        + "Allow it by the directive worker-src, such as worker-src 'self' blob:";
}

/** Starts a worker. If the script does not exist, either this call throws or the worker fails immediately. */
export function startWorker(script: string | undefined): Worker {
  globalThis.addEventListener('securitypolicyviolation', noteViolation);
  if (script !== undefined) return new Worker(ofThisOrigin(named(script)), { type: 'module' });
  const besideKernel = (): URL => new URL('worker.browser.js', besideModule('kernel'));
  if (isScript || isLeftBehind()) return new Worker(ofThisOrigin(besideKernel()), { type: 'module' });
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
