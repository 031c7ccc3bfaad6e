// What a modular pipeline says about its stages: interfaces, topologies and registers.

import type { EmittedTopology, PatchDivision } from '../../mpipe';
import { typeName, type InterfaceVariable } from '../core/front-end';
import { located } from '../pipelines/pipeline-checks';
import { linksOf } from '../pipelines/fragment-stages';
import { sizeOf, type TableSlot } from './modular-slots';

/** Kind of a stage: what it runs on. */
export type ModularStageKind =
  'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'coarse' | 'pixel' | 'sample';

/** A location in the interface of a stage. */
interface StageInterfaceEntry {
  readonly location: number;
  readonly name: string;
  readonly type: string;
}

/** Description of a stage: its kind, inputs and outputs. */
export interface StageDescription {
  readonly kind: ModularStageKind;
  /** Name of the entry point. */
  readonly entryPoint: string;
  /** The pipeline's default; passes may change it with `setStageEnabled`. */
  readonly enabled: boolean;
  readonly inputs: readonly StageInterfaceEntry[];
  readonly outputs: readonly StageInterfaceEntry[];
  /** Links of fragment stages; empty for other kinds. `location` is the number of the link. */
  readonly linksIn: readonly StageInterfaceEntry[];
  readonly linksOut: readonly StageInterfaceEntry[];
  readonly writesPosition: boolean;
  /** Scalars at locations in the stage's input and output, if nothing is dropped. */
  readonly inputScalars: number;
  readonly outputScalars: number;
  /**
   * Topology of the output. `kept` means that of the input, with one output vertex per input vertex. The outputs of the
   * stage before a `primitive` stage bypass it, so its `outputs` are empty.
   */
  readonly topology: 'kept' | EmittedTopology;
  /** Maximum number of vertices that a `geometry` stage emits per primitive; 1 for other kinds. */
  readonly maxVertices: number;
  /** Control points per patch of a tessellation stage; 0 for other kinds. */
  readonly patchVertices: number;
  /** How a `tess_evaluation` stage divides patches; null for other kinds. */
  readonly tessellation: PatchDivision | null;
  /**
   * Registers per lane of a warp; null while the stage is disabled, and for fragment stages, which are joined into one
   * shader.
   */
  readonly registers: number | null;
}

const tessellationInfo = ({ domain, spacing, winding, maxLevel }: PatchDivision): PatchDivision => ({
  domain,
  spacing,
  winding,
  maxLevel,
});

export function stageDescriptionOf(
  { d, stage: { entry }, table: { emission, patch } }: TableSlot,
  registers: number | null
): StageDescription {
  const evaluation = patch?.kind === 'evaluation' ? patch : null;
  const list = (variables: readonly InterfaceVariable[]): StageInterfaceEntry[] =>
    located(variables).map((variable) => ({
      location: variable.io.location,
      name: variable.name.replace(/^result\./, ''),
      type: typeName(variable.type),
    }));
  const links = (variables: readonly InterfaceVariable[]): StageInterfaceEntry[] =>
    linksOf(variables).map(({ io, name, type }) => ({
      location: io.link,
      name: name.replace(/^result\./, ''),
      type: typeName(type),
    }));
  const scalars = (variables: readonly InterfaceVariable[]): number =>
    located(variables).reduce((sum, { type }) => sum + sizeOf(type), 0);
  return {
    kind: d.kind,
    entryPoint: entry.name,
    enabled: d.enabled,
    inputs: list(entry.inputs),
    outputs: list(entry.outputs),
    linksIn: links(entry.inputs),
    linksOut: links(entry.outputs),
    writesPosition: entry.outputs.some(({ io }) => io.builtin === 'position'),
    inputScalars: scalars(entry.inputs),
    outputScalars: scalars(entry.outputs),
    registers,
    topology: emission?.topology ?? evaluation?.topology ?? 'kept',
    maxVertices: emission?.maxVertices ?? 1,
    patchVertices: patch?.corners ?? 0,
    tessellation: evaluation && tessellationInfo(evaluation),
  };
}
