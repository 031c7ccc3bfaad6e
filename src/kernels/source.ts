// Which kernel build a device takes, and how its bytes are had: the entry points of the package differ in this alone.

/**
 * File names (without `.wasm`) of the builds in the package; `testing` is not in it: only the project's own tests have
 * that one.
 */
export type KernelBuild = 'kernel' | 'kernel.unshared' | 'kernel.scalar' | 'testing';
export type KernelSource = (build: KernelBuild) => Promise<WebAssembly.Module>;

/**
 * `simd: false` asks for the scalar build, for measuring and for engines without SIMD. Throws where it cannot be had.
 */
export function chooseBuild(shared: boolean, simd: boolean): KernelBuild {
  if (!simd && !shared)
    throw new Error('create({ simd: false }): the scalar kernel needs shared memory, which this engine does not give');
  if (!simd) return 'kernel.scalar';
  return shared ? 'kernel' : 'kernel.unshared';
}

/** Compiled once per process: modules are immutable and shared by devices. */
export function cachedSource(load: (build: KernelBuild) => Promise<WebAssembly.Module>): KernelSource {
  const modules = new Map<KernelBuild, Promise<WebAssembly.Module>>();
  return (build) => {
    let module = modules.get(build);
    if (!module) {
      module = load(build);
      modules.set(build, module);
      // A failed load is not remembered: the next device may try again.
      module.catch(() => modules.delete(build));
    }
    return module;
  };
}

/**
 * The functions that the JIT takes into emitted modules (assembly/warp/inlines.ts), which travel in a section of the
 * kernel; null where it has none, as the scalar build and kernels compiled by hand: the JIT is not to be had there.
 */
export function inlinesOf(module: WebAssembly.Module): Uint8Array | null {
  const section = WebAssembly.Module.customSections(module, 'inlines')[0];
  return section === undefined ? null : new Uint8Array(section);
}
