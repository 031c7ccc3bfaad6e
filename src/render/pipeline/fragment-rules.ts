// What the fragment shader of a pipeline and its output state decide together: when tests take effect, which fragments
// are deferred, whether their order matters, and at which rate they run.
import {
  DRAW_FLAG_ALPHA_TO_COVERAGE,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_EARLY,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_STENCIL,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_READS,
  DRAW_FLAG_RUNS_ALL,
  DRAW_FLAG_UNCLIPPED_DEPTH,
  DRAW_FLAG_UNORDERED,
  DRAW_FLAG_WRITES,
} from '../../../assembly/layout/pass/draw-codes';
import { SETS_SAMPLE_MASK } from '../../../assembly/layout/tile/sample-sets-codes';
import { RATE_PIXEL, RATE_SAMPLE, RATE_SET } from '../../../assembly/layout/program/stage-codes';
import { isTargetContents } from '../../ir';
import { rateFallback, type RateFallback } from '../../shading-rate';
import { hasDepth, hasStencil } from '../../surface';
import type { Stage } from '../../mpipe';
import type { LeafOrder } from './draw-order';
import { storesSamples } from '../resources/surface-record';
import { fact } from '../shaders/program-facts';
import { blends } from './target';
import type { OutputState, ProcessingOrder } from '../types';

/** The parts of a fragment shader. Its results are those of the last part. */
type Parts = readonly Stage[];
/** The coarse part of a shader, the pixel part, and optionally the part for sample sets. */
type CoarseParts<S extends Stage = Stage> = readonly [S, S, ...S[]];

/** Splits a pixel table into the whole shader, in one piece or two, and its parts by rate if it has any. */
export function partsOf<S extends Stage>(stages: readonly S[]): { whole: readonly S[]; coarse: CoarseParts<S> | null } {
  const at = stages.findIndex(({ coarse }) => coarse !== null);
  if (at < 0) return { whole: stages, coarse: null };
  return { whole: stages.slice(0, at), coarse: stages.slice(at) as readonly S[] as CoarseParts<S> };
}

/**
 * Whether each visible pixel is shaded only once, after visibility is known. Requires that previous contents have no
 * effect, that only coverage and depth decide what is written, and that the shader has no other effects.
 */
function isDeferred(state: OutputState, parts: Parts): boolean {
  if (isLate(state, parts) || parts.some(fetchesFramebuffer)) return false;
  // The lanes that are active in a quad must not depend on what covers them later.
  if (
    parts.some(
      ({ program }) => program.testsEarly || fact(program, 'accessUse').ordered || fact(program, 'readsOtherLanes')
    )
  )
    return false;
  const outputs = parts.at(-1)?.outputs ?? [];
  return state.targets.every((target, index) => {
    if (!target) return true;
    // Components that the shader does not write are constants.
    const writes = outputs.some((output) => output.kind === 'color' && output.location === index);
    const all = (1 << target.format.channels) - 1;
    return !blends(target) && writes && (target.writeMask & all) === all;
  });
}

/** Framebuffer fetch: whether a part reads render targets, depth or stencil. */
export const fetchesFramebuffer = ({ inputs }: Pick<Stage, 'inputs'>): boolean => inputs.some(isTargetContents);

/** Whether it reads depth or stencil, with the values from before the fragment's own tests. */
const readsTested = ({ inputs }: Stage): boolean =>
  inputs.some((input) => isTargetContents(input) && input.kind === 'builtin');

/**
 * Whether depth and stencil tests take effect after the shader. A shader's writes happen even for fragments that fail
 * the tests, as in Vulkan, Metal and D3D, unless it requests early tests.
 */
export function isLate(state: OutputState, parts: Parts): boolean {
  return (
    state.multisample.alphaToCoverageEnabled
    || parts.some(
      (part) =>
        part.program.usesDiscard
        || ((fact(part.program, 'accessUse').writes || readsTested(part)) && !part.program.testsEarly)
        || part.outputs.some(({ kind }) => kind === 'frag_depth' || kind === 'sample_mask')
    )
  );
}

/**
 * If the shader itself discards by a depth comparison and the state's depth test always passes, returns the state with
 * that comparison. Fragments that the shader would discard are then rejected before it runs. The output does not
 * change: the shader compares the same depth as the test, unless the format has fewer bits, and stored depths are never
 * NaN.
 */
export function ownTested(state: OutputState, parts: Parts): OutputState {
  const { depthStencil, multisample } = state;
  const last = parts.at(-1);
  if (!last || depthStencil?.depthCompare !== 'always' || usesStencil(state)) return state;
  if (!hasDepth(depthStencil.format) || depthStencil.format.name === 'depth16unorm') return state;
  if (
    parts.some(
      ({ program, outputs }) =>
        program.testsEarly || fact(program, 'accessUse').accesses || outputs.some(({ kind }) => kind === 'frag_depth')
    )
  )
    return state;
  const depthCompare = fact(last.program, multisample.count === 1 ? 'singleDepthTest' : 'depthTest');
  return depthCompare ? { ...state, depthStencil: { ...depthStencil, depthCompare } } : state;
}

