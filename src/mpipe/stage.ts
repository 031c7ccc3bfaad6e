// A stage: a linked shader of a pipeline. It declares what it needs and what it produces but knows nothing about the
// other stages, so that pipelines can share it.
//
//   program ── linkStageTree (table.ts) ───► Stage ── a device (render/shaders/stage-program.ts) ──► LoadedStage
//                                                                                           │ a draw call
//                                                                      Stage record (assembly/layout/program/stage.ts)
import type { IrInput, IrOutput, IrProgram, IrResource, SetParts, StageKind } from '../ir';
import type { PatchStage } from './patches';
import type { EmittedTopology } from './topology';

export type { StageKind };

/** The unit of work of one invocation. */
export type StageRate = 'vertex' | 'primitive' | 'coarse' | 'pixel' | 'sample' | 'invocation';

export type VaryingInput = Extract<IrInput, { kind: 'varying' }>;
/** Inputs that come from the stage before or, for the first stage, from buffers. */
export type EdgeInput = Extract<IrInput, { kind: 'attribute' | 'varying' }>;

/** Parameters of a stage that emits vertices. */
export interface Emission {
  /** Vertices of an input primitive. */
  readonly corners: number;
  /** Maximum number of vertices emitted per input primitive. */
  readonly maxVertices: number;
  /** Topology of the emitted vertices. */
  readonly topology: EmittedTopology;
}

/** How the second part of a fragment shader, which runs per sample set, is linked to the first part. */
export interface SetLinks extends Omit<SetParts, 'first' | 'secondPart'> {
  /** The number of dispatches in the outputs, one after the other, if the shader sends dispatches itself; else 1. */
  readonly dispatches: number;
}

/** Links the coarse part of a fragment shader to its pixel part: its outputs are consecutive inputs there. */
export interface CoarseLinks {
  readonly linkTo: number;
  readonly linkCount: number;
}

/** A linked shader. */
export interface Stage {
  readonly program: IrProgram;
  readonly kind: StageKind;
  readonly rate: StageRate;
  /** Inputs from the stage before, or from buffers, in the order of that edge (table.ts); then the other inputs. */
  readonly inputs: readonly IrInput[];
  /** Outputs that a later stage reads, in the order of the edge after this stage. */
  readonly outputs: readonly IrOutput[];
  /** Bound resources. */
  readonly resources: readonly IrResource[];
  /** Set for a stage that emits: its inputs are those of all corners, its outputs those of all vertices. */
  readonly emission: Emission | null;
  /** Set for tessellation stages; else null. */
  readonly patch: PatchStage | null;
  /**
   * Set for fragment shaders with a part that runs per sample; else null. The next stage is the second part; there is
   * none if samples cannot differ.
   */
  readonly sets: SetLinks | null;
  /** Set for the coarse part of a fragment shader; else null. The next stage is the pixel part. */
  readonly coarse: CoarseLinks | null;
}

/** A stage that is loaded on a device. */
export interface LoadedStage extends Stage {
  /** Words of a draw call's uniform block: constants, then values that are uniform for the draw call. */
  readonly uniforms: number;
  /** Minimum number of registers in a warp's register file, over both engines. */
  readonly registers: number;
  /** Slots in the kernel's function table; null while the shader is interpreted. */
  readonly slots: StageSlots | null;
}

/** Function table slots of a compiled shader; 0 if it has no such function. */
export interface StageSlots {
  /** Reads its inputs from the register file. */
  readonly registers: number;
  /** Computes the inputs of quads and blocks itself, from the planes of their triangles. */
  readonly quads: number;
}

/** The stage of a shader, with all its inputs and outputs unchanged. */
export function stageOf(program: IrProgram, emission: Emission | null = null, patch: PatchStage | null = null): Stage {
  const { kind, inputs, outputs, resources } = program;
  const rate = rateOf(program);
  return { program, kind, rate, inputs, outputs, resources, emission, patch, sets: null, coarse: null };
}

function rateOf({ kind, inputs }: IrProgram): StageRate {
  if (kind === 'vertex' || kind === 'tess_evaluation') return 'vertex';
  if (kind === 'geometry' || kind === 'primitive' || kind === 'tess_control') return 'primitive';
  if (kind === 'compute') return 'invocation';
  const perSample = inputs.some(
    (input) =>
      (input.kind === 'builtin' && input.builtin === 'sample_index')
      || (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat')
  );
  return perSample ? 'sample' : 'pixel';
}

/** Whether vertices and their topology pass through the stage unchanged: it only inspects primitives. */
export const passesVerticesThrough = ({ kind }: Pick<IrProgram, 'kind'>): boolean => kind === 'primitive';

export function isEdgeInput(input: IrInput): input is EdgeInput {
  return input.kind === 'attribute' || input.kind === 'varying';
}

/** Whether setup writes the input, instead of the stage before. */
export const isOfPrimitive = (input: IrInput): boolean => input.kind === 'varying' && input.isPerPrimitive === true;

export function varyingsOf({ inputs }: Stage): VaryingInput[] {
  return inputs.filter((input): input is VaryingInput => input.kind === 'varying');
}
