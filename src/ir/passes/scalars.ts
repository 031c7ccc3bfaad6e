// Turns lane arrays that are only indexed by constants into variables. After unrolling, most arrays are.

import type { IrProgram } from '../program';
import { forEachInstruction, mapInstructions } from '../walk';
import { MAX_ELEMENTS } from './propagate';

export function scalarizeArrays(program: IrProgram): IrProgram {
  const bits = new Map<number, number>();
  const dynamic = new Set<number>();
  forEachInstruction(program.body, ({ op, imm, args, results }) => {
    if (op === 'const') bits.set(results[0]!, imm);
    if ((op === 'array.load' || op === 'array.store') && !bits.has(args[0]!)) dynamic.add(imm);
  });
  const variables = [...program.variables];
  const firstVariable = new Map<number, number>();
  program.arrays.forEach((array, index) => {
    // A larger array would occupy many registers, most of them idle.
    if (dynamic.has(index) || array.constants !== undefined || array.length > MAX_ELEMENTS) return;
    firstVariable.set(index, variables.length);
    for (let k = 0; k < array.length; k++) variables.push({ name: `${array.name}[${k}]`, type: array.type });
  });
  if (firstVariable.size === 0) return program;
  const body = mapInstructions(program.body, (node) => {
    const first = node.op === 'array.load' || node.op === 'array.store' ? firstVariable.get(node.imm) : undefined;
    if (first === undefined) return node;
    const variable = first + Math.min(bits.get(node.args[0]!)!, program.arrays[node.imm]!.length - 1);
    return { ...node, op: node.op === 'array.load' ? 'var.get' : 'var.set', args: node.args.slice(1), imm: variable };
  });
  return { ...program, variables, body };
}
