// rasterloom/blends: blending as WGSL functions, to use and to learn from. It contains WGSL sources and lists of mode
// names, and needs neither a device nor any other part of the package. A fragment shader that reads a target by
// `@color(n)` (the feature 'fragment-stages') calls these functions with its own colour and the target's colour.
export { blendModes, nonSeparableBlendModes, separableBlendModes } from './modes';
export type { BlendMode, NonSeparableBlendMode, SeparableBlendMode } from './modes';
export { blendFunction, compositeOperators } from './operators';
export type { BlendFunctionOptions, CompositeOperator } from './operators';
export { fromBlendState } from './blend-state';
export type { BlendComponentDescriptor, BlendStateDescriptor, BlendStateOptions } from './blend-state';
export { kBuffer } from './k-buffer';
export type { KBuffer, KBufferLayers, KBufferOptions } from './k-buffer';
