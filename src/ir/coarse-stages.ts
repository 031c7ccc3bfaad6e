// A fragment program of stages of which the first are coarse, in two: what is run once for the pixels that a thread
// stands for, and what is run for each of them (assembly/layout/coarse-stages.ts). What the second part needs of the
// first are links; what it may have of uniforms alone, it computes itself.
import { findUniform } from './passes/uniform';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ValueId } from './program';
import { usesOf } from './sample-sets';
import { replaceInstructions } from './walk';

/** The parts of a program. */
export interface CoarseParts {
  /** Its outputs are the links. */
  readonly coarse: IrProgram;
  /** Links are inputs behind those of the whole program; it is not optimised. */
  readonly pixels: IrProgram;
  /** Nodes of its body that are those of stages of pixels. */
  readonly pixelNodes: number;
  readonly linkCount: number;
}

/** The node that `id` is the result of, by number. */
function definitionsOf(body: readonly IrNode[]): Map<ValueId, number> {
  const definitions = new Map<ValueId, number>();
  body.forEach((node, i) => {
    if (node.kind === 'op') for (const id of node.results) definitions.set(id, i);
  });
  return definitions;
}

/**
 * Nodes of the body before `coarseNodes` are of coarse stages, those before `pixelNodes` of stages of pixels. Stages
 * share neither variables nor arrays. `optimize` tells which links something comes of.
 */
export function splitCoarse(
  program: IrProgram, coarseNodes: number, pixelNodes: number, optimize: (program: IrProgram) => IrProgram
): CoarseParts {
  const { body } = program, uniform = findUniform(program), definitions = definitionsOf(body);
  const behind = body.slice(coarseNodes), copies = new Set<number>(), linked = new Set<ValueId>();
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
    coarse: coarsePart(program, coarseNodes, links), pixels: withLinks(links),
    pixelNodes: linked.size + copied.length + Math.max(0, pixelNodes - coarseNodes), linkCount: links.length,
  };
}

function coarsePart(program: IrProgram, coarseNodes: number, links: readonly ValueId[]): IrProgram {
  const outputs = links.map((id, location): IrOutput => (
    { kind: 'link', location, component: 0, type: program.values[id]! }
  ));
  const own = replaceInstructions(program.body.slice(0, coarseNodes), (node) => (node.op === 'output' ? null : node));
  const given = links.map((id, imm): IrNode => ({ kind: 'op', op: 'output', results: [], args: [id], imm }));
  return { ...program, outputs, body: [...own, ...given] };
}
