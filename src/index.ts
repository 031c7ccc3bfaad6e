/**
 * Rasterloom for Node: WebGPU on the CPU, in WebAssembly.
 *
 *     import { create, globals } from 'rasterloom';
 *     Object.assign(globalThis, globals);
 *     const adapter = await create().requestAdapter();
 *     const device = await adapter.requestDevice();
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
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
import { loadEngine, loadKernel, named, shippedShaders, workerFile, workerThreads } from './files';
import { makeInstall, readImage, shaderFiles, withProcess, type InstallOptions } from './node';
import type { SpawnWorker } from './schedule';

export {
  cancelAnimationFrame,
  createCanvas,
  requestAnimationFrame,
  type Canvas,
  type CanvasContext2D,
  type DrawingContext,
  type CanvasPixels,
  type InstallOptions,
  type ResourceOptions,
} from './node';
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
  FragmentStage,
  FragmentStagesMembers,
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
  ModularSink,
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
export type { ProcessingOrder, ProcessingOrderCommands, ProcessingOrderMembers, SampleOrder, SampleType } from './api';
export type { TraceDevice, TraceEvent, TraceFile } from './api';
export type {
  MissingPages,
  PrefetchedPages,
  StreamedTexture,
  StreamedTextureMembers,
  StreamStatistics,
  TexturePage,
  TextureRegion,
  TextureStream,
} from './api';
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
    const { Worker } = workerThreads();
    // The process's own options are not inherited: some are valid for its main thread only (--input-type).
    // Bun's class looks for `process`, which install() may hide.
    const worker = withProcess(() => new Worker(workerFile(script), { execArgv: [] }));
    return {
      post: (order) => worker.postMessage(order),
      listen: (said, failed, gone) => {
        worker.on('message', said);
        worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)));
        worker.on('exit', (code) => {
          gone();
          failed(`it exited with code ${code}`);
        });
        // Adding a listener keeps the process alive, so unref() must come last.
        worker.unref();
      },
      hold: (held) => (held ? worker.ref() : worker.unref()),
      terminate: () => void worker.terminate(),
    };
  };

/**
 * Creates a `GPU` object like `navigator.gpu`. The call is synchronous; nothing is loaded before `requestDevice()`. An
 * array of strings, which `create` of the `webgpu` package takes, is ignored.
 *
 * @throws TypeError or RangeError if an option is unknown or has a wrong value
 */
export const create: (options?: CreateOptions | readonly string[]) => WebGpuType<'GPU'> = makeCreate(loadKernel, {
  spawn,
  cores: availableParallelism(),
  readImage,
  loadEngine,
  shaderStore: (folder, maxBytes) =>
    shaderFiles(fileURLToPath(named(folder, 'shaderCache')), maxBytes, shippedShaders()),
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
  loadKernel,
  loadEngine
);

/**
 * Defines `navigator.gpu` and the GPU* classes and constants, unless they exist. `rasterloom/register` calls it without
 * options.
 *
 * @throws TypeError or RangeError if an option of `create` is unknown or has a wrong value
 */
export function register(options?: CreateOptions): void {
  const target = globalThis as unknown as Record<string, unknown>;
  for (const [name, value] of Object.entries(globals))
    if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
  // Node has a `navigator` since version 21.
  if (!('navigator' in target))
    Object.defineProperty(target, 'navigator', { value: {}, writable: true, configurable: true });
  const { navigator } = target as { navigator: { gpu?: GPU } };
  if (!navigator.gpu)
    Object.defineProperty(navigator, 'gpu', { value: create(options), enumerable: true, configurable: true });
}

/**
 * Lets applications written for browsers run in Node. It defines `navigator.gpu`, `requestAnimationFrame`, `document`
 * for canvases and images, and the other globals that 3D engines need. The returned function removes all of them again.
 *
 *     const uninstall = install();
 */
export const install: (options?: InstallOptions) => () => void = makeInstall(create);
