// What a stage is: one program of a pipeline, as its neighbours left it. It says what it needs and what it gives; it
// knows nothing of the other programs of its pipeline, so pipelines share it.
//
//   program ── linkTree (table.ts) ───► Stage ── a device (render/stage-program.ts) ──► LoadedStage
//                                                                                           │ a draw
//                                                                      Stage record (assembly/layout/stage.ts)
import type { IrInput, IrOutput, IrProgram, IrResource, SetParts } from '../ir';
import type { PatchStage } from './patches';
import type { MadeTopology } from './topology';

export type StageKind = IrProgram['kind'];

/** What one invocation stands for. */
export type StageRate = 'vertex' | 'primitive' | 'coarse' | 'pixel' | 'sample' | 'invocation';

export type VaryingInput = Extract<IrInput, { kind: 'varying' }>;
/** Inputs that the stage before gives, or buffers, where there is none. */
export type EdgeInput = Extract<IrInput, { kind: 'attribute' | 'varying' }>;

/** What a stage that emits takes and gives. */
export interface Emission {
  /** Vertices of a primitive that it takes. */
  readonly corners: number;
  /** Vertices that it may emit for one. */
  readonly maxVertices: number;
  /** What they are. */
  readonly topology: MadeTopology;
}

/** How the second part of a fragment program, which is run for sets of samples, is tied to the first. */
export interface SetLinks extends Omit<SetParts, 'first' | 'further'> {
  /** Dispatches that the outputs are, one behind the other, of a program that sends by itself; else 1. */
  readonly dispatches: number;
}

/** How the coarse part of a fragment program is tied to that of pixels: its outputs are inputs there, side by side. */
export interface CoarseLinks { readonly linkTo: number; readonly linkCount: number }

/** A linked program. */
export interface Stage {
  readonly program: IrProgram;
  readonly kind: StageKind;
  readonly rate: StageRate;
  /**
   * What comes from the stage before it, or from buffers, in the order in which it lies on that edge (table.ts), then
   * what does not come from there.
   */
  readonly inputs: readonly IrInput[];
  /** What somebody behind it reads, in the order in which it lies on the edge behind it. */
  readonly outputs: readonly IrOutput[];
  /** What it binds. */
  readonly resources: readonly IrResource[];
  /** Of a stage that emits: its inputs are those of all corners, its outputs those of all vertices. */
  readonly emission: Emission | null;
  /** Of stages of tessellation; else null. */
  readonly patch: PatchStage | null;
  /**
   * Of fragment programs of which a part is of samples; else null. Its second part is the stage behind it; there is
   * none where nothing tells samples apart.
   */
  readonly sets: SetLinks | null;
  /** Of the coarse part of a fragment program; else null. That of pixels is the stage behind it. */
  readonly coarse: CoarseLinks | null;
}

/** A stage on a device. */
export interface LoadedStage extends Stage {
  /** Words of a draw's uniform block: constants, then values that are the same for the whole draw. */
  readonly uniforms: number;
  /** Limit: registers that a warp's file needs at least, by the engine that needs more. */
  readonly registers: number;
  /** Of the kernels' function table; null as long as the program is interpreted. */
  readonly slots: StageSlots | null;
}

/** Slots of a compiled program's functions; 0: it has no such function. */
export interface StageSlots {
  /** Reads its inputs from the register file. */
  readonly registers: number;
  /** Finds the inputs of quads and blocks itself, from the planes of their triangles. */
  readonly quads: number;
}

/** The stage that a program is, with all its inputs and outputs as they stand. */
export function stageOf(
  program: IrProgram, emission: Emission | null = null, patch: PatchStage | null = null
): Stage {
  const { kind, inputs, outputs, resources } = program;
  const rate = rateOf(program);
  return { program, kind, rate, inputs, outputs, resources, emission, patch, sets: null, coarse: null };
}

function rateOf({ kind, inputs }: IrProgram): StageRate {
  if (kind === 'vertex' || kind === 'tess_evaluation') return 'vertex';
  if (kind === 'geometry' || kind === 'primitive' || kind === 'tess_control') return 'primitive';
  if (kind === 'compute') return 'invocation';
  const perSample = inputs.some((input) => (input.kind === 'builtin' && input.builtin === 'sample_index')
    || (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat'));
  return perSample ? 'sample' : 'pixel';
}

/** Whether vertices, and the topology between them, pass it untouched: it takes a look at them, and gives none. */
export const isPassed = ({ kind }: Pick<IrProgram, 'kind'>): boolean => kind === 'primitive';

export function isEdgeInput(input: IrInput): input is EdgeInput {
  return input.kind === 'attribute' || input.kind === 'varying';
}

/** Whether setup writes it, and not the stage before. */
export const isOfPrimitive = (input: IrInput): boolean => input.kind === 'varying' && input.ofPrimitive === true;

export function varyingsOf({ inputs }: Stage): VaryingInput[] {
  return inputs.filter((input): input is VaryingInput => input.kind === 'varying');
}
