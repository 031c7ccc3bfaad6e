// Visits all expressions, places and statements of a function in text order.

import type { Expr, Place, Stmt } from './hir';

type PlaceUse = 'load' | 'store' | 'address';

export interface Visitor {
  expr?(expr: Expr): void;
  place?(place: Place, use: PlaceUse): void;
  /** Called before the contents of the statement are visited. */
  stmt?(stmt: Stmt): void;
}

function visitPlace(visitor: Visitor, place: Place, use: PlaceUse): void {
  visitor.place?.(place, use);
  if (place.root.root === 'pointer') visitExpr(visitor, place.root.pointer);
  for (const step of place.steps) if (step.step === 'index') visitExpr(visitor, step.index);
}

export function visitExpr(visitor: Visitor, expr: Expr): void {
  visitor.expr?.(expr);
  switch (expr.op) {
    case 'const':
    case 'local':
    case 'global':
      return;
    case 'load':
      return visitPlace(visitor, expr.place, 'load');
    case 'address-of':
      return visitPlace(visitor, expr.place, 'address');
    case 'unary':
    case 'convert':
    case 'bitcast':
      return visitExpr(visitor, expr.operand);
    case 'binary':
    case 'logical':
      visitExpr(visitor, expr.left);
      return visitExpr(visitor, expr.right);
    case 'call':
    case 'builtin':
    case 'construct':
      return expr.args.forEach((arg) => visitExpr(visitor, arg));
    case 'member':
    case 'swizzle':
      return visitExpr(visitor, expr.base);
    case 'index':
      visitExpr(visitor, expr.base);
      return visitExpr(visitor, expr.index);
  }
}

export function visitStmts(visitor: Visitor, stmts: readonly Stmt[]): void {
  for (const stmt of stmts) visitStmt(visitor, stmt);
}

function visitStmt(visitor: Visitor, stmt: Stmt): void {
  visitor.stmt?.(stmt);
  switch (stmt.kind) {
    case 'let':
    case 'evaluate':
      return visitExpr(visitor, stmt.value);
    case 'var':
    case 'return':
      if (stmt.value !== null) visitExpr(visitor, stmt.value);
      return;
    case 'assign':
      if (stmt.operator !== null) visitor.place?.(stmt.place, 'load');
      visitPlace(visitor, stmt.place, 'store');
      return visitExpr(visitor, stmt.value);
    case 'if':
      visitExpr(visitor, stmt.condition);
      visitStmts(visitor, stmt.then);
      return visitStmts(visitor, stmt.otherwise);
    case 'switch':
      visitExpr(visitor, stmt.selector);
      for (const clause of stmt.clauses) visitStmts(visitor, clause.body);
      return;
    case 'loop':
      visitStmts(visitor, stmt.body);
      visitStmts(visitor, stmt.continuing);
      if (stmt.breakIf !== null) visitExpr(visitor, stmt.breakIf);
      return;
    case 'block':
      return visitStmts(visitor, stmt.body);
    case 'break':
    case 'continue':
    case 'discard':
      return;
  }
}
