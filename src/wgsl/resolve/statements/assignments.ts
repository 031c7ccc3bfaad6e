// Resolves assignments, compound assignments, and increments and decrements to HIR (WGSL §9.2, §9.3).

import type { Note } from '../../../base/diagnostics';
import type { BinaryOp } from '../../hir';
import type { AssignStatement, Expression, Span, StepStatement } from '../../syntax';
import { isAbstract, isConstructible, scalarOf, typeName } from '../../type-store';
import { next, type Resolved } from './behavior';
import type { Context, FunctionFacts } from '../context';
import { concretize, load } from '../convert';
import { expression, require, value } from '../expressions';
import { resolveBinary } from '../operators';
import { emit, known } from '../operand';
import type { Operand } from '../operand';
import { assignSwizzle, isSwizzled, swizzleTarget } from './swizzle-assignment';

export function resolveAssignment(ctx: Context, facts: FunctionFacts, node: AssignStatement): Resolved {
  if (node.target === null) {
    const operand = concretize(ctx, value(ctx, node.value));
    return operand === null ? next() : next({ kind: 'evaluate', value: emit(operand), span: node.span });
  }
  const parts = swizzleTarget(ctx, node.target);
  if (parts === null) return next();
  if (parts?.kind === 'view') {
    const assigned = assignSwizzle(ctx, facts, node, parts);
    return assigned === null ? next() : next(assigned);
  }
  const target = parts === undefined ? assignable(ctx, node.target) : checkAssignable(ctx, node.target, parts.operand);
  const right = value(ctx, node.value);
  if (target === null || right === null) return next();
  if (node.op === null) {
    const converted = require(ctx, right, target.type, 'the assignment');
    return converted === null
      ? next()
      : next({ kind: 'assign', place: target.ref!.place, operator: null, value: emit(converted), span: node.span });
  }
  return update(ctx, target, node.op as BinaryOp, right, node.span, node.opSpan);
}

/** `target op= right`. */
function update(ctx: Context, target: Operand, operator: BinaryOp, right: Operand, span: Span, opSpan: Span): Resolved {
  const current = load(ctx, target);
  if (current === null) return next();
  const sum = resolveBinary(ctx, operator, current, right, span, opSpan);
  if (sum === null) return next();
  if (sum.type !== target.type) {
    ctx.report.error('type-mismatch', opSpan, [], `${typeName(target.type)} for the assignment`, typeName(sum.type));
    return next();
  }
  const shift = operator === '<<' || operator === '>>';
  const scalar = shift ? 'u32' : scalarOf(target.type)!;
  const converted = isAbstract(right.type)
    ? require(ctx, right, ctx.types.withScalar(right.type, scalar), 'the assignment')
    : right;
  return converted === null
    ? next()
    : next({ kind: 'assign', place: target.ref!.place, operator, value: emit(converted), span });
}

/** `target++` or `target--`. */
export function resolveStep(ctx: Context, node: StepStatement): Resolved {
  const target = assignable(ctx, node.target, true);
  if (target === null) return next();
  const { type } = target;
  if (type.kind !== 'scalar' || (type.scalar !== 'i32' && type.scalar !== 'u32')) {
    ctx.report.error('step-type', node.span, [], node.op, typeName(type));
    return next();
  }
  return update(ctx, target, node.op === '++' ? '+' : '-', known(node.span, type, [1]), node.span, node.span);
}

function assignable(ctx: Context, node: Expression, isStep = false): Operand | null {
  const operand = expression(ctx, node);
  return operand && checkAssignable(ctx, node, operand, isStep);
}

function checkAssignable(ctx: Context, node: Expression, operand: Operand, isStep = false): Operand | null {
  if (operand.ref === null) {
    ctx.report.error('assign-to-value', node.span, assignmentHint(node, isStep), describeValue(node));
    return null;
  }
  if (operand.ref.access === 'read') {
    ctx.report.error('assign-to-read-only', node.span, [], operand.ref.space);
    return null;
  }
  if (isConstructible(operand.type)) return operand;
  ctx.report.error('type-not-allowed', node.span, [], typeName(operand.type), 'an assignment');
  return null;
}

function describeValue(node: Expression): string {
  if (node.kind === 'ident') return `'${node.name.text}'`;
  return node.kind === 'member' && node.member.text.length > 1 ? `'.${node.member.text}'` : 'this expression';
}

function assignmentHint(node: Expression, isStep: boolean): Note[] {
  if (isStep && isSwizzled(node))
    return [{ message: "'++' and '--' cannot be applied to swizzles; write '+= 1' or '-= 1'" }];
  let root = node;
  while (root.kind === 'member' || root.kind === 'index') root = root.base;
  if (root !== node && node.kind === 'member' && /^[xyzwrgba]{2,4}$/.test(node.member.text)) {
    return [{ message: "a swizzle can be assigned to only if its vector is in a 'var'" }];
  }
  return root.kind === 'ident' ? [{ message: `only a 'var' can be assigned to; '${root.name.text}' is not one` }] : [];
}
