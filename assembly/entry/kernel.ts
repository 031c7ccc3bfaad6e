// The exports of the release kernels, one line per module. src/kernels/kernel.ts declares their types.
export { heapBase } from './heap';
export { bindProgram, bindUniforms, runPrologue, runPrologues, runWarp } from '../warp/run';
export { mathBinary, mathUnary, evaluateBinary, evaluateUnary } from '../warp/evaluate';
export {
  geometryBegin,
  geometryBytes,
  geometryCodes,
  geometryPart,
  geometryResume,
  geometryRun,
} from '../vertex/geometry';
export { countDistinct, indexBounds } from '../vertex/fetch/range';
export { compactSink } from '../vertex/stream';
export { runSite } from '../texture/sites/sites';
export { accessBufferQuad } from '../warp/buffers';
export { loadImageQuad, storeImageQuad } from '../warp/images';
export { loadSamplesQuad, loadSurfaceQuad, storeSurfaceQuad } from '../warp/surfaces';
export { tileRun, tilesRun } from '../loop/tile';
export { tileClose, tileJoin, tileLeave, tileOpen, tileShare } from '../loop/share';
export { tileContextBytes, tileContextInit } from '../tile/begin';
export { prepareDestination } from '../output/destination';
export { prepareTarget } from '../output/target';
export { markUniformSurfaces, tryFinishIdlePass } from '../tile/idle';
export { clearSurface, copySurface, countStates, surfaceStates } from '../surface/whole';
export { surfaceFlush, surfaceLoad, surfaceStore, unitBytes, unitInit } from '../surface/unit';
export { computeBegin } from '../compute/lanes';
export { computeRun } from '../compute/groups';
export { decodeBlocks } from '../blocks/decode';
