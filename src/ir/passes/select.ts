// Turns small branches that affect only variables into straight-line code with selects. This is cheaper than masking,
// and the variables often disappear.

import type { OpName } from '../ops';
import { opInfo } from '../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../program';

/** Maximum cost of both branches together, in operations; about the cost of masking a branch. */
const BUDGET = 10;

/** Rough cost in simple operations; Infinity for operations that must stay conditional. */
function cost(op: OpName): number {
  if (op === 'var.get' || op === 'var.set' || op === 'const') return 0;
  if (!opInfo(op).pure || op.startsWith('texture.') || op.startsWith('dd')) return Infinity;
  if (op === 'buffer.load') return 4;
  // Three of them, as for a colour that is divided by its alpha, cost less than masking.
  if (op === 'f32.div') return 3;
  const float = /^f32\.(exp2?|log2?|sin|cos|inverseSqrt|sqrt|rem)$/.test(op);
  if (float) return 4;
  if (/^f32\.(pow|a?tan[h2]?|a?sinh?|a?cosh?)$/.test(op)) return 10;
  return /^[iu]32\.(div|rem)$/.test(op) ? 6 : 1;
}

function branchCost(nodes: readonly IrNode[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'op' ? cost(node.op) : Infinity), 0);
}

class Selection {
  readonly values: ScalarType[];
  /** Whether a branch was converted. */
  hasChanged = false;
  constructor(private readonly program: IrProgram) {
    this.values = [...program.values];
  }

  list(nodes: readonly IrNode[]): IrNode[] {
    return nodes.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
        case 'leave':
          return [node];
        case 'if': {
          const inner = { ...node, then: this.list(node.then), otherwise: this.list(node.otherwise) };
          return branchCost(inner.then) + branchCost(inner.otherwise) <= BUDGET ? this.flatten(inner) : [inner];
        }
        default:
          return [{ ...node, body: this.list(node.body) }];
      }
    });
  }

  /** Appends the operations of a branch to `out` and returns the last value of each variable that it sets. */
  private branch(nodes: readonly IrNode[], out: IrNode[]): Map<number, ValueId> {
    const stored = new Map<number, ValueId>();
    const renamed = new Map<ValueId, ValueId>();
    for (const node of nodes as readonly Instruction[]) {
      const args = node.args.map((id) => renamed.get(id) ?? id);
      const earlier = node.op === 'var.get' ? stored.get(node.imm) : undefined;
      if (node.op === 'var.set') stored.set(node.imm, args[0]!);
      else if (earlier !== undefined) renamed.set(node.results[0]!, earlier);
      else out.push({ ...node, args });
    }
    return stored;
  }

  private flatten(node: Extract<IrNode, { kind: 'if' }>): IrNode[] {
    this.hasChanged = true;
    const out: IrNode[] = [];
    const yes = this.branch(node.then, out);
    const no = this.branch(node.otherwise, out);
    for (const variable of new Set([...yes.keys(), ...no.keys()])) {
      const { type } = this.program.variables[variable]!;
      const value = (known: ValueId | undefined): ValueId => known ?? this.op(out, 'var.get', type, [], variable);
      const chosen = this.op(out, 'select', type, [node.condition, value(yes.get(variable)), value(no.get(variable))]);
      out.push({ kind: 'op', op: 'var.set', results: [], args: [chosen], imm: variable });
    }
    return out;
  }

  private op(out: IrNode[], op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): ValueId {
    const result = this.values.push(type) - 1;
    out.push({ kind: 'op', op, results: [result], args, imm });
    return result;
  }
}

/** Returns the same program if no branch is converted. */
export function convertBranches(program: IrProgram): IrProgram {
  const selection = new Selection(program);
  const body = selection.list(program.body);
  return selection.hasChanged ? { ...program, values: selection.values, body } : program;
}
