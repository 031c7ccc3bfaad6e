// Lowers statements to structured control flow. break, continue and return leave blocks; see the rules in
// src/ir/program.ts.

import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { AssignStmt, Expr, LetStmt, LoopStmt, Stmt, SwitchStmt, VarStmt } from '../hir';
import type { Type } from '../types';
import { visitExpr } from '../walk';
import { analyseFunction, continues, localsOfContinuing, type FunctionAnalysis } from './analysis';
import { bitsOf } from './builder';
import type { Binding, Context, Frame } from './context';
import { constantLeaves, lowerArgument, lowerExpr, lowerScalar, resolvePlace } from './expressions';
import { leafTypes } from './leaves';
import { clearLanes, lanesFor, load, placeOf, store, tablesFor, variablesFor, type Memory } from './memory';
import { operate } from './operators';

const NO_LABEL = -1;
const analyses = new WeakMap<object, FunctionAnalysis>();

export function analysisOf(context: Pick<Context, 'hir'>, fn: number): FunctionAnalysis {
  const definition = context.hir.functions[fn]!;
  let found = analyses.get(definition);
  if (found === undefined) analyses.set(definition, (found = analyseFunction(context.hir, definition)));
  return found;
}

/** Inlines a call; returns the leaves of its result. */
export function inlineCall(context: Context, index: number, args: readonly Binding[]): readonly ValueId[] {
  const { builder } = context;
  builder.spend();
  const fn = context.hir.functions[index]!;
  const last = fn.body[fn.body.length - 1];
  const caller = context.frame;
  const enter = (onReturn: Frame['onReturn']): void => {
    context.frame = {
      fn,
      locals: [...args],
      constants: new Map(),
      spilled: new Set(),
      onReturn,
      breakLabel: NO_LABEL,
      continueLabel: NO_LABEL,
    };
    builder.scoped(() => lowerStmts(context, fn.body, analysisOf(context, index)));
    context.frame = caller;
  };

  const { returnCount } = analysisOf(context, index);
  if (returnCount === 0 || (returnCount === 1 && last?.kind === 'return')) {
    let result: readonly ValueId[] = [];
    enter((values) => {
      result = values;
    });
    return result;
  }
  const label = builder.label();
  const results = leafTypes(fn.returnType).map((type) => builder.variable(`${fn.name} result`, type));
  builder.block(label, () =>
    enter((values) => {
      values.forEach((value, k) => builder.set(results[k]!, value));
      builder.leave(label);
    })
  );
  return results.map((variable) => builder.get(variable));
}

/** Writes statements until one that ends control flow; returns whether there was one. */
function lowerStmts(context: Context, stmts: readonly Stmt[], analysis: FunctionAnalysis): boolean {
  const { builder } = context;
  builder.descend(2);
  const ends = stmts.some((stmt) => lowerStmt(context, stmt, analysis));
  builder.ascend(2);
  return ends;
}

function lowerStmt(context: Context, stmt: Stmt, analysis: FunctionAnalysis): boolean {
  const { builder, frame } = context;
  switch (stmt.kind) {
    case 'let':
      lowerLet(context, stmt);
      return false;
    case 'var':
      lowerVar(context, stmt, analysis);
      return false;
    case 'assign':
      lowerAssign(context, stmt);
      return false;
    case 'evaluate':
      lowerEvaluate(context, stmt.value);
      return false;
    case 'if':
      return lowerIf(context, stmt.condition, (branch) =>
        builder.scoped(() => lowerStmts(context, branch === 'then' ? stmt.then : stmt.otherwise, analysis))
      );
    case 'switch':
      builder.scoped(() => lowerSwitch(context, stmt, analysis));
      return false;
    case 'loop':
      builder.scoped(() => lowerLoop(context, stmt, analysis));
      return false;
    case 'block':
      return builder.scoped(() => lowerStmts(context, stmt.body, analysis));
    case 'break':
      builder.leave(frame.breakLabel);
      return true;
    case 'continue':
      builder.leave(frame.continueLabel);
      return true;
    case 'return':
      frame.onReturn(stmt.value === null ? [] : lowerExpr(context, stmt.value));
      return true;
    case 'discard':
      builder.effect('discard', []);
      return false;
  }
}

