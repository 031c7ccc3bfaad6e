// The arrays in which a program that is cut at its barriers (parts.ts) keeps variables between its parts, and the
// number of the next part.

import type { IrNode, IrProgram, ScalarType, ValueId } from '../../program';
import { forEachInstruction } from '../../walk';
import { findQuadUniform } from '../quad-uniform';

interface KeptArray {
  readonly name: string;
  readonly type: ScalarType;
  length: number;
  readonly kept: true;
  readonly quadUniform?: boolean;
}

interface KeptPlace {
  readonly array: number;
  readonly element: number;
}
/** Where variables are kept. */
export interface KeptVariables {
  readonly arrays: readonly KeptArray[];
  readonly places: ReadonlyMap<number, KeptPlace>;
}

/**
 * Assigns an array element to each variable that is live between parts. `first`: index of the first kept array;
 * `quadUniform`: variables that are assumed to be equal in all lanes of a quad.
 */
export function placeVariables(
  liveAt: readonly ReadonlySet<number>[],
  variables: readonly { readonly type: ScalarType }[],
  first: number,
  quadUniform: ReadonlySet<number>
): KeptVariables {
  const places = new Map<number, KeptPlace>();
  const arrays: KeptArray[] = [{ name: 'next part', type: 'u32', length: 1, kept: true }];
  const byKind = new Map<string, number>();
  for (const live of liveAt.slice(1)) {
    for (const variable of live) {
      if (places.has(variable)) continue;
      const { type } = variables[variable]!;
      const isAgreed = quadUniform.has(variable);
      const name = isAgreed ? `agreed ${type}` : `kept ${type}`;
      let array = byKind.get(name);
      if (array === undefined) {
        array = arrays.push({ name, type, length: 0, kept: true, ...(isAgreed && { quadUniform: true }) }) - 1;
        byKind.set(name, array);
      }
      places.set(variable, { array: first + array, element: arrays[array]!.length++ });
    }
  }
  return { arrays, places };
}

/**
 * Finds variables that are in arrays for quad-uniform values (`quadUniform`), but receive values on which the lanes of
 * a quad may differ. `first`: index of the first kept array.
 */
export function nonUniformVariables(program: IrProgram, { arrays, places }: KeptVariables, first: number): number[] {
  const { values } = findQuadUniform(program);
  const constants = new Map<ValueId, number>();
  const broken = new Set<string>();
  forEachInstruction(program.body, ({ op, imm, args, results }) => {
    if (op === 'const') constants.set(results[0]!, imm);
    if (op === 'array.store' && arrays[imm - first]?.quadUniform && !values.has(args[1]!))
      broken.add(`${imm} ${constants.get(args[0]!)}`);
  });
  return [...places].filter(([, { array, element }]) => broken.has(`${array} ${element}`)).map(([id]) => id);
}

/** Moves the array with the number of the next part to index 0. */
export function nextPartFirst(program: IrProgram): IrProgram {
  const next = program.arrays.findIndex(({ name, kept }) => kept && name === 'next part');
  const order = [next, ...program.arrays.keys()].filter((array, k) => k === 0 || array !== next);
  const numbers = new Map(order.map((old, index) => [old, index]));
  const renumber = (nodes: readonly IrNode[]): IrNode[] =>
    nodes.map((node): IrNode => {
      switch (node.kind) {
        case 'op':
          return node.op === 'array.load' || node.op === 'array.store'
            ? { ...node, imm: numbers.get(node.imm)! }
            : node;
        case 'leave':
          return node;
        case 'if':
          return { ...node, then: renumber(node.then), otherwise: renumber(node.otherwise) };
        default:
          return { ...node, body: renumber(node.body) };
      }
    });
  return { ...program, arrays: order.map((array) => program.arrays[array]!), body: renumber(program.body) };
}
