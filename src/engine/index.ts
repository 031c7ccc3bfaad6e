// The engine: all that a device needs below the API. It is a bundle of its own, which the first device loads. The API
// therefore imports only types and small pure functions of the same folders. Of these, both bundles have a copy.

export { ShaderProgram, type ResolvedEntry } from './front-end';
export { sharedPrograms } from './shared-programs';
export { warmUpFrontEnd, warmUpFrontEndWhenIdle } from './warm-up';
export {
  inspect,
  openCompiler,
  type ShaderEntryPoint,
  type ShaderMessage,
  type ShaderOverride,
  type ShaderReport,
  type ShaderResource,
  type ShaderVariable,
} from './inspect';
export type {
  ShaderDeclarations,
  ShaderFunction,
  ShaderModuleVariable,
  ShaderStructMember,
  ShaderType,
} from './inspect-declarations';
export type { CompilerEnvironment, ShaderCode, ShaderCounts, WasmCounts } from './inspect-code';
export { joinStages, isWorthSplitting, lowerDualSource } from '../ir';
export { minStreamBytes, openCachedRecords, openRenderDevice, ShaderCache } from '../render';
export { imageColor, imageFormats, imageTexels, takesImages } from '../surface/image';
export { writePicture } from '../surface/picture';
export { later, runInSlices, WorkQueue } from '../schedule';
