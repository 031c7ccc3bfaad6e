// `switch` (WGSL §9.4.2): the selector and all case values have one type, every value occurs once, and there is one
// default.

import type { Stmt } from '../../hir';
import type { BlockStatement, Span, SwitchClause, SwitchStatement } from '../../syntax';
import { ABSTRACT_INT, I32, typeName, U32 } from '../../type-store';
import type { Type } from '../../types';
import { Behavior, type Resolved } from './behavior';
import type { Context } from '../context';
import { constantValue, value } from '../expressions';
import { convert, convertible } from '../convert';
import { emit } from '../operand';
import type { Operand } from '../operand';

/** The resolver of the enclosing function's statements. */
interface Bodies {
  readonly ctx: Context;
  block(block: BlockStatement): Resolved;
  inside(enclosing: 'switch', resolve: () => Resolved): Resolved;
}

interface CaseValue {
  readonly operand: Operand;
  readonly clause: number;
}

/** WGSL §2.4. */
const MAX_CASE_VALUES = 1023;

export function resolveSwitch(resolver: Bodies, node: SwitchStatement): Resolved {
  const { ctx } = resolver;
  const selector = value(ctx, node.selector);
  const cases: CaseValue[] = [];
  node.clauses.forEach((clause, index) => {
    for (const selectorNode of clause.selectors) {
      const operand = selectorNode === null ? null : constantValue(ctx, selectorNode, 'a case value');
      if (operand !== null) cases.push({ operand, clause: index });
    }
  });
  const beyond = cases[MAX_CASE_VALUES];
  if (beyond !== undefined) ctx.report.error('too-many-case-values', beyond.operand.span, [], MAX_CASE_VALUES);
  checkDefaults(resolver, node);
  const bodies = node.clauses.map((clause) => resolver.inside('switch', () => resolver.block(clause.body)));
  const type = selector === null ? null : selectorType(resolver, selector, cases);
  const behavior = switchBehavior(bodies);
  if (selector === null || type === null) return { stmts: [], behavior };
  const values = caseValues(resolver, cases, type, node.clauses.length);
  const converted = convert(ctx, selector, type);
  if (converted === null) return { stmts: [], behavior };
  const clauses = node.clauses.map((clause, i) => ({
    values: values[i]!,
    isDefault: clause.selectors.includes(null),
    body: bodies[i]!.stmts,
  }));
  const stmt: Stmt = { kind: 'switch', selector: emit(converted), clauses, span: node.span };
  return { stmts: [stmt], behavior };
}

/** Control continues after the switch if a break leaves it. */
function switchBehavior(bodies: readonly Resolved[]): number {
  const inner = bodies.reduce((sum, body) => sum | body.behavior, 0);
  return (inner & Behavior.Break) !== 0 ? (inner & ~Behavior.Break) | Behavior.Next : inner;
}

function checkDefaults({ ctx }: Bodies, node: SwitchStatement): void {
  const defaults: SwitchClause[] = node.clauses.flatMap((clause) =>
    clause.selectors.filter((selector) => selector === null).map(() => clause)
  );
  const [first, second] = defaults;
  const keyword: Span = { start: node.span.start, end: node.span.start + 'switch'.length };
  if (first === undefined) ctx.report.error('switch-without-default', keyword, []);
  else if (second !== undefined)
    ctx.report.error('duplicate-default', second.span, [{ message: 'first one here', span: first.span }]);
}

function selectorType({ ctx }: Bodies, selector: Operand, cases: readonly CaseValue[]): Type | null {
  const concreteCase = cases.find(({ operand }) => operand.type === I32 || operand.type === U32);
  const type = selector.type === ABSTRACT_INT ? (concreteCase?.operand.type ?? I32) : selector.type;
  if (type === I32 || type === U32) return type;
  ctx.report.error('switch-selector-type', selector.span, [], typeName(selector.type));
  return null;
}

function caseValues({ ctx }: Bodies, cases: readonly CaseValue[], type: Type, clauseCount: number): number[][] {
  const lists: number[][] = Array.from({ length: clauseCount }, () => []);
  const seen = new Map<number, Span>();
  for (const { operand, clause } of cases) {
    if (!convertible(ctx, operand.type, type)) {
      ctx.report.error('type-mismatch', operand.span, [], `${typeName(type)} for a case value`, typeName(operand.type));
      continue;
    }
    const converted = convert(ctx, operand, type);
    if (converted === null) continue;
    const number = converted.data![0] as number;
    const earlier = seen.get(number);
    if (earlier !== undefined)
      ctx.report.error('duplicate-case', operand.span, [{ message: 'first used here', span: earlier }], number);
    seen.set(number, earlier ?? operand.span);
    lists[clause]!.push(number);
  }
  return lists;
}
