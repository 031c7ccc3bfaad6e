export * from './ops';
export * from './program';
export { optimize, optimizing } from './passes';
export { dropUnused, variablesReadAtStart } from './passes/dead';
export { MAX_ELEMENTS } from './passes/propagate';
export type { ConstantMath } from './passes/fold';
export { findConstantOutputs, findMissingAlphas } from './passes/outputs';
export { findLanes, type Lanes } from './passes/lanes';
export { countAccesses } from './passes/counters';
export { ProgramParts } from './passes/parts/one-part';
export { cutAtBarriers } from './passes/parts/parts';
export { findQuadUniform, type QuadUniform } from './passes/quad-uniform';
export { findUniform, findWarpUniform, isSameForTriangle, texelSources } from './passes/uniform';
export { print } from './print';
export { accessOperands, assertValid, validate, validateAll } from './validate';
export { accessUse, combinableBuffers, usedValues, type AccessUse } from './accesses';
export { costOf, valueLoops } from './value-loops';
export { guardSamples } from './dead-pixels';
export { quadOrder, exposesRunOrder, type QuadOrder } from './quad-order';
export { streamedReads, mayMiss } from './streamed-reads';
export { gatherDispatches, hasDispatches } from './dispatches';
export { splitCoarse } from './coarse-stages';
export { lowerDualSource, hasSecondSource, type DualSourceBlend } from './dual-source';
export { joinStages, type FragmentRate, type JoinedStages } from './fragment-stages';
export {
  hasSets,
  isTargetContents,
  isWorthSplitting,
  forSingleSample,
  splitSets,
  withInputs,
  type SetParts,
} from './sample-sets';
export { shaderDepthTest } from './shader-depth-test';
export { readsOtherLanes, invocationsOf, sharesWarps, startsWithFullQuads } from './workgroups';
export { maxOperations } from './bounds';
export { countNodes, forEachInstruction, forEachNode, hasLoop } from './walk';
