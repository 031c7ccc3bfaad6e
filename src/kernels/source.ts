// Selects the kernel build of a device and loads it. The entry points of the package differ only in how they load it.
import { unshareMemory } from './unshared-memory';

/** Kernels, each with a file of its own. `testing` is not in the package; only the project's own tests have it. */
type KernelFile = 'kernel' | 'kernel.scalar' | 'testing';
/** `kernel.unshared` is the code of `kernel` for memory that is not shared. */
export type KernelBuild = KernelFile | 'kernel.unshared';
export type KernelSource = (build: KernelBuild) => Promise<WebAssembly.Module>;

/**
 * Chooses the build. `simd: false` requests the scalar build, for measurements and for engines without SIMD.
 * @throws Error if no build fits
 */
export function chooseBuild(shared: boolean, simd: boolean): KernelBuild {
  if (!simd && !shared)
    throw new Error('create({ simd: false }): the scalar kernel needs shared memory, which is unavailable here');
  if (!simd) return 'kernel.scalar';
  return shared ? 'kernel' : 'kernel.unshared';
}

const fileOf = (build: KernelBuild): KernelFile => (build === 'kernel.unshared' ? 'kernel' : build);

/** The scalar kernel is in the package compressed (deflate, without a header), which few devices need. */
export const isCompressed = (build: KernelBuild): boolean => build === 'kernel.scalar';

/** The name of the file of a build, in the folder of the package's files. */
export const fileName = (build: KernelBuild): string => `${fileOf(build)}.${isCompressed(build) ? 'bin' : 'wasm'}`;

/** Compiles a build from the bytes of its module, which may change. */
export function compileBuild(build: KernelBuild, bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  if (build === 'kernel.unshared') unshareMemory(bytes);
  return WebAssembly.compile(bytes);
}

/** Each build is compiled once per process: modules are immutable and shared by devices. */
export function cachedSource(load: (build: KernelBuild) => Promise<WebAssembly.Module>): KernelSource {
  const modules = new Map<KernelBuild, Promise<WebAssembly.Module>>();
  return (build) => {
    let module = modules.get(build);
    if (!module) {
      module = load(build);
      modules.set(build, module);
      // A failed load is not cached, so that the next device may try again.
      module.catch(() => modules.delete(build));
    }
    return module;
  };
}

/**
 * The functions that the JIT inlines into compiled modules (assembly/warp/inlines.ts), from a custom section of the
 * kernel. Null if there is no such section, as in the scalar build and in kernels compiled by hand; the JIT is then
 * unavailable.
 */
export function inlinesOf(module: WebAssembly.Module): Uint8Array | null {
  const section = WebAssembly.Module.customSections(module, 'inlines')[0];
  return section === undefined ? null : new Uint8Array(section);
}
