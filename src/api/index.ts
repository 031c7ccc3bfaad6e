// The interface of the API to the entry points: `makeCreate`, with which each of them makes its `create`, and
// `globals`. https://www.w3.org/TR/webgpu/

import { BufferUsage, ColorWrite, MapMode, ShaderStage, TextureUsage } from './idl/constants';
import { interfaces } from './idl/interface';

export { makeGpu, type OpenEngine } from './adapter';
export { adjacencyIndices } from './extensions/adjacency';
export { AnimationFrames, type FrameSource, type VirtualFrames } from './canvas/animation-frames';
export { makeCreate, type LoadKernel } from './create';
export { CanvasContextCore, contextObject, type ContextCore } from './canvas/context';
export { isDevice } from './canvas/configuration';
export { frames } from './canvas/frames';
export type { Picture, Surface } from './canvas/surface';
export type { CurrentPicture, PlatformImage, ReadImage } from './core/image-source';
export { makeInspectShader, type InspectOptions } from './inspect';
export { requireStarted, type Engine, type LoadEngine } from './core/engine';
export type {
  ShaderCode,
  ShaderCounts,
  ShaderEntryPoint,
  ShaderMessage,
  ShaderOverride,
  ShaderReport,
  ShaderResource,
  ShaderDeclarations,
  ShaderFunction,
  ShaderModuleVariable,
  ShaderStructMember,
  ShaderType,
  ShaderVariable,
  WasmCounts,
} from '../engine';
export type { CreateOptions } from './options';
export type { RecordStore } from '../render';
export type { LoadStoreStatistics } from '../render/types';
export type { EncodingStateCounts, SurfaceStatistics } from '../surface/surfaces';
export type { WebGpuType } from './idl/declared';
export type { FragmentStage, FragmentStagesMembers } from './extensions/fragment-stages-types';
export { supportedExtensions, type ExtensionFeatureName } from './core/limits';
export type { EdgeDescription, SlotStatistics, ModularPipelineStatistics } from './modular/modular-statistics';
export type { ModularStageKind, StageDescription } from './modular/stage-description';
export type {
  BufferSink,
  BufferSinkAttribute,
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularSink,
  ModularStage,
  RasterSink,
  SlotFragment,
  ModularPipelineCommands,
  Viewport,
  ViewportCommands,
} from './modular/modular-types';
export type { RateCounts, ShadingRateStatistics } from '../render/statistics/rate-counters';
export type { RateFallback } from '../shading-rate';
export type {
  DepthShadingRates,
  RegionShadingRates,
  ShadingRate,
  ShadingRateCombiner,
  ShadingRateCombiners,
  ShadingRateCommands,
  ShadingRatePassMembers,
} from './extensions/shading-rate-types';
export type {
  EmptyRenderPassDescriptor,
  EmptyRenderPassMembers,
  MultisampleStorageTextureBindingLayout,
  MultisampleTextureDescriptor,
  MultisampleTextureMembers,
} from './extensions/surfaces';
export type {
  MissingPages,
  StreamedTexture,
  StreamedTextureMembers,
  TexturePage,
  TextureRegion,
  TextureStream,
} from './resources/texture-stream-types';
export type { PrefetchedPages, StreamStatistics } from '../render/types';
export type { ProcessingOrderCommands, ProcessingOrderMembers } from './extensions/processing-order';
export type { ProcessingOrder, SampleOrder, SampleType } from '../render/types';
export type { TraceDevice, TraceEvent, TraceFile } from './extensions/trace';
export type {
  DeviceStatistics,
  DeviceTimes,
  StatisticsDevice,
  StatisticsRenderPassDescriptor,
  StatisticsRenderPassMembers,
} from './extensions/statistics';

/** The classes of WebGPU as the application declares them, with `@webgpu/types` or TypeScript's DOM library. */
type Classes = Pick<typeof globalThis, Extract<keyof typeof globalThis, `GPU${string}`>>;

interface Constants {
  readonly GPUBufferUsage: typeof BufferUsage;
  readonly GPUTextureUsage: typeof TextureUsage;
  readonly GPUShaderStage: typeof ShaderStage;
  readonly GPUMapMode: typeof MapMode;
  readonly GPUColorWrite: typeof ColorWrite;
}

type Globals = Constants & Omit<Classes, keyof Constants> & Readonly<Record<string, unknown>>;

/** Everything that WebGPU defines on the global object: the GPU* classes, and the constants such as GPUBufferUsage. */
export const globals: Globals = Object.freeze({
  ...(interfaces as unknown as Classes),
  GPUBufferUsage: BufferUsage,
  GPUTextureUsage: TextureUsage,
  GPUShaderStage: ShaderStage,
  GPUMapMode: MapMode,
  GPUColorWrite: ColorWrite,
});
