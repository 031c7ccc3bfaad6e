// Fragment programs that test depth by themselves: what they discard is tested before they are run as well, so what is
// hidden is rejected like that of any other draw.

import { writesOutside } from './ops';
import type { IrNode, IrProgram, ValueId } from './program';
import { forEachInstruction, forEachNode } from './walk';

/** How depth passes what a program does not discard. */
export type OwnDepthTest = 'less' | 'less-equal' | 'greater' | 'greater-equal';

/** What passes where a fragment goes that has `depth OP stored`. */
const KEPT = { 'f32.ge': 'less', 'f32.gt': 'less-equal', 'f32.le': 'greater', 'f32.lt': 'greater-equal' } as const;
/** The same where it is `stored OP depth`. */
const TURNED = { 'f32.ge': 'greater', 'f32.gt': 'greater-equal', 'f32.le': 'less', 'f32.lt': 'less-equal' } as const;

/**
 * The depth test without which no lane gets to its end undiscarded: a condition of the sample's own depth against the
 * stored one, which every lane comes to. null: there is none, or the program does something that others see.
 * `isSingle`: pixels have one sample, at their centre.
 */
export function ownDepthTest(program: Pick<IrProgram, 'body' | 'inputs'>, isSingle: boolean): OwnDepthTest | null {
  const stored = program.inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === 'sample_depth');
  const own = program.inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === 'position'
    && input.component === 2 && (isSingle || input.ofSample === true));
  if (stored < 0 || own < 0) return null;
  const ids: Inputs = { stored: new Set(), own: new Set() }, tests = new Map<ValueId, OwnDepthTest>();
  let hasEffects = false;
  forEachInstruction(program.body, ({ op, imm, args, results }) => {
    hasEffects ||= writesOutside(op);
    if (op === 'input' && imm === stored) ids.stored.add(results[0]!);
    else if (op === 'input' && imm === own) ids.own.add(results[0]!);
    else if (op in KEPT) {
      const test = testOf(op as keyof typeof KEPT, args, ids);
      if (test) tests.set(results[0]!, test);
    } else if (op === 'bool.or') {
      const test = tests.get(args[0]!) ?? tests.get(args[1]!);
      if (test) tests.set(results[0]!, test);
    }
  });
  return hasEffects || tests.size === 0 ? null : found(program.body, tests);
}

interface Inputs { readonly stored: Set<ValueId>; readonly own: Set<ValueId> }

function testOf(op: keyof typeof KEPT, [a, b]: readonly ValueId[], { stored, own }: Inputs): OwnDepthTest | null {
  if (own.has(a!) && stored.has(b!)) return KEPT[op];
  return stored.has(a!) && own.has(b!) ? TURNED[op] : null;
}

/** The first test that all lanes come to which come to these nodes. */
function found(nodes: readonly IrNode[], tests: ReadonlyMap<ValueId, OwnDepthTest>): OwnDepthTest | null {
  for (const node of nodes) {
    if (node.kind === 'if') {
      const first = node.then[0], test = tests.get(node.condition);
      if (test && first?.kind === 'op' && first.op === 'discard') return test;
    } else if (node.kind === 'block') {
      const test = found(node.body, tests);
      if (test) return test;
    }
    if (mayLeave(node)) break;
  }
  return null;
}

/** Whether a lane may go on elsewhere than behind a node. */
function mayLeave(node: IrNode): boolean {
  const inside = new Set<number>();
  let may = false;
  forEachNode([node], (inner) => {
    if (inner.kind === 'block' || inner.kind === 'loop') inside.add(inner.label);
    else if (inner.kind === 'leave') may ||= !inside.has(inner.label);
  });
  return may;
}
