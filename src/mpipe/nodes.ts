import type { Instruction, IrNode } from '../ir';

/** Copies a node list, replacing its instructions; `replace` returns null to drop an instruction. */
export function replaced(
  nodes: readonly IrNode[],
  replace: (instruction: Instruction) => Instruction | null
): IrNode[] {
  const result: IrNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'op') {
      const instruction = replace(node);
      if (instruction) result.push(instruction);
    } else if (node.kind === 'if')
      result.push({ ...node, then: replaced(node.then, replace), otherwise: replaced(node.otherwise, replace) });
    else result.push(node.kind === 'leave' ? node : { ...node, body: replaced(node.body, replace) });
  }
  return result;
}
