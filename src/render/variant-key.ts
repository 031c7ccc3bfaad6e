// What a program is compiled from, as one text: equal texts give equal code. Spans, which only messages read, are left
// out.
import type { IrNode, IrProgram } from '../ir';

/**
 * All that `emitModule` is given: the linked program, whose inputs and outputs are those of its edges, and of the
 * kernel `inlines`, which names its mathematics, and its kind of memory.
 */
export interface VariantSource {
  readonly program: IrProgram;
  readonly inlines: number;
  readonly sharedMemory: boolean;
}

export function variantKey({ program: { body, ...rest }, ...options }: VariantSource): string {
  return `${JSON.stringify(options)}\n${JSON.stringify(rest)} ${nodesText(body)}`;
}

// By hand: JSON.stringify with a function that leaves spans out takes ten times as long.
function nodesText(nodes: readonly IrNode[]): string {
  let text = '';
  for (const node of nodes) {
    if (node.kind === 'op') {
      const { op, results, args, imm, texture } = node;
      text += `${op} ${results.join()}=${args.join()} ${imm}${texture ? JSON.stringify(texture) : ''};`;
    } else if (node.kind === 'if')
      text += `if ${node.condition}{${nodesText(node.then)}}{${nodesText(node.otherwise)}}`;
    else if (node.kind === 'leave') text += `leave ${node.label};`;
    else text += `${node.kind} ${node.label}{${nodesText(node.body)}}`;
  }
  return text;
}
