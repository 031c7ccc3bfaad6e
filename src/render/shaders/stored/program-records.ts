// Programs in records of the shader cache: without their bodies, which only the compiler reads. A restored program
// computes its body from the WGSL when it is read after all.
import type { IrProgram } from '../../../ir';
import { allFacts, giveFacts } from '../program-facts';

const LAZY = ['values', 'variables', 'arrays', 'body'] as const;
type LazyName = (typeof LAZY)[number];

export interface StoredProgram {
  readonly interface: Omit<IrProgram, LazyName>;
  readonly facts: ReadonlyMap<string, unknown>;
}

export function storedProgram(program: IrProgram): StoredProgram {
  const { values: _v, variables: _w, arrays: _a, body: _b, ...rest } = program;
  return { interface: rest, facts: allFacts(program) };
}

/** `whole` returns the equal program with its body. */
export function restoredProgram(stored: StoredProgram, whole: () => IrProgram): IrProgram {
  const program = { ...stored.interface };
  // Enumerable, so that copies of the program have the contents.
  for (const name of LAZY) Object.defineProperty(program, name, { enumerable: true, get: () => whole()[name] });
  giveFacts(program as IrProgram, stored.facts);
  return program as IrProgram;
}
