// Where lanes part and meet again: which conditions divide nobody, where all lanes are on, and what some leave while
// others stay. Where lanes go together, branches alone do and nothing is masked.

import { findUnanimous, type Instruction, type IrNode, type IrProgram, type ValueId } from '../../ir';

export interface Convergence {
  /** Whether all lanes that compute a value agree on it. */
  readonly agrees: (id: ValueId) => boolean;
  /**
   * Whether a set or store needs no mask: every lane that started is on, or those that are off are to have the value
   * too.
   */
  readonly full: (instruction: Instruction) => boolean;
  /** Whether some lanes may leave a block or loop while others go on in it. */
  readonly divides: (node: IrNode) => boolean;
}

const NONE: ReadonlySet<number> = new Set();

class Analysis {
  private readonly partial = new Set<Instruction>();
  private readonly dividing = new Map<IrNode, boolean>();

  constructor(private readonly agreed: ReadonlySet<ValueId>, private readonly variables: ReadonlySet<number>) {}

  run(program: IrProgram): Convergence {
    this.list(program.body, true);
    return {
      agrees: (id) => this.agreed.has(id), full: (instruction) => !this.partial.has(instruction),
      divides: (node) => this.divides(node),
    };
  }

  /** Visits a list; whether all lanes are on after it if they are at its start. */
  private list(nodes: readonly IrNode[], fullAtStart: boolean): boolean {
    let full = fullAtStart;
    for (const node of nodes) {
      switch (node.kind) {
        // A variable on which lanes agree is set for those that are off as well: they read it, if ever, when all have
        // set it.
        case 'op': if (!full && !(node.op === 'var.set' && this.variables.has(node.imm))) this.partial.add(node); break;
        case 'if': {
          const together = this.agreed.has(node.condition);
          const then = this.list(node.then, full && together);
          const otherwise = this.list(node.otherwise, full && together);
          full = full
            && (together ? then && otherwise : !this.leftBySome([...node.then, ...node.otherwise], NONE, false, null));
          break;
        }
        case 'block': {
          this.list(node.body, full);
          full = full && !this.leftBySome([node], NONE, true, null);
          break;
        }
        case 'loop': {
          // What is off at the end of a round is off in the next.
          this.list(node.body, full && !this.leftBySome(node.body, NONE, true, null));
          full = full && !this.leftBySome([node], NONE, true, null);
          break;
        }
        case 'leave': break;
      }
    }
    return full;
  }

  private divides(node: IrNode): boolean {
    if (node.kind !== 'block' && node.kind !== 'loop') return false;
    let found = this.dividing.get(node);
    if (found === undefined) this.dividing.set(node, (found = this.leftBySome(node.body, NONE, true, node.label)));
    return found;
  }

  /**
   * Whether some lanes may leave for `label`, or with null for any label that is not in `inner`, while others stay on.
   * `together`: the lanes that are on are all that came in and have not left for good.
   */
  private leftBySome(
    nodes: readonly IrNode[], inner: ReadonlySet<number>, together: boolean, label: number | null
  ): boolean {
    return nodes.some((node) => {
      switch (node.kind) {
        case 'op': return false;
        case 'leave': return !together && (label === null ? !inner.has(node.label) : node.label === label);
        case 'if': {
          const both = together && this.agreed.has(node.condition);
          return this.leftBySome(node.then, inner, both, label) || this.leftBySome(node.otherwise, inner, both, label);
        }
        // Lanes that left a block inside wait at its end.
        default:
          return this.leftBySome(
            node.body, label === null ? new Set([...inner, node.label]) : inner, together && !this.divides(node), label
          );
      }
    });
  }
}

/** Finds where a program's lanes part. */
export function findConvergence(program: IrProgram): Convergence {
  const { values, variables } = findUnanimous(program);
  return new Analysis(values, variables).run(program);
}
