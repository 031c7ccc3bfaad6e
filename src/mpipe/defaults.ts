// What an input reads that nothing before its stage writes: (0, 0, 0, 1), as long as the input is, and 1 where it is a
// single float. Integers read 0, and 1 as their fourth component. Such inputs are constants of the linked program: they
// take no room in packets, and what follows from them is computed when the pipeline is linked.
import type { IrOutput, IrProgram } from '../ir';
import { replaced } from './nodes';
import type { PatchStage } from './patches';
import { isEdgeInput, isOfPrimitive, type EdgeInput, type Emission } from './stage';

/** A program and what defaults ask of it. */
export interface TableProgram {
  readonly program: IrProgram;
  /** Locations of inputs that are single floats; of an evaluation stage, those of its control points apart. */
  readonly scalars: ReadonlySet<number>;
  readonly pointScalars?: ReadonlySet<number>;
  /** Of a stage that emits, and of no other. */
  readonly emission: Emission | null;
  /** Of stages of tessellation. */
  readonly patch?: PatchStage | null;
}

/** Whether something writes what an input reads. */
export type IsWritten = (input: Pick<EdgeInput, 'location' | 'component'>) => boolean;

/** What a program writes for the stage behind it. */
export function writtenBy({ outputs }: Pick<IrProgram, 'outputs'>): IsWritten {
  return ({ location, component }) => outputs.some((output: IrOutput) => output.kind === 'varying'
    && output.location === location && output.component === component);
}

/**
 * Inputs that nothing writes, by their indices. `hasPoint`: of an evaluation stage, what the stage before its control
 * stage writes; null: all that it reads of control points.
 */
export function missingInputs(
  { inputs }: IrProgram, isWritten: IsWritten | null, hasPoint: IsWritten | null
): number[] {
  return inputs.flatMap((input, index) => {
    const known = isEdgeInput(input) ? isWritten : input.kind === 'control_point' ? hasPoint : null;
    return known && 'location' in input && !isOfPrimitive(input) && !known(input) ? [index] : [];
  });
}

/** The program with these of its inputs as constants. */
export function withDefaults({ program, scalars, pointScalars }: TableProgram, missing: readonly number[]): IrProgram {
  if (missing.length === 0) return program;
  const inputs = program.inputs.filter((_, index) => !missing.includes(index));
  const body = replaced(program.body, (node) => {
    if (node.op !== 'input') return node;
    const input = program.inputs[node.imm]!, place = inputs.indexOf(input);
    if (place >= 0) return { ...node, imm: place };
    const isPoint = input.kind === 'control_point', singles = isPoint ? pointScalars ?? NONE : scalars;
    if (!isPoint && !isEdgeInput(input)) return { ...node, imm: place };
    return { ...node, op: 'const', imm: defaultBits(input, singles) };
  });
  return { ...program, inputs, body };
}

const NONE: ReadonlySet<number> = new Set();

function defaultBits({ location, component, type }: Pick<EdgeInput, 'location' | 'component' | 'type'>, scalars: ReadonlySet<number>): number {
  if (component < 3 && !scalars.has(location)) return 0;
  return type === 'f32' ? ONE : 1;
}

/** Bits of 1.0. */
const ONE = 0x3f800000;
