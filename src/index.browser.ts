/**
 * Rasterloom for browsers: as for Node, with kernels fetched from beside this module or from `create({ kernelUrl })`.
 */
import { createWith, globals, inspectWith, type CreateOptions, type InspectOptions, type ShaderReport } from './api';
import { readImage, registerWith } from './page';
import type { SpawnWorker, WorkerReport } from './schedule';

export { cancelAnimationFrame, requestAnimationFrame } from './page';
export { globals, type CreateOptions, type InspectOptions, type ShaderReport };
export type {
  ShaderCode, ShaderCounts, ShaderEntryPoint, ShaderMessage, ShaderOverride, ShaderResource, ShaderVariable, WasmCounts,
} from './api';
export type {
  ByForm, DeviceStatistics, DeviceTimes, LoadStoreStatistics, StateCounts, StatisticsDevice,
  StatisticsRenderPassDescriptor, SurfaceStatistics,
} from './api';
export type {
  EmptyRenderPassDescriptor, MultisampleStorageTextureBindingLayout, MultisampleTextureDescriptor,
} from './api';

const directory = (base: string | URL): URL => new URL(
  String(base).endsWith('/') ? String(base) : `${String(base)}/`, globalThis.location.href
);

async function fetchKernel(name: string, base: string | URL | undefined): Promise<WebAssembly.Module> {
  const url = base === undefined
    ? new URL(`./${name}.wasm`, import.meta.url)
    : new URL(`${name}.wasm`, directory(base));
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(
      `Rasterloom's kernel ${url.href} could not be fetched: ${response.status} ${response.statusText}; create({ kernelUrl }) says where it lies`
    );
  // Not compileStreaming: servers that send another type than application/wasm are common.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A module worker, from beside this module: bundlers know this form. */
const spawn: SpawnWorker = () => {
  const worker = new Worker(new URL('./worker.browser.js', import.meta.url), { type: 'module' });
  return {
    post: (order) => worker.postMessage(order),
    listen: (said, ended) => {
      worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => said(data);
      worker.onerror = ({ message }) => ended(message || 'its script could not be loaded');
    },
    hold: () => undefined,
    terminate: () => worker.terminate(),
  };
};

/** A GPU, as `navigator.gpu` is one. Synchronous; nothing is loaded before requestDevice(). */
export const create: (
  options?: CreateOptions | readonly string[]
) => GPU = createWith(fetchKernel, {
  spawn: globalThis.crossOriginIsolated ? spawn : null, cores: navigator.hardwareConcurrency, readImage,
});

/**
 * Judges a WGSL module as createShaderModule and createRenderPipeline do, without a device, and shows what it is
 * compiled to:
 *
 *     const { messages, entryPoints } = await inspectShader(code);
 *     for (const { text } of messages) console.log(text);
 *     console.log(entryPoints[0].code.ir);
 */
export const inspectShader: (
  code: string, options?: InspectOptions
) => Promise<ShaderReport> = inspectWith(fetchKernel);

/**
 * What `rasterloom/register` does: installs Rasterloom in this page, or worker, as `navigator.gpu`, with canvases'
 * contexts and a requestAnimationFrame that waits for frames, where the browser has no WebGPU or no adapter for it.
 */
export const register = (): void => registerWith(create, globals);

const forNode = (name: string, instead: string): never => {
  throw new Error(`${name} is for Node: ${instead}`);
};
export const install = (): never => forNode('install', "pages have what it installs; import 'rasterloom/register'");
export const createCanvas = (): never => forNode('createCanvas', 'pages have canvas elements and OffscreenCanvas');