/**
 * Evaluates an expression for the effects of function calls in it. Without calls, nothing is computed; the value might
 * be an array of thousands of elements.
 */
function lowerEvaluate(context: Context, value: Expr): void {
  let calls = false;
  visitExpr(
    {
      expr: ({ op }) => {
        calls ||= op === 'call' || op === 'builtin';
      },
    },
    value
  );
  if (calls) lowerArgument(context, value);
}

const isNumeric = ({ kind }: Type): boolean => kind === 'scalar' || kind === 'vector' || kind === 'matrix';

function lowerLet(context: Context, stmt: LetStmt): void {
  const { builder, frame } = context;
  const binding = lowerArgument(context, stmt.value);
  frame.locals[stmt.local] = binding;
  if (isNumeric(stmt.value.type)) frame.constants.set(stmt.local, constantLeaves(context, stmt.value));
  if (!frame.spilled.has(stmt.local)) return;
  const { name } = frame.fn.locals[stmt.local]!;
  if (binding.kind === 'values') {
    const variables = binding.values.map((value) => builder.variable(name, builder.values[value]!));
    binding.values.forEach((value, k) => builder.set(variables[k]!, value));
    frame.locals[stmt.local] = { kind: 'spilled', variables };
  } else if (binding.kind === 'pointer') {
    const indices = binding.place.dynamic.map(() => builder.variable(`${name} index`, 'u32'));
    binding.place.dynamic.forEach((step, k) => builder.set(indices[k]!, step.index));
    const { end } = binding.place;
    const kept = end === undefined ? null : builder.variable(`${name} end`, 'u32');
    if (kept !== null) builder.set(kept, end!);
    frame.locals[stmt.local] = { kind: 'spilled-pointer', place: binding.place, indices, end: kept };
  }
}

function lowerVar(context: Context, stmt: VarStmt, analysis: FunctionAnalysis): void {
  const { builder, frame } = context;
  const { name, type } = frame.fn.locals[stmt.local]!;
  const dynamic = analysis.dynamicLocals.has(stmt.local);
  if (dynamic && stmt.value?.op === 'const' && !analysis.writtenLocals.has(stmt.local)) {
    const types = leafTypes(type);
    const data = stmt.value.data.map((value, k) => bitsOf(types[k]!, value));
    frame.locals[stmt.local] = { kind: 'memory', memory: tablesFor(builder, name, type, data) };
    return;
  }
  if (dynamic && stmt.value === null) {
    const { memory, isUsed } = lanesFor(builder, name, type);
    frame.locals[stmt.local] = { kind: 'memory', memory };
    // Lane arrays are zero when the program starts. Outside loops, a declaration executes at most once.
    if (isUsed || context.loopDepth > 0) clearLanes(builder, memory);
    return;
  }
  const values =
    stmt.value === null ? leafTypes(type).map((scalar) => builder.zero(scalar)) : lowerExpr(context, stmt.value);
  const memory: Memory = dynamic ? lanesFor(builder, name, type).memory : variablesFor(builder, name, type);
  frame.locals[stmt.local] = { kind: 'memory', memory };
  store(builder, placeOf(memory, type), values);
}

function lowerAssign(context: Context, stmt: AssignStmt): void {
  const { builder } = context;
  const place = resolvePlace(context, stmt.place);
  if (stmt.operator === null) return store(builder, place, lowerExpr(context, stmt.value));
  const left = load(builder, place);
  const right = lowerExpr(context, stmt.value);
  store(builder, place, operate(context, stmt.operator, stmt.place.type, left, stmt.value.type, right));
}

