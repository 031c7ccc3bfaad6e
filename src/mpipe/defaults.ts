// What an input reads that nothing before its stage writes: (0, 0, 0, 1), as long as the input is, and 1 where it is a
// single float. Integers read 0, and 1 as their fourth component. Such inputs are constants of the linked program: they
// take no room in packets, and what follows from them is computed when the pipeline is linked.
import type { IrOutput, IrProgram } from '../ir';
import { replaced } from './nodes';
import { isEdgeInput, type EdgeInput, type Emission } from './stage';

/** A program and what defaults ask of it. */
export interface TableProgram {
  readonly program: IrProgram;
  /** Locations of inputs that are single floats. */
  readonly scalars: ReadonlySet<number>;
  /** Of a stage that emits, and of no other. */
  readonly emission: Emission | null;
}

/** Whether something writes what an input reads. */
export type IsWritten = (input: EdgeInput) => boolean;

/** What a program writes for the stage behind it. */
export function writtenBy({ outputs }: Pick<IrProgram, 'outputs'>): IsWritten {
  return ({ location, component }) => outputs.some((output: IrOutput) => output.kind === 'varying'
    && output.location === location && output.component === component);
}

/** Inputs that nothing writes, by their indices. */
export function missingInputs({ inputs }: IrProgram, isWritten: IsWritten): number[] {
  return inputs.flatMap((input, index) => (isEdgeInput(input) && !isWritten(input) ? [index] : []));
}

/** The program with these of its inputs as constants. */
export function withDefaults({ program, scalars }: TableProgram, missing: readonly number[]): IrProgram {
  if (missing.length === 0) return program;
  const inputs = program.inputs.filter((_, index) => !missing.includes(index));
  const body = replaced(program.body, (node) => {
    if (node.op !== 'input') return node;
    const input = program.inputs[node.imm]!, place = inputs.indexOf(input);
    if (place >= 0 || !isEdgeInput(input)) return { ...node, imm: place };
    return { ...node, op: 'const', imm: defaultBits(input, scalars) };
  });
  return { ...program, inputs, body };
}

function defaultBits({ location, component, type }: EdgeInput, scalars: ReadonlySet<number>): number {
  if (component < 3 && !scalars.has(location)) return 0;
  return type === 'f32' ? ONE : 1;
}

/** Bits of 1.0. */
const ONE = 0x3f800000;
