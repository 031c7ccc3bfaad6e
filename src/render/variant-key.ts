// What a pair of programs is compiled from, as one text: equal texts give equal code. Spans, which only messages read,
// are left out.
import type { IrNode, IrProgram } from '../ir';

/** All that `emitModule` is given; `inlines` names the kernel's mathematics. */
export interface VariantSource {
  readonly vertex: IrProgram;
  readonly fragment: IrProgram | null;
  readonly inlines: number;
  readonly sharedMemory: boolean;
}

export function variantKey({ vertex, fragment, ...options }: VariantSource): string {
  return [
    JSON.stringify(options), ...[vertex, fragment].map((program) => (program ? programText(program) : '')),
  ].join('\n');
}

function programText({ body, ...rest }: IrProgram): string {
  return `${JSON.stringify(rest)} ${nodesText(body)}`;
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