/** Why a fragment shader always runs at 1×1; null if it does not, or if there is no shader. */
export function fallbackOf(
  { multisample, staged }: OutputState,
  parts: Parts,
  coarse: CoarseParts | null
): RateFallback | null {
  if (parts.length === 0) return null;
  const { alphaToCoverageEnabled } = multisample;
  const usesStorage = parts.some(
    ({ program, resources }) =>
      fact(program, 'accessUse').writes
      || fact(program, 'readsOtherLanes')
      || resources.some(({ kind }) => kind === 'surface')
  );
  // Finer stages do not matter, because they run at 1×1.
  if (coarse) {
    const outputs = staged?.coarseResults ?? [];
    return rateFallback({
      runsPerSample: false,
      inputs: coarse[0].inputs,
      outputs,
      usesStorage,
      hasFineStages: false,
      alphaToCoverage:
        alphaToCoverageEnabled && outputs.some((output) => output.kind === 'color' && output.location === 0),
    });
  }
  return rateFallback({
    runsPerSample: parts.some(({ rate, sets }) =>
      sets ? (sets.apart & ~SETS_SAMPLE_MASK) !== 0 : rate === 'sample' && parts.length === 1
    ),
    inputs: parts.flatMap(({ inputs }) => inputs),
    outputs: parts.flatMap(({ outputs }) => outputs),
    alphaToCoverage: alphaToCoverageEnabled,
    usesStorage,
    hasFineStages: staged?.hasFineStages ?? false,
  });
}

/** Whether stencil can reject or change a sample. A format with a stencil aspect alone is not enough. */
function usesStencil({ depthStencil, primitive }: OutputState): boolean {
  if (!depthStencil || !hasStencil(depthStencil.format)) return false;
  const faces = [
    ...(primitive.cullMode === 'front' ? [] : [depthStencil.stencilFront]),
    ...(primitive.cullMode === 'back' ? [] : [depthStencil.stencilBack]),
  ];
  const writes = (depthStencil.stencilWriteMask & 255) !== 0;
  return faces.some(
    ({ compare, passOp, depthFailOp }) =>
      compare !== 'always' || (writes && (passOp !== 'keep' || depthFailOp !== 'keep'))
  );
}

/**
 * Whether fragments may arrive in any order. Depth or stencil written before the shader runs might otherwise not belong
 * to the stored colour, and other writes of the shader have an order.
 */
function needsNoOrder(state: OutputState, parts: Parts): boolean {
  if (!state.isUnordered || parts.some(({ program }) => fact(program, 'accessUse').accesses)) return false;
  const writesDepth = state.depthStencil?.depthWriteEnabled ?? false;
  return (
    !parts.some(({ program }) => program.testsEarly) && (isLate(state, parts) || !(writesDepth || usesStencil(state)))
  );
}

/** DRAW_FLAG_* for all parts of a fragment shader. */
export function drawFlags(state: OutputState, parts: Parts): number {
  let flags = state.primitive.unclippedDepth ? DRAW_FLAG_UNCLIPPED_DEPTH : 0;
  if (usesStencil(state)) flags |= DRAW_FLAG_STENCIL;
  if (parts.length === 0) return flags;
  if (isDeferred(state, parts)) flags |= DRAW_FLAG_DEFERRED;
  if (isLate(state, parts)) flags |= DRAW_FLAG_LATE_DEPTH;
  if (parts.some(({ program }) => program.testsEarly)) flags |= DRAW_FLAG_EARLY;
  // Lanes that read each other also show which lanes of a quad are active.
  if (parts.some(({ program }) => fact(program, 'accessUse').accesses || fact(program, 'readsOtherLanes')))
    flags |= DRAW_FLAG_ACCESSES;
  // A store to a surface before the tests happens whether or not they fail.
  const storesLate = isLate(state, parts) && parts.some(({ resources }) => resources.some(storesSamples));
  const runsAll =
    storesLate
    || parts.some(
      ({ program, outputs }) => fact(program, 'readsOtherLanes') || outputs.some(({ kind }) => kind === 'frag_depth')
    );
  if (runsAll) flags |= DRAW_FLAG_RUNS_ALL;
  if (parts.some(({ program }) => fact(program, 'accessUse').writes)) flags |= DRAW_FLAG_WRITES;
  if (parts.some(fetchesFramebuffer)) flags |= DRAW_FLAG_READS;
  if (needsNoOrder(state, parts)) flags |= DRAW_FLAG_UNORDERED;
  if (state.multisample.alphaToCoverageEnabled) flags |= DRAW_FLAG_ALPHA_TO_COVERAGE;
  return flags;
}

/** Draw calls with these flags keep their order for reasons beyond the final value of the pixel. */
export const KEEPS_ORDER = DRAW_FLAG_ACCESSES | DRAW_FLAG_WRITES | DRAW_FLAG_READS;

export function orderOf(state: OutputState, flags: number, requested: ProcessingOrder): LeafOrder {
  const { depthStencil, targets } = state;
  const compare = depthStencil?.depthCompare;
  const writes = depthStencil?.depthWriteEnabled ?? false;
  const isStrict = (compare === 'less' || compare === 'greater') && writes;
  const isDeferred = (flags & DRAW_FLAG_DEFERRED) !== 0;
  // If depth or stencil is written before the shader runs, the last writer determines whose colour is final, unless the
  // colours blend.
  const testsLate = (flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_EARLY)) === DRAW_FLAG_LATE_DEPTH;
  const isSettled =
    (writes || usesStencil(state)) && !isDeferred && !testsLate && targets.some((target) => target && !blends(target));
  return {
    requested,
    mayOvertake: (flags & KEEPS_ORDER) === 0 && !isSettled,
    isDeferred,
    isHidden: isDeferred && isStrict && !usesStencil(state),
  };
}

export function rateCode(parts: Parts): number {
  const [first] = parts;
  if (parts.length > 1 || parts.some(fetchesFramebuffer)) return RATE_SET;
  return first?.rate === 'sample' && !first.sets ? RATE_SAMPLE : RATE_PIXEL;
}
