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
import { createWith, globals, inspectWith, type CreateOptions, type InspectOptions, type LoadKernel, type ShaderReport } from './api';

export { globals, type CreateOptions, type InspectOptions, type ShaderReport };
export type { ShaderCode, ShaderCounts, ShaderEntryPoint, ShaderMessage, ShaderOverride, ShaderResource, ShaderVariable, WasmCounts } from './api';
export type { DeviceStatistics, DeviceTimes, StatisticsDevice, StatisticsRenderPassDescriptor } from './api';

/** Kernels stand beside the built module; from the sources they are found in build/. */
function kernelFile(name: string, base: string | URL | undefined): URL {
  if (base !== undefined) return new URL(`${name}.wasm`, directory(base));
  const here = new URL(`./${name}.wasm`, import.meta.url);
  return existsSync(here) ? here : new URL(`../build/${name}.wasm`, import.meta.url);
}
const directory = (base: string | URL): string => (String(base).endsWith('/') ? String(base) : `${String(base)}/`);
const loadKernel: LoadKernel = async (build, base) => WebAssembly.compile(await readFile(kernelFile(build, base)));

/** A GPU, as `navigator.gpu` is one. Synchronous; nothing is loaded before requestDevice(). Strings, which the `webgpu` package takes, are passed over. */
export const create: (options?: CreateOptions | readonly string[]) => GPU = createWith(loadKernel);

/**
 * Judges a WGSL module as createShaderModule and createRenderPipeline do, without a device, and shows what it is compiled to:
 *
 *     const { messages, entryPoints } = await inspectShader(code);
 *     for (const { text } of messages) console.log(text);
 *     console.log(entryPoints[0].code.ir);
 */
export const inspectShader: (code: string, options?: InspectOptions) => Promise<ShaderReport> = inspectWith(loadKernel);
