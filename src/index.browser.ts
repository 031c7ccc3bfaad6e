/**
 * Rasterloom for browsers: as for Node, with kernels and the worker script fetched from beside this module, or from
 * where `create({ kernelUrl, workerUrl })` says.
 */
import {
  createWith, globals, inspectWith, type CreateOptions, type Declared, type InspectOptions, type ShaderReport,
} from './api';
import { fetchKernel, startWorker, WORKER_MISSING } from './files.browser';
import type { SpawnWorker, WorkerReport } from './schedule';

export { globals, type CreateOptions, type InspectOptions, type ShaderReport };
export type {
  ShaderCode, ShaderCounts, ShaderEntryPoint, ShaderMessage, ShaderOverride, ShaderResource, ShaderVariable, WasmCounts,
} from './api';
export type {
  ByForm, DeviceStatistics, DeviceTimes, LoadStoreStatistics, StateCounts, StatisticsDevice,
  StatisticsRenderPassDescriptor, SurfaceStatistics,
} from './api';
export type {
  EmptyRenderPassDescriptor, EmptyRenderPassMembers, ExtensionFeatureName, MultisampleStorageTextureBindingLayout,
  MultisampleTextureDescriptor, MultisampleTextureMembers, StatisticsRenderPassMembers,
} from './api';

const spawn = (script: string | undefined): SpawnWorker => () => {
  const worker = startWorker(script);
  return {
    post: (order) => worker.postMessage(order),
    listen: (said, ended) => {
      worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => said(data);
      worker.onerror = ({ message }) => ended(message || WORKER_MISSING);
    },
    hold: () => undefined,
    terminate: () => worker.terminate(),
  };
};

/** A GPU, as `navigator.gpu` is one. Synchronous; nothing is loaded before requestDevice(). */
export const create: (
  options?: CreateOptions | readonly string[]
) => Declared<'GPU'> = createWith(fetchKernel, {
  spawn: globalThis.crossOriginIsolated ? spawn : null, cores: navigator.hardwareConcurrency,
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
