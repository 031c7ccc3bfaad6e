// What the entries for tests share, as one file. It gets the package's functions from them, so that it serves both
// kinds of modules.
export { matchPicture, obsoleteBaselines, usedBaselines, type PictureTest } from './pictures/match';
export type { PictureArea, PictureOptions } from './pictures/compare';
export { baselineFolder, makeMatchers, updateMode, type MatcherState } from './runner';
export { makeRenderScene, type SceneContext, type SceneOptions, type ScenePicture } from './scene';
export type { ShaderCall } from './shaders/call';
export type { ShaderVariables } from './shaders/bindings';
export type { ShaderResourceArgument, ShaderTexels } from './shaders/textures';
export type { ShaderArgument, ShaderValue } from './shaders/values';
export { makeWgsl, type ComputeOptions, type FunctionOptions, type WgslModule, type WgslOptions } from './shaders/wgsl';
export { ulps } from './ulp';
