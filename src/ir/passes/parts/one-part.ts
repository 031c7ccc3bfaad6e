// Extracts each part of a program that was cut at its barriers (parts.ts) as a separate program: the part's nodes and
// those shared definitions that it uses. The time to compile all parts thus grows linearly with the program.

import { unreachable } from '../../../base/assert';
import type { Instruction, IrNode, IrProgram, ValueId } from '../../program';
import { definitionsOf, forEachInstruction, forEachNode, withValues, type Definitions } from '../../walk';

/** One part. It has its own numbering of values and variables but shares arrays and inputs with the whole program. */
interface Part {
  readonly program: IrProgram;
  /** For each value of the part, the corresponding value of the whole program. */
  readonly values: readonly ValueId[];
}

/** Extracts parts by index. */
export class ProgramParts {
  private readonly definitions: Definitions;
  /** The position of each shared definition. */
  private readonly shared = new Map<Instruction, number>();
  /** The nodes of each part. */
  private readonly lists: (readonly IrNode[])[] = [];

  constructor(private readonly program: IrProgram) {
    this.definitions = definitionsOf(program.body);
    this.share(program.body);
  }

  part(index: number): Part {
    const { program } = this;
    const nodes = this.lists[index]!;
    const body = [...this.usedBy(nodes), ...nodes];
    const values: ValueId[] = [];
    const variables = new Set<number>();
    forEachInstruction(body, ({ op, imm, results }) => {
      values.push(...results);
      if (op === 'var.get' || op === 'var.set') variables.add(imm);
    });
    values.sort((a, b) => a - b);
    const kept = [...variables].sort((a, b) => a - b);
    const numbers: Numbers = {
      values: new Map(values.map((id, own) => [id, own])),
      variables: new Map(kept.map((id, own) => [id, own])),
    };
    return {
      program: {
        ...program,
        values: values.map((id) => program.values[id]!),
        variables: kept.map((id) => program.variables[id]!),
        body: renumbered(body, numbers),
      },
      values,
    };
  }

  /** If a list ends with a choice between parts, those parts share its other nodes. Any other list is one part. */
  private share(nodes: readonly IrNode[]): void {
    const last = nodes.at(-1);
    if (last?.kind !== 'if' || !this.choosesPart(last.condition)) {
      this.lists.push(nodes);
      return;
    }
    for (const node of nodes.slice(0, -1)) {
      if (node.kind === 'op') this.shared.set(node, this.shared.size);
      else unreachable('ir: parts share control flow');
    }
    this.share(last.then);
    this.share(last.otherwise);
  }

  private choosesPart(condition: ValueId): boolean {
    const { op, args } = this.definitions.get(condition)!;
    if (op !== 'u32.lt') return false;
    const of = this.definitions.get(args[0]!)!;
    const input = of.op === 'input' ? this.program.inputs[of.imm] : undefined;
    return input?.kind === 'builtin' && input.builtin === 'part';
  }

  /** The shared definitions that the nodes use, in order. */
  private usedBy(nodes: readonly IrNode[]): Instruction[] {
    const used = new Set<Instruction>();
    const open: ValueId[] = [];
    forEachNode(nodes, (node) => {
      if (node.kind === 'op') open.push(...node.args);
      else if (node.kind === 'if') open.push(node.condition);
    });
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const definition = this.definitions.get(id)!;
      if (!this.shared.has(definition) || used.has(definition)) continue;
      used.add(definition);
      open.push(...definition.args);
    }
    return [...used].sort((a, b) => this.shared.get(a)! - this.shared.get(b)!);
  }
}

/** Maps old numbers to new ones. */
interface Numbers {
  readonly values: ReadonlyMap<ValueId, ValueId>;
  readonly variables: ReadonlyMap<number, number>;
}

function renumbered(nodes: readonly IrNode[], numbers: Numbers): IrNode[] {
  const value = (id: ValueId): ValueId => numbers.values.get(id)!;
  return nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op': {
        const isOfVariable = node.op === 'var.get' || node.op === 'var.set';
        const imm = isOfVariable ? numbers.variables.get(node.imm)! : node.imm;
        return withValues(node, node.results.map(value), node.args.map(value), imm);
      }
      case 'leave':
        return node;
      case 'if':
        return {
          ...node,
          condition: value(node.condition),
          then: renumbered(node.then, numbers),
          otherwise: renumbered(node.otherwise, numbers),
        };
      default:
        return { ...node, body: renumbered(node.body, numbers) };
    }
  });
}
