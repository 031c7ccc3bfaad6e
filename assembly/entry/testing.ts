// The testing build: the shipping exports, and each kernel beside its scalar twin under names of their own. One line a
// room.
export * from './kernel';
export { evaluate } from '../warp/evaluate';
export { interpret, interpretScalar } from '../warp/interpreter';
export { bindProgram } from '../warp/run';
export { sampleWarp } from '../texture/sample';
export { sampleWarpScalar } from '../texture/sample.scalar';
export { loadWarp } from '../texture/load';
export { openSites } from '../texture/sites';
export { readSite } from '../texture/site-loop';
export { geometryRunScalar } from '../vertex/geometry';
export { indexBoundsScalar } from '../vertex/range.scalar';
export { geometryRunOracle } from '../oracle/geometry';
export { tileRunOracle } from '../oracle/tile';
export { fetchAttribute } from '../vertex/fetch';
export { fetchAttributeScalar } from '../vertex/fetch.scalar';
export {
  coverBlock1Simd, coverBlock4Simd, coverBlock4Simd1, coverBlock4Simd2, coverQuad4Simd,
} from '../raster/coverage';
export { coverBlock1Scalar, coverBlock4Scalar, coverQuad1Scalar, coverQuad4Scalar } from '../raster/coverage.scalar';
export { loadTexel, storeTexel, texelBytes } from '../surface/formats';
export { linearToSrgb, srgbToLinear } from '../surface/srgb';
export { meansRgba8Simd } from '../tile/resolve';
export { meansRgba8Scalar } from '../tile/resolve.scalar';
export { outputWarp, writeTarget } from '../output/output';
export { prepareTargetScalar } from '../output/target';
export { clearColors, gatherPixels, noteSamples, spreadColors } from '../tile/colors';
export { resolvePlane } from '../tile/resolve';
export { startLanesSimd } from '../fragment/lanes';
export { startLanesScalar } from '../fragment/lanes.scalar';
export { visibleBlock1, visibleBlock4 } from '../raster/visible';
export { visibleBlock1Scalar, visibleBlock4Scalar } from '../raster/visible.scalar';
export { matchIds } from '../fragment/ids';
export { matchIdsScalar } from '../fragment/ids.scalar';
export { packVertices } from '../vertex/project';
export { packVerticesScalar } from '../vertex/project.scalar';
export { resolvePixel } from '../tile/resolve.scalar';
export { analyseScalar, analyseSimd, mixedWordsSimd, samplesWithSimd } from '../surface/compare';
export { mixedWordsScalar, samplesWithScalar } from '../surface/compare.scalar';
export { storeTile } from '../surface/encode';
export { loadTile } from '../surface/decode';
export { loadSample, sampleAddress } from '../surface/stored';
export { mergeTile } from '../surface/merge';
export { givePage, takePage } from '../surface/pool';
export { analysePixel } from '../surface/analysis';
export { analysePixelScalar } from '../surface/analysis.scalar';
