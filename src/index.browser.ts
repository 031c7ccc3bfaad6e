/**
 * Rasterloom for browsers. It fetches its kernels and its worker script from the folder of this module, or from the
 * URLs given by `create({ kernelUrl, workerUrl })`. `createCanvas` and `install` exist only in Node.
 */
import {
  adjacencyIndices,
  makeCreate,
  globals,
  makeInspectShader,
  supportedExtensions,
  type CreateOptions,
  type WebGpuType,
  type InspectOptions,
  type ShaderReport,
} from './api';
import { fetchKernel, loadEngine, startWorker, workerFailure } from './files.browser';
import { readImage, registerInPage } from './page';
import type { SpawnWorker, WorkerReport } from './schedule';

export { cancelAnimationFrame, requestAnimationFrame } from './page';
export { adjacencyIndices, globals, supportedExtensions, type CreateOptions, type InspectOptions, type ShaderReport };
export type {
  ShaderCode,
  ShaderCounts,
  ShaderEntryPoint,
  ShaderMessage,
  ShaderOverride,
  ShaderResource,
  ShaderDeclarations,
  ShaderFunction,
  ShaderModuleVariable,
  ShaderStructMember,
  ShaderType,
  ShaderVariable,
  WasmCounts,
} from './api';
export type { ProcessingOrder, ProcessingOrderCommands, ProcessingOrderMembers, SampleOrder, SampleType } from './api';
export type { TraceDevice, TraceEvent, TraceFile } from './api';
export type {
  DeviceStatistics,
  DeviceTimes,
  LoadStoreStatistics,
  EncodingStateCounts,
  StatisticsDevice,
  StatisticsRenderPassDescriptor,
  SurfaceStatistics,
} from './api';
export type {
  EmptyRenderPassDescriptor,
  EmptyRenderPassMembers,
  ExtensionFeatureName,
  MultisampleStorageTextureBindingLayout,
  MultisampleTextureDescriptor,
  MultisampleTextureMembers,
  StatisticsRenderPassMembers,
} from './api';
export type {
  BufferSink,
  BufferSinkAttribute,
  EdgeDescription,
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  RasterSink,
  SlotFragment,
  SlotStatistics,
  ModularStageKind,
  StageDescription,
  ModularPipelineCommands,
  ModularPipelineStatistics,
  Viewport,
  ViewportCommands,
} from './api';
export type { MissingPages, StreamedTextureMembers, StreamStatistics, TexturePage, TextureStream } from './api';
export type {
  DepthShadingRates,
  RateCounts,
  RateFallback,
  RegionShadingRates,
  ShadingRate,
  ShadingRateCombiner,
  ShadingRateCombiners,
  ShadingRateCommands,
  ShadingRatePassMembers,
  ShadingRateStatistics,
} from './api';

const spawn =
  (script: string | undefined): SpawnWorker =>
  () => {
    const worker = startWorker(script);
    let gone = (): void => undefined;
    return {
      post: (order) => worker.postMessage(order),
      listen: (said, failed, ended) => {
        gone = ended;
        worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => said(data);
        worker.onerror = ({ message }) => {
          if (message) failed(message);
          else void workerFailure().then(failed);
        };
      },
      hold: () => undefined,
      terminate: () => {
        worker.terminate();
        gone();
      },
    };
  };

/**
 * Creates a `GPU` object like `navigator.gpu`. The call is synchronous; nothing is loaded before `requestDevice()`.
 *
 * @throws TypeError or RangeError if an option is unknown or has a wrong value
 */
export const create: (options?: CreateOptions | readonly string[]) => WebGpuType<'GPU'> = makeCreate(fetchKernel, {
  spawn: globalThis.crossOriginIsolated ? spawn : null,
  cores: navigator.hardwareConcurrency,
  readImage,
  loadEngine,
  shaderStore: null,
});

/**
 * Checks a WGSL module as `createShaderModule` and `createRenderPipeline` do, without a device, and shows the code that
 * it is compiled to:
 *
 *     const { messages, entryPoints } = await inspectShader(code);
 *     for (const { text } of messages) console.log(text);
 *     console.log(entryPoints[0].code.ir);
 *
 * It rejects with a TypeError if an option has a wrong value, and with an Error if the kernel cannot be loaded. Errors
 * in the shader are part of the result.
 */
export const inspectShader: (code: string, options?: InspectOptions) => Promise<ShaderReport> = makeInspectShader(
  fetchKernel,
  loadEngine
);

/**
 * Installs Rasterloom in this page or worker if the browser has no WebGPU, or has no adapter for it. It defines
 * `navigator.gpu`, `getContext('webgpu')` for canvases, and a `requestAnimationFrame` that waits for pending frames.
 * Importing `rasterloom/register` calls this function without options.
 *
 * @throws TypeError or RangeError if an option of `create` is unknown or has a wrong value
 */
export const register = (options?: CreateOptions): void => registerInPage(create(options), globals);

const forNode = (name: string, instead: string): never => {
  throw new Error(`${name} is only for Node: ${instead}`);
};
/** Exists only in Node. @throws Error always */
export const install = (): never => forNode('install', "in a page, import 'rasterloom/register' instead");
/** Exists only in Node. @throws Error always */
export const createCanvas = (): never => forNode('createCanvas', 'in a page, use canvas elements or OffscreenCanvas');
