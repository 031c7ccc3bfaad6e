/**
 * Rasterloom for Node: WebGPU on the CPU, in WebAssembly.
 *
 *     import { create, globals } from 'rasterloom';
 *     Object.assign(globalThis, globals);
 *     const adapter = await create().requestAdapter();
 *     const device = await adapter.requestDevice();
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import {
  createWith, globals, inspectWith, type CreateOptions, type Declared, type InspectOptions, type ShaderReport,
} from './api';
import { loadKernel, workerFile } from './files';
import type { SpawnWorker } from './schedule';

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
  // Not the options that the process was started with: some are for its main thread alone (--input-type).
  const worker = new Worker(workerFile(script), { execArgv: [] });
  return {
    post: (order) => worker.postMessage(order),
    listen: (said, ended) => {
      worker.on('message', said);
      worker.on('error', (error) => ended(error instanceof Error ? error.message : String(error)));
      worker.on('exit', (code) => ended(`it exited with code ${code}`));
      // A listener keeps the process alive: so this comes last.
      worker.unref();
    },
    hold: (held) => (held ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
};

/**
 * A GPU, as `navigator.gpu` is one. Synchronous; nothing is loaded before requestDevice(). Strings, which the `webgpu`
 * package takes, are passed over.
 */
export const create: (
  options?: CreateOptions | readonly string[]
) => Declared<'GPU'> = createWith(loadKernel, { spawn, cores: availableParallelism() });

/**
 * Judges a WGSL module as createShaderModule and createRenderPipeline do, without a device, and shows what it is
 * compiled to:
 *
 *     const { messages, entryPoints } = await inspectShader(code);
 *     for (const { text } of messages) console.log(text);
 *     console.log(entryPoints[0].code.ir);
 */
export const inspectShader: (code: string, options?: InspectOptions) => Promise<ShaderReport> = inspectWith(loadKernel);
