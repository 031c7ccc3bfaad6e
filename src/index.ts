/**
 * Rasterloom for Node: WebGPU on the CPU, in WebAssembly.
 *
 *     import { create, globals } from 'rasterloom';
 *     Object.assign(globalThis, globals);
 *     const adapter = await create().requestAdapter();
 *     const device = await adapter.requestDevice();
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createWith, globals, type CreateOptions } from './api';

export { globals, type CreateOptions };
export type { DeviceStatistics, DeviceTimes, StatisticsDevice, StatisticsRenderPassDescriptor } from './api';

/** Kernels stand beside the built module; from the sources they are found in build/. */
function kernelFile(name: string, base: string | URL | undefined): URL {
  if (base !== undefined) return new URL(`${name}.wasm`, directory(base));
  const here = new URL(`./${name}.wasm`, import.meta.url);
  return existsSync(here) ? here : new URL(`../build/${name}.wasm`, import.meta.url);
}
const directory = (base: string | URL): string => (String(base).endsWith('/') ? String(base) : `${String(base)}/`);

/** A GPU, as `navigator.gpu` is one. Synchronous; nothing is loaded before requestDevice(). Strings, which the `webgpu` package takes, are passed over. */
export const create: (options?: CreateOptions | readonly string[]) => GPU = createWith(async (build, base) => WebAssembly.compile(await readFile(kernelFile(build, base))));
