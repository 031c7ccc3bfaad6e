// Default values of inputs and links that no earlier stage writes: (0, 0, 0, 1), truncated to the input's length,
// except that a single float reads 1. Integers read 0, and 1 as their fourth component. These inputs become constants
// of the linked shader. They take no room in packets, and values that follow from them are computed when the pipeline
// is linked.
import { FLOAT_ONE_BITS } from '../base/bits';
import type { IrOutput, IrProgram } from '../ir';
import { replaced } from './nodes';
import type { PatchStage } from './patches';
import { isEdgeInput, isOfPrimitive, type EdgeInput, type Emission } from './stage';

/** A shader, with the facts that its default values depend on. */
export interface StageShader {
  readonly program: IrProgram;
  /** Locations of inputs that are single floats; for an evaluation stage, not counting those of its control points. */
  readonly scalars: ReadonlySet<number>;
  readonly pointScalars?: ReadonlySet<number>;
  /** Set only for a stage that emits vertices. */
  readonly emission: Emission | null;
  /** Set only for tessellation stages. */
  readonly patch?: PatchStage | null;
}

/** Whether an earlier stage or a buffer writes what an input reads. */
export type IsWritten = (input: Pick<EdgeInput, 'location' | 'component'>) => boolean;

/** What a shader writes for the next stage. */
export function writtenBy({ outputs }: Pick<IrProgram, 'outputs'>): IsWritten {
  return ({ location, component }) =>
    outputs.some(
      (output: IrOutput) => output.kind === 'varying' && output.location === location && output.component === component
    );
}

/**
 * Indices of the inputs that nothing writes. For an evaluation stage, `hasPoint` tells what the stage before its
 * control stage writes; null if all control point inputs are written.
 */
export function missingInputs(
  { inputs }: IrProgram,
  isWritten: IsWritten | null,
  hasPoint: IsWritten | null
): number[] {
  return inputs.flatMap((input, index) => {
    const known = isEdgeInput(input) ? isWritten : input.kind === 'control_point' ? hasPoint : null;
    return known && 'location' in input && !isOfPrimitive(input) && !known(input) ? [index] : [];
  });
}

/** The shader with the `missing` inputs replaced by constants. */
export function withDefaults({ program, scalars, pointScalars }: StageShader, missing: readonly number[]): IrProgram {
  if (missing.length === 0) return program;
  const inputs = program.inputs.filter((_, index) => !missing.includes(index));
  const body = replaced(program.body, (node) => {
    if (node.op !== 'input') return node;
    const input = program.inputs[node.imm]!;
    const place = inputs.indexOf(input);
    if (place >= 0) return { ...node, imm: place };
    const isPoint = input.kind === 'control_point';
    const singles = isPoint ? (pointScalars ?? NONE) : scalars;
    if (!isPoint && !isEdgeInput(input)) return { ...node, imm: place };
    return { ...node, op: 'const', imm: defaultBits(input, singles) };
  });
  return { ...program, inputs, body };
}

/** Fragment shaders with constants in place of links, by shader and missing links, so that pipelines share them. */
const withoutLinks = new WeakMap<IrProgram, Map<string, IrProgram>>();

/**
 * The fragment shader with constants in place of the links that `isWritten` does not know. `scalars`: links that are
 * single floats. Equal calls return the same object.
 */
export function withLinkDefaults(program: IrProgram, isWritten: IsWritten, scalars: ReadonlySet<number>): IrProgram {
  const missing = program.inputs.filter((input) => input.kind === 'link' && !isWritten(input));
  if (missing.length === 0) return program;
  const key = missing.map((input) => program.inputs.indexOf(input)).join();
  let known = withoutLinks.get(program);
  if (!known) withoutLinks.set(program, (known = new Map()));
  let made = known.get(key);
  if (!made) {
    const inputs = program.inputs.filter((input) => !missing.includes(input));
    const body = replaced(program.body, (node) => {
      if (node.op !== 'input') return node;
      const input = program.inputs[node.imm]!;
      const place = inputs.indexOf(input);
      if (place >= 0 || input.kind !== 'link') return { ...node, imm: place };
      return { ...node, op: 'const', imm: defaultBits(input, scalars) };
    });
    known.set(key, (made = { ...program, inputs, body }));
  }
  return made;
}

const NONE: ReadonlySet<number> = new Set();

function defaultBits(
  { location, component, type }: Pick<EdgeInput, 'location' | 'component' | 'type'>,
  scalars: ReadonlySet<number>
): number {
  if (component < 3 && !scalars.has(location)) return 0;
  return type === 'f32' ? FLOAT_ONE_BITS : 1;
}
