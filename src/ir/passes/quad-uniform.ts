// Finds values on which all lanes that compute them agree each time. These are uniform values, and values derived from
// the counters of loops that all lanes execute together. A condition on such values never diverges, and one lane can
// compute such a value for all.
//
// A variable stays unanimous as long as it is not set while inactive lanes wait that will read it. At each point, the
// walk knows where lanes may be waiting. They wait in the other branch or at the end of an `if` that diverged, and at
// the end of a construct that some lanes have left. Liveness tells what they will read there. The analysis starts with
// all variables unanimous and removes those that fail, until nothing changes.

import { opInfo, readsTexture, type OpName } from '../ops';
import type { Block, If, Instruction, IrNode, IrProgram, Loop, ValueId } from '../program';
import { isUniformInQuad } from '../workgroups';
import { liveVariables, type LiveVariables } from './dead';
import { findUniform } from './uniform';

export interface QuadUniform {
  /** Includes uniform values. */
  readonly values: ReadonlySet<ValueId>;
  readonly variables: ReadonlySet<number>;
  /** Sets that may be applied to all lanes: every inactive lane sets the variable itself before it reads it. */
  readonly unread: ReadonlySet<Instruction>;
}

/** A construct around the current point at whose end lanes may wait. */
interface OpenConstruct {
  readonly node: If | Block | Loop;
  /** Variables that waiting lanes will read; null if none wait. */
  waiting: ReadonlySet<number> | null;
}

/** Results that only grow from one walk to the next. */
class Findings {
  readonly broken = new Set<number>();
  /** For each loop, the constructs that some lanes have left while others execute further iterations. */
  readonly leftInLoop = new Map<Loop, Set<Block | Loop>>();
  changed = false;

  break(variable: number): void {
    if (this.broken.has(variable)) return;
    this.broken.add(variable);
    this.changed = true;
  }

  left(loop: Loop, node: Block | Loop): void {
    let found = this.leftInLoop.get(loop);
    if (found === undefined) this.leftInLoop.set(loop, (found = new Set()));
    if (found.has(node)) return;
    found.add(node);
    this.changed = true;
  }
}

/** Operations whose results count as divergent even if lanes agree on all arguments. */
const staysDivided = (op: OpName): boolean => op === 'input' || readsTexture(op) || op.startsWith('dd');

class Walk {
  readonly values: Set<ValueId>;
  readonly unread = new Set<Instruction>();
  private readonly around: OpenConstruct[] = [];

  constructor(
    private readonly program: IrProgram,
    private readonly findLive: () => LiveVariables,
    uniform: ReadonlySet<ValueId>,
    private readonly findings: Findings,
    private readonly lanes: 4 | 8
  ) {
    this.values = new Set(uniform);
  }

  list(nodes: readonly IrNode[]): void {
    for (const node of nodes) {
      switch (node.kind) {
        case 'op':
          this.instruction(node);
          break;
        case 'leave':
          this.leave(node.label);
          break;
        case 'if':
          this.conditional(node);
          break;
        default:
          this.construct(node);
      }
    }
  }

  private instruction(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    const quadUniform = args.every((id) => this.values.has(id));
    if (op === 'var.set') {
      const isRead = this.around.some(({ waiting }) => waiting?.has(imm));
      if (!quadUniform || isRead) this.findings.break(imm);
      if (!isRead) this.unread.add(instruction);
      return;
    }
    const same =
      op === 'input'
        ? isUniformInQuad(this.program, this.program.inputs[imm]!, this.lanes)
        : op === 'var.get'
          ? !this.findings.broken.has(imm)
          : op === 'array.load'
            ? quadUniform
              && (this.program.arrays[imm]!.constants !== undefined || this.program.arrays[imm]!.quadUniform === true)
            : op === 'lanes.ballot'
              ? true
              : op === 'lanes.permute'
                ? isBroadcast(imm) && this.values.has(args[1]!)
                : op === 'lanes.shuffle'
                  ? this.values.has(args[1]!)
                  : quadUniform && opInfo(op).pure && !staysDivided(op);
    if (same) for (const id of results) this.values.add(id);
  }

  private conditional(node: If): void {
    if (this.values.has(node.condition)) {
      this.list(node.then);
      return this.list(node.otherwise);
    }
    const live = this.findLive();
    const after = live.after.get(node)!;
    const around: OpenConstruct = { node, waiting: new Set([...after, ...live.atOtherwise.get(node)!]) };
    this.around.push(around);
    this.list(node.then);
    around.waiting = after;
    this.list(node.otherwise);
    this.around.pop();
  }

  private construct(node: Block | Loop): void {
    this.around.push({ node, waiting: null });
    // Iterations after the first start without the lanes that have left.
    if (node.kind === 'loop')
      for (const { node: outer } of this.around)
        if (outer.kind !== 'if' && this.findings.leftInLoop.get(node)?.has(outer)) this.wait(outer);
    this.list(node.body);
    this.around.pop();
  }

  private leave(label: number): void {
    // If only some of the lanes that entered the construct reach this point, the others continue inside it.
    let divided = false;
    for (let i = this.around.length - 1; i >= 0; i--) {
      const { node, waiting } = this.around[i]!;
      if (node.kind !== 'if' && node.label === label) {
        if (divided) this.wait(node);
        return;
      }
      divided ||= waiting !== null;
    }
  }

  private wait(node: Block | Loop): void {
    const index = this.around.findIndex((around) => around.node === node);
    this.around[index]!.waiting = this.findLive().after.get(node)!;
    for (const { node: inner } of this.around.slice(index)) if (inner.kind === 'loop') this.findings.left(inner, node);
  }
}

/** Whether a permutation gives every lane the value of the same lane. */
const isBroadcast = (how: number): boolean => (how & 0xff) === (how & 3) * 0x55;

/** Finds values and variables on which all lanes of a quad, or of two adjacent quads, agree. */
export function findQuadUniform(program: IrProgram, lanes: 4 | 8 = 4): QuadUniform {
  // Liveness is computed only if lanes diverge.
  let live: LiveVariables | undefined;
  const findLive = (): LiveVariables => (live ??= liveVariables(program));
  const uniform = findUniform(program);
  const findings = new Findings();
  for (;;) {
    findings.changed = false;
    const walk = new Walk(program, findLive, uniform, findings, lanes);
    walk.list(program.body);
    if (findings.changed) continue;
    const variables = new Set(program.variables.keys());
    for (const variable of findings.broken) variables.delete(variable);
    // Derivatives read inactive lanes.
    return { values: walk.values, variables, unread: program.usesDerivatives ? new Set() : walk.unread };
  }
}
