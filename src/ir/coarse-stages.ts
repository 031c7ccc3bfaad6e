// Splits a fragment program whose first stages are coarse into two: a part that runs once per coarse pixel, and a part
// that runs for each pixel in it (assembly/layout/pass/coarse-stages.ts). Values that pass from the first part to the
// second become links. The second part recomputes values that depend on uniforms alone.
import { findUniform } from './passes/uniform';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ValueId } from './program';
import { usesOf } from './sample-sets';
import { replaceInstructions } from './walk';

interface CoarseParts {
  /** The part that runs once per coarse pixel. Its outputs are the links. */
  readonly coarse: IrProgram;
  /**
   * The part that runs for each pixel, not optimised. Its inputs are those of the whole program, followed by the links.
   */
  readonly pixels: IrProgram;
  /** Number of nodes of its body that belong to pixel stages. */
  readonly pixelNodes: number;
  readonly linkCount: number;
}

/** Index of the node that defines each value. */
function definitionsOf(body: readonly IrNode[]): Map<ValueId, number> {
  const definitions = new Map<ValueId, number>();
  body.forEach((node, i) => {
    if (node.kind === 'op') for (const id of node.results) definitions.set(id, i);
  });
  return definitions;
}

/**
 * Splits the program. Nodes before `coarseNodes` belong to coarse stages, and those before `pixelNodes` to pixel
 * stages. Stages share neither variables nor arrays. `optimize` reveals which links the second part really uses.
 */
export function splitCoarse(
  program: IrProgram,
  coarseNodes: number,
  pixelNodes: number,
  optimize: (program: IrProgram) => IrProgram
): CoarseParts {
  const { body } = program;
  const uniform = findUniform(program);
  const definitions = definitionsOf(body);
  const behind = body.slice(coarseNodes);
  const copies = new Set<number>();
  const linked = new Set<ValueId>();
  const need = (id: ValueId): void => {
    const at = definitions.get(id)!;
    if (at >= coarseNodes || copies.has(at)) return;
    if (!uniform.has(id)) linked.add(id);
    else {
      copies.add(at);
      (body[at] as Instruction).args.forEach(need);
    }
  };
  for (const node of behind) usesOf(node).values.forEach(need);
  const copied = [...copies].sort((a, b) => a - b).map((at) => body[at]!);
  const withLinks = (links: readonly ValueId[]): IrProgram => {
    const inputs: IrInput[] = [...program.inputs];
    const head = [...linked].map((id): IrNode => {
      const location = links.indexOf(id);
      if (location < 0) return { kind: 'op', op: 'const', results: [id], args: [], imm: 0 };
      const imm = inputs.push({ kind: 'link', location, component: 0, type: program.values[id]! }) - 1;
      return { kind: 'op', op: 'input', results: [id], args: [], imm };
    });
    return { ...program, inputs, body: [...head, ...copied, ...behind] };
  };
  const all = [...linked];
  const read = optimize(withLinks(all)).inputs.flatMap((input) => (input.kind === 'link' ? [input.location] : []));
  const links = all.filter((_, location) => read.includes(location));
  return {
    coarse: coarsePart(program, coarseNodes, links),
    pixels: withLinks(links),
    pixelNodes: linked.size + copied.length + Math.max(0, pixelNodes - coarseNodes),
    linkCount: links.length,
  };
}

function coarsePart(program: IrProgram, coarseNodes: number, links: readonly ValueId[]): IrProgram {
  const outputs = links.map((id, location): IrOutput => ({
    kind: 'link',
    location,
    component: 0,
    type: program.values[id]!,
  }));
  const own = replaceInstructions(program.body.slice(0, coarseNodes), (node) => (node.op === 'output' ? null : node));
  const given = links.map((id, imm): IrNode => ({ kind: 'op', op: 'output', results: [], args: [id], imm }));
  return { ...program, outputs, body: [...own, ...given] };
}
