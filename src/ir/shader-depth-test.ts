// Recognises fragment shaders that implement a depth test themselves. The same test then also runs before the shader,
// so that occluded fragments are rejected as early as in any other draw call.

import { writesOutside } from './ops';
import type { IrNode, IrProgram, ValueId } from './program';
import { forEachInstruction, forEachNode } from './walk';

/** The depth comparison that fragments pass if the shader does not discard them. */
type ShaderDepthTest = 'less' | 'less-equal' | 'greater' | 'greater-equal';

/** Fragments that are kept if the shader discards those for which `depth OP stored` holds. */
const KEPT = { 'f32.ge': 'less', 'f32.gt': 'less-equal', 'f32.le': 'greater', 'f32.lt': 'greater-equal' } as const;
/** As KEPT, for `stored OP depth`. */
const TURNED = { 'f32.ge': 'greater', 'f32.gt': 'greater-equal', 'f32.le': 'less', 'f32.lt': 'less-equal' } as const;

/**
 * Finds the depth test that every fragment passes if it reaches the end of the shader without being discarded. It is a
 * comparison of the sample's own depth with the stored depth that every lane executes. Returns null if there is none,
 * or if the shader has effects that others can see. `isSingle`: pixels have one sample, at their centre.
 */
export function shaderDepthTest(
  program: Pick<IrProgram, 'body' | 'inputs'>,
  isSingle: boolean
): ShaderDepthTest | null {
  const stored = program.inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === 'sample_depth');
  const own = program.inputs.findIndex(
    (input) =>
      input.kind === 'builtin'
      && input.builtin === 'position'
      && input.component === 2
      && (isSingle || input.ofSample === true)
  );
  if (stored < 0 || own < 0) return null;
  const ids: Inputs = { stored: new Set(), own: new Set() };
  const tests = new Map<ValueId, ShaderDepthTest>();
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

interface Inputs {
  readonly stored: Set<ValueId>;
  readonly own: Set<ValueId>;
}

function testOf(op: keyof typeof KEPT, [a, b]: readonly ValueId[], { stored, own }: Inputs): ShaderDepthTest | null {
  if (own.has(a!) && stored.has(b!)) return KEPT[op];
  return stored.has(a!) && own.has(b!) ? TURNED[op] : null;
}

/** The first test that is executed by all lanes that enter these nodes. */
function found(nodes: readonly IrNode[], tests: ReadonlyMap<ValueId, ShaderDepthTest>): ShaderDepthTest | null {
  for (const node of nodes) {
    if (node.kind === 'if') {
      const first = node.then[0];
      const test = tests.get(node.condition);
      if (test && first?.kind === 'op' && first.op === 'discard') return test;
    } else if (node.kind === 'block') {
      const test = found(node.body, tests);
      if (test) return test;
    }
    if (mayLeave(node)) break;
  }
  return null;
}

/** Whether a lane may continue elsewhere than after the node. */
function mayLeave(node: IrNode): boolean {
  const inside = new Set<number>();
  let may = false;
  forEachNode([node], (inner) => {
    if (inner.kind === 'block' || inner.kind === 'loop') inside.add(inner.label);
    else if (inner.kind === 'leave') may ||= !inside.has(inner.label);
  });
  return may;
}
