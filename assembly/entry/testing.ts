// The testing build: the shipping exports, and each kernel beside its scalar twin under names of their own. One line a room.
export * from './kernel';
export { interpret, interpretScalar } from '../warp/interpreter';
export { sampleWarp } from '../texture/sample';
export { sampleWarpScalar } from '../texture/sample.scalar';
export { loadWarp } from '../texture/load';
export { geometryRunScalar } from '../vertex/geometry';
export { fetchAttribute } from '../vertex/fetch';
export { fetchAttributeScalar } from '../vertex/fetch.scalar';
export { coverBlock1Simd, coverBlock4Simd, coverBlock4Simd1, coverBlock4Simd2, coverQuad4Simd } from '../raster/coverage';
export { coverBlock1Scalar, coverBlock4Scalar, coverQuad1Scalar, coverQuad4Scalar } from '../raster/coverage.scalar';
export { loadTexel, storeTexel, texelBytes } from '../surface/texel';
export { linearToSrgb, srgbToLinear } from '../surface/srgb';
export { resolveRgba8Simd } from '../surface/resolve';
export { resolveRgba8Scalar } from '../surface/resolve.scalar';
