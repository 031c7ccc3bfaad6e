// Templates of DRAW records: what the pipeline alone decides, which is the same for all of its draw calls.
import { COMPARE_ALWAYS } from '../../../assembly/layout/texture/texture-codes';
import { Draw, Stage as StageRecord, StencilFace as StencilFaceRecord, Target } from '../../../build/layout';
import { hasDepth } from '../../surface';
import { edgeBefore, isOfPrimitive, type Stage } from '../../mpipe';
import { compareNumber, cullNumber, stencilNumber, topologyNumber } from '../enums';
import { putTarget, type PrepareTarget } from './target';
import { builtinRegister, resultRegister, type VertexStages } from './vertex-stages';
import type { InputTopology, OutputState, StencilFace } from '../types';

/** Clip distances of the vertices that reach setup: their number, and the number of outputs before them. */
interface Distances {
  readonly count: number;
  readonly from: number;
}

/** Further values for the template of a DRAW record. */
interface TemplateWords {
  readonly flags: number;
  readonly rate: number;
  readonly distances: Distances;
}

/** The outputs of the last vertex stage determine them. */
export function distancesOf(stages: readonly Stage[]): Distances {
  const outputs = stages.at(-1)?.outputs ?? [];
  const count = outputs.filter(({ kind }) => kind === 'clip_distance').length;
  return { count, from: outputs.length - count };
}

/**
 * `topology`: the one that reaches setup. `stage`: a fragment shader or a part of one; null if only depth reaches the
 * output.
 */
export function drawTemplate(
  state: OutputState,
  { placed, results }: VertexStages,
  topology: InputTopology,
  stage: Stage | null,
  { flags, rate, distances }: TemplateWords,
  prepare: PrepareTarget
): Uint32Array {
  // The kernel reads from the first target whether it has an alpha, even if there are no targets.
  const targets = Math.max(1, state.targets.length);
  const view = new DataView(new ArrayBuffer(Draw.targets + targets * Target.bytes));
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const putFloat = (field: number, value: number): void => view.setFloat32(field, value, true);
  put(Draw.flags, flags);
  put(Draw.fragment + StageRecord.rate, rate);
  for (const [field, value] of placed[0]!.fields) put(Draw.vertex + field, value);
  put(Draw.positionRegister, results);
  const { varyings, groups } = edgeBefore(stage);
  put(Draw.varyingCount, varyings.length);
  put(Draw.distanceCount, distances.count);
  put(Draw.distanceFrom, distances.from);
  put(Draw.numbered, varyings.findIndex(isOfPrimitive) + 1);
  groups.forEach((count, group) => put(Draw.varyings + group * 4, count));
  put(Draw.topology, topologyNumber[state.primitive.topology]);
  put(Draw.setupTopology, topologyNumber[topology]);
  put(Draw.cull, cullNumber[state.primitive.cullMode]);
  put(Draw.frontCw, state.primitive.frontFace === 'cw' ? 1 : 0);
  putDepthStencil(state, put, putFloat);
  put(Draw.sampleMask, state.multisample.mask | 0);
  put(Draw.targetCount, state.targets.length);
  putPixelRegisters(stage, put);
  for (let i = 0; i < targets; i++) {
    const record = new Uint8Array(view.buffer, Draw.targets + i * Target.bytes, Target.bytes);
    putTarget(record, state.targets[i] ?? null, i, stage?.outputs ?? [], stage?.inputs.length ?? 0, prepare);
  }
  return new Uint32Array(view.buffer);
}

function putDepthStencil(
  state: OutputState,
  put: (field: number, value: number) => void,
  putFloat: (field: number, value: number) => void
): void {
  const depth = state.depthStencil;
  const tested = depth && hasDepth(depth.format);
  put(Draw.depthCompare, tested ? compareNumber[depth.depthCompare] : COMPARE_ALWAYS);
  put(Draw.depthWrite, tested && depth.depthWriteEnabled ? 1 : 0);
  if (!depth) return;
  put(Draw.depthBias, depth.depthBias);
  putFloat(Draw.depthBiasSlope, depth.depthBiasSlopeScale);
  putFloat(Draw.depthBiasClamp, depth.depthBiasClamp);
  const putFace = (field: number, face: StencilFace): void => {
    put(field + StencilFaceRecord.compare, compareNumber[face.compare]);
    put(field + StencilFaceRecord.fail, stencilNumber[face.failOp]);
    put(field + StencilFaceRecord.depthFail, stencilNumber[face.depthFailOp]);
    put(field + StencilFaceRecord.pass, stencilNumber[face.passOp]);
  };
  putFace(Draw.stencilFront, depth.stencilFront);
  putFace(Draw.stencilBack, depth.stencilBack);
  put(Draw.stencilReadMask, depth.stencilReadMask | 0);
  put(Draw.stencilWriteMask, depth.stencilWriteMask | 0);
}

function putPixelRegisters(first: Stage | null, put: (field: number, value: number) => void): void {
  const inputs = first?.inputs ?? [];
  [Draw.fragmentPositionX, Draw.fragmentPositionY, Draw.fragmentPositionZ, Draw.fragmentPositionW].forEach(
    (field, component) => put(field, builtinRegister(inputs, 'position', component))
  );
  put(Draw.frontFacingRegister, builtinRegister(inputs, 'front_facing'));
  put(Draw.sampleIndexRegister, builtinRegister(inputs, 'sample_index'));
  put(Draw.sampleMaskInRegister, builtinRegister(inputs, 'sample_mask'));
  put(Draw.shadingRateRegister, builtinRegister(inputs, 'shading_rate'));
  put(Draw.fragDepthRegister, first ? resultRegister(first, 'frag_depth') : -1);
  put(Draw.sampleMaskOutRegister, first ? resultRegister(first, 'sample_mask') : -1);
}
