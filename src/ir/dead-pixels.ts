// Handles pixels for which the pixel stages leave nothing to shade: the pixel is discarded, or the sample mask of such
// a stage removes all covered samples. Sample stages do not run for these pixels. Their lanes skip those stages, unless
// other lanes of the quad need them, and write nothing.

import { readsQuadLanes } from './ops';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from './program';
import { forEachInstruction, forEachNode } from './walk';

const DERIVATIVES: ReadonlySet<string> = new Set(['ddx.coarse', 'ddx.fine', 'ddy.coarse', 'ddy.fine']);
const TRUE = 0xffffffff;

/** Whether the nodes need all lanes of a quad, including discarded ones. */
export function needsWholeQuads(nodes: readonly IrNode[]): boolean {
  let found = false;
  forEachInstruction(nodes, ({ op, texture }) => {
    found ||= DERIVATIVES.has(op) || readsQuadLanes(op) || texture?.mode === 'implicit' || texture?.mode === 'bias';
  });
  return found;
}

/** The value of the sample mask, if one of the first `pixelNodes` nodes computes it; otherwise null. */
export function maskOfPixels({ body, outputs }: IrProgram, pixelNodes: number): ValueId | null {
  const output = body.find(
    (node): node is Instruction =>
      node.kind === 'op' && node.op === 'output' && outputs[node.imm]!.kind === 'sample_mask'
  );
  const mask = output?.args[0];
  const isOfPixels = body.slice(0, pixelNodes).some((node) => node.kind === 'op' && node.results.includes(mask!));
  return mask !== undefined && isOfPixels ? mask : null;
}

/** Creates values, variables and nodes for a program that is derived from another, which stays unchanged. */
export class NodeWriter {
  readonly values: ScalarType[];
  readonly variables: IrProgram['variables'][number][];

  constructor({ values, variables }: IrProgram) {
    this.values = [...values];
    this.variables = [...variables];
  }

  variable(name: string, type: ScalarType): number {
    return this.variables.push({ name, type }) - 1;
  }

  value(op: Instruction['op'], type: ScalarType, imm: number, args: readonly ValueId[] = []): Instruction {
    return { kind: 'op', op, results: [this.values.push(type) - 1], args, imm };
  }

  set(variable: number, value: ValueId): Instruction {
    return { kind: 'op', op: 'var.set', results: [], args: [value], imm: variable };
  }

  /** Discards the pixel and records that in a variable. */
  discarding(variable: number): IrNode[] {
    const yes = this.value('const', 'bool', TRUE);
    return [yes, this.set(variable, yes.results[0]!), { kind: 'op', op: 'discard', results: [], args: [], imm: 0 }];
  }

  /**
   * Runs the nodes only in lanes where a variable is not set. In other lanes, outputs that depend on the nodes receive
   * 0.
   */
  unless(variable: number, nodes: readonly IrNode[]): IrNode[] {
    const inner: IrNode[] = [];
    const behind: IrNode[] = [];
    const own = new Set<ValueId>();
    for (const node of nodes) {
      if (node.kind === 'op' && node.op === 'output') {
        const [value] = node.args as [ValueId];
        if (!own.has(value)) behind.push(node);
        else {
          const type = this.values[value]!;
          const kept = this.variable('result', type);
          const get = this.value('var.get', type, kept);
          inner.push(this.set(kept, value));
          behind.push(get, { ...node, args: get.results });
        }
        continue;
      }
      inner.push(node);
      if (node.kind === 'op') for (const id of node.results) own.add(id);
    }
    const dead = this.value('var.get', 'bool', variable);
    const alive = this.value('bool.not', 'bool', 0, dead.results);
    return [dead, alive, { kind: 'if', condition: alive.results[0]!, then: inner, otherwise: [] }, ...behind];
  }
}

interface GuardedProgram {
  readonly program: IrProgram;
  /** Index of the output that marks dead pixels; −1 if there is none. */
  readonly killed: number;
}

/**
 * Guards a program that is not split. Its first `pixelNodes` nodes belong to pixel stages, and the others to sample
 * stages.
 */
export function guardSamples(program: IrProgram, pixelNodes: number): GuardedProgram {
  const ofPixels = program.body.slice(0, pixelNodes);
  const behind = program.body.slice(pixelNodes);
  const mask = maskOfPixels(program, pixelNodes);
  const isEmpty = behind.every((node) => node.kind === 'op' && node.op === 'output');
  if (isEmpty || (mask === null && !ofPixels.some(discards))) return { program, killed: -1 };
  const writer = new NodeWriter(program);
  const inputs = [...program.inputs];
  const dead = writer.variable('dead', 'bool');
  const body = ofPixels.flatMap((node) => (discards(node) ? noting(node, dead, writer) : [node]));
  if (mask !== null) {
    const covered = writer.value('input', 'u32', coverageInput(inputs));
    const none = writer.value('const', 'u32', 0);
    const left = writer.value('int.and', 'u32', 0, [mask, covered.results[0]!]);
    const isDead = writer.value('int.eq', 'bool', 0, [left.results[0]!, none.results[0]!]);
    body.push(covered, none, left, isDead, {
      kind: 'if',
      condition: isDead.results[0]!,
      then: writer.discarding(dead),
      otherwise: [],
    });
  }
  body.push(...(needsWholeQuads(behind) ? behind : writer.unless(dead, behind)));
  const outputs: IrOutput[] = [...program.outputs];
  const said = writer.value('var.get', 'bool', dead);
  const killed = outputs.push({ kind: 'killed', type: 'bool' }) - 1;
  body.push(said, { kind: 'op', op: 'output', results: [], args: said.results, imm: killed });
  const { values, variables } = writer;
  return { program: { ...program, inputs, outputs, values, variables, body, usesDiscard: true }, killed };
}

/** Input that holds the coverage of the pixel; added if missing. */
function coverageInput(inputs: IrInput[]): number {
  const found = inputs.findIndex(
    (input) => input.kind === 'builtin' && input.builtin === 'sample_mask' && !('ofSample' in input && input.ofSample)
  );
  return found >= 0 ? found : inputs.push({ kind: 'builtin', builtin: 'sample_mask', type: 'u32' }) - 1;
}

/** Whether the node contains a discard. */
export function discards(node: IrNode): boolean {
  let found = false;
  forEachNode([node], (inner) => {
    found ||= inner.kind === 'op' && inner.op === 'discard';
  });
  return found;
}

/** Returns the node with a variable that becomes true wherever it discards. */
export function noting(node: IrNode, variable: number, writer: NodeWriter): IrNode[] {
  const note = (nodes: readonly IrNode[]): IrNode[] =>
    nodes.flatMap((inner): IrNode[] => {
      switch (inner.kind) {
        case 'op':
          return inner.op === 'discard' ? writer.discarding(variable) : [inner];
        case 'leave':
          return [inner];
        case 'if':
          return [{ ...inner, then: note(inner.then), otherwise: note(inner.otherwise) }];
        default:
          return [{ ...inner, body: note(inner.body) }];
      }
    });
  return note([node]);
}