function lowerIf(context: Context, condition: Expr, branch: (which: 'then' | 'otherwise') => boolean): boolean {
  const value = lowerScalar(context, condition);
  const bits = context.builder.constantBits(value);
  if (bits !== undefined) return branch(bits !== 0 ? 'then' : 'otherwise');
  let thenEnds = false;
  let otherwiseEnds = false;
  context.builder.if(
    value,
    () => {
      thenEnds = branch('then');
    },
    () => {
      otherwiseEnds = branch('otherwise');
    }
  );
  return thenEnds && otherwiseEnds;
}

type Clause = SwitchStmt['clauses'][number];
/**
 * Maximum number of clauses that are nested in each other's `else`. A longer switch is split into groups of this many
 * clauses, and lanes first branch to a group.
 */
const MAX_NESTED_CLAUSES = 32;

function lowerSwitch(context: Context, stmt: SwitchStmt, analysis: FunctionAnalysis): void {
  const { builder, frame } = context;
  const selector = lowerScalar(context, stmt.selector);
  const type = builder.values[selector]!;
  // The default clause also covers its own values, because it takes everything that no other clause takes.
  const others = stmt.clauses.filter((clause) => !clause.isDefault);
  const fallback = stmt.clauses.find((clause) => clause.isDefault) ?? unreachable('lower: switch without default');
  const label = builder.label();
  const outer = frame.breakLabel;
  const matches = (clauses: readonly Clause[]): ValueId =>
    clauses
      .flatMap(({ values }) => values)
      .map((value) => builder.op('int.eq', 'bool', [selector, builder.constant(type, value)]))
      .reduce((any, match) => builder.op('bool.or', 'bool', [any, match]));
  const write = (clauses: readonly Clause[], otherwise: () => void): void => {
    const [clause, ...rest] = clauses;
    if (clause === undefined) otherwise();
    // The last clause of a group takes its remaining values.
    else if (rest.length === 0 && others.length > MAX_NESTED_CLAUSES) lowerStmts(context, clause.body, analysis);
    else
      builder.if(
        matches([clause]),
        () => lowerStmts(context, clause.body, analysis),
        () => write(rest, otherwise)
      );
  };
  const fallBack = (): void => {
    lowerStmts(context, fallback.body, analysis);
  };
  frame.breakLabel = label;
  builder.block(label, () => {
    if (others.length <= MAX_NESTED_CLAUSES) return write(others, fallBack);
    for (let k = 0; k < others.length; k += MAX_NESTED_CLAUSES) {
      const part = others.slice(k, k + MAX_NESTED_CLAUSES);
      builder.if(matches(part), () => {
        write(part, () => undefined);
        builder.leave(label);
      });
    }
    fallBack();
  });
  frame.breakLabel = outer;
}

function lowerLoop(context: Context, stmt: LoopStmt, analysis: FunctionAnalysis): void {
  const { builder, frame } = context;
  const { breakLabel, continueLabel } = frame;
  const breaks = builder.label();
  context.loopDepth++;
  builder.block(breaks, () =>
    builder.loop(builder.label(), () => {
      frame.breakLabel = breaks;
      let ends = false;
      if (continues(stmt.body)) {
        // The body gets a separate block, so values that it computes are not visible in `continuing`.
        for (const local of localsOfContinuing(stmt))
          if (frame.fn.locals[local]!.kind === 'let') frame.spilled.add(local);
        frame.continueLabel = builder.label();
        builder.block(frame.continueLabel, () => {
          lowerStmts(context, stmt.body, analysis);
        });
      } else {
        ends = lowerStmts(context, stmt.body, analysis);
      }
      if (!ends) {
        lowerStmts(context, stmt.continuing, analysis);
        if (stmt.breakIf !== null) builder.if(lowerScalar(context, stmt.breakIf), () => builder.leave(breaks));
      }
    })
  );
  context.loopDepth--;
  frame.breakLabel = breakLabel;
  frame.continueLabel = continueLabel;
}
