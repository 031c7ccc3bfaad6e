// `inspectShader`: checks a WGSL module and shows the resulting code, for tools such as `rasterloom shader`.

import type { CompilerEnvironment, ShaderReport } from '../engine';
import { cachedSource } from '../kernels';
import { urlOption, type LoadKernel } from './create';
import type { LoadEngine } from './core/engine';
import { adapterFeatures, extensionFeatures } from './core/limits';
import type { FileUrl } from './options';
import { text } from './idl/text';

/** Options of `inspectShader`. */
export interface InspectOptions {
  /** Values of overrides, like `constants` of a pipeline: by `@id`, or by name for overrides without `@id`. */
  readonly constants?: Readonly<Record<string, number>>;
  /** Whether the report lists functions and variables at module scope, with their types. Default: false. */
  readonly declarations?: boolean;
  /** URL of the folder with the package's `kernel*.wasm` files, as in `create({ kernelUrl })`. */
  readonly kernelUrl?: FileUrl;
}

function constantsOf(given: InspectOptions['constants']): ReadonlyMap<string, number> {
  const entries = Object.entries(given ?? {});
  for (const [name, value] of entries)
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new TypeError(`inspectShader: constants: "${name}" must be a finite number`);
  return new Map(entries);
}

/** Makes `inspectShader` for one way of loading the engine and its kernels. */
export function makeInspectShader(
  loadKernel: LoadKernel,
  loadEngine: LoadEngine
): (code: string, options?: InspectOptions) => Promise<ShaderReport> {
  const compilers = new Map<string, Promise<CompilerEnvironment>>();
  const compilerAt = (kernelUrl: string | undefined): Promise<CompilerEnvironment> => {
    const key = kernelUrl ?? '';
    let compiler = compilers.get(key);
    if (compiler === undefined) {
      const source = cachedSource((build) => loadKernel(build, kernelUrl));
      compiler = loadEngine(null).then(({ openCompiler }) => openCompiler(source));
      compilers.set(key, compiler);
      // A failed load is tried again by the next call.
      compiler.catch(() => compilers.delete(key));
    }
    return compiler;
  };
  return async (code, options = {}) => {
    const source = text(code, 'inspectShader: code');
    const constants = constantsOf(options.constants);
    const compiler = await compilerAt(urlOption(options.kernelUrl, 'inspectShader: kernelUrl'));
    const { inspect } = await loadEngine(null);
    return inspect(
      source,
      constants,
      new Set([...adapterFeatures, ...extensionFeatures]),
      compiler,
      options.declarations === true
    );
  };
}
