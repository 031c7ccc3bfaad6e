// `v.xz = …` and `v.xz += …`: assignments to several components of a vector in memory (WGSL §9.2, language extension
// swizzle_assignment). They are split into assignments to single components. A swizzle of a swizzle, and a component or
// index of one, refer to components of the same vector: `v.xyz.zy`, `v.xy.y`, `v.xyz[i]`.

import type { BinaryOp, Expr, Stmt } from '../../hir';
import type { AssignStatement, Expression, Name, Span } from '../../syntax';
import { scalarType, U32, vectorType } from '../../type-store';
import type { VectorType } from '../../types';
import { accessBase, componentsOf, resolveIndex, resolveMember } from '../access';
import type { Context, FunctionFacts } from '../context';
import { concretizeIndex, expression, require, value } from '../expressions';
import { resolveBinary } from '../operators';
import { computed, emit, known, reference, type Operand, type Reference } from '../operand';

/** Components of a vector in memory, in the order of the swizzle; a component may occur several times. */
interface SwizzleView {
  readonly kind: 'view';
  readonly ref: Reference;
  readonly type: VectorType;
  readonly components: readonly number[];
  readonly span: Span;
}
/** The left side of an assignment: a view of components, or anything else. */
type Target = SwizzleView | { readonly kind: 'operand'; readonly operand: Operand };

const SWIZZLE = /^([xyzw]{2,4}|[rgba]{2,4})$/;

/** Whether the expression contains a swizzle, judging by its text. Members of structs may have such names, too. */
export const isSwizzled = (node: Expression): boolean =>
  (node.kind === 'member' && SWIZZLE.test(node.member.text))
  || ((node.kind === 'member' || node.kind === 'index') && isSwizzled(node.base));

/**
 * Resolves the left side of an assignment that contains a swizzle. Null after an error; undefined if it is not a
 * swizzle of a vector in memory.
 */
export function swizzleTarget(ctx: Context, node: Expression): Target | null | undefined {
  if (!isSwizzled(node)) return undefined;
  const target = targetOf(ctx, node);
  if (target?.kind !== 'view') return target?.operand.ref === null ? undefined : target;
  const { ref, components, span } = target;
  if (ref.access === 'read') {
    ctx.report.error('assign-to-read-only', span, [], ref.space);
    return null;
  }
  if (new Set(components).size === components.length) return target;
  ctx.report.error(
    'assign-twice',
    node.kind === 'member' ? node.member.span : span,
    [],
    components.map((c) => 'xyzw'[c]).join('')
  );
  return null;
}

function targetOf(ctx: Context, node: Expression): Target | null {
  if (!isSwizzled(node) || (node.kind !== 'member' && node.kind !== 'index')) return operandOf(expression(ctx, node));
  const base = targetOf(ctx, node.base);
  if (node.kind === 'index') {
    const index = concretizeIndex(ctx, value(ctx, node.index));
    if (base === null || index === null) return null;
    return operandOf(
      base.kind === 'view' ? indexed(ctx, base, index, node.span) : resolveIndex(ctx, base.operand, index, node.span)
    );
  }
  if (base === null) return null;
  return base.kind === 'view'
    ? partOf(ctx, base, node.member, node.span)
    : viewOf(ctx, base.operand, node.member, node.span);
}

const operandOf = (operand: Operand | null): Target | null => operand && { kind: 'operand', operand };

/** Resolves a member of something that is not a view. A swizzle of a vector in memory becomes a view. */
function viewOf(ctx: Context, operand: Operand, member: Name, span: Span): Target | null {
  const base = accessBase(ctx, operand);
  if (base === null) return null;
  const { ref, type } = base;
  const isVector = ref !== null && type.kind === 'vector' && SWIZZLE.test(member.text);
  const components = isVector ? componentsOf(member.text, type.size) : null;
  return components === null || !isVector
    ? operandOf(resolveMember(ctx, base, member, span))
    : { kind: 'view', ref, type, components, span };
}

/** A component of a view, or a swizzle of it. */
function partOf(ctx: Context, view: SwizzleView, member: Name, span: Span): Target | null {
  const { components, type } = view;
  const chosen = componentsOf(member.text, components.length);
  // Reports the same error as for any vector of this size.
  if (chosen === null || chosen.length > 4) return operandOf(resolveMember(ctx, valueOfView(view), member, span));
  const [only] = chosen;
  if (chosen.length === 1)
    return operandOf(reference(componentOf(view, { step: 'member', index: components[only!]! }, span)));
  return { kind: 'view', ref: view.ref, type, components: chosen.map((k) => components[k]!), span };
}

function indexed(ctx: Context, view: SwizzleView, index: Operand, span: Span): Operand | null {
  const { components } = view;
  // The index is checked against a vector of the view's size.
  const part = resolveIndex(ctx, valueOfView(view), index, span);
  if (part === null) return null;
  if (index.data !== null)
    return reference(componentOf(view, { step: 'member', index: components[Number(index.data[0])]! }, span));
  const numbers = known(span, vectorType(components.length as VectorType['size'], 'u32'), components);
  const component: Expr = { op: 'index', base: emit(numbers), index: emit(index), type: U32, span };
  return reference(componentOf(view, { step: 'index', index: component }, span));
}

function componentOf({ ref, type }: SwizzleView, step: Reference['place']['steps'][number], span: Span): Reference {
  const { place, space, access } = ref;
  const component = { root: place.root, steps: [...place.steps, step], type: scalarType(type.scalar), span };
  return { place: component, space, access, vectorComponent: true };
}

/** The value of a view. */
function valueOfView({ ref, type, components, span }: SwizzleView): Operand {
  const base: Expr = { op: 'load', type, span, place: ref.place };
  const own = vectorType(components.length as VectorType['size'], type.scalar);
  return computed({ op: 'swizzle', base, components, type: own, span });
}

/** The place is evaluated once, and the right side before the first component is written. */
export function assignSwizzle(
  ctx: Context,
  facts: FunctionFacts,
  node: AssignStatement,
  view: SwizzleView
): Stmt | null {
  const { ref, type, components, span } = view;
  const body: Stmt[] = [];
  const { space, access } = ref;
  const define = (given: Expr): Expr => {
    const local = facts.addLocal({ name: 'swizzled', type: given.type, kind: 'let' });
    body.push({ kind: 'let', local, value: given, span });
    return { op: 'local', local, type: given.type, span };
  };
  let { place } = ref;
  if (place.root.root === 'pointer' || place.steps.some(({ step }) => step === 'index')) {
    const pointer = define({ op: 'address-of', type: ctx.types.pointer(space, type, access), place, span });
    place = { root: { root: 'pointer', pointer }, steps: [], type, span };
  }
  const own = vectorType(components.length as VectorType['size'], type.scalar);
  const scalar = scalarType(type.scalar);
  let given = value(ctx, node.value);
  if (given !== null && node.op !== null) {
    const current = valueOfView({ ...view, ref: { ...ref, place } });
    given = resolveBinary(ctx, node.op as BinaryOp, current, given, node.span, node.opSpan);
  }
  const converted = given && require(ctx, given, own, 'the assignment');
  if (converted === null) return null;
  const parts = define(emit(converted));
  components.forEach((component, index) =>
    body.push({
      kind: 'assign',
      operator: null,
      span,
      place: { root: place.root, steps: [...place.steps, { step: 'member', index: component }], type: scalar, span },
      value: { op: 'member', base: parts, index, type: scalar, span },
    })
  );
  return { kind: 'block', body, span: node.span };
}
