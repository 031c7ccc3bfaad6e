// rasterloom/blends: blending as programs, to use and to learn from. Texts of WGSL and the names of what there is;
// nothing here needs a device, or anything else of the package. A fragment program that reads a target by `@color(n)`
// (the feature 'fragment-stages') calls these functions with its own colour and what is there.
export { blendModes, nonSeparableBlendModes, separableBlendModes } from './modes';
export type { BlendMode, NonSeparableBlendMode, SeparableBlendMode } from './modes';
export { blendFunction, compositeOperators } from './operators';
export type { BlendFunctionOptions, CompositeOperator } from './operators';
export { fromBlendState } from './blend-state';
export type { BlendComponentDescriptor, BlendStateDescriptor, BlendStateOptions } from './blend-state';
export { kBuffer } from './k-buffer';
export type { KBuffer, KBufferLayers, KBufferOptions } from './k-buffer';
