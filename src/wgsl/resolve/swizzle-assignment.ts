// `v.xz = …` and `v.xz += …`: several components of a vector in memory at once (WGSL §9.2, the language extension
// swizzle_assignment). They become assignments of one component each.

import type { BinaryOp, Expr, Stmt } from '../hir';
import type { AssignStatement, Expression, Name, Span } from '../syntax';
import { scalarType, vectorType } from '../type-store';
import type { VectorType } from '../types';
import { accessBase, componentsOf, resolveMember } from './access';
import type { Context, FunctionFacts } from './context';
import { expression, require, value } from './expressions';
import { resolveBinary } from './operators';
import { emit, reference, type Reference } from './operand';

/** Components of a vector, in the order in which they are named. */
interface SwizzleTarget {
  readonly ref: Reference;
  readonly type: VectorType;
  readonly components: readonly number[];
  readonly member: Name;
  readonly span: Span;
}

const SWIZZLE = /^([xyzw]{2,4}|[rgba]{2,4})$/;

/** What an assignment's left side names; null: a mistake, which is reported; undefined: no swizzle of a reference. */
export function swizzleTarget(ctx: Context, node: Expression): SwizzleTarget | null | undefined {
  if (node.kind !== 'member' || !SWIZZLE.test(node.member.text)) return undefined;
  const { member, span } = node, found = expression(ctx, node.base), base = found && accessBase(ctx, found);
  if (base === null) return null;
  const { ref, type } = base;
  if (ref === null || type.kind !== 'vector') return undefined;
  const components = componentsOf(member.text, type.size);
  if (components === null) return undefined;
  if (ref.access === 'read') {
    ctx.report.error('assign-to-read-only', span, [], ref.space);
    return null;
  }
  if (new Set(components).size < components.length) {
    ctx.report.error('assign-twice', member.span, [], member.text);
    return null;
  }
  return { ref, type, components, member, span };
}

/** The place is found once, and what comes from the right is there before the first component is written. */
export function assignSwizzle(
  ctx: Context, facts: FunctionFacts, node: AssignStatement, { ref, type, components, member, span }: SwizzleTarget
): Stmt | null {
  const body: Stmt[] = [], { space, access } = ref;
  const define = (given: Expr): Expr => {
    const local = facts.addLocal({ name: member.text, type: given.type, kind: 'let' });
    body.push({ kind: 'let', local, value: given, span });
    return { op: 'local', local, type: given.type, span };
  };
  let { place } = ref;
  if (place.root.root === 'pointer' || place.steps.some(({ step }) => step === 'index')) {
    const pointer = define({ op: 'address-of', type: ctx.types.pointer(space, type, access), place, span });
    place = { root: { root: 'pointer', pointer }, steps: [], type, span };
  }
  const own = vectorType(components.length as VectorType['size'], type.scalar), scalar = scalarType(type.scalar);
  let given = value(ctx, node.value);
  if (given !== null && node.op !== null) {
    const current = resolveMember(ctx, reference({ place, space, access, vectorComponent: false }), member, span);
    given = current && resolveBinary(ctx, node.op as BinaryOp, current, given, node.span, node.opSpan);
  }
  const converted = given && require(ctx, given, own, 'the assignment');
  if (converted === null) return null;
  const parts = define(emit(converted));
  components.forEach((component, index) => body.push({
    kind: 'assign', operator: null, span,
    place: { root: place.root, steps: [...place.steps, { step: 'member', index: component }], type: scalar, span },
    value: { op: 'member', base: parts, index, type: scalar, span },
  }));
  return { kind: 'block', body, span: node.span };
}
